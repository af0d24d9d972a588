"""More cells than are sent: the picture is an image of all of them, with the same gestures."""

import shutil

import numpy as np
import pytest
import tiledb

from cxg_widget import CxgWidget
from cxg_widget.color.rgb import LEFT_OUT_LIGHT
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.unit.test_polygon import by_ray_casting

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def xy(folder):
    with tiledb.open(str(folder / "small.cxg" / "emb" / "umap")) as array:
        return np.asarray(array[:]).astype(np.float32)


def served(chromium, path, **more):
    return ServedStage(chromium, CxgWidget(str(path), color="cell_type", height=480, max_points=300, **more))


@pytest.fixture(scope="module")
def stage(chromium, folder):
    one = served(chromium, folder / "small.cxg")
    yield one
    one.close()


@pytest.fixture(autouse=True)
def calm(stage):
    yield
    stage.set("w.state = {'color': 'cell_type', 'height': 480, 'max_points': 300}; w.clear_selection()")
    assert stage.complaints == []


def places(stage, xy):
    """Return line and column of each cell in the picture, and which cells it shows."""
    box = stage.canvas.bounding_box()
    height, width = stage.pixels().shape[:2]
    at = np.floor((stage.to_px(xy) - [box["x"], box["y"]]) * [width / box["width"], height / box["height"]]).astype(int)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)
    return at[:, 1], at[:, 0], inside


def inked(stage):
    return (np.abs(stage.pixels().astype(int) - stage.background()) > 3).any(axis=2)


def drawn(stage):
    return int(stage.host.get_attribute("data-cxg-drawn"))


def test_all_cells_are_in_the_picture_though_few_were_sent(stage, xy):
    stage.set("w.point_size = 1")
    assert drawn(stage) == len(xy)
    line, column, inside = places(stage, xy)
    assert inside.all()
    shown = inked(stage)
    assert shown[line, column].mean() > 0.995
    near = np.zeros_like(shown)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            near[np.clip(line + dy, 0, None), np.clip(column + dx, 0, None)] = True
    assert not (shown & ~near).any()


def test_cells_that_the_filters_leave_out_stay_grey_at_their_pixels_in_images_and_among_points(stage, xy):
    stage.set("w.point_size = 1; w.filters['n_genes'] = (1000, None); w.filtered = 'grey'")
    passing = np.array(stage.json("w.filters.mask.tolist()"))
    line, column, _ = places(stage, xy)
    for how in ("", "w.max_points = 5000", "w.max_points = 300"):
        stage.set(how)
        found = stage.pixels()[line, column].astype(int)
        assert (np.abs(found - stage.background()) > 3).any(axis=1).mean() > 0.99
        is_grey = (np.abs(found - LEFT_OUT_LIGHT) <= 1).all(axis=1)
        assert is_grey[~passing].mean() > 0.5  # others lie above the rest
        assert is_grey[passing].mean() < 0.01
    stage.set("w.filtered = 'hide'")
    assert inked(stage)[line, column][~passing].mean() < 0.6


def test_near_enough_the_cells_themselves_are_drawn(stage, xy):
    x, y = np.median(xy, axis=0)
    near = (np.abs(xy - (x, y)) < 0.4).all(axis=1)
    assert 5 < near.sum() < 300
    stage.set(f"w.view = [{x - 0.4}, {x + 0.4}, {y - 0.4}, {y + 0.4}]; w.point_size = 5")
    line, column, inside = places(stage, xy)
    assert inside[near].all()
    assert inked(stage)[line[near], column[near]].all()


def test_the_wheel_leads_from_the_image_to_the_cells_and_back(stage, xy):
    whole = stage.pixels()
    (x, y), *_ = stage.to_px([np.median(xy, axis=0)])
    stage.page.mouse.move(x, y)
    for _ in range(8):
        stage.page.mouse.wheel(0, -300)
        stage.page.wait_for_timeout(20)
    stage.settle()
    assert 0 < drawn(stage) < len(xy)
    stage.until(lambda: stage.json("w.view"))
    stage.set("w.view = None")
    assert drawn(stage) == len(xy)
    assert (stage.pixels() == whole).all(axis=2).mean() > 0.99


def test_colormap_and_limits_send_nothing(stage):
    stage.set("w.color = 'CD3E'")
    before = stage.pixels()
    assert stage.n_bytes_of("w.cmap = 'magma'; w.vmax = 'p99'") < 30_000
    assert (stage.pixels() != before).any(axis=2).mean() > 0.01


