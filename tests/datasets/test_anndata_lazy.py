"""Opening reads structure only, and each method what it returns: counted by a spy on every read of an array."""

from __future__ import annotations

import subprocess
import sys
import threading
import tracemalloc

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
import zarr

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.anndata import sparse
from cxg_widget.datasets.anndata.h5 import H5Array
from cxg_widget.datasets.anndata.zarr_store import ZarrArray
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_cxg import make_truth
from tests.datasets.test_anndata_contract import VARIANTS


@pytest.fixture
def truth():
    return truth_of("0.8")


@pytest.fixture
def reads(monkeypatch):
    """The path of each array that was read, and how many elements, in order."""
    seen: list[tuple[str, int]] = []
    for cls in (H5Array, ZarrArray):
        original = cls.read

        def read(self, *keys, original=original):
            found = original(self, *keys)
            seen.append((self.path, found.size))
            return found

        monkeypatch.setattr(cls, "read", read)
    return seen


def paths(reads):
    return [path for path, _ in reads]


@pytest.mark.parametrize(("writer", "layout", "container"), VARIANTS[::2])
def test_opening_reads_no_values(tmp_path, reads, writer, layout, container):
    with open_dataset(make_anndata(tmp_path, writer=writer, layout=layout, container=container)) as dataset:
        assert dataset.obs_columns
        assert dataset.embeddings["pca"] == 50
        assert dataset.details["X"]["layout"] == layout
        assert dataset.identity
        repr(dataset)
        assert reads == []


@pytest.mark.parametrize("container", ["h5ad", "zarr3"])
def test_one_column_reads_that_column_once(tmp_path, reads, container):
    with open_dataset(make_anndata(tmp_path, container=container)) as dataset:
        dataset.codes("cell_type")
        dataset.codes("cell_type")
        dataset.numbers("n_genes")
        dataset.numbers("n_genes")
        assert paths(reads) == ["obs/cell_type/categories", "obs/cell_type/codes", "obs/n_genes"]


def test_a_few_rows_read_those_rows_and_not_the_column(tmp_path, reads):
    truth = make_truth(n_obs=40_000)
    with open_dataset(make_anndata(tmp_path, truth, chunks=1000)) as dataset:
        found = dataset.obs(["score"], rows=[39_999, 3, 4])
        np.testing.assert_array_equal(found["score"], truth.obs["score"].iloc[[39_999, 3, 4]])
        assert sum(size for _, size in reads) == 6


@pytest.mark.parametrize("container", ["h5ad", "zarr2"])
def test_two_axes_of_a_wide_embedding_read_two_axes(tmp_path, reads, container):
    with open_dataset(make_anndata(tmp_path, container=container)) as dataset:
        dataset.embedding("pca", (3, 4))
        dataset.embedding("pca", (7, 2))
        assert reads == [("obsm/X_pca", 80), ("obsm/X_pca", 40), ("obsm/X_pca", 40)]


@pytest.mark.parametrize("container", ["h5ad", "zarr3"])
def test_a_gene_stored_by_gene_reads_its_own_entries(tmp_path, truth, reads, container):
    with open_dataset(make_anndata(tmp_path, truth, layout="csc", container=container)) as dataset:
        dataset.read_names()
        reads.clear()
        n = np.count_nonzero(truth.X[:, 2])
        dataset.values(truth.var_labels[2])
        assert reads == [("X/indptr", 10), ("X/indices", n), ("X/data", n)]
        dataset.values(truth.var_labels[2])
        assert len(reads) == 3


def test_a_gene_of_a_dense_matrix_reads_one_column(tmp_path, truth, reads):
    with open_dataset(make_anndata(tmp_path, truth, layout="dense", chunks=16)) as dataset:
        dataset.read_names()
        reads.clear()
        dataset.values(truth.var_labels[2])
        assert reads == [("X", 40)]
        dataset.vector_block(truth.var_labels[3], None, 4, 9)
        assert reads[1:] == [("X", 5)]


