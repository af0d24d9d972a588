"""The sentence for an unknown name: what there is, and what may have been meant."""

import numpy as np
import pytest

from cxg_widget.display.checks import check_hidden
from cxg_widget.errors import UnknownName
from cxg_widget.text.names import nearest, not_found, text_of
from tests.memory import MemoryDataset

FAMILY = ["CDH3", "CDK3", "CDV3", "CD3D", "CD3E", "CD3G", "MS4A1"]


def test_of_names_equally_like_the_one_asked_for_those_that_begin_alike_come_first():
    assert set(nearest("CD3Z", FAMILY)) == {"CD3D", "CD3E", "CD3G"}
    assert set(nearest("cd3z", FAMILY)) == {"CD3D", "CD3E", "CD3G"}


def test_a_name_more_like_it_comes_before_one_that_begins_alike():
    assert nearest("cell_tpye", ["cell", "cell_type", "cell_cycle"])[0] == "cell_type"


def test_obs_columns_are_suggested_before_genes_and_what_is_hardly_like_it_not_at_all():
    assert nearest("cell_typ", ["donor", "cell_type", "Cell cycle", "TYMP", "CETP"]) == ["cell_type"]
    assert nearest("CD3X", ["CD3A", "CD3E"]) == ["CD3A", "CD3E"]
    assert nearest("CD3X", ["CD3E", "CD3A"]) == ["CD3E", "CD3A"]


def test_the_beginning_of_a_name_or_of_a_word_in_it_suggests_it():
    assert nearest("NK", ["T cell", "B cell", "NK cell", "mature NK T cell", "SINK"])[0] == "NK cell"
    assert "mature NK T cell" in nearest("NK", ["T cell", "mature NK T cell"])
    assert nearest("N", ["NK cell"]) == []


def test_of_many_names_the_columns_are_compared_whatever_they_begin_with():
    many = ["cell_type", *(f"GENE{i}" for i in range(5_000))]
    assert nearest("ell_type", many) == ["cell_type"]
    assert nearest("GENE30001", many)[0] == "GENE3000"


@pytest.fixture
def genes():
    ids, symbols = [f"ENSG{i:05}" for i in range(50)], [f"GENE{i}" for i in range(50)]
    xy = {"umap": np.zeros((2, 2), np.float32)}
    return MemoryDataset({"donor": np.arange(2)}, np.zeros((2, 50), np.float32), ids, xy, aliases=symbols)


def test_genes_of_two_names_are_counted_once_and_called_by_the_readable_one(genes):
    from cxg_widget.display.color_target import resolve

    with pytest.raises(UnknownName, match=r"'GENE0', 'GENE1'.* \(50 in all\)"):
        genes.values("nope")
    with pytest.raises(UnknownName, match=r"'donor', 'GENE0'.* \(51 in all\)"):
        resolve("nope", genes)


def test_few_names_are_listed_without_a_count():
    assert not_found("layer", "x", ["a", "b"]) == "no layer 'x'; this dataset has 'a', 'b'."
    assert not_found("layer", "x", []) == "no layer 'x'; this dataset has none."


def test_a_label_is_its_str_unless_python_cannot_write_that():
    for label in ("a", 3, 2.5, None, True):
        assert text_of(label) == str(label)
    assert text_of(10**6000) == "<a whole number of 19,932 bits>"
    assert check_hidden(["a", 10**6000]) == ["a", "<a whole number of 19,932 bits>"]
