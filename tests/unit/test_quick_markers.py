"""Markers while you draw: sums of genes over tiles, against NumPy and SciPy on the same values."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.compare import quick_markers as quick
from cxg_widget.compare.quick_markers import Sketched
from cxg_widget.compare.sketch_store import SketchStore, sketch_key
from cxg_widget.compare.sketch_tiles import Tiles, most_tiles
from cxg_widget.compare.sketch_values import ValueOrder
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.values import Codes
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import ClosedDataset, InvalidOption, InvalidValue, SelectionError
from cxg_widget.spatial import IndexStore, SpatialIndex, index_key
from cxg_widget.spatial.polygon import in_polygon
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.small_stores import put
from tests.unit.test_compare import BOTH_AXES, N_OBS, ByRows, InParts, codes, dataset_of, log_values
from tests.unit.test_index_store import embedding
from tests.unit.test_widget import Recorder

KEY = sketch_key("file:///a.cxg@1", N_OBS, "umap", (0, 1), None)
LASSOS = {
    "big": (0.35, 1.0),
    "small": (0.06, 1.0),
    "thin": (0.4, 0.08),
    "across clusters": (0.5, 0.3),
}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def places(n=N_OBS, seed=4):
    """Return coordinates in three clusters, some of which are missing."""
    rng = np.random.default_rng(seed)
    xy = (rng.normal(size=(n, 2)) + 6 * np.eye(3)[np.arange(n) % 3, :2]).astype(np.float32)
    xy[::37] = np.nan
    return xy


def sketched(x, kind, n_tiles=None, **options):
    dataset = dataset_of(x, kind, **options)
    with pytest.MonkeyPatch.context() as patch:
        if n_tiles is not None:
            patch.setattr(quick, "_most_tiles", lambda *_: n_tiles)
        return Sketched.make(dataset, None, SpatialIndex.build(places()))


def lasso(xy, size, flat, seed):
    """Return a wavy polygon around one of the cells."""
    rng, turn = np.random.default_rng(seed), np.linspace(0, 2 * np.pi, 50, endpoint=False)
    wide, high = np.nanmax(xy, axis=0) - np.nanmin(xy, axis=0)
    ring = np.column_stack([np.cos(turn), flat * np.sin(turn)]) * size / 1.4 * (1 + 0.15 * np.sin(5 * turn))[:, None]
    angle = rng.uniform(0, np.pi)
    ring = ring @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    at = rng.choice(np.flatnonzero(np.isfinite(xy).all(axis=1)))
    return xy[at].astype(np.float64) + ring * (wide, high)


def by_scipy(x, mask):
    """Return the genes by t of SciPy's Welch test, highest first, without those that have none."""
    with np.errstate(all="ignore"):
        found = stats.ttest_ind(x[mask].astype(np.float64), x[~mask].astype(np.float64), equal_var=False)
    known = np.flatnonzero(~np.isnan(found.statistic))
    return known[np.argsort(-found.statistic[known], kind="stable")]


@BOTH_AXES
@pytest.mark.parametrize("missing", [False, True])
def test_the_sums_of_all_tiles_are_those_of_numpy_over_all_cells(kind, missing):
    x = log_values(missing=missing)
    total = sketched(x, kind).sketch.total
    wide = x.astype(np.float64)
    np.testing.assert_allclose(total.sums, np.nansum(wide, axis=0), rtol=1e-6)
    np.testing.assert_allclose(total.squares, np.nansum(wide**2, axis=0), rtol=1e-5)
    np.testing.assert_array_equal(total.above, (x > 0).sum(axis=0))
    np.testing.assert_array_equal(total.n, (~np.isnan(x)).sum(axis=0))


