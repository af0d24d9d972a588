"""Laws of aggregated pictures: every cell counts once, hidden ones never, and near enough the cells come themselves."""

import gc
import io
import threading
import weakref
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from scipy.stats import kstest

from cxg_widget.cells import indexed as field
from cxg_widget.cells import loader
from cxg_widget.color.palettes import category_palette
from cxg_widget.compute import pending
from cxg_widget.display.settings import Settings
from cxg_widget.draw.aggregate import image_columns
from cxg_widget.draw.points.crowding import BEHIND
from cxg_widget.errors import Overtaken
from cxg_widget.session.session import Session
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.polygon import in_polygon
from cxg_widget.wire import encoding
from cxg_widget.wire import protocol as p
from cxg_widget.wire.order import scattered
from cxg_widget.wire.protocol import MISSING_LABEL
from tests.memory import small

SIZE = (60, 50)


def session(n_obs=20_000, color=None, **settings):
    settings = {"max_points": 1_000, **settings}
    return Session(small(n_obs), Settings(embedding="umap", color=color, **settings))


def ask(one, view, size=SIZE, highlighted=-1, weight=0.0):
    settings = one.settings
    named = settings.statistic if isinstance(settings.statistic, str) else repr(settings.statistic)
    message = p.Aggregate(
        list(view), *size, 1.0, highlighted, False, list(settings.hidden), settings.density, weight, named
    )
    return list(one.answer(message))


def pixels(frame):
    return np.asarray(Image.open(io.BytesIO(frame.arrays["png"].tobytes())))


def extent(one):
    xy = one.dataset.embedding("umap")
    return (
        *(float(v) for v in (xy[:, 0].min() - 1, xy[:, 0].max() + 1)),
        *(float(v) for v in (xy[:, 1].min() - 1, xy[:, 1].max() + 1)),
    )


def histogram(xy, view, size, weights=None):
    """Cells per pixel, row 0 at the top."""
    x0, x1, y0, y1 = view
    found, _, _ = np.histogram2d(
        xy[:, 1], xy[:, 0], bins=(size[1], size[0]), range=((y0, y1), (x0, x1)), weights=weights
    )
    return found[::-1]


def test_a_sample_of_distinct_cells_is_sent_instead_of_all_of_them():
    one = session(color="cell_type")
    frames = list(one.streams.show())
    points = [frame for frame in frames if frame.message.kind == "points"]
    codes = [frame for frame in frames if frame.message.kind == "codes"]
    assert {(f.message.n_points, f.message.n_obs, f.message.aggregated) for f in points} == {(1_000, 20_000, True)}
    assert sum(f.arrays["xy"].shape[0] for f in points) == sum(f.arrays["codes"].size for f in codes) == 1_000
    legend = next(frame.message for frame in frames if frame.message.kind == "color")
    truth = one.dataset.codes("cell_type").codes
    assert legend.counts == np.bincount(truth[truth >= 0]).tolist()  # the legend counts all cells


@pytest.mark.parametrize("color", ["cell_type", "n_counts", "CD3E", "DENSE", None])
def test_the_sampled_values_belong_to_the_sampled_places(color):
    one = session(color=color)
    frames = list(one.streams.show())
    points = next(frame for frame in frames if frame.message.kind == "points")
    x0, x1, y0, y1 = points.message.extent
    found = points.arrays["xy"] / 65_534 * (x1 - x0, y1 - y0) + (x0, y0)
    all_xy = one.dataset.embedding("umap")
    step = np.array([x1 - x0, y1 - y0]) / 65_534
    rows = np.array([np.abs((all_xy - at) / step).max(axis=1).argmin() for at in found[:100]])
    assert np.abs((all_xy[rows] - found[:100]) / step).max() <= 0.51
    if color == "cell_type":
        codes = next(frame.arrays["codes"] for frame in frames if frame.message.kind == "codes")[:100]
        np.testing.assert_array_equal(codes, one.dataset.codes("cell_type").codes[rows].astype(np.uint8))
    elif color == "DENSE":
        legend = next(frame.message for frame in frames if frame.message.kind == "color")
        values = next(frame.arrays["values"] for frame in frames if frame.message.kind == "values")[:100]
        scale = (legend.hi - legend.lo) / 65_534
        expected = one.dataset.values("DENSE")[rows]
        off = np.abs(values * scale + legend.lo - expected)
        assert (off <= np.where(np.abs(expected) < scale, 1.51, 0.51) * scale).all()  # 0 has a code of its own


