"""What is told of the cell under the pointer: what was chosen, in that order, or what says most."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import is_constant
from cxg_widget.display.hover import text_of
from cxg_widget.display.hover_fields import Fields
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small

N = 60


def made(**columns):
    xy = np.column_stack([np.arange(N), np.zeros(N)]).astype(np.float32)
    x = np.arange(2 * N, dtype=np.float32).reshape(N, 2)
    return MemoryDataset(columns, x, ["CD3E", "NKG7"], {"umap": xy}, gene_sets={"both": ("CD3E", "NKG7")})


def codes(n, kinds):
    return Codes((np.arange(N) % n).astype(np.int8), tuple(kinds))


def told(dataset, row=7, **settings):
    (frame,) = Session(dataset, Settings(embedding="umap", **settings)).answer(p.Hover(float(row), 0.0, 0.4, 0.4))
    assert frame.message.row == row
    return frame.message.fields


def test_chosen_fields_are_told_in_their_order_genes_among_them():
    data = small(N)
    data.embeddings["line"], line = 2, np.column_stack([np.arange(N), np.zeros(N)]).astype(np.float32)
    data._xy["line"] = line
    asked = ("n_genes", "CD3E", "cell_type", "pair", "obs:is_doublet", "var:DENSE")
    (frame,) = Session(data, Settings(embedding="line", color="cell_type", hover=asked)).answer(
        p.Hover(7.0, 0.0, 0.4, 0.4)
    )
    obs = data.obs().iloc[7]
    cell_type = obs["cell_type"] if isinstance(obs["cell_type"], str) else p.MISSING_LABEL
    mean = float(data._x[7, :2].mean(dtype=np.float64))
    assert frame.message.fields == [
        ["n_genes", str(obs["n_genes"])],
        ["CD3E", text_of(float(data._x[7, 0]))],
        ["cell_type", cell_type],
        ["pair", text_of(mean)],
        ["is_doublet", str(obs["is_doublet"])],
        ["DENSE", text_of(float(data._x[7, 3]))],
    ]


def test_an_empty_list_tells_nothing_but_the_cell():
    assert told(made(donor=codes(3, "abc")), hover=()) == []


def test_chosen_fields_are_told_though_they_are_identifiers_or_constant():
    data = made(barcode=np.array([f"A{i}" for i in range(N)], dtype=object), batch=codes(1, "a"))
    assert told(data, hover=("barcode", "batch")) == [["barcode", "A7"], ["batch", "a"]]


IDENTIFIERS = [
    "cell_type_ontology_term_id", "observation_joinid", "soma_joinid", "barcode", "suspension_uuid", "cell_id", "index",
    "dataset_id", "name_0", "cell.barcodes",
]  # fmt: skip


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_not_told_by_default(name):
    data = made(**{name: codes(3, ("x", "y", "z")), "donor_id": codes(3, "abc")})
    assert told(data) == [["donor_id", "b"]]


def test_columns_of_one_value_are_not_told_by_default_whether_schema_or_reading_says_so():
    same = {
        "assay": codes(1, ["10x"]),
        "declared_more": codes(1, ["10x", "Smart-seq"]),
        "is_primary": np.ones(N, dtype=bool),
        "zero": np.zeros(N),
        "never": np.full(N, np.nan),
        "lost": Codes(np.full(N, -1, dtype=np.int8), ("a", "b")),
    }
    data = made(**same, donor=codes(3, "abc"), score=np.arange(N))
    assert told(data) == [["donor", "b"], ["score", "7"]]


def test_text_is_told_unless_each_row_has_its_own():
    data = made(
        key=np.array([f"k{i}" for i in range(N)], dtype=object),
        site=np.array([f"s{i % 2}" for i in range(N)], dtype=object),
        same=np.array(["x"] * N, dtype=object),
        score=np.arange(N),
    )
    assert told(data) == [["site", "s1"], ["score", "7"]]


def test_five_columns_are_told_though_the_first_ones_say_nothing():
    flat = {f"flat{i}": np.zeros(N) for i in range(7)}
    data = made(**flat, **{f"score{i}": np.arange(N) + i for i in range(9)})
    assert [name for name, _ in told(data)] == [f"score{i}" for i in range(5)]
    assert [name for name, _ in told(data, color="score1")] == ["score0", "score2", "score3", "score4", "score5"]


def test_opening_reads_no_column_to_find_out():
    data = made(**{f"flat{i}": np.zeros(N) for i in range(3)})
    Fields(data)
    assert data.reads == []


@pytest.mark.parametrize(
    ("strings", "same"),
    [(["a", "a"], True), (["a", "b"], False), (["ab", "a"], False), (["", ""], True), ([], True), (["", "a"], False)],
)
def test_packed_strings_are_the_same_where_they_are_equal(strings, same):
    text = np.frombuffer("".join(strings).encode(), dtype=np.uint8)
    packed = PackedStrings(text, np.cumsum([0, *map(len, strings)]).astype(np.int64))
    assert is_constant(packed) == same == (len(set(strings)) < 2)


def test_hover_is_checked_and_kept_in_the_state():
    w = CxgWidget(small(), hover=["n_genes", "CD3E"])
    assert w.state["hover"] == ["n_genes", "CD3E"]
    again = CxgWidget(small(), **json.loads(json.dumps(w.state)))
    assert again.hover == ["n_genes", "CD3E"]
    for wrong, sentence in [
        (["n_gene"], "Did you mean 'n_genes'"),
        (["n_genes", "CD3"], "'CD3E'"),
        (5, "hover must be a list of obs columns and genes, or None; found 5"),
        ([5], "hover must be a list"),
        ([""], "hover must be a list"),
    ]:
        with pytest.raises(errors.CxgWidgetError, match=sentence):
            w.hover = wrong
        assert w.hover == ["n_genes", "CD3E"]
    w.hover = "cell_type"
    assert w.hover == ["cell_type"]
    w.hover = None
    assert "hover" not in w.state
    for one in (w, again):
        one.close()


def test_what_was_chosen_is_told_from_the_next_question_on_and_nothing_else_is_sent():
    w = CxgWidget(made(donor=codes(3, "abc"), score=np.arange(N)))
    sent = []
    w._exchange._send = lambda content, buffers=None: sent.append(content)
    w.hover = ["score"]
    assert sent == []
    (frame,) = w._session.answer(p.Hover(7.0, 0.0, 0.4, 0.4))
    assert frame.message.fields == [["score", "7"]]
    w.close()


def test_a_gene_does_not_take_the_unit_of_the_column_that_shares_its_name():
    data = made(CD3E=np.arange(N, dtype=np.float64))
    data.obs_columns["CD3E"] = replace(data.obs_columns["CD3E"], unit="ms")
    assert told(data, hover=("obs:CD3E", "var:CD3E")) == [["CD3E", "7 ms"], ["CD3E", "14"]]
    assert told(data, hover=None) == [["CD3E", "7 ms"]]
