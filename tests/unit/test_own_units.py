"""Axes with units of their own: what is near, what is told, what is drawn; all of it in screen terms."""

import io
import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from cxg_widget.display.hover import circle_of, nearest_row
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.view import fit_view, zoom_of
from cxg_widget.widget.static_picture import static_picture
from cxg_widget.wire import protocol as p
from tests.examples import MORE
from tests.memory import MemoryDataset, small
from tests.stills import still_png

EXTENT = (0.0, 60.0, 200.0, 100_200.0)
SURE = 1e-6
"""Two distances that differ by less are the same in the rounding of float32."""


class OwnUnits(MemoryDataset):
    """Points over 60 x 100,000 units."""

    def _axis_labels(self, name, axes):
        return None if axes[0] == axes[1] else tuple(("time (min)", "m/z")[axis] for axis in axes)


def lopsided(n, seed=0):
    x0, x1, y0, y1 = EXTENT
    xy = np.random.default_rng(seed).random((n, 2)) * (x1 - x0, y1 - y0) + (x0, y0)
    return xy.astype(np.float32)


def session(n=4000, **settings):
    base = small(n)
    dataset = OwnUnits(base._obs, base._x, base._genes, {"map": lopsided(n)})
    return Session(dataset, Settings(embedding="map", **settings))


def on_screen(xy, x, y, radius_x, radius_y):
    """Return how far each point is from a place, 1 = on the rim of the ellipse."""
    return np.hypot((xy[:, 0].astype(np.float64) - x) / radius_x, (xy[:, 1].astype(np.float64) - y) / radius_y)


def check_nearest(distance, found):
    best = distance.min(initial=np.inf)
    if best < 1 - SURE:
        assert found is not None
        assert distance[found] <= best * (1 + SURE) + SURE**2
    elif best > 1 + SURE:
        assert found is None


places = st.tuples(st.floats(-10, 70), st.floats(-5_000, 110_000))
shares = st.floats(1e-4, 2)


@settings(max_examples=30 * MORE, deadline=None)
@given(st.integers(0, 3), places, shares, shares)
def test_the_nearest_point_is_the_one_nearest_on_the_screen(seed, place, share_x, share_y):
    xy = lopsided(700, seed)
    radii = 60 * share_x, 100_000 * share_y
    distance = on_screen(xy, *place, *radii)
    radius, stretch = circle_of(*radii)
    check_nearest(distance, nearest_row(xy, *place, radius, stretch=stretch))
    index = SpatialIndex.build(xy)
    found = index.nearest(*place, radius, stretch=stretch)
    check_nearest(distance, None if found is None else int(index.rows[found]))


@pytest.mark.parametrize("share", [1e-3, 0.05, 3])
def test_hidden_points_are_passed_over_on_the_screen_too(share):
    xy = lopsided(5000)
    index = SpatialIndex.build(xy)
    radius, stretch = circle_of(60 * share, 100_000 * share)
    for place in lopsided(20, seed=9).astype(float):
        allowed = np.arange(len(xy)) % 5 == 0
        distance = on_screen(xy, *place, 60 * share, 100_000 * share)
        distance[~allowed] = np.inf
        found = index.nearest(*place, radius, lambda at: index.rows[at] % 5 == 0, stretch=stretch)
        check_nearest(distance, None if found is None else int(index.rows[found]))
        check_nearest(distance, nearest_row(xy, *place, radius, allowed, stretch=stretch))


@pytest.mark.parametrize("stretch", [1e-4, 1.0, 1e4])
def test_a_radius_beyond_all_points_reaches_them_all(stretch):
    xy = np.array([[0, 50], [1, 60], [np.nan, 0]], dtype=np.float32)
    distance = np.hypot(xy[:2, 0].astype(float), xy[:2, 1].astype(float) * stretch)
    index = SpatialIndex.build(xy)
    for radius in (1e9, np.inf):
        found = index.nearest(0, 0, radius, stretch=stretch)
        assert found is not None
        assert index.rows[found] == np.argmin(distance)


@given(st.floats(0, 1e6), places)
def test_equal_radii_find_what_a_circle_finds_to_the_last_bit(radius, place):
    assert circle_of(radius, radius) == (radius, 1.0)
    xy = lopsided(300)
    near = np.flatnonzero((np.abs(xy[:, 0] - place[0]) <= radius) & (np.abs(xy[:, 1] - place[1]) <= radius))
    distance = np.hypot(xy[near, 0].astype(np.float64) - place[0], xy[near, 1].astype(np.float64) - place[1])
    best = int(np.argmin(distance)) if near.size else -1
    expected = int(near[best]) if near.size and distance[best] <= radius else None
    assert nearest_row(xy, *place, *circle_of(radius, radius)[:1]) == expected


@pytest.mark.parametrize("radii", [(0.0, 0.0), (0.0, 5.0), (5.0, 0.0), (-1.0, 5.0), (5.0, -1.0)])
def test_an_ellipse_without_any_breadth_holds_no_point_beside_its_middle(radii):
    xy = np.array([[1, 1], [1, 2], [2, 1]], dtype=np.float32)
    index = SpatialIndex.build(xy)
    radius, stretch = circle_of(*radii)
    assert nearest_row(xy, 1.5, 1.5, radius, stretch=stretch) is None
    assert index.nearest(1.5, 1.5, radius, stretch=stretch) is None
    at_point = nearest_row(xy, 1.0, 2.0, radius, stretch=stretch)
    assert at_point == (1 if min(radii) == 0 else None)