def test_every_pixel_with_a_cell_is_seen_and_no_other():
    one = session()
    view = extent(one)
    (frame,) = ask(one, view)
    counts = histogram(one.dataset.embedding("umap"), view, SIZE)
    assert frame.message.n_inside == counts.sum() == 20_000
    np.testing.assert_array_equal(pixels(frame)[..., 3] > 0, counts > 0)


def test_a_pixel_has_the_colors_of_its_categories_by_share():
    one = session(color="cell_type")
    view = extent(one)
    (frame,) = ask(one, view, (6, 5))
    xy, codes = one.dataset.embedding("umap"), one.dataset.codes("cell_type")
    colors = category_palette([str(c) for c in codes.categories], one.dataset.category_colors("cell_type"), None)
    rgb = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors], dtype=float)
    shares = np.stack([histogram(xy[codes.codes == k], view, (6, 5)) for k in range(len(colors))], axis=-1)
    known = shares.sum(axis=-1) > 0
    expected = (shares @ rgb)[known] / shares.sum(axis=-1)[known][:, None]
    np.testing.assert_allclose(pixels(frame)[..., :3][known], expected, atol=1.01)


def test_hidden_categories_leave_no_trace():
    hidden = ("T cell", MISSING_LABEL)
    one = session(color="cell_type", hidden=hidden)
    view = extent(one)
    (frame,) = ask(one, view)
    codes = one.dataset.codes("cell_type").codes
    counts = histogram(one.dataset.embedding("umap")[codes > 0], view, SIZE)
    np.testing.assert_array_equal(pixels(frame)[..., 3] > 0, counts > 0)


@pytest.mark.parametrize("gene", ["CD3E", "DENSE"])
@pytest.mark.parametrize("statistic", ["mean", "max"])
def test_a_pixel_holds_the_mean_or_the_highest_number_of_its_cells(gene, statistic):
    one = session(color=gene)
    view, size = extent(one), (12, 10)
    (frame,) = ask(one, view, size, weight=float(statistic == "max"))
    assert frame.message.content == "numbers"
    image = pixels(frame).astype(int)
    xy, values = one.dataset.embedding("umap"), one.dataset.values(gene)
    lo, hi = float(values.min()), float(values.max())
    found = lo + (image[..., 0] * 256 + image[..., 1]) / 65_534 * (hi - lo)
    counts = histogram(xy, view, size)
    x0, x1, y0, y1 = view
    column = ((xy[:, 0].astype(float) - x0) / (x1 - x0) * size[0]).astype(int)
    line = size[1] - 1 - ((xy[:, 1].astype(float) - y0) / (y1 - y0) * size[1]).astype(int)
    expected = np.full((size[1], size[0]), -np.inf)
    if statistic == "max":
        np.maximum.at(expected, (line, column), values)
    else:
        expected = histogram(xy, view, size, values.astype(float)) / np.maximum(counts, 1)
    stands = counts >= (1 if statistic == "max" else BEHIND)  # means of fewer lean on those around, see test_leaning.py
    assert stands.sum() > 40
    np.testing.assert_allclose(found[stands], expected[stands], atol=1.01 * (hi - lo) / 65_534)
    np.testing.assert_array_equal(image[..., 2] > 0, counts > 0)


@pytest.mark.parametrize("color", ["cell_type", None])
@pytest.mark.parametrize("density", ["eq_hist", "linear"])
def test_images_grow_as_opaque_as_points_while_their_cells_become_few(color, density):
    one = session(color=color, max_points=1_000, density=density)
    xy, middle = one.dataset.embedding("umap"), np.array([6.0, 1.0])
    far = np.sort(np.abs(xy - middle).max(axis=1))
    found = {}
    for n_cells in (1_001, 4_000, 9_000):
        half = float(far[n_cells - 1])
        (frame,) = ask(one, (6 - half, 6 + half, 1 - half, 1 + half), (200, 200))
        opacity = pixels(frame)[..., 3]
        assert opacity.max() == 255
        found[n_cells] = opacity[opacity > 0].min()
    assert found[1_001] == pytest.approx(255, abs=1)
    assert found[4_000] == pytest.approx(40 + 215 / 3, abs=1)  # two of three doublings to 8,000 cells
    assert found[9_000] == 40


