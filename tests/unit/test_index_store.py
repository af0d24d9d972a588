"""Laws of the indexes kept on disk: what is read is what was written, or nothing."""

import json
import logging
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.cells import local
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.files.writing import writing
from cxg_widget.session.session import Session
from cxg_widget.spatial import IndexStore, SpatialIndex, index_key
from cxg_widget.spatial import cache_folder as places
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.spatial.polygon import in_polygon
from tests.datasets.make_cxg import make_cxg, make_truth

KEY = index_key("file:///a.cxg@1", 5_000, "X_umap", (0, 1))


def embedding(n=5_000, seed=0):
    xy = np.random.default_rng(seed).normal(size=(n, 2)).astype(np.float32)
    xy[::50] = np.nan
    return xy


@pytest.fixture
def store(tmp_path):
    return IndexStore(tmp_path / "deep" / "folder", 1 << 20)


def only_file(store):
    (path,) = store.folder.iterdir()
    return path


def age(store, key, seconds):
    path = store.folder / f"{key}.cxgindex"
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - seconds))


@pytest.mark.parametrize("n", [0, 1, 2, 50, 5_000])
def test_what_is_loaded_answers_as_what_was_saved(store, n):
    xy = embedding(n)
    index = SpatialIndex.build(xy)
    assert store.save(KEY, index)
    loaded = store.load(KEY, xy)
    np.testing.assert_array_equal(loaded.rows, index.rows)
    np.testing.assert_array_equal(loaded.xy, xy[index.rows])
    np.testing.assert_array_equal(loaded.tree.offsets, index.tree.offsets)
    assert (loaded.n_obs, loaded.extent, loaded.tree.grid) == (index.n_obs, index.extent, index.tree.grid)
    assert loaded.rows.dtype == np.uint32
    assert loaded.xy.dtype == np.float32
    triangle = np.array([[-1, -1], [2, 0], [0, 2.0]])
    np.testing.assert_array_equal(loaded.polygon_mask(triangle), in_polygon(xy, triangle))


def test_nothing_is_loaded_where_nothing_was_saved(store):
    assert store.load(KEY, embedding()) is None


def test_a_change_of_any_one_coordinate_is_noticed(store):
    xy = embedding()
    store.save(KEY, SpatialIndex.build(xy))
    rng = np.random.default_rng(1)
    for row in rng.integers(0, len(xy), 40):
        changed = xy.copy()
        changed[row, rng.integers(2)] = 0.123
        assert store.load(KEY, changed) is None
    swapped = xy.copy()
    swapped[[3, 4]] = xy[[4, 3]]
    assert store.load(KEY, swapped) is None
    assert store.load(KEY, xy[:-1]) is None
    assert store.load(KEY, xy) is not None


def test_a_file_under_the_name_of_another_is_refused(store):
    xy = embedding()
    store.save(KEY, SpatialIndex.build(xy))
    other = index_key("another", 5_000, "X_umap", (0, 1))
    only_file(store).rename(store.folder / f"{other}.cxgindex")
    assert store.load(other, xy) is None


def _header(text):
    return (b"CXGINDEX" + text).ljust(4096)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:100],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"XXXXXXXX" + data[8:],
        lambda data: _header(b"{") + data[4096:],
        lambda data: _header(b"[]") + data[4096:],
        lambda data: _header(b"{}") + data[4096:],
        lambda data: _header(b"\xff\xfe") + data[4096:],
        lambda data: data.replace(b'"version": 2', b'"version": 9', 1),
        lambda data: data.replace(b'"extent": [', b'"extent":[ ', 1).replace(b'"axes": [[-', b'"axes": [[ ', 1),
        lambda data: data.replace(b'"checksum": ', b'"checksun": ', 1),
        lambda data: data.replace(b'"n": 4900', b'"n": -900', 1),
        lambda data: data.replace(b'"n": 4900', b'"n": 1e99', 1),
        lambda data: data.replace(b'"n": 4900', b'"n": null', 1),
        lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
        lambda data: data[:4096] + bytes(len(data) - 4096),
        lambda data: data[:-1024] + bytes(1020) + data[-4:],  # tiles that begin nowhere
        lambda data: data[:-1024] + data[-1020:] + data[-4:],  # each tile where the next one begins
    ],
)
def test_a_damaged_file_is_as_good_as_none(store, damage):
    xy = embedding()
    store.save(KEY, SpatialIndex.build(xy))
    path = only_file(store)
    whole = path.read_bytes()
    assert damage(whole) != whole
    path.write_bytes(damage(whole))
    assert store.load(KEY, xy) is None
    assert store.save(KEY, SpatialIndex.build(xy))
    assert store.load(KEY, xy) is not None


