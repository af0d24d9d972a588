"""Laws of a study: samples are the unit, tests are those of SciPy, and errors are at most 5 % without an effect."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.study.condition_tests import ConditionTests
from cxg_widget.study.sentences import CHOSEN_BY_EYE
from cxg_widget.study.shares import Shares
from cxg_widget.wire import protocol as p
from tests.studies import cells_of_study, counts_of_types, samples_of

N_STUDIES = 1_000


def rng(seed=0):
    return np.random.default_rng(seed)


def widget(cells):
    return CxgWidget(cells, var="gene_", restore=False)


def study_of(cells, **more):
    w = widget(cells)
    return w, w.study(sample="donor", condition="condition", **more)


def shares_of(counts, samples, **more):
    labels = tuple(("", f"t{at}") for at in range(len(counts)))
    return Shares(samples, "cell_type", labels, counts, counts.sum(axis=0), **more)


def logits(counts):
    """Return log2 odds with half a cell in proportion to the total, in plain numpy."""
    totals = counts.sum(axis=0)
    half = 0.5 * totals / totals.mean()
    return np.log2((counts + half) / (totals - counts + half))


def test_samples_are_the_cells_of_a_donor_in_a_condition_and_covariates_are_theirs():
    cells = cells_of_study(rng(), [3, 2], paired=True)
    w, study = study_of(cells, covariates=["age", "sex"], pair="donor")
    frame = pd.DataFrame(cells)
    wanted = frame.groupby(["condition", "donor"]).agg(n=("x", "size"), age=("age", "first"), sex=("sex", "first"))
    found = study.samples
    assert list(zip(found["condition"], found["donor"], strict=True)) == wanted.index.tolist()
    assert found["n_all"].tolist() == found["n_cells"].tolist() == wanted["n"].tolist()
    assert found["age"].tolist() == wanted["age"].tolist()
    assert found["sex"].tolist() == wanted["sex"].tolist()
    assert found.index.tolist() == ["d0 (c0)", "d1 (c0)", "d2", "d0 (c1)", "d1 (c1)"]
    w.close()


def test_shares_are_those_of_a_cross_table_and_follow_the_filters():
    cells = cells_of_study(rng(1), [3, 3])
    w, study = study_of(cells)
    w.filters["cell_type"] = ["t0", "t1", "t2"]
    kept = pd.DataFrame(cells).query("cell_type in ['t0', 't1', 't2']")
    wanted = pd.crosstab(kept["cell_type"], kept["donor"], normalize="columns")
    found = study.composition("cell_type").frame()["share"].unstack("sample")
    pd.testing.assert_frame_equal(found[wanted.columns], wanted, check_names=False)
    assert any("that pass the filters" in note for note in study.notes)
    w.close()


@pytest.mark.parametrize("n", [[2, 2], [3, 3], [3, 10], [10, 10], [100, 100], [4, 3, 5]], ids=str)
def test_shares_are_tested_as_scipy_tests_log_odds_of_samples(n):
    counts, samples = counts_of_types(rng(2), sum(n)), samples_of(n)
    found = shares_of(counts, samples).tests
    for at, (a, b) in enumerate(found.pairs):
        sides = [logits(counts)[:, samples.condition == one] for one in (a, b)]
        wanted = stats.ttest_ind(*sides, axis=1, equal_var=False)
        np.testing.assert_allclose(found.statistic[:, at], wanted.statistic, rtol=1e-9)
        np.testing.assert_allclose(found.p[:, at], wanted.pvalue, rtol=1e-9)
        np.testing.assert_allclose(found.p_adj[:, at], stats.false_discovery_control(wanted.pvalue), rtol=1e-9)
        np.testing.assert_allclose(found.effect[:, at], sides[0].mean(axis=1) - sides[1].mean(axis=1))
        assert found.n_a[:, at].tolist() == [n[a]] * 8
        assert found.n_b[:, at].tolist() == [n[b]] * 8


def test_centered_log_ratios_of_a_sample_add_up_to_zero_and_are_tested_as_scipy_does():
    counts, samples = counts_of_types(rng(3), 8), samples_of([4, 4])
    found = shares_of(counts, samples, method="clr")
    np.testing.assert_allclose(found.compared.sum(axis=0), 0, atol=1e-9)
    wanted = stats.ttest_ind(found.compared[:, :4], found.compared[:, 4:], axis=1, equal_var=False)
    np.testing.assert_allclose(found.tests.p[:, 0], wanted.pvalue, rtol=1e-9)


def test_paired_samples_are_tested_as_scipy_tests_pairs_and_others_are_left_out():
    counts = counts_of_types(rng(4), 9)
    samples = samples_of([5, 4], ["a", "b", "c", "d", "", "c", "a", "b", "alone"])
    found, values = shares_of(counts, samples).tests, logits(counts)
    wanted = stats.ttest_rel(values[:, [0, 1, 2]], values[:, [6, 7, 5]], axis=1)
    np.testing.assert_allclose(found.p[:, 0], wanted.pvalue, rtol=1e-9)
    np.testing.assert_allclose(found.statistic[:, 0], wanted.statistic, rtol=1e-9)
    assert found.n_a[:, 0].tolist() == found.n_b[:, 0].tolist() == [3] * 8
    assert found.is_paired.tolist() == [True]


@pytest.mark.parametrize("n", [[3, 3], [6, 6]], ids=str)
def test_at_most_five_percent_of_types_without_an_effect_have_p_below_005(n):
    draw, samples = rng(5), samples_of(n)
    counts = [counts_of_types(draw, sum(n)) for _ in range(N_STUDIES)]
    found = np.array([shares_of(one, samples).tests.p[:, 0] for one in counts])
    assert np.mean(found < 0.05) <= 0.05


@pytest.mark.parametrize(("n", "most"), [([4, 8], 0.055), ([3, 10], 0.07)], ids=str)
def test_sides_of_unlike_size_have_few_more_false_calls_as_the_page_states(n, most):
    draw, samples = rng(5), samples_of(n)
    counts = [counts_of_types(draw, sum(n)) for _ in range(N_STUDIES)]
    found = np.array([shares_of(one, samples).tests.p[:, 0] for one in counts])
    assert np.mean(found < 0.05) <= most


def test_at_most_five_percent_of_paired_studies_without_an_effect_have_p_below_005():
    draw, samples = rng(6), samples_of([5, 5], [*"abcde", *"abcde"])
    counts = [counts_of_types(draw, 10) for _ in range(N_STUDIES)]
    found = np.array([shares_of(one, samples).tests.p[:, 0] for one in counts])
    assert np.mean(found < 0.05) <= 0.05


def test_a_tenfold_difference_in_cells_between_conditions_does_not_make_rare_types_differ():
    """With half a cell added to each count whatever the total, a third of the calls of a rare type would be false."""
    draw, samples = rng(7), samples_of([6, 6])
    cells = np.repeat([2000, 200], 6)
    counts = [counts_of_types(draw, 12, n_types=20, cells=cells) for _ in range(300)]
    found = np.array([shares_of(one, samples).tests.p[:, 0] for one in counts])
    assert np.mean(found < 0.05) < 0.06


def test_a_planted_effect_is_found_more_often_with_more_samples():
    power = []
    for n in (4, 8, 16):
        draw, samples = rng(8), samples_of([n, n])
        effect = np.repeat([3.0, 1.0], n)
        found = [shares_of(counts_of_types(draw, 2 * n, effect=effect), samples).tests for _ in range(200)]
        power.append(np.mean([one.p[0, 0] < 0.05 for one in found]))
        assert np.mean([one.effect[0, 0] for one in found]) == pytest.approx(np.log2(3), abs=0.25)
    assert power == sorted(power)
    assert power[-1] > 0.95


def test_an_empty_type_has_no_row_and_a_type_in_one_sample_is_tested():
    cells = cells_of_study(rng(9), [3, 3])
    is_first = (cells["donor"] == "d0") & (np.cumsum(cells["donor"] == "d0") <= 5)
    kinds = pd.Categorical(
        np.where(is_first, "rare", cells["cell_type"]), [*"abc", *[f"t{at}" for at in range(5)], "rare"]
    )
    w, study = study_of(pd.DataFrame({**cells, "cell_type": kinds}))
    found = study.composition("cell_type")
    assert set(found.test().index.get_level_values(0)) == {"rare", *(f"t{at}" for at in range(5))}
    assert np.isfinite(found.test()["p"]).all()
    w.close()


def test_one_sample_in_a_condition_is_shown_and_not_tested():
    w, study = study_of(cells_of_study(rng(10), [1, 4]))
    found = study.composition("cell_type")
    assert found.test()["p"].isna().all()
    assert found.frame()["share"].notna().all()
    assert "not tested" in found.title
    assert any("Only 1 sample of c0" in note for note in found.notes)
    w.close()


def test_cells_of_samples_are_no_samples_however_many():
    """Ten times the cells of each sample give the same n, and nearly the same p."""
    counts, samples = counts_of_types(rng(11), 8), samples_of([4, 4])
    few, many = (shares_of(counts * factor, samples).tests for factor in (1, 10))
    np.testing.assert_array_equal(few.n_a, many.n_a)
    np.testing.assert_allclose(few.p, many.p, rtol=0.2)


def test_an_excluded_sample_takes_no_part_and_undo_takes_it_back():
    w, study = study_of(cells_of_study(rng(12), [3, 3]))
    before = study.composition("cell_type").test()
    study.exclude("d0")
    assert study.samples["excluded"].sum() == 1
    assert set(study.composition("cell_type").test()["n_a"]) == {2}
    assert any(note == "Excluded: d0." for note in study.notes)
    w.undo()
    pd.testing.assert_frame_equal(study.composition("cell_type").test(), before)
    study.exclude("d1")
    study.include("d1")
    pd.testing.assert_frame_equal(study.composition("cell_type").test(), before)
    with pytest.raises(UnknownName, match="no sample 'd9'; this study has"):
        study.exclude("d9")
    w.close()


def test_the_design_is_in_the_state_and_undo_removes_it():
    cells = cells_of_study(rng(13), [3, 3])
    w, study = study_of(cells, covariates=["age"])
    other = CxgWidget(cells, var="gene_", restore=False, **w.state)
    assert other.study().samples.equals(study.samples)
    w.undo()
    assert w.study_design is None
    with pytest.raises(InvalidValue, match=r"w\.study\(sample="):
        study.composition("cell_type")
    w.close()
    other.close()


def test_what_weakens_a_design_is_a_sentence():
    cells = cells_of_study(rng(14), [3, 3], paired=True)
    batch = np.where(cells["condition"] == "c0", "b0", "b1")
    lane = np.arange(len(batch)) % 2
    w, study = study_of({**cells, "batch": batch, "lane": lane.astype(str)}, covariates=["lane"])
    notes = " ".join(study.notes)
    assert "3 of 3 values of 'donor' have rows in several conditions" in notes
    assert "pair='donor'" in notes
    assert "'lane' has several values in d0 (c0)" in notes
    assert "Each value of 'batch' occurs in one condition only" in notes
    w.close()


def test_the_share_of_the_selection_is_tested_by_sample_and_warns_of_double_dipping():
    cells = cells_of_study(rng(15), [3, 4])
    w, study = study_of(cells)
    with pytest.raises(SelectionError, match="none is selected"):
        study.composition()
    w.select({"cell_type": "t0"})
    found, frame = study.composition(), pd.DataFrame(cells)
    wanted = (frame["cell_type"] == "t0").groupby(frame["donor"]).mean()
    assert found.frame()["share"].tolist() == pytest.approx(wanted.tolist())
    of_type = study.composition("cell_type").test()["p"]
    assert found.test()["p"].iloc[0] == pytest.approx(of_type.xs("t0", level="cell_type").iloc[0])
    w.select(polygon=[(-9, -9), (0, -9), (0, 9), (-9, 9)])
    assert CHOSEN_BY_EYE in study.composition().notes
    assert CHOSEN_BY_EYE not in study.composition("cell_type").notes
    assert CHOSEN_BY_EYE in study.composition("cell_type", within="selection").notes
    w.select({"cell_type": "t0"})
    assert CHOSEN_BY_EYE not in (*study.composition().notes, *study.composition("cell_type", within="selection").notes)
    w.close()


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({"sample": "donr", "condition": "condition"}, "no obs column 'donr'.*Did you mean 'donor'"),
        ({"sample": "donor", "condition": "donor"}, "must be different columns"),
        ({"sample": "age", "condition": "condition"}, "holds numbers"),
        ({"sample": "donor"}, "needs columns of samples and conditions, as study"),
        ({"sample": "barcode", "condition": "condition"}, "up to 1,000 samples, and obs column 'barcode' has"),
        ({"sample": "condition", "condition": "donor"}, "up to 20 conditions, and obs column 'donor' has 21"),
    ],
)
def test_a_design_that_cannot_be_is_refused_in_one_sentence(design, sentence):
    cells = cells_of_study(rng(16), [11, 10])
    w = widget({**cells, "barcode": np.array([f"b{at}" for at in range(len(cells["x"]))])})
    with pytest.raises(ValueError, match=sentence):
        w.study(**design)
    assert w.study_design is None
    w.close()


def test_figures_of_a_study_have_a_point_for_each_sample():
    w, study = study_of(cells_of_study(rng(17), [3, 3], paired=True), covariates=["age", "sex"], pair="donor")
    figure = study.figure("cell_type")
    points = [sum(len(one.get_offsets()) for one in axes.collections) for axes in figure.axes]
    # Five types, the fields and the legend of the genes that differ, and two covariates.
    assert points == [6] * 5 + [0] * 2 + [6] * 2
    texts = " ".join(one.get_text() for one in figure.texts)
    assert "…" not in texts
    assert all(word in texts for word in ("n = 3 pairs of samples", "paired t-test of log2 odds", "genes that differ"))
    assert study.covariates().frame().columns.tolist() == ["condition", "age", "sex"]
    assert "paired t-test" in study.composition("cell_type").title
    w.close()


def test_values_without_samples_are_not_tested():
    values = np.array([[1.0, 2.0, np.nan, 4.0, 6.0, 5.0], [np.nan] * 6])
    found = ConditionTests.of(lambda units: values[:, units.argmax(axis=0)], samples_of([3, 3]))
    assert found.p[0, 0] == pytest.approx(stats.ttest_ind([1, 2], [4, 6, 5], equal_var=False).pvalue)
    assert np.isnan(found.p[1, 0])
    assert found.n_a[:, 0].tolist() == [2, 0]


@pytest.mark.parametrize(
    ("choose", "is_by_eye"),
    [
        (lambda w: w.select(polygon=[(-9, -9), (0, -9), (0, 9), (-9, 9)]), True),
        (lambda w: w.select(np.arange(40)), True),
        (lambda w: w.select({"cell_type": "t0"}), False),
        (lambda w: w.select("gene_1 > 2"), False),
    ],
    ids=["polygon", "rows", "category", "query"],
)
def test_a_comparison_of_cells_chosen_by_eye_says_that_p_is_too_small(choose, is_by_eye):
    w = widget(cells_of_study(rng(18), [3, 3]))
    choose(w)
    assert (CHOSEN_BY_EYE in w.compare().notes) == is_by_eye
    w.sets.add("mine")
    w.clear_selection()
    assert (CHOSEN_BY_EYE in w.compare("mine").notes) == is_by_eye
    w.close()


def sums_of(cells, keys):
    """Return sums of counts by some columns, in pandas, with their log2 counts per million as edgeR's."""
    genes = [name for name in cells if name.startswith("gene_")]
    sums = pd.DataFrame(cells).groupby(keys)[genes].sum()
    totals = sums.sum(axis=1)
    prior = 2 * totals / totals.mean()
    return np.log2(sums.add(prior, axis=0).div(totals + 2 * prior, axis=0) * 1e6)


