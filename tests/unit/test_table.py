"""Laws of the table of the cells: its rows are those of pandas, by message, in Python and in a file."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidValue, UnknownName
from tests.memory import MemoryDataset, small
from tests.unit.test_early_lassos import recorded

N = 1000
COLUMNS = ["cell_type", "n_counts", "is_doublet", "n_genes", "donor name", "CD3E", "DENSE"]


@pytest.fixture(scope="module")
def frame():
    data = small(N)
    genes = {name: data.vector(name).dense(N) for name in ("CD3E", "DENSE")}
    return data.obs().assign(**genes)[COLUMNS]


def asked(widget, table=None, start=0, n=20, **more):
    """Return the answer to a request for rows and its arrays: where the cells are, which of them are selected."""
    before = len(widget.front.settle().sent)
    rules = widget.filters.rules
    widget.front.ask(kind="table", table=table or {}, start=start, n=n, **{"filters": rules, **more})
    (content, buffers), *others = widget.front.sent[before:]
    assert others == []
    return content, [np.frombuffer(raw, one["dtype"]) for one, raw in zip(content["arrays"], buffers, strict=True)]


def file_of(widget, **more):
    """Return what a front-end puts together from all parts of a file, and how many there were."""
    parts, start, total = [], 0, 1
    while start < total:
        widget.front.ask(kind="csv", start=start, n=10_000, **{"table": {}, **more})
        content, buffers = widget.front.sent[-1]
        assert content["kind"] == "csv", content
        assert content["start"] == start
        start, total = content["stop"], content["total"]
        parts.append(bytes(buffers[0]))
    return b"".join(parts).decode(), len(parts)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", [None, "index", *COLUMNS])
def test_rows_are_those_of_pandas_whatever_the_table_is_sorted_by(sort, descending, widget, frame):
    widget.filters["n_genes"] = (500, 4000)
    widget.table = {"columns": COLUMNS, "sort": sort, "descending": descending}
    expected = frame[frame["n_genes"].between(500, 4000)]
    how = {"ascending": not descending, "kind": "stable"}
    if sort == "index":
        expected = expected.sort_index(**how)
    elif sort:
        expected = expected.sort_values(sort, na_position="last", **how)
    elif descending:
        expected = frame[frame["n_genes"].between(500, 4000)]
    pd.testing.assert_frame_equal(widget.table.frame(), expected.iloc[:100])
    pd.testing.assert_frame_equal(widget.table.frame(700, 1000), expected.iloc[700:1700])
    pd.testing.assert_frame_equal(widget.table.frame(n=None), expected)
    assert len(widget.table) == len(expected)
    table = widget.get_state()["table"]
    content, _ = asked(widget, table, start=690, n=20)
    assert content["total"] == len(expected)
    assert content["names"] == expected.index[690:710].tolist()
    assert [frame.index[row] for row in content["rows"]] == content["names"]


def test_the_table_of_the_selection_holds_selected_cells_whether_they_pass_filters_or_not(widget, frame):
    widget.filters["cell_type"] = ["T cell"]
    widget.select({"donor name": "d1"})
    widget.table.of = "selection"
    widget.table.sort, widget.table.descending = "n_counts", True
    expected = frame[frame["donor name"] == "d1"].sort_values("n_counts", ascending=False, kind="stable")
    assert widget.table.frame(n=None).index.tolist() == expected.index.tolist()
    widget.clear_selection()
    assert widget.table.frame().shape == (0, len(widget.table.columns))
    assert asked(widget, {"of": "selection"})[0]["total"] == 0


def test_a_page_holds_texts_as_hovering_writes_them_and_where_each_cell_is(widget, frame):
    table = {"columns": COLUMNS}
    widget.select({"donor name": "d1"})
    content, (xy, selected, elsewhere) = asked(widget, table, n=50)
    heads = content["columns"]
    assert [head["spec"] for head in heads] == [f"obs:{name}" for name in COLUMNS[:5]] + ["var:CD3E", "var:DENSE"]
    assert [head["is_number"] for head in heads] == [False, True, False, True, False, True, True]
    texts = dict(zip(COLUMNS, content["values"], strict=True))
    missing = lambda one: "(missing)" if pd.isna(one) else one  # noqa: E731
    assert texts["cell_type"] == [missing(one) for one in frame["cell_type"][:50]]
    assert texts["n_genes"] == [str(one) for one in frame["n_genes"][:50]]
    assert texts["is_doublet"] == [str(one) for one in frame["is_doublet"][:50]]
    numbers = ["(missing)" if np.isnan(one) else f"{one:.5g}" for one in frame["n_counts"][:50]]
    assert texts["n_counts"] == numbers
    np.testing.assert_array_equal(xy.reshape(-1, 2), widget.dataset._xy["umap"][content["rows"]])
    np.testing.assert_array_equal(selected == 1, frame["donor name"][:50] == "d1")
    assert not len(elsewhere)  # no panel has another embedding


def test_the_page_around_a_cell_holds_it_and_says_its_place(widget, frame):
    expected = frame.sort_values("n_genes", kind="stable").index.tolist()
    for row in (3, 500, frame.index.get_loc(expected[0]), frame.index.get_loc(expected[-1])):
        content, _ = asked(widget, {"sort": "n_genes"}, find=int(row), n=30)
        assert content["at"] == expected.index(frame.index[row])
        assert content["names"] == expected[content["start"] : content["start"] + 30]
        assert row in content["rows"]
    widget.filters["cell_type"] = ["T cell"]
    hidden = int(np.flatnonzero(frame["cell_type"] == "B cell")[0])
    content, _ = asked(widget, {"sort": "n_genes"}, start=7, find=hidden)
    assert (content["at"], content["start"]) == (-1, 7)


def test_columns_that_nobody_chose_are_what_colors_and_those_that_say_most_and_only_they_are_read(monkeypatch):
    data = small(N)
    widget = recorded(data, monkeypatch, color="CD3E")
    assert widget.table.columns[0] == "var:CD3E"
    assert set(widget.table.columns[1:]) == {f"obs:{name}" for name in data.obs_columns}
    widget.color = "cell_type"
    assert widget.table.columns[0] == "obs:cell_type"
    widget.front.settle()
    data.reads.clear()
    asked(widget, {"columns": ["n_genes"]})
    assert set(data.reads) <= {"obs/n_genes", "obs/cell_id"}
    widget.close()


def test_columns_of_one_value_are_none_of_those_that_nobody_chose():
    rng = np.random.default_rng(4)
    obs = {
        "is_primary": np.ones(N, dtype=bool),
        "organism": np.array(["human"] * N, dtype=object),
        "assay": Codes(np.zeros(N, dtype=np.int8), ("3' v3", "5' v2")),
        "version": np.full(N, 3, dtype=np.int32),
        "nothing": np.full(N, np.nan, dtype=np.float32),
        "donor": Codes(rng.integers(0, 3, N).astype(np.int8), ("D1", "D2", "D3")),
        "score": rng.normal(size=N).astype(np.float32),
    }
    data = MemoryDataset(obs, np.zeros((N, 1), np.float32), ["CD3E"], {"umap": rng.normal(size=(N, 2))})
    telling = [f"obs:{name}" for name, values in data.obs().items() if values.nunique(dropna=False) > 1]
    widget = CxgWidget(data)
    assert sorted(widget.table.columns) == sorted(telling) == ["obs:donor", "obs:score"]
    widget.annotations.new("mine")
    assert "obs:mine" not in widget.table.columns
    widget.annotations["mine"].assign("left", obs["score"] < 0)
    assert "obs:mine" in widget.table.columns
    widget.color = "organism"  # what colors is shown, whatever it says
    assert widget.table.columns[0] == "obs:organism"
    widget.close()


def test_a_damaged_column_is_one_sentence_in_its_head_and_the_others_are_there(monkeypatch):
    widget = recorded(small(50, broken=["obs/n_genes"]), monkeypatch, color=None)
    content, _ = asked(widget, {"columns": ["n_genes", "n_counts"]}, n=5)
    damaged, whole = content["columns"]
    assert "n_genes" in damaged["error"]
    assert whole["error"] == ""
    assert [len(values) for values in content["values"]] == [0, 5]
    content, _ = asked(widget, {"columns": ["n_counts"], "sort": "n_genes"}, n=5)
    assert "n_genes" in content["error"]
    assert content["rows"] == [0, 1, 2, 3, 4]
    widget.table.columns = ["n_genes"]
    with pytest.raises(DamagedStore):
        widget.table.frame()
    widget.close()


def test_a_row_is_selected_by_picking_it_where_it_passes_the_filters(widget, frame):
    widget.front.ask(kind="pick", rows=[3, 7], mode="replace")
    widget.front.ask(kind="pick", rows=[9], mode="add")
    assert widget.selection.rows.tolist() == [3, 7, 9]
    widget.filters["cell_type"] = ["T cell"]
    t, b = (int(np.flatnonzero(frame["cell_type"] == name)[0]) for name in ("T cell", "B cell"))
    widget.front.ask(kind="pick", rows=[t, b], mode="replace")
    assert widget.selection.rows.tolist() == [t]
    widget.front.ask(kind="pick", rows=[N], mode="replace")
    assert widget.front.sent[-1][0]["kind"] == "error"
    assert widget.selection.rows.tolist() == [t]


def test_what_was_set_is_in_the_state_and_brings_the_table_back(widget):
    assert "table" not in widget.state
    widget.table.columns = ["cell_type", "CD3E", "set:pair"]
    widget.table.sort = "index"
    widget.table.of = "selection"
    kept = {"columns": ["obs:cell_type", "var:CD3E", "set:pair"], "sort": "index", "of": "selection"}
    assert widget.state["table"] == json.loads(json.dumps(kept))
    again = CxgWidget(widget.dataset, **widget.state)
    assert again.table == widget.table
    again.table.columns = None
    again.table.sort, again.table.of = None, "filter"
    assert "table" not in again.state
    again.close()


def test_what_the_front_end_sets_is_taken_and_set_by_python_is_synced(widget):
    for setting in ({"sort": "obs:n_genes", "descending": True}, {"columns": []}, None):
        widget.set_state({"table": setting})
        assert widget.table == setting
        assert widget.get_state()["table"] == setting
    assert "error" not in widget.front.kinds
    widget.table.sort = "CD3E"
    assert widget.get_state()["table"] == {"sort": "var:CD3E"}


WRONG = [
    ({"sort": "n_countz"}, UnknownName, "n_counts"),
    ({"columns": "n_countz"}, UnknownName, "n_counts"),
    ({"columns": 7}, InvalidValue, "columns"),
    ({"columns": ["n_counts", ""]}, InvalidValue, "columns"),
    ({"columns": [f"DENSE{i}" for i in range(2)]}, UnknownName, "DENSE"),
    ({"sort": 7}, InvalidValue, "sort"),
    ({"descending": 1}, InvalidValue, "descending"),
    ({"of": "everything"}, UnknownName, "filter"),
    ({"sortBy": "n_counts"}, UnknownName, "sort"),
    (["n_counts"], InvalidValue, "dict"),
]


@pytest.mark.parametrize(("value", "error", "said"), WRONG)
def test_what_is_no_setting_of_the_table_is_refused_and_the_last_one_stays(value, error, said, widget):
    widget.table.sort = "n_genes"
    with pytest.raises(error, match=said):
        widget.table = value
    assert widget.table.sort == "obs:n_genes"
    content, _ = asked(widget, value) if isinstance(value, dict) else ({"kind": "error"}, None)
    assert content["kind"] == "error"
    widget.set_state({"table": value})
    assert widget.table.sort == "obs:n_genes"


@pytest.mark.parametrize("given", [{"start": -1}, {"n": 2.5}, {"n": "all"}, {"start": True}])
def test_rows_that_there_cannot_be_are_refused(given, widget):
    with pytest.raises(InvalidValue, match="whole number"):
        widget.table.frame(**given)


def test_no_front_end_gets_more_rows_at_once_than_the_bound(widget):
    for start, n in ((-1, 10), (0, 10_001), (0, -1)):
        assert asked(widget, start=start, n=n)[0]["kind"] == "error"
    assert asked(widget, start=2**62, n=10)[0]["rows"] == []


def test_text_of_any_length_makes_no_page_tooltip_or_name_on_the_plot_long(monkeypatch):
    long = "x" * 1_000_000
    codes = Codes(np.arange(40, dtype=np.int8) % 2, (f"1{long}", f"2{long}"))
    data = MemoryDataset({"long": codes}, np.ones((40, 1)), ["CD3E"], {"umap": np.ones((40, 2))})
    data._obs["cell_id"] = np.array([f"{i}{long}" for i in range(40)], dtype=object)
    widget = recorded(data, monkeypatch, color="long")
    for request in (
        {"kind": "table", "table": {"columns": ["long"]}, "start": 0, "n": 40, "filters": []},
        {"kind": "hover", "x": 1.0, "y": 1.0, "radius_x": 1.0, "radius_y": 1.0},
        {"kind": "labels", "column": "long", "filters": []},
        {"kind": "contours", "column": "long", "filters": []},
    ):
        widget.front.ask(**request)
        content, _ = widget.front.sent[-1]
        assert content["kind"] != "error"
        assert len(json.dumps(content)) < 100_000, content["kind"]
    widget.close()


def test_a_file_is_that_of_pandas_with_numbers_in_full(widget, frame, tmp_path, monkeypatch):
    table = {"columns": COLUMNS, "sort": "n_counts", "descending": True}
    expected = frame.sort_values("n_counts", ascending=False, kind="stable").to_csv(lineterminator="\n")
    monkeypatch.setattr("cxg_widget.session.analysis.table.CHUNK_BYTES", 20_000)
    text, n_parts = file_of(widget, table=table)
    assert text == expected
    assert n_parts > 2
    assert file_of(widget, table=table, separator="\t")[0] == frame.sort_values(
        "n_counts", ascending=False, kind="stable"
    ).to_csv(lineterminator="\n", sep="\t")
    widget.table = table
    monkeypatch.setattr("cxg_widget.session.analysis.table._BLOCK", 300)
    widget.table.to_csv(tmp_path / "cells.csv")
    assert (tmp_path / "cells.csv").read_text(encoding="utf-8") == expected
    assert np.array_equal(
        pd.read_csv(io.StringIO(text), index_col=0, dtype={"n_counts": str})["n_counts"].dropna().astype(float),
        frame["n_counts"].sort_values(ascending=False).dropna(),
    )


def test_text_that_a_spreadsheet_would_run_becomes_plain_text_and_all_else_stays(monkeypatch, tmp_path):
    texts = [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "-1.5",
        "+",
        "-",
        "a=b",
        "=",
        "1e5",
        'say "hi", ok',
    ]
    obs = {
        "text": np.array(texts, dtype=object),
        "=kind": Codes(np.arange(len(texts)).astype(np.int8), tuple(texts)),
        "number": -np.arange(len(texts), dtype=float),
    }
    n = len(texts)
    data = MemoryDataset(obs, np.zeros((n, 1), np.float32), ["gene"], {"umap": np.zeros((n, 2), np.float32)})
    widget = recorded(data, monkeypatch, color=None)
    text, _ = file_of(widget, table={"columns": list(obs)})
    found = pd.read_csv(io.StringIO(text), index_col=0, dtype=str, keep_default_na=False)
    changed = ["'=1+1", "'+cmd|' /C calc'!A0", "'-2+3", "'@SUM(A1)", "'\t=1"]
    assert found.columns.tolist() == ["text", "'=kind", "number"]
    assert found["text"].tolist() == found["'=kind"].tolist() == changed + texts[5:]
    assert found["number"].astype(float).tolist() == obs["number"].tolist()
    widget.close()


def test_the_names_of_two_columns_that_are_called_alike_tell_them_apart(monkeypatch):
    obs = {"gene": np.arange(3), "index": np.array([2.0, 1.0, 3.0])}
    data = MemoryDataset(obs, np.ones((3, 1), np.float32), ["gene"], {"umap": np.zeros((3, 2), np.float32)})
    widget = recorded(data, monkeypatch, color=None)
    widget.table = {"columns": ["obs:gene", "var:gene", "obs:index"], "sort": "obs:index"}
    assert widget.table.frame().columns.tolist() == ["obs:gene", "var:gene", "index"]
    assert widget.table.frame()["index"].tolist() == [1.0, 2.0, 3.0]
    widget.close()


def test_a_closed_table_keeps_nothing_and_a_closed_widget_gives_no_rows(widget):
    asked(widget, {"sort": "n_genes"})
    assert widget._session.loader.memo.in_slot("table_keys") is not None
    assert asked(widget, n=0)[0]["rows"] == []
    assert widget._session.loader.memo.in_slot("table_keys") is None
    table = widget.table
    widget.close()
    with pytest.raises(CxgWidgetError):
        table.frame()
