"""Several vars at once: the values of each alone, and one look at the matrix for all where cells lie together."""

from __future__ import annotations

import threading
import tracemalloc
from collections import Counter

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
import tiledb

from cxg_widget.cells.cluster.partition import Rows, read_column
from cxg_widget.cells.cluster.source import Source, leave
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.anndata import sparse
from cxg_widget.datasets.anndata.h5 import H5Array
from cxg_widget.datasets.anndata.zarr_store import ZarrArray
from cxg_widget.datasets.atlas.arrays import FolderStore
from cxg_widget.datasets.atlas.packed_entries import PackedEntries
from cxg_widget.datasets.tables import parquet_table
from cxg_widget.display.color_target import Target, read
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import Describer
from cxg_widget.display.settings import Settings
from cxg_widget.errors import ClosedDataset, DamagedStore, UnknownName
from cxg_widget.session.session import Session
from tests.datasets import make_atlas, make_mzpeak
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_cxg import make_cxg, make_truth, write_cells
from tests.datasets.test_anndata_lazy import big_csr

BY_CELL = {"memory_bytes": 0, "cache_bytes": 0}
PICKED = (7, 1, 4, 0, 1, 3)
"""Positions of vars, out of order and one of them twice; nobody has number 4."""


@pytest.fixture
def truth():
    return truth_of("0.8")


@pytest.fixture
def spans(monkeypatch):
    """The path of each array of an AnnData that was read, and from where to where."""
    seen: list[tuple[str, int, int]] = []
    for cls in (H5Array, ZarrArray):
        original = cls.read

        def read_span(self, *keys, original=original):
            found = original(self, *keys)
            start = (keys[0].start or 0) if keys else 0
            seen.append((self.path, start, start + len(found)))
            return found

        monkeypatch.setattr(cls, "read", read_span)
    return seen


def names_of(truth):
    return [truth.var_labels[position] for position in PICKED]


def mean_of(X):
    """The mean as numpy adds it up gene by gene, in float64."""
    total = np.zeros(len(X))
    for position in PICKED:
        total += X[:, position].astype(np.float64)
    return (total / len(PICKED)).astype(np.float32)


def read_mean(dataset, names, layer=None):
    found = read(Target("mean", "", tuple(names)), dataset, layer)
    return found.dense(dataset.n_obs)


def is_covered_once(spans, path, length):
    """Say whether the spans of one array follow each other from 0 to its end."""
    parts = [(start, stop) for name, start, stop in spans if name == path]
    return [stop for _, stop in parts[:-1]] == [start for start, _ in parts[1:]] and (
        (parts[0][0], parts[-1][1]) == (0, length)
    )


# --- AnnData by cell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("container", ["h5ad", "zarr2", "zarr3"])
def test_a_mean_of_genes_stored_by_cell_looks_once_at_the_matrix(tmp_path, truth, spans, monkeypatch, container):
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", 16)
    with open_dataset(make_anndata(tmp_path, truth, container=container, chunks=8), **BY_CELL) as dataset:
        dataset.read_names()
        spans.clear()
        found = read_mean(dataset, names_of(truth))
        np.testing.assert_array_equal(found, mean_of(truth.X), strict=True)
        assert is_covered_once(spans, "X/indices", np.count_nonzero(truth.X))
        values = Counter(span for span in spans if span[0] == "X/data")
        assert max(values.values()) == 1


@pytest.mark.parametrize("memory_bytes", [0, 2**30])
@pytest.mark.parametrize("cache_bytes", [0, 300, 2**20])
@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
def test_vars_together_are_each_the_column_of_x_however_much_is_kept(
    tmp_path, truth, layout, memory_bytes, cache_bytes
):
    options = {"memory_bytes": memory_bytes, "cache_bytes": cache_bytes}
    with open_dataset(make_anndata(tmp_path, truth, layout=layout), **options) as dataset:
        for _ in range(2):
            found = list(dataset.vectors(names_of(truth)))
            assert len(found) == len(PICKED)
            for position, vector in zip(PICKED, found, strict=True):
                np.testing.assert_array_equal(vector.dense(40), truth.X[:, position], strict=True)
            for position, part in zip(PICKED, dataset.vectors_block(names_of(truth), None, 3, 17), strict=True):
                np.testing.assert_array_equal(part.dense(14), truth.X[3:17, position], strict=True)
        assert dataset._lifetime.cache.used_bytes <= cache_bytes


