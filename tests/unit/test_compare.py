"""Genes of two sets of cells, against SciPy and NumPy on the same values."""

from __future__ import annotations

import re
from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.compare import ranks
from cxg_widget.compare.compared_groups import Grouped
from cxg_widget.compare.gene_tests import rank_sum, welch
from cxg_widget.compare.loops import rank_loops, sum_loops
from cxg_widget.compare.markers import compare_groups
from cxg_widget.compare.matrix_statistics import MatrixStats, gather, kind_of
from cxg_widget.compare.moments import Summary
from cxg_widget.compare.question import Question, compare
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import (
    Cancelled,
    ClosedDataset,
    CxgWidgetError,
    InvalidOption,
    InvalidValue,
    SelectionError,
    TargetNotWritten,
    UnknownName,
)
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import MemoryDataset

N_OBS, N_VAR = 300, 42
COLUMNS = ["mean_a", "mean_b", "n_a", "n_b", "share_a", "share_b", "log2fc", "statistic", "p", "p_adj", "auc"]


class ByRows(MemoryDataset):
    """A store that keeps cells together."""

    major_axis = "obs"

    def _read_matrix_block(self, start, stop, layer):
        self._touch(f"rows {start}:{stop}")
        return MatrixBlock.of_dense(self._x[start:stop])


class InParts(ByRows):
    """Says of each block which genes none of its cells were measured by, as an atlas does; in some genes descend."""

    def rows_of(self, rows=None, layer=None, **_):
        yield from super().rows_of(np.arange(0), layer)
        for at, some in enumerate(np.array_split(np.arange(N_OBS) if rows is None else rows, 5)):
            unknown = np.isnan(self._x[some]).all(axis=0)
            block = MatrixBlock.of_dense(np.where(unknown, np.float32(0), self._x[some]))
            if at % 2:
                turned = MatrixBlock.of_dense(np.where(unknown, np.float32(0), self._x[some])[:, ::-1])
                block = replace(turned, positions=self._x.shape[1] - 1 - turned.positions)
            yield replace(block, fill=np.where(unknown, np.nan, 0).astype(np.float32)) if unknown.any() else block


def codes(k=3):
    return np.random.default_rng(7).integers(0, k, N_OBS).astype(np.int8)


