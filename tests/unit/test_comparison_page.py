"""What the page is told of comparisons, made by hand or by Python: held against SciPy, and against frame and file."""

from __future__ import annotations

import io
import re
from threading import Event
from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.compare.moments import Moments
from cxg_widget.compare.question import METHODS
from cxg_widget.compare.result import Comparison
from cxg_widget.session.analysis.comparison_frames import COLUMNS
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset
from tests.unit.test_compare import N_OBS, N_VAR, ByRows, codes, dataset_of, log_values
from tests.unit.test_widget import Recorder

HAND = {"kind": "compare", "a": "set:A", "b": "rest", "method": "t-test", "normalize": True}


@pytest.fixture
def widgets(monkeypatch):
    made = []

    def make(dataset=None, **options):
        widget = CxgWidget(dataset or dataset_of(log_values()), **options)
        widget.front = Recorder(widget, monkeypatch)
        widget.sets.add("A", {"type": "A"})
        widget.sets.add("B", {"type": "B"})
        made.append(widget)
        return widget

    yield make
    for widget in made:
        widget.close()


def asked(widget, request_id, **request):
    """Return the messages that answer a request, and their buffers."""
    widget._handle_custom_msg({"id": request_id, **request}, [])
    return [one for one in widget.front.settle().sent if one[0]["id"] == request_id]


def told(answer):
    """Return what a page has of an answer: a table in the order of the store, and the first message."""
    parts = []
    for content, buffers in answer:
        shapes = {one["name"]: (one["dtype"], one["shape"]) for one in content["arrays"]}
        arrays = {
            name: np.frombuffer(buffer, dtype).reshape(shape)
            for (name, (dtype, shape)), buffer in zip(shapes.items(), buffers, strict=True)
        }
        part = pd.DataFrame(arrays["values"].T, columns=COLUMNS, index=content["names"] or None)
        parts.append(part.assign(n_a=arrays["n"][0], n_b=arrays["n"][1]))
    return pd.concat(parts), answer[0][0]


