"""Laws of aggregation: each pixel holds what datashader and a slow count put there, and sets of cells add."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.draw.aggregate import image_columns, pixel_loops
from cxg_widget.draw.aggregate import planes as planes_module
from cxg_widget.draw.aggregate import task as task_module
from cxg_widget.draw.aggregate.canvas import CountImages, aggregate
from cxg_widget.draw.aggregate.image_columns import (
    CategoryColumn,
    NumberColumn,
    SparseColumn,
    arrange,
    arrange_codes,
    arrange_mask,
    arrange_vector,
)
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.levels import Levels
from tests.examples import MORE

WIDTH, HEIGHT = 40, 30
VIEW = (-1.0, 2.0, -0.5, 1.5)


class Index:
    """Points in some order, all in as many runs as asked for; what is not in the view must be left out by the loops."""

    def __init__(self, xy, *, n_runs=1, seed=0):
        drawn = np.flatnonzero(np.isfinite(xy).all(axis=1))
        self.rows = np.random.default_rng(seed).permutation(drawn).astype(np.uint32)
        self.xy = np.ascontiguousarray(xy[self.rows])
        self.n_obs = len(xy)
        cuts = np.linspace(0, self.rows.size, n_runs + 1).astype(np.int64)
        self._runs = SimpleNamespace(starts=cuts[:-1], stops=cuts[1:])

    def runs(self, view):
        return self._runs


def points(n, *, seed=0, missing=True):
    """Points on and off a lattice that has the view's edges and pixel edges among its lines, NaN and Inf among them."""
    rng = np.random.default_rng(seed)
    xy = rng.normal(0.5, 1, (n, 2)).astype(np.float32)
    on_edges = rng.random(n) < 0.3
    lattice = np.column_stack([rng.integers(0, 81, n) / 80 * 3 - 1, rng.integers(0, 61, n) / 60 * 2 - 0.5])
    xy[on_edges] = lattice[on_edges]
    if missing and n > 20:
        xy[3], xy[7], xy[11] = (np.nan, 0), (0.5, np.inf), (np.nan, np.nan)
    return xy


def pixels(xy, view=VIEW, size=(WIDTH, HEIGHT)):
    """Line and column of each point, and whether it is in the view: the rule written out a second time."""
    left, right, bottom, top = view
    x0, x1, y0, y1 = min(left, right), max(left, right), min(bottom, top), max(bottom, top)
    x, y = xy[:, 0].astype(np.float64), xy[:, 1].astype(np.float64)
    inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    scale_x, scale_y = size[0] / (x1 - x0), size[1] / (y1 - y0)
    with np.errstate(invalid="ignore"):
        column = np.minimum(np.where(inside, x * scale_x - x0 * scale_x, 0).astype(int), size[0] - 1)
        line = np.minimum(np.where(inside, y * scale_y - y0 * scale_y, 0).astype(int), size[1] - 1)
    if right < left:
        column = size[0] - 1 - column
    if top > bottom:
        line = size[1] - 1 - line
    return line, column, inside


def added(xy, weights, view=VIEW, size=(WIDTH, HEIGHT)):
    line, column, inside = pixels(xy, view, size)
    out = np.zeros((size[1], size[0]))
    np.add.at(out, (line[inside], column[inside]), np.broadcast_to(weights, inside.shape)[inside])
    return out


def canvas(view=VIEW):
    datashader = pytest.importorskip("datashader")
    left, right, bottom, top = view
    return datashader, datashader.Canvas(WIDTH, HEIGHT, x_range=(left, right), y_range=(bottom, top))


def frame(xy, **columns):
    return pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], **columns})


def one_hot(k):
    """Colors from which the count of each of three categories can be read."""
    return np.eye(k, 3, dtype=np.uint8)


