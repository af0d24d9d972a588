"""Laws of the spatial index; expected values come from NumPy over all points, one by one."""

import threading

import numpy as np
import pytest

from cxg_widget.errors import Cancelled
from cxg_widget.spatial import SpatialIndex, build, runs_in_polygon
from cxg_widget.spatial import index as index_module
from cxg_widget.spatial.polygon import in_polygon


def clusters(rng, n):
    centres = rng.normal(size=(12, 2)) * 5
    return centres[rng.integers(0, 12, n)] + rng.normal(size=(n, 2)) * rng.exponential(size=(n, 1))


def with_missing(rng, n):
    xy = clusters(rng, n)
    xy[rng.random(n) < 0.1, 0] = np.nan
    xy[rng.random(n) < 0.1, 1] = np.inf
    xy[rng.random(n) < 0.1, 1] = -np.inf
    return xy


SHAPES = {
    "clusters": clusters,
    "uniform": lambda rng, n: rng.random((n, 2)),
    "missing": with_missing,
    "all missing": lambda rng, n: np.full((n, 2), np.nan),
    "one place": lambda rng, n: np.full((n, 2), 3.25),
    "x constant": lambda rng, n: np.column_stack([np.full(n, -7.0), rng.normal(size=n)]),
    "y constant": lambda rng, n: np.column_stack([rng.normal(size=n), np.zeros(n)]),
    "duplicates": lambda rng, n: rng.integers(0, 4, (n, 2)),
    "lattice": lambda rng, n: np.round(clusters(rng, n) * 4) / 4,
    "outliers": lambda rng, n: np.where(rng.random((n, 1)) < 0.001, 1e30, 1.0) * clusters(rng, n),
    "all magnitudes": lambda rng, n: rng.choice([-1, 1], (n, 2)) * 10.0 ** rng.uniform(-30, 30, (n, 2)),
    "denormal": lambda rng, n: rng.integers(0, 50, (n, 2)) * 1.4e-45,
    "whole range": lambda rng, n: rng.uniform(-1, 1, (n, 2)) * np.finfo(np.float32).max,
    "lopsided": lambda rng, n: clusters(rng, n) * (1e-3, 1e5),
    "far from zero": lambda rng, n: 1e6 + rng.random((n, 2)) * 4,
}
SIZES = (0, 1, 2, 70, 5_000)


def points(shape, n, seed=0):
    return SHAPES[shape](np.random.default_rng(seed), n).astype(np.float32)


def corners_of(xy, rng, k):
    """Return coordinates to ask about: of points, between points, around all, beyond all."""
    finite = xy[np.isfinite(xy).all(axis=1)].astype(np.float64)
    if not len(finite):
        return rng.normal(size=(k, 2))
    low, high = finite.min(axis=0), finite.max(axis=0)
    span = high - low
    pools = [
        finite[rng.integers(0, len(finite), k)],
        low + rng.random((k, 2)) * span,
        low - span / 2 + rng.random((k, 2)) * span * 2,
        np.where(rng.random((k, 2)) < 0.5, low, high),
        np.median(finite, axis=0) + rng.normal(size=(k, 2)) * finite.std(axis=0) / 20,
    ]
    return np.stack(pools)[rng.integers(0, len(pools), k), np.arange(k)]


def in_view(xy, view):
    x0, x1, y0, y1 = view
    x, y = xy.astype(np.float64).T
    with np.errstate(invalid="ignore"):
        return (x >= min(x0, x1)) & (x <= max(x0, x1)) & (y >= min(y0, y1)) & (y <= max(y0, y1))


@pytest.fixture(params=[(shape, n) for shape in SHAPES for n in SIZES], ids=lambda one: f"{one[0]}, {one[1]}")
def made(request):
    xy = points(*request.param)
    return xy, SpatialIndex.build(xy)


def test_every_finite_row_has_one_place_and_its_own_coordinates(made):
    xy, index = made
    finite = np.flatnonzero(np.isfinite(xy).all(axis=1))
    assert index.n_obs == len(xy)
    assert index.rows.dtype == np.uint32
    np.testing.assert_array_equal(np.sort(index.rows), finite)
    assert index.xy.dtype == np.float32
    assert index.xy.flags.c_contiguous
    np.testing.assert_array_equal(index.xy, xy[index.rows])
    if finite.size:
        (x0, y0), (x1, y1) = xy[finite].min(axis=0), xy[finite].max(axis=0)
        assert index.extent == (x0, x1, y0, y1)


