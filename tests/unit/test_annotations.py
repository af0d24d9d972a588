"""Laws of annotations: their steps are those of a pandas Categorical, and they are obs columns wherever one goes."""

import json
import threading
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.errors import ClosedDataset, CxgWidgetError, InvalidValue, SelectionError, UnknownName
from cxg_widget.wire import protocol as p
from tests.memory import small

LABELS = ("B cell", "T cell", "é <b>", "4", "5")
AT = "2026-01-31T12:00:00+00:00"


def state_of(widget):
    return json.loads(json.dumps(widget.state))


def finish(widget):
    for kind in ("filter", "color"):
        widget._exchange.jobs.finish((kind, 0))


def as_text(series):
    return series.astype(object).where(series.notna(), None).tolist()


def put(truth, label, mask):
    """Assign by pandas."""
    if label is not None and label not in truth.cat.categories:
        truth = truth.cat.add_categories([label])
    truth = truth.copy()
    truth[mask] = label
    return truth


def joined(truth, labels, into):
    """Merge by pandas: the labels become one, at the place of `into` or of the first of them."""
    old = truth.cat.categories.tolist()
    first = into if into in old else next(one for one in old if one in labels)
    order = [into if one == first else one for one in old if one == first or one not in labels]
    values = truth.astype(object).replace(dict.fromkeys(labels, into))
    return pd.Series(pd.Categorical(values, categories=order), truth.index, name=truth.name)


def random_step(rng, note, truth):
    known = truth.cat.categories.tolist()
    kind = rng.choice(["assign", "rename", "merge", "delete"], p=[0.6, 0.15, 0.15, 0.1]) if known else "assign"
    if kind == "assign":
        label = None if rng.random() < 0.15 else str(rng.choice(LABELS))
        mask = rng.random(len(truth)) < 0.3
        assert note.assign(label, mask) == mask.sum()
        return put(truth, label, mask)
    old = str(rng.choice(known))
    if kind == "rename":
        new = f"{old}'"[-20:]
        if new in known:
            return truth
        note.rename(old, new)
        return truth.cat.rename_categories({old: new})
    if kind == "delete":
        note.delete(old)
        return truth.cat.set_categories([one for one in known if one != old])  # `remove_categories` sorts them
    labels = [str(one) for one in rng.choice(known, size=min(2, len(known)), replace=False)]
    into = str(rng.choice([*labels, "both"]))
    note.merge(labels, into)
    return joined(truth, labels, into)


@pytest.mark.parametrize("seed", range(6))
def test_any_row_of_steps_gives_what_pandas_gives_and_comes_back_with_the_state(seed, widget):
    rng = np.random.default_rng(seed)
    of = "cell_type" if seed % 2 else None
    note = widget.annotations.new("mine", of=of)
    index = widget.dataset.obs([]).index
    truth = pd.Series(pd.Categorical([None] * 1000, categories=[]), index, name="mine")
    if of:
        truth = widget.dataset.obs([of])[of].rename("mine")
    for _ in range(12):
        truth = random_step(rng, note, truth)
        found = note.series()
        assert found.dtype == "category"
        assert found.cat.categories.tolist() == truth.cat.categories.tolist() == note.labels
        assert as_text(found) == as_text(truth)
        assert found.index.equals(index)
    assert len(note) == truth.notna().sum()
    other = CxgWidget(widget.dataset, **state_of(widget))
    pd.testing.assert_series_equal(other.annotations["mine"].series(), note.series())
    assert other.annotations == widget.annotations
    other.close()


def test_an_annotation_is_an_obs_column_wherever_one_is_asked_for(widget, plain_datashader):
    note = widget.annotations.new("mine")
    mask = np.arange(1000) % 3 == 0
    note.assign("one", mask)
    note.assign("two", np.arange(1000) % 5 == 1)
    truth = note.series()
    widget.color = "mine"
    assert widget._session.coloring().labels == ["one", "two"]
    assert [one["color"] for one in next(widget._session.answer(p.Search("mine", 9))).message.matches] == ["mine"]
    counts = widget.counts("mine")["all"]
    expected = truth.value_counts(sort=False, dropna=False)
    assert counts.tolist() == expected.tolist()
    assert len(widget.select({"mine": "two"})) == (truth == "two").sum()
    assert widget.selection.obs(["mine", "cell_type"])["mine"].eq("two").all()
    assert len(widget.select(query="mine == 'one' and n_genes > 500")) > 0
    widget.filters["obs:mine"] = ["one", None]
    np.testing.assert_array_equal(widget.filters.mask, truth.eq("one") | truth.isna())
    assert widget.hidden == ["two"]
    del widget.filters["mine"]
    widget.hover = ["mine"]
    x, y = widget.dataset.embedding("umap")[0].tolist()
    cell = next(widget._session.answer(p.Hover(x, y, 1e-6, 1e-6))).message
    assert "one" in [cell.value, *(value for _, value in cell.fields)]
    assert widget.dataset.obs().columns[-1] == "mine"
    assert widget.aggregate("count", color="mine").sel(mine="one").sum() == (truth == "one").sum()


