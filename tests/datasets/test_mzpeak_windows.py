"""Windows of m/z as vars: how they are written, found and suggested; and which member's points count."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.mzpeak.windows import Window, parse, suggest
from cxg_widget.errors import InvalidValue, UnknownName
from tests.datasets.make_mzpeak import CENTERS, make_mzpeak, make_run, point_table


@pytest.fixture(scope="module")
def run():
    return make_run()


@pytest.fixture(scope="module")
def dataset(run, tmp_path_factory):
    with open_dataset(make_mzpeak(tmp_path_factory.mktemp("mz") / "a.mzpeak", run, "delta")) as dataset:
        yield dataset


def xic(peaks, low, high, n):
    inside = peaks[(peaks["mz"] >= low) & (peaks["mz"] <= high)]
    return np.bincount(inside["row"], inside["intensity"], minlength=n).astype(np.float32)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("mz:445.12", 445.12 * (1 - 20e-6), 445.12 * (1 + 20e-6)),
        ("mz:445.12+-0.02", 445.10, 445.14),
        ("mz:445.12+/-0.02", 445.10, 445.14),
        ("mz: 445.12 ± 0.02 Th", 445.10, 445.14),
        ("MZ:445.12+-0.02Da", 445.10, 445.14),
        ("mz:445.12+-20ppm", 445.12 * (1 - 20e-6), 445.12 * (1 + 20e-6)),
        ("mz:445.12+-5 PPM", 445.12 * (1 - 5e-6), 445.12 * (1 + 5e-6)),
        ("mz:4.4512e2+-1", 444.12, 446.12),
    ],
)
def test_a_window_is_its_center_and_its_tolerance(text, low, high, dataset, run):
    found = parse(text)
    assert isinstance(found, Window)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)
    assert parse(found.label) == found
    np.testing.assert_allclose(dataset.values(text), xic(run.peaks(), low, high, dataset.n_obs), rtol=1e-6)


@pytest.mark.parametrize(
    "text",
    ["mz:", "mz:abc", "mz:445.12+-", "mz:445.12+-x", "mz:445.12+-0", "mz:445.12+--1", "mz:-3", "mz:0", "mz:nan",
     "mz:445.12+-inf", "mz:445.12-0.02", "mz:445.12+-5%", "mz:4_4", "mz:1+-2+-3"],
)  # fmt: skip
def test_a_malformed_window_is_told_how_one_is_written(text, dataset):
    with pytest.raises(UnknownName, match=r"is not an m/z window.*write mz:445\.12, mz:445\.12\+-0\.02 or"):
        dataset.values(text)
    assert "write mz:445.12" in dataset.explain_name(text)


def test_other_names_are_told_what_the_vars_are(dataset):
    with pytest.raises(UnknownName, match="no var name 'CD3E'; the vars of a run are m/z windows"):
        dataset.find_var("CD3E")
    assert dataset.explain_name("CD3E") is None
    assert dataset.explain_name("mz:445.12") is None


def test_a_window_asked_for_gets_a_position_behind_the_vars_and_keeps_it(dataset):
    position = dataset.find_var("mz:500+-0.25")
    assert position >= dataset.n_var == len(dataset.var_labels) == len(list(dataset.var_labels))
    assert dataset.find_var("mz:500.0 ± 0.25") == position != dataset.find_var("mz:500+-0.5")
    assert dataset.var_labels[position] == "mz:500+-0.25"
    assert dataset.var_aliases[position] == "m/z 500 ± 0.25 Th"
    assert dataset.find_var("mz:445.12+-20ppm") == dataset.find_var("mz:445.12") < dataset.n_var


def test_a_vector_of_few_spectra_is_sparse(dataset):
    vector = dataset.vector("mz:445.12+-0.02")
    assert vector.rows is not None
    assert (vector.values != 0).all()


def test_windows_are_suggested_around_the_most_intense_base_peaks(dataset):
    assert list(dataset.var_labels) == [f"mz:{center:.10g}" for center in CENTERS]
    var = dataset.var()
    np.testing.assert_allclose(var["mz"], CENTERS)
    np.testing.assert_allclose(var["mz_high"] - var["mz_low"], np.array(CENTERS) * 40e-6, rtol=1e-6)


def test_suggested_windows_do_not_overlap_and_are_few():
    rng = np.random.default_rng(0)
    mz, intensity = rng.uniform(400, 410, 5000), rng.uniform(size=5000)
    mz[:3] = np.nan, np.inf, -1
    found = suggest(mz, intensity)
    assert len(found) == 100
    ordered = sorted(found, key=lambda one: one.low)
    assert all(a.high < b.low for a, b in pairwise(ordered))
    assert found[0].center == pytest.approx(mz[3 + np.argmax(intensity[3:])], abs=1e-4)
    assert suggest(np.full(3, np.nan), np.ones(3)) == []


def test_a_query_means_the_window_it_writes(dataset):
    assert dataset.derived_vars("445.12") == [("mz:445.12", "m/z 445.12 ± 20 ppm")]
    assert dataset.derived_vars(" mz:445.12+-0.02") == [("mz:445.12+-0.02", "m/z 445.12 ± 0.02 Th")]
    assert list(dataset.derived_vars("ms_level")) == list(dataset.derived_vars("mz:44x")) == []


def test_of_a_spectrum_in_both_members_the_data_count_and_centroids_fill_the_rest(tmp_path, run):
    n = len(run.meta)
    data = point_table(run, [row for row in range(n) if row % 2])
    doubled = make_run(seed=5)
    path = make_mzpeak(tmp_path / "a.mzpeak", run, data=data, peaks=point_table(doubled), rows_per_group=50)
    profile, centroid = run.peaks(), doubled.peaks()
    have_data = np.isin(np.arange(n), [row for row in range(1, n, 2) if run.spectra[row]])
    both = {"data": profile[profile["row"] % 2 == 1], "peaks": centroid}
    expected = {name: xic(peaks, 445, 446, n) for name, peaks in both.items()}
    with open_dataset(path) as dataset:
        merged = np.where(have_data, expected["data"], expected["peaks"])
        np.testing.assert_allclose(dataset.values("mz:445.5+-0.5"), merged, rtol=1e-6)
    with open_dataset(path, observations="peaks") as dataset:
        rest = centroid[~have_data[centroid["row"]]]
        np.testing.assert_array_equal(dataset.numbers("mz"), [*both["data"]["mz"], *rest["mz"]])
    for choice, values in expected.items():
        with open_dataset(path, signal=choice) as dataset:
            np.testing.assert_allclose(dataset.values("mz:445.5+-0.5"), values, rtol=1e-6)


def test_options_that_mean_nothing_are_refused(tmp_path, run):
    path = make_mzpeak(tmp_path / "a.mzpeak", run)
    with pytest.raises(InvalidValue, match="observations is 'cells'; it must be 'spectra' or 'peaks'"):
        open_dataset(path, observations="cells")
    with pytest.raises(InvalidValue, match="signal is 'both'"):
        open_dataset(path, signal="both")


def test_of_many_base_peaks_the_most_intense_are_looked_at_the_first_of_equal_ones_first(monkeypatch):
    rng = np.random.default_rng(0)
    mz, intensity = rng.uniform(100, 1000, 500), rng.integers(0, 40, 500).astype(np.float64)
    intensity[::50] = np.nan
    monkeypatch.setattr("cxg_widget.datasets.mzpeak.windows._N_LOOKED_AT", 30)
    ranked = sorted(range(500), key=lambda at: (-np.nan_to_num(intensity[at]), at))[:30]
    assert [window.center for window in suggest(mz, intensity)] == [round(mz[at], 4) for at in ranked]
