"""Genes of two sets by sums of donors, against scanpy's sums, SciPy and NumPy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError, UnknownName
from tests.memory import MemoryDataset
from tools.scanpy_sums import donors

FOLDER = Path(__file__).parents[1] / "golden" / "compare"
HELD = np.load(FOLDER / "matrix.npz")
COUNTS, LOGS, GROUPS = HELD["counts"].astype(np.float32), HELD["log1p"].astype(np.float32), HELD["groups"]
N_OBS, N_VAR = COUNTS.shape
A, B, C = (np.flatnonzero(HELD["groups"] == group) for group in range(3))
COLUMNS = ["mean_a", "mean_b", "n_a", "n_b", "share_a", "share_b", "log2fc", "statistic", "p", "p_adj", "auc"]
LOW = {"min_cells": 1, "min_donors": 2}


class ByRows(MemoryDataset):
    major_axis = "obs"

    def _read_matrix_block(self, start, stop, layer):
        self._touch(f"rows {start}:{stop}")
        return MatrixBlock.of_dense(self._x[start:stop])


class ByDenseRows(ByRows):
    def _read_matrix_block(self, start, stop, layer):
        return DenseBlock(self._x[start:stop])


class Layered(MemoryDataset):
    """Log values in X, counts in a layer, and one that cannot be read."""

    layers = ("broken", "counts", "logs")

    def _read_vector(self, position, layer):
        self._touch(f"layer {layer}")
        values = {"counts": COUNTS}.get(layer, LOGS)
        return type(super()._read_vector(position, layer))(values[:, position].copy())


@pytest.fixture
def widgets():
    made = []

    def make(x=COUNTS, kind=MemoryDataset, donor=None, **options):
        # Whose cells they are; with groups of three, no donor of one is in another.
        own = donors() if donor is None else donor
        obs = {"donor": own, "own": GROUPS * 3 + np.arange(N_OBS) % 3, "depth": np.linspace(0, 1, N_OBS), **options}
        made.append(CxgWidget(kind(obs, x, [f"gene {at}" for at in range(N_VAR)], {"umap": np.zeros((N_OBS, 2))})))
        return made[-1]

    yield make
    for widget in made:
        widget.close()


def sums_by_pandas(column, rows):
    return pd.DataFrame(COUNTS[rows].astype(np.float64)).groupby(column[rows]).sum()


def log_cpm(sums):
    """edgeR's cpm(y, log=TRUE, prior.count=2), after its manual; samples are rows."""
    totals = sums.sum(axis=1)
    prior = 2 * totals / totals.mean()
    return np.log2((sums + prior[:, None]) / (totals + 2 * prior)[:, None] * 1e6)


