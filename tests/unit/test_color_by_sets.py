"""Laws of coloring by sets of cells: which cells each colors is what masks say, and it follows what sets become."""

import json

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.errors import CxgWidgetError
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.stills import still, still_png


@pytest.fixture
def masks(widget):
    rng = np.random.default_rng(0)
    masks = {name: rng.random(1000) < share for name, share in (("a", 0.3), ("<b>b</b>", 0.5), ("c", 0.2))}
    masks["inner"] = masks["a"] & (rng.random(1000) < 0.4)
    for name, mask in list(masks.items())[:3]:
        widget.sets.add(name, mask)
    widget.sets.add("inner", masks["inner"], within="a")
    return masks


def shown(widget):
    """Return the label of each cell, None = none, as the front-end colors it; and the colors by label."""
    content, codes = {}, None
    for one, buffers in widget.front.settle().sent:
        if one["kind"] == "color":
            content = one
        elif one["kind"] in ("codes", "palette") and one["seq"] == content.get("seq"):
            content = {**content, "colors": one.get("colors", content["colors"])}
            codes = np.frombuffer(buffers[0], dtype=one["arrays"][0]["dtype"]) if buffers else codes
    labels = np.array([*content["categories"], None], dtype=object)
    found = np.empty(1000, dtype=object)
    found[widget._session.held.order.rows] = labels[np.minimum(codes, len(labels) - 1)]
    return found, dict(zip(content["categories"], content["colors"], strict=True))


def test_each_cell_is_of_its_innermost_set_of_several_or_of_none(widget, masks):
    widget.color = "sets"
    found, colors = shown(widget)
    outer = masks["a"] & ~masks["inner"]
    in_each = {"a": outer, "<b>b</b>": masks["<b>b</b>"], "c": masks["c"], "inner": masks["inner"]}
    n = sum(mask.astype(int) for mask in in_each.values())
    expected = np.full(1000, None, dtype=object)
    for name, mask in in_each.items():
        expected[mask & (n == 1)] = name
    expected[n > 1] = "several"
    assert found.tolist() == expected.tolist()
    assert {name: colors[name] for name in in_each} == widget.sets.colors
    assert len(set(colors.values())) == 5
    told = widget._session.coloring()
    assert told.labels == [*in_each, "several"]
    assert dict(zip(told.labels, told.counts()[0], strict=True)) == {
        label: (expected == label).sum() for label in told.labels
    }


def test_one_set_is_in_its_color_and_all_other_cells_are_without_one(widget, masks):
    widget.color = "sets:<b>b</b>"
    found, colors = shown(widget)
    np.testing.assert_array_equal(found == "<b>b</b>", masks["<b>b</b>"])
    assert colors == {"<b>b</b>": widget.sets.colors["<b>b</b>"]}
    widget.sets.recolor("<b>b</b>", "rebeccapurple")
    assert shown(widget)[1] == {"<b>b</b>": "#663399"}
    assert "color" not in [one["kind"] for one, _ in widget.front.sent[-2:]]
    with pytest.raises(CxgWidgetError, match="no color"):
        widget.sets.recolor("a", "no such")


def test_legend_hover_pictures_and_the_state_know_sets(widget, masks):
    widget.color = "sets"
    widget.hidden = ["a", "(missing)"]
    code = widget._session.coloring().labels.index("c")
    widget._handle_custom_msg({"id": 1, "kind": "category", "color": "sets:", "code": code, "mode": "replace"}, [])
    widget.front.settle()
    found, _ = shown(widget)
    np.testing.assert_array_equal(widget.selection.mask, found == "c")
    row = int(np.flatnonzero(found == "c")[0])
    x, y = widget.dataset.embedding("umap")[row].tolist()
    cell = next(widget._session.answer(p.Hover(x, y, 1e-6, 1e-6))).message
    assert (cell.row, cell.value) == (row, "c")
    assert "several" in widget.summary
    nowhere = np.flatnonzero(found == None)  # noqa: E711
    widget.hidden = []
    x, y = widget.dataset.embedding("umap")[nowhere[0]].tolist()
    assert next(widget._session.answer(p.Hover(x, y, 1e-9, 1e-9))).message.value == "in no set"
    assert f"In no set: {nowhere.size}" in widget.summary
    assert "in no set" in [row[0] for row in still(widget._session)[1].rows]
    widget.hidden = ["a", "(missing)"]
    hidden = still_png(widget._session, None, (80, 60))
    widget.hidden = []
    assert still_png(widget._session, None, (80, 60)) != hidden
    widget.hidden = ["a"]
    state = json.loads(json.dumps(widget.state))
    other = CxgWidget(widget.dataset, **state)
    assert (other.color, other.hidden, other.sets.colors) == ("sets", ["a"], widget.sets.colors)
    codes = [one._session.coloring().codes.codes for one in (widget, other)]
    np.testing.assert_array_equal(*codes)
    other.close()