def log_values(n_var=N_VAR, *, missing=True):
    """Return log1p values with many ties and zeros, some of which were not measured."""
    rng = np.random.default_rng(3)
    mean = (0.2 + rng.gamma(0.6, 2.0, n_var)) * np.array([1.0, 1.6, 0.7])[codes(), None]
    x = np.log1p(rng.poisson(mean) / 2).astype(np.float32)
    if missing and n_var > 5:
        x[rng.random((N_OBS, n_var)) < 0.01] = np.nan
        x[:, 5] = 0
        x[: N_OBS // 4, [2, 7]] = np.nan
    return x


def dataset_of(x, kind=MemoryDataset, labels=None, **options):
    obs = {"type": Codes(codes(), ("A", "B", "C")), "donor_id": np.arange(N_OBS) % 4, **options}
    return kind(
        obs, x, labels or [f"gene {at}" for at in range(x.shape[1])], {"umap": np.zeros((N_OBS, 2), np.float32)}
    )


@pytest.fixture
def widgets():
    made = []

    def make(x=None, kind=MemoryDataset, **options):
        made.append(CxgWidget(dataset_of(log_values() if x is None else x, kind, **options)))
        return made[-1]

    yield make
    for widget in made:
        widget.close()


def in_var_order(found, n_var=N_VAR):
    return found.frame().loc[[f"gene {at}" for at in range(n_var)]]


BOTH_AXES = pytest.mark.parametrize(
    "kind", [MemoryDataset, ByRows, InParts], ids=["by columns", "by rows", "by rows of parts"]
)


@BOTH_AXES
def test_welch_is_that_of_scipy_gene_by_gene_without_what_was_not_measured(widgets, kind):
    x = log_values().astype(np.float64)
    a, b = x[codes() == 0], x[codes() != 0]
    told = stats.ttest_ind(a, b, equal_var=False, nan_policy="omit")
    frame = in_var_order(widgets(kind=kind).compare({"type": "A"}))
    assert list(frame.columns) == COLUMNS
    tested = frame.index != "gene 5"
    np.testing.assert_allclose(frame["statistic"][tested], np.ma.getdata(told.statistic)[tested], rtol=1e-9)
    np.testing.assert_allclose(frame["p"][tested], np.ma.getdata(told.pvalue)[tested], rtol=1e-6)
    np.testing.assert_allclose(frame["mean_a"], np.nanmean(a, axis=0), rtol=1e-12)
    np.testing.assert_allclose(frame["mean_b"], np.nanmean(b, axis=0), rtol=1e-12)
    for side, values in (("a", a), ("b", b)):
        n = np.count_nonzero(~np.isnan(values), axis=0)
        assert frame[f"n_{side}"].tolist() == n.tolist()
        np.testing.assert_allclose(frame[f"share_{side}"], np.count_nonzero(values > 0, axis=0) / n)
    small = np.nanmean(a, axis=0), np.nanmean(b, axis=0)
    np.testing.assert_allclose(frame["log2fc"], np.log2((np.expm1(small[0]) + 1e-9) / (np.expm1(small[1]) + 1e-9)))
    p_adj = stats.false_discovery_control(np.where(tested, frame["p"], 1.0))
    np.testing.assert_allclose(frame["p_adj"][tested], p_adj[tested])
    assert frame.loc["gene 5", ["statistic", "p", "p_adj"]].isna().all()
    assert frame["auc"].isna().all()


@BOTH_AXES
def test_wilcoxon_is_that_of_scipy_with_ties_and_without_continuity(widgets, kind, monkeypatch):
    monkeypatch.setattr(ranks, "BAND_BYTES", 8 * 700)  # by rows: several genes at a time, not all
    x = log_values()
    x[:, 3] -= 0.7  # below zero too
    a, b = x[codes() == 0].astype(np.float64), x[codes() == 1].astype(np.float64)
    told = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False, nan_policy="omit")
    found = widgets(x, kind).compare({"type": "A"}, {"type": "B"}, method="wilcoxon")
    frame = in_var_order(found)
    tested = frame.index != "gene 5"
    u = found.u.loc[frame.index]
    np.testing.assert_allclose(u, told.statistic, rtol=1e-9)
    np.testing.assert_allclose(frame["p"][tested], told.pvalue[tested], rtol=1e-9)
    np.testing.assert_allclose(frame["auc"], told.statistic / (frame["n_a"] * frame["n_b"]), rtol=1e-9)
    signs = np.sign(frame["statistic"][tested])
    np.testing.assert_allclose(stats.norm.isf(told.pvalue[tested] / 2) * signs, frame["statistic"][tested], rtol=1e-9)
    assert frame.loc["gene 5", "statistic":"p"].isna().all()
    assert frame.loc["gene 5", "auc"] == 0.5


@BOTH_AXES
def test_counts_far_from_zero_keep_all_digits(widgets, kind):
    rng = np.random.default_rng(1)
    x = (1e6 + rng.integers(0, 8, (N_OBS, 3))).astype(np.float32)
    x[:, 2] = rng.integers(0, 2_000_000, N_OBS)
    told = stats.ttest_ind(*(x[codes() == one].astype(np.float64) for one in (0, 1)), equal_var=False)
    frame = in_var_order(widgets(x, kind).compare({"type": "A"}, {"type": "B"}), 3)
    np.testing.assert_allclose(frame["statistic"], told.statistic, rtol=1e-9)
    np.testing.assert_allclose(frame["p"], told.pvalue, rtol=1e-6)


@pytest.mark.parametrize(
    ("n", "t", "log10_p"),
    # by mpmath with 50 digits, of the incomplete beta function
    [(26, 40.0, -38.90614340517354), (501, 60.0, -332.92397700088105), (50_001, 200.0, -7308.727821770444)],
)
def test_the_logarithm_of_p_goes_on_where_p_is_zero(n, t, log10_p):
    nothing = np.zeros(1)
    squares = np.array([(n - 1) * n / 2.0])  # the variance of each mean is 1/2
    a, b = (Summary(np.array([float(n)]), np.array([mean]), squares, nothing, nothing) for mean in (t, 0.0))
    found = welch(a, b)
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.log10_p == pytest.approx(log10_p, rel=1e-12)
    assert (found.p == 0) == (log10_p < -324)