def test_a_part_of_a_gene_is_that_part_after_the_matrix_was_sorted(tmp_path, truth):
    with open_dataset(make_anndata(tmp_path, truth), cache_bytes=0) as dataset:
        dataset.values(truth.var_labels[0])
        part = dataset.vector_block(truth.var_labels[1], None, 5, 17)
        np.testing.assert_array_equal(part.dense(12), truth.X[5:17, 1])


def test_genes_that_are_kept_are_not_looked_for_and_those_found_are_kept(tmp_path, truth, spans):
    with open_dataset(make_anndata(tmp_path, truth), memory_bytes=0) as dataset:
        names = names_of(truth)
        list(dataset.vectors(names))
        spans.clear()
        list(dataset.vectors(names))
        dataset.vector(names[0])
        assert spans == []
        (vector,) = dataset.vectors(names[:1])
        assert not vector.values.flags.writeable
        list(dataset.vectors([*names, truth.var_labels[8]]))
        assert is_covered_once(spans, "X/indices", np.count_nonzero(truth.X))


def test_genes_that_do_not_fit_into_memory_together_take_another_look(tmp_path, monkeypatch):
    n_obs, per_row, n_var = 5_000, 100, 400
    X = big_csr(tmp_path / "big.h5ad", n_obs, n_var, per_row).tocsc()
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", 12_500)
    picked = list(range(0, n_var, 40))
    looks = []
    original = sparse.Sparse._positions

    def positions(self, first, last):
        looks.append(last - first)
        return original(self, first, last)

    monkeypatch.setattr(sparse.Sparse, "_positions", positions)
    values_bytes = 8 * int(X[:, picked].nnz)
    for limit, n_looks in ((2**28, 1), (values_bytes // 2, (2, 3)), (1, len(picked))):
        monkeypatch.setattr(sparse, "TOGETHER_BYTES", limit)
        looks.clear()
        with open_dataset(tmp_path / "big.h5ad", **BY_CELL) as dataset:
            dataset.read_names()
            tracemalloc.start()
            for position, vector in zip(picked, dataset.vectors([f"var{one}" for one in picked]), strict=True):
                np.testing.assert_array_equal(vector.dense(n_obs), X[:, [position]].toarray()[:, 0])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert sum(looks) / X.nnz in np.atleast_1d(n_looks)
        assert peak < 2 * min(limit, values_bytes) + 700_000


def test_a_gene_that_a_cell_has_twice_is_added_up_as_scipy_does(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    rows = sp.random_array((40, 9), density=0.4, rng=np.random.default_rng(3), dtype=np.float32).tocsr()
    twice = sp.csr_array(
        (np.repeat(rows.data, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), shape=rows.shape, copy=True
    )
    with h5py.File(path, "r+") as file:
        for name in ("data", "indices", "indptr"):
            del file[f"X/{name}"]
            file[f"X/{name}"] = getattr(twice, name)
    with open_dataset(path, **BY_CELL) as dataset:
        for position, vector in zip(PICKED, dataset.vectors(names_of(truth)), strict=True):
            np.testing.assert_array_equal(vector.dense(40), twice[:, [position]].toarray()[:, 0])
        np.testing.assert_array_equal(read_mean(dataset, names_of(truth)), mean_of(twice.toarray()))


def test_genes_of_raw_and_of_layers_are_read_together_too(tmp_path, truth, spans):
    labels = [*reversed(truth.var_labels), "extra"]
    raw = np.column_stack([truth.X[:, ::-1] * 2, np.arange(40)]).astype(np.float32)
    options = {"layers": {"counts": (truth.X * 3, "csr")}, "raw": (raw, "csr", labels)}
    with open_dataset(make_anndata(tmp_path, truth, **options), **BY_CELL) as dataset:
        for layer, times in (("counts", 3), ("raw", 2)):
            spans.clear()
            np.testing.assert_array_equal(read_mean(dataset, names_of(truth), layer), mean_of(truth.X * times))
            where = "raw/X/indices" if layer == "raw" else "layers/counts/indices"
            assert sum(path == where for path, _, _ in spans) == 1
        (extra,) = dataset.vectors(["extra"], "raw")
        np.testing.assert_array_equal(extra.dense(40), raw[:, 9])


def test_a_look_at_the_matrix_tells_progress_and_a_part_of_it_does_not(tmp_path, truth, monkeypatch):
    n = np.count_nonzero(truth.X)
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", -(-n // 4))
    told = []
    with open_dataset(make_anndata(tmp_path, truth), **BY_CELL) as dataset:
        session = Session(dataset, Settings(color=names_of(truth)), announce=told.append)
        session.coloring()
        done = [frame.message.done for frame in told if frame.message.kind == "progress"]
        assert len(done) == 4
        assert done == sorted(done)
        assert done[-1] == 1
        told.clear()
        list(dataset.vectors_block(names_of(truth), None, 3, 9))
        assert told == []
        session.close()


def test_a_cell_of_a_sample_is_described_by_one_look_at_its_row(tmp_path, truth, spans):
    with open_dataset(make_anndata(tmp_path, truth), **BY_CELL) as dataset:
        dataset.read_names()
        spans.clear()
        coloring = Coloring(Target("mean", "", tuple(names_of(truth))), is_sample=True)
        told = Describer(dataset).value(20, coloring, None)
        assert float(told) == pytest.approx(mean_of(truth.X)[20], rel=1e-4)
        assert [path for path, _, _ in spans].count("X/indices") == 1


def test_a_worker_looks_once_at_its_rows(tmp_path, truth, spans):
    source = Source.of(make_anndata(tmp_path, truth), **BY_CELL)
    try:
        found = read_column(Rows(source, "test", 3, 17), Target("mean", "", tuple(names_of(truth))), None)
        np.testing.assert_array_equal(found.dense(14), mean_of(truth.X[3:17]))
        assert [path for path, _, _ in spans].count("X/indices") == 1
    finally:
        leave(source.token, "test")


def test_an_unknown_gene_is_told_before_anything_is_read(tmp_path, truth, spans):
    with open_dataset(make_anndata(tmp_path, truth), **BY_CELL) as dataset:
        dataset.read_names()
        spans.clear()
        for ask in (
            lambda: dataset.vectors([truth.var_labels[0], "ENSG000x"]),
            lambda: dataset.vectors([truth.var_labels[0]], "no such layer"),
            lambda: dataset.vectors_block([truth.var_labels[0], "ENSG000x"], None, 0, 1),
        ):
            with pytest.raises(UnknownName):
                ask()
        assert spans == []


def test_who_stops_between_two_genes_leaves_nothing_open_and_after_close_they_are_closed(tmp_path, truth):
    dataset = open_dataset(make_anndata(tmp_path, truth), **BY_CELL)
    left = dataset.vectors(names_of(truth))
    next(left)
    going_on = dataset.vectors(names_of(truth))
    next(going_on)
    del left
    dataset.close()
    assert not dataset._store.file
    with pytest.raises(ClosedDataset):
        next(going_on)


def test_damage_ends_the_progress_and_is_told_by_the_gene_that_meets_it(tmp_path, truth, monkeypatch):
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", 16)
    original = H5Array.read

    def fail(self, *keys):
        if self.path == "X/indices" and keys[0].start >= 32:
            raise DamagedStore("X/indices cannot be read")
        return original(self, *keys)

    for memory_bytes in (0, 2**30):
        told = []
        with open_dataset(make_anndata(tmp_path, truth), memory_bytes=memory_bytes) as dataset:
            dataset.tell_progress_to(told.append)
            with monkeypatch.context() as patch:
                patch.setattr(H5Array, "read", fail)
                coming = dataset.vectors(names_of(truth))
                with pytest.raises(DamagedStore, match="X/indices"):
                    next(coming)
            assert len(told) > 1
            assert told[-1] == 1
            np.testing.assert_array_equal(dataset.values(truth.var_labels[1]), truth.X[:, 1])


@pytest.mark.parametrize("container", ["h5ad", "zarr2", "zarr3"])
@pytest.mark.parametrize("chunks", [None, 8])
def test_genes_of_a_dense_matrix_read_the_chunks_they_share_once(tmp_path, truth, spans, container, chunks):
    path = make_anndata(tmp_path, truth, layout="dense", container=container, chunks=chunks)
    with open_dataset(path, cache_bytes=0) as dataset:
        dataset.read_names()
        spans.clear()
        np.testing.assert_array_equal(read_mean(dataset, names_of(truth)), mean_of(truth.X), strict=True)
        assert spans == [("X", 0, 40)]


def test_several_threads_read_several_genes_at_once(tmp_path, truth):
    with open_dataset(make_anndata(tmp_path, truth), memory_bytes=0, cache_bytes=400) as dataset:
        gate, right = threading.Barrier(6), []

        def ask(seed):
            gate.wait()
            for _ in range(5):
                picked = np.random.default_rng(seed).integers(0, 9, 5)
                found = dataset.vectors([truth.var_labels[one] for one in picked])
                right.append(
                    all(
                        np.array_equal(one.dense(40), truth.X[:, at], equal_nan=True)
                        for at, one in zip(picked, found, strict=True)
                    )
                )

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert right == [True] * 30


# --- the other stores ------------------------------------------------------------------------------------------------


def cxg_by_row(path, truth, layout, shift=None):
    """Write a CXG whose X has tiles of four rows, each as wide as the matrix."""
    make_cxg(path, truth, parts=("obs", "var", "emb"))
    stored = truth.X if shift is None else (truth.X - shift).astype(np.float32)
    if shift is not None:
        tiledb.from_numpy(str(path / "X_col_shift"), shift.astype(np.float32))
    dims = [
        tiledb.Dim(name, domain=(0, length - 1), tile=tile, dtype=np.uint32)
        for name, length, tile in (("obs", 40, 4), ("var", 9, 9))
    ]
    schema = tiledb.ArraySchema(
        tiledb.Domain(*dims), [tiledb.Attr("", dtype=np.float32)], sparse=layout == "sparse", capacity=64
    )
    tiledb.Array.create(str(path / "X"), schema)
    if layout == "sparse":
        at = np.nonzero(stored)
        write_cells(path / "X", at, {"": stored[at]})
    else:
        with tiledb.open(str(path / "X"), "w") as array:
            array[:] = stored
    return path


@pytest.mark.parametrize("layout", ["sparse", "dense"])
@pytest.mark.parametrize("shifted", [False, True])
def test_vars_of_a_cxg_kept_by_row_are_read_in_one_query(tmp_path, monkeypatch, layout, shifted):
    truth = make_truth()
    shift = np.linspace(0, 2, 9).astype(np.float32) if shifted else None
    queries = []
    for cls in (tiledb.DenseArray, tiledb.SparseArray):
        original = cls.query

        def query(self, *args, original=original, **options):
            queries.append(self.uri.rstrip("/").rsplit("/", 1)[-1])
            return original(self, *args, **options)

        monkeypatch.setattr(cls, "query", query)
    with open_dataset(cxg_by_row(tmp_path / "a.cxg", truth, layout, shift), cache_bytes=0) as dataset:
        for position, vector in zip(PICKED, dataset.vectors(names_of(truth)), strict=True):
            np.testing.assert_allclose(vector.dense(40), truth.X[:, position], rtol=1e-6, atol=1e-6)
        assert queries.count("X") == 1
        for position, part in zip(PICKED, dataset.vectors_block(names_of(truth), None, 5, 18), strict=True):
            np.testing.assert_allclose(part.dense(13), truth.X[5:18, position], rtol=1e-6, atol=1e-6)
        assert queries.count("X") == 2
        together = read_mean(dataset, names_of(truth))
        np.testing.assert_allclose(together, mean_of(truth.X), rtol=1e-6, atol=1e-6)
        alone = [dataset.values(name) for name in names_of(truth)]
        np.testing.assert_array_equal(together, (sum(one.astype(float) for one in alone) / 6).astype(np.float32))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("layout", ["csr", "bitpacked", "mixed", "csc", "dense"])
def test_features_of_an_atlas_search_the_entries_of_each_group_once(tmp_path, monkeypatch, layout, compiled):
    if compiled:
        monkeypatch.setattr("cxg_widget.datasets.atlas.groups.MANY_ENTRIES", 0)
    truth = make_atlas.make_truth()
    asked = []
    original = FolderStore.get

    async def get(self, key, prototype=None, byte_range=None):
        asked.append((key, byte_range))
        return await original(self, key, prototype, byte_range)

    monkeypatch.setattr(FolderStore, "get", get)
    find, packed = PackedEntries.find, []
    monkeypatch.setattr(PackedEntries, "find", lambda self, *args: packed.append(self.name) or find(self, *args))
    with open_dataset(make_atlas.make_atlas(tmp_path / "a", truth, layout), cache_bytes=0) as dataset:
        dataset.read_names()
        asked.clear()
        found = list(dataset.vectors(names_of(truth)))
        searched = Counter(packed or [one for one in asked if "/csr/indices/c/" in one[0]])
        for position, vector in zip(PICKED, found, strict=True):
            np.testing.assert_array_equal(vector.dense(len(truth.X)), truth.X[:, position], strict=True)
        np.testing.assert_array_equal(read_mean(dataset, names_of(truth)), mean_of(truth.X), strict=True)
    assert bool(packed) == (compiled and layout in ("bitpacked", "mixed"))
    assert bool(searched) == (layout in ("csr", "bitpacked", "mixed"))
    assert set(searched.values()) <= {1}


@pytest.mark.parametrize("layout", ["point", "delta", "slof"])
def test_windows_of_an_mzpeak_decode_each_row_group_once(tmp_path, monkeypatch, layout):
    run = make_mzpeak.make_run()
    path = make_mzpeak.make_mzpeak(tmp_path / "a.mzpeak", run, layout, rows_per_group=37)
    names = ["mz:445.12+-0.02", "mz:300+-200", "mz:3000", "mz:445.12+-0.02", "mz:600+-150"]
    limits = [(445.10, 445.14), (100, 500), (2999.94, 3000.06), (445.10, 445.14), (450, 750)]
    groups = []
    original = parquet_table.ParquetTable.batches

    def batches(self, columns, group, values_per_row=1.0):
        if any("intensity" in column for column in columns):
            groups.append(group)
        return original(self, columns, group, values_per_row)

    monkeypatch.setattr(parquet_table.ParquetTable, "batches", batches)
    peaks = make_mzpeak.peaks_of(run, layout)
    with open_dataset(path, cache_bytes=0) as dataset:
        groups.clear()
        found = [vector.dense(dataset.n_obs) for vector in dataset.vectors(names)]
        assert len(groups) > 3
        assert max(Counter(groups).values()) == 1
        for (low, high), values in zip(limits, found, strict=True):
            inside = peaks[(peaks["mz"] >= low) & (peaks["mz"] <= high)]
            expected = np.bincount(inside["row"], inside["intensity"], minlength=dataset.n_obs)
            np.testing.assert_allclose(values, expected, rtol=1e-5)
        for name, values in zip(names, found, strict=True):
            np.testing.assert_array_equal(dataset.values(name), values, strict=True)
