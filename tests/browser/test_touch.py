"""A hand on a screen: a finger pans, draws a lasso, and reads a cell by resting; two fingers zoom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib.path import Path

from cxg_widget import CxgWidget
from tests.browser.panels_page import expect
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


class Hand:
    """Fingers on a page, by the events that a touch screen makes."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)

    def put(self, *fingers: Any, kind: str = "touchMove") -> None:
        points = [{"x": float(x), "y": float(y), "id": i} for i, (x, y) in enumerate(fingers)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def down(self, *fingers: Any) -> None:
        self.put(*fingers, kind="touchStart")

    def up(self) -> None:
        self.put(kind="touchEnd")

    def draw(self, places: Any) -> None:
        self.down(places[0])
        for place in places[1:]:
            self.put(place)
        self.up()


@pytest.fixture(scope="module")
def stage(chromium: Any) -> Iterator[ServedStage]:
    one = ServedStage(chromium, CxgWidget(small(), color="cell_type", height=480))
    yield one
    one.close()


@pytest.fixture
def hand(stage: ServedStage) -> Hand:
    stage.set("w.view = None; w.tool = 'lasso'; w.clear_selection()")
    return Hand(stage.page)


def test_a_finger_pans_and_two_pinch(stage: ServedStage, hand: Hand) -> None:
    stage.set("w.tool = 'pan'")
    x, y = stage.spot(0.5, 0.5)
    at = stage.to_data([(x, y)])
    hand.draw([(x, y), (x + 30, y), (x + 60, y + 20)])
    stage.settle()
    assert stage.to_px(at)[0] == pytest.approx((x + 60, y + 20), abs=1)
    left, right, *_ = stage.view()
    hand.down((x - 40, y), (x + 40, y))
    for spread in (50, 60, 80):
        hand.put((x - spread, y), (x + spread, y))
    hand.up()
    stage.settle()
    now_left, now_right, *_ = stage.view()
    assert (right - left) / (now_right - now_left) == pytest.approx(2, rel=0.02)
    assert stage.json("w.n_selected") == 0


def test_a_lasso_by_finger_selects_the_cells_inside(stage: ServedStage, hand: Hand) -> None:
    drawn = ring(*stage.spot(0.5, 0.5), 140, 110)
    hand.draw(drawn)
    stage.settle()
    inside = Path(stage.to_data(drawn)).contains_points(stage.served.widget.dataset.embedding("umap"))
    assert inside.sum() > 50
    assert np.count_nonzero(stage.served.widget.selection.mask != inside) <= 3  # on the very edge


def test_a_finger_that_rests_reads_the_cell_beneath_it_and_selects_nothing(stage: ServedStage, hand: Hand) -> None:
    tooltip = stage.host.locator(".tooltip")
    cells = stage.served.widget.dataset.embedding("umap")
    x, y = stage.to_px(cells[:1])[0]
    hand.down((x, y))
    tooltip.wait_for()
    hand.put((x + 150, y + 40))
    hand.put((x, y))
    stage.settle()
    hand.up()
    stage.settle()
    expect(tooltip).to_be_visible()  # where no finger covers it
    assert stage.json("w.n_selected") == 0
    hand.draw([(x + 80, y), (x + 120, y)])
    expect(tooltip).to_have_count(0)


def test_a_long_press_opens_no_menu_of_the_host_or_the_browser_but_a_right_click_does(stage: ServedStage) -> None:
    opened = """(plot, pointerType) => {
        let isHeard = false;
        const hear = () => (isHeard = true);  // as JupyterLab does
        document.addEventListener("contextmenu", hear, { once: true });
        const event = new PointerEvent("contextmenu", { pointerType, bubbles: true, composed: true, cancelable: true });
        const isOpened = plot.dispatchEvent(event);
        document.removeEventListener("contextmenu", hear);
        return [isHeard, isOpened];
    }"""
    assert stage.canvas.evaluate(opened, "touch") == [False, False]
    assert stage.canvas.evaluate(opened, "mouse") == [True, True]
