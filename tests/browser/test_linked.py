"""Panels side by side in a page with a real widget: each shows its own, all are under the same hands."""

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
from tests.browser.clumps import LABELS, SIDE, WHITE, clumps, near
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


def pixel_at(linked: ServedWidget, panel: int, x: float, y: float) -> tuple[int, ...]:
    """Color of a panel on the screen where a place in data units is, within a view that all panels have."""
    left, top, width, height = linked.plot(panel)
    scale = min(width, height) / (SIDE - 1) / 1.5
    at = left + width / 2 + (x - (SIDE - 1) / 2) * scale, top + height / 2 - (y - (SIDE - 1) / 2) * scale
    image = Image.open(io.BytesIO(linked.page.screenshot())).convert("RGB")
    box = np.asarray(image.crop((at[0] - 2, at[1] - 2, at[0] + 3, at[1] + 3))).reshape(-1, 3)
    return tuple(int(one) for one in np.median(box, axis=0))


def look_at_all(linked: ServedWidget) -> None:
    half = (SIDE - 1) * 1.5 / 2
    middle = (SIDE - 1) / 2
    linked.widget.view = [middle - half, middle + half, middle - half, middle + half]
    linked.tell()


YELLOW, VIOLET = (253, 231, 37), (68, 1, 84)


def test_each_panel_of_a_grid_shows_its_color_at_the_same_cells_and_positions_are_sent_once(
    linked: ServedWidget,
) -> None:
    n = linked.widget.dataset.n_obs
    linked.widget.grid(["donor", "LEFT", "LOW"])
    look_at_all(linked)
    for x, y in ((0, 0), (3, 0), (0, 3), (3, 3)):
        assert near(pixel_at(linked, 1, x, y), YELLOW if x < 2 else VIOLET), (x, y)
        assert near(pixel_at(linked, 2, x, y), YELLOW if y < 2 else VIOLET), (x, y)
    first, second = (tuple(bytes.fromhex(one[1:])) for one in category_palette(list(LABELS), {}, None))
    assert near(pixel_at(linked, 0, 0, 0), first)
    assert near(pixel_at(linked, 0, 0, 3), second)
    assert sum(size for kind, size, _ in linked.said if kind == "points") == 4 * n
    assert linked.page.evaluate("document.querySelectorAll('canvas').length") == 0  # all are in the shadow
    expect(linked.page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])
    expect(linked.page.get_by_role("img", name="Colors: d0, d1")).to_have_attribute("title", "d0\nd1")
    assert violations(linked.page, "#el") == {}


@pytest.fixture(params=[1400, 600])
def linked_at_widths(request: pytest.FixtureRequest, linked: ServedWidget) -> Iterator[ServedWidget]:
    size = linked.page.viewport_size
    linked.page.set_viewport_size({"width": request.param, "height": 900})
    yield linked
    linked.page.set_viewport_size(size)


def test_the_chips_of_filters_leave_the_heads_of_panels_free(linked_at_widths: ServedWidget) -> None:
    linked = linked_at_widths
    linked.widget.filters = {"donor": ["d0"], "LEFT": (0, None)}
    linked.tell()
    chips = linked.page.get_by_role("list", name="Active filters")
    expect(chips).to_be_visible()
    top = linked.plot(0)[1]
    assert chips.bounding_box()["y"] < top + 20, "at the top of the plot where it is alone"
    linked.widget.grid(["donor", "LEFT"])
    linked.tell()
    heads = linked.page.locator(".panel-head")
    expect(heads).to_have_count(2)
    upper = [box for box in (heads.nth(at).bounding_box() for at in range(2)) if box["y"] < top + 20]
    assert upper
    assert all(chips.bounding_box()["y"] >= box["y"] + box["height"] for box in upper)


def test_parts_show_their_cells_alone_in_the_colors_of_the_widget(linked: ServedWidget) -> None:
    linked.widget.color = "LEFT"
    linked.widget.split("donor")
    look_at_all(linked)
    for x, y in ((0, 0), (3, 0), (0, 3), (3, 3)):
        own, color = int(y >= 2), YELLOW if x < 2 else VIOLET
        assert near(pixel_at(linked, own, x, y), color), (x, y)
        assert near(pixel_at(linked, 1 - own, x, y), WHITE), (x, y)
    assert linked.page.locator(".cxg-widget").get_attribute("data-cxg-state") == "ready", "with no plot of all cells"


def test_a_rectangle_in_one_panel_selects_in_all_and_a_ring_is_drawn_in_all(linked: ServedWidget) -> None:
    w = linked.widget
    w.grid(["donor", "LEFT"])
    w.tool = "rectangle"
    look_at_all(linked)
    left, top, width, height = linked.plot(1)
    linked.page.mouse.move(left + 5, top + 5)
    linked.page.mouse.down()
    linked.page.mouse.move(left + width / 2, top + height - 5, steps=4)
    linked.page.mouse.up()
    linked.page.wait_for_timeout(400)
    xy = w.dataset.embedding("umap")
    np.testing.assert_array_equal(w.selection.mask, xy[:, 0] < (SIDE - 1) / 2)
    assert near(pixel_at(linked, 1, 0, 0), YELLOW)
    assert not near(pixel_at(linked, 1, 3, 0), VIOLET)
    w.tool = "pan"
    linked.tell()
    scale = min(width, height) / (SIDE - 1) / 1.5
    linked.page.mouse.move(left + width / 2 - 1.5 * scale, top + height / 2 - 1.5 * scale)
    linked.page.wait_for_timeout(600)
    rings = linked.page.locator(".host .host svg circle[visibility=visible]")
    expect(rings).to_have_count(4)  # a ring and its halo in each
    expect(linked.page.locator(".tooltip")).to_contain_text("LEFT")  # of the panel that it is over