def test_hidden_categories_and_a_highlight_change_the_image(stage):
    before = inked(stage)
    stage.set("w.hidden = list(w.dataset.obs()['cell_type'].cat.categories[:6])")
    fewer = inked(stage)
    assert fewer.sum() < 0.8 * before.sum()
    assert not (fewer & ~before).any()


def test_the_row_of_a_hidden_category_dims_nothing_under_the_pointer_or_the_focus(stage):
    counts = stage.json("w.dataset.obs()['cell_type'].value_counts(sort=False).to_dict()")
    name = max(counts, key=counts.get)
    place = list(counts).index(name)
    stage.set(f"w.hidden = [{name!r}]")
    alone = stage.pixels()
    stage.set("w.hidden = []")
    row = stage.host.get_by_role("option", name=name, exact=False).first
    row.click()
    stage.settle()
    assert stage.json("w.hidden") == [name]
    np.testing.assert_array_equal(stage.pixels(), alone)
    row.click()
    stage.settle()
    lit = stage.pixels()
    stage.page.mouse.move(2, 2)
    stage.settle()
    assert (stage.pixels() != lit).any(axis=2).mean() > 0.01
    stage.host.get_by_role("button", name="Sort by count").focus()
    stage.page.keyboard.press("Tab")
    for key in ["Home", *["ArrowDown"] * place]:
        stage.page.keyboard.press(key)
    stage.page.keyboard.press(" ")
    stage.settle()
    assert stage.json("w.hidden") == [name]
    np.testing.assert_array_equal(stage.pixels(), alone)
    stage.page.keyboard.press(" ")
    stage.settle()
    np.testing.assert_array_equal(stage.pixels(), lit)
    stage.page.keyboard.press("Shift+Tab")


def test_the_legend_selects_all_cells_of_a_category_by_keyboard_and_counts_them(stage):
    stage.ask("seen = []; w.on_selection(lambda selection: seen.append(len(selection)))")
    counts = stage.json("w.dataset.obs()['cell_type'].value_counts(sort=False).to_dict()")
    names = list(counts)
    stage.host.get_by_role("button", name="Sort by count").focus()
    for key in ("Tab", "Home", "s", "ArrowDown", "Shift+s"):
        stage.page.keyboard.press(key)
    both = counts[names[0]] + counts[names[1]]
    assert both > 300  # more than were sent
    stage.host.locator(".status", has_text=f"{both:,} of 3,000 cells selected").wait_for()
    found = lambda i: stage.host.locator(f"#row-{i} .counts").inner_text().split()  # noqa: E731
    for i, name in enumerate(names[:3]):
        stage.until(lambda i=i, name=name: found(i) == [f"{counts[name] * (i < 2):,}", f"{counts[name]:,}"])
    assert stage.json("w.selection.obs('cell_type')['cell_type'].value_counts().head(2).to_dict()") == {
        name: counts[name] for name in names[:2]
    }
    assert stage.json("seen") == [counts[names[0]], both]
    stage.page.keyboard.press("Shift+Tab")


def test_a_lasso_selects_what_the_polygon_holds_and_shows_it(stage, xy):
    stage.set("w.tool = 'lasso'")
    corners = ring(*stage.spot(0.45, 0.45), 90, 90)
    plain = stage.pixels()
    stage.drag(corners)
    stage.settle()
    rows = stage.json("w.selection.rows.tolist()")
    # Page pixels are whole, so that cells at the very edge may go either way.
    polygon = stage.to_data(corners)
    truth = np.flatnonzero(by_ray_casting(xy, polygon)).tolist()
    assert len(set(rows) ^ set(truth)) <= max(2, 0.01 * len(truth))
    assert len(rows) > 20
    assert stage.json("w.n_selected") == len(rows)
    assert (stage.pixels() != plain).any(axis=2).mean() > 0.01
    assert stage.json("len(w.selection.obs())") == len(rows)


def test_hover_finds_a_cell_that_was_not_sent(stage, xy):
    x, y = np.median(xy, axis=0)
    stage.set(f"w.view = [{x - 1}, {x + 1}, {y - 1}, {y + 1}]")
    nearest = int(np.argmin(((xy - (x, y)) ** 2).sum(axis=1)))
    (px, py), *_ = stage.to_px([xy[nearest]])
    name = stage.json(f"w.dataset.obs_names([{nearest}])[0]")
    told = stage.page.get_by_text(name).first

    def is_told():  # a picture that comes late takes the name away, which comes back when the hand moves
        stage.page.mouse.move(px + 40, py)
        stage.page.mouse.move(px, py)
        stage.rest()
        return told.is_visible()

    stage.until(is_told)