@pytest.mark.parametrize("render", ["points", "raster"])
def test_hover_finds_the_cell_under_the_pointer_in_points_and_pictures_alike(render):
    one = session(render=render)
    xy = one.dataset.embedding("map")
    if render == "raster":
        list(one.answer(p.Aggregate([*EXTENT[:2], *EXTENT[2:]], 80, 60, 1.0, -1, False)))
    radius_x, radius_y = 6 * 60 / 800, 6 * 100_000 / 600
    for x, y in lopsided(40, seed=4).astype(float):
        (frame,) = one.answer(p.Hover(x, y, radius_x, radius_y))
        row = frame.message.row
        check_nearest(on_screen(xy, x, y, radius_x, radius_y), None if row < 0 else row)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (1, 1)])
def test_the_points_tell_which_units_their_axes_have(axes):
    message = next(session(axes=axes).streams.points()).message
    names = ["time (min)", "m/z"]
    own = axes[0] != axes[1]
    assert message.equal_units is not own
    assert message.axis_labels == ([names[axis] for axis in axes] if own else [])
    assert next(Session(small(10), Settings(embedding="umap")).streams.points()).message.equal_units is True


@pytest.mark.parametrize("y_down", [False, True])
def test_a_view_of_everything_has_a_margin_of_4_percent_along_each_axis(y_down):
    for size in ((800, 600), (200, 900)):
        left, right, bottom, top = fit_view(EXTENT, size, y_down=y_down, equal_units=False)
        low, high = (top, bottom) if y_down else (bottom, top)
        np.testing.assert_allclose([left, right, low, high], [-2.4, 62.4, 200 - 4_000, 100_200 + 4_000])
    left, right, bottom, top = fit_view((5, 5, 0, 100), (300, 200), equal_units=False)
    assert left < 5 < right
    np.testing.assert_allclose([bottom, top], [-4, 104])
    left, right, bottom, top = fit_view((0, 100, 5, 5), (300, 200), equal_units=False)
    assert bottom < 5 < top
    np.testing.assert_allclose([left, right], [-4, 104])


@pytest.mark.parametrize("render", ["points", "raster"])
def test_a_picture_drawn_by_the_kernel_is_filled_both_ways(render):
    image = np.asarray(Image.open(io.BytesIO(still_png(session(render=render), None, (400, 300)))).convert("RGB"))
    inked = (image != image[0, 0]).any(axis=2)
    across, down = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    assert across[0] < 0.07 * 400
    assert across[-1] > 0.93 * 400
    assert down[0] < 0.07 * 300
    assert down[-1] > 0.93 * 300
    blocks = inked.reshape(10, 30, 10, 40).any(axis=(1, 3))
    assert blocks.all()


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_beside_the_kernels_picture_stands_what_the_axes_measure_as_text(axes):
    one = session(axes=axes)
    names = ["time (min)", "m/z <b>"]
    one.dataset._axis_labels = lambda name, axes: tuple(names[axis] for axis in axes)
    html = static_picture(one, 300, "id")["text/html"]
    assert "m/z &lt;b&gt;" in html
    assert "<b>" not in html
    told = re.search(r"Horizontal: (.+), (\S+) to (\S+)\. Vertical: (.+), (\S+) to (\S+)\.", unescape(html))
    assert [told[1], told[4]] == [names[axis] for axis in axes]
    xy = one.dataset.embedding("map", axes)
    ends = np.array([float(told[i].replace(",", "")) for i in (2, 3, 5, 6)])
    np.testing.assert_allclose(ends.reshape(2, 2), np.column_stack([xy.min(axis=0), xy.max(axis=0)]), rtol=1e-4)
    assert "Horizontal" not in static_picture(Session(small(20), Settings(embedding="umap")), 300, "id")["text/html"]


def test_points_of_a_drawn_view_grow_with_the_zoom_of_both_axes():
    whole = fit_view(EXTENT, (800, 600), equal_units=False)
    x0, x1, y0, y1 = whole
    assert zoom_of(whole, whole) == 1
    quarter = (x0, x0 + (x1 - x0) / 4, y0, y0 + (y1 - y0) / 4)
    assert zoom_of(quarter, whole) == pytest.approx(4)
    strip = (x0, x1, y1, y1 - (y1 - y0) / 9)
    assert zoom_of(strip, whole) == pytest.approx(3)


def test_views_and_lassos_hold_what_numpy_says_over_60_by_100_000_units():
    xy = lopsided(30_000)
    index = SpatialIndex.build(xy)
    x, y = xy.astype(np.float64).T
    for x0, x1, y0, y1 in ((10, 20, 5e3, 6e4), (0, 60, 500, 501), (30, 30.01, 200, 1e5)):
        inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        np.testing.assert_array_equal(np.sort(index.rows[index.rows_in((x0, x1, y0, y1))]), np.flatnonzero(inside))
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float64)
        strictly = (x > x0) & (x < x1) & (y > y0) & (y < y1)
        np.testing.assert_array_equal(index.polygon_mask(corners) & ~(inside & ~strictly), strictly)
