"""Which observations, columns, features and embeddings are made of a dataspace, and what the options change."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
import tiledb
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tiledb_cf.cells import find_cells
from cxg_widget.datasets.tiledb_cf.grid import boxes
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from tests.datasets.make_cf import (
    append_cells,
    make_cf,
    make_stored,
    make_table,
    meant,
    write_dense,
    write_group,
    write_sparse,
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    make_cf(path := tmp_path_factory.mktemp("cf") / "toy", "xarray")
    return path


@pytest.fixture
def toy(written, tmp_path):
    return shutil.copytree(written, tmp_path / "toy")


@pytest.fixture
def values():
    return meant(make_stored())


@given(data=st.data())
def test_boxes_cover_the_rows_once_and_in_order(data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    n = int(np.prod(shape))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2)))
    rows = np.arange(n).reshape(shape)
    found = [rows[tuple(slice(*side) for side in box)].ravel() for box in boxes(start, stop, shape)]
    np.testing.assert_array_equal(np.concatenate([*found, np.empty(0, int)]), np.arange(start, stop))
    assert len(found) <= 2 * len(shape) - 1


@given(data=st.data())
def test_cells_are_found_as_pandas_finds_them(data):
    cell = st.tuples(st.integers(0, 4), st.sampled_from([0.5, 1.5, -2.0]))
    known = data.draw(st.lists(cell, min_size=1, unique=True))
    wanted = data.draw(st.lists(cell, min_size=1))
    split = lambda cells: [np.array(part) for part in zip(*cells, strict=True)]  # noqa: E731
    expected = pd.MultiIndex.from_tuples(known).get_indexer(pd.MultiIndex.from_tuples(wanted))
    np.testing.assert_array_equal(find_cells(split(wanted), split(known)), expected)


def test_among_no_cells_none_is_found():
    np.testing.assert_array_equal(find_cells([np.array([1.0, 2.0])], [np.empty(0)]), [-1, -1])


@pytest.mark.parametrize("dims", [("lat", "lon"), ("lon", "lat"), ["lon", "time"], ("lon", "lat", "time"), ("lat",)])
def test_observations_choose_the_grid_and_the_order_of_its_rows(toy, dims):
    truth = make_table(make_stored(), dims)
    with open_dataset(toy, observations=dims) as dataset:
        assert dataset.n_obs == len(truth)
        assert list(dataset.obs_columns)[: len(dims)] == list(dims)
        pd.testing.assert_frame_equal(dataset.obs(list(truth.columns)), truth)
        rows = [len(truth) - 1, 0, 0]
        pd.testing.assert_frame_equal(dataset.obs(list(truth.columns), rows), truth.iloc[rows])


def test_slices_of_other_dimensions_are_features_of_their_own(toy, values):
    with open_dataset(toy, observations=("lat", "lon")) as dataset:
        assert list(dataset.var_names) == [
            "elevation",
            *(f"pressure[time={time}]" for time in range(3)),
            *(f"temperature[time={time}]" for time in range(3)),
        ]
        for time in range(3):
            found = dataset.values(f"temperature[time={time}]")
            np.testing.assert_array_equal(found, values["temperature"][time].ravel())
        np.testing.assert_array_equal(dataset.values("temperature"), values["temperature"][0].ravel())
        np.testing.assert_array_equal(dataset.numbers("temperature"), values["temperature"][0].ravel())
        assert dataset.find_var("Air temperature[time=2]") == dataset.find_var("temperature[time=2]")
        assert dataset.var()["variable"].tolist() == ["elevation", *["pressure"] * 3, *["temperature"] * 3]
        elsewhere, cut = dataset.notes
        assert "variable 'daylight' has dimensions (time) that are not among the observations (lat, lon)" in elsewhere
        assert "dimension 'time' (0 to 2)" in cut
        assert "pressure, temperature are shown at time=0; isel={'time': ...}" in cut
        assert dataset.embeddings == {"lon_lat": 2}


@pytest.mark.parametrize(
    "options", [{"isel": {"time": 1}}, {"isel": {"time": -2}, "observations": ("time", "lat", "lon")}]
)
def test_isel_cuts_the_grid(toy, values, options):
    with open_dataset(toy, **options) as dataset:
        assert dataset.n_obs == 20
        assert list(dataset.var_names) == ["elevation", "pressure", "temperature"]
        np.testing.assert_array_equal(dataset.values("temperature"), values["temperature"][1].ravel())
        np.testing.assert_array_equal(dataset.numbers("pressure"), values["pressure"][1].ravel())
        assert any("shown at time=1" in note for note in dataset.notes)
        assert dataset.details["isel"] == {"time": 1}


def test_isel_of_all_dimensions_leaves_one_observation(toy, values):
    with open_dataset(toy, isel={"time": 0, "lat": 1, "lon": 2}, observations=("lat",)) as dataset:
        assert dataset.n_obs == 1
        assert not dataset.embeddings


def test_many_slices_are_no_features_but_the_one_that_is_shown(tmp_path):
    cube = np.arange(3 * 150.0).reshape(3, 150)
    write_group(tmp_path / "cf", {})
    write_dense(tmp_path / "cf" / "T", {"x": 3, "level": 150}, {"T": cube}, group=tmp_path / "cf")
    with open_dataset(tmp_path / "cf", observations="x") as dataset:
        assert list(dataset.var_names) == ["T"]
        np.testing.assert_array_equal(dataset.values("T"), cube[:, 0])
    with open_dataset(tmp_path / "cf", observations="x", isel={"level": 149}) as dataset:
        np.testing.assert_array_equal(dataset.values("T"), cube[:, 149])


def test_dimensions_in_another_order_are_turned_round(tmp_path):
    cube = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    write_group(tmp_path / "cf", {})
    write_dense(tmp_path / "cf" / "a", {"x": 2, "y": 3, "z": 4}, {"a": cube}, group=tmp_path / "cf")
    write_dense(tmp_path / "cf" / "b", {"z": 4, "x": 2, "y": 3}, {"b": cube.transpose(2, 0, 1)}, group=tmp_path / "cf")
    with open_dataset(tmp_path / "cf", cache_bytes=0) as dataset:
        np.testing.assert_array_equal(dataset.numbers("b"), cube.ravel())
        np.testing.assert_array_equal(dataset.numbers_block("b", 5, 17), cube.ravel()[5:17])
        assert dataset.obs("b", [23, 1])["b"].tolist() == [23, 1]


def test_without_coordinates_positions_are_the_axes(tmp_path):
    write_group(tmp_path / "cf", {})
    write_dense(
        tmp_path / "cf" / "v", {"row": 3, "column": 4}, {"v": np.arange(12.0).reshape(3, 4)}, group=tmp_path / "cf"
    )
    with open_dataset(tmp_path / "cf") as dataset:
        assert list(dataset.obs_columns) == ["row", "column", "v"]
        row, column = np.indices((3, 4)).reshape(2, -1)
        np.testing.assert_array_equal(dataset.numbers("column"), column)
        np.testing.assert_array_equal(
            dataset.embedding("column_row"), np.column_stack([column, row]).astype(np.float32)
        )


def points(path, attributes=None, **columns):
    write_group(path, {})
    n = len(next(iter(columns.values())))
    write_dense(path / "points", {"point": n}, columns, attributes=attributes, group=path)
    return path


@pytest.mark.parametrize(
    ("names", "attributes", "first"),
    [
        ("x y value", {}, "x_y"),
        ("value northing easting", {}, "easting_northing"),
        ("a b value", {}, "a_b"),
        ("a b value", {"b": {"standard_name": "longitude"}, "value": {"units": "degree_N"}}, "b_value"),
        ("a b value", {"a": {"axis": "Y"}, "value": {"axis": "X"}}, "value_a"),
        ("value when depth", {"when": {"units": "days since 2000-01-01"}}, "when_value"),
        ("value", {}, "point_value"),
    ],
)
def test_points_are_drawn_by_what_their_coordinates_say(tmp_path, names, attributes, first):
    columns = {name: np.linspace(0, 1, 6) * (place + 1) for place, name in enumerate(names.split())}
    with open_dataset(points(tmp_path / "cf", attributes, **columns)) as dataset:
        assert dataset.default_embedding == first
        columns["point"] = np.arange(6)
        expected = np.column_stack([columns[name] for name in first.split("_")]).astype(np.float32)
        np.testing.assert_array_equal(dataset.embedding(), expected)


def test_longitude_and_latitude_may_lie_on_both_dimensions(tmp_path):
    lon, lat = np.meshgrid(np.linspace(0, 10, 4), np.linspace(50, 55, 3))
    write_group(tmp_path / "cf", {})
    write_dense(tmp_path / "cf" / "grid", {"y": 3, "x": 4}, {"lon": lon, "lat": lat + lon / 10, "v": lon * lat},
                attributes={"v": {"coordinates": "lon lat"}}, group=tmp_path / "cf")  # fmt: skip
    with open_dataset(tmp_path / "cf") as dataset:
        assert list(dataset.embeddings) == ["lon_lat", "x_y"]
        assert list(dataset.var_names) == ["v"]
        expected = np.column_stack([lon.ravel(), (lat + lon / 10).ravel()]).astype(np.float32)
        np.testing.assert_array_equal(dataset.embedding(), expected)


def test_times_that_float32_cannot_tell_apart_are_drawn_from_the_first(tmp_path):
    seconds = 1_700_000_000 + np.arange(50.0)
    said = {"time": {"units": "seconds since 1970-01-01"}}
    with open_dataset(points(tmp_path / "cf", said, time=seconds, v=np.zeros(50))) as dataset:
        np.testing.assert_array_equal(dataset.embedding("time_v")[:, 0], np.arange(50))
        np.testing.assert_array_equal(dataset.numbers("time"), seconds)
        assert any("difference from its first value, 1700000000.0" in note for note in dataset.notes)
        assert any("time is shown in its stored units, seconds since 1970-01-01" in note for note in dataset.notes)


def test_variables_elsewhere_are_left_out_with_a_note(tmp_path):
    cf = points(tmp_path / "cf", x=np.zeros(9), y=np.ones(9))
    write_dense(cf / "stations", {"station": 2}, {"height": np.zeros(2)}, group=cf)
    with open_dataset(cf) as dataset:
        assert "height" not in dataset.obs_columns
        assert any("variable 'height' has dimensions (station) that are not among" in note for note in dataset.notes)


def test_letters_are_joined_to_text(tmp_path):
    names = np.array([list("Oslo "), list("Rome\0"), list("Paris")], dtype="S1")
    write_group(tmp_path / "cf", {})
    write_dense(tmp_path / "cf" / "a", {"station": 3, "strlen": 5}, {"name": names}, group=tmp_path / "cf")
    write_dense(tmp_path / "cf" / "b", {"station": 3}, {"v": np.arange(3.0)}, group=tmp_path / "cf")
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.n_obs == 3
        assert dataset.obs("name")["name"].tolist() == ["Oslo ", "Rome", "Paris"]
        assert dataset.obs("name", [2, 0])["name"].tolist() == ["Paris", "Oslo "]


def test_cells_of_several_fragments_are_counted_and_read_in_one_order(tmp_path):
    rng = np.random.default_rng(3)
    write_group(tmp_path / "cf", {})
    table = pd.DataFrame({"x": rng.integers(0, 9, 40).astype(float), "y": rng.integers(0, 9, 40).astype(float)})
    table["v"] = np.arange(40.0)
    for duplicates in (False, True):
        path = tmp_path / "cf" / f"cells_{duplicates}"
        first, second = table[:20].drop_duplicates(["x", "y"]), table[20:].drop_duplicates(["x", "y"])
        columns = [{name: part[name].to_numpy() for name in part} for part in (first, second)]
        split = [({"x": one["x"], "y": one["y"]}, {"v": one["v"]}) for one in columns]
        write_sparse(path, *split[0], duplicates=duplicates)
        append_cells(path, *split[1])
        group = tmp_path / f"of_{duplicates}"
        path.parent.mkdir(exist_ok=True)
        write_group(group, {})
        path.rename(group / "cells")
        kept = pd.concat([first, second])
        kept = kept if duplicates else kept.drop_duplicates(["x", "y"], keep="last")
        with open_dataset(group, cache_bytes=0) as dataset:
            assert dataset.n_obs == len(kept)
            found = dataset.obs()
            assert sorted(map(tuple, found[["x", "y", "v"]].to_numpy())) == sorted(map(tuple, kept.to_numpy()))
            pd.testing.assert_frame_equal(dataset.obs(rows=[5, 1]), found.iloc[[5, 1]])


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"isel": {"tim": 0}}, UnknownName, "no dimension 'tim'.*Did you mean 'time'"),
        ({"observations": ("lat", "lonn")}, UnknownName, "no dimension 'lonn'.*Did you mean 'lon'"),
        ({"isel": {"time": 3}}, InvalidValue, r"isel\['time'\] is 3; it must be from 0 to 2"),
        ({"isel": {"time": -4}}, InvalidValue, "must be from 0 to 2"),
        ({"isel": {"time": 0.5}}, InvalidOption, "one position"),
        ({"isel": {"time": True}}, InvalidOption, "one position"),
        ({"isel": ["time"]}, InvalidOption, "must be a dict"),
        ({"observations": 3}, InvalidOption, "must name dimensions"),
        ({"observations": ()}, InvalidOption, "must name dimensions"),
        ({"observations": ("lat", "lat")}, InvalidValue, "twice"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_one_sentence(toy, options, error, sentence):
    with pytest.raises(error, match=sentence):
        open_dataset(toy, **options)


def test_positions_along_coordinates_of_cells_are_refused(tmp_path):
    make_cf(tmp_path / "cf", "sparse")
    with pytest.raises(InvalidValue, match="'lat' is a coordinate of a sparse array, so it has no positions to choose"):
        open_dataset(tmp_path / "cf", isel={"lat": 0})
    with pytest.raises(InvalidValue, match=r"no sparse array has the dimensions \(lon, time\); sparse arrays have"):
        open_dataset(tmp_path / "cf", observations=("lon", "time"))
    with open_dataset(tmp_path / "cf", observations=("lon", "lat")) as dataset:
        assert dataset.n_obs == 20


def test_more_than_200_million_observations_need_isel(tmp_path):
    write_group(tmp_path / "cf", {})
    cube = {"time": 3_000, "y": 300, "x": 300}
    corner = np.ones((1, 1, 1), dtype=np.float32)
    write_dense(tmp_path / "cf" / "T", {dim: (0, n - 1) for dim, n in cube.items()}, {"T": corner}, tile=1,
                data=False, group=tmp_path / "cf")  # fmt: skip
    with tiledb.open(str(tmp_path / "cf" / "T"), "w") as array:
        array[2_999:3_000, 299:300, 299:300] = corner
    with pytest.raises(InvalidValue, match=r"270,000,000 observations, more than 200,000,000; .*isel=.*observations="):
        open_dataset(tmp_path / "cf")
    with open_dataset(tmp_path / "cf", isel={"time": 2_999}) as dataset:
        assert dataset.n_obs == 90_000
