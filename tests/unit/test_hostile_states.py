"""Laws of states that a stranger wrote: refused in a sentence before any of their work is done, or opened whole."""

import base64

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.compute.bits import pack_mask
from cxg_widget.display import work
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.forms import cells, check_rule, column_forms
from tests.memory import small

AT = "2026-01-31T12:00:00+00:00"
LONG = {"query": " or ".join(f"ZERO>{i}" for i in range(750))}
RANGE = {"obs": "n_genes", "range": [0, None]}
ZIGZAG = {"polygon": [[i % 2, i] for i in range(40_000)], "embedding": "umap", "axes": [0, 1]}


def labels(*rules):
    return {"name": "a", "log": [{"assign": "x", "rule": one, "n": 500, "at": AT} for one in rules]}


HOSTILE = {
    "queries of annotations": {"annotations": [{**labels(LONG), "name": f"a{i}"} for i in range(60)]},
    "queries of sets": {"sets": [{"name": f"a{i}", "rule": LONG} for i in range(60)]},
    "queries within rules": {"sets": [{"name": "a", "rule": {"or": [LONG] * 60}}]},
    "queries of panels": {"panels": [{"within": LONG} for i in range(60)]},
    "a log of many steps": {"annotations": [labels(*[RANGE] * 100_000)]},
    "many values": {"filters": [{"obs": "n_genes", "in": [7] * 3_000_000}]},
    "polygons of many corners": {"sets": [{"name": f"a{i}", "rule": ZIGZAG} for i in range(3)]},
}


@pytest.mark.parametrize("state", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("way", ["opened", "set"])
def test_a_state_of_too_much_work_is_refused_before_any_of_it_is_done(monkeypatch, state, way):
    done = []

    def counting(module, name):
        call = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, **more: done.append(name) or call(*args, **more))

    w = CxgWidget(small(500))
    for module, name in ((cells, "parse"), (cells, "mask_of_query"), (cells, "in_polygon"), (cells, "as_polygon"),
                         (column_forms, "read_column")):  # fmt: skip
        counting(module, name)
    (setting,) = state
    with pytest.raises(InvalidValue, match=f"million steps of work to open .* w.{setting} = state"):
        CxgWidget(small(500), **state) if way == "opened" else setattr(w, "state", state)
    assert done == []
    assert w.state == CxgWidget(small(500)).state


def test_the_same_state_is_refused_or_not_whatever_the_clock_says():
    state = {"annotations": [labels(*[RANGE] * 200)]}
    for _ in range(3):
        assert CxgWidget(small(500), **state).state["annotations"][0]["name"] == "a"


def test_what_was_refused_as_a_whole_can_be_set_by_itself(monkeypatch):
    state = {"color": "cell_type", "annotations": [labels(*[RANGE] * 20)]}
    monkeypatch.setattr(work, "_LEAST", 1_000_000)
    with pytest.raises(InvalidValue, match="Open it without 'annotations'"):
        CxgWidget(small(500), **state)
    w = CxgWidget(small(500), color="cell_type")
    w.annotations = state["annotations"]
    assert (w.dataset.codes("a").codes == 0).all()


def test_a_large_dataset_may_have_as_many_labels_as_a_small_one():
    lasso = {"polygon": np.random.default_rng(0).random((200, 2)).tolist(), "embedding": "umap"}
    for n_obs in (1_000, 100_000, 3_000_000, 1_000_000_000):
        work.check_work({"annotations": [labels(*[lasso] * 50)], "filters": [RANGE]}, n_obs)


def test_patterns_of_queries_count_for_each_cell_as_a_column_of_text_may_hold_as_many():
    def state(n):
        return {"filters": [{"query": " or ".join(["name.str.contains('.*x')"] * n)}]}

    work.check_work(state(8), 1_000_000)
    with pytest.raises(InvalidValue, match="4,000 million steps of work"):
        work.check_work(state(12), 1_000_000)


def packed(n_bytes):
    return base64.b64encode(b"\xff" * n_bytes).decode()


WRONG = {
    "a byte more": (packed(126), 1_000), "two bytes less": (packed(123), 1_000), "negative": ("", -1),
    "negative of a byte": (packed(1), -8), "beyond floats": (packed(125), 10**400), "beyond memory": ("", 2**62),
    "true": (packed(1), True), "a float": (packed(125), 1_000.0), "no base64": ("!" * 168, 1_000),
    "padding in the middle": ("=" * 168, 1_000),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "n_obs"), WRONG.values(), ids=WRONG)
def test_packed_rows_of_another_length_or_sign_are_refused_everywhere(rows, n_obs):
    dataset = small(1_000)
    wrong = {"rows": rows, "n_obs": n_obs, "identity": dataset.obs_identity}
    w = CxgWidget(dataset)
    for change in (
        lambda: w.sets.add("mine", wrong),
        lambda: setattr(w, "sets", [{"name": "mine", "rule": wrong}]),
        lambda: CxgWidget(dataset, sets=[{"name": "mine", "rule": {"not": wrong}}]).sets["mine"].mask,
        lambda: w.select(wrong),
        lambda: CxgWidget(dataset, annotations=[labels(wrong)]),
    ):
        with pytest.raises(CxgWidgetError) as error:
            change()
        assert "\n" not in str(error.value)
    assert not len(w.sets)


@pytest.mark.parametrize(("rows", "n_obs"), WRONG.values(), ids=WRONG)
def test_packed_rows_of_a_message_are_an_answer_and_no_foreign_exception(caplog, rows, n_obs):
    dataset = small(1_000)
    w, sent = CxgWidget(dataset), []
    w._exchange._send = lambda content, _: sent.append(content)
    wrong = {"rows": rows, "n_obs": n_obs, "identity": dataset.obs_identity}
    update = {"method": "update", "state": {"panels": [{"within": wrong}]}, "buffer_paths": []}
    w._handle_msg({"content": {"data": update}, "buffers": []})
    assert [one["type"] for one in sent if one["kind"] == "error"] in (["InvalidValue"], ["SelectionError"])
    assert w.panels == []
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_packed_rows_of_every_length_mean_their_cells():
    rng = np.random.default_rng(0)
    for n_obs in range(1, 60):
        mask = rng.random(n_obs) < 0.5
        rows = base64.b64encode(pack_mask(mask)).decode()
        assert check_rule({"rows": rows, "n_obs": n_obs, "identity": "x"})["rows"] == rows


def test_a_count_of_a_step_that_no_text_can_hold_is_refused():
    for n in (10**5_000, -1, 2**48):
        with pytest.raises(InvalidValue):
            CxgWidget(small(10), annotations=[{"name": "a", "log": [{"assign": "x", "rule": RANGE, "n": n, "at": AT}]}])
