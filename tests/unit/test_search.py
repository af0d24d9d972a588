"""What a user types finds columns and genes in the order they are most likely meant, and lists of genes."""

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.display.color_target import resolve
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset

N = 40
SYMBOLS = ["CD34", "CD3E", "CD38", "CD3D", "CD3EAP", "SCD3", "TWIN", "TWIN", "donor", "ENSG0", ""]
IDS = [f"ENSG{i}" for i in range(len(SYMBOLS))]


def column(n_categories):
    return Codes(np.arange(N) % n_categories, tuple(f"c{i}" for i in range(n_categories)))


@pytest.fixture
def data():
    obs = {
        "cell_type_ontology_term_id": column(3), "sample_uuid": column(2), "cell_type": column(3),
        "celltype_fine": column(3), "author_cell_type": column(3), "cell_state": column(1), "cells": column(N),
        "donor": column(2),
    }  # fmt: skip
    rng = np.random.default_rng(0)
    x = rng.poisson(1, (N, len(IDS))).astype(np.float32)
    dataset = MemoryDataset(
        obs, x, IDS, {"umap": rng.normal(size=(N, 2))}, aliases=SYMBOLS, gene_sets={"pair": ("ENSG1", "ENSG3")}
    )
    yield dataset
    assert not [read for read in dataset.reads if read.startswith(("obs/", "X/"))]


def search(dataset, query, limit=50):
    (frame,) = Session(dataset, Settings(embedding="umap")).answer(p.Search(query, limit))
    return frame.message


def labels(dataset, query, limit=50):
    return [match["label"] for match in search(dataset, query, limit).matches]


def test_the_whole_name_then_the_shortest_with_that_beginning_then_the_alphabet(data):
    assert labels(data, "CD3") == ["CD3D", "CD3E", "CD34", "CD38", "CD3EAP", "SCD3"]
    assert labels(data, "cd3e") == ["CD3E", "CD3EAP"]
    assert labels(data, "ensg1")[:1] == ["CD3E"]  # by its identifier, as a whole


def test_identifiers_and_columns_of_one_value_come_last_unless_called_for(data):
    found = labels(data, "cell")
    assert found[:3] == ["cell_type", "celltype_fine", "author_cell_type"]
    assert set(found[3:]) == {"cell_state", "cells", "cell_type_ontology_term_id"}
    assert labels(data, "cells")[0] == "cells"
    assert labels(data, "sample") == ["sample_uuid"]
    assert [match["detail"] for match in search(data, "cell_").matches if match["kind"] == "obs"][:2] == [
        "3 categories", "3 categories",
    ]  # fmt: skip
    assert search(data, "cell_state").matches[0]["detail"] == "1 category"
    assert set(labels(data, "", 8)[4:]) == {"cell_type_ontology_term_id", "sample_uuid", "cell_state", "cells"}


def test_a_column_that_says_little_is_listed_before_the_genes_that_do_not_fit(data):
    assert "cell_type_ontology_term_id" in labels(data, "cell", 6)


def test_a_pick_sets_the_readable_name_where_it_means_nothing_else(data):
    called = lambda match: match["label"] if match["kind"] == "obs" else match["detail"] or match["label"]  # noqa: E731
    picked = {called(match): match for query in ("", "ENSG") for match in search(data, query).matches}
    expected = {"ENSG1": "CD3E", "ENSG6": "ENSG6", "ENSG7": "ENSG7", "ENSG8": "var:donor", "ENSG10": "ENSG10"}
    assert {gene: picked[gene]["color"] for gene in expected} == expected
    assert picked["ENSG9"]["color"] == "ENSG9"  # its symbol is the identifier of another gene
    assert picked["donor"]["color"] == "donor"
    for match in picked.values():
        target = resolve(match["color"], data)
        assert target.spec == match["spec"]
        if target.source == "var":
            assert data.find_var(target.name) == IDS.index(called(match))


@pytest.mark.parametrize("query", ["CD3E, CD3D", "cd3d cd3e", "CD3E;cd3d;", " ENSG1\tensg3 ", "CD3E,CD3E,CD3D,"])
def test_a_list_of_genes_is_their_mean_whatever_their_case_and_what_divides_them(data, query):
    best, *_ = search(data, query).matches
    assert (best["label"], best["kind"]) == ("mean of 2 genes", "set")
    assert {data.find_var(gene) for gene in best["color"]} == {1, 3}
    assert resolve(best["color"], data).spec == best["spec"]


def test_names_of_a_list_that_are_unknown_are_told_and_a_phrase_is_no_list(data):
    best, *_ = search(data, "CD3E, nope, CD34, neither").matches
    assert (best["color"], best["detail"]) == (["CD3E", "CD34"], "nope, neither not found")
    assert search(data, "CD3E,n1,n2,n3,n4,n5").matches[0]["detail"] == "n1, n2, n3 and 2 more not found"
    assert search(data, "CD3E cell").matches == []
    assert search(data, "nope, neither").matches == []
    assert labels(data, "CD3E,") == ["CD3E", "CD3EAP"]


def test_a_list_picked_in_the_box_colors_by_the_mean_that_numpy_has(data):
    color = search(data, "cd3e cd3d").matches[0]["color"]
    w = CxgWidget(data, color=None)
    w.set_state({"color": color})
    read = w._session.coloring().data.vector.dense(N)
    np.testing.assert_allclose(read, data._x[:, [1, 3]].mean(axis=1), rtol=1e-6)
    w.close()
    data.reads.clear()


def test_sets_of_cells_are_found_by_name_and_their_match_is_what_colors_by_them(data):
    w = CxgWidget(data, color=None)
    assert not [one for one in next(w._session.answer(p.Search("", 50))).message.matches if "sets:" in one["spec"]]
    for name, rows in (("CD3", [0, 1]), ("of donor <b>", [2, 3])):
        w.sets.add(name, np.array(rows))
    found = {
        query: [
            (one["kind"], one["label"], one["color"])
            for one in next(w._session.answer(p.Search(query, 50))).message.matches
        ]
        for query in ("", "cd3", "cd3e", "sets of", "donor")
    }
    kinds = list(dict.fromkeys(kind for kind, *_ in found[""]))
    assert kinds == ["obs", "sets of cells", "set", "var"]
    assert found["cd3"][0] == ("sets of cells", "CD3", "sets:CD3")  # the whole name
    assert [label for _, label, _ in found["cd3e"]] == ["CD3E", "CD3EAP"]
    assert found["sets of"] == [("sets of cells", "all sets of cells", "sets:")]
    assert [label for _, label, _ in found["donor"]] == ["donor", "donor", "of donor <b>"]
    for _, _, color in (*found["sets of"], found["donor"][-1]):
        w.color = color
        assert w._session.settings.color == color
    w.close()