def test_expression_is_the_log_cpm_of_sums_of_samples_and_tested_as_scipy_does():
    cells = cells_of_study(rng(19), [4, 4], excess=8.0)
    w, study = study_of(cells)
    found = study.expression(["0", "1"])
    wanted = sums_of(cells, "donor")
    values = found.frame()["value"].unstack("sample")
    np.testing.assert_allclose(values.loc["0", wanted.index], wanted["gene_0"], rtol=1e-6)
    of_condition = pd.DataFrame(cells).groupby("donor")["condition"].first()
    sides = [wanted["gene_0"][of_condition == one] for one in ("c0", "c1")]
    expected = stats.ttest_ind(*sides, equal_var=False).pvalue
    assert found.test().xs("0", level="gene")["p"].item() == pytest.approx(expected, rel=1e-5)
    assert found.test().xs("0", level="gene")["effect"].item() > 1
    w.close()


def test_expression_of_a_type_uses_its_cells_and_leaves_out_samples_with_few_of_them():
    cells = cells_of_study(rng(20), [3, 3], cells=120)
    w, study = study_of(cells)
    frame = study.expression("1", "cell_type").frame().xs("t0", level="cell_type")
    some = {name: one[cells["cell_type"] == "t0"] for name, one in cells.items()}
    wanted = sums_of(some, "donor")["gene_1"]
    assert (frame["n"] >= 10).all()
    np.testing.assert_allclose(frame["value"].droplevel("gene")[wanted.index], wanted, rtol=1e-6)
    few = study.expression("1", "cell_type").frame()
    assert few["value"].isna().tolist() == (few["n"] < 10).tolist()
    w.close()


