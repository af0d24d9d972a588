"""Laws of undo: all steps undone give the first state and mask bit for bit, and what fails is no step."""

import json

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.display.settings import BY_NAME
from cxg_widget.errors import ClosedDataset, CxgWidgetError, UnknownName
from cxg_widget.widget import history
from tests.memory import small
from tests.unit.test_early_lassos import recorded


def lasso(widget, rng):
    low, high = rng.normal(size=2), rng.normal(size=2) + 4
    corners = [low[0], low[1], high[0], low[1], high[0], high[1], low[0], high[1]]
    mode = str(rng.choice(["replace", "add", "subtract"]))
    widget._handle_custom_msg({"id": 1, "kind": "lasso", "polygon": corners, "mode": mode}, [])


def hide(widget, rng):
    widget.color = "cell_type"
    widget.hidden = [] if widget.hidden else ["B cell"]


def name_cells(widget, rng):
    widget.sets[f"set {rng.integers(3)}"] = widget.selection


STEPS = {
    "lasso": lasso,
    "select": lambda w, rng: w.select(rng.random(w.dataset.n_obs) < 0.3),
    "query": lambda w, rng: w.select(query=f"n_genes > {rng.integers(200, 4000)}"),
    "clear": lambda w, rng: w.clear_selection(),
    "range": lambda w, rng: w.filters.__setitem__("n_genes", (int(rng.integers(200, 3000)), None)),
    "values": lambda w, rng: w.filters.__setitem__("cell_type", [str(rng.choice(["T cell", "B cell"]))]),
    "no filters": lambda w, rng: w.filters.clear(),
    "hide": hide,
    "color": lambda w, rng: setattr(w, "color", str(rng.choice(["CD3E", "n_genes", "cell_type", "donor name"]))),
    "limits": lambda w, rng: setattr(w, "vmax", float(rng.integers(5_000, 9_000))),
    "embedding": lambda w, rng: setattr(w, "embedding", str(rng.choice(["umap", "pca"]))),
    "axes": lambda w, rng: setattr(w, "axes", [1, 0]),
    "set": name_cells,
    "state": lambda w, rng: setattr(
        w, "state", {"color": "n_counts", "filters": [{"obs": "is_doublet", "in": [True]}]}
    ),
    "page": lambda w, rng: w.set_state({"color": "MS4A1", "vmax": "p90"}),
    "view": lambda w, rng: setattr(w, "view", [0, 1, 0, 1 + float(rng.random())]),
}


def test_what_steps_share_counts_once_among_the_bytes_that_are_kept(widget, monkeypatch):
    rng = np.random.default_rng(0)
    for i in range(30):
        widget.sets[f"set {i}"] = rng.random(1000) < 0.3
        widget.annotations.new("mine") if i == 0 else widget.annotations["mine"].assign("x", rng.random(1000) < 0.3)
    monkeypatch.setattr(history, "MOST_BYTES", 2 * len(json.dumps(widget.state)))
    widget.color = "n_genes"
    n = 0
    while widget.undo():
        n += 1
    assert (n, len(widget.sets), len(widget.annotations)) == (61, 0, 0)


def seen(widget):
    state = {name: value for name, value in widget.state.items() if name in history.UNDONE}
    return json.dumps(state, sort_keys=True), widget.selection.mask.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_any_row_of_steps_undone_gives_the_first_state_and_mask_and_redone_the_last(seed, widget):
    rng = np.random.default_rng(seed)
    moments = [seen(widget)]
    for name in rng.choice(list(STEPS), 15):
        STEPS[name](widget, rng)
        widget.front.settle()
        if seen(widget) != moments[-1]:
            moments.append(seen(widget))
    last = moments[-1]
    undone = [seen(widget)]
    while widget.undo():
        widget.front.settle()
        undone.append(seen(widget))
    assert undone[-1] == moments[0]
    assert set(moments) <= set(undone)
    np.testing.assert_array_equal(widget.sets.apply(widget.selection.rule).mask, widget.selection.mask)
    while widget.redo():
        widget.front.settle()
    assert seen(widget) == last