def test_places_are_the_inverse_of_rows(made):
    xy, index = made
    expected = np.full(len(xy), 2**32 - 1, dtype=np.uint32)
    for place, row in enumerate(index.rows):
        expected[row] = place
    np.testing.assert_array_equal(index.places, expected)


def test_runs_cover_the_view_ascend_and_inner_ones_hold_nothing_else(made):
    xy, index = made
    rng = np.random.default_rng(1)
    for a, b in zip(corners_of(xy, rng, 20), corners_of(xy, rng, 20), strict=True):
        view = (a[0], b[0], a[1], b[1])
        runs = index.runs(view)
        inside = in_view(index.xy, view)
        covered = np.zeros(index.rows.size, dtype=bool)
        for start, stop, inner in zip(runs.starts, runs.stops, runs.inner, strict=True):
            assert start < stop
            covered[start:stop] = True
            assert not inner or inside[start:stop].all()
        assert (runs.starts[1:] >= runs.stops[:-1]).all()
        assert not (inside & ~covered).any()


def test_count_and_places_of_a_view_are_exact(made):
    xy, index = made
    rng = np.random.default_rng(2)
    for a, b in zip(corners_of(xy, rng, 20), corners_of(xy, rng, 20), strict=True):
        view = (a[0], b[0], a[1], b[1])
        expected = np.flatnonzero(in_view(index.xy, view))
        assert index.count(view) == expected.size
        np.testing.assert_array_equal(index.rows_in(view), expected)
        np.testing.assert_array_equal(index.rows_in(view, limit=3), expected[:3])


@pytest.mark.parametrize("most", [1, 7, 64, 10_000])
def test_blocks_of_runs_hold_the_same_places_in_the_same_order(most):
    index = SpatialIndex.build(points("clusters", 5_000))
    runs = index.runs((-2, 1, -2, 1))
    expected = np.concatenate([np.arange(*run) for run in zip(runs.starts, runs.stops, strict=True)])
    blocks = list(runs.blocks(most))
    assert all(0 < block.sizes.sum() <= most for block in blocks)
    np.testing.assert_array_equal(np.concatenate([block.places() for block in blocks]), expected)
    inner = np.concatenate([np.repeat(block.inner, block.sizes) for block in blocks])
    np.testing.assert_array_equal(inner, np.repeat(runs.inner, runs.sizes))


@pytest.fixture
def asked_in_small_blocks(monkeypatch):
    monkeypatch.setattr(index_module, "_AT_ONCE", 100)


@pytest.mark.parametrize("limit", [None, 0, 1, 99, 100, 101, 250, 100_000])
def test_places_found_block_by_block_are_the_same_up_to_any_limit(asked_in_small_blocks, limit):
    xy = points("clusters", 5_000)
    index, view = SpatialIndex.build(xy), (-4, 3, -4, 3)
    expected = np.flatnonzero(in_view(index.xy, view))
    np.testing.assert_array_equal(index.rows_in(view, limit), expected[:limit])
    assert index.count(view) == expected.size
    polygon = corners_of(xy, np.random.default_rng(0), 9)
    np.testing.assert_array_equal(index.polygon_mask(polygon), in_polygon(xy, polygon))


@pytest.mark.parametrize("k", [3, 9, 120])
def test_a_polygon_selects_what_the_test_of_every_point_selects(made, k):
    xy, index = made
    rng = np.random.default_rng(k)
    for _ in range(2):
        polygon = corners_of(xy, rng, k)
        expected = in_polygon(xy, polygon)
        np.testing.assert_array_equal(index.polygon_mask(polygon), expected)
        np.testing.assert_array_equal(index.polygon_places(polygon), np.flatnonzero(expected[index.rows]))