@pytest.mark.parametrize("n", [0, 1, 2000])
@pytest.mark.parametrize(
    "view", [VIEW, (-1.0, 2.0, 1.5, -0.5), (2.0, -1.0, -0.5, 1.5), (0.1, 0.2, 0.3, 0.4), (90.0, 91.0, 0.0, 1.0)]
)
def test_counts_are_those_of_a_slow_count(n, view):
    xy = points(n)
    found = aggregate(Index(xy, n_runs=5), None, view, (WIDTH, HEIGHT)).counts[0]
    np.testing.assert_array_equal(found, added(xy, 1, view))


@pytest.mark.parametrize("view", [VIEW, (0.4, 0.6, 0.6, 0.4), (-0.25, 0.25, 0.0, 0.5), (-90.0, 90.0, -90.0, 90.0)])
def test_the_tiles_of_the_index_lose_no_cell(view):
    xy = points(30_000)
    codes = np.random.default_rng(9).integers(0, 3, 30_000).astype(np.int8)
    vector, dense = numbers(30_000, density=0.1, fill=0.0, missing=0)
    index, described = SpatialIndex.build(xy), describe(vector, 30_000)
    found = aggregate(
        index, arrange(index, Codes(codes, ("a", "b", "c"))), view, (WIDTH, HEIGHT), colors=one_hot(3), spread=1
    )
    for category in range(3):
        np.testing.assert_array_equal(found.totals[0, :, :, category], added(xy, codes == category, view))
    sums = aggregate(index, arrange(index, described), view, (WIDTH, HEIGHT))
    listed = added(xy, dense > 0, view)
    expected = added(xy, codes_of(dense, described.lo, described.hi), view)
    np.testing.assert_array_equal(sums.known[0], added(xy, 1, view))
    assert (np.abs(sums.totals[0, :, :, 0] - expected) <= listed).all()


def test_counts_are_those_of_datashader_on_every_edge():
    xy = points(5000)
    datashader, plane = canvas()
    expected = plane.points(frame(xy), "x", "y", datashader.count()).to_numpy()[::-1]
    np.testing.assert_array_equal(aggregate(Index(xy), None, VIEW, (WIDTH, HEIGHT)).counts[0], expected)


@settings(max_examples=10 * MORE, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 7, 33]), st.floats(1e-3, 1e3), st.floats(-1e4, 1e4))
def test_counts_are_those_of_datashader_in_any_view(seed, size, span, start):
    datashader = pytest.importorskip("datashader")
    rng = np.random.default_rng(seed)
    xy = (start + rng.integers(-2, 12, (300, 2)) / 10 * span).astype(np.float32)
    y1 = float(np.float32(start + span))
    plane = datashader.Canvas(size, size + 2, x_range=(start, start + span), y_range=(start, y1))
    expected = plane.points(frame(xy), "x", "y", datashader.count()).to_numpy()[::-1]
    found = aggregate(Index(xy), None, (start, start + span, start, y1), (size, size + 2)).counts[0]
    np.testing.assert_array_equal(found, expected)


def test_the_counts_of_a_view_add_up_to_its_drawable_cells():
    xy = points(3000)
    with np.errstate(invalid="ignore"):
        inside = (xy[:, 0] >= -1) & (xy[:, 0] <= 2) & (xy[:, 1] >= -0.5) & (xy[:, 1] <= 1.5)
    assert aggregate(Index(xy), None, VIEW, (WIDTH, HEIGHT)).counts.sum() == inside.sum()


@pytest.mark.parametrize("k", [3, 300])
def test_category_sums_are_those_of_datashader(k):
    xy = points(4000, missing=False)
    codes = np.random.default_rng(1).integers(-1, k, 4000).astype(np.int16)
    index = Index(xy)
    column = arrange_codes(index, Codes(codes, tuple(range(k))))
    assert column.codes.dtype == (np.uint8 if k == 3 else np.uint16)
    found = aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=one_hot(k))
    datashader, plane = canvas()
    known = codes >= 0  # datashader 0.19 counts missing cells as the last category
    categories = pd.Categorical.from_codes(codes[known], [str(i) for i in range(k)])
    by = plane.points(frame(xy[known], c=categories), "x", "y", datashader.by("c", datashader.count())).to_numpy()[::-1]
    np.testing.assert_array_equal(found.totals[0, :, :, :3], by[:, :, :3])
    np.testing.assert_array_equal(found.known[0], by.sum(axis=2))
    np.testing.assert_array_equal(found.missing[0], added(xy, codes < 0))