def test_a_change_of_labels_sends_the_columns_and_the_colors_anew_and_no_other_widget_sees_it(widget):
    note = widget.annotations.new("mine")
    other = CxgWidget(widget.dataset)
    assert "mine" not in other.dataset.obs_columns
    with pytest.raises(UnknownName):
        other.color = "mine"
    widget.color = "mine"
    widget.front.settle().sent.clear()
    note.assign("one", np.arange(1000) < 10)
    sent = [content for content, _ in widget.front.settle().sent]
    (told,) = [one for one in sent if one["kind"] == "dataset"]
    assert told["columns"][-1] == {"name": "mine", "kind": "categorical"}
    colors = [(one["categories"], one["counts"]) for one in sent if one["kind"] == "color"]
    assert colors[-1] == (["one"], [10])
    widget.color = "cell_type"
    widget.front.settle().sent.clear()
    note.assign("two", np.arange(1000) < 5)
    assert "color" not in widget.front.settle().kinds
    other.close()


def test_a_filter_follows_its_labels_and_lets_go_of_what_is_no_more(widget):
    note = widget.annotations.new("mine", of="cell_type")
    widget.color = "mine"
    widget.filters["mine"] = ["T cell", "B cell"]
    before = widget.filters.mask
    note.rename("T cell", "T")
    assert widget.filters == [{"obs": "mine", "in": ["T", "B cell"]}]
    note.merge(["T", "B cell"], "lymphocyte")
    np.testing.assert_array_equal(widget.filters.mask, before)
    widget.hidden = ["lymphocyte"]
    note.delete("lymphocyte")
    assert (widget.hidden, dict(widget.filters)) == ([], {})
    widget.filters["n_genes"] = (500, None)
    widget.filter("mine == '<img src=x onerror=alert(1)>'")
    widget.hover, widget.table = ["mine", "donor name"], {"columns": ["mine"], "sort": "mine"}
    del widget.annotations["mine"]
    assert (widget.color, widget.hover, widget.table.sort) == (None, ["donor name"], None)
    assert widget.filters == [{"obs": "n_genes", "range": [500, None]}]


def test_a_stream_that_sees_half_a_step_sets_nothing_back(widget):
    note = widget.annotations.new("mine", of="cell_type")
    widget.filters["mine"] = ["T cell", "B cell"]
    finish(widget)
    session, put, stream = widget._session, widget._session.loader.put_labels, widget._session.streams.filter
    has_labels, has_failed = threading.Event(), threading.Event()

    def held_up():
        has_labels.wait(1)
        try:
            yield from stream()
        except CxgWidgetError:
            has_failed.set()
            raise

    def put_and_wait(columns):
        is_new = put(columns)
        if is_new and "lymphocyte" in columns["mine"].categories and not has_labels.is_set():
            has_labels.set()
            assert has_failed.wait(10)
        return is_new

    session.streams.filter, session.loader.put_labels = held_up, put_and_wait
    note.rename("T cell", "T")
    note.merge(["T", "B cell"], "lymphocyte")
    finish(widget)
    assert "lymphocyte" in note.labels
    assert widget.filters == [{"obs": "mine", "in": ["lymphocyte"]}]


def test_what_was_found_by_labels_that_change_is_kept_by_its_cells(widget):
    note = widget.annotations.new("mine")
    note.assign("one", np.arange(1000) < 10)
    widget.select({"mine": "one"})
    kept = widget.sets.add("ten")
    other = widget.annotations.new("other")
    other.assign("those", {"mine": "one"})
    note.delete("one")
    assert len(kept) == len(other) == 10
    assert set(widget.sets["ten"].rule) == {"rows", "n_obs", "identity"}
    again = CxgWidget(widget.dataset, **state_of(widget))
    assert (len(again.annotations["mine"]), len(again.annotations["other"]), len(again.sets["ten"])) == (0, 10, 10)
    again.close()


def test_a_log_tells_when_how_and_of_how_many_cells(widget):
    note = widget.annotations.new("mine")
    widget.select({"cell_type": "T cell"})
    note.assign("T")
    note.rename("T", "T cell")
    note.merge(["T cell"], "lymphocyte")
    note.delete("lymphocyte")
    log, n = note.log(), int((widget.dataset.obs()["cell_type"] == "T cell").sum())
    assert log["step"].tolist() == ["assign", "rename", "merge", "delete"]
    assert log["n"].tolist() == [n] * 4
    assert log["rule"][0] == {"obs": "cell_type", "in": ["T cell"]}
    assert str(log["at"].dt.tz) == "UTC"
    assert (pd.Timestamp.now("UTC") - log["at"].min()).total_seconds() < 600