@pytest.mark.parametrize("density", ["eq_hist", "log", "cbrt", "linear"])
def test_density_is_no_part_of_the_color_of_a_number(density):
    one = session(color="CD3E", density=density)
    (frame,) = ask(one, extent(one))
    counts = histogram(one.dataset.embedding("umap"), extent(one), SIZE)
    assert counts.max() > 20 * counts[counts > 0].min()
    np.testing.assert_array_equal(pixels(frame)[..., 2], np.where(counts > 0, 255, 0))


def test_close_by_come_all_cells_of_the_view_themselves():
    one = session(color="cell_type", max_points=5_000)
    view = (0.0, 0.7, 0.5, 1.2)
    one.select(np.arange(20_000) % 3 == 0)
    frames = ask(one, view)
    assert {frame.message.kind for frame in frames} == {"cells"}
    xy = one.dataset.embedding("umap")
    x0, x1, y0, y1 = frames[0].message.extent
    inside = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)
    assert x0 <= view[0] < view[1] <= x1
    assert y0 <= view[2] < view[3] <= y1
    step = np.array([x1 - x0, y1 - y0]) / 65_534
    codes, found = (np.concatenate([frame.arrays[name] for frame in frames]) for name in ("codes", "xy"))
    bits = np.unpackbits(np.concatenate([frame.arrays["bits"] for frame in frames]), bitorder="little")[: codes.size]
    places = found * step + (x0, y0)
    order, truth = np.lexsort(found.T), np.flatnonzero(inside)
    truth = truth[np.lexsort(np.rint((xy[truth].astype(float) - (x0, y0)) / step).T)]
    np.testing.assert_allclose(places[order], xy[truth], atol=0.51 * step.max())
    assert sorted(codes.tolist()) == sorted(one.dataset.codes("cell_type").codes[inside].astype(np.uint8).tolist())
    assert bits.sum() == np.count_nonzero(np.flatnonzero(inside) % 3 == 0)


@pytest.mark.parametrize("gene", ["CD3E", "DENSE"])
def test_close_by_each_cell_has_its_own_number(gene):
    one = session(color=gene, max_points=5_000)
    frames = ask(one, (0.0, 0.7, 0.5, 1.2))
    x0, x1, y0, y1 = frames[0].message.extent
    xy, values = one.dataset.embedding("umap"), one.dataset.values(gene)
    inside = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)
    lo, hi = float(values.min()), float(values.max())
    codes = np.concatenate([frame.arrays["codes"] for frame in frames])
    np.testing.assert_allclose(np.sort(lo + codes / 65_534 * (hi - lo)), np.sort(values[inside]), atol=1e-4 * (hi - lo))


def test_raster_never_sends_the_cells_and_points_never_an_image():
    view = (0.0, 0.01, 0.0, 0.01)
    assert ask(session(render="raster"), view)[0].message.kind == "image"
    assert not next(session(render="points").streams.points()).message.aggregated
    assert next(session(100, render="raster").streams.points()).message.aggregated
    assert not next(session(100).streams.points()).message.aggregated


def test_selected_cells_lie_visibly_above_a_million_others():
    one = session(200_000, color="cell_type")
    view = extent(one)
    row = int(np.argmin(np.abs(one.dataset.embedding("umap") - (0, 0)).sum(axis=1)))
    one.select(np.arange(200_000) == row)
    image = pixels(ask(one, view)[0])
    x, y = one.dataset.embedding("umap")[row]
    column = int((x - view[0]) / (view[1] - view[0]) * SIZE[0])
    line = SIZE[1] - 1 - int((y - view[2]) / (view[3] - view[2]) * SIZE[1])
    others = image[..., 3].copy()
    others[line, column] = 0
    assert image[line, column, 3] >= 200 > 2 * others.max()


