"""Markers of a set and of all groups of a column, against SciPy, NumPy and tables of scanpy 1.12."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from cxg_widget import CxgWidget
from cxg_widget.compare import group_comparisons, markers, ranks
from cxg_widget.compare.markers import compare_groups
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.question import Question
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError, UnknownName
from tests.memory import MemoryDataset
from tests.unit.test_compare import BOTH_AXES, N_OBS, N_VAR, ByRows, codes, dataset_of, log_values
from tests.unit.test_compare_scanpy import FLOAT32, FOLDER, NAMES

TYPES = ("A", "unused", "B", "C", "one")


def types():
    """Return codes of `TYPES`: no cell has the second, one has the last, some have none."""
    found = np.array([0, 2, 3], dtype=np.int8)[codes()]
    found[::11] = -1
    found[7] = 4
    return found


def groups_of_scanpy():
    """Return the groups that `tools/scanpy_tables.py` compares, some cells having none."""
    group = np.load(FOLDER / "matrix.npz")["groups"].copy()
    group[np.arange(len(group)) % 9 == 4] = -1
    return group


def genes():
    return [f"gene {at}" for at in range(N_VAR)]


@pytest.fixture
def widgets():
    made = []

    def make(dataset=None, **options):
        dataset = dataset or dataset_of(log_values(), type=Codes(types(), TYPES))
        made.append(CxgWidget(dataset, **options))
        return made[-1]

    yield make
    for widget in made:
        widget.close()


@BOTH_AXES
@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_markers_is_tested_against_all_other_cells_as_scipy_tests_it(kind, method, monkeypatch):
    monkeypatch.setattr(ranks, "BAND_BYTES", 8 * 900)  # by rows: several genes at a time, not all
    x = log_values()
    x[codes() == 1, 9] = np.nan  # measured in two groups alone
    dataset = dataset_of(x, kind, type=Codes(types(), TYPES))
    found = compare_groups(MatrixStats(dataset), "type", Question(method))
    frame = found.frame()
    assert list(found) == ["A", "B", "C", "one"]
    assert frame.index.names == ["group", "gene"]
    assert len(frame) == 4 * N_VAR
    for code, group in ((0, "A"), (2, "B"), (3, "C")):
        own, rest = (x[rows].astype(np.float64) for rows in (types() == code, types() != code))
        kept = np.array([at for at in range(N_VAR) if at != 5 and not (at == 9 and group == "B")])
        ours = frame.loc[group].loc[[f"gene {at}" for at in range(N_VAR)]].iloc[kept]
        if method == "t-test":
            told = stats.ttest_ind(own[:, kept], rest[:, kept], equal_var=False, nan_policy="omit")
            np.testing.assert_allclose(ours["statistic"], np.ma.getdata(told.statistic), rtol=1e-9)
        else:
            told = stats.mannwhitneyu(
                own[:, kept], rest[:, kept], method="asymptotic", use_continuity=False, nan_policy="omit"
            )
            np.testing.assert_allclose(found.u.loc[group].loc[ours.index], told.statistic, rtol=1e-9)
            np.testing.assert_allclose(ours["auc"], told.statistic / (ours["n_a"] * ours["n_b"]), rtol=1e-9)
        np.testing.assert_allclose(ours["p"], np.ma.getdata(told.pvalue), rtol=1e-6)
        np.testing.assert_allclose(ours["mean_b"], np.nanmean(rest[:, kept], axis=0), rtol=1e-12)
        p_adj = stats.false_discovery_control(frame.loc[group]["p"].fillna(1.0))
        np.testing.assert_allclose(frame.loc[group]["p_adj"].dropna(), p_adj[: frame.loc[group]["p"].notna().sum()])
    assert frame.loc[("B", "gene 9"), "statistic":"p_adj"].isna().all()


@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_groups_have_the_scores_p_and_fold_changes_of_scanpy(method):
    held, group = np.load(FOLDER / "matrix.npz"), groups_of_scanpy()
    obs = {"group": Codes(group, ("a", "b", "c"))}
    dataset = MemoryDataset(obs, held["log1p"], genes(), {"umap": np.zeros((len(group), 2))})
    ours = compare_groups(MatrixStats(dataset), "group", Question(method)).frame()
    told = pd.read_csv(FOLDER / f"{method}-groups.csv").set_index(["group", "names"]).loc[ours.index]
    tested = ours["p"].notna()
    assert 90 < tested.sum() < len(ours) == len(told) == 3 * 42
    assert told.loc[~tested, "pvals"].eq(1).all()
    for theirs, name in NAMES.items():
        tolerance = FLOAT32 if theirs in ("scores", "logfoldchanges") else 1e-9
        np.testing.assert_allclose(ours.loc[tested, name], told.loc[tested, theirs], rtol=tolerance, err_msg=name)


@BOTH_AXES
def test_each_value_ranks_with_its_reference_alone_as_scipy_ranks_it(kind, monkeypatch):
    monkeypatch.setattr(ranks, "BAND_BYTES", 8 * 900)
    x = np.round(log_values(), 1)  # many ties
    x[:, 3] -= 1  # what is not listed lies in the middle, where it can
    x[codes() == 1, 9] = np.nan
    within = np.arange(N_OBS) % 5 != 3
    dataset = dataset_of(x, kind, type=Codes(types(), TYPES))
    found = compare_groups(MatrixStats(dataset), "type", Question("wilcoxon"), within, "C")
    assert list(found) == ["A", "B", "one"]
    reference = x[(types() == 3) & within].astype(np.float64)
    for code, group in ((0, "A"), (2, "B")):
        own = x[(types() == code) & within].astype(np.float64)
        kept = [at for at in range(N_VAR) if at != 5 and not (at == 9 and group == "B")]
        ours = found.frame().loc[group].loc[[f"gene {at}" for at in kept]]
        told = stats.mannwhitneyu(
            own[:, kept], reference[:, kept], method="asymptotic", use_continuity=False, nan_policy="omit"
        )
        np.testing.assert_allclose(ours["p"], told.pvalue, rtol=1e-9)
        np.testing.assert_allclose(found.u.loc[group].loc[ours.index], told.statistic, rtol=1e-12)
        np.testing.assert_allclose(ours["mean_b"], np.nanmean(reference[:, kept], axis=0), rtol=1e-12)
        np.testing.assert_array_equal(ours["n_b"], (~np.isnan(reference[:, kept])).sum(axis=0))


@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_groups_against_a_reference_have_the_numbers_of_scanpy(method):
    held, group = np.load(FOLDER / "matrix.npz"), groups_of_scanpy()
    dataset = MemoryDataset(
        {"group": Codes(group, ("a", "b", "c"))}, held["log1p"], genes(), {"umap": np.zeros((len(group), 2))}
    )
    ours = compare_groups(MatrixStats(dataset), "group", Question(method), reference="b").frame()
    told = pd.read_csv(FOLDER / f"{method}-groups-b.csv").set_index(["group", "names"])
    assert len(told) == len(ours) == 2 * N_VAR
    told, tested = told.loc[ours.index], ours["p"].notna()
    assert tested.sum() > 60
    for theirs, name in NAMES.items():
        tolerance = FLOAT32 if theirs in ("scores", "logfoldchanges") else 1e-9
        np.testing.assert_allclose(ours.loc[tested, name], told.loc[tested, theirs], rtol=tolerance, err_msg=name)
    np.testing.assert_allclose(ours["share_a"], told["pct_nz_group"], rtol=1e-12)


def test_a_group_against_a_reference_is_the_comparison_of_both_sets(widgets):
    widget = widgets()
    widget.sets.add("some", np.arange(0, N_OBS, 2))
    for options in ({}, {"method": "wilcoxon", "genes": ["gene 3", "gene 17"]}, {"within": "some"}):
        found = widget.markers(by="type", reference="B", **options)
        assert list(found)[:2] == ["A", "C"]
        alone = widget.compare({"type": "A"}, {"type": "B"}, **options)
        pd.testing.assert_frame_equal(found.frame().loc["A"], alone.frame(), rtol=1e-9)
        assert found["A"].sets == ("A", "B")
        assert "compared with B (" in found.description
        assert any(note.endswith("b is 'B' alone, for each group.") for note in found.notes)


def test_a_reference_may_be_a_number_or_its_text():
    dataset = dataset_of(log_values(), louvain=codes().astype(np.int64))
    for reference in (1, "1", np.int64(1), 1.0):
        assert list(compare_groups(MatrixStats(dataset), "louvain", Question(), reference=reference)) == [0, 2]


def test_a_group_of_one_cell_has_means_and_no_test_and_that_is_said(widgets):
    found = widgets().markers(by="type", method="wilcoxon")
    alone = found.frame().loc["one"]
    assert alone[["log2fc", "statistic", "p", "p_adj", "auc"]].isna().all(axis=None)
    assert (alone["n_a"] <= 1).all()
    x = log_values()[7]
    np.testing.assert_allclose(alone["mean_a"].loc[[f"gene {at}" for at in range(N_VAR)]], x)
    assert any(note.startswith("Not tested, because they have one cell or all but one: 'one'") for note in found.notes)
    n_without = int((types() < 0).sum())
    assert any(note.startswith(f"{n_without} cells without a value") for note in found.notes)
    assert found.frame().attrs["notes"] == list(found.notes)


def test_a_group_is_compared_as_the_set_of_its_cells_is(widgets):
    widget = widgets()
    widget.filters["type"] = ["A"]
    for options in ({}, {"method": "wilcoxon", "genes": ["gene 3", "gene 17"]}, {"fold": "pseudocount"}):
        found = widget.markers(by="obs:type", **options)
        for group in "AB":
            alone = widget.compare({"type": group}, **options)
            pd.testing.assert_frame_equal(found.frame().loc[group], alone.frame(), rtol=1e-9)
            pd.testing.assert_series_equal(found.log10_p.loc[group], alone.log10_p, rtol=1e-9)
            pd.testing.assert_frame_equal(found[group].frame(), alone.frame(), rtol=1e-9)
            assert alone.notes[-1] == found.notes[-1] == found[group].notes[-1]  # on filters


@pytest.mark.parametrize("n_groups", [2, 3, 7, 10])
def test_the_rest_of_any_number_of_groups_is_every_other_cell(n_groups):
    x, group = log_values(), np.random.default_rng(6).integers(0, n_groups, N_OBS)
    found = compare_groups(MatrixStats(dataset_of(x, ByRows, group=group)), "group", Question())
    for value in reversed(range(n_groups)):
        one, rest = found[value], x[group != value].astype(np.float64)
        np.testing.assert_allclose(one._b.mean, np.nanmean(rest, axis=0), rtol=1e-12)
        np.testing.assert_allclose(one._b.variance, np.nanvar(rest, axis=0, ddof=1), rtol=1e-9, atol=1e-15)


def test_the_comparison_of_a_group_is_made_when_it_is_requested(monkeypatch):
    made, plain = [], group_comparisons.tests_of
    dataset = dataset_of(log_values(), type=Codes(types(), TYPES))
    monkeypatch.setattr(group_comparisons, "tests_of", lambda *given: made.append(given[1]) or plain(*given))
    found = compare_groups(MatrixStats(dataset), "type", Question("wilcoxon")).among("some").in_form("pandas")
    assert made == []
    assert found["C"].description.endswith("; among some")
    assert made == [2]


def test_the_rest_is_the_background_of_a_set(widgets):
    widget = widgets()
    found = widget.markers({"type": "A"})
    pd.testing.assert_frame_equal(found.frame(), widget.compare({"type": "A"}).frame())
    np.testing.assert_array_equal(found.background.mask, types() != 0)


def test_all_groups_take_one_look_at_the_matrix(widgets):
    dataset = dataset_of(log_values(), ByRows, type=Codes(types(), TYPES))
    widget = widgets(dataset)
    widget.compare({"type": "A"})
    dataset.reads.clear()
    widget.compare({"type": "A"})
    pair = [read for read in dataset.reads if read.startswith("rows")]
    dataset.reads.clear()
    widget.markers(by="type")
    assert [read for read in dataset.reads if read.startswith("rows")] == pair


def test_names_that_stand_twice_and_groups_that_are_numbers_are_written_as_they_are(tmp_path):
    labels = ["same", "same", "=1+1", *(f"gene {at}" for at in range(3, N_VAR))]
    dataset = dataset_of(log_values(), labels=labels, louvain=codes().astype(np.int64))
    found = compare_groups(MatrixStats(dataset), "louvain", Question())
    frame = found.frame()
    assert frame.index.get_level_values("group").unique().tolist() == [0, 1, 2]
    assert len(frame.loc[(1, "same")]) == 2
    found.to_csv(tmp_path / "markers.csv")
    read = pd.read_csv(tmp_path / "markers.csv", index_col=["group", "gene"])
    pd.testing.assert_frame_equal(read.rename({"'=1+1": "=1+1"}), frame, check_names=False)


@pytest.mark.parametrize(
    ("error", "sentence", "given"),
    [
        (InvalidOption, "leave out a and against", {"a": {"type": "A"}, "by": "type"}),
        (InvalidOption, "leave out a and against", {"against": "neighborhood", "by": "type"}),
        (UnknownName, "Did you mean 'type'", {"by": "typ"}),
        (InvalidValue, "score", {"by": "score"}),
        (SelectionError, "has one value in all 300 cells", {"by": "same"}),
        (SelectionError, "has no values in all 300 cells", {"by": "empty"}),
        (
            InvalidValue,
            "'donor_id' has 4 values, and 42 genes would be compared for each: 168 rows, which take about 27\xa0KB of "
            "memory and do not fit. markers(by='donor_id', genes=[...]) fits with at most 31 genes.",
            {"by": "donor_id"},
        ),
        (InvalidValue, "no method 'anova'", {"by": "type", "method": "anova"}),
        (InvalidOption, "'t-test', 'wilcoxon'", {"by": "type", "method": "explorer"}),
        (InvalidOption, "compare(a, method='pseudobulk', by=...)", {"a": {"type": "A"}, "method": "pseudobulk"}),
        (InvalidValue, "'rest', 'neighborhood'", {"a": {"type": "A"}, "against": "B"}),
        (InvalidOption, "reference='B' needs by=, the obs column", {"a": {"type": "A"}, "reference": "B"}),
        (UnknownName, "no value 'BB'; obs column 'type' has 'A', 'B', 'C', 'one'", {"by": "type", "reference": "BB"}),
        (UnknownName, "no value 'unused'", {"by": "type", "reference": "unused"}),
        (SelectionError, "reference='one' of obs column 'type' has 1 cell", {"by": "type", "reference": "one"}),
        (SelectionError, "is the only value", {"by": "half", "reference": "x"}),
        (SelectionError, "the selection holds 0 cells", {"against": "neighborhood"}),
        (SelectionError, "fewer than two cells", {"a": [3], "against": "neighborhood", "method": "wilcoxon"}),
    ],
)
def test_what_has_no_markers_is_one_sentence(widgets, monkeypatch, error, sentence, given):
    monkeypatch.setattr(markers, "MOST_RESULTS", 3 * N_VAR)
    monkeypatch.setattr(markers, "available_bytes", lambda: None)
    dataset = dataset_of(
        log_values(), score=np.linspace(0, 1, N_OBS), same=Codes(np.zeros(N_OBS, np.int8), ("x",)),
        empty=Codes(np.full(N_OBS, -1, np.int8), ("x",)), half=Codes(np.arange(N_OBS) % 2 - 1, ("x",)),
        type=Codes(types(), TYPES),
    )  # fmt: skip
    with pytest.raises(error, match=re.escape(sentence)) as caught:
        widgets(dataset).markers(**given)
    assert "\n" not in str(caught.value)


def test_more_rows_than_the_limit_are_compared_if_memory_has_room_for_them(widgets, monkeypatch):
    monkeypatch.setattr(markers, "MOST_RESULTS", N_VAR)
    monkeypatch.setattr(markers, "available_bytes", lambda: 4 * N_VAR * 160)
    assert len(widgets().markers(by="type").frame()) == 4 * N_VAR
    monkeypatch.setattr(markers, "available_bytes", lambda: 4 * N_VAR * 160 - 1)
    with pytest.raises(InvalidValue, match="at most 41 genes"):
        widgets().markers(by="type")


N_CELLS = 6_000
RADIUS = 2.0


def plane(*, missing=False):
    """Return places all over a square of side 10, of one density, and which of them lie in a disc in its middle."""
    rng = np.random.default_rng(8)
    xy = rng.uniform(-5, 5, (N_CELLS, 2)).astype(np.float32)
    inside = np.hypot(*xy.T) < RADIUS
    if missing:
        xy[::50] = np.nan
    return xy, inside


def cells_at(xy, **more):
    x = np.random.default_rng(2).poisson(1.0, (len(xy), 3)).astype(np.float32)
    return MemoryDataset(more, x, ["g", "h", "i"], {"umap": xy})


@pytest.mark.parametrize("max_points", [1_000_000, 1_000], ids=["points", "aggregated"])
def test_the_neighborhood_is_a_ring_as_large_as_the_set(widgets, max_points):
    xy, inside = plane(missing=True)
    widget = widgets(cells_at(xy), max_points=max_points)
    widget.sets.add("disc", inside)
    found = widget.markers("disc", against="neighborhood")
    around, place = found.background.mask, np.hypot(*xy.astype(np.float64).T)
    assert len(found.background) == inside.sum()
    assert not (around & inside).any()
    assert np.isfinite(place[around]).all()
    # A ring of the same area ends at RADIUS * sqrt(2); s, which bins are wide, is about 0.25.
    assert place[around].max() < RADIUS * np.sqrt(2) + 0.5
    assert around[(place > RADIUS) & (place < RADIUS * np.sqrt(2) - 0.5)].all()
    pd.testing.assert_frame_equal(found.frame(), widget.compare("disc", around).frame())
    assert any("neighborhood is the" in note and "umap" in note for note in found.notes)
    again = widget.markers("disc", against="neighborhood").background
    assert again == found.background


def test_the_nearest_cells_by_true_distances_are_those_that_are_found(widgets):
    xy, _ = plane()
    inside = np.abs(xy).max(axis=1) < 1.2
    widget = widgets(cells_at(xy))
    around = widget.markers(inside, against="neighborhood").background.mask
    to_edge = cdist(xy[~inside].astype(np.float64), xy[inside].astype(np.float64)).min(axis=1)
    nearest = np.zeros(N_CELLS, dtype=bool)
    nearest[np.flatnonzero(~inside)[np.argsort(to_edge)[: inside.sum()]]] = True
    assert (nearest & around).sum() > 0.85 * inside.sum()
    assert to_edge[around[~inside]].max() < to_edge[nearest[~inside]].max() + 0.4


def test_strays_of_a_set_have_no_neighborhood(widgets):
    xy, inside = plane()
    strays = np.flatnonzero(np.hypot(*xy.T) > 4.5)[::40]
    around = widgets(cells_at(xy)).markers(inside | np.isin(np.arange(N_CELLS), strays), against="neighborhood")
    assert np.hypot(*xy[around.background.mask].T).max() < RADIUS * np.sqrt(2) + 0.5


def test_a_set_that_is_mixed_with_others_has_as_many_of_these_around_it(widgets):
    xy, _ = plane()
    mixed = np.arange(N_CELLS) % 10 == 0
    found = widgets(cells_at(xy)).markers(mixed, against="neighborhood").background
    assert len(found) == mixed.sum()
    assert np.abs(xy[found.mask].mean(axis=0)).max() < 0.5


def test_an_isolated_set_has_no_neighborhood(widgets):
    xy, inside = plane()
    xy[~inside] += 40
    with pytest.raises(SelectionError, match=r"no other cells are within .* isolated in this embedding"):
        widgets(cells_at(xy)).markers(inside, against="neighborhood")


def test_few_cells_nearby_are_all_that_is_taken(widgets):
    xy, inside = plane()
    xy[~inside] += 40
    near = np.flatnonzero(~inside)[:9]
    xy[near] = (2.5, 0)
    found = widgets(cells_at(xy)).markers(inside, against="neighborhood")
    assert found.background.rows.tolist() == near.tolist()
    assert any("which is all that lie within" in note for note in found.notes)


def test_axes_of_different_units_are_taken_in_parts_of_their_extent(widgets):
    xy, inside = plane()
    dataset = cells_at(xy, wide=xy[:, 0] * 1000, high=xy[:, 1])
    widget = widgets(dataset, embedding=("wide", "high"))
    around = widget.markers(inside, against="neighborhood").background.mask
    assert np.hypot(*xy[around].T).max() < RADIUS * np.sqrt(2) + 0.5


def test_the_neighborhood_is_a_set_that_is_kept_colored_and_drawn(widgets):
    xy, inside = plane()
    widget = widgets(cells_at(xy))
    widget.sets.add("disc", inside)
    found = widget.markers("disc", against="neighborhood")
    widget.sets["neighborhood of disc"] = found.background
    widget.color, widget.contours = "sets", ["disc", "neighborhood of disc"]
    assert widget.sets["neighborhood of disc"] == found.background
    drawn = widget._session.held.set_contours(("disc", "neighborhood of disc"))
    outer = [np.hypot(*ring.T).max() for one in drawn.contours for ring in one.rings if one.share == 0.9]
    assert min(outer) < RADIUS + 0.5 < max(outer)


def test_cells_of_one_place_and_tiny_sets_have_neighborhoods(widgets):
    xy, _ = plane()
    widget = widgets(cells_at(xy))
    pair = np.argsort(np.hypot(*xy.T))[:2]
    assert len(widget.markers(pair, against="neighborhood").background) <= 2
    xy = xy.copy()
    xy[:500] = (1, 1)
    crowd = widgets(cells_at(xy)).markers(np.arange(400), against="neighborhood").background
    assert set(range(400, 500)) <= set(crowd.rows.tolist())
