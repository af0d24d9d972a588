"""Laws of pinned genes and gene sets: names as `color` takes them, kept in the state, refused in one sentence."""

import warnings

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.display import gene_sets
from cxg_widget.display.gene_sets import MOST_NAMES, MOST_PINNED, MOST_SETS, read_lists
from cxg_widget.errors import CxgWidgetError, InvalidValue, UnknownName
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small
from tests.unit.test_early_lassos import recorded

N = 1000
ALIASES = ("CD3E", "MS4A1", "GNLY", "NKG7")


def aliased(n_obs=N):
    """Return a dataset whose genes go by identifiers, and by readable names beside them."""
    x = np.random.default_rng(3).poisson(1.0, (n_obs, 4)).astype(np.float32)
    labels = [f"ENSG{i}" for i in range(4)]
    return MemoryDataset({}, x, labels, {"umap": np.zeros((n_obs, 2), np.float32)}, aliases=ALIASES)


def answered(widget, message):
    return [frame.message for frame in widget._session.answer(message)]


# Pins.


def test_genes_are_pinned_once_whichever_of_their_names_is_used_and_go_the_same_way(monkeypatch):
    w = recorded(aliased(), monkeypatch)
    w.genes.pin("CD3E", ["var:MS4A1", "ENSG0"])
    w.genes.pin("NKG7")
    assert w.genes.pinned == ("CD3E", "MS4A1", "NKG7")
    w.genes.unpin("ENSG1", "CD3E")
    assert w.genes.pinned == ("NKG7",) == tuple(w.state["pinned_genes"])
    w.genes.unpin()
    assert "pinned_genes" not in w.state
    w.close()


def test_a_name_that_is_no_gene_is_not_pinned_and_the_nearest_is_named(widget):
    widget.genes.pin("CD3E")
    with pytest.raises(UnknownName, match=r"'CD3'.*Did you mean 'CD3E'"):
        widget.genes.pin("MS4A1", "CD3")
    with pytest.raises(UnknownName, match="no pinned gene 'MS4A1'; this widget has 'CD3E'"):
        widget.genes.unpin("CD3E", "MS4A1")
    assert widget.genes.pinned == ("CD3E",)


def test_only_so_many_are_pinned():
    x = np.zeros((3, MOST_PINNED + 1), np.float32)
    data = MemoryDataset({}, x, [f"g{i}" for i in range(x.shape[1])], {"umap": np.zeros((3, 2), np.float32)})
    w = CxgWidget(data)
    w.genes.pin(list(data.var_names[:-1]))
    with pytest.raises(InvalidValue, match=f"at most {MOST_PINNED} genes"):
        w.genes.pin(data.var_names[-1])
    w.close()


# Sets.


def test_a_name_that_is_given_a_million_times_is_looked_up_once(widget, monkeypatch):
    looked_up = []
    has = gene_sets._has
    monkeypatch.setattr(gene_sets, "_has", lambda names, name: looked_up.append(name) or has(names, name))
    assert gene_sets.check_pinned(["CD3E", "MS4A1"] * 500_000, widget.dataset) == ["CD3E", "MS4A1"]
    assert len(looked_up) <= 4


def test_sets_are_a_mapping_over_those_made_here_and_those_of_the_store(widget):
    widget.genes.sets = {"T cells": ["CD3E"], "pair": ["DENSE"]}
    widget.genes.sets["B cells"] = np.array(["MS4A1", "MS4A1"])
    assert dict(widget.genes.sets) == {"T cells": ("CD3E",), "pair": ("DENSE",), "B cells": ("MS4A1",)}
    del widget.genes.sets["pair"]
    assert widget.genes.sets["pair"] == ("CD3E", "MS4A1")
    for wrong, said in (("pair", "belongs to the store"), ("nosuch", "is not a set made here")):
        with pytest.raises(UnknownName, match=said):
            del widget.genes.sets[wrong]
    widget.genes.sets = {}
    assert list(widget.genes.sets) == ["pair"]
    assert "gene_sets" not in widget.state


