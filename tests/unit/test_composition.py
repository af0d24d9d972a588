"""Laws of compositions: what scipy and pandas say of the same cells."""

from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, fisher_exact, hypergeom, ttest_rel

from cxg_widget import CxgWidget
from cxg_widget.compare.composition import Composition
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.text.nouns import Noun
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset
from tests.unit.test_early_lassos import recorded

COLUMNS = ["n", "share", "expected", "odds_ratio", "p", "p_adj", "log10_p"]


def of_scipy(values, in_set, index):
    """Return what scipy says of each value of a set against the rest, as a frame by `index`."""
    rows = []
    n_all, n_set = len(values), int(in_set.sum())
    for value in index:
        is_it = values.isna() if pd.isna(value) else values == value
        a, held = int((is_it & in_set).sum()), int(is_it.sum())
        table = [[a, n_set - a], [held - a, n_all - held - n_set + a]]
        odds, p = fisher_exact(table, alternative="greater")
        assert p == pytest.approx(hypergeom.sf(a - 1, n_all, held, n_set), rel=1e-9)
        rows.append((a, a / n_set, n_set * held / n_all, odds, p))
    found = pd.DataFrame(rows, columns=COLUMNS[:5], index=index)
    return found.assign(p_adj=false_discovery_control(np.minimum(found["p"], 1)))


def assert_same(found, expected):
    pd.testing.assert_frame_equal(found[list(expected)], expected, rtol=1e-9, check_dtype=False)


@pytest.mark.parametrize("column", ["cell_type", "donor name", "is_doublet"])
def test_a_composition_is_that_of_scipy_and_missing_values_are_a_row(column, widget):
    obs = widget.dataset.obs()
    in_set = (obs["n_genes"] > 2500) & (obs["cell_type"] != "B cell")
    widget.select(in_set.to_numpy())
    found = widget.composition(column)
    assert list(found.columns) == COLUMNS
    assert found.index.equals(widget.counts(column).index)
    assert found["n"].dtype == np.int64
    assert_same(found, of_scipy(obs[column].astype(object), in_set, found.index))
    np.testing.assert_allclose(found["log10_p"], np.log10(found["p"]), rtol=1e-9, atol=1e-15)


def test_only_cells_that_pass_all_filters_count_those_of_the_set_too(widget):
    obs = widget.dataset.obs()
    widget.select({"is_doublet": True})
    widget.filters["cell_type"] = ["T cell", "B cell"]
    widget.filters["n_genes"] = (1000, None)
    passes = obs["cell_type"].isin(["T cell", "B cell"]) & (obs["n_genes"] >= 1000)
    for column in ("cell_type", "donor name"):
        found = widget.composition(column)
        values = obs.loc[passes, column].astype(object)
        assert_same(found, of_scipy(values, obs.loc[passes, "is_doublet"], found.index))


def test_numbers_fall_into_the_intervals_of_counts(widget):
    obs = widget.dataset.obs()
    in_set = obs["is_doublet"].to_numpy()
    found = widget.composition("n_genes", of=in_set)
    counts = widget.counts("n_genes")
    assert found.index.equals(counts.index)
    binned = np.searchsorted(counts.index.left, obs["n_genes"], side="right") - 1
    expected = of_scipy(pd.Series(binned), pd.Series(in_set), range(len(counts))).set_axis(found.index)
    assert_same(found, expected)


def test_a_set_is_given_as_select_takes_it_as_a_set_or_by_its_name(widget):
    of = {"is_doublet": True}
    widget.sets.add("doublets", of)
    widget.select({"donor name": "d1"})
    expected = widget.composition("cell_type", of=widget.dataset.obs()["is_doublet"].to_numpy())
    for one in (of, "doublets", widget.sets["doublets"], np.flatnonzero(widget.sets["doublets"].mask)):
        pd.testing.assert_frame_equal(widget.composition("cell_type", of=one), expected)
    assert widget.selection.obs()["donor name"].unique() == ["d1"]
    assert widget.composition("cell_type")["n"].sum() == 250