def test_values_that_are_no_counts_are_averaged_over_the_cells_of_a_sample():
    cells = cells_of_study(rng(21), [3, 3])
    logs = {name: np.log1p(one) if name.startswith("gene_") else one for name, one in cells.items()}
    w, study = study_of(logs)
    found = study.expression("2")
    wanted = pd.DataFrame(logs).groupby("donor")["gene_2"].mean()
    np.testing.assert_allclose(found.frame()["value"].droplevel("gene")[wanted.index], wanted, rtol=1e-5)
    assert found.title.startswith("Means of each gene")
    assert any("averaged over cells" in note for note in found.notes)
    w.close()


def parts(w, request):
    """Return the answer of a session as it is packed for the page."""
    frames = list(w._session.answer(request))
    for frame in frames:
        frame.pack(1)
    return frames[0]


def test_the_page_gets_the_numbers_of_python_and_rows_by_effect():
    w, study = study_of(cells_of_study(rng(22), [3, 4]), covariates=["age"])
    found, plot = parts(w, p.AskStudy("composition", "cell_type")), study.composition("cell_type")
    tests, rows = plot.test(), [one["category"] for one in found.message.rows]
    assert rows == tests.index.get_level_values(0).tolist()
    np.testing.assert_allclose(found.arrays["tests"][2, :, 0], tests["p"], rtol=1e-6)
    shares = plot.frame()["share"].unstack("sample").loc[rows, [one["name"] for one in found.message.samples]]
    np.testing.assert_allclose(found.arrays["values"], shares, rtol=1e-6)
    assert (found.message.title, tuple(found.message.notes)) == (plot.title, plot.notes)
    assert [one["covariates"] for one in found.message.samples] == [[one] for one in study.samples["age"].tolist()]
    w.close()


