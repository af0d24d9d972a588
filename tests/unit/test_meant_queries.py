"""Queries that are refused: the sentence holds a query that works; expected masks come from pandas."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import CxgWidgetError, SelectionError
from cxg_widget.rules import advice
from tests.memory import MemoryDataset

N = 120


@pytest.fixture
def widget():
    rng = np.random.default_rng(0)
    obs = {
        "donor": Codes(rng.integers(-1, 3, N).astype(np.int8), ("D1", "D2", "D3")),
        "stage": Codes(rng.integers(-1, 3, N).astype(np.int8), ("low", "mid", "high"), ordered=True),
        "score": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)).astype(np.float32),
        "n": rng.integers(0, 9, N),
        "cell type": Codes(rng.integers(0, 2, N).astype(np.int8), ("B cell", "T cell")),
    }
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    found = CxgWidget(MemoryDataset(obs, rng.random((N, 2)).astype(np.float32), ["CD3E", "TYMP"], {"umap": xy}))
    yield found
    found.close()


@pytest.fixture
def frame(widget):
    return widget.dataset.obs()


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("donor = D1", "donor == 'D1'"),
        ("donor = 'D1'", "donor == 'D1'"),
        ("donor == D1", "donor == 'D1'"),
        ("not donor = D1", "not donor == 'D1'"),
        ("donor is 'D1'", "donor == 'D1'"),
        ("donor is not 'D1'", "donor != 'D1'"),
        ("cell type = B cell", "`cell type` == 'B cell'"),
        ("score => 0", "score >= 0"),
        ("score is None", "score.isna()"),
        ("score != None", "score.notna()"),
    ],
)
def test_a_refused_query_names_one_that_keeps_what_was_meant(widget, frame, wrong, meant):
    for refuse in (widget.filter, lambda text: setattr(widget, "filters", [{"query": text}])):
        with pytest.raises(CxgWidgetError) as caught:
            refuse(wrong)
        assert "\n" not in str(caught.value)
    suggested = re.search(r"Did you mean (['\"])(.*)\1\?$", str(caught.value))
    assert suggested is not None, str(caught.value)
    widget.filter(suggested[2].encode().decode("unicode_escape"))
    expected = frame.eval(meant, engine="python")
    assert widget.filters.mask.tolist() == pd.Series(expected).astype(bool).tolist()


def test_a_variable_that_is_not_known_is_refused_with_the_way_to_write_its_value(widget):
    for refuse in (widget.filter, widget.select, lambda text: setattr(widget, "filters", [{"query": text}])):
        with pytest.raises(CxgWidgetError, match=r"no variable x is known here; write .* f\"... \{x!r\}\""):
            refuse("donor == @x")


LIMIT = 0.25


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", 3), ("n", np.int64(3)), ("score", 0.5), ("donor", "D1"), ("donor", np.str_("it's")), ("donor", ["D1", "D2"]),
     ("n", np.arange(4)), ("n", pd.Series([1, 2])), ("donor", {"D1"}), ("score", -np.inf), ("n", ())],
)  # fmt: skip
def test_a_query_knows_the_values_of_the_variables_of_its_caller(widget, frame, name, value):
    sign = "in" if isinstance(value, list | tuple | set | pd.Series | np.ndarray) else "!="
    query = f"{name} {sign} @value and score > @LIMIT"
    if str(value) == "it's":
        with pytest.raises(CxgWidgetError, match='no value "it\'s"'):
            widget.select(query)
        return
    expected = frame.query(query, engine="python").index
    for cells in (widget.select(query), widget.select(query=query), widget.sets.add("new", query)):
        assert cells.obs().index.tolist() == expected.tolist()
        assert "@" not in cells.rule["query"]
        np.testing.assert_array_equal(widget.sets.apply(cells.rule).mask, cells.mask)
    widget.filter(query)
    assert widget.filters.mask.sum() == len(expected)
    widget.clear_selection()
    labels = widget.annotations.new("labels")
    assert labels.assign("a", query) == len(expected)
    if len(expected) > 1:
        assert widget.compare(query, method="wilcoxon").frame()["n_a"].iloc[0] == len(expected)
        assert widget.composition("donor", query, within=query)["n"].sum() == len(expected)
        for plot in (widget.dotplot, widget.heatmap, widget.violin):
            found = plot("score", "donor", within=query).frame()
            n = found["n"].to_numpy().sum() + found["n_missing"].to_numpy().sum()
            assert n == frame.loc[expected, "donor"].notna().sum()


@pytest.mark.parametrize(
    "value", [None, np.nan, {"a": 1}, [None], [[1]], b"x", object(), list(range(9000))], ids=lambda one: repr(one)[:10]
)
def test_a_variable_that_no_query_can_hold_is_refused_in_a_sentence(widget, value):
    with pytest.raises(CxgWidgetError, match=r"@value (must hold|holds 9,000 values)"):
        widget.select("n in @value")
    with pytest.raises(CxgWidgetError, match="a name of its own"):
        widget.select("n in @value.a")


def test_a_sign_at_in_a_text_or_a_name_is_no_variable(widget):
    D1 = b = 5  # noqa: N806, F841 - what must not be taken
    with pytest.raises(CxgWidgetError, match="no value '@D1'"):
        widget.select("donor == '@D1'")
    widget.sets.add("a@b", [1, 2])
    assert widget.select("a@b").rows.tolist() == [1, 2]


def test_pandas_answers_what_it_is_asked_for_by_name(widget, frame):
    limit = 4
    widget.select(query="n.clip(upper=@limit) == @limit", engine="pandas")
    assert widget.selection.mask.tolist() == (frame["n"] >= limit).tolist()
    with pytest.raises(CxgWidgetError, match="is not supported in a query"):
        widget.select(query="n.clip(upper=4) == 4")
    for wrong in ({"query": "n > 1", "engine": "numexpr"}, {"what": "n > 1", "engine": "pandas"}):
        with pytest.raises(CxgWidgetError, match="engine= is 'pandas' or None, and goes with query="):
            widget.select(**wrong)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("value", ["low", "mid", "high"])
def test_a_column_with_an_order_is_compared_as_pandas_compares_it(widget, frame, sign, value):
    for query in (f"stage {sign} '{value}'", f"'{value}' {sign} stage"):
        widget.filter(query)
        assert widget.filters.mask.tolist() == frame.eval(query, engine="python").tolist(), query


def test_an_order_is_refused_where_there_is_none_or_no_such_value(widget):
    with pytest.raises(CxgWidgetError, match="text has no order here"):
        widget.filter("donor < 'D2'")
    with pytest.raises(CxgWidgetError, match=r"no value .medium.; that column has"):
        widget.filter("stage < 'medium'")
    assert widget.filters.query is None


def test_a_list_where_a_range_was_meant_is_refused_with_the_call_that_works(widget, frame):
    with pytest.raises(CxgWidgetError, match=r"w\.filters\['score'\] = \(0\.0, 1\.0\)"):
        widget.filters["score"] = [0, 1]
    widget.filters["score"] = (0.0, 1.0)
    assert widget.filters.mask.tolist() == frame["score"].between(0, 1).tolist()
    with pytest.raises(CxgWidgetError, match=r"w\.filters\['score'\] = \(0, None\).*del w\.filters\['score'\]"):
        widget.filters["score"] = (None, None)
    assert widget.filters["score"] == (0.0, 1.0)


@pytest.mark.parametrize("text", ["x" * 20_000, "x is y " * 3_000, "'" * 20_001])
def test_a_query_longer_than_a_hand_writes_is_refused_without_a_suggestion(text, widget, monkeypatch):
    def looked_at(*given):
        raise AssertionError("a long text was searched, which takes the square of its length")

    monkeypatch.setattr(advice, "in_usual_signs", looked_at)
    with pytest.raises(SelectionError, match="a query may have 10,000 characters") as refused:
        widget.filter(text)
    assert len(str(refused.value)) < 400
