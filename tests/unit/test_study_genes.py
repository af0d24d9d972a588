"""Genes that differ between conditions of a study, against SciPy, pandas and `compare(method="pseudobulk")`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.errors import InvalidValue, Overtaken, SelectionError, UnknownName
from cxg_widget.study.sums import KeptSums
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset
from tests.unit.test_compare_donors import ByRows, log_cpm

# SciPy warns of genes whose values are all equal.
pytestmark = pytest.mark.filterwarnings("ignore:Precision loss")
N_VAR, N_DONORS, N_CELLS = 60, 8, 1600
TYPES = np.array(["B", "T", "rare", "empty"])


def study_data(seed=0):
    """Eight donors, four of each condition; gene 0 differs in T cells, gene 1 in one donor only, gene 2 is nowhere."""
    rng = np.random.default_rng(seed)
    donor = rng.integers(0, N_DONORS, N_CELLS)
    kind = rng.choice(3, N_CELLS, p=[0.45, 0.5, 0.05])
    x = rng.poisson(2 + np.arange(N_VAR) % 5, (N_CELLS, N_VAR)).astype(np.float32)
    x[(kind == 1) & (donor >= 4), 0] *= 5
    x[:, 1] = np.where(donor == 3, x[:, 1], 0)
    x[:, 2] = 0
    obs = {
        "donor": np.array([f"D{at}" for at in range(N_DONORS)])[donor],
        "disease": np.where(donor < 4, "normal", "lupus"),
        "type": TYPES[kind],
        "subject": np.array([f"S{at % 4}" for at in range(N_DONORS)])[donor],
    }
    return {name: values.astype(object) for name, values in obs.items()}, x


@pytest.fixture
def widgets():
    made = []

    def make(x=None, kind=MemoryDataset, **more):
        obs, counts = study_data()
        x = counts if x is None else x
        names = [f"gene {at}" for at in range(N_VAR)]
        xy = np.random.default_rng(3).normal(size=(N_CELLS, 2)).astype(np.float32)
        made.append(CxgWidget(kind({**obs, **more}, x, names, {"umap": xy})))
        return made[-1]

    yield make
    for widget in made:
        widget.close()


def sides_of(combine, obs, x, mask, *, pair, min_cells):
    """Yield type, values of both conditions and whether they are paired, one row per sample, or pair, by pandas.

    combine : "sum" or "mean"
    """
    obs = pd.DataFrame(obs)[mask]
    for kind in TYPES[:3]:
        some = obs[obs["type"] == kind]
        n_paired = some.groupby("disease")[pair or "donor"].value_counts().unstack(0).ge(min_cells).all(axis=1).sum()
        is_paired = pair is not None and n_paired >= 2
        unit = pair if is_paired else "donor"
        groups = pd.DataFrame(x[some.index].astype(np.float64), index=some.index).groupby([some["disease"], some[unit]])
        table = groups.agg(combine)[groups.size() >= min_cells]
        sides = [table[table.index.get_level_values(0) == one].droplevel(0) for one in ("lupus", "normal")]
        if is_paired:
            both = sides[0].index.intersection(sides[1].index)
            sides = [one.loc[both] for one in sides]
        yield kind, sides, is_paired


def by_scipy(obs, x, mask, pair=None, min_cells=10):
    """Genes of adjusted p below 0.05 by type, from sums by pandas and tests and adjustment by SciPy."""
    found = {}
    for kind, sides, is_paired in sides_of("sum", obs, x, mask, pair=pair, min_cells=min_cells):
        if min(map(len, sides)) < 2:
            found[kind] = (None, None, *map(len, sides))
            continue
        values = log_cpm(np.concatenate([one.to_numpy() for one in sides]))
        test = by_t_of_scipy(values[: len(sides[0])], values[len(sides[0]) :], is_paired)
        found[kind] = (*n_different(sides, test.pvalue), *map(len, sides))
    return found


def by_t_of_scipy(a, b, is_paired):
    return stats.ttest_rel(a, b) if is_paired else stats.ttest_ind(a, b, equal_var=False)


def n_different(sides, p):
    """Return the genes of adjusted p below 0.05, and the genes that any sample expresses."""
    tested = np.concatenate([one.to_numpy() for one in sides]).any(axis=0)
    p_adj = stats.false_discovery_control(np.where(tested, p, 1.0))
    return int((p_adj[tested] < 0.05).sum()), int(tested.sum())


def counted(found):
    frame = found.frame()
    rows = zip(frame.index.get_level_values(0), frame.itertuples(index=False), strict=True)
    return {kind: tuple(None if one is pd.NA else int(one) for one in row) for kind, row in rows}


def by_means(obs, x, mask, pair=None, min_cells=10):
    """As `by_scipy`, of means of values that are no counts; also the p of each type."""
    found = {}
    for kind, sides, is_paired in sides_of("mean", obs, x, mask, pair=pair, min_cells=min_cells):
        if min(map(len, sides)) < 2:
            found[kind] = (None, None, *map(len, sides)), None
            continue
        p = by_t_of_scipy(*sides, is_paired).pvalue
        found[kind] = (*n_different(sides, p), *map(len, sides)), p
    return found


MASKS = {
    "all": np.ones(N_CELLS, dtype=bool),
    "half": np.random.default_rng(1).random(N_CELLS) < 0.5,
    "few": np.random.default_rng(2).random(N_CELLS) < 0.15,
}


@pytest.mark.parametrize("kind", [MemoryDataset, ByRows])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("pair", [None, "subject"])
def test_numbers_of_genes_are_those_of_scipy_on_sums_by_pandas(widgets, kind, mask, pair):
    w = widgets(kind=kind)
    study = w.study(sample="donor", condition="disease", pair=pair)
    obs, x = study_data()
    found = study.differences("type", within=MASKS[mask])
    assert found.differences.samples.conditions == ("lupus", "normal")
    assert counted(found) == by_scipy(obs, x, MASKS[mask], pair)
    assert counted(found)["T"][0] >= 1 or mask == "few"


@pytest.mark.parametrize("kind", [MemoryDataset, ByRows])
@pytest.mark.parametrize("mask", ["all", "half"])
@pytest.mark.parametrize("pair", [None, "subject"])
def test_values_that_are_no_counts_are_averaged_by_sample_and_tested_as_scipy_does(widgets, kind, mask, pair):
    obs, x = study_data()
    w = widgets(x=np.log1p(x), kind=kind)
    study = w.study(sample="donor", condition="disease", pair=pair)
    study.differences("type")  # later cells are read as a change of these sums
    found = study.differences("type", within=MASKS[mask])
    wanted = by_means(obs, np.log1p(x), MASKS[mask], pair)
    assert counted(found) == {kind: numbers for kind, (numbers, _) in wanted.items()}
    assert counted(found)["T"][0] >= 1
    assert "mean of X per sample" in found.title
    one = found.compare("T", "lupus", "normal")
    table = one.frame().sort_index(key=lambda names: names.str[5:].astype(int))
    np.testing.assert_allclose(table["p"].drop("gene 2"), np.delete(wanted["T"][1], 2), rtol=1e-6)
    assert np.isnan(table.loc["gene 2", "p"])
    assert "means of X per donor, a t-test" in one.description
    assert any("X holds log1p values" in note for note in one.notes)
    np.testing.assert_allclose(
        table["log2fc"], np.log2((np.expm1(table["mean_a"]) + 1e-9) / (np.expm1(table["mean_b"]) + 1e-9))
    )
    cells = (obs["type"] == "T") & (obs["disease"] == "lupus") & MASKS[mask]
    assert one.sums.iloc[: table["n_a"].iloc[0].astype(int)].to_numpy().sum() == pytest.approx(
        np.log1p(x)[cells].astype(np.float64).sum()
    )
    assert len(w._session.answer(p.StudyOpen("T", "lupus", "normal", by="type")).__next__().message.names) == N_VAR


def test_a_gene_with_a_missing_value_is_not_tested_where_it_is_missing_and_scaled_values_have_no_fold_change(widgets):
    obs, x = study_data()
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1)
    x[np.flatnonzero((obs["type"] == "T") & (obs["donor"] == "D1"))[0], 5] = np.nan
    found = widgets(x=x).study(sample="donor", condition="disease").differences("type")
    of_t, of_b = (found.compare(kind, "lupus", "normal").frame() for kind in "TB")
    assert np.isnan(of_t.loc["gene 5", "p"])
    assert np.isfinite(of_b.loc["gene 5", "p"])
    assert of_t["log2fc"].isna().all()
    assert of_t.drop(["gene 2", "gene 5"])["p"].notna().all()


@pytest.mark.parametrize(("pair", "by"), [(None, "donor"), ("subject", "subject")])
@pytest.mark.parametrize("mask", ["all", "half"])
def test_a_field_is_the_comparison_of_the_same_cells_by_pseudobulk(widgets, pair, by, mask):
    w = widgets()
    found = w.study(sample="donor", condition="disease", pair=pair).differences("type", within=MASKS[mask])
    one = found.compare("T", "normal", "lupus")
    other = w.compare(
        {"type": "T", "disease": "normal"}, {"type": "T", "disease": "lupus"}, method="pseudobulk", by=by,
        min_donors=2, within=MASKS[mask],
    )  # fmt: skip
    pd.testing.assert_frame_equal(one.frame(), other.frame())
    pd.testing.assert_frame_equal(one.donors, other.donors, check_dtype=False)
    pd.testing.assert_frame_equal(one.sums, other.sums)
    assert (one.background.mask == other.background.mask).all()
    n = int((one.frame()["p_adj"] < 0.05).sum())
    assert n == found.frame().loc[("T", "lupus", "normal"), "n_genes"]


def test_a_field_becomes_the_newest_comparison_that_the_page_shows(widgets):
    w = widgets()
    found = w.study(sample="donor", condition="disease").differences("type").compare("B", "lupus", "normal")
    (frame,) = w._session.answer(p.AskComparison())
    assert frame.message.title == found.description
    assert "The test is not paired." in found.notes
    assert found.description.startswith("B lupus (4 donors")


def test_the_page_gets_types_by_genes_that_differ_and_opens_a_field(widgets):
    w = widgets()
    w.study(sample="donor", condition="disease")
    (frame,) = w._session.answer(p.AskStudy("differences", by="type"))
    part, tests = frame.message, frame.arrays["tests"]
    by_type = counted(w.study().differences("type"))
    rows = [row["category"] for row in part.rows]
    assert rows[0] == "T"
    assert part.pairs == [[0, 1]]
    assert tests.shape == (6, 3, 1)
    for at, kind in enumerate(rows):
        np.testing.assert_array_equal(
            tests[[0, 1, 4, 5], at, 0], [np.nan if one is None else one for one in by_type[kind]]
        )
    assert np.isnan(tests[2:4]).all()
    np.testing.assert_array_equal(
        frame.arrays["counts"].sum(axis=1), [np.sum(study_data()[0]["type"] == one) for one in rows]
    )
    (opened,) = w._session.answer(p.StudyOpen("T", "lupus", "normal", by="type"))
    frame = w.study().differences("type").compare("T", "lupus", "normal").frame()
    assert opened.message.names == frame.sort_index(key=lambda names: names.str[5:].astype(int)).index.tolist()


def test_filters_a_lasso_and_exclusions_count_without_another_pass(widgets, monkeypatch):
    w = widgets()
    obs, x = study_data()
    study = w.study(sample="donor", condition="disease")
    study.differences("type")
    passes = []
    monkeypatch.setattr(KeptSums, "make", lambda *args: passes.append(args))
    w.filters["donor"] = [f"D{at}" for at in range(7)]
    assert counted(study.differences("type")) == by_scipy(obs, x, obs["donor"] != "D7")
    w.filters.clear()
    study.exclude("D7")
    assert counted(study.differences("type")) == by_scipy(obs, x, obs["donor"] != "D7")
    w.undo()
    w.select(MASKS["half"])
    found = study.differences("type", within="selection")
    assert counted(found) == by_scipy(obs, x, MASKS["half"])
    assert any("too small if the choice followed the difference" in one for one in found.notes)
    assert not passes


def test_types_with_few_samples_are_not_tested_and_their_field_says_why(widgets):
    obs, _ = study_data()
    study = widgets().study(sample="donor", condition="disease")
    keep = ~((obs["type"] == "rare") & (obs["disease"] == "lupus") & (obs["donor"] != "D4"))
    found = study.differences("type", within=keep, min_cells=1)
    assert counted(found)["rare"] == (None, None, 1, 4)
    assert study.differences("type", within=keep, min_cells=10_000).title.endswith("; not tested")
    with pytest.raises(SelectionError, match=r"needs 2 samples of each condition .* only 1 sample of rare lupus and 4"):
        found.compare("rare", "lupus", "normal")
    assert "empty" not in counted(found)


def test_all_cells_together_are_one_row(widgets):
    w = widgets()
    found = w.study(sample="donor", condition="disease").differences()
    one = found.compare("", "lupus", "normal").frame()
    other = w.compare({"disease": "lupus"}, {"disease": "normal"}, method="pseudobulk", by="donor").frame()
    pd.testing.assert_frame_equal(one, other)
    assert found.frame().index.get_level_values(0).tolist() == [""]


def test_a_gene_of_one_donor_and_one_of_none_are_as_scipy_has_them(widgets):
    w = widgets()
    table = w.study(sample="donor", condition="disease").differences("type").compare("T", "lupus", "normal").frame()
    assert table.loc["gene 1", "share_b"] == 0.25
    assert np.isfinite(table.loc["gene 1", "p"])
    assert np.isnan(table.loc["gene 2", "p"])


@pytest.mark.parametrize("seed", range(3))
def test_without_an_effect_few_genes_differ(widgets, seed):
    rng = np.random.default_rng(seed)
    x = rng.poisson(3, (N_CELLS, N_VAR)).astype(np.float32)
    found = widgets(x=x).study(sample="donor", condition="disease").differences("type").frame()
    assert found["n_genes"].fillna(0).sum() <= 3


def test_what_cannot_be_tested_is_said_in_a_sentence(widgets):
    study = widgets().study(sample="donor", condition="disease")
    with pytest.raises(InvalidValue, match="min_cells takes a whole number from 1 on; found 0"):
        study.differences("type", min_cells=0)
    found = study.differences("type")
    with pytest.raises(UnknownName, match="condition"):
        found.compare("T", "lupus", "flu")
    with pytest.raises(InvalidValue, match="both are 'lupus'"):
        found.compare("T", "lupus", "lupus")


def test_the_figure_has_a_number_in_each_tested_field(widgets):
    found = widgets().study(sample="donor", condition="disease").differences("type", within=MASKS["few"])
    texts = [one.get_text() for axes in found.figure().axes for one in axes.texts]
    assert texts == [
        f"{one:,}" for one in sorted((one[0] for one in counted(found).values() if one[0] is not None), reverse=True)
    ]
    assert found._repr_png_().startswith(b"\x89PNG")
    assert "DifferencesPlot: Genes that differ by type, sums of counts of 8 samples" in repr(found)


@pytest.mark.parametrize("mask", MASKS)
def test_adjusted_p_of_a_field_are_those_of_statsmodels(widgets, mask):
    adjust = pytest.importorskip("statsmodels.stats.multitest").multipletests
    w = widgets()
    found = w.study(sample="donor", condition="disease").differences("type", within=MASKS[mask])
    table = found.compare("T", "lupus", "normal").frame()
    is_tested = table["p"].notna().to_numpy()
    by_statsmodels = adjust(table["p"].fillna(1.0), method="fdr_bh")[1]
    np.testing.assert_allclose(table["p_adj"][is_tested], by_statsmodels[is_tested], rtol=1e-12)


def test_a_pass_reports_its_progress_and_ends_when_it_is_cancelled(widgets):
    w = widgets(kind=ByRows)
    w.study(sample="donor", condition="disease")
    session, told = w._session, []
    session.comparisons._announce = lambda frame: told.append(frame.message)
    reads = session.dataset.rows_of

    def ended(*args, **more):
        session.study_genes.end()
        return reads(*args, **more)

    session.dataset.rows_of = ended
    with pytest.raises(Overtaken):
        list(session.answer(p.AskStudy("differences", by="type")))
    session.dataset.rows_of = reads
    assert list(session.answer(p.AskStudy("differences", by="type")))
    assert {one.ends_by for one in told if isinstance(one, p.Progress)} == {"study"}
    assert told[-1].done == 1.0