def test_donors_may_be_whole_numbers():
    rng = np.random.default_rng(0)
    donor, in_set = rng.integers(0, 5, 1000), rng.random(1000) < 0.5
    names = Codes(donor.astype(np.int8), tuple("abcde"))
    obs = {"type": Codes(rng.integers(0, 3, 1000).astype(np.int8), ("x", "y", "z")), "name": names, "number": donor - 7}
    dataset = MemoryDataset(obs, np.zeros((1000, 1), np.float32), ["gene"], {"umap": rng.random((1000, 2))})
    with closing(CxgWidget(dataset)) as w:
        by_name, by_number = (w.composition("type", of=in_set, by=one) for one in ("name", "number"))
    assert (by_name["n_donors"] == 5).all()
    pd.testing.assert_frame_equal(by_number, by_name)


def test_cells_are_named_as_for_compare(widget):
    mask = widget.dataset.obs(["n_genes"])["n_genes"].to_numpy() > 500
    widget.select(mask)
    widget.sets.add("many", mask)
    expected = widget.composition("cell_type")
    for of in ("selection", "many", "n_genes > 500", mask, {"query": "n_genes > 500"}, widget.sets["many"].rule):
        pd.testing.assert_frame_equal(widget.composition("cell_type", of=of), expected)
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    widget.select(polygon=square)
    pd.testing.assert_frame_equal(widget.composition("cell_type", of=square), widget.composition("cell_type"))


def test_what_cannot_be_asked_is_refused_in_a_sentence(widget):
    with pytest.raises(SelectionError, match="there are none"):
        widget.composition("cell_type")
    widget.select({"cell_type": "T cell"})
    for column, by, error, said in [
        ("cell_typ", None, UnknownName, "Did you mean"),
        (["CD3E"], None, InvalidValue, "name of a column"),
        ("cell_type", "n_counts", InvalidValue, "holds numbers"),
        ("cell_type", "n_genes", InvalidValue, "further apart than 64, of which w.annotations.new"),
        ("cell_type", "CD3E", InvalidValue, "holds numbers"),
        ("cell_type", "obs:cell_type", InvalidValue, "another column"),
    ]:
        with pytest.raises(error, match=said):
            widget.composition(column, by=by)
    widget.filters["cell_type"] = ["B cell"]
    assert len(widget.composition("donor name", of={"cell_type": "B cell"}))
    with pytest.raises(SelectionError, match="that pass the filters, and the set has none"):
        widget.composition("cell_type")


