"""Retention time by m/z in a page: each axis has its own scale, and every gesture means what it shows."""

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.browser.served_stage import ServedStage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

KINDS = {"points": {}, "all of them in a picture": {"max_points": 300}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("own_units")


@pytest.fixture(scope="module")
def xy(folder):
    """Write a run of 60 minutes; return the place of each peak, as pandas has it."""
    pytest.importorskip("pyarrow", reason="mzPeak is an extra: pip install cxg-widget[mzpeak]")
    from tests.datasets.make_mzpeak import make_mzpeak, make_run

    run = make_run(300)
    run.meta["retention_time"] *= 6
    make_mzpeak(folder / "run.mzpeak", run)
    peaks = run.peaks()
    time = run.meta["retention_time"].to_numpy()[peaks["row"]]
    return np.column_stack([time, peaks["mz"]]).astype(np.float32)


PICTURE = pytest.mark.parametrize("stage", ["all of them in a picture"], indirect=True)
"""Gestures move one camera, whoever draws: js/test/camera.test.js."""


@pytest.fixture(scope="module", params=KINDS)
def stage(request, chromium, folder, xy):
    how = {"observations": "peaks", "color": "log1p_intensity", "height": 480}
    one = ServedStage(chromium, CxgWidget(str(folder / "run.mzpeak"), **how, **KINDS[request.param]))
    yield one
    one.close()


@pytest.fixture(autouse=True)
def calm(stage):
    yield
    stage.set("w.view = None; w.tool = 'pan'; w.clear_selection()")
    assert stage.complaints == []


def whole(xy):
    (x0, y0), (x1, y1) = xy.min(axis=0).astype(float), xy.max(axis=0).astype(float)
    dx, dy = 0.04 * (x1 - x0), 0.04 * (y1 - y0)
    return [x0 - dx, x1 + dx, y0 - dy, y1 + dy]


def inked(stage):
    return (np.abs(stage.pixels().astype(int) - stage.background()) > 3).any(axis=2)


def spot(stage, fx, fy):
    """Return the whole page pixel at a share of the plot; a wheel knows no others."""
    x, y = stage.spot(fx, fy)
    return round(x), round(y)


def test_the_points_fill_the_plot_both_ways(stage, xy):
    np.testing.assert_allclose(stage.view(), whole(xy), rtol=1e-6)
    shown = inked(stage)
    height, width = shown.shape
    across, down = np.flatnonzero(shown.any(axis=0)) / width, np.flatnonzero(shown.any(axis=1)) / height
    np.testing.assert_allclose([across[0], across[-1], down[0], down[-1]], [0.037, 0.963, 0.037, 0.963], atol=0.02)


def test_every_point_is_drawn_where_its_data_say(stage, xy):
    shown = inked(stage)
    box = stage.canvas.bounding_box()
    column, line = np.floor((stage.to_px(xy) - [box["x"], box["y"]]) * shown.shape[1] / box["width"]).astype(int).T
    assert shown[line, column].mean() > 0.98


@PICTURE
def test_both_axes_have_their_name_and_unit_beside_the_points(stage, xy):
    labels = {axis: stage.host.locator(f".axis.{axis} .name") for axis in "xy"}
    assert {axis: label.text_content() for axis, label in labels.items()} == {"x": "retention time (min)", "y": "m/z"}
    (left, top), (right, bottom) = stage.to_px([[xy[:, 0].min(), xy[:, 1].max()], [xy[:, 0].max(), xy[:, 1].min()]])
    below, beside = labels["x"].bounding_box(), labels["y"].bounding_box()
    radius = 2
    baseline = stage.canvas.bounding_box()["y"] + float(labels["x"].get_attribute("y"))
    letters = 9  # of a font of 11 px
    assert baseline - letters > bottom + radius
    assert left < below["x"] < below["x"] + below["width"] < right + 0.04 * (right - left)
    assert beside["x"] + beside["width"] < left - radius
    assert top < beside["y"] < beside["y"] + beside["height"] < bottom


def numbers(stage):
    """Return axis, value and the middle of each number at the edges, page pixels."""
    return stage.host.evaluate(
        """(host) => [...host.firstElementChild.shadowRoot.querySelectorAll(".axis .number")].map((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            const value = Number(one.textContent.replaceAll(",", ""));
            return [one.parentElement.classList.contains("x") ? 0 : 1, value, (left + right) / 2, (top + bottom) / 2];
        })"""
    )


def check_numbers(stage):
    """Assert that each number stands where its value is drawn; return the values along x and y."""
    found = numbers(stage)
    for axis, value, *middle in found:
        assert middle[axis] == pytest.approx(stage.to_px([[value, value]])[0][axis], abs=1)
    values = [[value for axis, value, *_ in found if axis == one] for one in (0, 1)]
    assert min(map(len, values)) >= 2
    return values


@PICTURE
def test_numbers_along_both_edges_stand_where_their_values_are_drawn(stage):
    home = check_numbers(stage)
    stage.zoom_in(spot(stage, 0.3, 0.4))
    near = check_numbers(stage)
    assert all(np.ptp(values) < np.ptp(before) / 1.5 for values, before in zip(near, home, strict=True))
    stage.set("w.view = [20.01, 20.09, 445.1201, 445.1289]")
    check_numbers(stage)


@PICTURE
def test_numbers_move_with_the_hand(stage):
    x, y = spot(stage, 0.5, 0.5)
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    for step in (20, 45, 80):
        stage.page.mouse.move(x + step, y - step)
        stage.page.wait_for_timeout(60)
        check_numbers(stage)
    stage.page.mouse.up()
    stage.rest()


@PICTURE
def test_the_wheel_zooms_both_axes_alike_and_keeps_the_data_under_the_cursor(stage):
    home, place = np.array(stage.view()), spot(stage, 0.3, 0.4)
    anchor = stage.to_data([place])
    stage.zoom_in(place)
    zoomed = np.array(stage.view())
    by_x, by_y = (home[1] - home[0]) / (zoomed[1] - zoomed[0]), (home[3] - home[2]) / (zoomed[3] - zoomed[2])
    assert by_x > 2
    assert by_x == pytest.approx(by_y)
    np.testing.assert_allclose(stage.to_data([place]), anchor, rtol=1e-9)
    stage.until(lambda: np.allclose(stage.json("w.view") or np.nan, zoomed, rtol=1e-9))
    stage.page.mouse.dblclick(*stage.spot(0.1, 0.9))
    stage.settle()
    np.testing.assert_allclose(stage.view(), home, rtol=1e-9)


@PICTURE
@pytest.mark.parametrize("view", [None, [18, 24, 445.1, 445.16], [0, 60, 800, 810]])
def test_a_rectangle_selects_what_lies_between_its_corners(stage, xy, view):
    stage.set(f"w.view = {view}; w.tool = 'rectangle'")
    (left, top), (right, bottom) = (spot(stage, *at) for at in ((0.2, 0.25), (0.8, 0.75)))
    stage.drag([(left, top), (left + 30, top + 10), (right, bottom)])
    (x0, y1), (x1, y0) = stage.to_data([(left, top), (right, bottom)])
    x, y = xy.astype(float).T
    inside = np.flatnonzero((x > x0) & (x < x1) & (y > y0) & (y < y1))
    assert 0 < len(inside) < len(xy)
    assert stage.json("w.selection.rows.tolist()") == inside.tolist()


@PICTURE
def test_a_view_from_python_is_shown_to_the_edge_whatever_the_shape_of_the_plot(stage):
    view = [12.5, 20.25, 400, 403.5]
    stage.set(f"w.view = {view}")
    np.testing.assert_allclose(stage.view(), view, rtol=1e-12)
    before = stage.canvas.bounding_box()["width"]
    stage.page.set_viewport_size({"width": 1000, "height": 900})
    stage.settle()
    assert stage.canvas.bounding_box()["width"] < before
    np.testing.assert_allclose(stage.view(), view, rtol=1e-12)
    stage.page.set_viewport_size({"width": 1280, "height": 900})
    stage.settle()
    assert stage.json("w.view") == view


@pytest.mark.parametrize("view", [None, [10, 50, 444.9, 445.5]])
def test_hover_finds_the_cell_under_the_pointer(stage, xy, view):
    stage.set(f"w.view = {view}")
    at, box = stage.to_px(xy), stage.canvas.bounding_box()
    middle = (np.abs(at - [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]) < [200, 130]).all(axis=1)
    seen = np.flatnonzero(middle)[:300]
    apart = [np.partition(np.hypot(*(at - at[row]).T), 1)[1] for row in seen]
    row = int(seen[np.argmax(apart)])
    assert max(apart) > 3
    stage.page.mouse.move(at[row][0] + 40, at[row][1])
    stage.page.mouse.move(*at[row])
    name = stage.host.locator(".tooltip .name")
    name.wait_for()
    assert name.inner_text() == str(row)
    stage.page.mouse.move(*stage.spot(0.01, 0.99))


def test_hover_up_or_down_and_to_the_side_reaches_as_far_on_the_screen(stage, xy):
    """6 px beside a lonely point are near, 12 px are not, along either axis."""
    stage.set("w.point_size = 3; w.view = [20, 23, 445.105, 445.145]")
    at, box = stage.to_px(xy), stage.canvas.bounding_box()
    middle = (np.abs(at - [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]) < [280, 180]).all(axis=1)
    alone = [row for row in np.flatnonzero(middle) if np.partition(np.hypot(*(at - at[row]).T), 1)[1] > 24]
    assert alone
    row = alone[0]
    tip = stage.host.locator(".tooltip .name")
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        for far, told in ((5, 1), (12, 0)):
            stage.page.mouse.move(*stage.spot(0.01, 0.99))
            tip.wait_for(state="detached")
            stage.page.mouse.move(at[row][0] + far * dx, at[row][1] + far * dy)
            if told:
                tip.wait_for(state="attached")
            else:
                stage.rest()
            assert tip.count() == told, (dx, dy, far)
            assert told == 0 or tip.inner_text() == str(row)
    stage.set("w.point_size = None")