def test_what_the_legend_hides_of_sets_stays_hidden_when_filters_and_labels_change(widget, masks):
    widget.color = "sets"
    widget.hidden = ["a"]
    widget.filters["cell_type"] = [widget.dataset.codes("cell_type").categories[0]]
    assert widget.hidden == ["a"]
    widget.annotations.new("mine").assign("T", [0, 1])
    widget.filters.clear()
    assert widget.hidden == ["a"]
    widget.color = "cell_type"
    assert widget.hidden == []


def test_what_is_shown_is_what_passes_the_filters_and_the_legend_of_sets_does_not_hide(widget, masks):
    widget.color = "sets"
    found, _ = shown(widget)
    is_t = (widget.dataset.obs(["cell_type"])["cell_type"] == "T cell").to_numpy()
    widget.filters["cell_type"] = ["T cell"]
    widget.hidden = ["a", "(missing)"]

    def told():
        return [one for one, _ in widget.front.settle().sent if one["kind"] == "filter"][-1]

    hidden = np.isin(found.astype(str), ["a", "None"])
    assert (told()["n_passing"], told()["n_shown"]) == (is_t.sum(), (is_t & ~hidden).sum())
    assert f"{(is_t & ~hidden).sum():,} of 1,000 cells shown" in widget.summary
    widget.hidden = []
    assert told()["n_shown"] == is_t.sum()


def test_the_color_follows_what_becomes_of_sets_and_undo_brings_it_back(widget, masks):
    widget.color = "sets:c"
    before = widget.sets.colors
    widget.sets.rename("c", "d")
    assert widget.color == "sets:d"
    assert widget.sets.colors["d"] == before["c"]
    del widget.sets["d"]
    assert widget.color is None
    assert widget.sets.colors == {name: color for name, color in before.items() if name != "c"}
    widget.undo()
    assert widget.color == "sets:d"
    widget.color = "sets"
    widget.hidden = ["d"]
    widget.sets.rename("d", "e")
    assert (widget.color, widget.hidden) == ("sets", ["e"])
    del widget.sets["e"]
    assert (widget.color, widget.hidden) == ("sets", [])
    found, _ = shown(widget)
    assert not {"d", "e"} & set(found.tolist())
    widget.sets = {}
    assert widget.color is None
    widget.undo()
    assert (widget.color, len(widget.sets)) == ("sets", 3)


@pytest.mark.parametrize("color", ["sets:no", "sets:"])
def test_a_set_that_is_not_there_colors_nothing(color, widget):
    if color == "sets:no":
        widget.sets.add("a", [0])
    with pytest.raises(CxgWidgetError, match="no set"):
        widget.color = color
    assert widget.color == "cell_type"
    with pytest.raises(CxgWidgetError):
        widget.color = "sets" if color == "sets:" else "set:a"


def test_sets_color_cells_and_are_no_column_and_no_annotation_takes_their_name(widget, masks):
    widget.color = "sets"
    for change in (
        lambda: widget.annotations.new("sets"),
        lambda: widget.counts("sets"),
        lambda: setattr(widget, "hover", ["sets"]),
        lambda: setattr(widget, "labels", "sets"),
    ):
        with pytest.raises(CxgWidgetError, match="sets"):
            change()
    with pytest.raises(CxgWidgetError, match="'sets' has 'a'"):
        widget.palette = {"no": "red"}
    widget.palette = {"a": "red"}
    assert shown(widget)[1]["a"] == "#ff0000"