def test_a_comparison_by_hand_is_that_of_scipy_and_its_file_is_what_python_writes(widgets, tmp_path):
    widget = widgets()
    table, head = told(asked(widget, 1, **HAND))
    x = log_values().astype(np.float64)
    a, b = x[codes() == 0], x[codes() != 0]
    welch = stats.ttest_ind(a, b, equal_var=False, nan_policy="omit")
    log10_p = np.log10(np.ma.getdata(welch.pvalue))
    tested = np.arange(N_VAR) != 5  # which has no value but one
    adjusted = stats.false_discovery_control(np.where(tested, 10**log10_p, 1.0))
    np.testing.assert_allclose(table["statistic"][tested], np.ma.getdata(welch.statistic)[tested], rtol=1e-5)
    np.testing.assert_allclose(table["log10_p"][tested], log10_p[tested], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(table["log10_p_adj"][tested], np.log10(adjusted[tested]), rtol=1e-5, atol=1e-6)
    assert table.iloc[5][["statistic", "log10_p", "log10_p_adj", "auc"]].isna().all()
    assert table["n_a"].tolist() == np.count_nonzero(~np.isnan(a), axis=0).tolist()
    assert list(table.index) == [f"gene {at}" for at in range(N_VAR)]
    assert head["sets"] == ["A", "the rest"]

    widget.compare("A").to_csv(tmp_path / "python.csv")
    parts = asked(widget, 2, kind="comparison", known=head["seq"] + 1, file=True)
    written = b"".join(bytes(buffers[0]) for _, buffers in parts)
    assert written == (tmp_path / "python.csv").read_bytes()
    read = pd.read_csv(io.BytesIO(written), index_col=0).loc[table.index]
    for name in ("mean_a", "share_b", "log2fc"):
        np.testing.assert_array_equal(read[name].to_numpy().astype(np.float32), table[name].to_numpy())


def test_the_newest_result_is_told_of_and_asked_for_by_group_with_names_once(widgets):
    widget = widgets(MemoryDataset(
        dataset_of(log_values())._obs | {}, log_values(), [f"gene {at}" for at in range(N_VAR)],
        {"umap": np.zeros((N_OBS, 2), np.float32)}, aliases=[f"<b>{at}" for at in range(N_VAR)],
    ))  # fmt: skip
    empty, head = told(asked(widget, 1, kind="comparison"))
    assert (head["seq"], len(empty)) == (0, 0)
    found = widget.markers(by="type", method="wilcoxon")
    (seq,) = [content["seq"] for content, _ in widget.front.sent if content["kind"] == "compared"]
    first, head = told(asked(widget, 2, kind="comparison"))
    assert (head["seq"], head["groups"], head["group"]) == (seq, ["A", "B", "C"], 0)
    assert head["symbols"] == [f"<b>{at}" for at in range(N_VAR)]
    second, again = told(asked(widget, 3, kind="comparison", known=seq, group=1))
    assert (again["names"], again["symbols"], again["sets"]) == ([], [], ["B", "the rest"])
    for table, group in ((first, "A"), (second, "B")):
        frame = found.frame().loc[group].loc[first.index]
        auc = frame["auc"].to_numpy().astype(np.float32)
        np.testing.assert_array_equal(table["auc"].to_numpy(), auc)


def test_twenty_thousand_genes_are_a_few_messages_of_fifty_bytes_a_gene_and_names_travel_once(widgets):
    n = 20_000
    x = np.random.default_rng(0).random((N_OBS, n), dtype=np.float32)
    widget = widgets(dataset_of(x))
    first = asked(widget, 1, **HAND)
    sizes = [sum(map(len, buffers)) for _, buffers in first]
    assert len(first) <= 2
    assert sum(sizes) <= 50 * n
    assert max(sizes) <= 1 << 20
    assert sum(len(content["names"]) for content, _ in first) == n
    again = asked(widget, 2, kind="comparison", known=first[0][0]["seq"])
    assert sum(len(content["names"]) for content, _ in again) == 0


def test_counts_are_normalized_by_hand_and_other_values_are_taken_as_they_are(widgets):
    counts = np.random.default_rng(0).poisson(2.0, (N_OBS, N_VAR)).astype(np.float32)
    for x, tested in ((counts, np.log1p(counts / counts.sum(axis=1)[:, None] * 1e4)), (log_values(missing=False),) * 2):
        table, _ = told(asked(widgets(dataset_of(x)), 1, **HAND))
        np.testing.assert_allclose(table["mean_a"], tested[codes() == 0].mean(axis=0), rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": "selection"}, "the selection holds 0 cells"),
        ({"a": "set:none such"}, "no set 'none such'"),
        ({"b": "set:A"}, "have .* cells in common"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence_and_the_last_result_stays(widgets, change, said):
    widget = widgets()
    _, head = told(asked(widget, 1, **HAND))
    ((error, _),) = asked(widget, 2, **{**HAND, **change})
    assert error["kind"] == "error"
    assert error["of"] == "compare"
    assert re.search(said, error["message"])
    _, now = told(asked(widget, 3, kind="comparison"))
    assert now["seq"] == head["seq"]


class Held(ByRows):
    """Lets nobody read on, once told to hold."""

    hold, reading, go_on = False, Event(), Event()

    def _read_matrix_block(self, start, stop, layer):
        if self.hold:
            self.reading.set()
            assert self.go_on.wait(10)
        return super()._read_matrix_block(start, stop, layer)


def test_a_comparison_that_is_cancelled_ends_and_gestures_are_answered_meanwhile(widgets):
    dataset = dataset_of(log_values(), Held)
    widget = widgets(dataset)
    _, head = told(asked(widget, 1, **HAND))
    dataset.hold = True
    widget._handle_custom_msg({"id": 2, **HAND}, [])
    assert dataset.reading.wait(10)
    widget._handle_custom_msg(
        {"id": 3, "kind": "lasso", "polygon": [-1, -1, 1, -1, 1, 1, -1, 1], "mode": "replace"}, []
    )
    assert [content["n_selected"] for content, _ in widget.front.sent if content["id"] == 3] == [N_OBS]
    assert "compare" in [content["ends_by"] for content, _ in widget.front.sent if content["kind"] == "progress"]
    widget._handle_custom_msg({"id": 4, "kind": "cancel", "of": "compare"}, [])
    dataset.go_on.set()
    widget._exchange.jobs.finish(("compare", 0))
    (error,) = [content for content, _ in widget.front.sent if content["id"] == 2]
    assert (error["kind"], error["type"]) == ("error", "Overtaken")
    assert [content["done"] for content, _ in widget.front.sent if content["kind"] == "progress"][-1] == 1
    _, now = told(asked(widget, 5, kind="comparison"))
    assert now["seq"] == head["seq"]


def test_p_below_what_a_float_holds_is_adjusted_by_its_logarithm():
    log10_p = np.array([-400.0, -350.0, np.nan, -2.0])
    found = Comparison.__new__(Comparison)
    tested = type("T", (), {"log10_p": log10_p, "p": np.where(log10_p < -300, 0.0, 10**log10_p)})
    for name, value in (("_tested", tested), ("_p_adj", None)):
        object.__setattr__(found, name, value)
    told = [-400 + np.log10(4 / 1), -350 + np.log10(4 / 2), np.nan, -2 + np.log10(4 / 3)]
    np.testing.assert_allclose(found._log10_p_adj, told, rtol=1e-12)


def test_every_column_that_travels_is_said_in_the_schema():
    said = p.Comparison.arrays["values"].doc
    assert [said.find(one.removeprefix("log10_")) for one in COLUMNS] == sorted(
        said.find(one.removeprefix("log10_")) for one in COLUMNS
    )


def test_a_comparison_by_hand_that_runs_out_of_memory_is_a_sentence_in_the_page_and_the_next_one_works(
    widgets, monkeypatch
):
    widget = widgets()
    with monkeypatch.context() as patch:
        patch.setattr(Moments, "__init__", lambda *_, **__: np.zeros((2**30, 2**10)))
        ((failure, _),) = asked(widget, 1, **HAND)
    assert (failure["kind"], failure["type"]) == ("error", "OutOfMemory")
    assert failure["message"].startswith("Compare of 300 cells ran out of memory")
    assert "fewer cells" in failure["message"]
    assert len(told(asked(widget, 2, **HAND))[0]) == N_VAR


def test_a_hand_compares_categories_of_a_column_as_scipy_does_and_is_told_of_one_that_is_not_there(widgets):
    widget = widgets()
    hand = {**HAND, "a": 'value:["type", "A"]', "b": 'value:["type", "B"]'}
    table, head = told(asked(widget, 1, **hand))
    x = log_values().astype(np.float64)
    welch = stats.ttest_ind(x[codes() == 0], x[codes() == 1], equal_var=False, nan_policy="omit")
    tested = np.arange(N_VAR) != 5
    np.testing.assert_allclose(table["statistic"][tested], np.ma.getdata(welch.statistic)[tested], rtol=1e-5)
    assert head["sets"] == ["A", "B"]
    for i, side in enumerate(
        ('value:["type", "Z"]', 'value:["type"]', "value:{", "value:[1, 2]", 'value:["nowhere", "A"]')
    ):
        widget.front.sent.clear()
        asked(widget, 2 + i, **{**HAND, "a": side})
        (error,) = [content for content, _ in widget.front.sent if content["kind"] == "error"]
        assert error["of"] == "compare", side


def test_names_of_the_categories_of_a_column_are_sent_where_they_are_asked_for(widgets):
    widget = widgets()
    find = {"kind": "find", "panel": 0, "column": "obs:type", "query": ""}
    ((content, _),) = asked(widget, 1, **find, labels=True)
    assert content["labels"] == widget.dataset.obs()["type"].cat.categories.tolist()
    ((content, _),) = asked(widget, 2, **find)
    assert content["labels"] == []


def test_the_page_asks_for_every_method_that_needs_no_donors_and_takes_normalize():
    asked = get_args(get_type_hints(p.Compare)["method"])
    assert list(asked) == [name for name, method in METHODS.items() if method.takes_groups and not method.by_donor]
