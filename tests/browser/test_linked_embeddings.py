"""Panels of other embeddings in a page with a real widget: each looks at its own, all are under the same hands."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cxg_widget.color.palettes import category_palette
from tests.browser.axe import violations
from tests.browser.clumps import LABELS, WHITE, near
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

COLORS = [tuple(bytes.fromhex(one[1:])) for one in category_palette(list(LABELS), {}, None)]


def turned(x: float, y: float) -> tuple[float, float]:
    return 10 * y, -10 * x


def view_of(linked: ServedWidget, panel: int) -> list[float]:
    """Return what a panel shows: left, right, bottom, top, data units."""
    host = linked.page.locator("[data-cxg-view]:visible").nth(panel)
    return json.loads(host.get_attribute("data-cxg-view"))  # type: ignore[no-any-return]


def px_of(linked: ServedWidget, panel: int, x: float, y: float) -> tuple[float, float]:
    """Return where a place in data units is on the page."""
    (left, top, width, height), (x0, x1, y0, y1) = linked.plot(panel), view_of(linked, panel)
    return left + width * (x - x0) / (x1 - x0), top + height * (y1 - y) / (y1 - y0)


def pixels_at(linked: ServedWidget, places: list[tuple[int, tuple[float, float]]]) -> list[tuple[int, ...]]:
    """Colors on the screen where places of panels, in data units, are."""
    image = Image.open(io.BytesIO(linked.page.screenshot())).convert("RGB")
    found = []
    for panel, place in places:
        x, y = px_of(linked, panel, *place)
        box = np.asarray(image.crop((x - 2, y - 2, x + 3, y + 3))).reshape(-1, 3)
        found.append(tuple(int(one) for one in np.median(box, axis=0)))
    return found


def drag(linked: ServedWidget, start: tuple[float, float], stop: tuple[float, float]) -> None:
    linked.page.mouse.move(*start)
    linked.page.mouse.down()
    linked.page.mouse.move(*stop, steps=4)
    linked.page.mouse.up()
    linked.page.wait_for_timeout(400)


def test_each_panel_shows_the_same_cells_where_its_embedding_has_them_and_positions_are_sent_once(
    linked: ServedWidget,
) -> None:
    n, start = linked.widget.dataset.n_obs, len(linked.said)
    linked.widget.grid(["donor", {"embedding": "X_pca"}, {"embedding": "X_pca", "color": "LEFT"}])
    linked.tell()
    corners = [(x, y) for x in (0, 3) for y in (0, 3)]
    places = [(panel, turned(*at) if panel else at) for panel in (0, 1) for at in corners]
    between = [(1, turned(x + 0.5, 1.5)) for x in range(3)]
    for render in ("auto", "raster"):
        linked.widget.render = render
        linked.tell()
        linked.page.wait_for_timeout(1_200)  # what has come is not asked for
        for (panel, at), found in zip(places, pixels_at(linked, places), strict=True):
            assert near(found, COLORS[int((at[0] if panel else at[1]) > 1)]), (render, panel, at)
        assert all(near(one, WHITE) for one in pixels_at(linked, between))
    # Of images the same points are a sample, in another order.
    assert [size for kind, size, panel in linked.said[start:] if kind == "points" and panel == 2] == 2 * [4 * n]
    assert {panel for kind, _, panel in linked.said[start:] if kind == "points"} == {0, 2}
    assert view_of(linked, 1) == view_of(linked, 2) != view_of(linked, 0)
    axes = linked.page.get_by_role("img", name="Horizontal axis: PC 1. Vertical axis: PC 2.")
    expect(axes).to_have_count(2)


def test_a_rectangle_drawn_in_another_embedding_selects_in_all_and_a_ring_shows_the_same_cell(
    linked: ServedWidget,
) -> None:
    w = linked.widget
    w.panel(embedding="X_pca")
    w.tool = "rectangle"
    linked.tell()
    drag(linked, px_of(linked, 1, -1.5, 5), px_of(linked, 1, 31.8, -15))  # x below 1.5
    xy = w.dataset.embedding("X_umap")
    np.testing.assert_array_equal(w.selection.mask, xy[:, 0] < 1.5)
    assert w.selection.rule["embedding"] == "X_pca"
    places = [(0, (3.0, 0.0)), (1, turned(3, 0)), (0, (0.0, 0.0)), (1, turned(0, 0))]
    assert [near(one, COLORS[0]) for one in pixels_at(linked, places)] == [False, False, True, True]
    w.tool = "pan"
    linked.tell()
    row = int(np.flatnonzero(xy[:, 1] > 2.5)[0])
    places = [w.dataset.embedding(name)[row] for name in ("X_umap", "X_pca")]
    linked.page.mouse.move(*px_of(linked, 1, *map(float, places[1])))
    linked.page.wait_for_timeout(600)
    rings = linked.page.locator(".host .host svg:has(circle[visibility=visible]) circle:last-of-type")
    expect(rings).to_have_count(2)
    cell = linked.page.locator(".tooltip")
    expect(cell).to_be_visible()
    for panel in (0, 1):
        left, top, *_ = linked.plot(panel)
        at = [float(rings.nth(panel).get_attribute(name)) for name in ("cx", "cy")]
        x, y = px_of(linked, panel, *map(float, places[panel]))
        assert np.hypot(left + at[0] - x, top + at[1] - y) < 12, panel  # of the clump that is meant


def test_a_camera_is_that_of_its_embedding_and_the_button_shows_everything_in_all(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.grid(["donor", {"embedding": "X_pca"}, "LEFT", {"embedding": "X_pca", "color": "LEFT"}])
    linked.tell()
    whole = [view_of(linked, panel) for panel in range(4)]
    plots = page.locator("[role=application]:visible")
    plots.nth(3).focus()
    page.keyboard.press("+")
    page.wait_for_timeout(300)
    assert [view_of(linked, panel) == whole[panel] for panel in range(4)] == [True, False, True, False]
    assert view_of(linked, 1) == view_of(linked, 3)
    plots.nth(0).focus()
    page.keyboard.press("+")
    page.keyboard.press("0")
    plots.nth(2).focus()
    page.keyboard.press("+")
    page.wait_for_timeout(300)
    moved = [view_of(linked, panel) for panel in range(4)]
    assert not [panel for panel in range(4) if moved[panel] == whole[panel]]
    state = w.state
    assert state["views"] == [{"embedding": "X_pca", "view": pytest.approx(moved[1])}]
    page.get_by_role("button", name="Reset view").click()
    page.wait_for_timeout(300)
    assert [view_of(linked, panel) for panel in range(4)] == whole
    assert w.views == []
    w.state = state
    linked.tell()
    for panel in range(4):
        assert view_of(linked, panel) == pytest.approx(moved[panel])


def test_the_head_of_a_panel_offers_the_embeddings_and_undo_takes_it_back(linked: ServedWidget) -> None:
    w, page = linked.widget, linked.page
    w.panel(color="LEFT")
    linked.tell()
    place = page.get_by_label("Embedding of the panel LEFT")
    expect(place).to_have_value("X_umap")
    place.select_option("X_pca")
    linked.tell()
    assert (w.panels[1].embedding, w.embedding) == ("X_pca", "X_umap")
    expect(page.get_by_role("application", name="LEFT · X_pca. Scatterplot")).to_be_visible()
    linked.page.wait_for_timeout(400)
    assert view_of(linked, 1)[1] > 25
    page.mouse.move(500, 610)  # off the buttons, whose names would be shown
    assert violations(page, "#el") == {}
    page.get_by_label("Embedding of the panel donor").select_option("X_pca")  # of the plot: both are one place now
    linked.tell()
    page.wait_for_timeout(400)
    assert w.embedding == "X_pca"
    assert view_of(linked, 0) == view_of(linked, 1)
    w.undo()
    w.undo()
    linked.tell()
    expect(page.get_by_role("application", name="LEFT. Scatterplot")).to_be_visible()
    assert view_of(linked, 0) == view_of(linked, 1)
    assert w.embedding == "X_umap"


def test_the_picture_that_is_saved_shows_each_panel_in_its_embedding(linked: ServedWidget, tmp_path: Any) -> None:
    linked.widget.panel(embedding="X_pca")
    linked.tell()
    linked.page.get_by_role("button", name="Save picture").click()
    linked.tell()
    with linked.page.expect_download() as download:
        linked.page.get_by_role("button", name="PNG 2×").click()
    download.value.save_as(tmp_path / "all.png")
    image = np.asarray(Image.open(tmp_path / "all.png").convert("RGB")).astype(int)
    lower, upper = (np.argwhere(np.abs(image - color).max(axis=2) < 8) for color in COLORS)
    width = image.shape[1]
    for points in (lower, upper):  # of both panels
        assert min(np.count_nonzero(points[:, 1] < width / 3), np.count_nonzero(points[:, 1] > width / 2)) > 100
    in_pca = [points[points[:, 1] > width / 2] for points in (lower, upper)]
    assert np.median(in_pca[0][:, 1]) + 40 < np.median(in_pca[1][:, 1])  # beside each other, not above
