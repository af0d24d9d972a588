"""Screens of every kind: zoom of the browser, a phone, a page that reads from right to left, a tab that was hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib.path import Path

from cxg_widget import CxgWidget
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

IS_WIDER = "() => document.documentElement.scrollWidth > innerWidth + 1"  # a zoomed px may be cut
HIDE = """() => {
  const frame = window.requestAnimationFrame;
  const held = [];
  window.requestAnimationFrame = (callback) => held.push(callback);
  const say = (hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  };
  say(true);
  window.showAgain = () => {
    window.requestAnimationFrame = frame;
    say(false);
    held.forEach((callback) => frame(callback));
  };
}"""

PLACES = """(host) =>
  [...host.shadowRoot.querySelectorAll("button, input, .row, .what")]
    .filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect())
    .map(({ left, top, width }) => [left, top, width].map(Math.round))"""


@pytest.fixture(scope="module")
def stage(chromium: Any) -> Iterator[ServedStage]:
    one = ServedStage(chromium, CxgWidget(small(), color="cell_type", height=480, tool="lasso"))
    yield one
    one.close()


@pytest.fixture(autouse=True)
def calm(stage: ServedStage) -> Iterator[None]:
    yield
    stage.page.set_viewport_size({"width": 1280, "height": 900})
    stage.set("w.state = {'color': 'cell_type', 'height': 480, 'tool': 'lasso'}; w.clear_selection()")
    assert stage.complaints == []


def lasso_is_exact(stage: ServedStage) -> bool:
    """Whether a lasso over the middle selects the cells that another library finds inside."""
    drawn = ring(*stage.spot(0.5, 0.5), 100, 90)
    stage.drag(drawn)
    inside = Path(stage.to_data(drawn)).contains_points(stage.served.widget.dataset.embedding("umap"))
    selected = stage.served.widget.selection.mask
    return bool(inside.sum() > 20 and np.count_nonzero(selected != inside) <= 3)  # on the very edge


@pytest.mark.parametrize("zoom", [0.5, 1.5, 3.0])
def test_at_every_zoom_of_the_browser_the_plot_has_the_pixels_of_the_screen(stage: ServedStage, zoom: float) -> None:
    session = stage.page.context.new_cdp_session(stage.page)
    size = {"width": round(1280 / zoom), "height": round(900 / zoom), "deviceScaleFactor": zoom, "mobile": False}
    try:
        session.send("Emulation.setDeviceMetricsOverride", size)
        stage.page.wait_for_function("(zoom) => Math.abs(devicePixelRatio - zoom) < 0.01", arg=zoom)
        stage.until(lambda: stage.canvas.evaluate("(c) => Math.abs(c.width - c.clientWidth * devicePixelRatio) <= 1"))
        stage.settle()
        assert not stage.page.evaluate(IS_WIDER)
        assert lasso_is_exact(stage)
    finally:
        session.detach()


@pytest.mark.parametrize("width", [390, 760, 853])
def test_the_widget_is_never_wider_than_a_phone_or_a_small_window(stage: ServedStage, width: int) -> None:
    stage.page.set_viewport_size({"width": width, "height": 844})
    stage.settle()
    assert not stage.page.evaluate(IS_WIDER)
    assert stage.canvas.bounding_box()["width"] > 0.55 * width
    assert lasso_is_exact(stage)


def test_in_a_page_from_right_to_left_the_widget_is_laid_out_as_in_another(stage: ServedStage) -> None:
    widget = stage.page.locator("#el > *").first
    before = widget.evaluate(PLACES)
    stage.page.evaluate("document.documentElement.dir = 'rtl'")
    try:
        stage.settle()
        assert widget.evaluate(PLACES) == before
        assert lasso_is_exact(stage)
    finally:
        stage.page.evaluate("document.documentElement.dir = ''")


def test_a_tab_that_was_hidden_shows_the_last_of_what_python_has_set(stage: ServedStage) -> None:
    stage.set("w.color = 'CD3E'; w.select(list(range(300)))")
    expected = stage.pixels()
    stage.set("w.color = 'cell_type'; w.clear_selection()")
    stage.page.evaluate(HIDE)
    for color in ["MS4A1", "n_counts", "cell_type", "CD3E"]:
        stage.ask(f"w.color = {color!r}; w.select(list(range(300)))")
        stage.page.evaluate("take", stage.served._flushed())
    stage.page.wait_for_timeout(300)
    stage.page.evaluate("showAgain()")
    stage.settle()
    np.testing.assert_array_equal(stage.pixels(), expected)