@BOTH_AXES
def test_counts_are_summed_as_log1p_of_counts_per_10_000(kind):
    x = np.random.default_rng(1).poisson(0.7, (N_OBS, 42)).astype(np.float32)
    made = sketched(x, kind)
    wide = x.astype(np.float64)
    wide = np.log1p(wide * 1e4 / wide.sum(axis=1, keepdims=True))
    assert made.sketch.is_normalized
    np.testing.assert_allclose(made.sketch.total.sums, wide.sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("layout", ["columns", "sparse", "dense"])
@pytest.mark.parametrize("shifted", [False, True])
def test_each_layout_of_a_cxg_is_summed_as_it_was_written(tmp_path, layout, shifted):
    truth = make_truth()
    shift = np.linspace(-1, 2, truth.X.shape[1]).astype(np.float32) if shifted else None
    with open_dataset(make_cxg(tmp_path / "small.cxg", truth, layout, shift=shift)) as dataset:
        index = SpatialIndex.build(dataset.embedding(dataset.default_embedding))
        total = Sketched.make(dataset, None, index).sketch.total
    np.testing.assert_allclose(total.sums, np.nansum(truth.X.astype(np.float64), axis=0), rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(total.n, (~np.isnan(truth.X)).sum(axis=0))


@BOTH_AXES
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n", [2, 40, 150, 290, 298])
def test_cells_of_any_kind_have_the_means_and_shares_of_numpy_once_their_tiles_were_read(kind, missing, n):
    x = log_values(missing=missing)
    mask = np.random.default_rng(n).permutation(N_OBS) < n
    found = sketched(x, kind).resolve(mask, 42)
    assert (found.is_exact, found.n_cells) == (True, n)
    for summary, rows in ((found.a, mask), (found.b, ~mask)):
        some = x[rows][:, found.positions].astype(np.float64)
        n_measured = (~np.isnan(some)).sum(axis=0)
        np.testing.assert_array_equal(np.rint(summary.n), n_measured)
        np.testing.assert_allclose(summary.mean, np.nansum(some, axis=0) / n_measured, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(summary.share, (some > 0).sum(axis=0) / n_measured, atol=1e-9)


def test_tiles_hold_each_cell_once_and_none_more_than_the_limit():
    xy = embedding(20_000)
    tiles = Tiles.of(SpatialIndex.build(xy), 100)
    assert len(tiles) - 1 <= 100
    assert tiles.n_cells.sum() == len(xy)
    assert tiles.n_cells[-1] == np.isnan(xy).any(axis=1).sum()
    np.testing.assert_array_equal(np.bincount(tiles.of_rows(), minlength=len(tiles)), tiles.n_cells)
    np.testing.assert_array_equal(np.sort(np.concatenate([tiles.rows(t) for t in range(len(tiles))])), range(len(xy)))


@pytest.mark.parametrize("shape", LASSOS)
def test_cells_of_a_lasso_are_counted_in_their_tiles_as_point_by_point(shape):
    xy = embedding(20_000)
    tiles = Tiles.of(SpatialIndex.build(xy), 300)
    kept = np.random.default_rng(3).random(len(xy)) < 0.4
    for seed in range(8):
        corners = lasso(xy, *LASSOS[shape], seed)
        inside = in_polygon(xy, corners)
        wanted = np.bincount(tiles.of_rows()[inside], minlength=len(tiles))
        np.testing.assert_array_equal(tiles.count_in_polygon(corners), wanted)
        np.testing.assert_array_equal(tiles.count_in_mask(inside), wanted)
        some = np.bincount(tiles.of_rows()[inside & kept], minlength=len(tiles))
        np.testing.assert_array_equal(tiles.only(kept).count_in_polygon(corners), some)


def test_a_sketch_of_a_million_cells_and_30_000_genes_takes_at_most_250_mb():
    n_tiles = most_tiles(1_000_000, 30_000, 2_000_000_000)
    assert n_tiles > 500
    assert n_tiles * 30_000 * 10 <= 250e6
    assert most_tiles(0, 0, 0) == 1


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "small.cxg"
    write_demo(path, n_obs=6_000, seed=1)
    return path


@pytest.mark.parametrize("shape", LASSOS)
def test_eighteen_of_the_first_twenty_genes_while_drawing_are_those_of_welch(demo, shape):
    with open_dataset(demo) as dataset:
        xy = dataset.embedding("umap")
        x = dataset.gather(rows=np.arange(dataset.n_obs)).dense(dataset.n_var)
        made = Sketched.make(dataset, None, SpatialIndex.build(xy))
        for seed in range(3):
            corners = lasso(xy, *LASSOS[shape], seed)
            mask = in_polygon(xy, corners)
            wanted = set(by_scipy(x, mask)[:20].tolist())
            drawn = made.estimate(made.tiles.count_in_polygon(corners), 20)
            released = made.resolve(mask, 20)
            assert set(released.positions.tolist()) == wanted
            assert len(wanted & set(drawn.positions.tolist())) >= 18
            assert (drawn.is_exact, released.is_exact) == (False, True)
            assert drawn.n_cells == released.n_cells == mask.sum()


BRUSHES = [(0.0, 0.3), (0.2, 0.45), (0.333, 0.501), (0.5, 1.0), (0.05, 0.1)]
"""Parts of the axis of a histogram, from its lowest to its highest value."""


@pytest.mark.parametrize("column", [("obs", "n_counts"), ("obs", "n_genes"), ("var", "SYNG00000000001")])
def test_eighteen_of_the_first_twenty_genes_of_a_brush_are_those_of_welch(demo, column):
    with open_dataset(demo) as dataset:
        x = dataset.gather(rows=np.arange(dataset.n_obs)).dense(dataset.n_var)
        source, name = column
        values = dataset.numbers(name) if source == "obs" else dataset.vector(name).dense(dataset.n_obs)
        made = Sketched.make(dataset, None, ValueOrder.read(dataset, (*column, None)))
        low, high = float(values.min()), float(values.max())
        for start, stop in BRUSHES:
            ends = low + start * (high - low), low + stop * (high - low)
            mask = (values >= ends[0]) & (values <= ends[1])
            if mask.sum() < 30:
                continue
            wanted = set(by_scipy(x, mask)[:20].tolist())
            drawn, released = made.estimate(made.tiles.count_in_range(*ends), 20), made.resolve(mask, 20)
            assert set(released.positions.tolist()) == wanted
            assert len(wanted & set(drawn.positions.tolist())) >= 18
            assert drawn.n_cells == released.n_cells == mask.sum()


COLUMNS = {
    "numbers": np.random.default_rng(1).gamma(2, 3, 3_000).astype(np.float32),
    "mostly zero": np.random.default_rng(2).poisson(0.2, 3_000) * np.float32(0.7),
    "integers": np.random.default_rng(3).integers(-40, 900, 3_000),
    "few integers": np.random.default_rng(4).integers(0, 3, 3_000),
    "missing": np.where(np.arange(3_000) % 3, np.nan, np.arange(3_000)).astype(np.float32),
    "infinite": np.where(np.arange(3_000) % 5, np.arange(3_000), np.inf).astype(np.float32),
    "one value": np.full(3_000, 7, dtype=np.int32),
    "no value": np.full(3_000, np.nan, dtype=np.float32),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("most", [1, 3, 40, 256])
def test_cells_of_a_range_are_counted_in_the_runs_of_their_column_as_one_by_one(kind, most):
    values = COLUMNS[kind]
    obs = {"value": values}
    order = ValueOrder.read(ByRows(obs, np.zeros((3_000, 1), np.float32), ["gene"], {}), ("obs", "value", None))
    tiles = Tiles.of(order, most)
    assert len(tiles) - 1 <= most
    of_rows = tiles.of_rows()
    np.testing.assert_array_equal(np.bincount(of_rows, minlength=len(tiles)), tiles.n_cells)
    assert tiles.n_cells[-1] == np.isnan(values.astype(np.float64)).sum()
    # Equal values are in one run, so that a range cuts none between them.
    assert all(len(set(of_rows[values == one])) == 1 for one in np.unique(values[~np.isnan(values.astype(float))]))
    kept = np.random.default_rng(5).random(3_000) < 0.4
    for low, high in [(None, 3), (2, None), (0, 0), (1, 40.5), (-100, 10_000), (2_000, 1_000)]:
        inside = (values >= (-np.inf if low is None else low)) & (values <= (np.inf if high is None else high))
        wanted = np.bincount(of_rows[inside], minlength=len(tiles))
        np.testing.assert_array_equal(tiles.count_in_range(low, high), wanted)
        np.testing.assert_array_equal(tiles.count_in_mask(inside), wanted)
        some = np.bincount(of_rows[inside & kept], minlength=len(tiles))
        np.testing.assert_array_equal(tiles.only(kept).count_in_range(low, high), some)


def test_an_estimate_of_whole_tiles_is_exact():
    made = sketched(log_values(missing=False), ByRows)
    mask = np.isin(made.tiles.of_rows(), [1, 4])
    found = made.estimate(made.tiles.count_in_mask(mask), 10)
    assert found.is_exact
    np.testing.assert_array_equal(found.positions, by_scipy(log_values(missing=False), mask)[:10])


def test_cells_that_take_too_long_to_read_are_estimated(monkeypatch):
    made, mask = sketched(log_values(), ByRows), codes() == 0
    monkeypatch.setattr(quick, "_RIM_BYTES", 10)
    assert not made.resolve(mask, 5).is_exact
    monkeypatch.undo()
    assert made.resolve(mask, 5).is_exact
    made.dataset.is_remote = True
    assert not made.resolve(mask, 5).is_exact


# On disk.


@pytest.mark.parametrize("missing", [False, True])
def test_a_sketch_comes_back_from_disk_as_it_was(tmp_path, missing):
    made, store = sketched(log_values(missing=missing), ByRows), SketchStore(tmp_path)
    assert store.save(KEY, made.tiles, made.sketch)
    tiles, sketch = store.load(KEY, made.tiles.index, 42)
    np.testing.assert_array_equal(tiles.edges, made.tiles.edges)
    for name in ("n_cells", "sums", "squares", "above", "missing"):
        np.testing.assert_array_equal(getattr(sketch, name), getattr(made.sketch, name))
    assert (sketch.kind, sketch.is_normalized) == (made.sketch.kind, made.sketch.is_normalized)


def test_a_sketch_of_other_cells_or_genes_or_a_damaged_one_is_not_used(tmp_path):
    made, store = sketched(log_values(), ByRows), SketchStore(tmp_path)
    store.save(KEY, made.tiles, made.sketch)
    index = made.tiles.index
    assert store.load(KEY, SpatialIndex.build(places(seed=5)), 42) is None
    assert store.load(KEY, index, 41) is None
    path = tmp_path / f"{KEY}.cxgsketch"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:4096], b"x" + whole[1:], whole[:-5] + b"\x01" + whole[-4:], b""):
        path.write_bytes(damaged)
        assert SketchStore(tmp_path).load(KEY, index, 42) is None
    path.write_bytes(whole)
    assert store.load(KEY, index, 42) is not None


def test_nothing_is_written_through_a_link(tmp_path):
    made, store, other = sketched(log_values(), ByRows), SketchStore(tmp_path / "cache"), tmp_path / "other"
    other.write_text("mine")
    store.folder.mkdir()
    (store.folder / f"{KEY}.cxgsketch").symlink_to(other)
    assert not store.save(KEY, made.tiles, made.sketch)
    assert other.read_text() == "mine"
    assert store.load(KEY, made.tiles.index, 42) is None


def test_sketches_are_dropped_before_any_index(tmp_path):
    made = sketched(log_values(), ByRows)
    SketchStore(tmp_path).save(KEY, made.tiles, made.sketch)
    sketch = tmp_path / f"{KEY}.cxgsketch"
    xy = embedding()
    index, keys = SpatialIndex.build(xy), [index_key(str(at), 5_000, "umap", (0, 1)) for at in range(2)]
    IndexStore(tmp_path).save(keys[0], index)
    os.utime(tmp_path / f"{keys[0]}.cxgindex", (0, 0))
    size = (tmp_path / f"{keys[0]}.cxgindex").stat().st_size
    # The index is older, but only the sketch has to go.
    assert IndexStore(tmp_path, 2 * size + 10).save(keys[1], index)
    assert sorted(one.suffix for one in tmp_path.iterdir()) == [".cxgindex", ".cxgindex"]
    # And no index goes for a sketch.
    assert not SketchStore(tmp_path, 2 * size + 10).save(KEY, made.tiles, made.sketch)
    assert not sketch.exists()
    assert len(list(tmp_path.iterdir())) == 2


# Of the widget.


@pytest.fixture
def widgets(monkeypatch):
    made = []

    def make(dataset, **options):
        made.append(CxgWidget(dataset, **options))
        made[-1].front = Recorder(made[-1], monkeypatch)
        return made[-1]

    yield make
    for widget in made:
        widget.close()


def asked(widget, request_id, **request):
    """Return the answers to a request: each message with its numbers."""
    widget._handle_custom_msg({"id": request_id, **request}, [])
    return [
        (content, np.frombuffer(buffers[0], np.float32).reshape(5, -1) if content["kind"] == "quick" else None)
        for content, buffers in widget.front.settle().sent
        if content["id"] == request_id
    ]


def square(xy):
    (x0, y0), (x1, y1) = np.nanquantile(xy, 0.2, axis=0).tolist(), np.nanquantile(xy, 0.7, axis=0).tolist()
    return [x0, y0, x1, y0, x1, y1, x0, y1]


def test_the_page_and_python_have_the_same_numbers_as_markers(widgets, demo):
    w = widgets(demo)
    corners = square(w.dataset.embedding("umap"))
    ((first, _),) = asked(w, 1, kind="quick", polygon=corners, panel=0)
    assert not first["has_sketch"]
    assert not first["is_remote"]
    assert min(first["n_bytes"], first["read_bytes"]) > 0
    w._handle_custom_msg({"id": 2, "kind": "lasso", "polygon": corners, "mode": "replace", "panel": 0}, [])
    ((made, numbers),) = asked(w, 3, kind="sketch", panel=0)
    frame = w.quick_markers()
    told = w.markers(normalize=None).frame()
    n = int(w.selection.mask.sum())
    assert (made["has_sketch"], made["n_cells"], made["n_read"]) == (True, n, n)
    assert made["names"] == list(frame.index) == list(told.index[:20])
    columns = ["mean_a", "mean_b", "share_a", "share_b", "log2fc"]
    np.testing.assert_array_equal(numbers, frame[columns].to_numpy(np.float32).T)
    np.testing.assert_allclose(frame[columns], told.loc[frame.index, columns], rtol=1e-4, atol=1e-6)
    assert list(frame.columns) == [*columns, "exact"]
    assert frame["exact"].all()
    ((drawn, _),) = asked(w, 4, kind="quick", polygon=corners, panel=0)
    assert drawn["n_cells"] == n > drawn["n_read"] > 0
    ((still, exact),) = asked(w, 5, kind="quick", polygon=corners, is_released=True, panel=0)
    assert (still["n_read"], still["names"]) == (n, made["names"])
    np.testing.assert_array_equal(exact, numbers)
    assert not any(content["kind"] == "error" for content, _ in w.front.sent)
    assert [content["done"] for content, _ in w.front.sent if content["kind"] == "progress"][-1] == 1


def test_a_second_widget_finds_the_sketch_on_disk_and_reads_no_matrix(widgets, demo, cache, monkeypatch):
    assert widgets(demo).quick_markers(np.arange(900)).shape == (20, 6)
    assert [one.suffix for one in cache.rglob("*.cxgsketch")] == [".cxgsketch"]
    w = widgets(open_dataset(demo))
    monkeypatch.setattr(Sketched, "make", None)
    ((drawn, _),) = asked(w, 4, kind="quick", polygon=square(w.dataset.embedding("umap")), panel=0)
    assert drawn["has_sketch"]


@pytest.mark.parametrize("hides", [False, True])
def test_a_shape_means_the_cells_that_a_lasso_selects(widgets, demo, hides):
    w = widgets(demo, color="cell_type")
    asked(w, 9, kind="sketch", panel=0)
    if hides:
        w.hidden = ["NK cell"]
    w.filters["condition"] = [w.dataset.codes("condition").categories[0]]
    corners = square(w.dataset.embedding("umap"))
    ((drawn, _),) = asked(w, 1, kind="quick", polygon=corners, panel=0)
    ((still, _),) = asked(w, 3, kind="quick", polygon=corners, is_released=True, panel=0)
    w._handle_custom_msg({"id": 2, "kind": "lasso", "polygon": corners, "mode": "replace", "panel": 0}, [])
    w.front.settle()
    assert drawn["n_cells"] == still["n_cells"] == still["n_read"] == w.selection.mask.sum() > 0


def test_a_panel_in_another_embedding_has_a_sketch_of_its_own_in_the_layer_of_the_plot(widgets):
    obs, read = {"type": Codes(codes(), ("A", "B", "C"))}, {"umap": places(), "other": places(seed=9)}
    w = widgets(ByRows(obs, log_values(), [f"gene {at}" for at in range(42)], read))
    w.panel(embedding="other")
    (panel,) = [one["id"] for one in w._session.settings.panels if one.get("embedding") == "other"]
    assert asked(w, 1, kind="sketch", panel=0)[0][0]["has_sketch"]
    corners = square(read["other"])
    assert not asked(w, 2, kind="quick", polygon=corners, panel=panel)[0][0]["has_sketch"]
    assert asked(w, 3, kind="sketch", panel=panel)[0][0]["has_sketch"]
    ((drawn, _),) = asked(w, 4, kind="quick", polygon=corners, panel=panel)
    assert drawn["n_cells"] == in_polygon(read["other"], np.reshape(corners, (-1, 2))).sum()


def test_a_sketch_is_cancelled_and_then_made_again(widgets):
    dataset, begun, go_on = dataset_of(log_values(), InSteps), Event(), Event()
    dataset.hold = lambda: (begun.set(), go_on.wait(20))
    w = widgets(dataset)
    w._handle_custom_msg({"id": 1, "kind": "sketch", "panel": 0}, [])
    assert begun.wait(20)
    w._handle_custom_msg({"id": 2, "kind": "cancel", "of": "sketch", "panel": 0}, [])
    go_on.set()
    (content,) = [content for content, _ in w.front.settle().sent if content["id"] == 1]
    assert (content["kind"], content["type"]) == ("error", "Overtaken")
    assert not asked(w, 3, kind="quick", polygon=[], panel=0)[0][0]["has_sketch"]
    assert asked(w, 4, kind="sketch", panel=0)[0][0]["has_sketch"]


class InSteps(InParts):
    """Calls `hold` before each part."""

    hold = staticmethod(lambda: None)

    def rows_of(self, rows=None, layer=None, **more):
        for block in super().rows_of(rows, layer, **more):
            self.hold()
            yield block


def test_what_cannot_be_ranked_is_refused_in_a_sentence(widgets, monkeypatch):
    w = widgets(dataset_of(log_values()))
    with pytest.raises(SelectionError, match=re.escape("the selection is empty; w.quick_markers({column: values})")):
        w.quick_markers()
    for n in (0, -1, 1.5, True, "20"):
        with pytest.raises(InvalidValue, match="n takes a whole number from 1 on; found"):
            w.quick_markers({"type": "A"}, n)
    with monkeypatch.context() as patch:
        patch.setattr(type(w._session.loader), "is_elsewhere", True)
        patch.setattr("cxg_widget.session.analysis.quick_markers._MOST_HERE", 200)
        with pytest.raises(InvalidOption, match=rf"at most 200; found {N_OBS:,}\. w\.markers\(\) has no limit\."):
            w.quick_markers({"type": "A"})
    assert len(w.quick_markers({"type": "A"}, 7)) == 7
    w.close()
    with pytest.raises(ClosedDataset):
        w.quick_markers({"type": "A"})


def test_scaled_values_have_no_fold_change(widgets):
    x = log_values(missing=False) - np.float32(0.5)
    frame = widgets(dataset_of(x)).quick_markers({"type": "A"})
    assert frame["log2fc"].isna().all()
    assert not frame["mean_a"].isna().any()
    one = replace(sketched(x, ByRows).sketch.kind, kind="log1p")
    assert not np.isnan(replace(sketched(x, ByRows), sketch=replace(sketched(x, ByRows).sketch, kind=one)).resolve(
        codes() == 0, 3).log2fc).any()  # fmt: skip


def test_a_polygon_of_half_a_corner_is_refused(widgets):
    w = widgets(dataset_of(log_values()))
    w.quick_markers(codes() == 0)
    ((answer, _),) = asked(w, 1, kind="quick", polygon=[0.0, 1.0, 2.0], panel=0)
    assert answer["message"] == "a lasso must list x and y of each corner; found 3 numbers"


@pytest.mark.parametrize("others", [[], [{"not": {"obs": "cell_type", "in": ["NK cell"]}}]])
def test_a_brush_means_the_cells_that_its_filter_keeps(widgets, demo, others):
    w = widgets(demo)
    rule = {"obs": "n_counts", "range": [float(np.quantile(w.dataset.numbers("n_counts"), 0.3)), None]}
    # The filter that the brush is about to replace does not count.
    w.filters = [*others, {"obs": "n_counts", "range": [None, 0.5]}]
    ((missing, _),) = asked(w, 1, kind="quick", polygon=[], rule=rule, panel=0)
    assert not missing["has_sketch"]
    ((made, numbers),) = asked(w, 2, kind="sketch", rule=rule, panel=0)
    ((drawn, _),) = asked(w, 3, kind="quick", polygon=[], rule=rule, panel=0)
    w.filters = [*others, rule]
    told = w.markers("filter", normalize=None).frame()
    n = int(w.filters.mask.sum())
    assert (made["has_sketch"], made["n_cells"], made["n_read"]) == (True, n, n)
    assert drawn["n_cells"] == n
    assert made["names"] == list(told.index[:20])
    columns = ["mean_a", "mean_b", "share_a", "share_b", "log2fc"]
    np.testing.assert_allclose(numbers.T, told.loc[made["names"], columns], rtol=1e-3, atol=1e-5)
    before = w._session.comparisons._made
    asked(w, 4, kind="compare", a="filter", b="rest", method="t-test", normalize=True, within="filter")
    after = w._session.comparisons._made
    assert after is not before
    np.testing.assert_array_equal(after.found.frame()["statistic"], told["statistic"])


def test_cells_of_one_column_are_exact_by_its_sketch_though_no_cell_is_read(widgets, demo, monkeypatch):
    w = widgets(demo)
    monkeypatch.setattr(quick, "_RIM_BYTES", -1)
    for rule in ({"cell_type": ["NK cell", "platelet"]}, {"not": {"obs": "sex", "in": ["male"]}}):
        frame, told = w.quick_markers(rule), w.markers(rule, normalize=None).frame()
        assert frame["exact"].all()
        assert list(frame.index) == list(told.index[:20])
    assert not w.quick_markers(np.arange(900))["exact"].any()


def test_a_rule_of_several_columns_or_categories_is_no_brush(widgets, demo):
    w = widgets(demo)
    for at, rule in enumerate(({"obs": "sex", "in": ["male"]}, {"and": [{"obs": "n_counts", "range": [1, 2]}]})):
        ((answer, _),) = asked(w, at, kind="quick", polygon=[], rule=rule, panel=0)
        assert answer["message"].startswith(
            "a brush moves over a range of numbers, {obs, range} or {var, range}; found"
        )


@pytest.mark.parametrize(
    "name", ["demo.cxg", "cells.h5ad", "cells.zarr", "my_atlas", "sample", "cite.h5mu", "run.mzpeak", "cells.parquet"]
)
def test_every_kind_of_store_with_genes_has_the_genes_of_its_markers(widgets, tmp_path, name):
    dataset = open_dataset(put(tmp_path, name))
    w = widgets(dataset)
    half = np.arange(dataset.n_obs) % 2 == 0
    if not dataset.n_var:
        with pytest.raises(InvalidValue, match=r"has no .* to compare by"):
            w.quick_markers(half)
        return
    frame = w.quick_markers(half, 20)
    normalize = "log1p_10k" if w._session.quick._held[False][1].sketch.is_normalized else None
    told = w.markers(half, normalize=normalize, layer=w.layer).frame()
    columns = ["mean_a", "mean_b", "share_a", "share_b"]
    assert frame["exact"].all()
    np.testing.assert_allclose(frame[columns], told.loc[frame.index, columns], rtol=1e-3, atol=1e-5)
    n = min(20, int(told["statistic"].notna().sum()))
    assert len(set(frame.index) & set(told.index[:n])) >= n - 2
