"""Some rows of the matrix: those that other programs read, no more of the store than they take, in bounded memory."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from functools import partialmethod
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import tiledb
from scipy import stats

from cxg_widget.compare import compared_groups, ranks, transposed
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.question import Question, compare
from cxg_widget.datasets import Dataset, open_dataset
from cxg_widget.datasets.base import rows as rows_module
from cxg_widget.testing.helpers import written_out
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_bare import bare_cxg, bare_h5ad
from tests.datasets.make_cxg import write_matrix

MIB = 2**20
N_OBS, N_VAR, PER_ROW = 12_000, 500, 100


def values_of(dataset: Dataset, rows: np.ndarray, n_var: int, layer: str | None = None) -> np.ndarray:
    return written_out(list(dataset.rows_of(rows, layer)), n_var)


def some_rows(n: int) -> list[np.ndarray]:
    scattered = np.sort(np.random.default_rng(0).choice(n, 40, replace=False))
    return [scattered, np.arange(n // 3, n // 3 + 50), np.array([n - 1]), np.zeros(0, dtype=np.int64)]


@pytest.fixture(scope="module")
def matrix() -> sp.csr_matrix:
    rng = np.random.default_rng(0)
    columns = np.argsort(rng.random((N_OBS, N_VAR), dtype=np.float32), axis=1)[:, :PER_ROW]
    values = rng.integers(1, 50, columns.size).astype(np.float32)
    found = sp.csr_matrix((values, columns.ravel(), np.arange(N_OBS + 1) * PER_ROW), shape=(N_OBS, N_VAR))
    found.sort_indices()
    return found


@pytest.fixture(scope="module")
def stores(matrix, tmp_path_factory) -> dict[str, Path]:
    """The same matrix as a CXG and in HDF5, all of its entries in chunks or tiles of a few rows or columns."""
    folder = tmp_path_factory.mktemp("rows")
    found = {name: folder / f"{name}.h5ad" for name in ("csr", "csc")}
    for layout, path in found.items():
        bare_h5ad(path, matrix.asformat(layout), chunks=(4096,), compression="gzip")
    return {**found, "cxg": bare_cxg(folder / "rows.cxg", matrix, 1)}


@pytest.mark.parametrize("name", ["dataset_with_int64", "nan", "dense_no_col_shift"])
def test_rows_of_a_real_cxg_are_those_that_tiledb_reads(real_data, name):
    path = real_data / "cxg" / f"{name}.cxg"
    with open_dataset(path) as dataset:
        shape = dataset.n_obs, dataset.n_var
        if (path / "Xr").exists():
            with tiledb.open(str(path / "Xr")) as array:
                found = array[:]
            expected = sp.csr_matrix((found[""], (found["obs"], found["var"])), shape=shape)
        else:
            with tiledb.open(str(path / "X")) as array:
                dims = [array.schema.domain.dim(i).name for i in range(2)]
                found = array[:]
                if array.schema.sparse:
                    found = sp.csr_matrix((found[""], tuple(found[dim] for dim in dims)), shape=shape)
                expected = sp.csr_matrix(found[""] if isinstance(found, dict) else found)
        for rows in some_rows(dataset.n_obs):
            np.testing.assert_array_equal(values_of(dataset, rows, dataset.n_var), expected[rows].toarray())
        some = some_rows(dataset.n_obs)[0]
        gathered = dataset.gather(some).csr(dataset.n_var)
        np.testing.assert_array_equal(gathered.toarray(), expected[some].toarray())


@pytest.mark.parametrize("name", ["new013.h5ad", "new013.v3.zarr"])
def test_rows_of_what_anndata_wrote_are_those_that_it_held(real_data, name):
    expected = np.load(real_data / "anndata" / "new013.truth.npz")["X"]
    with open_dataset(real_data / "anndata" / name) as dataset:
        for rows in (np.arange(dataset.n_obs), np.array([1, 5]), np.array([dataset.n_obs - 1])):
            np.testing.assert_array_equal(values_of(dataset, rows, dataset.n_var), expected[rows].astype(np.float32))


@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
def test_layers_and_raw_have_rows_of_their_own_vars(tmp_path, layout):
    truth = truth_of("0.8")
    layer, raw = truth.X * 3, np.hstack([truth.X, truth.X[:, :2] + 1])
    labels = [*truth.var_labels, "more", "most"]
    path = make_anndata(tmp_path, truth, layers={"tripled": (layer, layout)}, raw=(raw, layout, labels))
    rows = np.array([0, 7, 8, 30])
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(values_of(dataset, rows, layer.shape[1], "tripled"), layer[rows])
        np.testing.assert_array_equal(values_of(dataset, rows, raw.shape[1], "raw"), raw[rows])
        columns = list(dataset.columns_of([1, raw.shape[1] - 1], rows, "raw"))
        np.testing.assert_array_equal(written_out(columns, len(rows)), raw[np.ix_(rows, [1, -1])].T)


@pytest.mark.parametrize("layout", ["sparse", "columns", "dense"])
def test_a_shift_is_what_rows_leave_out(make, small_truth, layout):
    shift = np.full(small_truth.X.shape[1], 0.5, dtype=np.float32)
    X = small_truth.X.copy()
    X[X == 0] = 0.5
    path = make(parts=("obs", "var", "emb"))
    write_matrix(path, X, layout, shift)
    with open_dataset(path) as dataset:
        blocks = list(dataset.rows_of([2, 3, 11]))
        np.testing.assert_allclose(written_out(blocks, X.shape[1]), X[[2, 3, 11]], atol=1e-6)
        if layout != "dense":
            assert sum(len(block.values) for block in blocks) == np.count_nonzero(X[[2, 3, 11]] != 0.5)
        np.testing.assert_allclose(
            written_out(list(dataset.columns_of([1], [2, 3])), 2), X[[2, 3]][:, [1]].T, atol=1e-6
        )


def test_rows_are_read_by_column_where_xr_has_lost_its_files(stores, matrix, tmp_path):
    path = shutil.copytree(stores["cxg"], tmp_path / "lost.cxg")
    for folder in ("__fragments", "__commits"):
        shutil.rmtree(path / "Xr" / folder)
        (path / "Xr" / folder).mkdir()
    rows = np.array([5, 6, 9000])
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(values_of(dataset, rows, N_VAR), matrix[rows].toarray())
        assert dataset.plan(rows).axis == "var"
        assert any("Xr and Xc hold different cells" in note for note in dataset.notes)


@pytest.mark.parametrize("kind", ["cxg", "csr"])
def test_neighbouring_rows_take_no_more_of_the_store_than_their_part(stores, matrix, kind):
    rows = np.arange(4000, 4000 + N_OBS // 100)
    with open_dataset(stores[kind]) as dataset:
        list(dataset.rows_of([0]))
        before = dataset.traffic
        np.testing.assert_array_equal(values_of(dataset, rows, N_VAR), matrix[rows].toarray())
        read = dataset.traffic.since(before).n_bytes
        stored = sum(size for name, size in dataset.sizes.items() if name.startswith(("Xr", "X/")))
    # Of the CXG two tiles of ten, and where all of them lie; of HDF5 four chunks of 293.
    assert read < stored * (0.35 if kind == "cxg" else 0.05)


def test_the_plan_reads_along_the_axis_that_takes_less(stores):
    rows = np.arange(4000, 4120)
    with open_dataset(stores["cxg"]) as dataset:
        by_row, by_column = dataset.plan(rows), dataset.plan(None, [3])
        assert (by_row.axis, by_column.axis) == ("obs", "var")
        assert by_row.n_bytes < 0.3 * by_row.other_bytes
        assert "120 of 12,000 obs of all 500 var" in by_row.why
        assert "by column about" in by_row.why
    with open_dataset(stores["csc"]) as dataset:
        assert dataset.plan(rows).axis == "var"
        assert dataset.plan(rows).why.endswith("this matrix is stored by column.")
    with open_dataset(stores["csr"]) as dataset:
        assert dataset.plan(None, [3]).axis == "obs"


@pytest.mark.parametrize("kind", ["cxg", "csr", "csc"])
def test_blocks_take_as_much_memory_as_they_may_and_gathered_rows_little_beside_them(stores, matrix, monkeypatch, kind):
    monkeypatch.setattr(rows_module, "_TURNED_BYTES", MIB)
    monkeypatch.setattr(rows_module, "_BAND_BYTES", MIB // 2)
    monkeypatch.setattr(rows_module, "STEP_BYTES", MIB // 2)
    small = {"config": {"py.init_buffer_bytes": MIB}} if kind == "cxg" else {}  # what they begin with is address space
    with open_dataset(stores[kind], **small) as dataset:
        dataset.gather()  # which imports and compiles what others may not have used yet
        tracemalloc.start()
        n = sum(len(block.values) for block in dataset.rows_of(step_bytes=MIB // 2))
        in_blocks = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        found = dataset.gather()
        gathering = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert n == matrix.nnz
    result = found.starts.nbytes + found.positions.nbytes + found.values.nbytes
    assert result < 9 * MIB + 2**18 + found.starts.nbytes
    most = 8 * MIB if kind == "cxg" else 6 * MIB  # TileDB's bindings have three buffers for whatever they read
    assert in_blocks < most
    assert gathering < result * 1.2 + most
    assert (found.csr(N_VAR) != matrix).nnz == 0


@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_comparing_takes_the_memory_of_some_blocks_and_of_what_is_ranked_at_a_time(stores, monkeypatch, kind, method):
    monkeypatch.setattr(ranks, "BAND_BYTES", MIB)
    monkeypatch.setattr(transposed, "_KEYS", 2**15)
    with open_dataset(stores[kind]) as dataset:
        for name in ("rows_of", "columns_of"):
            monkeypatch.setattr(type(dataset), name, partialmethod(getattr(type(dataset), name), step_bytes=MIB // 2))
        a = np.arange(N_OBS) % 3 == 0
        compare(MatrixStats(dataset), a, ~a, Question(method, genes=["var1"]))
        tracemalloc.start()
        found = compare(MatrixStats(dataset), a, ~a, Question(method))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(found.frame()) == N_VAR
    assert peak < (3 if method == "t-test" else 4) * MIB  # of a matrix of 9, whose values and groups take 6 more


def test_ranks_of_a_file_that_is_not_compressed_keep_less_than_a_quarter_of_its_bytes_at_a_time(
    stores, matrix, tmp_path, monkeypatch
):
    monkeypatch.setattr(ranks, "_LEAST_BAND", 2**16)
    monkeypatch.setattr(compared_groups, "_STEP_BYTES", MIB // 2)
    bare_h5ad(tmp_path / "plain.h5ad", matrix)
    a, kept, clear = np.arange(N_OBS) % 3 == 0, [], transposed.Transposed.clear

    def note(held: transposed.Transposed) -> None:
        kept.append(sum(part.n_bytes for part in held._parts))
        clear(held)

    monkeypatch.setattr(transposed.Transposed, "clear", note)
    with open_dataset(tmp_path / "plain.h5ad") as dataset:
        assert dataset.plan().is_copied
        found = compare(MatrixStats(dataset), a, ~a, Question("wilcoxon")).frame()
    n_bytes, n_kept = 8 * matrix.nnz, 5 * matrix.nnz  # a position and a value; a value and a group
    assert max(kept) <= n_bytes / 4.5
    assert len(kept) == 3
    assert sum(kept) == n_kept
    with open_dataset(stores["csr"]) as dataset:
        assert not dataset.plan().is_copied
        pd.testing.assert_frame_equal(compare(MatrixStats(dataset), a, ~a, Question("wilcoxon")).frame(), found)
    u = stats.mannwhitneyu(matrix[a, 7].toarray().ravel(), matrix[~a, 7].toarray().ravel(), method="asymptotic")
    auc = u.statistic / (a.sum() * (~a).sum())
    assert found.loc["var7", "auc"] == pytest.approx(auc, rel=1e-9)


def test_progress_is_told_for_each_block_and_reading_ends_where_nobody_asks_on(stores):
    with open_dataset(stores["csr"]) as dataset:
        told: list[float] = []
        dataset.tell_progress_to(told.append)
        blocks = dataset.rows_of(step_bytes=2 * MIB)
        next(blocks)
        before = dataset.traffic
        assert len(told) == 1
        blocks.close()
        assert dataset.traffic == before
        told.clear()
        n_blocks = len(list(dataset.rows_of(step_bytes=2 * MIB)))
        assert len(told) == n_blocks
        assert told == sorted(told)
        assert told[-1] == 1


@pytest.mark.parametrize("how", ["one piece", "chunks", "compressed", "big-endian", "a missing chunk"])
def test_rows_of_a_plain_file_are_read_without_the_rest_of_their_chunks(matrix, tmp_path, how):
    """As scipy has them, whether bytes are read at their places or HDF5 decodes chunks."""
    more = {"chunks": {"chunks": (1000,)}, "compressed": {"chunks": (1000,), "compression": "gzip"}}.get(how, {})
    path = tmp_path / "some.h5ad"
    bare_h5ad(path, matrix)
    with h5py.File(path, "r+") as file:
        for name in ("data", "indices"):
            values = file["X"][name][:]
            del file["X"][name]
            if how == "big-endian":
                values = values.astype(values.dtype.newbyteorder(">"))
            if how == "a missing chunk":
                values[2000:3000] = 0
                made = file["X"].create_dataset(name, values.shape, values.dtype, chunks=(1000,))
                made[:2000], made[3000:] = values[:2000], values[3000:]
            else:
                file["X"].create_dataset(name, data=values, **more)
        wanted = sp.csr_array((file["X/data"][:], file["X/indices"][:], file["X/indptr"][:]), shape=matrix.shape)
    rows = np.sort(np.random.default_rng(3).choice(N_OBS, 60, replace=False))
    rows = np.unique(np.append(rows, [19, 20, 21, 22, 23, 24, 25]))
    with open_dataset(path) as dataset:
        list(dataset.rows_of(rows[:1]))
        before = dataset.traffic.n_bytes
        np.testing.assert_array_equal(values_of(dataset, rows, N_VAR), wanted[rows].toarray())
        n_bytes = dataset.traffic.n_bytes - before
        if how in ("one piece", "chunks") and hasattr(os, "pread"):
            assert n_bytes <= 8 * len(rows) * (PER_ROW + 512)