@pytest.mark.parametrize("container", ["h5ad", "zarr3"])
def test_a_matrix_stored_by_cell_is_read_once_and_every_gene_after_that_reads_nothing(
    tmp_path, truth, reads, container
):
    with open_dataset(make_anndata(tmp_path, truth, container=container), cache_bytes=0) as dataset:
        dataset.read_names()
        reads.clear()
        n = np.count_nonzero(truth.X)
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(name), truth.X[:, position])
        assert sorted(reads) == [("X/data", n), ("X/indices", n), ("X/indptr", 41)]


def test_without_memory_for_it_a_gene_scans_the_indices_and_reads_only_values_near_its_own(tmp_path, truth, reads):
    with open_dataset(make_anndata(tmp_path, truth), memory_bytes=100, cache_bytes=0) as dataset:
        dataset.read_names()
        reads.clear()
        dataset.values(truth.var_labels[4])  # nobody has it
        assert paths(reads) == ["X/indptr", "X/indices"]
        dataset.values(truth.var_labels[1])
        assert paths(reads)[2:] == ["X/indices", "X/data"]
        (note,) = dataset.notes
        assert "cxg-widget convert" in note
        assert "memory_bytes=100" in note


def test_a_part_of_a_gene_scans_the_rows_of_that_part(tmp_path, truth, reads):
    with open_dataset(make_anndata(tmp_path, truth), memory_bytes=0, cache_bytes=0) as dataset:
        dataset.read_names()
        reads.clear()
        dataset.vector_block(truth.var_labels[1], None, 10, 12)
        n = np.count_nonzero(truth.X[10:12])
        assert reads[:2] == [("X/indptr", 41), ("X/indices", n)]


def test_rows_of_the_matrix_read_their_own_entries(tmp_path, truth, reads):
    with open_dataset(make_anndata(tmp_path, truth)) as dataset:
        dataset.matrix_block(3, 7)
        n = np.count_nonzero(truth.X[3:7])
        assert reads == [("X/indptr", 41), ("X/indices", n), ("X/data", n)]


