"""The widget made higher, its panel wider, the whole screen taken, by hand and by keys, on the page of the panels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser

EDGES = {"height": "Height of the widget", "panel_width": "Width of the side panel"}
PARTS = {"height": ".root", "panel_width": "#panel"}


@pytest.fixture
def page(panels: Any) -> Any:
    return panels


def line(page: Any, size: str) -> Any:
    return page.get_by_role("separator", name=EDGES[size])


def measured(page: Any, size: str) -> float:
    return page.locator(PARTS[size]).bounding_box()["height" if size == "height" else "width"]


def drag(page: Any, size: str, dx: float, dy: float) -> list[float]:
    """Drag a line; return how large its part is on the way, and when it has been let go."""
    box = line(page, size).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=4)
    settle(page)
    under_way = measured(page, size)
    page.mouse.up()
    settle(page)
    return [under_way, measured(page, size)]


@pytest.mark.parametrize(
    ("size", "by", "now"),
    [
        ("height", (0, 50), 570),
        ("height", (0, -100), 420),
        ("height", (0, -450), 120),
        ("panel_width", (-120, 0), 356),
        ("panel_width", (30, 0), 206),
        ("panel_width", (200, 0), 160),
    ],
)
def test_a_line_is_dragged_and_what_it_bounds_follows(page: Any, size: str, by: tuple[int, int], now: int) -> None:
    show(page, "categories")
    plot = page.locator(".host").first.bounding_box()
    assert drag(page, size, *by) == [now, now]
    assert calls(page, "setTrait") == [[size, now]]
    after = page.locator(".host").first.bounding_box()
    if size == "height" and now >= 240:
        assert after["height"] - plot["height"] == now - 520
    if size == "panel_width":
        assert after["width"] - plot["width"] == 236 - now


@pytest.mark.parametrize("size", EDGES)
def test_a_line_moves_by_keys_and_says_how_far(page: Any, size: str) -> None:
    show(page, "categories")
    before = measured(page, size)
    shrink, grow = ("ArrowUp", "ArrowDown") if size == "height" else ("ArrowRight", "ArrowLeft")
    line(page, size).focus()
    for key in (grow, grow, shrink, f"Shift+{grow}", "ArrowUp" if size != "height" else "ArrowLeft"):
        page.keyboard.press(key)
        settle(page)
    assert [value for name, value in calls(page, "setTrait") if name == size] == [
        before + step for step in (16, 32, 16, 112)
    ]
    assert measured(page, size) == before + 112
    assert line(page, size).get_attribute("aria-valuenow") == str(round(before + 112))
    for _ in range(60):
        page.keyboard.press(f"Shift+{shrink}")
    settle(page)
    assert measured(page, size) == float(line(page, size).get_attribute("aria-valuemin"))


def test_a_drag_that_the_system_ends_changes_nothing(page: Any) -> None:
    show(page, "categories")
    box = line(page, "height").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 30)
    line(page, "height").dispatch_event("pointercancel")
    page.mouse.up()
    settle(page)
    assert calls(page, "setTrait") == []
    assert measured(page, "height") == 520


def test_every_view_of_a_widget_has_the_size_that_one_was_given(page: Any) -> None:
    show(page, "categories")
    drag(page, "panel_width", -64, 0)
    found = page.evaluate("""() => {
        const another = document.createElement("div");
        document.body.append(another);
        window.close_ = open(another);
        return another.firstElementChild.shadowRoot.querySelector("#panel").getBoundingClientRect().width;
    }""")
    page.evaluate("() => close_()")
    assert found == 300


def test_a_wide_panel_leaves_room_for_the_plot(page: Any) -> None:
    page.evaluate("() => store.set({ traits: { ...store.get().traits, panel_width: 800 } })")
    settle(page)
    assert page.locator(".host").first.bounding_box()["width"] >= 170


# --- the whole screen ------------------------------------------------------------------------------------------------


def has_screen(page: Any) -> bool:
    return page.evaluate("() => document.fullscreenElement === root.host")


def take_screen(page: Any, key: str | None = None) -> None:
    if key is None:
        page.get_by_role("button", name="Full screen", exact=True).click()
    else:
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Exit full screen")).to_be_visible()
    page.wait_for_function("() => root.querySelector('.root').getBoundingClientRect().height === innerHeight")
    assert has_screen(page)


def leave_screen(page: Any) -> None:
    expect(page.get_by_role("button", name="Full screen", exact=True)).to_be_visible()
    page.wait_for_function("() => document.fullscreenElement === null")


def test_a_button_takes_the_whole_screen_and_gives_it_back(page: Any) -> None:
    show(page, "categories")
    before = page.locator(".root").bounding_box()
    take_screen(page)
    box = page.locator(".root").bounding_box()
    assert [box[edge] for edge in ("x", "y", "width", "height")] == [0, 0, *page.evaluate("[innerWidth, innerHeight]")]
    assert line(page, "height").count() == 0
    page.get_by_role("button", name="Exit full screen").click()
    leave_screen(page)
    page.wait_for_function("() => root.querySelector('.root').getBoundingClientRect().height === 520")
    assert page.locator(".root").bounding_box() == before
    assert calls(page, "setTrait") == []


def test_on_the_whole_screen_popovers_themes_and_keys_work_and_escape_leaves(page: Any) -> None:
    show(page, "selected")
    page.get_by_role("button", name="Lasso").focus()
    take_screen(page, "f")
    page.keyboard.press("r")
    assert calls(page, "setTrait") == [["tool", "rectangle"]]
    page.evaluate("() => document.body.classList.add('dark')")
    page.wait_for_function("() => theme.dark")
    assert page.evaluate("() => getComputedStyle(root.querySelector('.root')).backgroundColor") == "rgb(22, 24, 27)"
    page.get_by_role("button", name="Settings").click()
    opacity = page.get_by_role("slider", name="Opacity")
    expect(opacity).to_be_visible()
    middle = opacity.bounding_box()
    at = [middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2]
    assert page.evaluate("([x, y]) => root.elementFromPoint(x, y).ariaLabel", at) == "Opacity"
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("combobox", name="Color by").fill("CD3")
    expect(page.get_by_role("option", name="CD3E")).to_be_visible()
    page.get_by_role("option", name="CD3E").click()
    settle(page)
    page.get_by_role("button", name="Rectangle").focus()
    page.keyboard.press("Escape")
    leave_screen(page)
    assert calls(page, "clearSelection") == []


def test_the_key_gives_the_screen_back_too(page: Any) -> None:
    show(page, "categories")
    page.get_by_role("button", name="Lasso").focus()
    take_screen(page, "f")
    page.keyboard.press("F")
    leave_screen(page)


def test_a_page_that_refuses_from_the_start_has_no_button(
    request: pytest.FixtureRequest, pages: Any, panels_address: str
) -> None:
    refuses = "Object.defineProperty(Document.prototype, 'fullscreenEnabled', { get: () => false })"
    with pages.loaded(request, panels_address, width=900, height=600, init_script=refuses) as page:
        settle(page)
        assert page.get_by_role("button", name="Pan", exact=True).is_visible()
        assert page.get_by_role("button", name="Full screen").count() == 0
        page.get_by_role("button", name="Lasso").focus()
        page.keyboard.press("f")
        settle(page)
        assert not page.evaluate("() => document.fullscreenElement !== null")


def test_a_page_that_refuses_when_asked_loses_the_button(page: Any) -> None:
    page.evaluate("""() => {
        const { requestFullscreen } = Element.prototype;
        atEnd(() => (Element.prototype.requestFullscreen = requestFullscreen));
        Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("no"));
    }""")
    page.get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("button", name="Full screen")).to_have_count(0)


def test_a_view_that_is_taken_away_gives_the_screen_back(page: Any) -> None:
    take_screen(page)
    page.evaluate("() => destroy()")
    page.wait_for_function("() => document.fullscreenElement === null")


@pytest.mark.parametrize("width", [900, 380])
@pytest.mark.parametrize("height", [120, 160, 300])
@pytest.mark.parametrize("scene", ["image", "many"])
def test_nothing_of_the_panel_runs_past_a_low_widget_and_all_of_it_can_be_reached(
    page: Any, scene: str, height: int, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    show(page, scene)
    page.evaluate("(height) => store.set({ traits: { ...store.get().traits, height } })", height)
    settle(page)
    if width < 560:
        page.get_by_role("button", name="Show side panel").click()
        settle(page)
    edge = page.locator(".root").bounding_box()
    legend = page.locator(".legend")
    box = legend.bounding_box()
    assert box["height"] > 15
    assert box["y"] + box["height"] <= edge["y"] + edge["height"]
    inside = "(legend) => [legend.scrollHeight, legend.clientHeight, getComputedStyle(legend).overflowY]"
    needed, given, overflow = legend.evaluate(inside)
    assert needed <= given or overflow == "auto"
    last = legend.locator(":scope > *").last
    last.scroll_into_view_if_needed()
    bottom = last.bounding_box()
    assert bottom["y"] + min(bottom["height"], 15) <= edge["y"] + edge["height"]


# --- without a kernel ------------------------------------------------------------------------------------------------


def test_without_a_kernel_the_tools_that_need_one_are_off_and_the_others_are_not(page: Any) -> None:
    show(page, "offline")
    page.evaluate("() => store.set({ traits: { ...store.get().traits, tool: 'lasso' } })")
    settle(page)
    state = {
        name: page.get_by_role("button", name=name, exact=True).is_enabled()
        for name in ("Lasso", "Rectangle", "Reset view", "Settings", "Full screen")
    }
    assert state == {
        "Lasso": False, "Rectangle": False, "Reset view": True, "Settings": True, "Full screen": True,
    }  # fmt: skip
    assert page.get_by_role("button", name="Pan", exact=True).get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Reset view").click()
    page.keyboard.press("0")
    page.keyboard.press("l")
    assert calls(page, "resetView") == [[], []]
    assert calls(page, "setTrait") == []