@pytest.mark.parametrize("name", STEPS)
def test_each_intention_is_one_step(name, widget):
    rng = np.random.default_rng(0)
    widget.select([1, 2, 3])
    before = seen(widget)
    STEPS[name](widget, rng)
    widget.front.settle()
    changed = seen(widget) != before
    n = 0
    while widget.undo():
        n += 1
    expected = {"hide": 1, "view": 0}.get(name, int(changed))
    assert n == expected + 1


def test_a_step_after_undoing_forgets_what_was_undone(widget):
    widget.color = "CD3E"
    widget.undo()
    widget.select([5])
    assert not widget.redo()
    assert widget.color == "cell_type"


def test_what_fails_at_once_is_no_step(widget):
    for act in (
        lambda: setattr(widget, "color", "no such gene"),
        lambda: widget.select([10**9]),
        lambda: widget.filter("n_genes >"),
        lambda: widget.sets.add("a", {"no": "column"}),
    ):
        with pytest.raises(CxgWidgetError):
            act()
    assert not widget.undo()


def test_what_fails_while_it_is_read_for_the_page_is_no_step(monkeypatch):
    widget = recorded(small(300, broken=("X/CD3E",)), monkeypatch, color="cell_type")
    widget.set_state({"color": "CD3E"})
    widget.front.settle()
    assert widget.color == "cell_type"
    assert (widget.steps["undo"], widget.steps["redo"]) == ("", "")
    assert not widget.undo()
    widget.close()


def test_the_page_is_told_what_would_be_undone_and_can_ask_for_it(widget):
    widget.filters["n_genes"] = (500, None)
    widget.select([1])
    assert (widget.steps["undo"], widget.steps["redo"]) == ("selection", "")
    widget._handle_custom_msg({"id": 1, "kind": "undo", "redo": False}, [])
    assert (len(widget.selection), widget.steps["undo"], widget.steps["redo"]) == (0, "filter", "selection")
    widget._handle_custom_msg({"id": 2, "kind": "undo", "redo": True}, [])
    assert widget.selection.rows.tolist() == [1]


def test_a_step_is_called_in_plain_words_whatever_was_set(widget):
    widget.vmin = 3
    assert widget.steps["undo"] == "limits"
    widget.zero = "grey"
    assert widget.steps["undo"] == "color of zeros"
    known = {"axes", "center", "scale", "blend", "density"}
    assert not known & {BY_NAME[name].step or name for name in history.UNDONE}


def test_a_hundred_steps_are_kept_and_no_more(widget):
    for i in range(history.MOST_STEPS + 20):
        widget.select([i])
    n = 0
    while widget.undo():
        n += 1
    assert n == history.MOST_STEPS
    assert widget.selection.rows.tolist() == [19]


def test_steps_take_no_more_bytes_than_they_may(widget, monkeypatch):
    monkeypatch.setattr(history, "MOST_BYTES", 10 * 125)  # a selection of 1,000 cells takes 125 bytes
    for i in range(50):
        widget.select([i])
    kept = widget._history._past
    assert sum(one.bits.nbytes for one in kept) <= 10 * 125
    assert len(kept) > 3


def test_where_one_looks_is_no_step_and_stays(widget):
    widget.select([1])
    widget.view = [0, 1, 0, 1]
    assert widget.undo()
    assert widget.view == [0, 1, 0, 1]


def test_a_closed_widget_undoes_nothing():
    widget = CxgWidget(small(50))
    widget.select([1])
    widget.close()
    with pytest.raises(ClosedDataset):
        widget.undo()


def test_steps_are_called_by_words_and_none_by_the_name_of_a_setting(widget):
    widget.genes.pin("CD3E")
    assert widget.steps["undo"] == "pin"
    widget.filtered = "grey"
    assert widget.steps["undo"] == "filter"
    widget.genes.sets = {"a": ["CD3E"]}
    assert widget.steps["undo"] == "set"


def failing(_):
    raise RuntimeError("of the user")