def test_an_answer_says_which_points_coloring_and_selection_it_shows():
    one = session(color="cell_type")
    list(one.streams.color())
    list(one.streams.color())
    list(one.streams.points())
    for _ in range(3):
        list(one.streams.selection())
    message = ask(one, extent(one))[0].message
    assert (message.points_seq, message.seq, message.selection_seq) == (1, 2, 3)


def seqs_of(frame):
    return frame.message.points_seq, frame.message.seq


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"color": "CD3E"}, (False, True)),
        ({"axes": (1, 0)}, (True, False)),
        ({"max_points": 2_000}, (True, True)),
        ({"density": "log"}, (False, False)),
    ],
)
def test_an_answer_between_a_change_and_its_stream_passes_for_no_picture_on_show(change, stale):
    one = session(5_000, color="cell_type")
    list(one.streams.show())
    view = extent(one)
    shown = seqs_of(ask(one, view)[0])
    one.settings = replace(one.settings, **change)
    between = seqs_of(ask(one, view)[0])
    assert tuple(a != b for a, b in zip(between, shown, strict=True)) == stale
    frames = list(one.streams.show())
    sent = (
        max(f.message.seq for f in frames if f.message.kind == "points"),
        max(f.message.seq for f in frames if f.message.kind == "color"),
    )
    assert sent[0] > between[0]
    assert sent[1] > between[1]


def test_what_the_question_hides_is_hidden_though_the_trait_has_not_come_yet():
    one = session(color="cell_type")
    view = extent(one)
    message = p.Aggregate(list(view), *SIZE, 1.0, -1, False, ["T cell", MISSING_LABEL], "log")
    (frame,) = one.answer(message)
    codes = one.dataset.codes("cell_type").codes
    counts = histogram(one.dataset.embedding("umap")[codes > 0], view, SIZE)
    np.testing.assert_array_equal(pixels(frame)[..., 3] > 0, counts > 0)


def lasso_while_asking(one, began, may_end):
    """Draw a lasso while a view is asked for that waits for `may_end`; the lasso is not to wait."""
    asking = threading.Thread(target=ask, args=(one, (-1.0, 1.0, -1.0, 1.0)))
    asking.start()
    assert began.wait(20)
    gesture = threading.Thread(target=lambda: list(one.answer(p.Lasso([-2, -2, 2, -2, 0, 2], "replace"))))
    gesture.start()
    gesture.join(20)
    is_done = not gesture.is_alive()
    may_end.set()
    for thread in (asking, gesture):
        thread.join(20)
    assert is_done


def test_a_lasso_does_not_wait_for_a_coloring_that_is_read_for_an_image():
    one = session(color="cell_type")
    list(one.streams.show())
    began, may_end = threading.Event(), threading.Event()
    read = one.dataset._read_vector

    def slow(position, layer):
        began.set()
        assert may_end.wait(20)
        return read(position, layer)

    one.dataset._read_vector = slow
    one.settings = replace(one.settings, color="CD3E")
    lasso_while_asking(one, began, may_end)
    assert one.mask.any()


def test_a_lasso_while_the_index_is_built_is_answered_by_the_coordinates(monkeypatch):
    one = session(color="cell_type")
    list(one.streams.show())
    began, may_end = threading.Event(), threading.Event()
    build = SpatialIndex.build

    def slow(*args, **options):
        began.set()
        assert may_end.wait(20)
        return build(*args, **options)

    monkeypatch.setattr(SpatialIndex, "build", slow)
    lasso_while_asking(one, began, may_end)
    np.testing.assert_array_equal(one.mask, in_polygon(one.held.xy(), np.array([[-2.0, -2], [2, -2], [0, 2]])))


def test_an_empty_corner_beside_a_dense_part_sends_no_more_than_it_holds():
    one = session(50_000, max_points=1_000)
    xy = one.dataset.embedding("umap")
    x, y = xy.max(axis=0)
    w, h = np.ptp(xy, axis=0)
    near = (float(x - 0.5 * w), float(x + 4 * w), float(y - 0.5 * h), float(y + 4 * h))
    n_inside = histogram(xy, near, (1, 1)).sum()
    wide = (near[0] - 0.9 * w, near[1], near[2] - 0.9 * h, near[3])
    one.settings = replace(one.settings, max_points=int(n_inside))
    assert histogram(xy, wide, (1, 1)).sum() > 2 * n_inside > 0
    frames = ask(one, near)
    assert {frame.message.kind for frame in frames} == {"cells"}
    assert sum(len(frame.arrays["xy"]) for frame in frames) == n_inside