@BOTH_AXES
@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_normalized_counts_are_log1p_of_ten_thousand_of_all_genes(widgets, kind, method):
    counts = np.random.default_rng(5).poisson(0.8, (N_OBS, N_VAR)).astype(np.float32)
    counts[11] = 0
    total = counts.astype(np.float64).sum(axis=1, keepdims=True)
    x = np.log1p(1e4 * counts / np.where(total, total, 1))
    x = x.astype(np.float32).astype(np.float64) if method == "wilcoxon" else x
    a, b = x[codes() == 0], x[codes() != 0]
    test = (
        stats.ttest_ind(a, b, equal_var=False)
        if method == "t-test"
        else stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False)
    )
    widget = widgets(counts, kind)
    frame = in_var_order(widget.compare({"type": "A"}, method=method, normalize="log1p_10k"))
    np.testing.assert_allclose(frame["p"], test.pvalue, rtol=1e-6)
    some = widget.compare({"type": "A"}, method=method, normalize="log1p_10k", genes=["gene 9", "gene 2"]).frame()
    assert set(some.index) == {"gene 2", "gene 9"}
    np.testing.assert_allclose(some["mean_a"], frame["mean_a"].loc[some.index], rtol=1e-12)
    np.testing.assert_allclose(some["p"], frame["p"].loc[some.index], rtol=1e-12)


@BOTH_AXES
@pytest.mark.parametrize("wrong", [-3.0, np.inf])
def test_one_value_that_is_no_count_and_that_a_sample_misses_is_not_normalized(widgets, kind, wrong):
    counts = np.random.default_rng(5).poisson(0.8, (N_OBS, N_VAR)).astype(np.float32)
    row, gene = (
        np.setdiff1d(np.arange(n), np.linspace(0, n - 1, k).astype(int))[5] for n, k in ((N_OBS, 64), (N_VAR, 32))
    )
    counts[row, gene] = wrong
    widget = widgets(counts, kind)
    with pytest.raises(InvalidValue, match="takes counts, and X holds a value below 0 or infinite"):
        widget.compare({"type": ["A", "B"]}, normalize="log1p_10k")