def test_hidden_categories_leave_no_trace():
    xy = points(2000)
    codes = np.random.default_rng(2).integers(-1, 4, 2000).astype(np.int8)
    index = Index(xy)
    colors = np.array([[9, 0, 1], [20, 5, 0], [0, 0, 77], [255, 255, 255]], dtype=np.uint8)
    column = arrange_codes(index, Codes(codes, ("a", "b", "c", "d")))
    visible = np.array([True, False, True, False, False])
    found = aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=colors, visible=visible)
    for channel in range(3):
        expected = added(xy, np.select([codes == 0, codes == 2], [colors[0, channel], colors[2, channel]], 0))
        np.testing.assert_array_equal(found.totals[0, :, :, channel], expected)
    np.testing.assert_array_equal(found.counts[0], added(xy, (codes == 0) | (codes == 2)))
    visible = np.array([False, False, False, False, True])
    found = aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=colors, visible=visible)
    np.testing.assert_array_equal(found.counts[0], added(xy, codes == -1))
    assert not found.totals.any()


def numbers(n, *, density, fill, seed=3, missing=0.05):
    """A vector with so many entries, and the same as a dense column."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(n)[: int(density * n)].astype(np.int64)
    values = rng.exponential(2, rows.size).astype(np.float32)
    values[rng.random(rows.size) < missing] = np.nan
    dense = np.full(n, fill, dtype=np.float32)
    dense[rows] = values
    return Vector(values, rows, fill), dense


def codes_of(dense, lo, hi):
    """The rule of the wire, in double precision; missing is NaN."""
    codes = np.rint((dense.astype(np.float64) - lo) / ((hi - lo) or 1) * 65534)
    return np.where(np.isfinite(codes), codes, np.nan)


CASES = [(0.0, 0.0), (0.1, 0.0), (0.1, 1.5), (0.1, -4.0), (0.9, 0.0), (1.0, 0.0), (0.1, np.nan)]


@pytest.mark.parametrize(("density", "fill"), CASES)
def test_a_gene_has_the_sums_means_and_maxima_of_its_dense_column(density, fill):
    n = 3000
    xy = points(n)
    vector, dense = numbers(n, density=density, fill=fill)
    index, described = Index(xy), describe(vector, n)
    column = arrange(index, described)
    assert isinstance(column, SparseColumn if density < 0.2 and np.isfinite(fill) else NumberColumn)
    finite = np.isfinite(dense)
    expected = added(xy, np.nan_to_num(codes_of(dense, described.lo, described.hi)))
    known, missing = added(xy, finite), added(xy, ~finite)
    found = aggregate(index, column, VIEW, (WIDTH, HEIGHT))
    # The wire's codes are made in single precision and may differ by one for each cell.
    assert (np.abs(found.totals[0, :, :, 0] - expected) <= known).all()
    np.testing.assert_array_equal(found.known[0], known)
    np.testing.assert_array_equal(found.counts[0], known + missing)
    highest = aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic="max")
    line, across, inside = pixels(xy)
    peak = np.zeros((HEIGHT, WIDTH))
    kept = inside & finite
    np.maximum.at(peak, (line[kept], across[kept]), codes_of(dense, described.lo, described.hi)[kept])
    assert np.abs(highest.peak[0] - peak).max() <= 1
    np.testing.assert_array_equal(highest.known[0], known)
    both = aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic="both")
    np.testing.assert_array_equal(both.totals, found.totals)
    np.testing.assert_array_equal(both.peak, highest.peak)
    np.testing.assert_array_equal(both.counts, found.counts)


def test_means_are_those_of_datashader_within_the_quantisation():
    xy = points(4000, missing=False)
    vector, dense = numbers(4000, density=0.2, fill=0.0)
    index, described = Index(xy), describe(vector, 4000)
    found = aggregate(index, arrange(index, described), VIEW, (WIDTH, HEIGHT))
    datashader, plane = canvas()
    expected = plane.points(frame(xy, v=dense), "x", "y", datashader.mean("v")).to_numpy()[::-1]
    with np.errstate(invalid="ignore"):
        mean = described.lo + found.totals[0, :, :, 0] / found.known[0] / 65534 * (described.hi - described.lo)
    np.testing.assert_allclose(mean, expected, atol=(described.hi - described.lo) / 65534)


def test_a_sparse_column_yields_what_the_dense_one_does():
    n = 5000
    xy = points(n)
    vector, dense = numbers(n, density=0.2, fill=0.25)
    index, described = Index(xy, n_runs=7), describe(vector, n)
    sparse = arrange(index, described)
    full = arrange_vector(index, Vector(dense), described.levels)
    assert isinstance(sparse, SparseColumn)
    assert isinstance(full, NumberColumn)
    for statistic in ("mean", "max", "both"):
        for selected in (None, np.arange(index.rows.size) % 3 == 0):
            one, two = (
                aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic=statistic, selected=selected, spread=3)
                for column in (sparse, full)
            )
            np.testing.assert_array_equal(one.totals, two.totals)
            np.testing.assert_array_equal(one.missing, two.missing)
            assert (one.peak is None and two.peak is None) or (one.peak == two.peak).all()


def test_the_count_image_is_made_once_for_a_view_and_a_selection():
    xy = points(1000)
    index, counts = Index(xy), CountImages()
    vector, _ = numbers(1000, density=0.1, fill=0.0)
    column = arrange(index, describe(vector, 1000))
    first = aggregate(index, column, VIEW, (WIDTH, HEIGHT), counts=counts)
    bits = arrange_mask(index, np.arange(1000) < 100)
    with_selection = aggregate(index, column, VIEW, (WIDTH, HEIGHT), counts=counts, selected=bits)
    index.runs = lambda view: SimpleNamespace(starts=np.zeros(0, np.int64), stops=np.zeros(0, np.int64))
    again = aggregate(index, None, VIEW, (WIDTH, HEIGHT), counts=counts)
    np.testing.assert_array_equal(again.counts, first.counts)
    assert with_selection.counts.shape[0] == 2
    assert not aggregate(index, None, (0, 1, 0, 1), (WIDTH, HEIGHT), counts=counts).counts.any()


@pytest.mark.parametrize("with_selection", [False, True])
@pytest.mark.parametrize("before", ["category", "number", "peak"])
def test_a_gene_in_a_view_that_was_just_colored_otherwise_counts_no_cell_again(before, with_selection, monkeypatch):
    n = 2000
    index, counts, rng = Index(points(n)), CountImages(), np.random.default_rng(2)
    codes = Codes(rng.integers(-1, 3, n).astype(np.int8), ("a", "b", "c"))
    selected = arrange_mask(index, rng.random(n) < 0.3) if with_selection else None
    gene = arrange(index, describe(numbers(n, density=0.1, fill=0.0)[0], n))
    other = (
        arrange_codes(index, codes)
        if before == "category"
        else arrange(index, describe(numbers(n, density=1, fill=0.0)[0], n))
    )
    options = {"selected": selected, "spread": 3}
    statistic = {"statistic": "max"} if before == "peak" else {}
    colors = one_hot(3) if before == "category" else None
    alone = aggregate(index, gene, VIEW, (WIDTH, HEIGHT), **options)
    aggregate(index, other, VIEW, (WIDTH, HEIGHT), counts=counts, colors=colors, **options, **statistic)
    monkeypatch.setattr(pixel_loops, "count", None)
    found = aggregate(index, gene, VIEW, (WIDTH, HEIGHT), counts=counts, **options)
    np.testing.assert_array_equal(found.totals, alone.totals)
    np.testing.assert_array_equal(found.counts, alone.counts)
    with pytest.raises(TypeError):  # another view has to be counted
        aggregate(index, gene, (0, 1, 0, 1), (WIDTH, HEIGHT), counts=counts, **options)


def test_planes_that_leave_out_what_is_hidden_are_no_count_image():
    n = 2000
    index, counts = Index(points(n)), CountImages()
    column = arrange_codes(index, Codes((np.arange(n) % 4 - 1).astype(np.int8), ("a", "b", "c")))
    visible = np.array([True, False, True, False])
    aggregate(index, column, VIEW, (WIDTH, HEIGHT), counts=counts, colors=one_hot(3), visible=visible)
    found = aggregate(index, None, VIEW, (WIDTH, HEIGHT), counts=counts)
    np.testing.assert_array_equal(found.counts, aggregate(index, None, VIEW, (WIDTH, HEIGHT)).counts)


@pytest.mark.parametrize("as_bits", [False, True])
def test_selected_cells_have_a_layer_of_their_own(as_bits):
    xy = points(1003)
    index = Index(xy)
    mask = np.random.default_rng(5).random(1003) < 0.3
    selected = arrange_mask(index, mask) if as_bits else mask[index.rows]
    for column in (None, arrange_codes(index, Codes(np.zeros(1003, np.int8), ("a",)))):
        colors = one_hot(1)
        found = aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=colors, selected=selected)
        np.testing.assert_array_equal(found.counts[0], added(xy, ~mask))
        np.testing.assert_array_equal(found.counts[1], added(xy, mask))


@pytest.mark.parametrize("kind", ["count", "category", "number", "peak"])
@pytest.mark.parametrize("with_selection", [False, True])
def test_planes_of_two_halves_add_to_the_whole(kind, with_selection):
    n = 2000
    xy = points(n)
    vector, _ = numbers(n, density=0.4, fill=0.0)
    dense = vector.dense(n)
    codes = np.random.default_rng(6).integers(-1, 3, n).astype(np.int8)
    mask = np.arange(n) % 5 == 0
    described = describe(vector, n)

    def planes(rows):
        index = Index(xy[rows])
        column = None
        if kind == "category":
            column = arrange_codes(index, Codes(codes[rows], ("a", "b", "c")))
        elif kind != "count":
            column = arrange_vector(index, Vector(dense[rows]), described.levels)
        options = {"selected": arrange_mask(index, mask[rows])} if with_selection else {}
        statistic = "max" if kind == "peak" else "mean"
        return aggregate(
            index, column, VIEW, (WIDTH, HEIGHT), colors=one_hot(3), statistic=statistic, spread=2, **options
        )

    whole, both = planes(slice(None)), planes(slice(0, 700)) + planes(slice(700, None))
    np.testing.assert_array_equal(both.totals, whole.totals)
    np.testing.assert_array_equal(both.counts, whole.counts)
    assert (whole.peak is None) == (both.peak is None)
    assert whole.peak is None or (both.peak == whole.peak).all()


@pytest.mark.parametrize(("alone", "safe"), [(10, 1 << 24), (10, 300), (10**9, 300)])
def test_parts_and_threads_change_nothing(monkeypatch, alone, safe):
    n = 4001
    xy = points(n)
    index = Index(xy, n_runs=9)
    vector, dense = numbers(n, density=0.2, fill=0.0)
    codes = np.random.default_rng(7).integers(-1, 3, n).astype(np.int8)
    described = describe(vector, n)
    columns = [
        None,
        arrange_codes(index, Codes(codes, ("a", "b", "c"))),
        arrange(index, described),
        arrange_vector(index, Vector(dense), described.levels),
    ]
    selected = np.arange(index.rows.size) % 2 == 0

    def all_planes():
        for column in columns:
            for statistic in ("mean", "max"):
                options = {"colors": one_hot(3), "statistic": statistic, "selected": selected}
                yield aggregate(index, column, VIEW, (WIDTH, HEIGHT), **options)

    expected = list(all_planes())
    monkeypatch.setattr(task_module, "_ALONE", alone)
    monkeypatch.setattr(task_module, "SAFE_CELLS", safe)
    monkeypatch.setattr(task_module, "_threads", lambda: 3)
    for one, other in zip(expected, all_planes(), strict=True):
        np.testing.assert_array_equal(one.totals, other.totals)
        np.testing.assert_array_equal(one.counts, other.counts)
        assert (one.peak is None and other.peak is None) or (one.peak == other.peak).all()


def test_a_pixel_with_the_most_cells_that_one_part_may_hold_overflows_no_channel():
    cells = planes_module.SAFE_CELLS
    assert cells * 255 < 2**32


def test_spread_cells_cover_discs_and_those_just_outside_reach_in():
    xy = np.array([[0.5, 0.5], [-1.04, 0.5], [5, 5]], dtype=np.float32)
    found = aggregate(Index(xy), None, VIEW, (WIDTH, HEIGHT), spread=5).counts[0]
    line, column, _ = pixels(xy[:1])
    disc = np.hypot(*np.mgrid[-2:3, -2:3]) <= 2.6
    np.testing.assert_array_equal(found[line[0] - 2 : line[0] + 3, column[0] - 2 : column[0] + 3], disc)
    assert found[:, :2].any()
    assert found.sum() == disc.sum() + found[:, :2].sum()


def test_columns_are_brought_into_order_in_blocks(monkeypatch):
    n = 1000
    xy = points(n)
    index = Index(xy)
    vector, dense = numbers(n, density=0.5, fill=0.0)
    monkeypatch.setattr(image_columns, "BLOCK", 64)
    codes = np.random.default_rng(8).integers(-1, 3, n).astype(np.int8)
    mask = codes == 1
    np.testing.assert_array_equal(
        arrange_codes(index, Codes(codes, ("a", "b", "c"))).codes,
        np.where(codes < 0, 255, codes.astype(int))[index.rows],
    )
    np.testing.assert_array_equal(
        np.unpackbits(arrange_mask(index, mask), count=index.rows.size, bitorder="little"), mask[index.rows]
    )
    expected = codes_of(dense, 0, 20)[index.rows]
    for column in (arrange_vector(index, vector, Levels(0, 20)), arrange_vector(index, Vector(dense), Levels(0, 20))):
        assert np.abs(column.codes - np.where(np.isnan(expected), 65535, expected)).max() <= 1


@pytest.mark.parametrize("view", [(0, 0, 0, 1), (0, 1, np.nan, 1), (1e9, 1e9 + 1e-7, 0, 1), (-1e308, 1e308, 0, 1)])
def test_a_view_that_cannot_be_cut_into_pixels_is_refused(view):
    with pytest.raises(InvalidValue, match="view"):
        aggregate(Index(points(50)), None, view, (WIDTH, HEIGHT))


def test_arrays_of_the_wrong_size_are_refused():
    index = Index(points(50))
    column = arrange_codes(index, Codes(np.zeros(50, np.int8), ("a", "b")))
    with pytest.raises(InvalidValue, match="selection"):
        aggregate(index, None, VIEW, (WIDTH, HEIGHT), selected=np.zeros(3, bool))
    with pytest.raises(InvalidValue, match="colors"):
        aggregate(index, column, VIEW, (WIDTH, HEIGHT))
    with pytest.raises(InvalidValue, match="colors"):
        aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=one_hot(2), visible=np.ones(2, bool))
    short = CategoryColumn(column.codes[:5], 2, False)
    with pytest.raises(InvalidValue, match="codes"):
        aggregate(index, short, VIEW, (WIDTH, HEIGHT), colors=one_hot(2))