def test_a_set_colors_by_the_mean_of_its_genes_and_another_of_that_name_colors_anew(widget):
    data = widget.dataset
    values = {name: data.vector(name).dense(N) for name in ("CD3E", "MS4A1", "DENSE")}
    widget.genes.sets["mine"] = ["CD3E", "DENSE"]
    widget.color = "mine"
    np.testing.assert_allclose(widget._session.coloring().limits, _limits(values["CD3E"], values["DENSE"]))
    widget.front.settle().sent.clear()
    widget.genes.sets["other"] = ["CD3E"]
    widget.genes.pin("CD3E")
    before = widget._session.coloring()
    assert widget.front.kinds == []
    widget.genes.sets["mine"] = ["MS4A1", "DENSE"]
    assert widget._session.coloring() is not before
    np.testing.assert_allclose(widget._session.coloring().limits, _limits(values["MS4A1"], values["DENSE"]))
    widget.select(np.arange(5))
    mean = np.mean([values["MS4A1"], values["DENSE"]], axis=0)
    np.testing.assert_allclose(widget.selection.obs(["mine"])["mine"], mean[:5], rtol=1e-6)
    found = widget.aggregate("mean", color="set:mine", width=1, height=1).item()
    assert found == pytest.approx(float(mean.astype(np.float64).mean()), rel=1e-5)


def _limits(*values):
    mean = np.mean(values, axis=0)
    return mean.min(), mean.max()


def test_with_the_set_that_it_was_a_color_goes(widget):
    widget.genes.sets["mine"] = ["CD3E"]
    widget.color = "mine"
    del widget.genes.sets["mine"]
    assert widget.color is None
    widget.genes.sets["mine"] = ["CD3E"]
    assert widget.color is None


def test_search_finds_sets_that_were_made_until_they_go(widget):
    def found():
        return {one["spec"]: one["color"] for one in answered(widget, p.Search("bee", 5))[0].matches}

    assert found() == {}
    widget.genes.sets["bees"] = ["MS4A1"]
    assert found() == {"set:bees": "bees"}
    del widget.genes.sets["bees"]
    assert found() == {}


def test_the_state_brings_pins_sets_and_the_color_by_a_set_back(widget, monkeypatch):
    widget.genes.pin("CD3E")
    widget.genes.sets["mine"] = ["CD3E", "MS4A1"]
    widget.color = "set:mine"
    state = widget.state
    other = recorded(small(N), monkeypatch, **state)
    assert other.state == state
    other.genes.sets = {}
    other.state = state
    assert (other.color, other.genes.sets["mine"]) == ("set:mine", ("CD3E", "MS4A1"))
    other.genes.sets = {}
    other.set_state({"color": "set:mine", "gene_sets": state["gene_sets"]})
    assert other.color == "set:mine"
    other.close()


def test_the_table_shows_and_sorts_by_sets_that_were_made_here_until_they_go(widget):
    genes = {name: widget.dataset.vector(name).dense(N).astype(float) for name in ("CD3E", "MS4A1", "DENSE")}
    widget.genes.sets["mine"] = ["CD3E", "MS4A1"]
    widget.table = {"columns": ["cell_type", "mine"], "sort": "set:mine"}
    widget.hover = ["cell_type", "mine"]
    for other in ("MS4A1", "DENSE"):
        widget.genes.sets["mine"] = ["CD3E", other]
        expected = np.sort((genes["CD3E"] + genes[other]) / 2)
        np.testing.assert_allclose(widget.table.frame(n=N)["mine"], expected, rtol=1e-6)
    del widget.genes.sets["mine"]
    assert widget.table == {"columns": ["obs:cell_type"]}
    assert widget.hover == ["cell_type"]
    assert CxgWidget(widget.dataset, **widget.state).table.columns == ["obs:cell_type"]


def test_of_names_that_are_no_genes_the_rest_is_used_and_a_warning_tells(widget):
    with pytest.warns(UserWarning, match="Not found, skipped: 'nosuch'"):
        widget.genes.sets["mine"] = ["nosuch", "ms4a1", " CD3E "]
    assert widget.genes.sets["mine"] == ("MS4A1", "CD3E")