@pytest.mark.parametrize("seed", range(8))
def test_whatever_changes_in_a_file_it_is_built_anew_and_never_answered_from(store, seed):
    xy, rng = embedding(), np.random.default_rng(seed)
    index = SpatialIndex.build(xy)
    store.save(KEY, index)
    path = only_file(store)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    used = np.flatnonzero(whole[:4096] != ord(" ")).size  # of the header; then come rows, coordinates and offsets
    rows, coordinates = slice(4096, 4096 + 4 * index.n), slice(4096 + 4 * index.n, whole.size)
    for part in (slice(8, used), rows, coordinates):
        changed = whole.copy()
        places = rng.choice(np.arange(whole.size)[part], 1 + seed % 2 * 100, replace=False)
        changed[places] ^= rng.integers(1, 256, places.size).astype(np.uint8)
        filling = (places > 4096 + 4 * index.n) & (whole[places] == 0)
        path.write_bytes(changed.tobytes())
        loaded = store.load(KEY, xy)
        assert loaded is None or filling.any()
        if loaded is not None:  # only zeros between two arrays have changed
            np.testing.assert_array_equal(loaded.rows, index.rows)
            np.testing.assert_array_equal(loaded.xy, index.xy)
            np.testing.assert_array_equal(loaded.tree.offsets, index.tree.offsets)


def test_the_header_is_json_and_nothing_is_pickled(store):
    store.save(KEY, SpatialIndex.build(embedding()))
    header = json.loads(only_file(store).read_bytes()[8:4096])
    assert header["key"] == KEY
    assert header["n_obs"] == 5_000


def test_keys_differ_with_each_of_their_parts():
    parts = [("a", 1, "X", (0, 1)), ("b", 1, "X", (0, 1)), ("a", 2, "X", (0, 1)), ("a", 1, "Y", (0, 1))]
    assert len({index_key(*one) for one in [*parts, ("a", 1, "X", (1, 0)), ('a", 1', 1, "X", (0, 1))]}) == 6


def test_the_least_recently_used_goes_first(tmp_path):
    xy = embedding()
    index = SpatialIndex.build(xy)
    one = IndexStore(tmp_path, 1 << 30)
    one.save("a", index)
    size = only_file(one).stat().st_size
    store = IndexStore(tmp_path, 3 * size + 10)
    for i, key in enumerate("bc"):
        store.save(key, index)
        age(store, key, 50 - 10 * i)
    age(store, "a", 100)
    assert store.load("a", xy) is not None  # now b is the oldest
    store.save("d", index)
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "c", "d"}


def test_what_is_larger_than_the_limit_is_not_kept_and_removes_nothing(tmp_path):
    small = SpatialIndex.build(embedding(100))
    store = IndexStore(tmp_path, 20_000)
    assert store.save("small", small)
    assert not store.save("large", SpatialIndex.build(embedding()))
    assert [path.stem for path in tmp_path.iterdir()] == ["small"]


def test_zero_bytes_keep_nothing_and_touch_no_disk(tmp_path):
    store = IndexStore(tmp_path / "never", 0)
    xy = embedding(50)
    assert not store.save(KEY, SpatialIndex.build(xy))
    assert store.load(KEY, xy) is None
    assert not (tmp_path / "never").exists()