def test_tab_goes_from_panel_to_panel_each_called_by_its_name_and_keys_move_all(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.grid(["donor", "LEFT"])
    look_at_all(linked)
    plots = page.locator("[role=application]")
    expect(plots.nth(0)).to_have_attribute("aria-label", f"donor. {plots.nth(0).get_attribute('aria-label')[7:]}")
    plots.nth(0).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Embedding of the panel LEFT")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Close all")).to_be_focused()
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


def test_pinned_genes_and_categories_are_shown_beside_each_other_by_hand(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.genes.pin("LEFT", "LOW")
    w.open_panels = ["genes", "columns"]
    linked.tell()
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])
    assert [one.look for one in w.panels] == [{}, {"color": "var:LEFT"}, {"color": "var:LOW"}]
    page.locator(".opener", has_text="donor").click()
    page.get_by_role("button", name="Split into panels").click()
    expect(page.locator(".panel-head h3")).to_have_text(list(LABELS))
    assert [one.within["in"] for one in w.panels] == [["d0"], ["d1"]]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".panel-head h3")).to_have_text(["donor", "LEFT", "LOW"])


def test_one_click_closes_all_panels_and_one_undo_brings_them_back(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.grid(["donor", "LEFT", "LOW"])
    look_at_all(linked)
    looks = [one.look for one in w.panels]
    button = page.get_by_role("button", name="Close all")
    expect(button).to_have_count(1)
    rights = page.locator(".panel-head").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().right)")
    box = button.bounding_box()
    assert max(rights) - box["x"] - box["width"] < 40, "it stands in the upper right corner"
    button.click()
    expect(page.locator(".panel-head")).to_have_count(0)
    assert len(w.panels) == 0
    expect(page.get_by_role("application")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".panel-head")).to_have_count(3)
    assert [one.look for one in w.panels] == looks


def test_names_in_small_panels_keep_their_size_and_are_cut_with_an_ellipsis(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.grid(["donor", "LEFT", "LOW"] * 3)
    look_at_all(linked)
    for name, size in (("h3", "12.5px"), (".color-words span", "11px")):
        texts = page.locator(f".panel-head {name}")
        expect(texts.first).to_be_visible()
        looks = texts.evaluate_all(
            "(all) => all.map((one) => [getComputedStyle(one).fontSize, getComputedStyle(one).textOverflow])"
        )
        assert {tuple(one) for one in looks} == {(size, "ellipsis")}, name
    widths = page.locator(".panel-head h3").evaluate_all("(all) => all.map((one) => one.clientWidth)")
    assert min(widths) > 20
    assert page.locator(".panel-head .color-words").first.get_attribute("title") == "\n".join(LABELS)


def test_the_key_of_contours_stands_below_the_plot_and_covers_no_cells(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    name = "a set whose name is longer than a line below a plot of this size could ever be"
    w.sets.add(name, {"donor": "d0"})
    linked.tell()
    plot = page.get_by_role("application")
    before = plot.bounding_box()
    w.contours = [name]
    look_at_all(linked)
    line = page.locator(".legend-line")
    expect(line).to_be_visible()
    page.wait_for_timeout(300)
    box, now = line.bounding_box(), plot.bounding_box()
    assert now["y"] == before["y"]
    assert abs(now["y"] + now["height"] - box["y"]) < 1, "the plot ends where the key begins"
    assert abs(box["y"] + box["height"] - before["y"] - before["height"]) < 1
    assert name.strip() in (line.get_attribute("title") or "")
    assert violations(page, "#el") == {}
    w.contours = None
    look_at_all(linked)
    expect(line).to_have_count(0)
    page.wait_for_timeout(300)
    assert plot.bounding_box() == before


def test_the_picture_that_is_saved_holds_all_panels(linked: ServedWidget, tmp_path: Any) -> None:
    linked.widget.grid(["donor", "LEFT"])
    look_at_all(linked)
    linked.page.get_by_role("button", name="Save picture").click()
    with linked.page.expect_download() as download:
        linked.page.get_by_role("button", name="PNG 2×").click()
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
    widget = CxgWidget(clumps(), color="donor", height=560)
    one = ServedWidget(chromium, widget, width=1000, height=620, init_script=COUNTED)
    widget.grid(["donor", "LEFT", "LOW", {"within": {"donor": ["d0"]}}])
    one.tell()
    one.page.wait_for_timeout(800)
    assert one.page.evaluate("made") == 1
    one.close()


def test_a_plot_scrolled_out_of_sight_stays_ready_and_its_picture_is_kept_when_what_draws_panels_comes(
    chromium: Any,
) -> None:
    served = ServedWidget(chromium, CxgWidget(clumps(), color="donor"), width=700, height=400)
    page, state = served.page, served.page.locator(".cxg-widget")
    page.evaluate("document.body.style.paddingTop = '3000px'")
    page.wait_for_timeout(100)
    while "module" not in [kind for kind, _, _ in served.said]:
        page.wait_for_timeout(200)
    page.evaluate("take", served._flushed())
    assert state.get_attribute("data-cxg-state") == "ready"
    for _ in range(50):
        if served.widget._snapshot.get("png"):
            break
        page.wait_for_timeout(200)
    assert served.widget._snapshot["png"]
    served.close()
