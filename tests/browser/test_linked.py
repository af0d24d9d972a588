"""Panels beside each other in a page with a real widget: each shows its own, all are under the same hands."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.palettes import category_palette
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SIDE = 4
N_EACH = 40
LABELS = ("d0", "d1")


def grid_of_clumps() -> MemoryDataset:
    """Sixteen small clumps: a gene that is high in the left ones, a category that tells the lower from the upper."""
    rng = np.random.default_rng(2)
    clump = np.repeat(np.arange(SIDE * SIDE), N_EACH)
    place = np.stack([clump % SIDE, clump // SIDE], axis=1)
    xy = (place + rng.normal(scale=0.03, size=place.shape)).astype(np.float32)
    x = np.stack([place[:, 0] < 2, place[:, 1] < 2], axis=1).astype(np.float32)
    donor = np.array([LABELS[int(one >= 2)] for one in place[:, 1]], dtype=object)
    return MemoryDataset({"donor": donor}, x, ["LEFT", "LOW"], {"umap": xy})


@pytest.fixture(scope="module")
def served(chromium: Any) -> Iterator[ServedWidget]:
    widget = CxgWidget(grid_of_clumps(), color="donor", height=560, point_size=6)
    one = ServedWidget(chromium, widget, width=1000, height=620)
    yield one
    one.close()


@pytest.fixture
def stage(served: ServedWidget) -> Iterator[ServedWidget]:
    yield served
    served.widget.state = {"color": "donor", "height": 560, "point_size": 6}
    served.widget.clear_selection()
    served.tell()


def pixel_at(stage: ServedWidget, panel: int, x: float, y: float) -> tuple[int, ...]:
    """Colour of a panel on the screen where a place in data units is, within a view that all panels have."""
    left, top, width, height = stage.plot(panel)
    scale = min(width, height) / (SIDE - 1) / 1.5
    at = left + width / 2 + (x - (SIDE - 1) / 2) * scale, top + height / 2 - (y - (SIDE - 1) / 2) * scale
    image = Image.open(io.BytesIO(stage.page.screenshot())).convert("RGB")
    box = np.asarray(image.crop((at[0] - 2, at[1] - 2, at[0] + 3, at[1] + 3))).reshape(-1, 3)
    return tuple(int(one) for one in np.median(box, axis=0))


def near(one: tuple[int, ...], other: tuple[int, ...], by: int = 40) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= by


def look_at_all(stage: ServedWidget) -> None:
    half = (SIDE - 1) * 1.5 / 2
    middle = (SIDE - 1) / 2
    stage.widget.view = [middle - half, middle + half, middle - half, middle + half]
    stage.tell()


YELLOW, VIOLET, WHITE = (253, 231, 37), (68, 1, 84), (255, 255, 255)


def test_each_panel_of_a_grid_shows_its_colour_at_the_same_cells_and_positions_are_sent_once(
    stage: ServedWidget,
) -> None:
    n = stage.widget.dataset.n_obs
    stage.widget.grid(["donor", "LEFT", "LOW"])
    look_at_all(stage)
    for x, y in ((0, 0), (3, 0), (0, 3), (3, 3)):
        assert near(pixel_at(stage, 1, x, y), YELLOW if x < 2 else VIOLET), (x, y)
        assert near(pixel_at(stage, 2, x, y), YELLOW if y < 2 else VIOLET), (x, y)
    first, second = (tuple(bytes.fromhex(one[1:])) for one in category_palette(list(LABELS), {}, None))
    assert near(pixel_at(stage, 0, 0, 0), first)
    assert near(pixel_at(stage, 0, 0, 3), second)
    assert sum(size for kind, size, _ in stage.said if kind == "points") == 4 * n
    assert stage.page.evaluate("document.querySelectorAll('canvas').length") == 0  # all are in the shadow
    expect(stage.page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])
    expect(stage.page.get_by_role("img", name="Colors: d0, d1")).to_have_attribute("title", "d0\nd1")
    assert violations(stage.page, "#el") == {}


def test_parts_show_their_cells_alone_in_the_colours_of_the_widget(stage: ServedWidget) -> None:
    stage.widget.color = "LEFT"
    stage.widget.split("donor")
    look_at_all(stage)
    for x, y in ((0, 0), (3, 0), (0, 3), (3, 3)):
        own, color = int(y >= 2), YELLOW if x < 2 else VIOLET
        assert near(pixel_at(stage, own, x, y), color), (x, y)
        assert near(pixel_at(stage, 1 - own, x, y), WHITE), (x, y)


def test_a_rectangle_in_one_panel_selects_in_all_and_a_ring_is_drawn_in_all(stage: ServedWidget) -> None:
    w = stage.widget
    w.grid(["donor", "LEFT"])
    w.tool = "rectangle"
    look_at_all(stage)
    left, top, width, height = stage.plot(1)
    stage.page.mouse.move(left + 5, top + 5)
    stage.page.mouse.down()
    stage.page.mouse.move(left + width / 2, top + height - 5, steps=4)
    stage.page.mouse.up()
    stage.page.wait_for_timeout(400)
    xy = w.dataset.embedding("umap")
    np.testing.assert_array_equal(w.selection.mask, xy[:, 0] < (SIDE - 1) / 2)
    assert near(pixel_at(stage, 1, 0, 0), YELLOW)
    assert not near(pixel_at(stage, 1, 3, 0), VIOLET)
    w.tool = "pan"
    stage.tell()
    scale = min(width, height) / (SIDE - 1) / 1.5
    stage.page.mouse.move(left + width / 2 - 1.5 * scale, top + height / 2 - 1.5 * scale)
    stage.page.wait_for_timeout(600)
    rings = stage.page.locator(".host .host svg circle[visibility=visible]")
    expect(rings).to_have_count(4)  # a ring and its halo in each
    expect(stage.page.locator(".tooltip")).to_contain_text("LEFT")  # of the panel that it is over


def test_tab_goes_from_panel_to_panel_each_called_by_its_name_and_keys_move_all(stage: ServedWidget) -> None:
    w, page = stage.widget, stage.page
    w.grid(["donor", "LEFT"])
    look_at_all(stage)
    plots = page.locator("[role=application]")
    expect(plots.nth(0)).to_have_attribute("aria-label", f"donor. {plots.nth(0).get_attribute('aria-label')[7:]}")
    plots.nth(0).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Remove the panel LEFT")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("application", name="LEFT. Scatterplot")).to_be_focused()
    before = w.view
    page.keyboard.press("+")
    page.wait_for_timeout(600)
    assert w.view[1] - w.view[0] < before[1] - before[0]
    views = {host.get_attribute("data-cxg-view") for host in page.locator("[data-cxg-view]").all()}
    assert len(views) == 1
    page.get_by_role("button", name="Remove the panel LEFT").click()
    expect(page.locator(".panel-head")).to_have_count(0)
    assert len(w.panels) == 0


def test_pinned_genes_and_categories_are_shown_beside_each_other_by_hand(stage: ServedWidget) -> None:
    w, page = stage.widget, stage.page
    w.genes.pin("LEFT", "LOW")
    w.open_panels = ["genes", "columns"]
    stage.tell()
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])
    assert [one.look for one in w.panels] == [{}, {"color": "var:LEFT"}, {"color": "var:LOW"}]
    page.locator(".opener", has_text="donor").click()
    page.get_by_role("button", name="Split by it").click()
    expect(page.locator(".panel-head h3")).to_have_text(list(LABELS))
    assert [one.within["in"] for one in w.panels] == [["d0"], ["d1"]]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])


def test_the_picture_that_is_saved_holds_all_panels(stage: ServedWidget, tmp_path: Any) -> None:
    stage.widget.grid(["donor", "LEFT"])
    look_at_all(stage)
    stage.page.get_by_role("button", name="Save a picture").click()
    with stage.page.expect_download() as download:
        stage.page.get_by_role("button", name="PNG 2×").click()
    download.value.save_as(tmp_path / "all.png")
    image = np.asarray(Image.open(tmp_path / "all.png").convert("RGB")).reshape(-1, 3).astype(int)
    first, second = (tuple(bytes.fromhex(one[1:])) for one in category_palette(list(LABELS), {}, None))
    for color in (first, second, YELLOW, VIOLET):
        assert np.count_nonzero(np.abs(image - color).max(axis=1) < 8) > 500, color


COUNTED = """
globalThis.__CXG_DRAWN_BY__ = "gpu";
globalThis.made = 0;
for (const { prototype } of [OffscreenCanvas, HTMLCanvasElement]) {
  const was = prototype.getContext;
  prototype.getContext = function (kind, ...more) {
    made += kind === "webgl2";
    return was.call(this, kind, ...more);
  };
}
"""


def test_all_panels_are_drawn_through_one_webgl_context(chromium: Any) -> None:
    widget = CxgWidget(grid_of_clumps(), color="donor", height=560)
    one = ServedWidget(chromium, widget, width=1000, height=620, init_script=COUNTED)
    widget.grid(["donor", "LEFT", "LOW", {"within": {"donor": ["d0"]}}])
    one.tell()
    one.page.wait_for_timeout(800)
    assert one.page.evaluate("made") == 1
    one.close()