def test_a_view_beside_all_cells_is_answered_with_no_cells():
    (frame,) = ask(session(color="cell_type"), (1e6, 2e6, 1e6, 2e6))
    assert frame.message.kind == "cells"
    assert frame.arrays["xy"].shape == (0, 2)
    (frame,) = ask(session(color="cell_type", render="raster"), (1e6, 2e6, 1e6, 2e6))
    assert not pixels(frame).any()


def test_lasso_hover_and_selection_are_those_of_points():
    polygon = [0.0, 0.0, 4.0, 0.5, 3.0, 5.0, -1.0, 4.0]
    found = []
    for render in ("points", "raster"):
        one = session(color="cell_type", hidden=("B cell",), render=render)
        if render == "raster":
            ask(one, extent(one))
        list(one.answer(p.Lasso(polygon, "replace")))
        cells = [next(one.answer(p.Hover(x, y, 0.5, 0.5))).message for x, y in ((0.1, 0.2), (6.0, 1.0), (2.0, 7.0))]
        found.append((one.mask.copy(), [(cell.row, cell.x, cell.y, cell.name, cell.value) for cell in cells]))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][0].any()
    assert found[0][1] == found[1][1]


def test_the_selection_is_sent_for_the_sample_and_counted_for_all():
    one = session()
    one.select(np.ones(20_000, dtype=bool))
    message = next(one.streams.selection())
    assert (message.message.n_selected, message.message.n_points, message.arrays["bits"].size) == (20_000, 1_000, 125)


def test_cells_without_a_place_are_in_no_picture_and_counted():
    dataset = small(20_000)
    dataset._xy["umap"][:7] = np.nan
    dataset._xy["umap"][7, 1] = np.inf
    one = Session(dataset, Settings(embedding="umap", max_points=1_000))
    points = next(one.streams.points()).message
    assert points.n_missing == 8
    (frame,) = ask(one, (-100, 100, -100, 100))
    assert frame.message.n_inside == 20_000 - 8


def test_closing_gives_up_the_index_that_is_being_built():
    told = []

    def hear(frame):
        told.append(frame.message.kind)
        one.close()

    one = Session(small(20_000), Settings(embedding="umap", max_points=1_000), announce=hear)
    with pytest.raises(Overtaken):
        one.prepare_index()
    assert told == ["progress"]


def test_other_cells_give_up_the_index_of_those_that_were_on_show():
    done = []

    def hear(frame):
        done.append(frame.message.done)
        if len(done) == 1:
            one.settings = replace(one.settings, axes=(1, 0))
            one.prepare_index()

    one = Session(small(20_000), Settings(embedding="umap", max_points=1_000), announce=hear)
    before = one.settings
    with pytest.raises(Overtaken):
        one.loader.of(before).indexed()
    assert done[-1] == 1  # the last to be told is the newer one
    assert one.loader.of(one.settings).index_if_built() is not None


def test_a_closed_session_holds_the_selection_and_no_cells():
    one = session(color="CD3E")
    one.select(np.arange(20_000) % 3 == 0)
    ask(one, extent(one))
    held = [weakref.ref(one.loader.of(one.settings).indexed().index), weakref.ref(one.coloring().data)]
    one.close()
    gc.collect()
    assert [ref() for ref in held] == [None, None]
    assert len(one.selected) == 6_667


def test_what_is_read_after_closing_is_not_held():
    one = session(color="CD3E")
    one.close()
    held = weakref.ref(one.loader.of(one.settings).coloring().data)
    gc.collect()
    assert held() is None


def test_a_field_that_is_there_before_anybody_waits_for_it_is_not_waited_for(monkeypatch):
    def at_once(make):
        done = Future()
        done.set_result(make())
        return done

    monkeypatch.setattr(pending, "in_background", at_once)
    one = session()
    found = []
    waiting = threading.Thread(
        target=lambda: found.append(one.loader.of(one.settings).wait_for_index(lambda: False)), daemon=True
    )
    waiting.start()
    waiting.join(20)
    assert found == [one.loader.of(one.settings).indexed()]