def test_rules_that_mean_other_cells_in_other_data_are_run_and_told(widget):
    widget.annotations.new("mine").assign("many", {"cell_type": "T cell"})
    widget.annotations["mine"].assign("few", {"is_doublet": True})
    larger = small(1500)
    frame = larger.obs()
    with pytest.warns(UserWarning, match="2 rules of labels match other cells than .*'many'"):
        other = CxgWidget(larger, **state_of(widget))
    found = other.annotations["mine"].series()
    assert found.eq("few").equals(frame["is_doublet"].rename("mine"))
    assert found.notna().equals((frame["is_doublet"] | frame["cell_type"].eq("T cell")).rename("mine"))
    other.close()


def test_many_steps_by_rows_take_of_the_room_of_undo_what_each_adds():
    n = 200_000
    widget = CxgWidget(small(n), color=None)
    note, rng = widget.annotations.new("mine"), np.random.default_rng(0)
    for _ in range(60):  # 33 KB each; all of them again in each step would be 60 MB
        note.assign("x", rng.random(n) < 0.5)
    held = widget._history
    assert len(held._past) == 61
    assert sum(one.n_bytes for one in (*held._past, held._now)) < 5e6
    widget.close()


def test_a_failed_step_leaves_labels_and_log_as_they_were(widget):
    note = widget.annotations.new("mine", of="cell_type")
    before, state = note.series(), state_of(widget)
    many = " ".join(["x"] * 200)
    for step in (
        lambda: note.assign("T cell"),  # nothing is selected
        lambda: note.assign("x", {"cell_type": "no such"}),
        lambda: note.assign("nan", np.arange(3)),
        lambda: note.assign(many, np.arange(3)),
        lambda: note.assign("half \ud800", np.arange(3)),
        lambda: widget.annotations.new("a\0b"),
        lambda: note.assign(7, np.arange(3)),
        lambda: note.rename("T cell", "B cell"),
        lambda: note.rename("no such", "x"),
        lambda: note.merge(["T cell", "no such"], "x"),
        lambda: note.merge([], "x"),
        lambda: note.merge(7, "x"),
        lambda: note.delete("no such"),
        lambda: widget.annotations.new("mine"),
        lambda: widget.annotations.new("cell_type"),
        lambda: widget.annotations.new("cell_id"),
        lambda: widget.annotations.new("CD3E"),
        lambda: widget.annotations.new("pair"),
        lambda: widget.annotations.new("obs:x"),
        lambda: widget.annotations.new("x", of="n_counts"),
        lambda: widget.annotations.new("x", of="no such"),
        lambda: widget.annotations["x"],
    ):
        with pytest.raises((CxgWidgetError, ValueError)) as caught:
            step()
        assert len(str(caught.value)) < 900
    pd.testing.assert_series_equal(note.series(), before)
    assert state_of(widget) == state


def test_of_a_closed_widget_no_labels_are_saved_and_it_says_why(widget, tmp_path):
    note = widget.annotations.new("mine", of="cell_type")
    widget.close()
    path = tmp_path / "x.csv"
    for act in (note.series, lambda: note.save(path), lambda: widget.annotations.save(path)):
        with pytest.raises(ClosedDataset, match="was closed"):
            act()
    assert not list(tmp_path.iterdir())


def step(**changed):
    return {"assign": "x", "rule": {"obs": "cell_type", "in": ["T cell"]}, "n": 3, "at": AT, **changed}


def packed(codes="", **changed):
    known = {"categories": ["x"], "ordered": False, "n_obs": 1000, "identity": "memory", "n": 0, "at": AT}
    return {"codes": codes, **known, **changed}


STRANGE = {
    "no list": 7,
    "text": {"a": "b"},
    "no log": [{"name": "mine"}],
    "two of a name": [{"name": "mine", "log": []}] * 2,
    "many": [{"name": f"a{i}", "log": []} for i in range(101)],
    "a name of the store": [{"name": "cell_type", "log": []}],
    "a step of another form": [{"name": "mine", "log": [{"eval": "1", "at": AT}]}],
    "a step with more": [{"name": "mine", "log": [step(more=1)]}],
    "no time": [{"name": "mine", "log": [step(at="yesterday")]}],
    "a time without a zone": [{"name": "mine", "log": [step(at="2026-01-31")]}],
    "cells below zero": [{"name": "mine", "log": [step(n=-1)]}],
    "a label that is none": [{"name": "mine", "log": [step(assign=["x"])]}],
    "a query that runs": [{"name": "mine", "log": [step(rule={"query": "__import__('os').system('x')"})]}],
    "an unknown column": [{"name": "mine", "log": [step(rule={"obs": "no such", "in": [1]})]}],
    "a set": [{"name": "mine", "log": [step(rule={"set": "a"})]}],
    "a rule of itself": [{"name": "mine", "log": [step(), step(rule={"obs": "mine", "in": ["x"]})]}],
    "an unknown label": [{"name": "mine", "log": [{"delete": "x", "n": 0, "at": AT}]}],
    "a column in the middle": [{"name": "mine", "log": [step(), {"of": "cell_type", "n": 1, "at": AT}]}],
    "numbers": [{"name": "mine", "log": [{"of": "n_counts", "n": 1, "at": AT}]}],
    "codes of another dataset": [{"name": "mine", "log": [packed()]}],
    "categories twice": [{"name": "mine", "log": [packed(categories=["x", "x"])]}],
}