def test_a_step_that_fails_on_the_way_leaves_all_as_it_was(widget):
    widget.sets.add("a", {"cell_type": "B cell"})
    widget.annotations.new("mine", of="cell_type").assign("x", {"is_doublet": True})
    widget.color, widget.vmax, widget.filters["mine"] = "n_genes", 3_000.0, ["x"]
    widget.state = {**widget.state, "palette": ["#112233"], "embedding": ("n_genes", "CD3E"), "view": [0, 1, 0, 1]}
    before, n = seen(widget), len(widget._history._past)
    wanted = {"color": "cell_type", "hidden": ["B cell"], "sets": [], "annotations": [], "panels": [{"color": "CD3E"}]}
    widget.observe(failing, "panels")
    for act in (
        lambda: setattr(widget, "state", wanted),
        lambda: widget.grid(["cell_type", "CD3E"]),
        lambda: widget.set_state({"embedding": "pca", "panels": [{"color": "CD3E"}]}),
    ):
        with pytest.raises(RuntimeError, match="of the user"):
            act()
        assert (seen(widget), widget.view, len(widget._history._past)) == (before, [0, 1, 0, 1], n)
    widget.unobserve(failing, "panels")
    widget.state = wanted
    widget.observe(failing, "color")
    after = seen(widget)
    with pytest.raises(RuntimeError):
        widget.undo()
    assert seen(widget) == after
    widget.unobserve(failing, "color")
    assert widget.undo()
    assert seen(widget) == before


def colored_by_size(widget):
    return lambda cells: setattr(widget, "color", "CD3E" if len(cells) > 300 else "n_genes")


def test_what_callbacks_and_observers_set_meanwhile_is_no_step_and_does_not_last(widget):
    told = []
    widget.on_selection(colored_by_size(widget))
    widget.on_selection(lambda cells: told.append((widget.color, len(cells))))
    first = seen(widget)
    widget.select([1])
    widget.vmax = 3_000.0
    widget.select(np.arange(1000) < 400)
    last, n = seen(widget), len(widget._history._past)
    assert (widget.color, len(told)) == ("CD3E", 2)
    while widget.undo():
        widget.front.settle()
    assert seen(widget) == first
    assert told[-1] == ("n_genes", 0)
    while widget.redo():
        widget.front.settle()
    assert (seen(widget), len(widget._history._past)) == (last, n)


OBSERVERS = {
    "color": lambda w, _: setattr(w, "vmax", 7_000.0),
    "filters": lambda w, _: setattr(w, "color", "n_counts"),
    "vmax": lambda w, change: setattr(w, "vmax", 5.0),  # whatever is set
    "embedding": lambda w, _: w.select([5], "add"),
    "sets": lambda w, _: w.filters.clear(),
    "axes": lambda w, _: w.undo(),
}


@pytest.mark.parametrize("seed", range(6))
def test_whatever_observers_do_all_undone_gives_the_first_state_and_all_redone_the_last(seed, widget):
    rng = np.random.default_rng(seed)
    first = seen(widget)
    for name, act in OBSERVERS.items():
        widget.observe(lambda change, act=act: act(widget, change), name)
    widget.on_selection(lambda cells: widget.sets.update({"of the callback": cells}) if len(cells) else None)
    widget.on_selection(colored_by_size(widget))
    for name in rng.choice(list(STEPS), 12):
        STEPS[name](widget, rng)
        widget.front.settle()
    last = seen(widget)
    n = 0
    while widget.undo():
        widget.front.settle()
        n += 1
    assert seen(widget) == first
    assert widget.n_selected == len(widget.selection) == 0
    for _ in range(n):
        assert widget.redo()
        widget.front.settle()
    assert seen(widget) == last


@pytest.mark.parametrize("error", [UnknownName, KeyError])  # the latter where a name is looked up meanwhile
@pytest.mark.parametrize("steps", [True, False])
def test_a_stream_that_failed_while_a_step_was_under_way_is_sent_again_and_no_other(widget, steps, error):
    tries = []

    def stream():
        tries.append(len(tries))
        if len(tries) == 1:
            if steps:
                with widget._history.step():  # which leaves all as it was, after labels had been gone
                    pass
            raise error("no obs column 'mine'")
        yield "frame"

    if steps:
        assert list(widget._between_steps(stream)) == ["frame"]
    else:
        with pytest.raises(error):
            list(widget._between_steps(stream))
    assert len(tries) == 1 + steps
