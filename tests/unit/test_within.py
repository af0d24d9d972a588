"""One population: `within=` means the same cells in every call, and all else counts nowhere."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget.errors import CxgWidgetError, InvalidValue, SelectionError, UnknownName

QUERY = "n_genes > 1800"


@pytest.fixture
def obs(widget):
    return widget.dataset.obs()


def passing(obs):
    return ((obs["n_genes"] >= 2000) & obs["cell_type"].isin(["T cell", "B cell"])).to_numpy()


POPULATIONS = {
    "all": (lambda _: None, lambda obs: np.ones(len(obs), bool)),
    "filter": (lambda _: "filter", passing),
    "selection": (lambda _: "selection", lambda obs: (obs["n_counts"] < 900).to_numpy()),
    "a set by name": (lambda _: "mine", lambda obs: obs["donor name"].isin(["d1", "d2"]).to_numpy()),
    "a set": (lambda w: w.sets["mine"], lambda obs: obs["donor name"].isin(["d1", "d2"]).to_numpy()),
    "a rule": (lambda _: {"query": QUERY}, lambda obs: obs.eval(QUERY).to_numpy()),
    "values": (lambda _: {"is_doublet": True}, lambda obs: obs["is_doublet"].eq(True).to_numpy()),
    "a mask": (lambda w: np.arange(w.dataset.n_obs) % 3 == 0, lambda obs: np.arange(len(obs)) % 3 == 0),
}


@pytest.fixture(params=POPULATIONS)
def population(request, widget, obs):
    """Return what `within=` is given, and the cells that it means by pandas; filters and a selection are on."""
    widget.sets.add("mine", {"donor name": ["d1", "d2"]})
    widget.select((obs["n_counts"] < 900).to_numpy())
    widget.filters["n_genes"] = (2000, None)
    widget.filters["cell_type"] = ["T cell", "B cell"]
    given, expected = POPULATIONS[request.param]
    return given(widget), expected(obs)


def values_of(widget, mask):
    return widget.dataset.values("CD3E")[mask].astype(np.float64)


def test_compare_takes_both_sides_and_the_rest_from_the_population(population, widget, obs):
    within, counted = population
    a = (obs["cell_type"] == "T cell").to_numpy()
    found = widget.compare({"cell_type": "T cell"}, within=within)
    sides = [values_of(widget, side & counted) for side in (a, ~a)]
    row = found.frame().loc["CD3E"]
    assert row[["n_a", "n_b"]].tolist() == [len(sides[0]), len(sides[1])]
    expected = stats.ttest_ind(*sides, equal_var=False)
    np.testing.assert_allclose(row[["statistic", "p"]].astype(float), [expected.statistic, expected.pvalue], rtol=1e-5)
    assert found.background.mask.tolist() == (~a & counted).tolist()
    n = "all 1,000" if within is None else f"the {counted.sum():,} of 1,000"
    assert f"; among {n} cells" in found.description


def test_markers_by_column_compare_each_group_with_the_rest_of_the_population(population, widget, obs):
    within, counted = population
    found = widget.markers(by="donor name", within=within)
    donors = obs["donor name"].astype(object)[counted]
    if counted.all() or donors.nunique() > 1:
        frame = found.frame()
        assert sorted(set(frame.index.get_level_values(0))) == sorted(donors.dropna().unique())
        for donor in donors.dropna().unique():
            is_it = (obs["donor name"] == donor).to_numpy() & counted
            row = frame.loc[(donor, "CD3E")]
            assert row[["n_a", "n_b"]].tolist() == [is_it.sum(), counted.sum() - is_it.sum()]
            np.testing.assert_allclose(row["mean_b"], values_of(widget, counted & ~is_it).mean(), rtol=1e-5)


def test_a_neighborhood_lies_in_the_population(widget, obs):
    counted = passing(obs)
    widget.filters["n_genes"] = (2000, None)
    widget.filters["cell_type"] = ["T cell", "B cell"]
    xy = widget.dataset.embedding("umap")
    near = (np.hypot(*(xy - np.nanmedian(xy, axis=0)).T) < 1.0) & np.isfinite(xy).all(axis=1)
    found = widget.markers(near, against="neighborhood", within="filter")
    around = found.background.mask
    assert around.any()
    assert not (around & ~counted).any()
    assert found.frame()["n_a"].iloc[0] == (near & counted).sum()


def test_compositions_count_the_population_alone(population, widget, obs):
    within, counted = population
    if within is None:
        counted = passing(obs)  # the default of `composition`
    a = (obs["n_genes"] > 2500).to_numpy() & counted
    found = widget.composition("donor name", a, within=within)
    labels = obs["donor name"].astype(object)
    for label in found.index.dropna():
        is_it = (labels == label).to_numpy()
        assert found.loc[label, "n"] == (is_it & a).sum()
        np.testing.assert_allclose(found.loc[label, "expected"], a.sum() * (is_it & counted).sum() / counted.sum())


@pytest.mark.parametrize("column", ["donor name", "cell_type"])
def test_counts_are_of_the_population_alone(column, population, widget, obs):
    within, counted = population
    others = passing(obs) if column != "cell_type" else (obs["n_genes"] >= 2000).to_numpy()
    masks = {"all": counted, "filtered": counted & others, "selected": counted & widget.selection.mask}
    found = widget.counts(column, within=within)
    for name, mask in masks.items():
        expected = obs[column].astype(object)[mask].value_counts(dropna=False)
        assert found[name].sum() == mask.sum()
        assert {k: v for k, v in found[name].items() if v and not pd.isna(k)} == {
            k: v for k, v in expected.items() if not pd.isna(k)
        }


def test_plots_take_the_cells_of_the_population(population, widget, obs):
    within, counted = population
    if within is None:
        counted = passing(obs)
    groups = obs["donor name"][counted]
    values = pd.Series(values_of(widget, counted), index=groups.index)
    means = values.groupby(groups, observed=True).mean()
    for plot in (widget.dotplot, widget.heatmap):
        np.testing.assert_allclose(
            plot("CD3E", "donor name", within=within).frame()["mean"]["CD3E"], means.to_numpy(), rtol=1e-5
        )
    assert widget.violin("CD3E", "donor name", within=within).frame()["n"]["CD3E"].sum() == groups.notna().sum()
    bars = widget.bars("is_doublet", "donor name", within=within).frame()
    assert bars.to_numpy().sum() == pd.crosstab(groups, obs["is_doublet"][counted]).to_numpy().sum()


def test_selecting_and_aggregating_take_the_cells_of_the_population(population, widget, obs):
    within, counted = population
    has_place = np.isfinite(widget.dataset.embedding(widget.embedding)).all(axis=1)
    assert int(widget.aggregate("count", within=within).sum()) == (counted & has_place).sum()
    doublets = obs["is_doublet"].eq(True).to_numpy()
    found = widget.select({"is_doublet": True}, within=within)
    assert found.mask.tolist() == (doublets & counted).tolist()
    assert widget.sets.apply(found.rule).mask.tolist() == found.mask.tolist()


def test_a_selection_stays_whole_and_gives_the_part_in_a_population(population, widget, obs):
    within, counted = population
    selected = (obs["n_counts"] < 900).to_numpy()
    assert widget.selection.mask.tolist() == selected.tolist()
    found = widget.selection.obs(["n_genes", "CD3E"], within=within)
    assert found.index.tolist() == obs.index[selected & counted].tolist()
    np.testing.assert_allclose(found["CD3E"], values_of(widget, selected & counted), rtol=1e-6)


CALLS = {
    "select": lambda w, x: w.select([1, 2], within=x),
    "aggregate": lambda w, x: w.aggregate("count", within=x),
    "compare": lambda w, x: w.compare([1, 2, 3], within=x),
    "markers": lambda w, x: w.markers([1, 2, 3], within=x),
    "markers by": lambda w, x: w.markers(by="cell_type", within=x),
    "composition": lambda w, x: w.composition("cell_type", [1, 2, 3], within=x),
    "counts": lambda w, x: w.counts("cell_type", within=x),
    "counts of genes": lambda w, x: w.counts(["CD3E", "DENSE"], within=x),
    "dotplot": lambda w, x: w.dotplot("CD3E", "cell_type", within=x),
    "heatmap": lambda w, x: w.heatmap("CD3E", "cell_type", within=x),
    "violin": lambda w, x: w.violin("CD3E", "cell_type", within=x),
    "bars": lambda w, x: w.bars("cell_type", "donor name", within=x),
    "selection": lambda w, x: w.selection.obs(within=x),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", ["flter", 7, "", ["filter"]])
def test_what_means_no_population_is_refused_by_one_sentence(call, wrong, widget):
    said = "no cell 'filter'" if wrong == ["filter"] else "does not name cells; give 'selection', 'filter', the name of"
    with pytest.raises(SelectionError, match=said):
        CALLS[call](widget, wrong)


@pytest.mark.parametrize("call", CALLS)
def test_a_rule_that_names_what_there_is_not_is_refused_in_every_call(call, widget):
    with pytest.raises(UnknownName, match="no_such"):
        CALLS[call](widget, {"obs": "no_such", "in": ["x"]})
    with pytest.raises(CxgWidgetError):
        CALLS[call](widget, {"no_such": "x"})


def test_the_cells_of_a_set_have_no_filter_of_their_own(widget):
    widget.sets.add("mine", [1, 2])
    with pytest.raises(InvalidValue, match=r"w\.selection\.obs"):
        widget.sets["mine"].obs(within="filter")