def drawn_at_random(n_all, n_categories, seed):
    """Return what a set of a fifth of all cells has of each category, and all; one category is enriched in it."""
    rng = np.random.default_rng(seed)
    held = rng.multinomial(n_all, rng.dirichlet(np.ones(n_categories)))
    drawn = rng.multivariate_hypergeometric(held, n_all // 5, method="marginals")
    drawn[0] = min(held[0], int(1.3 * drawn[0]) + 1)
    return Composition(drawn, held)


@pytest.mark.parametrize(("n_all", "n_categories"), [(40, 5), (3000, 30), (200_000, 5000)])
def test_chances_are_those_of_scipy_to_the_ninth_digit(n_all, n_categories):
    found = drawn_at_random(n_all, n_categories, seed=n_all)
    expected = hypergeom.sf(found.drawn - 1, found.n_all, found.held, found.n_drawn)
    known = expected > 1e-300
    assert known.sum() > n_categories - 2
    np.testing.assert_allclose(10 ** found.log10_p[known], expected[known], rtol=1e-9)


def test_a_chance_that_no_float_holds_has_its_logarithm():
    drawn = np.array([3000, 500, 500])
    held = np.array([3000, 8000, 9000])
    logs = hypergeom.logsf(drawn - 1, 20_000, held, 4000) / np.log(10)
    assert logs[0] < -2000
    found = Composition(drawn, held)
    np.testing.assert_allclose(found.log10_p, logs, rtol=1e-9, atol=1e-9)
    assert found.log10_p_adj[0] == pytest.approx(logs[0] + np.log10(3), rel=1e-12)


def test_exact_chances_of_small_sets_add_up_to_fractions():
    """Of 7 cells 3 have the category; of 4 drawn ones, how many do: 1, 12, 18 and 4 of 35 ways for 0 to 3."""
    ways = np.array([1, 12, 18, 4])
    for least in range(4):
        p = 10 ** Composition(np.array([least, 4 - least]), np.array([3, 4])).log10_p[0]
        assert p == pytest.approx(ways[least:].sum() / 35, rel=1e-14)


def test_a_category_without_cells_is_never_enriched_and_a_whole_population_neither():
    found = Composition(np.array([3, 0, 2]), np.array([3, 0, 2]))
    np.testing.assert_array_equal(found.log10_p, 0.0)
    assert np.isnan(found.odds_ratio).all()


# What the front-end is told of open columns.


def told(widget, column, **asked):
    """Return what an open column says of the selection: the message, and its arrays."""
    rules = widget.filters.rules
    (frame,) = widget._session.answer(p.AskColumns([column], filters=rules, **asked))
    return frame.message, frame.arrays


def test_an_open_column_is_told_with_its_composition_and_numbers_with_counts_alone(widget):
    widget.filters["n_genes"] = (800, 4000)
    widget.filters["cell_type"] = ["T cell", "B cell"]
    widget.select({"is_doublet": True})
    for column in ("cell_type", "donor name"):
        said, arrays = told(widget, f"obs:{column}")
        truth = widget.composition(column)
        k = len(truth)
        assert (said.n_chosen, said.enriched) == (truth["n"].sum(), [])
        assert arrays["chosen"][:k].tolist() == truth["n"].tolist()
        np.testing.assert_allclose(arrays["held"][:k] / said.n_held * said.n_chosen, truth["expected"])
        np.testing.assert_allclose(arrays["odds"][:k], truth["odds_ratio"], rtol=1e-6)
        np.testing.assert_allclose(arrays["log10_p"][:k], np.log10(truth["p_adj"]), rtol=1e-6, atol=1e-7)
    said, arrays = told(widget, "var:CD3E")
    inside = widget.selection.mask & widget.filters.mask
    values = widget.dataset.vector("CD3E").dense(widget.dataset.n_obs)
    for name, mask in (("chosen", inside), ("held", widget.filters.mask)):
        assert arrays[name][:-1].tolist() == np.histogram(values[mask], said.edges)[0].tolist()
    assert arrays["odds"].size == arrays["log10_p"].size == 0


def test_without_a_selection_nothing_is_told_of_it(widget):
    said, arrays = told(widget, "obs:cell_type")
    assert [arrays[name].size for name in ("chosen", "held", "odds", "log10_p")] == [0, 0, 0, 0]
    assert (said.n_chosen, said.n_held) == (0, 0)


def test_of_a_long_list_the_rows_in_sight_are_told_and_which_are_most_enriched(monkeypatch):
    rng = np.random.default_rng(3)
    clones = rng.integers(0, 3000, 30_000)
    columns = {"clone": Codes(clones, tuple(f"c{i}" for i in range(3000)))}
    dataset = MemoryDataset(columns, np.zeros((30_000, 1)), ["g"], {"umap": np.zeros((30_000, 2))})
    widget = recorded(dataset, monkeypatch)
    widget.select(rng.random(30_000) < np.where(clones % 500 == 7, 0.9, 0.1))
    truth = widget.composition("clone")
    said, arrays = told(widget, "obs:clone", rows=[[7, 5]])
    np.testing.assert_allclose(arrays["odds"], truth["odds_ratio"].iloc[[7, 5]], rtol=1e-6)
    assert set(said.enriched[:6]) == {7, 507, 1007, 1507, 2007, 2507}
    assert truth["p_adj"].to_numpy()[said.enriched].tolist() == np.sort(truth["p_adj"])[: len(said.enriched)].tolist()
    widget.close()


# Donors.


def by_donor_of_pandas(obs, in_set, value):
    """Return what scipy says of the shares of a value in each donor, those with ten cells here and there."""
    logits, shares = [], []
    for _, one in obs.groupby("donor"):
        chosen = in_set[one.index]
        if min(chosen.sum(), (~chosen).sum()) < 10 or not (one["cell_type"] == value).any():
            continue
        n = [(one["cell_type"][part] == value).sum() for part in (chosen, ~chosen)]
        of = [chosen.sum(), (~chosen).sum()]
        logits.append([np.log((a + 0.5) / (b - a + 0.5)) for a, b in zip(n, of, strict=True)])
        shares.append(np.divide(n, of))
    left = np.transpose(logits)
    return len(shares), *np.mean(shares, axis=0), ttest_rel(left[0], left[1], alternative="greater").pvalue


@pytest.mark.parametrize("n_donors", [5, 150])
def test_donors_are_compared_by_a_paired_t_test_on_logits_of_their_shares(n_donors, monkeypatch):
    rng = np.random.default_rng(n_donors)
    n = 60 * n_donors
    donor = rng.choice(n_donors, n, p=rng.dirichlet(np.full(n_donors, 3)))
    codes = rng.choice(4, n, p=[0.5, 0.3, 0.17, 0.03]) - 1
    names = tuple(f"d{i}" for i in range(n_donors))
    columns = {"cell_type": Codes(codes, ("a", "b", "c")), "donor": Codes(donor, names)}
    widget = recorded(MemoryDataset(columns, np.zeros((n, 1)), ["g"], {"umap": np.zeros((n, 2))}), monkeypatch)
    obs = widget.dataset.obs().reset_index(drop=True)
    in_set = pd.Series(rng.random(n) < np.where(codes == 1, 0.4, 0.25))
    found = widget.composition("cell_type", of=in_set.to_numpy(), by="donor")
    expected = [by_donor_of_pandas(obs, in_set, value) for value in ("a", "b", "c")]
    for value, (tested, share, rest, chance) in zip("abc", expected, strict=True):
        row = found.loc[value]
        assert (row["n_donors"], row["n_left_out"]) == (tested, len(np.unique(donor)) - tested)
        assert row["n_left_out"] > 0 or n_donors == 5
        np.testing.assert_allclose(row[["share_by", "rest_by", "p_by"]].to_list(), [share, rest, chance], rtol=1e-9)
    np.testing.assert_allclose(found["p_by_adj"], false_discovery_control(found["p_by"]), rtol=1e-9)
    widget.close()


def test_donors_with_too_few_cells_are_left_out_and_counted_and_one_alone_tells_nothing(monkeypatch):
    donor = np.repeat([0, 1, 2], [400, 12, 88])
    in_set = np.arange(500) % 4 == 0  # of the second donor 3 cells
    columns = {"kind": Codes(np.arange(500) % 2, ("a", "b")), "donor": Codes(donor, ("x", "y", "z"))}
    widget = recorded(MemoryDataset(columns, np.zeros((500, 1)), ["g"], {"umap": np.zeros((500, 2))}), monkeypatch)
    found = widget.composition("kind", of=in_set, by="donor")
    assert (found["n_donors"].tolist(), found["n_left_out"].tolist()) == ([2, 2], [1, 1])
    widget.filters["donor"] = ["x", "y"]
    alone = widget.composition("kind", of=in_set, by="donor")
    assert (alone["n_donors"].tolist(), alone["n_left_out"].tolist()) == ([1, 1], [1, 1])
    assert alone["p_by"].isna().all()
    assert alone["p_by_adj"].isna().all()
    widget.close()


def test_the_nouns_of_a_store_are_in_its_sentences():
    class Spectra(MemoryDataset):
        obs_noun = Noun("spectrum", "spectra")

    codes = Codes(np.array([0, 1, 1], np.int8), ("1", "2"))
    with closing(
        CxgWidget(Spectra({"level": codes}, np.zeros((3, 1), np.float32), ["mz"], {"e": np.eye(3)[:, :2]}))
    ) as w:
        with pytest.raises(SelectionError, match="needs spectra, and there are none"):
            w.composition("level")
        w.select(np.array([True, False, False]))
        w.filters["level"] = ["2"]
        with pytest.raises(SelectionError, match="needs spectra that pass the filters"):
            w.composition("level")
