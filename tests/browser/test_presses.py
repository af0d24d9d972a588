"""Presses on a real widget: a drag that comes back is no click, and the widget that was pressed has the keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib.path import Path

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

N = 3_000
TYPE = np.repeat(np.arange(3), N // 3)
XY = (np.array([[0, 0], [10, 0], [5, 8]])[TYPE] + np.random.default_rng(1).normal(size=(N, 2))).astype(np.float32)


@pytest.fixture(scope="module")
def served(chromium: Any) -> Iterator[ServedWidget]:
    rng = np.random.default_rng(2)
    types = Codes(TYPE.astype(np.int8), ("left", "right", "upper"))
    data = MemoryDataset(
        {"type": types, "score": rng.normal(size=N).astype(np.float32)},
        rng.poisson(1.0, (N, 2)).astype(np.float32), ["A", "B"], {"umap": XY},
    )  # fmt: skip
    widget = CxgWidget(data, color="type", height=620, labels="type", wheel_zoom=False)
    one = ServedWidget(chromium, widget, width=1200, height=700)
    one.page.evaluate("""() => {
      window.left = 0;
      document.addEventListener("keydown", () => window.left++);
      const outside = document.body.appendChild(document.createElement("button"));
      outside.id = "outside";
    }""")
    yield one
    one.close()


@pytest.fixture(autouse=True)
def fresh(served: ServedWidget) -> None:
    served.widget.clear_selection()
    served.widget.hidden = []
    served.widget.filters.clear()
    served.widget.table = None
    served.widget.open_panels = []
    served.widget.tool = "lasso"
    served.tell()


def px_of_cells(served: ServedWidget) -> np.ndarray:
    """Return where each cell is on the page, px (N, 2)."""
    left, top, width, height = served.plot(0)
    view = served.page.locator("[data-cxg-view]").first.get_attribute("data-cxg-view")
    x0, x1, y0, y1 = json.loads(view)
    return np.column_stack([left + (XY[:, 0] - x0) / (x1 - x0) * width, top + (y1 - XY[:, 1]) / (y1 - y0) * height])


def drag(served: ServedWidget, places: list[tuple[float, float]]) -> None:
    mouse = served.page.mouse
    mouse.move(*places[0])
    mouse.down()
    for place in places[1:]:
        mouse.move(*place, steps=4)
    mouse.up()
    served.settle()


def middle(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] / 2


def test_a_lasso_that_closes_on_the_name_it_began_on_selects_its_cells(served: ServedWidget) -> None:
    cells = px_of_cells(served)
    x, y = (round(float(px)) for px in np.median(cells[TYPE == 0], axis=0))
    at = next((x, py) for py in range(y - 60, y + 60, 8) if hits_name(served, x, py))
    corners = [at, (at[0] - 10, at[1] - 250), (at[0] + 420, at[1] - 30), (at[0] + 200, at[1] + 60)]
    drag(served, [*corners, (at[0] + 1, at[1] + 1)])
    inside = Path(np.array([*corners, (at[0] + 1, at[1] + 1)])).contains_points(cells)
    assert 300 < inside.sum() < 900  # another number than the category has
    off = np.count_nonzero(served.widget.selection.mask != inside)
    assert off <= 3  # on the very edge


def hits_name(served: ServedWidget, x: float, y: float) -> bool:
    """Whether a click selects the category whose name is there."""
    served.page.mouse.click(x, y)
    served.page.wait_for_timeout(450)  # no double click
    served.settle()
    found = np.array_equal(served.widget.selection.mask, TYPE == 0)
    served.widget.clear_selection()
    served.tell()
    return found


@pytest.mark.parametrize("away", [(0, 60), (-80, 0)])
def test_a_drag_over_the_legend_that_comes_back_hides_nothing(served: ServedWidget, away: tuple[int, int]) -> None:
    row = served.page.locator(".rows .row").nth(1)
    x, y = middle(row)
    drag(served, [(x, y), (x + away[0], y + away[1]), (x + 1, y)])
    assert served.widget.hidden == []
    row.click(position={"x": 40, "y": 10})
    served.settle()
    assert served.widget.hidden == ["right"]


def test_a_drag_over_the_table_that_comes_back_marks_and_sorts_nothing(served: ServedWidget) -> None:
    served.widget.open_panels = ["table"]
    served.tell()
    grid = served.page.get_by_role("grid")
    row = grid.locator(".lines .line").nth(2)
    expect(row).to_be_visible()
    x, y = middle(row.locator(".datum").first)
    drag(served, [(x, y), (x + 50, y + 3), (x + 2, y)])
    expect(grid.locator(".line.active")).to_have_count(0)
    x, y = middle(grid.locator("[data-head='1']"))
    drag(served, [(x, y), (x + 50, y), (x + 1, y)])
    assert served.widget.table.setting.as_json() is None
    served.page.mouse.click(x, y)
    served.settle()
    assert served.widget.table.setting.as_json()["sort"]


def test_a_drag_over_an_open_column_that_comes_back_filters_nothing(served: ServedWidget) -> None:
    served.widget.open_panels = ["columns"]
    served.tell()
    served.page.locator(".opener", has_text="type").click()
    row = served.page.locator(".count-row").nth(1)
    x, y = middle(row)
    drag(served, [(x, y), (x + 40, y), (x + 1, y)])
    assert served.widget.filters.rules == []
    served.page.mouse.click(x, y)
    served.settle()
    assert served.widget.filters.rules != []
    served.page.locator(".opener", has_text="type").click()


# Keys.


def leave(served: ServedWidget) -> None:
    served.page.evaluate("() => { outside.focus({ preventScroll: true }); window.left = 0; }")


def n_left(served: ServedWidget) -> int:
    """Press a key that means nothing; return how many keys have left the widget."""
    served.page.keyboard.press("x")
    return int(served.page.evaluate("() => window.left"))


PLAIN = """([places, n]) => {
  const root = document.querySelector('#el > *').shadowRoot;
  const pressed = "button, input, select, label, a, [role=slider], [data-i]";
  const closest = (one) => one && (one.matches(pressed) ? one : closest(one.parentElement));
  const taken = new Map();
  return places.filter(([x, y]) => {
    const at = root.elementFromPoint(x, y);
    if (at === null || !root.contains(at) || closest(at)) return false;
    taken.set(at, (taken.get(at) ?? 0) + 1);
    return taken.get(at) <= n;
  });
}"""
"""Which of some places are in the widget and on nothing that is pressed itself, at most n of each element."""


def test_wherever_it_is_pressed_the_widget_has_the_keys(served: ServedWidget) -> None:
    served.widget.open_panels = ["columns", "table", "compare"]
    served.widget.select(TYPE == 1)
    served.widget.compare(TYPE == 1)
    served.tell()
    expect(served.page.locator(".volcano")).to_be_visible()
    box = served.page.locator("#el").bounding_box()
    assert box is not None
    everywhere = [
        (x, y)
        for y in range(int(box["y"]) + 4, int(box["y"] + box["height"]) - 2, 21)
        for x in range(int(box["x"]) + 5, int(box["x"] + box["width"]), 67)
    ]
    anywhere = np.random.default_rng(4).permutation(everywhere).tolist()
    places = served.page.evaluate(PLAIN, [anywhere, 3])
    assert len(places) > 60
    lost = []
    for x, y in places:
        leave(served)
        served.page.mouse.click(x, y)
        if n_left(served):
            lost.append((x, y))
    assert lost == []


@pytest.mark.parametrize("name", ["Clear", "Dismiss"])
def test_a_button_that_goes_when_it_is_pressed_leaves_the_keys_in_the_widget(served: ServedWidget, name: str) -> None:
    if name == "Clear":
        served.widget.select(TYPE == 1)
    else:
        served.widget._exchange.fail("setting", ValueError("x"))
    served.tell()
    leave(served)
    button = served.page.locator(".status").get_by_role("button", name=name)
    button.click()
    expect(button).to_have_count(0)
    served.settle()
    assert n_left(served) == 0


def test_a_press_on_text_shows_no_ring_and_leaves_the_text_selectable(served: ServedWidget) -> None:
    leave(served)
    title = served.page.locator(".status .title")
    box = title.bounding_box()
    assert box is not None
    drag(served, [(box["x"] + 1, box["y"] + 8), (box["x"] + box["width"], box["y"] + 8)])
    said = "() => document.querySelector('#el > *').shadowRoot"
    assert served.page.evaluate(f"({said})().getSelection?.().toString() ?? String(getSelection())") == "memory"
    served.page.keyboard.press("x")
    assert served.page.evaluate(f"getComputedStyle(({said})().activeElement).outlineStyle") == "none"


def test_a_press_in_a_popover_of_settings_leaves_it_open(served: ServedWidget) -> None:
    served.page.get_by_role("button", name="Settings").click()
    popover = served.page.locator(".popover.settings")
    expect(popover).to_be_visible()
    box = popover.bounding_box()
    assert box is not None
    served.page.mouse.click(box["x"] + 4, box["y"] + 4)
    expect(popover).to_be_visible()
    leave(served)
    served.page.keyboard.press("Escape")