@pytest.mark.parametrize("n", [2, 3, 339_580, 355_532, 10_000_019])
def test_genes_of_one_value_have_no_z_however_many_cells_there_are(n):
    all_tied, one_apart = np.array([n**3 - n, (n - 1) ** 3 - (n - 1)], dtype=np.float64)[:, None]
    n_a = np.array([float(max(n // 3, 1))])
    for ties, is_tested in ((all_tied, False), (one_apart, True)):
        found = rank_sum(n_a * (n + 1) / 2, ties, n_a, n - n_a)
        assert np.isfinite(found.tested.statistic[0]) == np.isfinite(found.tested.p[0]) == is_tested
    assert np.isnan(rank_sum(np.zeros(1), np.zeros(1), np.zeros(1), np.array([float(n)])).u[0])


@BOTH_AXES
def test_any_number_of_groups_takes_one_look(kind):
    x = log_values()
    dataset = dataset_of(x, kind)
    groups = np.where(np.arange(N_OBS) % 9, codes(), -1).astype(np.int32)
    found = gather(Grouped.of(dataset, groups, 3, ranked=True), linear=True)
    inside = x[groups >= 0].astype(np.float64)
    for group in range(3):
        own, summary = x[groups == group].astype(np.float64), found.groups[group]
        np.testing.assert_allclose(summary.mean, np.nanmean(own, axis=0))
        np.testing.assert_allclose(summary.variance, np.nanvar(own, axis=0, ddof=1), atol=1e-15)
        np.testing.assert_allclose(summary.linear_mean, np.nanmean(np.expm1(own), axis=0))
        ranked = stats.rankdata(inside, axis=0, nan_policy="omit")[groups[groups >= 0] == group]
        np.testing.assert_allclose(found.rank_sums[group], np.nansum(ranked, axis=0), rtol=1e-12)
    rest = found.groups[1].with_(found.groups[2])
    others = x[groups > 0].astype(np.float64)
    np.testing.assert_allclose(rest.mean, np.nanmean(others, axis=0))
    np.testing.assert_allclose(rest.variance, np.nanvar(others, axis=0, ddof=1), atol=1e-15)


@pytest.mark.parametrize("layout", ["columns", "sparse", "dense"])
@pytest.mark.parametrize("shifted", [False, True])
def test_each_layout_of_a_cxg_gives_the_values_that_it_holds(tmp_path, layout, shifted):
    truth = make_truth()
    shift = np.linspace(-1, 2, truth.X.shape[1]).astype(np.float32) if shifted else None
    path = make_cxg(tmp_path / "small.cxg", truth, layout, shift=shift)
    a = np.arange(len(truth.X)) % 3 == 0
    told = stats.ttest_ind(*(truth.X[rows].astype(np.float64) for rows in (a, ~a)), equal_var=False, nan_policy="omit")
    ranked = [truth.X[rows].astype(np.float64) for rows in (a, ~a)]
    u = stats.mannwhitneyu(*ranked, method="asymptotic", use_continuity=False, nan_policy="omit")
    with CxgWidget(open_dataset(path)).dataset as dataset:
        widget = CxgWidget(dataset)
        found = widget.compare(a).frame().loc[truth.var_labels]
        tested = truth.X.any(axis=0) if not shifted else found["statistic"].notna().to_numpy()
        assert tested.sum() == 8
        np.testing.assert_allclose(found["statistic"][tested], np.ma.getdata(told.statistic)[tested], rtol=1e-5)
        z = widget.compare(a, method="wilcoxon").frame().loc[truth.var_labels]
        np.testing.assert_allclose(z["p"][tested], u.pvalue[tested], rtol=1e-6)
        of_some = Grouped.of(dataset, np.where(np.arange(len(a)) < 9, 0, -1).astype(np.int32), 1)
        of_all = Grouped.of(dataset, np.zeros(len(a), dtype=np.int32), 1, ranked=True)
        has_genes_apart = layout == "columns" and not shifted
        assert (of_some.by_rows, of_all.by_rows) == (True, not has_genes_apart)
        widget.close()


@pytest.mark.parametrize("n_var", [1, 2, 42])
def test_few_genes_are_compared_as_many(widgets, n_var):
    found = widgets(log_values(n_var, missing=False)).compare({"type": "A"})
    assert len(found.frame()) == len(found) == n_var
    assert found.frame()["p"].notna().all()


def test_the_highest_statistic_comes_first_and_names_stay_that_stand_twice(widgets):
    labels = ["same", "same", *(f"gene {at}" for at in range(2, N_VAR))]
    frame = widgets(labels=labels).compare({"type": "A"}).frame()
    assert sorted(frame.index) == sorted(labels)
    assert frame["statistic"].dropna().is_monotonic_decreasing
    assert np.isnan(frame["statistic"].iloc[-1])


def test_all_ways_to_name_cells_mean_the_same(widgets):
    widget, mask = widgets(), codes() == 0
    wanted = widget.compare(mask).frame()
    widget.sets.add("first", mask)
    widget.select(mask)
    name = "A"
    for what in (
        None, "selection", "first", widget.sets["first"], widget.selection, {"type": "A"}, np.flatnonzero(mask),
        "type == @name", {"obs": "type", "in": ["A"]}, [f"cell {row}" for row in np.flatnonzero(mask)],
    ):  # fmt: skip
        pd.testing.assert_frame_equal(widget.compare(what).frame(), wanted)
        pd.testing.assert_frame_equal(widget.compare(what, ~mask).frame(), wanted)
    assert name == "A"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 3, 1], "counts"), ([0, 0.5, 3.2], "log1p"), ([0.5, 300.2], "linear"), ([-0.1, 2.5], "scaled"),
        ([np.nan, 0], "zeros"), ([], "zeros"), ([2, np.nan, np.inf], "counts"),
    ],
)  # fmt: skip
def test_values_are_told_apart_by_sign_wholeness_and_size(values, kind):
    assert kind_of(np.array(values, dtype=np.float32))[0] == kind


def test_what_values_are_is_told_and_what_it_means_for_the_fold_change(widgets):
    x = log_values(missing=False)
    scaled = widgets(x - x.mean(axis=0)).compare({"type": "A"})
    assert scaled.frame()["log2fc"].isna().all()
    assert any("scaled values have no fold change" in note for note in scaled.notes)
    counts = widgets(np.rint(np.expm1(x))).compare({"type": "A"})
    assert any("whole numbers" in note for note in counts.notes)
    assert any("it is not a fold change" in note for note in counts.notes)
    logs = widgets(x).compare({"type": "A"})
    assert any("log1p values" in note for note in logs.notes)
    assert not any("no fold change" in note for note in logs.notes)
    for found in (scaled, counts, logs):
        assert any("not independent (obs column 'donor_id'" in note for note in found.notes)
        assert found.frame().attrs["notes"] == list(found.notes)
        assert repr(found).startswith("<type A (")