@pytest.mark.parametrize(("limit", "times"), [(field.RECENT_BYTES, 1), (0, 3)])
def test_going_back_to_colors_that_were_on_show_computes_nothing_unless_they_are_too_large(monkeypatch, limit, times):
    monkeypatch.setattr(field, "RECENT_BYTES", limit)
    monkeypatch.setattr(loader, "RECENT_BYTES", limit)
    done = []
    for module, name in ((image_columns, "arrange"), (encoding, "describe")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, _name=name, _do=original: (done.append(_name), _do(*a))[1])
    one = session(color="cell_type")
    seen = {}
    for color in ["cell_type", "CD3E", "n_counts"] * 3:
        one.settings = replace(one.settings, color=color)
        image = pixels(ask(one, extent(one))[0])
        np.testing.assert_array_equal(image, seen.setdefault(color, image))
    assert len({image.tobytes() for image in seen.values()}) == 3
    assert (done.count("arrange"), done.count("describe")) == (3 * times, 2 * times)


def test_what_all_points_took_is_let_go_when_images_are_shown_again():
    one = session(color="cell_type", render="points")
    assert sum(f.message.kind == "points" for f in one.streams.show()) == 1
    held = weakref.ref(one.loader.order())
    one.settings = replace(one.settings, render="auto")
    ask(one, extent(one))
    gc.collect()
    assert held() is None
    assert one.loader.memo.in_slot("xy") is None


def test_cells_come_in_an_order_of_their_own_that_is_the_same_among_others_and_has_no_pattern():
    rng = np.random.default_rng(0)
    rows = rng.permutation(2**32 - 1 - np.arange(40_000, dtype=np.int64) * 100_003)
    order = scattered(rows)
    np.testing.assert_array_equal(np.sort(order), np.arange(rows.size))
    some = rng.random(rows.size) < 0.3
    np.testing.assert_array_equal(rows[some][scattered(rows[some])], rows[order][some[order]])
    for rows in (np.arange(40_000), np.arange(40_000) * 256, np.arange(40_000)[::-1]):
        among = rows[scattered(rows)] / rows.max()
        assert kstest(among[:2_000], "uniform").pvalue > 1e-4
        assert abs(np.corrcoef(among[:-1], among[1:])[0, 1]) < 0.03


# --- numbers of pixels -----------------------------------------------------------------------------------------------


def codes_of(frame):
    red, green, alpha = np.moveaxis(pixels(frame)[..., :3].astype(np.int64), -1, 0)
    return np.where(alpha > 0, red * 256 + green, -1)


def values_of(frame):
    """What an image says of each pixel, NaN where no cell has a value."""
    lo, hi, *_ = frame.message.scale
    codes = codes_of(frame)
    return np.where((codes < 0) | (codes == 65_535), np.nan, lo + codes / 65_534 * (hi - lo))


@pytest.mark.parametrize("n_obs", [900, 20_000])
@pytest.mark.parametrize("color", ["n_counts", "CD3E", "DENSE"])
@pytest.mark.parametrize(
    ("statistic", "function"), [("sum", "sum"), ("count", "count"), ("min", "min"), ("std", "std")]
)
def test_a_statistic_of_pixels_is_scipy_s_at_any_distance(n_obs, color, statistic, function):
    from scipy.stats import binned_statistic_2d

    one = session(n_obs, color, statistic=statistic)
    values, xy = one.coloring().data.vector.dense(n_obs), one.dataset.embedding("umap").astype(float)
    x0, x1, y0, y1 = extent(one)
    for view in [(x0, x1, y0, y1), (x0, (x0 + x1) / 2, y0, (y0 + y1) / 2)]:
        (frame,) = ask(one, view, (20, 16))
        known = np.isfinite(values) & np.isfinite(xy).all(axis=1)
        ends = [view[:2], view[2:]]
        wanted = binned_statistic_2d(*xy[known].T, values[known], function, bins=(20, 16), range=ends).statistic.T[::-1]
        found, (lo, hi, *_) = values_of(frame), frame.message.scale
        empty = ~np.isfinite(found)
        assert np.all(~np.isfinite(wanted[empty]) | (wanted[empty] == 0))
        np.testing.assert_allclose(
            found[~empty], wanted[~empty], atol=(hi - lo) / 20_000 + np.nanmax(np.abs(values)) / 60_000
        )


