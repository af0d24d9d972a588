"""Scroll to zoom a plot that the pointer has come to, and scrolls the page past one that has come to the pointer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run
from tests.browser.panels_page import show

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture
def drawn_by() -> str:
    """Who draws has no say in where the wheel goes."""
    return "cpu"


HEAR = """window.heard = [];
    const hear = (told) => {
      const listen = (event) => heard.push(told(event));
      document.addEventListener("wheel", listen);
      atEnd(() => document.removeEventListener("wheel", listen));
    };
    """
THREE = (
    HEAR
    + """document.body.style.padding = "500px 0 1200px";
    window.plots = [];
    for (let i = 0; i < 3; i++) {
      const w = open_({ width: 800, height: 400, traits: %s });
      Object.assign(w.host.style, { display: "block", marginBottom: "300px" });
      sendColor(w.model, { scale: "none", n: 1 });
      sendPoints(w.model, { xy: [[0.5, 0.5]] });
      plots.push(w);
    }
    hear((event) => [scrollY, event.defaultPrevented]);
    while (!plots.every((w) => w.host.dataset.cxgView)) await frame();"""
)


def views(page: Any) -> list[list[float]]:
    return page.evaluate("() => plots.map((w) => JSON.parse(w.host.dataset.cxgView))")


def turn(page: Any, px: int = 120, times: int = 1) -> None:
    """Turn the wheel, and wait until the page has heard of it and has come to rest."""
    for _ in range(times):
        before = page.evaluate("() => heard.length")
        page.mouse.wheel(0, px)
        page.wait_for_function("(before) => heard.length > before", arg=before)
    rest(page)


def rest(page: Any) -> None:
    """Wait until the page has not moved for longer than two turns of one scroll are apart."""
    page.evaluate("""async () => {
        for (let last = -1, since = performance.now(); performance.now() - since < 300; await frame()) {
          if (last !== scrollY) [last, since] = [scrollY, performance.now()];
        }
    }""")


def scrolled(page: Any) -> int:
    return page.evaluate("() => Math.round(scrollY)")


def bring_to_pointer(page: Any) -> None:
    """Rest the pointer beside the first plot, and scroll the page until that plot lies beneath it."""
    page.mouse.move(400, 350)
    for _ in range(10):
        turn(page, 180)
        if page.evaluate("() => plots[0].plot.element.contains(document.elementFromPoint(400, 350))"):
            return
    raise AssertionError("the plot never came")


def test_a_scroll_passes_all_plots_and_reaches_the_end_of_the_page(page: Any) -> None:
    run(page, THREE % "{}")
    before = views(page)
    page.mouse.move(400, 350)
    for _ in range(100):
        turn(page, 300)  # less than a plot is high
        if page.evaluate("() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1"):
            break
    else:
        raise AssertionError("the end was never reached")
    assert views(page) == before
    assert not any(prevented for _, prevented in page.evaluate("() => heard"))


def test_a_plot_that_came_to_the_pointer_is_passed_even_after_a_pause(page: Any) -> None:
    run(page, THREE % "{}")
    before = views(page)
    bring_to_pointer(page)
    at = scrolled(page)
    page.wait_for_timeout(500)  # as long as it takes to read something
    turn(page)
    assert scrolled(page) > at
    assert views(page) == before


def test_a_pointer_that_has_come_to_the_plot_zooms_and_does_not_scroll(page: Any) -> None:
    run(page, THREE % "{}")
    (left, right, *_), *others = views(page)
    bring_to_pointer(page)
    at = scrolled(page)
    page.mouse.move(420, 340)
    turn(page, -120, times=3)
    assert scrolled(page) == at
    now = views(page)
    assert now[0][1] - now[0][0] < (right - left) / 1.3
    assert now[1:] == others


def test_the_first_move_of_all_brings_the_pointer_to_the_plot(page: Any) -> None:
    run(page, THREE % "{}" + "document.body.style.padding = 0;")
    before = views(page)[0]
    page.mouse.move(400, 200)
    turn(page, -120)
    now = views(page)[0]
    assert now[1] - now[0] < before[1] - before[0]


def test_a_scroll_that_is_under_way_goes_on_when_the_pointer_moves_onto_a_plot(page: Any) -> None:
    """All in one task of the page, so that no pause comes between the turns."""
    run(page, THREE % "{}")
    prevented = page.evaluate("""() => {
        const { element } = plots[0].plot;
        const how = { bubbles: true, cancelable: true, composed: true };
        const wheel = (to) => !to.dispatchEvent(new WheelEvent("wheel", { deltaY: 40, ...how }));
        const found = [wheel(document.body)];
        element.dispatchEvent(new PointerEvent("pointermove", { screenX: 60, pointerType: "mouse", ...how }));
        element.focus();
        found.push(wheel(element), wheel(element));
        return found;
    }""")
    assert prevented == [False, False, False]


def test_a_plot_with_the_focus_zooms_though_it_came_to_the_pointer(page: Any) -> None:
    run(page, THREE % "{}")
    (left, right, *_), *_ = views(page)
    bring_to_pointer(page)
    page.evaluate("() => plots[0].plot.element.focus({ preventScroll: true })")
    at = scrolled(page)
    turn(page, -120)
    assert scrolled(page) == at
    now = views(page)[0]
    assert now[1] - now[0] < right - left


@pytest.mark.parametrize("traits", ["{}", "{ wheel_zoom: false }"])
@pytest.mark.parametrize("key", ["ctrlKey", "metaKey"])
def test_with_ctrl_or_cmd_the_wheel_always_zooms(page: Any, key: str, traits: str) -> None:
    """A pinch on a touchpad comes as a wheel with Ctrl."""
    run(page, THREE % traits)
    before = views(page)[0]
    bring_to_pointer(page)
    prevented = page.evaluate(
        """(key) => !plots[0].plot.element.dispatchEvent(new WheelEvent("wheel", {
          deltaY: -120, clientX: 400, clientY: 350, bubbles: true, cancelable: true, composed: true, [key]: true }))""",
        key,
    )
    assert prevented
    now = views(page)[0]
    assert now[1] - now[0] < before[1] - before[0]


def test_the_option_turns_the_wheel_off_and_on_again(page: Any) -> None:
    run(page, THREE % "{ wheel_zoom: false }")
    before = views(page)
    bring_to_pointer(page)
    at = scrolled(page)
    page.mouse.move(420, 340)
    turn(page, 60)
    assert scrolled(page) > at
    assert views(page) == before
    page.evaluate("() => plots[0].model.set('wheel_zoom', true)")
    page.mouse.move(400, 320)
    turn(page, -60)
    assert views(page)[0] != before[0]


def test_a_plot_without_points_leaves_the_wheel_to_the_page(page: Any) -> None:
    run(
        page,
        HEAR
        + """document.body.style.padding = "0 0 2000px";
        window.w = open_({ width: 800, height: 400 });
        hear((event) => event.defaultPrevented);""",
    )
    page.mouse.move(300, 300)
    page.mouse.move(400, 200)
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => scrollY > 0")
    assert page.evaluate("() => heard") == [False]


# --- over what lies beside the plot ----------------------------------------------------------------------------------

ENDS = "(selector) => { const { scrollTop, scrollHeight, clientHeight } = root.querySelector(selector);"
AT_END = ENDS + " return scrollTop > 100 && scrollTop + clientHeight >= scrollHeight - 1; }"


def test_over_a_panel_the_wheel_scrolls_it_then_the_page_and_over_a_list_only_that(panels: Any) -> None:
    show(panels, "manyColumns")
    panels.evaluate("""() => {
        document.body.style.paddingBottom = "2000px";
        window.heard = [];
        window.zoomed = 0;
        window.frame = () => new Promise(requestAnimationFrame);
        const hear = (event) => heard.push(event.defaultPrevented);
        document.addEventListener("wheel", hear);
        atEnd(() => document.removeEventListener("wheel", hear));
        root.querySelector(".plot").addEventListener("wheel", () => zoomed++);
    }""")
    panels.locator(".columns .list").hover(position={"x": 60, "y": 60})
    start = scrolled(panels)  # the pointer's way to the list may have scrolled the page
    turn(panels, 100)
    assert scrolled(panels) == start
    turn(panels, 60_000)
    panels.wait_for_function(AT_END, arg=".columns")
    assert scrolled(panels) == start
    turn(panels, 30, times=3)  # a scroll that begins at the end
    assert scrolled(panels) > start
    panels.evaluate("() => scrollTo(0, 0)")
    panels.get_by_role("combobox", name="Color by").click()
    panels.locator(".found[aria-busy=false]").wait_for()
    panels.locator("#found").hover()
    turn(panels, 60_000)
    panels.wait_for_function(AT_END, arg="#found")
    turn(panels, 30, times=3)
    assert scrolled(panels) == 0
    assert panels.evaluate("() => zoomed") == 0


# --- the ring around what has the focus ------------------------------------------------------------------------------

RING = "() => getComputedStyle(plots[0].plot.element).outlineStyle !== 'none'"
STYLE = """const sheet = document.createElement("style");
    sheet.textContent = ":focus { outline: none; } :focus-visible { outline: 2px solid red; }"
      + "[data-pointed]:focus-visible { outline: none; }"; // as in style.css
    document.body.append(sheet);"""


def test_the_focus_ring_comes_with_keys_and_goes_with_the_mouse(page: Any) -> None:
    run(page, THREE % "{}" + STYLE + "document.body.style.padding = 0; plots.slice(1).forEach((one) => one.close());")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement === plots[0].plot.element")
    assert page.evaluate(RING)
    page.mouse.move(300, 200)
    page.mouse.move(400, 200)
    page.mouse.wheel(0, -120)
    page.wait_for_function("() => heard.length > 0")
    assert not page.evaluate(RING)
    page.keyboard.down("Control")  # to zoom: no use of keys for themselves
    page.keyboard.up("Control")
    assert not page.evaluate(RING)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(RING)
    page.mouse.click(200, 200)
    assert not page.evaluate(RING)
    page.mouse.wheel(0, 120)
    page.keyboard.press("Shift")
    assert not page.evaluate(RING)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement === plots[0].plot.element")
    assert page.evaluate(RING)
