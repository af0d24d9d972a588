"""Which embeddings have axes with units of their own, and what their labels say."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.make_cf import make_cf, write_dense, write_group
from tests.datasets.make_mzpeak import make_mzpeak, make_run
from tests.memory import MemoryDataset, small

TIME = "retention time (min)"


@pytest.fixture(scope="module")
def mzpeak(tmp_path_factory):
    return make_mzpeak(tmp_path_factory.mktemp("mz") / "a.mzpeak", make_run())


@pytest.mark.parametrize(
    ("observations", "labels"),
    [
        ("peaks", {"peaks": "m/z"}),
        (
            "spectra",
            {
                "base_peak_mz": "base peak m/z",
                "precursor_mz": "precursor m/z",
                "total_ion_current": "total ion current",
            },
        ),
    ],
)
def test_mass_spectra_are_drawn_over_time_in_minutes(mzpeak, observations, labels):
    with open_dataset(mzpeak, observations=observations) as dataset:
        assert {name: dataset.axis_labels(name) for name in dataset.embeddings} == {
            name: (TIME, label) for name, label in labels.items()
        }


def test_the_front_end_hears_of_it(mzpeak):
    with open_dataset(mzpeak) as dataset:
        for axes, told in (((0, 1), [TIME, "base peak m/z"]), ((1, 0), ["base peak m/z", TIME]), ((0, 0), [])):
            (frame,) = Session(dataset, Settings(embedding="base_peak_mz", axes=axes)).streams.points()
            assert isinstance(frame.message, p.Points)
            assert (frame.message.equal_units, frame.message.axis_labels) == (not told, told)


def points_of(path, x, y, x_says=None, y_says=None):
    """Write points with two variables, and return the labels of the embedding of both."""
    write_group(path, {})
    (x_name, x_values), (y_name, y_values) = x, y
    write_dense(
        path / "points",
        {"point": len(x_values)},
        {x_name: x_values, y_name: y_values},
        attributes={x_name: x_says or {}, y_name: y_says or {}},
        group=path,
    )
    with open_dataset(path) as dataset:
        name = next(one for one in dataset.embeddings if one in (f"{x_name}_{y_name}", f"{y_name}_{x_name}"))
        labels = dataset.axis_labels(name)
        return labels if labels is None or name.startswith(x_name) else labels[::-1]


@pytest.mark.parametrize(
    ("names", "units", "labels"),
    [
        (("lon", "lat"), ("degrees_east", "degrees_north"), None),
        (("lon", "lat"), ("degreeE", "degrees"), None),
        (("lon", "lat"), ("", ""), None),
        (("x", "y"), ("m", "metres"), None),
        (("x", "y"), ("m", ""), None),
        (("x", "y"), ("m", "km"), ("x (m)", "y (km)")),
        (("umap1", "umap2"), ("", ""), None),
        (("umap1", "umap2"), ("1", ""), None),
        (("inside", "outside"), ("K", "K"), None),
        (("inside", "outside"), ("K", "degC"), ("inside (K)", "outside (degC)")),
        (("inside", "outside"), ("K", ""), ("inside (K)", "outside")),
        (("inside", "outside"), ("1", "K"), ("inside", "outside (K)")),
        (("time", "depth"), ("hours since 2000-01-01", "m"), ("time (hours since 2000-01-01)", "depth (m)")),
        (("time", "depth"), ("s", "s"), ("time (s)", "depth (s)")),
        (("time", "depth"), ("", ""), ("time", "depth")),
    ],
)
def test_coordinates_share_their_units_where_the_store_says_so_or_nothing(tmp_path, names, units, labels):
    values = np.linspace(0, 50, 8), np.linspace(2, 9, 8)[::-1].copy()
    said = [{"units": one} if one else {} for one in units]
    assert points_of(tmp_path / "cf", *zip(names, values, strict=True), *said) == labels


def test_a_long_name_is_the_label_and_dates_are_days(tmp_path):
    dates = np.datetime64("2001-02-03", "s") + np.arange(8) * np.timedelta64(3600, "s")
    says = {"long_name": "Time of <b>day</b>"}, {"long_name": "Depth below sea", "units": "m"}
    labels = points_of(tmp_path / "cf", ("time", dates), ("depth", np.arange(8.0)), *says)
    assert labels == ("Time of <b>day</b> (days since the first)", "Depth below sea (m)")


def test_times_that_float32_tells_apart_are_drawn_from_their_origin(tmp_path):
    hours = np.arange(8) * 1000.0
    labels = points_of(tmp_path / "cf", ("time", hours), ("v", np.arange(8.0)), {"units": "hours since 2000-01-01"})
    assert labels == ("time (hours since 2000-01-01)", "v")


def test_positions_share_their_units_with_positions_alone(tmp_path):
    path = tmp_path / "image"
    write_group(path, {})
    write_dense(path / "pixels", {"row": 4, "column": 5}, {"light": np.arange(20.0).reshape(4, 5)}, group=path)
    with open_dataset(path) as dataset:
        assert {name: dataset.axis_labels(name) for name in dataset.embeddings} == {"column_row": None}
    path = tmp_path / "series"
    write_group(path, {})
    write_dense(path / "points", {"point": 9}, {"light": np.arange(9.0)}, group=path)
    with open_dataset(path) as dataset:
        assert dataset.axis_labels("point_light") == ("point (position)", "light")


def test_a_cube_has_a_map_with_equal_units_and_times_with_their_own(tmp_path):
    make_cf(tmp_path / "toy", "netcdf")
    with open_dataset(tmp_path / "toy") as dataset:
        found = {name: dataset.axis_labels(name) for name in dataset.embeddings}
    assert found == {
        "lon_lat": None,
        "time_lat": ("time", "lat (degrees_north)"),
        "time_lon": ("time", "lon (degrees_east)"),
    }


def test_a_map_names_its_axes_with_their_units_though_these_are_equal(tmp_path):
    make_cf(tmp_path / "toy", "netcdf")
    with open_dataset(tmp_path / "toy") as dataset:
        assert dataset.axis_names("lon_lat") == ("lon (degrees_east)", "lat (degrees_north)")
        assert dataset.axis_names("lon_lat", (1, 0)) == ("lat (degrees_north)", "lon (degrees_east)")
        assert dataset.axis_names("time_lat") == dataset.axis_labels("time_lat") == ("time", "lat (degrees_north)")
        (first, *_) = Session(dataset, Settings(embedding="lon_lat")).streams.points()
        assert first.message.equal_units is True
        assert first.message.axis_labels == ["lon (degrees_east)", "lat (degrees_north)"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("x", "y"), ("x (m)", "y (m)")),
        (("a", "b"), ("a", "b")),
        (("umap1", "umap2"), None),
        (("tsne_0", "tsne_1"), None),
    ],
)
def test_points_name_their_axes_but_those_of_a_umap(tmp_path, names, told):
    units = {"units": "m"} if names == ("x", "y") else {}
    path = tmp_path / "cf"
    values = np.linspace(0, 50, 8), np.linspace(2, 9, 8)[::-1].copy()
    points_of(path, *zip(names, values, strict=True), units, units)
    with open_dataset(path) as dataset:
        name = next(one for one in dataset.embeddings if one in ("_".join(names), "_".join(names[::-1])))
        axes = (0, 1) if name.startswith(names[0]) else (1, 0)
        assert dataset.axis_names(name, axes) == told


@pytest.mark.parametrize(
    ("embedding", "axes", "told"),
    [
        ("pca", (0, 1), ["PC 1", "PC 2"]),
        ("X_pca", (4, 0), ["PC 5", "PC 1"]),
        ("pca_harmony", (0, 2), ["PC 1", "PC 3"]),
        ("diffmap", (1, 2), ["DC 2", "DC 3"]),
        ("umap", (0, 1), []),
        ("tsne", (0, 1), []),
        ("spatial", (0, 1), []),
        ("pancan", (0, 1), []),
    ],
)
def test_components_are_numbered_from_one_and_a_umap_is_quiet(embedding, axes, told):
    base = small(30)
    values = np.random.default_rng(0).random((30, 5)).astype(np.float32)
    one = MemoryDataset(base._obs, base._x, base._genes, {embedding: values})
    assert one.axis_labels(embedding, axes) is None
    assert one.axis_names(embedding, axes) == (tuple(told) or None)
    message = next(Session(one, Settings(embedding=embedding, axes=axes)).streams.points()).message
    assert (message.equal_units, message.axis_labels) == (True, told)


def test_opening_and_labels_read_no_data(tmp_path, monkeypatch):
    make_cf(tmp_path / "toy", "netcdf")
    with open_dataset(tmp_path / "toy") as dataset:
        monkeypatch.setattr(type(dataset), "_block", lambda *_: pytest.fail("data were read"))
        assert dataset.axis_labels("lon_lat") is None
        assert dataset.axis_labels("time_lat") is not None
        assert dataset.axis_names("lon_lat") is not None