def test_a_fold_change_with_a_pseudocount_is_of_means_of_expm1(widgets):
    x = log_values(missing=False).astype(np.float64)
    a, b = (np.expm1(x[rows]).mean(axis=0) for rows in (codes() == 0, codes() != 0))
    found = in_var_order(widgets(x).compare({"type": "A"}, fold="pseudocount"))
    np.testing.assert_allclose(found["log2fc"], np.log2((a + 1) / (b + 1)), rtol=1e-6)


def test_p_can_be_adjusted_by_bonferroni(widgets):
    found = widgets(log_values(missing=False)).compare({"type": "A"})
    frame = found.frame(adjust="bonferroni")
    np.testing.assert_allclose(frame["p_adj"], np.minimum(frame["p"] * N_VAR, 1))
    with pytest.raises(InvalidValue, match="'benjamini-hochberg', 'bonferroni'"):
        found.frame(adjust="holm")


def test_sets_that_do_not_vary_give_what_scipy_gives(widgets):
    x = np.zeros((N_OBS, 2), dtype=np.float32)
    x[codes() == 0, 0] = 1.5
    found = widgets(x).compare({"type": "A"})
    frame = in_var_order(found, 2)
    assert frame["statistic"].tolist()[0] == np.inf
    assert frame["p"].tolist()[0] == 0
    assert np.isnan(frame["statistic"].iloc[1])
    assert any("t is infinite" in note for note in found.notes)


