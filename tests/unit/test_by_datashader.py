"""Who sums the cells of an image does not show: datashader and the compiled loops give the same planes."""

from types import SimpleNamespace

import numpy as np
import pytest

from cxg_widget.draw.aggregate import by_datashader
from cxg_widget.draw.aggregate.by_datashader import reduce_pixels
from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.image_columns import CategoryColumn, NumberColumn, SparseColumn
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.levels import Levels

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("plain_datashader")]

N = 5_000
LEVELS = 65_534
LO, HI = -3.0, 5.0
LEVELS_OF = Levels(LO, HI)
WHOLE = (-6.0, 6.0, -6.0, 6.0)


@pytest.fixture(scope="module")
def cells():
    """Cells in the order of an index, on and off the edges of pixels, some of them nowhere."""
    rng = np.random.default_rng(5)
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    xy[::3] = np.round(xy[::3] * 4) / 4  # on edges of the pixels of every view below
    xy[:50] = np.nan
    index = SpatialIndex.build(xy)
    return SimpleNamespace(index=index, rng=rng, selected=rng.random(index.n) < 0.3)


def column(cells, kind):
    index, n, rng = cells.index, cells.index.n, np.random.default_rng(6)
    lost = rng.random(n) < 0.1
    if kind == "nothing":
        return None
    if kind.startswith("categories"):
        k, has_missing = int(kind.split()[1]), kind.endswith("missing")
        dtype = np.uint8 if k <= 254 else np.uint16
        codes = rng.integers(0, k, n).astype(dtype)
        codes[lost & has_missing] = np.iinfo(dtype).max
        return CategoryColumn(codes, k, has_missing)
    codes = rng.integers(0, LEVELS + 1, n).astype(np.uint16)
    codes[lost & kind.endswith("missing")] = LEVELS + 1
    if kind.startswith("dense"):
        return NumberColumn(codes, LEVELS_OF, kind.endswith("missing"))
    places = np.sort(rng.choice(n, n // 20, replace=False)).astype(np.uint32)
    return SparseColumn(places, index.xy[places], codes[places], 9, LEVELS_OF, kind.endswith("missing"))


COLUMNS = [
    "nothing", "categories 3", "categories 12 missing", "categories 64 missing", "categories 65",
    "categories 300 missing",
    "dense", "dense missing", "sparse", "sparse missing",
]  # fmt: skip
VIEWS = {
    "all": WHOLE,
    "a part": (-1.0, 2.0, -0.5, 1.5),
    "y down": (-1.0, 2.0, 1.5, -0.5),
    "one cell": None,
    "none": (40.0, 41.0, 40.0, 41.0),
}


def view_of(cells, name):
    if VIEWS[name] is not None:
        return VIEWS[name]
    x, y = cells.index.xy[np.abs(cells.index.xy).max(axis=1).argmax()].astype(float)
    return x - 1e-3, x + 1e-3, y - 1e-3, y + 1e-3


def assert_same(one, other):
    np.testing.assert_array_equal(one.totals, other.totals)
    for a, b in ((one.missing, other.missing), (one.peak, other.peak)):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("kind", "view", "with_selection"),
    [(kind, view, (a + b) % 2 == 1) for a, kind in enumerate(COLUMNS) for b, view in enumerate(VIEWS)],
)
def test_both_engines_give_the_same_planes(cells, kind, view, with_selection, monkeypatch):
    monkeypatch.setattr(by_datashader, "BLOCK", 1_750)
    given = column(cells, kind)
    k = given.n_categories if isinstance(given, CategoryColumn) else 0
    options = {
        "colors": np.random.default_rng(1).integers(0, 256, (k, 3)).astype(np.uint8) if k else None,
        "selected": cells.selected if with_selection else None,
    }
    for statistic in ["mean"] if k or given is None else ["mean", "max", "both"]:
        asked = (cells.index, given, view_of(cells, view), (48, 40))
        ours, theirs = (
            aggregate(*asked, **options, statistic=statistic, aggregator=who) for who in ("auto", "datashader")
        )
        assert_same(ours, theirs)


@pytest.mark.parametrize("spread", [2, 3, 6])
@pytest.mark.parametrize("hidden", [[], [1], [0, 1, 2], [3], [0, 1, 2, 3]])
def test_both_engines_hide_the_same_categories_and_spread_the_same_points(cells, hidden, spread):
    visible = np.ones(4, dtype=bool)
    visible[hidden] = False
    lost = np.where(np.arange(cells.index.n) % 7 == 0, 255, np.arange(cells.index.n) % 3).astype(np.uint8)
    given, colors = CategoryColumn(lost, 3, True), np.array([[255, 0, 0], [0, 9, 0], [1, 2, 3]], np.uint8)
    asked = (cells.index, given, VIEWS["a part"], (48, 40))
    same = {"colors": colors, "visible": visible, "selected": cells.selected, "spread": spread}
    assert_same(aggregate(*asked, **same), aggregate(*asked, **same, aggregator="datashader"))


# --- numbers of pixels, held to numpy on the cells of each ---------------------------------------------------------

REDUCTIONS = {
    "min": np.min, "max": np.max, "sum": np.sum, "mean": np.mean, "std": np.std, "var": np.var, "count": np.size,
}  # fmt: skip


def by_hand(xy, values, view, size, function, *, chosen):
    """The number of each pixel, row 0 at the top."""
    x0, x1, y0, y1 = view
    width, height = size
    inside = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1) & chosen
    columns = np.minimum((xy[:, 0].astype(float) - x0) * width / (x1 - x0), width - 1).astype(int)
    lines = np.minimum((xy[:, 1].astype(float) - y0) * height / (y1 - y0), height - 1).astype(int)
    out = np.full((height, width), 0.0 if function is np.size else np.nan)
    known = inside & np.isfinite(values)
    keys = lines * width + columns
    for key in np.unique(keys[known]):
        out[height - 1 - key // width, key % width] = function(values[known & (keys == key)])
    return out


@pytest.mark.parametrize("kind", ["dense missing", "sparse"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_number_of_a_pixel_is_numpy_s_of_the_cells_in_it_in_each_layer(cells, name, kind, monkeypatch):
    monkeypatch.setattr(by_datashader, "BLOCK", 3_000)
    given, view, size = column(cells, kind), (-1.0, 2.0, -0.5, 1.5), (24, 20)
    if kind == "sparse":
        codes = np.full(cells.index.n, given.fill, dtype=float)
        codes[given.places] = given.codes
    else:
        codes = np.where(given.codes == LEVELS + 1, np.nan, given.codes)
    values = LO + codes / LEVELS * (HI - LO)
    found, counted = reduce_pixels(cells.index, {"v": given}, name, view, size, selected=cells.selected).finished()
    for layer, chosen in enumerate([~cells.selected, cells.selected]):
        wanted = by_hand(cells.index.xy, values, view, size, REDUCTIONS[name], chosen=chosen)
        np.testing.assert_allclose(found[layer], wanted, rtol=1e-9, atol=1e-9)
        n_cells = by_hand(cells.index.xy, np.zeros(len(values)), view, size, np.size, chosen=chosen)
        np.testing.assert_array_equal(counted[layer], n_cells)


@pytest.mark.parametrize("spread", [2, 3, 6])
@pytest.mark.parametrize("view", ["a part", "y down"])
def test_a_spread_count_is_the_loops_spread_count(cells, view, spread):
    given = column(cells, "dense missing")
    asked = (cells.index, VIEWS[view], (48, 40))
    found, counted = reduce_pixels(asked[0], {"v": given}, "count", *asked[1:], spread=spread).finished()
    planes = aggregate(asked[0], given, *asked[1:], spread=spread)
    np.testing.assert_array_equal(found, planes.known)
    np.testing.assert_array_equal(counted, planes.counts)


def test_the_first_cell_of_a_pixel_is_the_first_row_however_blocks_are_cut(cells, monkeypatch):
    from datashader import reductions as rd

    monkeypatch.setattr(by_datashader, "BLOCK", 1_000)
    given, rows = column(cells, "dense"), cells.index.rows
    found, _ = reduce_pixels(cells.index, {"v": given}, rd.first("v"), WHOLE, (4, 4), rows=rows).finished()
    values = LO + given.codes / LEVELS * (HI - LO)
    order, everything = np.argsort(rows), np.ones(len(rows), bool)
    xy = cells.index.xy[order]
    wanted = by_hand(xy, values[order], WHOLE, (4, 4), lambda some: some[0], chosen=everything)
    np.testing.assert_allclose(found[0], wanted)


def test_parts_of_the_cells_add_up_to_all_of_them(cells):
    given, halves = column(cells, "dense missing"), []
    for part in (slice(0, N // 2), slice(N // 2, None)):
        codes = np.full(N, LEVELS + 1, np.uint16)
        rows = np.arange(N)[part]
        xy = np.full((N, 2), np.nan, np.float32)
        xy[cells.index.rows] = cells.index.xy
        codes[cells.index.rows] = given.codes
        index = SpatialIndex.build(xy[rows])
        halves.append(
            reduce_pixels(index, {"v": NumberColumn(codes[rows][index.rows], LEVELS_OF, True)}, "std", WHOLE, (30, 20))
        )
    whole, cells_of_whole = reduce_pixels(cells.index, {"v": given}, "std", WHOLE, (30, 20)).finished()
    both, cells_of_both = (halves[0] + halves[1]).finished()
    np.testing.assert_allclose(both, whole, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(cells_of_both, cells_of_whole)


def test_a_reduction_that_is_none_is_told():
    index = SpatialIndex.build(np.zeros((3, 2), np.float32))
    with pytest.raises(InvalidValue, match="no reduction 'median'"):
        reduce_pixels(index, {"v": NumberColumn(np.zeros(3, np.uint16), Levels(0, 1), False)}, "median", WHOLE, (3, 3))
