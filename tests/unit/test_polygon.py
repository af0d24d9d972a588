"""Laws of the point-in-polygon test; expected values come from a plain loop over edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.errors import SelectionError
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.polygon import as_polygon, in_polygon
from tests.examples import MORE


def by_ray_casting(xy, polygon):
    x, y = xy[:, 0].astype(float), xy[:, 1].astype(float)
    odd = np.zeros(len(xy), dtype=bool)
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd


@pytest.mark.parametrize("n", [0, 1, 500, 60_000])
@pytest.mark.parametrize("snapped", [False, True])
def test_tiles_answer_as_a_plain_test_of_every_edge(n, snapped):
    rng = np.random.default_rng(n)
    for corners in (3, 4, 9, 300):
        polygon = rng.normal(size=(corners, 2)) * rng.uniform(0.2, 2)
        xy = rng.normal(size=(n, 2)).astype(np.float32)
        if snapped:
            polygon, xy = np.round(polygon * 4) / 4, np.round(xy * 4) / 4
        np.testing.assert_array_equal(in_polygon(xy, polygon), by_ray_casting(xy, polygon))


corner = st.tuples(st.floats(-3, 3, width=32), st.floats(-3, 3, width=32))


@settings(max_examples=20 * MORE, deadline=None)
@given(st.lists(corner, min_size=3, max_size=12), st.integers(0, 2**32 - 1))
def test_any_polygon_agrees_with_ray_casting(corners, seed):
    polygon = np.array(corners, dtype=np.float64)
    xy = np.random.default_rng(seed).uniform(-3, 3, size=(25_000, 2)).astype(np.float32)
    np.testing.assert_array_equal(in_polygon(xy, polygon), by_ray_casting(xy, polygon))


def test_points_without_coordinates_are_outside_of_every_polygon():
    xy = np.array([[np.nan, 0], [0, np.nan], [np.inf, 0], [-np.inf, np.inf], [0, 0]], dtype=np.float32)
    square = as_polygon([[-1e30, -1e30], [1e30, -1e30], [1e30, 1e30], [-1e30, 1e30]])
    assert in_polygon(xy, square).tolist() == [False, False, False, False, True]


def test_a_polygon_without_area_selects_nothing():
    xy = np.zeros((30_000, 2), dtype=np.float32)
    assert not in_polygon(xy, as_polygon([[0, 0], [0, 0], [0, 0]])).any()
    assert not in_polygon(xy, as_polygon([[-1, 0], [1, 0], [0, 0]])).any()


@pytest.mark.parametrize(
    "wrong", [[[0, 0], [1, 1]], [0, 1, 2], [[0, 0, 0]] * 3, [[0, 0], [1, 0], [np.nan, 1]], "abc", [["a", 1]] * 3]
)
def test_what_is_no_polygon_is_refused_in_one_sentence(wrong):
    with pytest.raises(SelectionError, match="polygon must"):
        as_polygon(wrong)


@pytest.mark.parametrize("size", [1e-160, 1e-110, 1e110, 1e160, 1e300])
def test_polygons_so_large_or_small_that_the_test_of_an_edge_rounds_badly_are_tested_point_by_point(size):
    rng = np.random.default_rng(0)
    xy = rng.normal(size=(25_000, 2)).astype(np.float32)
    xy[::2] = 0
    overflowing = np.array([[3, -1], [-1, 3], [-3, -3]]) * size
    for polygon in (overflowing, -overflowing, *(rng.normal(size=(corners, 2)) * size for corners in (3, 4, 8))):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(in_polygon(xy, polygon), by_ray_casting(xy, polygon))
            np.testing.assert_array_equal(SpatialIndex.build(xy).polygon_mask(polygon), by_ray_casting(xy, polygon))