@pytest.mark.parametrize(
    ("error", "sentence", "sets", "options"),
    [
        (SelectionError, "the selection holds 0 cells; Welch's t-test needs 2 or more in each set.", (None,), {}),
        (SelectionError, "a holds 1 cell; Welch's t-test needs 2 or more in each set; method='wilcoxon' takes one.",
         ([4],), {}),
        (SelectionError, "a and b have 2 cells in common", ([1, 2, 3], [2, 3, 4]), {}),
        (InvalidValue, "no method 'anova'; compare() has 't-test', 'wilcoxon'", ({"type": "A"},),
         {"method": "anova"}),
        (InvalidValue, "compare() has 'scanpy', 'pseudocount'", ({"type": "A"},), {"fold": "log"}),
        (InvalidValue, "normalize='log1p_10k' takes counts, and X holds log1p values", ({"type": "A"},),
         {"normalize": "log1p_10k"}),
        (InvalidValue, "compare() has 'log1p_10k'", ({"type": "A"},), {"normalize": "cpm"}),
        (InvalidOption, "by='donor_id' does not apply to method='t-test'", ({"type": "A"},), {"by": "donor_id"}),
        (UnknownName, "no layer 'raw'", ({"type": "A"},), {"layer": "raw"}),
        (UnknownName, "Not there either: 'x', 'y'", ({"type": "A"},), {"genes": ["gene 422", "x", "y"]}),
        (InvalidValue, "genes= takes a list of names, or the name of a gene set; found 5", ({"type": "A"},),
         {"genes": 5}),
        (SelectionError, "It is a value of obs column 'type'", ("A",), {}),
        (UnknownName, "no set 'x'", ({"set": "x"},), {}),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_sentence(widgets, error, sentence, sets, options):
    with pytest.raises(error, match=re.escape(sentence)) as caught:
        widgets().compare(*sets, **options)
    assert "\n" not in str(caught.value)


def test_one_cell_is_ranked_among_others(widgets):
    x = log_values(missing=False).astype(np.float64)
    frame = in_var_order(widgets(x).compare([4], method="wilcoxon"))
    told = stats.mannwhitneyu(x[[4]], np.delete(x, 4, axis=0), method="asymptotic", use_continuity=False)
    np.testing.assert_allclose(frame["p"], told.pvalue, rtol=1e-6)


def test_the_rest_is_all_other_cells_whatever_the_filters_and_that_is_said(widgets):
    widget = widgets()
    before = widget.compare({"type": "A"})
    widget.filters["type"] = ["A", "B"]
    found = widget.compare({"type": "A"})
    pd.testing.assert_frame_equal(found.frame(), before.frame())
    assert len(found.notes) == len(before.notes) + 1
    assert found.notes[-1].startswith("Filters")


def test_a_table_is_written_as_it_is_but_for_formulas(widgets, tmp_path):
    labels = ["=1+1", *(f"gene {at}" for at in range(1, N_VAR))]
    found = widgets(labels=labels).compare({"type": "A"}, method="wilcoxon")
    found.to_csv(tmp_path / "found.csv")
    read = pd.read_csv(tmp_path / "found.csv", index_col=0)
    pd.testing.assert_frame_equal(read.rename({"'=1+1": "=1+1"}), found.frame(), check_names=False)
    with pytest.raises(TargetNotWritten, match="there is no folder"):
        found.to_csv(tmp_path / "none" / "found.csv")


def test_no_more_is_read_than_rows_of_both_sets_or_genes_that_are_asked_for(widgets):
    widget = widgets(kind=ByRows)
    widget.dataset.reads.clear()
    widget.compare(list(range(10, 20)), list(range(100, 110)))
    rows = [tuple(map(int, read.split()[1].split(":"))) for read in widget.dataset.reads if read.startswith("rows")]
    assert rows
    assert all(10 <= start < stop <= 20 or 100 <= start < stop <= 110 for start, stop in rows)
    widget = widgets()
    widget.dataset.reads.clear()
    widget.compare({"type": "A"}, genes=["gene 3"])
    looked = {read for read in widget.dataset.reads if read.startswith("X/")}
    assert "X/gene 3" in looked


class Waiting(ByRows):
    """Waits in the middle of a look at the matrix."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.began, self.go_on = Event(), Event()

    def _read_matrix_block(self, start, stop, layer):
        self.began.set()
        assert self.go_on.wait(30)
        return super()._read_matrix_block(start, stop, layer)


def test_gestures_are_answered_while_the_matrix_is_read(widgets):
    widget, found = widgets(kind=Waiting), []
    thread = Thread(target=lambda: found.append(widget.compare({"type": "A"})))
    thread.start()
    assert widget.dataset.began.wait(30)
    widget.select({"type": "B"})
    assert len(widget.selection) == np.count_nonzero(codes() == 1)
    assert widget.counts("type")["all"].sum() == N_OBS
    assert not found
    widget.dataset.go_on.set()
    thread.join(30)
    assert len(found) == 1


@BOTH_AXES
@pytest.mark.parametrize("method", ["t-test", "wilcoxon", "pseudobulk", "by"])
def test_what_nobody_waits_for_is_given_up_at_the_next_block(kind, method):
    x = np.rint(np.expm1(log_values(missing=False)))
    dataset, a, asked = dataset_of(x, kind), codes() == 0, []

    def cancelled():
        asked.append(len(dataset.reads))
        return len(asked) > 2

    matrix = MatrixStats(dataset, cancelled=cancelled)
    question = Question(method, by="donor_id" if method == "pseudobulk" else None)
    ways = {
        "by": lambda: compare_groups(matrix, "type", Question("wilcoxon")),
    }
    with pytest.raises(Cancelled, match="was cancelled"):
        ways.get(method, lambda: compare(matrix, a, ~a, question))()
    assert 3 <= len(asked) < 9  # threads that are at work ask once more


def test_a_comparison_is_given_up_while_a_read_lasts():
    dataset, wish = dataset_of(log_values(), Waiting), Event()
    a, ended = codes() == 0, []

    def work():
        try:
            compare(MatrixStats(dataset, cancelled=wish.is_set), a, ~a, Question())
        except Cancelled:
            ended.append(True)

    thread = Thread(target=work)
    thread.start()
    assert dataset.began.wait(30)
    wish.set()
    thread.join(30)
    assert ended
    dataset.go_on.set()


def test_loops_are_compiled_ahead_for_every_comparison(widgets):
    widgets()._session.prepare_columns()
    loops = [vars(sum_loops)[name] for name in ("add_rows", "add_columns", "put_totals", "add_totals")]
    ranking = ("count_transposed", "put_transposed", "put_keys", "put_columns", "sort_keys", "add_ranks")
    loops += [vars(rank_loops)[name] for name in ranking]
    loops += [sum_loops.add_values, sum_loops.add_to_bins]
    before = [len(one.signatures) for one in loops]
    assert min(before) > 0
    for kind in (MemoryDataset, ByRows):
        widget = widgets(np.rint(np.expm1(log_values())), kind)
        for method in ("t-test", "wilcoxon"):
            for normalize in (None, "log1p_10k"):
                widget.compare({"type": "A"}, method=method, normalize=normalize, fold="pseudocount")
        widget.violin(["gene 3"], "type").frame()
    assert [len(one.signatures) for one in loops] == before


def test_a_widget_that_was_closed_compares_nothing(widgets):
    widget = widgets()
    widget.close()
    with pytest.raises(ClosedDataset):
        widget.compare({"type": "A"})
    assert issubclass(ClosedDataset, CxgWidgetError)
