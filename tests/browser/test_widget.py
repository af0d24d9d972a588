"""The real widget in a real browser; expected values come from plain numpy and tiledb."""

import json

import numpy as np
import pytest
import tiledb

from cxg_widget import CxgWidget
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.unit.test_polygon import by_ray_casting

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def truth(folder):
    """Coordinates and cell types of the demo, read with plain tiledb."""
    root = folder / "small.cxg"
    with tiledb.open(str(root / "emb" / "umap")) as array:
        xy = np.asarray(array[:]).astype(np.float32)
    with tiledb.open(str(root / "obs")) as array:
        schema = json.loads(array.meta["cxg_schema"])
        codes = array.query(attrs=["cell_type"])[:]["cell_type"]
    return {"xy": xy, "codes": codes, "categories": schema["cell_type"]["categories"]}


@pytest.fixture(scope="module")
def stage(chromium, folder):
    one = ServedStage(chromium, CxgWidget(str(folder / "small.cxg"), color="cell_type", height=480))
    yield one
    one.close()


@pytest.fixture(autouse=True)
def calm(stage):
    """Bring the widget back to where it began, and expect no script errors."""
    yield
    stage.set("w.state = {'color': 'cell_type', 'height': 480}; w.clear_selection()")
    assert stage.complaints == []


def rows_inside(truth, polygon):
    return np.flatnonzero(by_ray_casting(truth["xy"], np.asarray(polygon))).tolist()


def selected(stage):
    return stage.json("w.selection.rows.tolist()")


def hex_rgb(text):
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))


def test_the_first_picture_shows_every_category_in_its_color(stage, truth):
    colors = stage.json("w.dataset.category_colors('cell_type')")
    counts = np.bincount(truth["codes"][truth["codes"] >= 0], minlength=len(truth["categories"]))
    background = np.array(stage.background(), dtype=float)
    shown = np.array(sorted(stage.colors())) - background
    for label, count in zip(truth["categories"], counts, strict=True):
        if count > 60 and label in colors:
            full = np.array(hex_rgb(colors[label])) - background
            share = shown @ full / (full @ full)  # crowded points are pale: tints of the color
            is_tint = (share > 0.25) & (np.abs(shown - share[:, None] * full).max(axis=1) <= 3)
            assert is_tint.any(), label


def test_points_are_drawn_where_the_embedding_says(stage, truth):
    stage.set("w.state = {'color': None, 'point_size': 5, 'height': 480}")
    pixels, background = stage.pixels(), stage.background()
    box = stage.canvas.bounding_box()
    at = (stage.to_px(truth["xy"]) - [box["x"], box["y"]]).astype(int)
    inked = (np.abs(pixels.astype(int) - background) > 20).any(axis=2)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < inked.shape[1]) & (at[:, 1] < inked.shape[0])
    assert inside.mean() > 0.99
    assert inked[at[inside, 1], at[inside, 0]].mean() > 0.99
    near = np.zeros_like(inked)
    for dx in range(-5, 6):
        for dy in range(-5, 6):
            x, y = np.clip(at[inside, 0] + dx, 0, near.shape[1] - 1), np.clip(at[inside, 1] + dy, 0, near.shape[0] - 1)
            near[y, x] = True
    assert (inked & ~near).mean() < 0.02


def test_a_gene_from_python_recolors_with_few_bytes(stage):
    before = stage.pixels()
    assert stage.n_bytes_of("w.color = 'CD3E'") < 30_000
    assert (stage.pixels() != before).any(axis=2).mean() > 0.01
    stage.shows("CD3E")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((), lambda old, new: new),
        (("Shift",), lambda old, new: old | new),
        (("Alt",), lambda old, new: old - new),
        (("Shift", "Alt"), lambda old, new: old & new),
    ],
    ids=["replace", "add", "subtract", "intersect"],
)
def test_a_lasso_by_mouse_selects_exactly_the_cells_inside_in_each_mode(stage, truth, keys, expected):
    stage.set("w.tool = 'lasso'")
    first = ring(*stage.spot(0.45, 0.5), 120, 110)
    second = ring(*stage.spot(0.6, 0.55), 110, 120)
    stage.drag(first)
    old = set(rows_inside(truth, stage.to_data(first)))
    assert set(selected(stage)) == old
    stage.drag(second, *keys)
    new = set(rows_inside(truth, stage.to_data(second)))
    assert old
    assert new
    assert set(selected(stage)) == expected(old, new)