def test_the_nearest_point_is_that_of_all_points(made):
    xy, index = made
    rng = np.random.default_rng(3)
    finite = xy[np.isfinite(xy).all(axis=1)].astype(np.float64)
    size = float(np.ptp(finite, axis=0).max()) if len(finite) else 1.0
    for x, y in corners_of(xy, rng, 6):
        for step in (1, 7):
            distance = np.hypot(xy[::step, 0].astype(np.float64) - x, xy[::step, 1].astype(np.float64) - y)
            distance = distance[np.isfinite(xy[::step]).all(axis=1)]
            best = distance.min(initial=np.inf)
            for radius in (0.0, size / 1000, size / 30, size * 4, np.inf):
                found = index.nearest(x, y, radius, None if step == 1 else lambda places: index.rows[places] % 7 == 0)
                if best > radius or not distance.size:
                    assert found is None
                else:
                    px, py = index.xy[found].astype(np.float64)
                    assert np.hypot(px - x, py - y) == best
                    assert index.rows[found] % step == 0


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 512)
    monkeypatch.setattr(build, "_SPLITTERS", 32)


@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_sorted_apart_join_into_the_same_order(shape, small_blocks, monkeypatch):
    xy = points(shape, 6_000)
    pieces = SpatialIndex.build(xy)
    monkeypatch.undo()
    whole = SpatialIndex.build(xy)
    np.testing.assert_array_equal(pieces.rows, whole.rows)
    np.testing.assert_array_equal(pieces.tree.offsets, whole.tree.offsets)


def test_progress_rises_to_one_in_the_calling_thread(small_blocks):
    told = []
    SpatialIndex.build(points("missing", 6_000), progress=lambda share: told.append((share, threading.get_ident())))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 10
    assert {thread for _, thread in told} == {threading.get_ident()}


def test_a_build_that_nobody_waits_for_gives_up(small_blocks):
    asked = iter([False, False, True])
    with pytest.raises(Cancelled, match="spatial index"):
        SpatialIndex.build(points("clusters", 6_000), cancelled=lambda: next(asked))


def test_a_view_with_nan_holds_nothing_and_an_infinite_one_everything():
    index = SpatialIndex.build(points("clusters", 300))
    assert index.count((np.nan, 1, 0, 1)) == 0
    assert index.count((-np.inf, np.inf, np.inf, -np.inf)) == 300
    assert index.nearest(np.nan, 0, 1) is None
    assert index.nearest(0, 0, -1) is None


def test_coordinates_that_are_not_contiguous_are_sorted_alike():
    wide = np.random.default_rng(0).normal(size=(500, 5)).astype(np.float32)
    np.testing.assert_array_equal(
        SpatialIndex.build(wide[:, 3:0:-2]).rows, SpatialIndex.build(wide[:, [3, 1]].copy()).rows
    )


def test_a_tangled_line_is_answered_from_a_coarser_tree(monkeypatch):
    monkeypatch.setattr(runs_in_polygon, "_MAX_PAIRS", 2_000)
    xy = points("clusters", 5_000)
    polygon = corners_of(xy, np.random.default_rng(0), 200)
    np.testing.assert_array_equal(SpatialIndex.build(xy).polygon_mask(polygon), in_polygon(xy, polygon))


@pytest.mark.parametrize("shape", ["clusters", "missing", "duplicates", "all missing"])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_index_of_some_rows_answers_as_one_of_them_alone(shape, share):
    xy = points(shape, 5_000)
    mask = np.random.default_rng(3).random(len(xy)) < share
    kept, view = SpatialIndex.build(xy).kept(mask), (-3.0, 4.0, -2.0, 5.0)
    inside = mask & (xy >= (-3, -2)).all(axis=1) & (xy <= (4, 5)).all(axis=1)
    assert kept.count(view) == inside.sum()
    np.testing.assert_array_equal(np.sort(kept.rows[kept.rows_in(view)]), np.flatnonzero(inside))
    triangle = np.array([[-3.0, -2.0], [4.0, -2.0], [0.0, 5.0]])
    np.testing.assert_array_equal(kept.polygon_mask(triangle), mask & in_polygon(xy, triangle))
    place = kept.nearest(0.0, 0.0, 1e9)
    distances = np.where(mask & np.isfinite(xy).all(axis=1), np.hypot(*xy.astype(float).T), np.inf)
    if place is None:
        assert not np.isfinite(distances).any()
    else:
        assert distances[kept.rows[place]] == distances.min()
