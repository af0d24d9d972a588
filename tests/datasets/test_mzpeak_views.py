"""A view of the map of all peaks is drawn from its own row groups before anything else of them has been read."""

from __future__ import annotations

import io
import threading
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.cells import local
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tables import parquet_table as tables
from cxg_widget.display.settings import Settings
from cxg_widget.errors import DamagedStore, Overtaken
from cxg_widget.session.session import Session
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire import protocol as p
from tests.datasets.make_mzpeak import make_mzpeak, make_run, peaks_truth
from tests.stills import painter_of, still_png

SIZE = (60, 50)
LAYOUTS = ("point", "delta", "slof")


@pytest.fixture(scope="module")
def run():
    return make_run(400)


@pytest.fixture(scope="module")
def paths(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mz")
    return {one: make_mzpeak(folder / f"{one}.mzpeak", run, one, rows_per_group=500) for one in LAYOUTS}


@pytest.fixture
def view(run):
    """A twentieth of the time, and m/z between."""
    time = run.meta["retention_time"]
    return float(time.quantile(0.5)), float(time.quantile(0.55)), 250.0, 800.0


@pytest.fixture
def reads(monkeypatch):
    """Row groups of points that were read, in order; bounds of chunks are not points."""
    seen: list[int] = []
    batches = tables.ParquetTable.batches

    def spied(self, columns, group, values_per_row=1.0):
        if self.name == "spectra_data.parquet" and any("intensity" in column for column in columns):
            seen.append(group)
        return batches(self, columns, group, values_per_row)

    monkeypatch.setattr(tables.ParquetTable, "batches", spied)
    return seen


@pytest.fixture
def session(paths):
    opened = []

    def start(layout="delta", **settings):
        opened.append(open_dataset(paths[layout], observations="peaks"))
        return Session(
            opened[-1], Settings(**{"embedding": "peaks", "color": "log1p_intensity", "max_points": 300, **settings})
        )

    yield start
    for one in opened:
        one.close()


def ask(one, view, size=SIZE, highlighted=-1, diameter=1.0):
    settings = one.settings
    message = p.Aggregate(
        list(view),
        *size,
        diameter,
        highlighted,
        False,
        list(settings.hidden),
        settings.density,
        float(settings.statistic == "max"),
        filtered=settings.filtered,
    )
    return list(one.answer(message))


def is_indexed(one):
    return one.loader.of(one.settings).index_if_built() is not None


def contents(frames):
    """Return what an answer shows."""
    about = [
        {key: value for key, value in vars(one.message).items() if key not in ("points_seq", "seq")} for one in frames
    ]
    return about, [{name: array.tobytes() for name, array in one.arrays.items()} for one in frames]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("color", ["intensity", "log1p_intensity"])
def test_a_view_before_the_index_has_the_sums_of_its_peaks_and_no_others(session, run, view, layout, color):
    one = session(layout, color=color, render="raster", statistic="mean", max_points=10**6)
    (frame,) = ask(one, view)
    assert not is_indexed(one)
    truth = peaks_truth(run, layout).obs
    x, y = (truth[name].to_numpy(np.float32).astype(float) for name in ("retention_time", "mz"))
    values = truth[color].to_numpy(np.float64)
    inside = (x >= view[0]) & (x <= view[1]) & (y >= view[2]) & (y <= view[3])
    assert frame.message.n_inside == inside.sum() > 50
    bins = {"bins": SIZE[::-1], "range": (view[2:], view[:2])}
    counts = np.histogram2d(y[inside], x[inside], **bins)[0][::-1]
    sums = np.histogram2d(y[inside], x[inside], **bins, weights=values[inside])[0][::-1]
    pixels = np.asarray(Image.open(io.BytesIO(frame.arrays["png"].tobytes()))).astype(int)
    np.testing.assert_array_equal(pixels[..., 2] > 0, counts > 0)
    lo, hi = values.min(), values.max()
    found = lo + (pixels[..., 0] * 256 + pixels[..., 1]) / 65_534 * (hi - lo)
    expected = sums / np.maximum(counts, 1)
    np.testing.assert_allclose(found[counts > 0], expected[counts > 0], atol=1.01 * (hi - lo) / 65_534)


LOOKS = (
    {}, {"render": "raster"}, {"render": "raster", "color": None}, {"render": "raster", "color": "intensity"},
    {"render": "raster", "statistic": "max", "density": "log"}, {"color": "ms_level"}, {"color": None},
    {"render": "raster", "color": "ms_level", "hidden": ("1",)}, {"color": "ms_level", "hidden": ("2",)},
    {"render": "raster", "color": "var:mz"}, {"render": "raster", "vmax": "p90"},
    {"render": "raster", "axes": (1, 0)}, {"render": "raster", "axes": (1, 1)},
)  # fmt: skip
GREY = tuple(
    {"render": render, "color": color, "filters": ({"obs": "mz", "range": [400.0, None]},), "filtered": "grey"}
    for render, color in (("raster", "log1p_intensity"), ("raster", "ms_level"), ("raster", None), ("auto", "ms_level"))
)


@pytest.mark.parametrize(
    ("layout", "settings", "diameter"),
    [(LAYOUTS[turn % len(LAYOUTS)], look, (1.0, 9.0)[turn % 2]) for turn, look in enumerate(LOOKS)]
    + [("delta", look, 3.0) for look in GREY],
    ids=str,
)
def test_the_index_takes_over_without_any_change(session, view, layout, settings, diameter):
    one = session(layout, **settings)
    if settings.get("axes") == (1, 0):
        view = (*view[2:], *view[:2])
    elif "axes" in settings:
        view = (450.0, 455.0, 450.0, 455.0)
    one.select(np.arange(one.dataset.n_obs) % 3 == 0)
    options = {
        "highlighted": 1 if settings.get("color") == "ms_level" and layout == "point" else -1,
        "diameter": diameter,
    }
    before = contents(ask(one, view, **options))
    assert is_indexed(one) == ("axes" in settings and settings["axes"] == (1, 1))
    one.prepare()
    one.prepare_index()
    assert is_indexed(one)
    assert contents(ask(one, view, **options)) == before


def test_a_small_view_reads_few_row_groups_and_the_same_view_none_again(session, view, reads):
    one = session()
    n_groups = one.dataset.details["row_groups"]["spectra_data.parquet"]
    reads.clear()
    ask(one, view)
    assert 1 <= len(set(reads)) < n_groups / 4
    reads.clear()
    x0, x1, y0, y1 = view
    ask(one, (x0 + 0.1 * (x1 - x0), x1, y0, y1))
    assert reads == []


def test_a_view_of_much_of_the_file_waits_for_the_index(session, run, view):
    one = session()
    ask(one, (0.0, 10.0, *view[2:]))
    assert is_indexed(one)


def test_a_view_may_lie_beside_all_peaks(session):
    one = session(render="raster")
    (frame,) = ask(one, (1e299, 2e299, -2e299, -1e299))
    assert (frame.message.n_inside, is_indexed(one)) == (0, False)


@pytest.mark.parametrize("layout", ["point", "delta"])
@pytest.mark.parametrize("color", ["log1p_intensity", "intensity", "ms_level"])
def test_limits_and_bounds_are_told_before_the_peaks_are_read(session, run, layout, color, reads):
    one = session(layout, color=color)
    reads.clear()  # chunks that begin with a null are counted by decoding
    color_frames, point_frames = one.streams.color(), one.streams.points()
    preview, outline = next(color_frames).message, next(point_frames).message
    assert reads == []
    assert (outline.start, outline.stop, outline.n_points, outline.aggregated) == (0, 0, 300, True)
    legend, points = next(color_frames).message, next(point_frames).message
    assert legend.seq == preview.seq + 1
    told = ("lo", "hi", "is_stated", "categories", "colors", "scale", "name", "n_points")
    assert all(getattr(legend, name) == getattr(preview, name) for name in told)
    assert (points.seq, points.extent, points.stop) == (outline.seq, outline.extent, 300)
    truth = peaks_truth(run, layout).obs
    ends = [end for name in ("retention_time", "mz") for end in (truth[name].min(), truth[name].max())]
    np.testing.assert_allclose(outline.extent, ends, rtol=1e-3)  # the last spectra may have no peaks
    if color in ("intensity", "log1p_intensity"):
        assert (preview.lo, preview.hi) == (truth[color].min(), truth[color].max())
        assert preview.is_stated
    else:
        assert legend.counts == truth["ms_level"].value_counts(sort=False).tolist()
        assert preview.counts == []


def test_an_answer_shows_the_coloring_that_was_told_last(session, view):
    one = session()
    color_frames, point_frames = one.streams.color(), one.streams.points()
    for stream in (color_frames, point_frames, color_frames):
        message = next(stream).message
        if message.kind == "color":
            assert ask(one, view)[0].message.seq == message.seq


def test_where_no_limits_are_stated_the_legend_comes_once_the_peaks_have_been_read(session, run):
    one = session("slof")
    legend = next(one.streams.color()).message
    truth = peaks_truth(run, "slof").obs["log1p_intensity"]
    assert (legend.lo, legend.hi) == pytest.approx((truth.min(), truth.max()))
    assert one.dataset.stated_values("log1p_intensity") is None
    assert not legend.is_stated


def test_statistics_that_lie_are_not_believed(paths, view, monkeypatch):
    with open_dataset(paths["delta"], observations="peaks") as dataset:
        low, high = dataset.stated_values("intensity")
        monkeypatch.setattr(dataset.by_view, "values", lambda column: (low, high / 100))
        one = Session(dataset, Settings(embedding="peaks", color="intensity", max_points=300))
        before = ask(one, view)
        assert is_indexed(one)
        assert not next(one.streams.color()).message.is_stated
        monkeypatch.undo()
        assert contents(ask(one, view)) == contents(before)


@pytest.mark.parametrize("color", ["log1p_intensity", "ms_level", "spectrum_index"])
def test_coordinates_and_colors_take_one_pass(session, run, color, reads):
    one = session(color=color)
    n_groups = one.dataset.details["row_groups"]["spectra_data.parquet"]
    reads.clear()
    told = []
    one.dataset.tell_progress_to(told.append)
    threads = [
        threading.Thread(target=work) for work in (one.prepare, one.prepare_index, lambda: list(one.streams.show()))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(reads) == list(range(n_groups))
    assert told == [(group + 1) / n_groups for group in range(n_groups)]
    truth = peaks_truth(run, "delta")
    data = one.coloring().data
    values = data.codes + 1 if color == "ms_level" else data.vector.values
    np.testing.assert_allclose(values, truth.obs[color].to_numpy(float), rtol=1e-6)
    found = one.loader.of(one.settings).coordinates(np.arange(one.dataset.n_obs))
    np.testing.assert_array_equal(found, truth.embeddings["peaks"].astype(np.float32))
    reads.clear()
    one.settings = replace(one.settings, color="intensity")
    one.coloring()
    assert sorted(reads) == list(range(n_groups))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_colors_of_a_crowd_span_what_is_stated_and_else_what_is_shown(session, view, layout):
    one = session(layout)
    one.coloring()
    limits = painter_of(one, view, SIZE).describe().limits
    assert (limits is None) == (one.dataset.stated_values("log1p_intensity") is not None)
    assert (limits is None) == (layout != "slof")


def test_the_picture_for_readers_without_a_kernel_is_of_the_view_alone(paths, view, reads, monkeypatch):
    monkeypatch.setattr(Session, "prepare", lambda self: None)
    monkeypatch.setattr(Session, "prepare_index", lambda self: None)
    w = CxgWidget(paths["delta"], observations="peaks", view=list(view), max_points=300)
    try:
        n_groups = w.dataset.details["row_groups"]["spectra_data.parquet"]
        reads.clear()
        w._send_early()
        still = w._picture.drawn()
        assert still["image/png"]
        assert 1 <= len(set(reads)) < n_groups / 4
        png = still_png(w._session, tuple(view), (200, 150))
        ink = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
        assert (np.abs(ink - ink[0, 0]).sum(axis=2) > 30).mean() > 0.01
    finally:
        w.close()


def test_damage_elsewhere_leaves_the_view_and_is_one_sentence_where_it_is_met(run, view, tmp_path):
    whole = make_mzpeak(tmp_path / "a", run, "point", rows_per_group=500, folder=True)
    with open_dataset(whole, observations="peaks") as dataset:
        expected = contents(ask(Session(dataset, Settings(embedding="peaks", color="intensity", max_points=300)), view))
    data = whole / "spectra_data.parquet"
    content = bytearray(data.read_bytes())
    content[300:1500] = bytes(1200)
    data.write_bytes(content)
    with open_dataset(whole, observations="peaks") as dataset:
        one = Session(dataset, Settings(embedding="peaks", color="intensity", max_points=300))
        assert contents(ask(one, view)) == expected
        with pytest.raises(DamagedStore) as failure:
            ask(one, (0.0, 10.0, 0.0, 2000.0))
        assert "cannot be read as Parquet" in str(failure.value)
        assert "\n" not in str(failure.value)
        told = [frame.message for frame in one.streams.show() if frame.message.kind == "error"]
        assert {message.of for message in told} == {"color", "points"}
        with pytest.raises(DamagedStore):
            ask(one, (0.0, float(run.meta["retention_time"].quantile(0.05)), 0.0, 2000.0))
        assert contents(ask(one, view)) == expected


def test_a_newer_question_does_not_wait_for_the_index_that_an_older_one_waits_for(session, view, monkeypatch):
    one = session()
    began, may_end = threading.Event(), threading.Event()
    build = SpatialIndex.build

    def slow(xy, **options):
        if len(xy) == one.dataset.n_obs:
            began.set()
            assert may_end.wait(30)
        return build(xy, **options)

    monkeypatch.setattr(SpatialIndex, "build", slow)
    outcome = []

    def ask_for_all():
        try:
            outcome.append(ask(one, (0.0, 10.0, 100.0, 1000.0)))
        except Overtaken as error:
            outcome.append(error)

    asking = threading.Thread(target=ask_for_all)
    asking.start()
    assert began.wait(30)
    n_inside = ask(one, view)[0].message.n_inside
    asking.join(30)
    assert n_inside > 50
    assert isinstance(outcome[0], Overtaken)
    assert not is_indexed(one)
    may_end.set()
    assert ask(one, (0.0, 10.0, 100.0, 1000.0))[0].message.kind in ("image", "cells")
    assert is_indexed(one)


def test_no_more_rows_are_read_for_a_view_than_the_limit(session, view, monkeypatch):
    monkeypatch.setattr(local, "NEAR_ROWS", 10)
    one = session()
    ask(one, view)
    assert is_indexed(one)
