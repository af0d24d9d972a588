"""The color that a store offers: which it is, and that it can be read as pandas has it."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.datasets.make_cf import WRITERS, make_cf, write_dense, write_group
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.unit.test_encoding import decode

OF_GRID = ("temperature", "pressure")


@pytest.fixture(scope="module")
def run():
    pytest.importorskip("pyarrow", reason="mzPeak is an extra: pip install cxg-widget[mzpeak]")
    from tests.datasets.make_mzpeak import make_run

    return make_run()


@pytest.fixture(scope="module")
def path(run, tmp_path_factory):
    from tests.datasets.make_mzpeak import make_mzpeak

    return make_mzpeak(tmp_path_factory.mktemp("mz") / "a.mzpeak", run)


def colored(dataset):
    """Return the legend of the color on offer, and its codes in row order."""
    session = Session(dataset, Settings(embedding=dataset.default_embedding, color=dataset.default_color))
    legend, *chunks = session.streams.color()
    codes = np.empty(dataset.n_obs)
    codes[session.held.order.rows] = decode(chunks, dataset.n_obs)
    return legend.message, codes


def numbers(legend, codes):
    return np.where(codes == 65535, np.nan, legend.lo + codes / 65534 * (legend.hi - legend.lo))


def test_spectra_offer_their_ms_level(path, run):
    with open_dataset(path) as dataset:
        legend, codes = colored(dataset)
        assert (legend.spec, legend.categories) == ("obs:ms_level", ["1", "2"])
        np.testing.assert_array_equal(codes, run.meta["ms_level"].cat.codes)


def test_spectra_without_a_level_offer_their_total_ion_current(path, run, monkeypatch):
    from cxg_widget.datasets.mzpeak import spectra

    find = spectra.SpectrumTable._find_sources
    without = lambda table, *gone: {name: one for name, one in find(table).items() if name not in gone}  # noqa: E731
    monkeypatch.setattr(spectra.SpectrumTable, "_find_sources", lambda table: without(table, "ms_level"))
    with open_dataset(path) as dataset:
        legend, codes = colored(dataset)
        current = run.meta["total_ion_current"].to_numpy()
        assert legend.spec == "obs:total_ion_current"
        np.testing.assert_allclose(numbers(legend, codes), current, atol=np.ptp(current) / 65534)
    gone = ("ms_level", "total_ion_current")
    monkeypatch.setattr(spectra.SpectrumTable, "_find_sources", lambda table: without(table, *gone))
    with open_dataset(path) as dataset:
        assert dataset.default_color is None


def test_peaks_offer_the_logarithm_of_their_intensity(path, run):
    with open_dataset(path, observations="peaks") as dataset:
        legend, codes = colored(dataset)
        truth = np.log1p(run.peaks()["intensity"].to_numpy())
        assert legend.spec == "obs:log1p_intensity"
        np.testing.assert_allclose(numbers(legend, codes), truth, atol=np.ptp(truth) / 65534 + 1e-5)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_dataspace_offers_its_first_variable_along_all_dimensions_of_the_grid(tmp_path, writer):
    truth = make_cf(tmp_path / "toy", writer)
    first = next(name for name in truth.var_labels if name in OF_GRID)
    with open_dataset(tmp_path / "toy") as dataset:
        legend, codes = colored(dataset)
        assert legend.spec == f"var:{first}"
        expected = truth.X[:, truth.var_labels.index(first)].astype(float)
        span = np.nanmax(expected) - np.nanmin(expected)
        np.testing.assert_allclose(numbers(legend, codes), expected, atol=span / 65534 + 1e-4)


def test_a_dataspace_without_any_along_all_dimensions_offers_the_first_of_all_and_without_any_none(tmp_path):
    path = tmp_path / "edges"
    write_group(path, {})
    write_dense(path / "across", {"column": 5}, {"light": np.arange(5.0)}, group=path)
    write_dense(path / "down", {"row": 4}, {"heat": np.arange(4.0)}, group=path)
    with open_dataset(path, observations=("row", "column")) as dataset:
        assert dataset.default_color == f"var:{dataset.var_labels[0]}"
    path = tmp_path / "places"
    write_group(path, {})
    write_dense(path / "lat", {"lat": 4}, {"lat.data": np.arange(4.0)}, group=path)
    with open_dataset(path) as dataset:
        assert (dataset.n_var, dataset.default_color) == (0, None)


def test_cells_offer_no_color(tmp_path):
    with open_dataset(make_cxg(tmp_path / "a.cxg", make_truth())) as dataset:
        assert dataset.default_color is None


def test_offering_a_color_reads_no_data(tmp_path, monkeypatch):
    make_cf(tmp_path / "toy", "netcdf")
    from cxg_widget.datasets.tiledb_cf.dataset import CfDataset

    monkeypatch.setattr(CfDataset, "_block", lambda *_: pytest.fail("data were read"))
    with open_dataset(tmp_path / "toy") as dataset:
        assert dataset.default_color == "var:temperature"


def test_a_widget_shows_the_color_on_offer_and_none_if_none_is_asked_for(path):
    for options, color in (({}, "obs:ms_level"), ({"color": None}, None), ({"color": "polarity"}, "polarity")):
        w = CxgWidget(path, **options)
        try:
            assert w.color == color
            assert next(w._session.streams.color()).message.spec == {None: "", "polarity": "obs:polarity"}.get(
                color, color
            )
        finally:
            w.close()
