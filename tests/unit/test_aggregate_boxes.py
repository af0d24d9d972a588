"""Laws of images by blocks of points: no pixel differs from that of the loops over points, or of datashader."""

import gc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.draw.aggregate import boxes, canvas
from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.grid import PixelGrid
from cxg_widget.draw.aggregate.image_columns import CategoryColumn, NumberColumn, SparseColumn
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.levels import Levels
from tests.examples import MORE

SIZE = (13, 9)
ENOUGH = 8 * SIZE[0] * SIZE[1]


def embedding(seed, n, duplicates, place, span):
    """Clusters, points on a lattice that has pixel edges among its lines, many at one place, and some not finite."""
    rng = np.random.default_rng(seed)
    xy = rng.normal(rng.random((4, 2))[rng.integers(0, 4, n)], 10.0 ** rng.integers(-4, 0, (n, 1)), (n, 2))
    xy[: n // 4] = np.column_stack([rng.integers(-2, 28, n // 4) / 26, rng.integers(-2, 20, n // 4) / 18])
    xy[n // 4 : n // 4 + duplicates] = rng.random(2)
    xy = (place + span * xy).astype(np.float32)
    xy[rng.integers(0, n, 20)] = np.array([np.nan, np.inf], np.float32)
    return xy, rng


def columns_of(index, rng, k):
    """A column of each kind in the order of an index, and colors."""
    n = index.n
    kind = np.uint8 if k <= 254 else np.uint16
    codes = rng.integers(0, k, n).astype(kind)
    numbers = rng.integers(0, 65_535, n).astype(np.uint16)
    absent = rng.random(n) < 0.1
    with_missing, unknown = codes.copy(), numbers.copy()
    with_missing[absent], unknown[absent] = np.iinfo(kind).max, 65_535
    places = np.flatnonzero(rng.random(n) < 0.2).astype(np.uint32)
    even, bent = Levels(0, 1), Levels(0, 1, 0, 0.1)
    columns = [None, CategoryColumn(codes, k, False), CategoryColumn(with_missing, k, True)]
    columns += [
        NumberColumn(numbers, even, False),
        NumberColumn(unknown, even, True),
        NumberColumn(unknown, bent, True),
    ]
    columns.append(SparseColumn(places, index.xy[places], numbers[places], 0, even, False))
    return columns, rng.integers(0, 256, (k, 3)).astype(np.uint8)


def alike(found, expected):
    """Assert that planes are equal to the bit."""
    np.testing.assert_array_equal(found.totals, expected.totals)
    for one, other in ((found.missing, expected.missing), (found.peak, expected.peak)):
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other)


@settings(max_examples=15 * MORE, deadline=None)
@given(
    seed=st.integers(0, 10_000), extra=st.integers(0, 3000), duplicates=st.sampled_from([0, 5, 400]),
    k=st.sampled_from([1, 3, 254, 255, 2000]), place=st.sampled_from([0.0, -0.5, 1e4, -1e-3]),
    span=st.sampled_from([1.0, 1e-2, 1e5]), zoom=st.sampled_from([0.3, 1.0, 1.0, 7.0]), turned=st.booleans(),
    statistic=st.sampled_from(["mean", "mean", "max", "both"]), hides=st.booleans(), spread=st.sampled_from([1, 3]),
)  # fmt: skip
def test_blocks_change_no_pixel(seed, extra, duplicates, k, place, span, zoom, turned, statistic, hides, spread):  # noqa: PLR0917
    xy, rng = embedding(seed, 4 * ENOUGH + extra, duplicates, place, span)
    index = SpatialIndex.build(xy)
    columns, colors = columns_of(index, rng, k)
    x, y = place + span * (0.5 + (1 - 1 / zoom) * rng.random(2) * 0.1)
    half = span / zoom / 2
    view = (x - half, x + half, y + half, y - half) if turned else (x - half, x + half, y - half, y + half)
    for column in columns:
        is_category = isinstance(column, CategoryColumn)
        visible = rng.random(k + 1) < 0.7 if hides and is_category else None
        options = {
            "colors": colors if is_category else None,
            "visible": visible,
            "statistic": statistic,
            "spread": spread,
        }
        found = aggregate(index, column, view, SIZE, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(canvas, "blocks_of", lambda *_: None)
            expected = aggregate(index, column, view, SIZE, **options)
        alike(found, expected)


@settings(max_examples=5 * MORE, deadline=None)
@given(seed=st.integers(0, 10_000), duplicates=st.sampled_from([0, 400]), place=st.sampled_from([0.0, 100.0]))
def test_counts_categories_and_sums_by_blocks_are_those_of_datashader(seed, duplicates, place):
    datashader = pytest.importorskip("datashader")
    xy, rng = embedding(seed, 4 * ENOUGH, duplicates, place, 1.0)
    index = SpatialIndex.build(xy)
    view = (place, place + 1.0, place, place + 1.0)
    codes, numbers = rng.integers(0, 3, index.n).astype(np.uint8), rng.integers(0, 65_535, index.n).astype(np.uint16)
    of_categories = aggregate(index, CategoryColumn(codes, 3, False), view, SIZE, colors=np.eye(3, dtype=np.uint8))
    of_numbers = aggregate(index, NumberColumn(numbers, Levels(0, 1), False), view, SIZE)
    assert index in boxes._boxes
    plane = datashader.Canvas(*SIZE, x_range=view[:2], y_range=view[2:])
    categories = pd.Categorical.from_codes(codes, [*"abc"])
    frame = pd.DataFrame({"x": index.xy[:, 0], "y": index.xy[:, 1], "n": numbers.astype(float), "c": categories})
    by = plane.points(frame, "x", "y", datashader.by("c", datashader.count())).to_numpy()[::-1]
    sums = plane.points(frame, "x", "y", datashader.sum("n")).to_numpy()[::-1]
    np.testing.assert_array_equal(of_categories.totals[0, :, :, :3], by)
    np.testing.assert_array_equal(of_categories.counts[0], by.sum(axis=2))
    np.testing.assert_array_equal(of_numbers.totals[0, :, :, 0], np.nan_to_num(sums))
    np.testing.assert_array_equal(aggregate(index, None, view, SIZE).counts[0], by.sum(axis=2))


@settings(max_examples=30 * MORE, deadline=None)
@given(
    low=st.floats(-1e6, 1e6), span=st.floats(1e-3, 1e6), n=st.integers(1, 900), at=st.integers(0, 899),
    steps=st.integers(-3, 3),
)  # fmt: skip
def test_the_edge_of_a_pixel_is_the_least_number_that_lies_in_it(low, span, n, at, steps):
    grid = PixelGrid.of((low, low + span, low, low + span), (n, n))
    (_, _, _, _, scale, shift, _, _), _ = grid.arguments
    edges, at = grid.edges[0], at % n
    value = edges[at]
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.float32(np.sign(steps) * np.inf))
    assert edges.shape == (n + 1,)
    assert edges[n] == np.inf
    assert (value >= edges[at]) == (np.float64(value) * scale + shift >= at)


def test_a_view_across_0_has_an_edge_at_0():
    edges_x, _ = PixelGrid.of((-9.0, 9.0, -9.0, 9.0), (100, 100)).edges
    assert abs(edges_x[50]) < 1e-12
    assert edges_x[50] * (100 / 18) + 50 >= 50


@pytest.mark.parametrize("selects", [True, False])
def test_few_cells_or_a_selection_make_no_boxes(selects):
    xy, _ = embedding(1, 4 * ENOUGH if selects else ENOUGH // 2, 0, 0.0, 1.0)
    index = SpatialIndex.build(xy)
    aggregate(index, None, (0, 1, 0, 1), SIZE, selected=np.ones(index.n, np.bool_) if selects else None)
    assert index not in boxes._boxes


def test_boxes_take_half_a_byte_per_cell_and_go_with_their_index():
    gc.collect()
    before = len(boxes._boxes)
    index = SpatialIndex.build(np.random.default_rng(0).random((32 * ENOUGH, 2), dtype=np.float32))
    aggregate(index, None, (0, 1, 0, 1), SIZE)
    assert boxes._boxes[index].nbytes == index.n // 2
    del index
    gc.collect()
    assert len(boxes._boxes) <= before