def test_the_form_proposes_columns_constant_within_samples():
    w = widget(cells_of_study(rng(23), [3, 3]))
    assert "donor" in [one["name"] for one in parts(w, p.AskStudy("form")).message.columns][:1]
    chosen = parts(w, p.AskStudy("form", "donor")).message.columns
    assert {one["name"]: one["kind"] for one in chosen} == {"condition": "category", "age": "number", "sex": "category"}
    w.close()


def test_a_point_selects_the_cells_of_its_sample_and_type_that_pass_the_filters():
    cells = cells_of_study(rng(24), [3, 3])
    w, _ = study_of(cells)
    w.filters["age"] = (23, None)
    parts(w, p.StudyPick("d1", "", "t0", "replace", "cell_type"))
    wanted = (cells["donor"] == "d1") & (cells["cell_type"] == "t0") & (cells["age"] >= 23)
    np.testing.assert_array_equal(w.selection.mask, wanted)
    parts(w, p.StudyPick("", "c1", "", "replace"))
    np.testing.assert_array_equal(w.selection.mask, (cells["condition"] == "c1") & (cells["age"] >= 23))
    w.close()


def test_samples_of_one_condition_with_one_value_of_pair_are_taken_together():
    """Two libraries of each donor in each condition: shares and expression are those of the donor's cells together."""
    cells = cells_of_study(rng(21), [4, 4], paired=True, cells=400)
    half = np.array(["a", "b"])[np.arange(len(cells["x"])) % 2]
    split = {**cells, "library": np.char.add(np.char.add(cells["donor"], half), cells["condition"])}
    w, study = study_of(cells, pair="donor")
    other = widget(split)
    by_library = other.study(sample="library", condition="condition", pair="donor")
    parts = {"composition": ["cell_type"], "expression": [["gene_0"], "cell_type"], "differences": ["cell_type"]}
    for part, given in parts.items():
        found, wanted = (getattr(one, part)(*given) for one in (by_library, study))
        if part == "differences":
            pd.testing.assert_frame_equal(found.frame(), wanted.frame())
        else:
            pd.testing.assert_frame_equal(found.test().sort_index(), wanted.test().sort_index())
        assert "4 pairs of samples" in found.title
    w.close()
    other.close()


