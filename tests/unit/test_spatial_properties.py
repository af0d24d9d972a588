"""Properties of the spatial index over any points and any question; expected values come from NumPy, point by point."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.polygon import in_polygon
from tests.examples import MORE

anything = st.floats(width=32)
lattice = st.integers(-8, 8).map(lambda v: v / 4)
near = st.floats(-2, 2, width=32)
coordinate = st.one_of(lattice, near, anything)
points = st.one_of(
    *(
        arrays(np.float32, st.tuples(st.integers(0, 150), st.just(2)), elements=one)
        for one in (lattice, near, coordinate)
    )
)
asked = st.one_of(lattice, near, st.floats(allow_nan=False, allow_infinity=False))
views = st.tuples(*[st.one_of(asked, st.floats())] * 4)


def polygons(elements):
    return st.lists(st.tuples(elements, elements), min_size=3, max_size=12).map(
        lambda corners: np.array(corners, float)
    )


many = settings(max_examples=30 * MORE, deadline=None)


def by_edges(xy, polygon):
    """Test every edge against every point, with the half-open rule for the ends in y."""
    x, y = xy.astype(np.float64).T
    odd = np.zeros(len(xy), dtype=bool)
    with np.errstate(all="ignore"):
        for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            if ay != by:
                odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
        boxed = ((xy >= polygon.min(axis=0)) & (xy <= polygon.max(axis=0))).all(axis=1)
    return odd & boxed & np.isfinite(xy).all(axis=1)


def in_view(xy, view):
    x, y = xy.astype(np.float64).T
    x0, x1, y0, y1 = view
    return (x >= min(x0, x1)) & (x <= max(x0, x1)) & (y >= min(y0, y1)) & (y <= max(y0, y1))


@many
@example(np.zeros((1, 2), dtype=np.float32), (0.0, 0.0, 0.0, np.nan))
@example(np.zeros((1, 2), dtype=np.float32), (0.0, np.nan, 0.0, 0.0))
@given(points, views)
def test_runs_cover_a_view_and_its_count_and_places_are_exact(xy, view):
    index = SpatialIndex.build(xy)
    inside = np.zeros(index.n, dtype=bool) if np.isnan(view).any() else in_view(index.xy, view)
    assert index.count(view) == inside.sum()
    np.testing.assert_array_equal(index.rows_in(view), np.flatnonzero(inside))
    runs = index.runs(view)
    covered, certain = np.zeros((2, index.n), dtype=bool)
    for start, stop, inner in zip(runs.starts, runs.stops, runs.inner, strict=True):
        covered[start:stop] = True
        certain[start:stop] = inner
    assert (covered | ~inside).all()
    assert (inside | ~certain).all()


@many
@given(points, polygons(st.one_of(lattice, near, st.floats(-1e30, 1e30))))
def test_a_polygon_selects_what_the_test_of_every_edge_selects(xy, polygon):
    index = SpatialIndex.build(xy)
    expected = by_edges(xy, polygon)
    np.testing.assert_array_equal(in_polygon(xy, polygon), expected)
    np.testing.assert_array_equal(index.polygon_mask(polygon), expected)


@many
@given(points, polygons(asked))
def test_index_and_plain_test_agree_on_polygons_of_any_size(xy, polygon):
    index = SpatialIndex.build(xy)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(index.polygon_mask(polygon), in_polygon(xy, polygon))


@settings(max_examples=20 * MORE, deadline=None)
@given(st.integers(0, 2**32 - 1), polygons(st.one_of(lattice, near)), st.sampled_from([0.0, 1e-3, 0.25]))
def test_polygons_over_many_points_cut_the_tree_deep(seed, polygon, snap):
    rng = np.random.default_rng(seed)
    xy = rng.normal(size=(30_000, 2)) * rng.exponential(size=(30_000, 1))
    xy = (np.round(xy / snap) * snap if snap else xy).astype(np.float32)
    expected = by_edges(xy, polygon)
    np.testing.assert_array_equal(SpatialIndex.build(xy).polygon_mask(polygon), expected)
    np.testing.assert_array_equal(in_polygon(xy, polygon), expected)


@many
@example(np.zeros((1, 2), np.float32), 1.0, 0.0, 5e-324, 1)
@given(points, st.one_of(lattice, near), st.one_of(lattice, near), st.floats(0, 8), st.integers(1, 3))
def test_the_nearest_allowed_point_is_as_near_as_any(xy, x, y, radius, step):
    index = SpatialIndex.build(xy)
    found = index.nearest(x, y, radius, lambda places: index.rows[places] % step == 0)
    points_ = index.xy.astype(np.float64)
    distance = np.hypot(points_[:, 0] - x, points_[:, 1] - y)
    best = distance[index.rows % step == 0].min(initial=np.inf)
    assert (found is None) == (best > radius)
    if found is not None:
        assert distance[found] == best
        assert index.rows[found] % step == 0