def test_the_lasso_comes_back_as_the_dataframe_of_those_cells(stage, truth):
    stage.set("w.tool = 'lasso'")
    drawn = ring(*stage.spot(0.5, 0.5), 140, 120)
    stage.drag(drawn)
    rows = rows_inside(truth, stage.to_data(drawn))
    labels = [truth["categories"][code] if code >= 0 else None for code in truth["codes"][rows]]
    stage.ask("found = w.selection.obs()['cell_type'].astype(object)")
    assert stage.json("[None if label != label else label for label in found]") == labels
    assert stage.json("w.n_selected") == len(rows)


def test_a_polygon_by_keys_selects_the_cells_between_its_corners(stage, truth):
    stage.set("w.tool = 'lasso'")
    plot = stage.host.get_by_role("application")
    plot.focus()
    box = plot.bounding_box()
    x, y = box["x"] + round(box["width"] / 2), box["y"] + round(box["height"] / 2)
    corners = [(x, y), (x + 120, y), (x + 120, y + 90), (x - 30, y + 90)]
    keys = ["Enter", *["ArrowRight"] * 12, "Enter", *["ArrowDown"] * 9, "Enter", *["ArrowLeft"] * 15, "Enter", "Enter"]
    for key in ["Enter", *keys]:
        stage.page.keyboard.press(key)
    rows = rows_inside(truth, stage.to_data(corners))
    assert len(rows) > 10
    stage.until(lambda: selected(stage) == rows)
    said = stage.host.locator(".spoken")
    stage.until(lambda: said.text_content() == f"{len(rows):,} of {len(truth['codes']):,} cells selected")


def test_the_line_under_the_plot_says_what_the_last_action_read(stage):
    cost = stage.host.locator(".cost")
    for color, is_read in (("n_counts", True), ("cell_type", False), ("n_counts", False)):
        stage.set(f"w.color = {color!r}")
        stage.until(lambda read=is_read: stage.json("w.cost.from_memory") is not read)
        stage.until(lambda: cost.text_content() == stage.json("str(w.cost)"))


def test_unselected_cells_stay_as_dimmed_context(stage):
    paper = stage.background()
    before = np.abs(stage.pixels().astype(int) - paper)
    stage.set("w.select([0])")
    after = np.abs(stage.pixels().astype(int) - paper)
    assert (after > 6).any(axis=2).mean() > 0.7 * (before > 6).any(axis=2).mean()
    assert after.sum() < 0.5 * before.sum()


def test_escape_clears_the_selection(stage):
    stage.set("w.select([1, 2, 3]); w.tool = 'lasso'")
    stage.page.mouse.move(*stage.spot(0.5, 0.5))
    stage.canvas.click(position={"x": 8, "y": 300})
    stage.page.keyboard.press("Escape")
    stage.rest()
    assert stage.json("w.n_selected") == 0


def test_a_click_in_the_legend_hides_a_category(stage, truth):
    label = truth["categories"][int(np.bincount(truth["codes"][truth["codes"] >= 0]).argmax())]
    color = hex_rgb(stage.json("w.dataset.category_colors('cell_type')")[label])
    assert color in stage.colors()
    stage.host.get_by_role("button", name=label).or_(stage.host.get_by_role("checkbox", name=label)).or_(
        stage.host.get_by_role("option", name=label)
    ).first.click()
    stage.page.mouse.move(*stage.spot(0.02, 0.98))
    stage.settle()
    assert stage.json("w.hidden") == [label]
    assert color not in stage.colors()