WRONG = {
    "no list": {"a": "CD3E"}, "no names": {"a": [1]}, "no gene": {"a": ["nosuch"]}, "empty": {"a": []},
    "no name": {"": ["CD3E"]}, "long name": {"a" * 201: ["CD3E"]}, "long gene": {"a": ["CD3E", "x" * 201]},
    "name that is none": {5: ["CD3E"]}, "a text": "CD3E", "other records": [{"name": "a"}],
    "twice": [{"name": "a", "genes": ["CD3E"]}] * 2, "name of a record": [{"name": ["a"], "genes": ["CD3E"]}],
    "many sets": {str(i): ["CD3E"] for i in range(MOST_SETS + 1)}, "many names": {"a": ["CD3E"] * (MOST_NAMES + 1)},
    "not JSON": {"a": object()},
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_sets_that_cannot_be_are_refused_in_a_sentence_and_those_before_stay(wrong, widget):
    widget.genes.sets = {"mine": ["CD3E"]}
    before = widget.state
    with pytest.raises(CxgWidgetError) as caught:
        widget.genes.sets = wrong
    assert "\n" not in str(caught.value)
    with pytest.raises(CxgWidgetError):
        widget.state = {**before, "gene_sets": wrong}
    assert widget.state == before
    widget.set_state({"gene_sets": wrong})
    assert widget.state == before


# Lists that are read.

LISTS = {
    "CD3E MS4A1": {"new": ["CD3E", "MS4A1"]},
    "CD3E, MS4A1;\r\n DENSE\n": {"new": ["CD3E", "MS4A1", "DENSE"]},
    "CD3E\tMS4A1\tDENSE": {"new": ["CD3E", "MS4A1", "DENSE"]},
    "\ufeffT\thttps://x\tCD3E\tMS4A1\t\nB cells\t\tms4a1\n\n": {"T": ["CD3E", "MS4A1"], "B cells": ["MS4A1"]},
    "none\tof\tnosuch\nT\tof\tCD3E": {"T": ["CD3E"]},
}


@pytest.mark.parametrize("text", LISTS)
def test_a_pasted_list_or_gmt_is_read_whatever_parts_its_names(text):
    assert read_lists(text, "new", small(3)).sets == LISTS[text]


def test_a_list_is_added_under_its_name_and_tells_what_was_left_out(widget, tmp_path):
    with pytest.warns(UserWarning, match="skipped: 'FOO', 'BAR'"):
        found = widget.genes.add("CD3E FOO BAR", "mine")
    assert (found.sets, found.unknown) == ({"mine": ["CD3E"]}, ("FOO", "BAR"))
    path = tmp_path / "hallmarks.gmt"
    path.write_text("T\tof\tCD3E\tMS4A1\nB\tof\tMS4A1\n")
    with warnings.catch_warnings(action="error"):
        widget.genes.add(path)
        widget.genes.add(str(path))
        (tmp_path / "markers.txt").write_text("DENSE\nCD3E\n")
        widget.genes.add(tmp_path / "markers.txt")
        widget.genes.add("CD3E")
    assert {name: list(genes) for name, genes in widget.genes.sets.items()} == {
        "mine": ["CD3E"], "T": ["CD3E", "MS4A1"], "B": ["MS4A1"], "markers": ["DENSE", "CD3E"], "gene set 1": ["CD3E"],
        "pair": ["CD3E", "MS4A1"],
    }  # fmt: skip


@pytest.mark.parametrize("wrong", ["FOO BAR", "T\tof\tnosuch\nB\tof\tnone", "", 5, "nosuch.gmt"])
def test_a_list_without_a_gene_is_refused_and_adds_nothing(wrong, widget):
    with pytest.raises(CxgWidgetError):
        widget.genes.add(wrong)
    assert list(widget.genes.sets) == ["pair"]


def test_a_page_that_pastes_is_answered_with_sets_and_never_reads_a_file(widget, tmp_path):
    (tmp_path / "secret").write_text("CD3E")
    with pytest.raises(UnknownName):
        answered(widget, p.AskGenes(str(tmp_path / "secret")))
    (found,) = answered(widget, p.AskGenes("CD3E <b>x"))
    assert found.sets == [{"name": "gene set 1", "n": 1, "genes": ["CD3E"]}]
    assert found.sentence == "Not found, skipped: '<b>x'."
    (of_store,) = answered(widget, p.AskGenes(""))
    assert of_store.sets == [{"name": "pair", "n": 2, "genes": ["CD3E", "MS4A1"]}]


# Counts of genes.


def test_opening_a_gene_reads_it_once_and_tells_its_zeros_and_what_var_says_beside_its_name(monkeypatch):
    w = recorded(aliased(), monkeypatch)
    asked = p.AskColumns(["var:GNLY"])
    w.dataset.reads.clear()
    (first,) = answered(w, asked)
    values = w.dataset.vector("GNLY").dense(N)
    assert (first.n_zeros, first.about) == (int((values == 0).sum()), [["gene", "ENSG2"]])
    answered(w, p.AskColumns(["var:GNLY"], known=["var:GNLY"]))
    assert [one for one in w.dataset.reads if one.startswith("X/")] == ["X/ENSG2"]
    w.close()
