"""A kernel that has gone: the picture still moves with the hand, made of what is here, and nothing waits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

WHITE = [255, 255, 255]
BANDS = "[[255, 0, 0, 255], [0, 0, 255, 255]]"
POINT = """const w = window.w = open_({ traits: { tool: %s } });
    sendColor(w.model, { scale: "none", n: 1 });
    sendPoints(w.model, { xy: [[0.5, 0.5]] });
    await ready(w);
    w.model.fire("comm_live_update");
    if (w.widget.store.get().link !== "offline") throw new Error("still connected");
    w.model.sent.length = 0;"""
"""A point in the middle of 400 x 400 px."""


def settled(page: Any) -> None:
    run(page, "await frame(); await frame(); await ready(w);")


@pytest.mark.parametrize("tool", ["'pan'", "'lasso'"])
def test_points_move_with_the_hand_whatever_the_tool_was(page: Any, tool: str) -> None:
    run(page, POINT % tool)
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(260, 170, steps=3)
    page.mouse.up()
    settled(page)
    assert run(page, "return pixel(w, 200, 200);") == WHITE
    assert run(page, "return pixel(w, 260, 170);") != WHITE
    page.wait_for_function("() => w.model.get('view') !== null")
    assert page.evaluate("() => w.model.get('view')[0]") == pytest.approx(0.5 - 0.54 - 60 / 400 * 1.08)
    assert page.evaluate("() => asked(w.model)") == []


def test_wheel_keys_and_double_click_look_closer_and_back(page: Any) -> None:
    run(page, POINT % "'pan'")
    page.mouse.move(100, 100)
    page.mouse.move(150, 200)
    page.mouse.wheel(0, -300)
    page.wait_for_function("() => JSON.parse(w.host.dataset.cxgView)[1] < 1")
    run(page, "w.plot.element.focus();")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    settled(page)
    left, right, bottom, top = page.evaluate("() => JSON.parse(w.host.dataset.cxgView)")
    assert right - left < 1.08 / 1.25
    at = [(0.5 - left) / (right - left) * 400, (top - 0.5) / (top - bottom) * 400]
    assert page.evaluate("(at) => pixel(w, ...at)", at) != WHITE
    page.mouse.dblclick(300, 300)
    page.wait_for_function("() => w.model.get('view') === null")
    settled(page)
    assert run(page, "return pixel(w, 200, 200);") != WHITE


AGGREGATED = """const w = window.w = open_({ answer: async (content, model) => {
        if (content.kind !== "aggregate" || window.isSilent) return;
        await sendImage(model, content, { bands: %s });
      } });
    sendColor(w.model, { scale: "none", n: 4 });
    sendPoints(w.model, { xy: [[0, 0], [1, 0], [0, 1], [1, 1]], aggregated: true });
    await ready(w);"""


def test_an_image_of_all_cells_is_moved_and_stretched(page: Any) -> None:
    """Red left and blue right of the middle."""
    run(page, AGGREGATED % BANDS + 'w.model.fire("comm_live_update"); w.model.sent.length = 0;')
    before = run(page, "return [pixel(w, 100, 200), pixel(w, 300, 200)];")
    assert before == [[255, 0, 0], [0, 0, 255]]
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(290, 200, steps=3)
    page.mouse.up()
    settled(page)
    assert run(page, "return [pixel(w, 250, 150), pixel(w, 320, 150)];") == before
    run(page, "w.widget.actions.resetView(); await frame(); w.model.set('view', [0.2, 0.8, 0.2, 0.8]);")
    settled(page)
    assert run(page, "return [pixel(w, 50, 150), pixel(w, 190, 150), pixel(w, 210, 150), pixel(w, 350, 150)];") == [
        before[0], before[0], before[1], before[1],
    ]  # fmt: skip
    assert page.evaluate("() => asked(w.model)") == []


def test_a_question_that_was_open_holds_nothing_up(page: Any) -> None:
    """The kernel goes while the picture of a closer view is awaited: what is here is complete without it."""
    run(
        page,
        AGGREGATED % BANDS
        + """window.isSilent = true;
        w.model.set("view", [0.4, 0.6, 0.4, 0.6]);
        while (!asked(w.model).some(({ view }) => view?.[0] > 0.3)) await frame();
        window.stateBefore = w.host.dataset.cxgState;
        w.model.fire("comm_live_update");""",
    )
    settled(page)
    assert page.evaluate("() => [stateBefore, w.host.dataset.cxgState]") == ["loading", "ready"]
    assert run(page, "return [pixel(w, 100, 150), pixel(w, 300, 150)];") == [[255, 0, 0], [0, 0, 255]]


def test_a_host_that_can_save_nothing_any_more_does_not_stop_the_hand(page: Any) -> None:
    run(
        page,
        POINT % "'pan'" + "w.model.save_changes = () => { throw new Error('the comm is closed'); };",
    )
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(240, 200, steps=3)
    page.mouse.up()
    page.wait_for_function("() => w.model.get('view') !== null")
    settled(page)
    assert run(page, "return pixel(w, 240, 200);") != WHITE


def test_a_reopened_notebook_shows_its_picture_as_it_was_and_leaves_the_wheel_to_the_page(page: Any) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    run(
        page,
        f"""window.w = open_({{ traits: {{ _snapshot: {{ id: "a", png: "{png}", width: 400, height: 400 }} }} }});
        w.model.fire("comm_live_update");
        document.body.style.paddingBottom = "2000px";""",
    )
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 200, steps=3)
    page.mouse.up()
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => scrollY > 0")
    assert page.evaluate("() => [w.host.querySelectorAll('img').length, w.model.get('view')]") == [1, None]