def test_the_wheel_zooms_to_the_cursor_and_a_double_click_resets(stage):
    home = stage.view()
    place = stage.spot(0.3, 0.4)
    anchor = stage.to_data([place])
    stage.zoom_in(place)
    zoomed = stage.view()
    assert zoomed[1] - zoomed[0] < 0.6 * (home[1] - home[0])
    np.testing.assert_allclose(stage.to_data([place]), anchor, atol=(home[1] - home[0]) / 1000)
    stage.until(lambda: np.allclose(stage.json("w.view") or np.nan, zoomed, rtol=1e-3, atol=1e-3))
    stage.page.mouse.dblclick(*stage.spot(0.1, 0.9))
    stage.settle()
    np.testing.assert_allclose(stage.view(), home, rtol=1e-6)


def test_dragging_pans_by_the_distance_dragged(stage):
    before = np.array(stage.view())
    (x, y), box = stage.spot(0.5, 0.5), stage.canvas.bounding_box()
    stage.drag([(x, y), (x + 50, y + 20), (x + 100, y + 40)])
    after = np.array(stage.view())
    unit = (before[1] - before[0]) / box["width"]
    np.testing.assert_allclose(after - before, [-100 * unit, -100 * unit, 40 * unit, 40 * unit], atol=unit)


def test_hover_names_the_cell_under_the_pointer(stage, truth):
    stage.set("w.view = None")
    xy = truth["xy"].astype(float)
    at = stage.to_px(xy)
    crowd = np.hypot(*(at[:, None] - at[None, :400]).transpose(2, 0, 1)).argsort(axis=0)[1]
    lonely = max(range(400), key=lambda i: np.hypot(*(at[i] - at[crowd[i]])))
    stage.page.mouse.move(at[lonely][0] + 40, at[lonely][1])
    stage.page.mouse.move(*at[lonely])
    stage.shows(stage.json(f"str(w.dataset.obs_names([{lonely}])[0])"))


def test_the_tooltip_tells_the_fields_that_were_chosen_in_their_order(stage, truth):
    from playwright.sync_api import expect

    stage.set("w.view = None")
    stage.ask("w.hover = ['n_genes', 'CD3E', 'cell_type']")
    at = stage.to_px(truth["xy"].astype(float))[0]
    stage.page.mouse.move(at[0] + 30, at[1])
    stage.page.mouse.move(*at)
    expect(stage.page.locator(".cxg-widget .tooltip dt")).to_have_text(["n_genes", "CD3E", "cell_type"])
    stage.ask("w.hover = None")
    stage.page.mouse.move(at[0] + 60, at[1] + 60)


NARROWER = "([canvas, width]) => canvas.getBoundingClientRect().width < width"


def test_resizing_the_page_resizes_the_plot(stage):
    width = stage.canvas.bounding_box()["width"]
    stage.page.set_viewport_size({"width": 1000, "height": 900})
    stage.page.wait_for_function(NARROWER, arg=[stage.canvas.element_handle(), width])
    stage.page.set_viewport_size({"width": 1280, "height": 900})
    stage.page.wait_for_function(f"(arg) => !({NARROWER})(arg)", arg=[stage.canvas.element_handle(), width - 2])
    stage.settle()
    assert stage.canvas.bounding_box()["width"] == pytest.approx(width, abs=2)


def test_height_is_a_trait(stage):
    before = stage.host.bounding_box()["height"]
    stage.set("w.height = 360")
    stage.page.wait_for_function(
        "([host, before]) => host.getBoundingClientRect().height !== before", arg=[stage.host.element_handle(), before]
    )
    assert stage.host.bounding_box()["height"] == pytest.approx(360, abs=6)


def test_a_wrong_color_from_python_leaves_the_picture(stage):
    before = stage.pixels()
    text = stage.ask("try:\n    w.color = 'CD3EE'\nexcept ValueError as e: print(e)")
    assert "Did you mean 'CD3E'" in text
    np.testing.assert_array_equal(stage.pixels(), before)


def test_limits_from_python_send_no_data(stage):
    stage.set("w.color = 'n_counts'")
    before = stage.pixels()
    assert stage.n_bytes_of("w.vmax = 'p50'") < 6000
    assert (stage.pixels() != before).any()