def test_the_image_is_drawn_by_the_kernel_when_points_are_not_wanted(stage, xy):
    stage.set("w.render = 'points'")
    assert drawn(stage) == len(xy)
    points = stage.pixels()
    stage.set("w.render = 'raster'")
    assert drawn(stage) == len(xy)
    assert (stage.pixels() != points).any(axis=2).mean() > 0.01
    stage.set("w.render = 'auto'")


def test_a_legend_follows_though_no_cell_is_in_view(stage):
    stage.set("w.view = [1000, 1001, 1000, 1001]")
    assert drawn(stage) == 0
    stage.shows("No cells in view.")
    stage.set("w.color = 'CD3E'")
    assert stage.host.get_by_role("heading", name="CD3E").count() == 1
    stage.set("w.render = 'raster'; w.view = [0, 1e-12, 0, 1e-12]")
    assert stage.page.get_by_role("alert").count() == 0
    stage.host.get_by_role("button", name="Zoom to fit").click()
    stage.shows_no("No cells in view.")
    stage.until(lambda: stage.json("w.view is None"))


def test_an_image_in_a_tab_that_is_not_on_show_waits_without_an_error(stage):
    stage.host.evaluate("(host) => (host.style.display = 'none')")
    stage.ask("w.color = 'CD3E'; w.select(range(200))")
    stage.rest()
    stage.host.evaluate("(host) => (host.style.display = '')")
    stage.settle()
    assert drawn(stage) == 3000
    assert stage.page.get_by_role("alert").count() == 0


def test_another_set_of_points_and_back_is_the_same_picture(stage):
    stage.page.mouse.move(2, 2)  # off the legend, whose rows highlight
    stage.settle()
    before = stage.pixels()
    stage.set("w.select(range(500))")
    selected = stage.pixels()
    for code in ("w.max_points = 10_000", "w.max_points = 700", "w.render = 'raster'", "w.render = 'auto'"):
        stage.set(code)
        assert drawn(stage) == 3000
    stage.set("w.max_points = 300")
    np.testing.assert_array_equal(stage.pixels(), selected)
    stage.set("w.axes = [1, 0]")
    assert (stage.pixels() != selected).any(axis=2).mean() > 0.01
    stage.set("w.axes = [0, 1]; w.clear_selection()")
    np.testing.assert_array_equal(stage.pixels(), before)


@pytest.fixture
def odd(chromium, folder):
    """A store whose only embedding is tissue, y down, in which every tenth cell has no place."""
    path = folder / "odd.cxg"
    if not path.exists():
        shutil.copytree(folder / "small.cxg", path)
        with tiledb.open(str(path / "emb" / "umap")) as array:
            places = np.asarray(array[:]).astype(np.float32)
        places[::10] = [np.nan, np.inf]
        tiledb.from_numpy(str(path / "emb" / "spatial"), places).close()
    one = served(chromium, path, embedding="spatial")
    yield one
    one.close()


def test_cells_without_a_place_are_in_no_image_and_in_no_lasso_and_tissue_is_not_upside_down(odd, folder):
    with tiledb.open(str(folder / "odd.cxg" / "emb" / "spatial")) as array:
        xy = np.asarray(array[:]).astype(np.float32)
    placed = np.isfinite(xy).all(axis=1)
    odd.set("w.point_size = 1")
    assert drawn(odd) == placed.sum()
    left, right, bottom, top = odd.view()
    assert left < right
    assert top < bottom
    line, column, inside = places(odd, xy[placed])
    assert inside.all()
    assert inked(odd)[line, column].mean() > 0.995
    odd.set("w.tool = 'lasso'")
    corners = ring(*odd.spot(0.5, 0.5), 110, 110)
    odd.drag(corners)
    odd.settle()
    rows = odd.json("w.selection.rows.tolist()")
    truth = np.flatnonzero(by_ray_casting(xy, odd.to_data(corners))).tolist()
    assert len(truth) > 100
    assert len(set(rows) ^ set(truth)) <= max(2, 0.01 * len(truth))
    assert placed[rows].all()