def test_cells_of_sets_are_no_sum_of_pixels_and_images_show_them(widget, masks):
    widget.color, widget.render = "sets", "raster"
    with pytest.raises(CxgWidgetError, match="cannot count by sets"):
        widget.aggregate()
    assert int(widget.aggregate("count").sum()) == 1000
    x0, x1, y0, y1 = widget._session.held.extent()
    asked = p.Aggregate([x0, x1, y0, y1], 40, 30, 1.5, -1, False)
    assert next(widget._session.answer(asked)).message.kind in ("image", "cells")


def test_a_set_whose_cells_cannot_be_found_has_none_and_the_others_are_colored(widget):
    other = small(900)
    rows = CxgWidget(other)
    rows.sets.add("lost", [1, 2])
    widget.sets = [*rows.sets.rules, {"name": "there", "rule": {"obs": "cell_type", "in": ["T cell"]}}]
    widget.color = "sets"
    coloring = widget._session.coloring()
    assert coloring.labels == ["lost", "there"]
    assert coloring.counts()[0] == [0, widget.counts("cell_type").loc["T cell", "all"]]
    with pytest.raises(CxgWidgetError):
        widget.color = "sets:lost"
    assert widget.color == "sets"
    rows.close()


IN_A, IN_B = {"obs": "cell_type", "in": ["B cell"]}, {"obs": "cell_type", "in": ["T cell"]}


def drawn(widget, tmp_path):
    """Draw what is on show here, and in a widget that is given this one's state; what names nothing raises."""
    widget.front.settle()
    assert [one for one, _ in widget.front.sent if one["kind"] == "error"] == []
    widget.save(tmp_path / "page.png", dpi=20)
    other = CxgWidget(small(1000), **json.loads(json.dumps(widget.state)))
    try:
        other.save(tmp_path / "other.png", dpi=20)
        assert other.state == widget.state
        assert other.summary == widget.summary
    finally:
        other.close()


def undone(widget):
    while widget.undo():
        widget.front.settle()
    return widget.state, widget.selection.mask.tobytes()


def show_by_set(widget):
    """Let a set color and filter the cells, have contours, and color a panel."""
    widget.sets.add("a", {"cell_type": "B cell"})
    widget.filters["n_genes"] = (500, None)
    widget.filters["set:a"] = True
    widget.color = "sets:a"
    widget.contours = ["a"]
    widget.panel(color="sets:a")


def test_all_that_names_a_set_is_called_anew_with_it_and_undo_gives_what_was(widget, tmp_path):
    first = undone(widget)
    show_by_set(widget)
    widget.panel(color="sets", within={"cell_type": ["B cell"]})
    before = widget.state
    widget.sets.rename("a", "z")
    assert (widget.color, widget.contours, list(widget.filters)) == ("sets:z", ["z"], ["n_genes", "set:z"])
    assert [one.get("color") for one in widget.panels.looks] == [None, "sets:z", "sets"]
    drawn(widget, tmp_path)
    assert widget.undo()
    assert widget.state == before
    assert undone(widget) == first


def test_all_that_names_a_set_lets_go_of_it_when_it_is_deleted_in_one_step(widget, tmp_path):
    first = undone(widget)
    show_by_set(widget)
    widget.panel(color="sets", vmax=3, within={"cell_type": ["B cell"]})
    widget.panel(color="sets:a", embedding="pca")
    before = widget.state
    del widget.sets["a"]
    assert (widget.color, widget.contours, list(widget.filters)) == (None, None, ["n_genes"])
    rule = {"obs": "cell_type", "in": ["B cell"]}
    assert widget.panels.looks == [{"id": 1}, {"id": 3, "within": rule}, {"id": 4, "embedding": "pca"}]
    drawn(widget, tmp_path)
    assert widget.undo()
    assert widget.state == before
    drawn(widget, tmp_path)
    assert undone(widget) == first


def test_a_state_of_sets_their_difference_colors_and_filters_is_one_step_and_undone(widget, tmp_path):
    widget.filters["n_genes"] = (500, None)
    first = undone(widget)
    widget.filters["n_genes"] = (500, None)
    filtered = widget.state
    sets = [{"name": "a", "rule": IN_A}, {"name": "b", "rule": IN_B}]
    widget.state = {"filters": filtered["filters"], "sets": sets, "color": "sets", "difference": ["a", "b"]}
    drawn(widget, tmp_path)
    assert widget.undo()
    assert widget.state == filtered
    assert undone(widget) == first
