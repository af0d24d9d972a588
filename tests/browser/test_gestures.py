"""Hands on the plot: what is sent, where the picture goes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

WHITE = [255, 255, 255]


@pytest.fixture
def drawn_by() -> str:
    """Who draws has no say in what gestures mean."""
    return "cpu"


SQUARE = """const w = open_({ traits: { tool: "lasso" } });
    window.w = w;
    sendColor(w.model, { scale: "none", n: 1 });
    sendPoints(w.model, { xy: [[0.5, 0.5]] });
    await ready(w);"""


def lassos(page: Any) -> list[Any]:
    return page.evaluate("() => w.model.sent.map(({ content }) => content).filter(({ kind }) => kind === 'lasso')")


def test_a_lasso_sends_every_corner_in_data_units(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.move(100, 100)
    page.mouse.down()
    for x, y in [(300, 100), (300, 100), (300, 300), (120, 310)]:
        page.mouse.move(x, y)
    assert "M100" in page.evaluate("() => w.host.querySelector('path').getAttribute('d')")
    page.mouse.up()
    assert page.evaluate("() => w.host.querySelector('path').getAttribute('d')") == ""
    (message,) = lassos(page)
    assert message["mode"] == "replace"
    to_data = [0.5 + (px - 200) / 400 * 1.08 for px in (100, 300, 300, 120)]
    assert message["polygon"][::2] == pytest.approx(to_data)
    assert message["polygon"][1::2] == pytest.approx([0.5 - (py - 200) / 400 * 1.08 for py in (100, 100, 300, 310)])


@pytest.mark.parametrize(("keys", "mode"), [(["Shift"], "add"), (["Alt"], "subtract"), (["Shift", "Alt"], "intersect")])
def test_keys_held_at_the_end_or_in_the_pan_tool_choose_the_mode(page: Any, keys: list[str], mode: str) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'pan');")
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.move(200, 200)
    page.mouse.up()
    for key in keys:
        page.keyboard.up(key)
    assert [message["mode"] for message in lassos(page)] == [mode]


def test_a_click_selects_nothing_and_escape_ends_a_lasso(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.click(150, 150)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.move(200, 200)
    page.keyboard.press("Escape")
    page.mouse.move(150, 250)
    page.mouse.up()
    assert lassos(page) == []


def test_a_rectangle_sends_four_corners(page: Any) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'rectangle');")
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(180, 120)
    page.mouse.move(300, 250)
    page.mouse.up()
    (message,) = lassos(page)
    assert len(message["polygon"]) == 8


def test_a_polygon_by_keys_is_the_one_by_hand(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.move(200, 200)
    page.mouse.down()
    for x, y in [(230, 200), (230, 161)]:
        page.mouse.move(x, y)
    page.mouse.up()
    page.keyboard.press("Escape")
    keys = ["Enter", "Enter", *["ArrowRight"] * 3, "Enter", *["ArrowUp"] * 4, "Shift+ArrowDown", " ", "Shift+Enter"]
    for key in keys:
        page.keyboard.press(key)
    by_hand, by_keys = lassos(page)
    assert by_keys["polygon"] == by_hand["polygon"]
    assert (by_hand["mode"], by_keys["mode"]) == ("replace", "add")


def test_another_embedding_drops_a_shape_that_is_being_drawn(page: Any) -> None:
    run(page, SQUARE)
    elsewhere = "(name) => sendPoints(w.model, { xy: [[0.1, 0.1], [0.9, 0.9]], embedding: name })"
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(230, 200)
    page.evaluate(elsewhere, "pca")
    for y in (161, 150):
        page.mouse.move(230, y)
    page.mouse.up()
    for key in ["Enter", "Enter", *["ArrowRight"] * 3, "Enter"]:
        page.keyboard.press(key)
    page.evaluate(elsewhere, "umap")
    for key in ["ArrowUp", "ArrowUp", "Enter", "Enter", "Escape"]:
        page.keyboard.press(key)
    assert lassos(page) == []


MOVED = "() => w.model.get('view') !== null"


def test_a_drag_moves_the_picture_and_saves_the_view_once(page: Any) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'pan'); w.model.saved.length = 0;")
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(250, 200, steps=5)
    page.mouse.up()
    page.wait_for_function(MOVED)
    page.wait_for_timeout(300)
    view, n_saved, at = page.evaluate("() => [w.model.get('view'), w.model.saved.length, pixel(w, 250, 200)]")
    assert n_saved == 1
    shift = 50 / 400 * 1.08
    assert view == pytest.approx([0.5 - 0.54 - shift, 0.5 + 0.54 - shift, 0.5 - 0.54, 0.5 + 0.54])
    assert at != WHITE
    page.keyboard.press("0")
    page.wait_for_function("() => w.model.get('view') === null")


@pytest.mark.parametrize("how", ["middle", "space"])
def test_the_middle_button_and_space_pan_in_any_tool(page: Any, how: str) -> None:
    run(page, SQUARE)
    if how == "space":
        page.evaluate("() => w.plot.element.focus()")
        page.keyboard.down(" ")
    button = "middle" if how == "middle" else "left"
    page.mouse.move(200, 200)
    page.mouse.down(button=button)
    page.mouse.move(240, 200, steps=3)
    page.mouse.up(button=button)
    if how == "space":
        page.keyboard.up(" ")
    page.wait_for_function(MOVED)
    assert lassos(page) == []
    assert page.evaluate("() => w.model.get('view')[0]") == pytest.approx(0.5 - 0.54 - 40 / 400 * 1.08)


def test_the_wheel_is_ignored_while_a_lasso_is_drawn(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.wheel(0, -300)
    page.mouse.move(200, 200)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert len(lassos(page)) == 1
    assert page.evaluate("() => w.model.get('view')") is None


def test_two_fingers_zoom_about_their_middle(page: Any) -> None:
    run(page, SQUARE)
    hand = page.context.new_cdp_session(page)
    for kind, spread in [("touchStart", 50), ("touchMove", 75), ("touchMove", 100)]:
        points = [{"x": 200 - spread, "y": 200, "id": 0}, {"x": 200 + spread, "y": 200, "id": 1}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(MOVED)
    left, right, *_ = page.evaluate("() => w.model.get('view')")
    assert right - left == pytest.approx(1.08 / 2, rel=0.05)
    assert (left + right) / 2 == pytest.approx(0.5, abs=0.02)
    assert lassos(page) == []


def test_keys_move_zoom_and_pick_tools(page: Any) -> None:
    run(page, SQUARE + "w.plot.element.focus();")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_function("() => w.model.get('view')?.[1] - w.model.get('view')?.[0] < 1")
    left, right, *_ = page.evaluate("() => w.model.get('view')")
    assert right - left == pytest.approx(1.08 / 1.25)
    page.keyboard.press("r")
    assert page.evaluate("() => w.model.get('tool')") == "rectangle"


def test_pointing_asks_once_it_rests_and_rings_the_cell(page: Any) -> None:
    answer = """({ kind, id }, model) => kind === "hover" &&
      model.say({ kind: "cell", id, row: 7, x: 0.5, y: 0.5, name: "c", value: "", fields: [] })"""
    run(page, SQUARE.replace("open_({", f"open_({{ answer: {answer},"))
    moves = """() => { for (let x = 150; x < 205; x += 5) w.plot.element.dispatchEvent(new PointerEvent("pointermove",
      { clientX: x, clientY: 200, pointerId: 1, pointerType: "mouse", bubbles: true, composed: true })); }"""
    page.mouse.move(150, 200)
    page.evaluate(moves)  # without a pause, whatever the machine is doing
    page.wait_for_timeout(300)
    page.wait_for_function("() => w.widget.store.get().cell !== null")
    n_asked, cell, ring = page.evaluate(
        """() => [w.model.sent.filter(({ content }) => content.kind === "hover").length, w.widget.store.get().cell.row,
        w.host.querySelector("circle").getAttribute("cx")]"""
    )
    assert 1 <= n_asked <= 3
    assert cell == 7
    assert float(ring) == pytest.approx(200)
    page.mouse.move(880, 690)
    assert page.evaluate("() => w.widget.store.get().cell") is None
    page.mouse.move(150, 200)
    page.mouse.down()
    page.mouse.move(180, 200)
    page.mouse.up()
    assert page.evaluate("() => w.widget.store.get().marked") is None  # a drag is no click
    page.mouse.click(200, 200)
    page.wait_for_function("() => w.widget.store.get().marked?.row === 7")