@pytest.mark.parametrize("annotations", STRANGE.values(), ids=STRANGE)
def test_a_state_of_a_stranger_is_refused_in_a_sentence(annotations, widget):
    widget.annotations.new("kept").assign("x", np.arange(4))
    state = state_of(widget)
    with pytest.raises((InvalidValue, UnknownName, SelectionError)):
        widget.state = {"annotations": annotations}
    with pytest.raises(CxgWidgetError):
        CxgWidget(widget.dataset, annotations=annotations)
    assert state_of(widget) == state
    assert len(widget.annotations["kept"]) == 4


@pytest.mark.parametrize("what", ["no base64", "cut", "bomb", "beyond"])
def test_packed_labels_of_a_stranger_are_as_many_as_there_are_cells_and_no_more(what, widget, tmp_path):
    import base64
    import zlib

    size = {"bomb": 50_000_000, "cut": 999}.get(what, 1000)
    codes = np.full(size, 5 if what == "beyond" else 0, dtype="<i2")
    text = "?" if what == "no base64" else base64.b64encode(zlib.compress(codes.tobytes())).decode()
    log = [packed(text, identity=widget.dataset.identity)]
    tracemalloc.start()
    with pytest.raises(InvalidValue, match="packed labels"):
        widget.annotations = [{"name": "mine", "log": log}]
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    assert "mine" not in widget.dataset.obs_columns


def test_a_state_takes_annotations_and_what_names_them_together_or_not_at_all(widget):
    widget.annotations.new("mine", of="cell_type")
    widget.color, widget.filters = "mine", {"mine": ["T cell"]}
    state = state_of(widget)
    widget.state = {}
    assert ("mine" in widget.dataset.obs_columns, dict(widget.filters)) == (False, {})
    with pytest.raises(CxgWidgetError):
        widget.state = {**state, "annotations": []}  # a color that there is not
    assert dict(widget.annotations) == {}
    widget.state = state
    assert (widget.color, list(widget.filters), widget.annotations["mine"].labels[0]) == ("mine", ["mine"], "T cell")
    widget.annotations["mine"].rename("T cell", "T")
    changed = state_of(widget)
    widget.state = state  # there and back: the labels are those of the state, and so are the colors
    assert widget._session.coloring().labels[0] == "T cell"
    widget.state = changed
    assert widget._session.coloring().labels[0] == "T"


def test_steps_and_what_followed_them_are_undone_and_redone(widget):
    note = widget.annotations.new("mine")
    note.assign("one", np.arange(1000) < 10)
    widget.color, widget.filters = "mine", {"mine": ["one"]}
    states = [state_of(widget)]
    note.rename("one", "two")
    states.append(state_of(widget))
    del widget.annotations["mine"]
    states.append(state_of(widget))
    assert [one.get("color") for one in states] == ["mine", "mine", None]
    for back in (1, 0):
        assert widget.undo()
        assert state_of(widget) == states[back]
        assert widget._session.coloring().labels == [["one"], ["two"]][back]
        assert widget.filters.mask.sum() == 10
    assert widget.redo()
    assert widget.redo()
    assert (state_of(widget), "mine" in widget.dataset.obs_columns) == (states[2], False)


def test_assigning_takes_a_few_bytes_a_cell():
    n = 1_000_000
    widget = CxgWidget(small(n), color=None)
    widget._exchange.jobs.close()
    note, mask = widget.annotations.new("mine"), np.arange(n) % 3 == 0
    note.assign("warm", mask)
    widget._session.prepare()  # what drawing takes
    tracemalloc.start()
    note.assign("one", mask)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert note._codes.codes.itemsize == 1
    assert held <= 1.6 * n
    assert peak <= 8 * n
    widget.close()


def test_an_annotation_without_a_label_yet_is_drawn_in_every_kind_of_picture(widget, tmp_path):
    widget.annotations.new("empty")
    widget.color = "empty"
    for kind in ("png", "html"):
        widget.save(tmp_path / f"a.{kind}")
    grey = np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).reshape(-1, 3).astype(int)
    assert np.ptp(grey, axis=1).max() < 40  # the grey of what has no label, and no color