@pytest.mark.parametrize("kind", [MemoryDataset, ByRows, ByDenseRows])
def test_sums_of_donors_are_those_of_scanpy(widgets, kind):
    x = COUNTS.copy()
    x[(x == 0) & (np.arange(N_OBS) % 7 == 0)[:, None]] = np.nan  # not measured: adds nothing
    found = widgets(x, kind).compare(B, C, method="pseudobulk", by="donor", **LOW)
    told = pd.read_csv(FOLDER / "sums.csv")
    told = told[told["group"].isin([1, 2])]
    assert found.donors["side"].map({"a": 1, "b": 2}).tolist() == told["group"].tolist()
    assert found.donors["donor"].tolist() == told["donor"].tolist()
    pd.testing.assert_frame_equal(found.sums, told[found.sums.columns].reset_index(drop=True), check_names=False)
    assert found.donors["total"].tolist() == found.sums.sum(axis=1).tolist()
    n_cells = [
        np.count_nonzero((group == GROUPS) & (donors() == donor)) for group, donor in told.iloc[:, :2].to_numpy()
    ]
    assert found.donors["n_cells"].tolist() == n_cells


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # genes that no donor of one side has
@pytest.mark.parametrize("by", ["donor", "own"])
def test_donors_on_both_sides_are_tested_in_pairs_and_others_by_welch_on_log_counts_per_million(widgets, by):
    widget = widgets()
    found = widget.compare(A, B, method="pseudobulk", by=by)
    column = widget.dataset.obs(by)[by].to_numpy()
    a, b = sums_by_pandas(column, A), sums_by_pandas(column, B)
    if by == "donor":
        enough = [d for d in a.index if (column[A] == d).sum() >= 10 and (column[B] == d).sum() >= 10]
        assert 3 <= len(enough) < 7
        a, b = a.loc[enough], b.loc[enough]
    values = log_cpm(np.concatenate([a, b]))
    a_values, b_values = values[: len(a)], values[len(a) :]
    has_counts = np.concatenate([a, b]).any(axis=0)
    assert np.count_nonzero(~has_counts) > 0
    a_values, b_values = a_values[:, has_counts], b_values[:, has_counts]
    with np.errstate(all="ignore"):
        if by == "donor":
            told = stats.ttest_rel(a_values, b_values)
        else:
            told = stats.ttest_ind(a_values, b_values, equal_var=False)
    frame = found.frame()
    assert list(frame.columns) == COLUMNS
    assert frame.index[0] == frame["statistic"].idxmax()
    frame = frame.loc[found.sums.columns]
    assert frame.loc[~has_counts, ["statistic", "p", "p_adj"]].isna().all(axis=None)
    assert (frame.loc[~has_counts, "log2fc"] == 0).all()  # equal means differ by nothing
    tested = frame[has_counts]
    np.testing.assert_allclose(tested["statistic"], told.statistic, rtol=1e-9)
    np.testing.assert_allclose(tested["p"], told.pvalue, rtol=1e-9)
    np.testing.assert_allclose(tested["mean_a"], a_values.mean(axis=0))
    np.testing.assert_allclose(tested["log2fc"], a_values.mean(axis=0) - b_values.mean(axis=0), rtol=1e-9)
    all_p = np.where(has_counts, frame["p"], 1.0)
    np.testing.assert_allclose(tested["p_adj"], stats.false_discovery_control(all_p)[has_counts])
    assert set(frame["n_a"]) == {len(a)}
    np.testing.assert_allclose(frame["share_b"], (b.to_numpy() > 0).mean(axis=0))
    np.testing.assert_allclose(found.log10_p.loc[tested.index], np.log10(tested["p"]))
    assert ("Paired" in " ".join(found.notes)) == (by == "donor")


def test_totals_are_of_all_genes_also_where_few_are_asked_for(widgets):
    widget = widgets()
    whole = widget.compare(A, B, method="pseudobulk", by="own")
    few = widget.compare(A, B, method="pseudobulk", by="own", genes=["gene 9", "gene 4"])
    assert list(few.sums) == ["gene 4", "gene 9"]
    assert few.donors.equals(whole.donors)
    columns = [name for name in COLUMNS if name != "p_adj"]
    pd.testing.assert_frame_equal(few.frame()[columns], whole.frame().loc[few.frame().index, columns])


def test_donors_that_are_left_out_are_told_with_their_numbers(widgets):
    donor = donors().astype(np.int16)
    donor[A[donor[A] == 5]] = 9  # on one side only
    donor[B[donor[B] == 6][4:]] = -1
    codes = Codes(donor, tuple(f"d{at}" for at in range(10)))
    found = widgets(donor=codes).compare(A, B, method="pseudobulk", by="donor", min_cells=5)
    notes = " ".join(found.notes)
    of = {side: np.bincount(donor[rows][donor[rows] >= 0], minlength=10) for side, rows in (("a", A), ("b", B))}
    both = (of["a"] >= 5) & (of["b"] >= 5)
    assert f"Paired: {both.sum()} donors on both sides." in notes
    alone = [int(((of[side] >= 5) & ~both).sum()) for side in "ab"]
    assert min(alone) > 0
    assert f"one side only: {alone[0]} donor of a and {alone[1]} donor" in notes
    few = (of["b"] > 0) & (of["b"] < 5)
    assert re.search(rf"fewer than 5 cells \(min_cells=\): .*{few.sum()} donor of b \({of['b'][few].sum()} cell", notes)
    n_missing = np.count_nonzero(donor[np.concatenate([A, B])] < 0)
    assert f"Excluded, no 'donor': {n_missing} cell" in notes
    assert found.donors["donor"].tolist() == [f"d{at}" for at in np.flatnonzero(both)] * 2
    loose = widgets(donor=codes).compare(A, B, method="pseudobulk", by="donor", min_cells=5, min_donors=6)
    assert f"Not paired: {both.sum()} donors" in " ".join(loose.notes)
    assert set(loose.donors["donor"]) >= {"d9"}