def test_a_folder_that_cannot_be_written_costs_one_log_line(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    store = IndexStore(tmp_path / "file" / "folder", 1 << 20)
    index = SpatialIndex.build(embedding(50))
    with caplog.at_level(logging.INFO, "cxg_widget"):
        assert not store.save(KEY, index)
        assert not store.save(KEY, index)
        assert store.load(KEY, embedding(50)) is None
    assert len(caplog.records) == 1


def test_a_full_disk_leaves_nothing_behind(store, monkeypatch):
    def fail(file, key, index):
        file.write(b"some")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cxg_widget.spatial.index_store.write_index", fail)
    assert not store.save(KEY, SpatialIndex.build(embedding(50)))
    assert list(store.folder.iterdir()) == []


def test_what_dead_writers_left_is_removed_and_what_others_write_is_not(store):
    store.folder.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    with writing(store.folder / "other.cxgindex", replaces=True) as place:
        new = place.folder
        old = new.with_name(new.name.replace(f"-{os.getpid()}-", f"-{dead.pid}-"))
        old.mkdir()
        (old / "other.cxgindex").write_bytes(b"half")
        place.partial.write_bytes(b"half")
        save_beside(store, old, new)


def save_beside(store, old, new):
    store.save(KEY, SpatialIndex.build(embedding(50)))
    assert not old.exists()
    assert new.exists()


def test_files_of_others_in_the_folder_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    IndexStore(tmp_path, 20_000).save(KEY, SpatialIndex.build(embedding(50)))
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be removed there")
def test_an_index_stays_readable_after_its_file_was_removed(store):
    xy = embedding()
    store.save(KEY, SpatialIndex.build(xy))
    loaded = store.load(KEY, xy)
    only_file(store).unlink()
    assert loaded.count((-9, 9, -9, 9)) == np.isfinite(xy).all(axis=1).sum()


def _save_many(folder, seed):
    xy = embedding(2_000, seed)
    index = SpatialIndex.build(xy)
    store = IndexStore(Path(folder), 70_000)  # holds one or two of them
    for i in range(30):
        key = f"{(seed + i) % 3}" * 40
        store.save(key, index)
        loaded = store.load(key, xy)
        assert loaded is None or np.array_equal(loaded.rows, index.rows)


@pytest.mark.slow
def test_processes_that_share_a_folder_never_read_half_a_file(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_save_many, args=(str(tmp_path), seed)) for seed in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert not list(tmp_path.glob("*.partial"))


def test_the_fingerprint_does_not_depend_on_the_layout_in_memory():
    wide = np.random.default_rng(0).normal(size=(9_000, 4)).astype(np.float32)
    assert fingerprint(wide[:, ::3]) == fingerprint(wide[:, ::3].copy())
    assert fingerprint(wide[:, :2]) != fingerprint(wide[:, 1::-1])


def test_the_environment_chooses_folder_and_bytes(monkeypatch, tmp_path):
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("CXG_WIDGET_CACHE_BYTES", "12_345")
    store = IndexStore()
    assert (store.folder, store.limit_bytes) == (tmp_path, 12_345)


@pytest.mark.parametrize("wrong", ["many", "-1", "1.5", "٣"])
def test_a_number_of_bytes_that_is_none_means_the_default(monkeypatch, wrong):
    monkeypatch.setenv("CXG_WIDGET_CACHE_BYTES", wrong)
    assert places.cache_bytes() == 4 * 2**30


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x/cache"}, "/x/cache/cxg-widget"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/cxg-widget"),
        ("linux", {}, "/home/me/.cache/cxg-widget"),
        ("darwin", {}, "/home/me/Library/Caches/cxg-widget"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/cxg-widget"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths of the others")
def test_each_platform_has_its_folder(monkeypatch, platform, variables, expected):
    for name in ("CXG_WIDGET_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(places.sys, "platform", platform)
    assert places.cache_folder() == Path(expected)


def test_without_a_home_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("CXG_WIDGET_CACHE_DIR", raising=False)
    monkeypatch.setattr(places, "_user_caches", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    store = IndexStore()
    assert store.folder is None
    assert not store.save(KEY, SpatialIndex.build(embedding(50)))
    assert store.load(KEY, embedding(50)) is None


def test_a_lasso_over_a_damaged_index_selects_the_right_cells_and_the_index_is_kept_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(local, "_KEPT_FROM", 0)
    truth = make_truth(3_000, 6)
    store = str(make_cxg(tmp_path / "s.cxg", truth, "columns"))
    triangle = np.array([[-1, -1], [2, 0], [0, 2.0]])
    expected = in_polygon(truth.embeddings["umap"].astype(np.float32), triangle)
    seen = []
    for _ in range(3):
        with open_dataset(store) as dataset:
            session = Session(dataset, Settings(embedding="umap", render="raster"))
            session.prepare_index()
            np.testing.assert_array_equal(session.polygon_mask(triangle), expected)
            session.close()
        (path,) = (tmp_path / "cache").glob("*.cxgindex")
        seen.append(path.read_bytes())
        damaged = np.frombuffer(seen[-1], dtype=np.uint8).copy()
        damaged[4096 : 4096 + 4_000] = np.roll(damaged[4096 : 4096 + 4_000], 4)  # 1,000 rows in each other's places
        path.write_bytes(damaged.tobytes())
    assert seen[0] == seen[1] == seen[2]
