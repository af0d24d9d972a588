"""What is read when: opening reads records and schemas, a gene the arrays of the groups that have it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.atlas.arrays import FolderStore
from cxg_widget.datasets.atlas.lance_tables import LanceTable
from tests.datasets.make_atlas import make_atlas, make_truth


@pytest.fixture
def truth():
    return make_truth()


@pytest.fixture
def chunks(monkeypatch):
    """The keys of all data files of arrays that were asked for."""
    found: list[str] = []
    original = FolderStore.get

    async def get(self, key, prototype=None, byte_range=None):
        if not key.endswith("zarr.json"):
            found.append(key)
        return await original(self, key, prototype, byte_range)

    monkeypatch.setattr(FolderStore, "get", get)
    return found


@pytest.fixture
def columns(monkeypatch):
    """The columns of tables that were read, as (table, columns)."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for name in ("read", "batches"):
        original = getattr(LanceTable, name)

        def counted(self, columns, *args, _original=original, **options):
            found.append((self.name, tuple(columns)))
            return _original(self, columns, *args, **options)

        monkeypatch.setattr(LanceTable, name, counted)
    return found


def arrays_of(chunks):
    return {key.split("/c/")[0] for key in chunks}


def test_opening_reads_the_record_and_the_datasets_and_nothing_of_obs(tmp_path, truth, chunks, columns):
    with open_dataset(make_atlas(tmp_path / "a", truth, "mixed")) as dataset:
        assert dataset.obs_columns
        assert dataset.embeddings["pca"] == 10
        repr(dataset)
        assert {table for table, _ in columns} == {"atlas_versions", "datasets"}
        assert chunks == []


def test_one_column_reads_that_column_once(tmp_path, truth, chunks, columns):
    with open_dataset(make_atlas(tmp_path / "a", truth)) as dataset:
        columns.clear()
        for _ in range(2):
            dataset.codes("cell_type")
            dataset.numbers("n_genes")
        assert columns == [("cells", ("cell_type",)), ("cells", ("n_genes",))]
        assert chunks == []


def test_an_embedding_reads_its_own_column(tmp_path, truth, chunks, columns):
    with open_dataset(make_atlas(tmp_path / "a", truth)) as dataset:
        columns.clear()
        dataset.embedding("pca", (3, 7))
        assert columns == [("cells", ("X_pca",))]
        assert chunks == []


def test_a_gene_touches_only_the_groups_that_have_it(tmp_path, truth, chunks):
    with open_dataset(make_atlas(tmp_path / "a", truth, "csc")) as dataset:
        dataset.values("ENSG0008")
        assert {name.split("/")[0] for name in arrays_of(chunks)} == {"a", "b"}
        chunks.clear()
        dataset.values("ENSG0000")
        assert {name.split("/")[0] for name in arrays_of(chunks)} == {"a", "c"}


def test_where_there_is_csc_nothing_of_csr_is_read(tmp_path, truth, chunks):
    with open_dataset(make_atlas(tmp_path / "a", truth, "mixed")) as dataset:
        dataset.values("ENSG0005")
        read = arrays_of(chunks)
        assert {name for name in read if name.startswith(("a/", "c/"))} == {
            f"{group}/genes/csc/{array}" for group in "ac" for array in ("indptr", "indices", "layers/counts")
        }
        assert {name for name in read if name.startswith("b/")} == {
            "b/genes/csr/indices",
            "b/genes/csr/layers/counts",
        }


def test_another_gene_reads_no_pointers_again(tmp_path, truth, columns):
    with open_dataset(make_atlas(tmp_path / "a", truth, "csr")) as dataset:
        dataset.values("ENSG0005")
        assert ("cells", ("zarr_group", "zarr_row")) in columns
        columns.clear()
        dataset.values("ENSG0001")
        assert [table for table, _ in columns] == ["_feature_layouts"]


def test_one_gene_of_a_large_csc_reads_its_slice_alone(tmp_path, chunks):
    truth = make_truth()
    rng = np.random.default_rng(1)
    truth.X = np.where(np.isnan(truth.X), np.nan, rng.integers(1, 9, truth.X.shape)).astype(np.float32)
    with open_dataset(make_atlas(tmp_path / "a", truth, "csc")) as dataset:
        dataset.values("ENSG0000")
        chunks.clear()
        dataset.values("ENSG0001")
        # 225 entries of dataset a lie in two chunks of 128; one of them holds the 25 of this gene.
        assert Counter(arrays_of(chunks) & {"a/genes/csc/indices"}).total() == 1
        assert sum(key.startswith("a/genes/csc/indices") for key in chunks) <= 2


def test_lines_of_the_matrix_read_the_entries_of_their_cells(tmp_path, truth, chunks):
    with open_dataset(make_atlas(tmp_path / "a", truth, "bitpacked")) as dataset:
        dataset.matrix_block(50, 53)
        assert {name.split("/")[0] for name in arrays_of(chunks)} == {"c"}
        chunks.clear()
        dataset.matrix_block(56, 60)
        assert chunks == []


def test_asking_all_readers_imports_the_library_of_none():
    code = (
        "import sys; from cxg_widget.datasets.readers import registered; registered(); "
        "print([m for m in ('lance', 'zarr', 'pyarrow', 'tiledb', 'h5py', 'scipy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_identity_is_kept_while_nothing_is_written_and_is_another_elsewhere(tmp_path, truth):
    path = make_atlas(tmp_path / "a", truth)
    with open_dataset(path) as one, open_dataset(path) as same:
        assert one.identity == same.identity
        with open_dataset(path, version=0) as older:
            assert older.identity != one.identity
        with open_dataset(make_atlas(tmp_path / "b", truth)) as other:
            assert other.identity.split("#")[1] != one.identity.split("#")[1]
