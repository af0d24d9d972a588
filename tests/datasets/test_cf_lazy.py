"""Opening a dataspace reads schemas and metadata only, and each method what it returns: counted, not timed."""

from __future__ import annotations

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base import column_values
from cxg_widget.datasets.tiledb_cf.reads import Reads
from tests.datasets.make_cf import WRITERS, make_cf, write_dense, write_group
from tests.datasets.test_cxg_lazy import tiles_read


@pytest.fixture
def reads(monkeypatch):
    """The attribute and the number of cells of each read."""
    seen: list[tuple[str, int]] = []

    def spy(name):
        original = getattr(Reads, name)

        def method(self, path, attr, *args, **options):
            found = original(self, path, attr, *args, **options)
            seen.append((attr, found.size))
            return found

        monkeypatch.setattr(Reads, name, method)

    spy("slab")
    spy("cells")

    def refuse(self, *args):
        raise AssertionError("an array was read without naming its attributes")

    monkeypatch.setattr(tiledb.DenseArray, "__getitem__", refuse)
    monkeypatch.setattr(tiledb.SparseArray, "__getitem__", refuse)
    return seen


@pytest.fixture(scope="module")
def cube(tmp_path_factory):
    """T(time, y, x) of 20 x 30 x 40 in tiles of 5 x 10 x 10, and its coordinates."""
    path = tmp_path_factory.mktemp("cf") / "cube"
    write_group(path, {})
    sizes = {"time": 20, "y": 30, "x": 40}
    for dim, size in sizes.items():
        write_dense(path / dim, {dim: size}, {f"{dim}_": np.arange(size) * 1.5}, group=path)
    values = np.random.default_rng(0).normal(size=tuple(sizes.values())).astype(np.float32)
    write_dense(path / "T", sizes, {"T": values}, tile=10, group=path)
    return path, values


@pytest.mark.parametrize("writer", WRITERS)
def test_opening_reads_no_values(tmp_path, reads, writer):
    make_cf(tmp_path / "cf", writer)
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.obs_columns
        assert dataset.embeddings
        assert dataset.n_obs > 0
        assert list(dataset.var_names)
        dataset.var()
        assert dataset.details
        assert dataset.identity
        repr(dataset)
        assert reads == []


def test_one_column_is_read_once_and_a_broadcast_one_only_as_large_as_it_is(cube, reads):
    with open_dataset(cube[0]) as dataset:
        dataset.numbers("y")
        dataset.numbers("y")
        assert reads == [("y_", 30)]
        dataset.values("T")
        assert reads[1:] == [("T", 24_000)]
        dataset.embedding("time_x")
        assert sorted(reads[2:]) == [("time_", 20), ("time_", 20), ("x_", 40)]


@pytest.mark.parametrize(("start", "stop", "cells"), [(0, 1_200, 1_200), (7, 9, 2), (1_190, 2_410, 1_220), (5, 5, 0)])
def test_a_block_of_rows_reads_its_own_cells_only(cube, reads, start, stop, cells):
    path, values = cube
    with open_dataset(path) as dataset:
        found = dataset.vector_block("T", None, start, stop).values
        np.testing.assert_array_equal(found, values.ravel()[start:stop])
        assert sum(size for _, size in reads) == cells


def test_single_rows_read_the_tiles_they_are_in(cube, reads):
    path, _ = cube
    with open_dataset(path) as dataset:
        one = tiles_read(lambda: dataset.obs("T", [12_345], index=False))
        two = tiles_read(lambda: dataset.obs("T", [0, 23_999, 1], index=False))
        every = tiles_read(lambda: dataset.values("T"))
    assert (one, two, every) == (1, 2, 24)
    assert sum(size for _, size in reads[:3]) == 1 + 2 + 1


def test_many_rows_far_apart_are_read_in_blocks(cube, reads, monkeypatch):
    path, values = cube
    rows = np.random.default_rng(1).integers(0, values.size, 500)
    for limit, most in (("_MOST_BOXES", 2), (None, None)):
        if limit is not None:
            monkeypatch.setattr(f"cxg_widget.datasets.tiledb_cf.grid.{limit}", most)
            monkeypatch.setattr(column_values, "ROWS_PER_BLOCK", 5_000)
        with open_dataset(path) as dataset:
            np.testing.assert_array_equal(dataset.obs("T", rows, index=False)["T"], values.ravel()[rows])
        monkeypatch.undo()


def test_isel_reads_one_slice(cube, reads):
    path, values = cube
    with open_dataset(path, isel={"time": 3}) as dataset:
        np.testing.assert_array_equal(dataset.values("T"), values[3].ravel())
        assert reads == [("T", 1_200)]


def test_cells_are_read_whole_once(tmp_path, reads):
    make_cf(tmp_path / "cf", "sparse")
    with open_dataset(tmp_path / "cf") as dataset:
        dataset.numbers("temperature")
        dataset.vector_block("temperature", None, 3, 9)
        assert reads == [("temperature", 55)]
        dataset.embedding()
        assert reads[1:] == [("lon", 55), ("lat", 55)]


def test_what_the_cache_cannot_hold_is_read_again(cube, reads):
    with open_dataset(cube[0], cache_bytes=0) as dataset:
        dataset.numbers("x")
        dataset.numbers("x")
        assert len(reads) == 2


def test_close_closes_every_array(cube):
    dataset = open_dataset(cube[0])
    dataset.values("T")
    arrays = [dataset._reads.array(path) for path in dataset._reads._open]
    assert len(arrays) == 4
    dataset.close()
    assert not any(array.isopen for array in arrays)


def test_a_failed_opening_leaves_nothing_open(cube, monkeypatch):
    opened = []
    original = tiledb.open
    monkeypatch.setattr(
        tiledb, "open", lambda *args, **options: opened.append(original(*args, **options)) or opened[-1]
    )
    with pytest.raises(ValueError, match="isel"):
        open_dataset(cube[0], isel={"time": 99})
    assert opened
    assert not any(array.isopen for array in opened)