def test_the_range_told_is_that_of_the_pixels_and_the_colors_span_most_of_them():
    one = session(20_000, "n_counts", statistic="sum")
    (frame,) = ask(one, extent(one))
    lo, hi, low, high, least = frame.message.scale
    values = values_of(frame)
    values = values[np.isfinite(values)]
    np.testing.assert_allclose([lo, hi, least], [values.min(), values.max(), values[values > 0].min()])
    assert lo <= low < high <= hi
    assert np.mean((values >= low) & (values <= high)) > 0.98
    assert frame.arrays["histogram"].sum() == values.size
    np.testing.assert_allclose(lo + frame.arrays["quantiles"][500] * (hi - lo), np.median(values), rtol=1e-3)
    assert frame.message.statistic == "sum"


def test_panning_keeps_the_limits_and_zooming_makes_new_ones():
    one = session(20_000, "n_counts", statistic="sum")
    x0, x1, y0, y1 = extent(one)
    wide, step = (x1 - x0) / 2, (x1 - x0) / 5
    limits = [ask(one, (x0 + at, x0 + at + wide, y0, y1))[0].message.scale[2:] for at in (0, step, 2 * step)]
    assert limits[0] == limits[1] == limits[2]
    assert ask(one, (x0, x0 + wide / 8, y0, y0 + (y1 - y0) / 8))[0].message.scale[2:] != limits[0]


def test_after_panning_the_histogram_holds_the_pixels_on_show_and_no_others():
    one = session(20_000, "n_counts", statistic="sum")
    x0, x1, y0, y1 = extent(one)
    wide, scales = (x1 - x0) / 2, []
    for at in (0, (x1 - x0) / 5, (x1 - x0) / 3):
        (frame,) = ask(one, (x0 + at, x0 + at + wide, y0, y1))
        values, (lo, hi, *_) = values_of(frame), frame.message.scale
        assert frame.arrays["histogram"].sum() == np.isfinite(values).sum()
        scales.append((lo, hi, np.nanmin(values), np.nanmax(values)))
    assert any((lo, hi) != (low, high) for lo, hi, low, high in scales[1:])  # some are wider than what is on show


def test_selected_cells_lie_above_the_others_in_a_picture_of_pixels():
    one = session(20_000, "n_counts", statistic="count")
    one.select(np.arange(20_000) % 2 == 0)
    (frame,) = ask(one, extent(one), (20, 16))
    xy = one.dataset.embedding("umap").astype(float)
    known = one.mask & np.isfinite(one.coloring().data.vector.dense(20_000))
    wanted, found = histogram(xy[known], extent(one), (20, 16)), values_of(frame)
    np.testing.assert_allclose(found[wanted > 0], wanted[wanted > 0], atol=0.01 * frame.message.scale[1])


def test_a_statistic_of_pixels_is_drawn_by_the_kernel_however_few_the_cells():
    one = session(900, "n_counts", statistic="std", render="points")
    points = next(frame.message for frame in one.streams.show() if frame.message.kind == "points")
    assert points.aggregated
    one.settings = replace(one.settings, statistic="mean")
    assert not next(frame.message for frame in one.streams.show() if frame.message.kind == "points").aggregated


def test_categories_have_no_statistic_and_stay_points():
    one = session(900, "cell_type", statistic="std")
    assert not next(frame.message for frame in one.streams.show() if frame.message.kind == "points").aggregated


def test_a_reduction_of_other_columns_is_of_those():
    from datashader import reductions as rd

    one = session(20_000, "CD3E", statistic=rd.count("n_counts"))
    (frame,) = ask(one, extent(one), (20, 16))
    xy = one.dataset.embedding("umap").astype(float)
    known = np.isfinite(one.dataset.numbers("n_counts").astype(float))
    wanted, found = histogram(xy[known], extent(one), (20, 16)), values_of(frame)
    np.testing.assert_allclose(found[wanted > 0], wanted[wanted > 0], atol=0.01 * wanted.max())
    assert frame.message.statistic == repr(one.settings.statistic)