@pytest.mark.parametrize("n", [[2, 2], [3, 10], [10, 10], [100, 100], [4, 2, 3]], ids=str)
def test_genes_that_differ_are_those_of_scipy_for_any_number_of_samples(n):
    cells = cells_of_study(rng(23), n, excess=4.0)
    w, study = study_of(cells)
    found = study.differences().frame()
    assert found.index.tolist() == [("", f"c{a}", f"c{b}") for a, b in combinations(range(len(n)), 2)]
    for _, a, b in found.index:
        logs = sums_of(pd.DataFrame(cells).query("condition in [@a, @b]"), ["condition", "donor"])
        p = stats.ttest_ind(logs.loc[a], logs.loc[b], equal_var=False).pvalue
        sides = [n[int(one[1:])] for one in (a, b)]
        assert found.loc[("", a, b)].tolist() == [(stats.false_discovery_control(p) < 0.05).sum(), 6, *sides]
    w.close()


def test_cells_of_a_type_without_a_name_are_picked_as_any_other():
    cells = cells_of_study(rng(22), [3, 3])
    cells["cell_type"] = np.where(cells["cell_type"] == "t1", "", cells["cell_type"])
    w, _ = study_of(cells)
    (frame,) = w._session.answer(p.AskStudy("composition", by="cell_type"))
    assert "(empty)" in [row["category"] for row in frame.message.rows]
    list(w._session.answer(p.StudyPick("d1", "", "(empty)", "replace", by="cell_type")))
    np.testing.assert_array_equal(w.selection.mask, (cells["cell_type"] == "") & (cells["donor"] == "d1"))
    w.close()