def test_a_side_with_too_few_donors_is_refused_with_its_numbers(widgets):
    with pytest.raises(
        SelectionError, match=r"needs 4 donors .* 10 cells or more .*; only 3 of 3 donors of a and 3 of 3 donors of b"
    ):
        widgets().compare(A, B, method="pseudobulk", by="own", min_donors=4)


def test_values_that_are_no_counts_are_refused_naming_layers_that_hold_counts(widgets):
    with pytest.raises(InvalidValue, match=r"X holds log1p values .*; no layer of memory holds counts\.$"):
        widgets(LOGS).compare(A, B, method="pseudobulk", by="own")
    layered = widgets(LOGS, Layered)
    layered.dataset._broken = {"layer broken"}
    with pytest.raises(InvalidValue, match=r"X holds log1p .*; layer='counts' holds counts\.$"):
        layered.compare(A, B, method="pseudobulk", by="own")
    assert layered.compare(A, B, method="pseudobulk", by="own", layer="counts").sums.to_numpy().sum() > 0


@pytest.mark.parametrize("kind", [MemoryDataset, ByRows])
def test_one_fraction_that_a_sample_misses_is_found_while_summing(widgets, kind):
    x = COUNTS.copy()
    x[B[50], 4] = 0.5
    with pytest.raises(InvalidValue, match="X holds 1 values that are no counts"):
        widgets(x, kind).compare(A, B, method="pseudobulk", by="own")


def test_a_donor_without_any_count_is_refused_by_name(widgets):
    x = COUNTS.copy()
    x[(GROUPS == 1) & (np.arange(N_OBS) % 3 == 2)] = 0
    with pytest.raises(InvalidValue, match="1 donor without any count in X, such as 5 on side b"):
        widgets(x).compare(A, B, method="pseudobulk", by="own")


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (InvalidOption, "method='pseudobulk' needs by=", {}),
        (UnknownName, "no obs column 'doner'", {"by": "doner"}),
        (InvalidValue, "depth", {"by": "depth"}),
        (InvalidOption, "normalize='log1p_10k' does not go with", {"by": "own", "normalize": "log1p_10k"}),
        (InvalidOption, "fold='pseudocount' does not go with", {"by": "own", "fold": "pseudocount"}),
        (InvalidValue, "min_cells takes a whole number from 1 on; found 0", {"by": "own", "min_cells": 0}),
        (InvalidValue, "min_donors takes a whole number from 2 on; found True", {"by": "own", "min_donors": True}),
        (InvalidOption, "whose samples are cells", {"by": "own", "method": "explorer"}),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_read(widgets, error, message, options):
    widget = widgets()
    before = len([one for one in widget.dataset.reads if one.startswith("X/")])
    with pytest.raises(error, match=re.escape(message)):
        widget.compare(A, B, **{"method": "pseudobulk", **options})
    assert len([one for one in widget.dataset.reads if one.startswith("X/")]) == before


def test_donors_that_differ_make_no_difference_of_sides_but_for_who_counts_cells():
    rng = np.random.default_rng(11)
    donor = np.repeat(np.arange(12), 60)
    mean = rng.gamma(0.6, 2.0, 400) * rng.lognormal(0, 0.3, (12, 400))
    x = rng.poisson(mean[donor]).astype(np.float32)
    obs = {"donor": donor, "side": donor // 6}
    widget = CxgWidget(MemoryDataset(obs, x, [f"gene {at}" for at in range(400)], {"umap": np.zeros((len(x), 2))}))
    by_cells = widget.compare({"side": 1}, normalize="log1p_10k").frame()
    by_donors = widget.compare({"side": 1}, method="pseudobulk", by="donor").frame()
    widget.close()
    assert (by_cells["p_adj"] < 0.05).mean() > 0.15
    assert (by_donors["p"] < 0.05).mean() < 0.08
    assert not (by_donors["p_adj"] < 0.05).any()