def test_several_threads_that_ask_for_genes_at_once_sort_the_matrix_once(tmp_path, truth, reads):
    with open_dataset(make_anndata(tmp_path, truth), cache_bytes=0) as dataset:
        dataset.read_names()
        reads.clear()
        gate = threading.Barrier(6)
        wrong = []

        def read(position):
            gate.wait()
            if not np.array_equal(dataset.values(truth.var_labels[position]), truth.X[:, position], equal_nan=True):
                wrong.append(position)

        threads = [threading.Thread(target=read, args=(position,)) for position in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert not wrong
        assert paths(reads).count("X/data") == 1


def test_sorted_matrices_share_the_memory_that_was_given(tmp_path, truth):
    layers = dict.fromkeys(("a", "b"), (truth.X, "csr"))
    n = int(np.count_nonzero(truth.X)) * 8 + 4 * 10
    with open_dataset(make_anndata(tmp_path, truth, layers=layers), memory_bytes=n + 50, cache_bytes=0) as dataset:
        for layer in ("a", "b", "a", None):
            np.testing.assert_array_equal(dataset.values(truth.var_labels[1], layer), truth.X[:, 1])
            assert len(dataset._budget._kept) == 1
        assert dataset.notes == ()


def big_csr(path, n_obs, n_var, per_row):
    """Write a file with a CSR of n_obs * per_row entries, every gene in a known row."""
    with h5py.File(path, "w") as file:
        for part, n in (("obs", n_obs), ("var", n_var)):
            group = file.create_group(part)
            group.attrs["_index"], group.attrs["column-order"] = "_index", np.empty(0)
            group["_index"] = np.array([f"{part}{number}".encode() for number in range(n)])
        indices = (np.arange(n_obs * per_row) % n_var).astype(np.int32)
        data = np.arange(n_obs * per_row, dtype=np.float32)
        X = file.create_group("X")
        X.attrs["encoding-type"], X.attrs["shape"] = "csr_matrix", (n_obs, n_var)
        X.create_dataset("indices", data=indices, chunks=(5000,), compression="lzf")
        X.create_dataset("data", data=data, chunks=(5000,), compression="lzf")
        X["indptr"] = np.arange(n_obs + 1, dtype=np.int64) * per_row
    return sp.csr_array((data, indices, np.arange(n_obs + 1) * per_row), shape=(n_obs, n_var))


@pytest.mark.parametrize("memory_bytes", [0, 2**30])
def test_reading_a_gene_takes_the_memory_of_a_block_besides_what_it_may_keep(tmp_path, monkeypatch, memory_bytes):
    n_obs, per_row = 20_000, 100
    X = big_csr(tmp_path / "big.h5ad", n_obs, 400, per_row)
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", 50_000)
    monkeypatch.setattr(sparse, "SORTED_ENTRIES", 200_000)
    with open_dataset(tmp_path / "big.h5ad", memory_bytes=memory_bytes, cache_bytes=0) as dataset:
        dataset.read_names()
        tracemalloc.start()
        found = dataset.values("var7")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        np.testing.assert_array_equal(found, X[:, [7]].toarray()[:, 0])
        np.testing.assert_array_equal(dataset.values("var399"), X[:, [399]].toarray()[:, 0])
    kept = 8 * X.nnz if memory_bytes else 0
    assert peak < kept + 8_000_000


def test_progress_of_sorting_reaches_the_session(tmp_path, monkeypatch):
    big_csr(tmp_path / "big.h5ad", 2_000, 50, 40)
    monkeypatch.setattr(sparse, "BLOCK_ENTRIES", 20_000)
    told = []
    with open_dataset(tmp_path / "big.h5ad") as dataset:
        session = Session(dataset, Settings(color="var3"), announce=told.append)
        session.coloring()
        done = [(frame.message.of, frame.message.done) for frame in told if frame.message.kind == "progress"]
        assert done == [("reading", 0.25), ("reading", 0.5), ("reading", 0.75), ("reading", 1.0)]
        session.close()
        assert dataset._lifetime._listeners == []


def test_close_closes_the_file(tmp_path):
    path = make_anndata(tmp_path)
    dataset = open_dataset(path)
    file = dataset._store.file
    dataset.embedding()
    dataset.close()
    assert not file
    with h5py.File(path, "r+") as again:
        again["uns/written"] = 1


def test_a_file_that_another_has_open_for_writing_is_not_locked_out(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[0]), truth.X[:, 0])
        with open(path, "r+b") as other:
            other.read(1)


@pytest.mark.parametrize(("container", "foreign"), [("h5ad", "zarr"), ("zarr3", "h5py")])
def test_each_container_imports_its_own_library_and_pandas_is_not_needed(tmp_path, truth, container, foreign):
    path = make_anndata(tmp_path, truth, container=container)
    code = f"""
import sys
from cxg_widget.datasets import open_dataset
with open_dataset({str(path)!r}) as d:
    d.embedding(); d.codes("cell_type"); d.obs_record(0)
print([m for m in ("pandas", "scipy", "tiledb", "anndata", {foreign!r}) if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("container", ["zarr2", "zarr3", "zip"])
def test_the_bytes_of_an_array_are_those_that_zarr_counts(tmp_path, container):
    path = make_anndata(tmp_path, layout="csc", container=container, chunks=16)
    root = zarr.open_group(zarr.storage.ZipStore(path, mode="r") if container == "zip" else path, mode="r")
    with open_dataset(path) as dataset:
        sizes = dataset.sizes
    for name in ("X/data", "obs/cell_type/codes", "obsm/X_pca"):
        assert sizes[name] == root[name].nbytes_stored()
