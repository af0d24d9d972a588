"""The real AnnData files, compared with plain h5py and SciPy reads done here."""

from __future__ import annotations

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from cxg_widget.datasets import open_dataset

TOYS = ("new013.h5ad", "new013.v3.zarr")
OLD = ("v0.7.0/adata.h5ad", "v0.7.0/adata.zarr.zip")


@pytest.fixture(params=TOYS)
def toy(request, real_data):
    with open_dataset(real_data / "anndata" / request.param) as dataset:
        yield dataset


@pytest.fixture(params=OLD)
def old(request, real_data):
    with open_dataset(real_data / "anndata" / request.param) as dataset:
        yield dataset


@pytest.fixture
def old_file(real_data):
    with h5py.File(real_data / "anndata" / "v0.7.0/adata.h5ad", locking=False) as file:
        yield file


def sparse_of(group):
    parts = (group["data"][:], group["indices"][:], group["indptr"][:])
    return sp.csr_array(parts, shape=tuple(group.attrs["shape"])).toarray()


def test_every_gene_of_the_newest_writer_is_the_truth_in_every_layer(toy, real_data):
    X = np.load(real_data / "anndata" / "new013.truth.npz")["X"]
    assert toy.layers == ("csc", "dense", "raw")
    with h5py.File(real_data / "anndata" / "new013.h5ad", locking=False) as file:
        dense = file["layers/dense"][:]
        raw = sparse_of(file["raw/X"])
    for position, name in enumerate(toy.var_labels):
        np.testing.assert_array_equal(toy.values(name), X[:, position])
        np.testing.assert_array_equal(toy.values(name, "dense"), dense[:, position])
        np.testing.assert_array_equal(toy.values(name, "csc"), X[:, position])
        assert toy.find_var(f"GENE{position}") == position
    for position in range(100):
        np.testing.assert_array_equal(toy.values(f"r{position}", "raw"), raw[:, position])


def test_columns_of_the_newest_writer_are_of_the_kinds_it_wrote(toy):
    kinds = {name: column.kind for name, column in toy.obs_columns.items()}
    assert kinds == dict.fromkeys(("cat", "cat_na", "cat_int", "cat_ord", "cat_bool", "s_na"), "categorical") | {
        "s": "string", "b": "boolean", "nb": "boolean", "ni": "int", "i8": "int", "i64": "int", "u8": "int",
        "f": "float", "fnan": "float",
    }  # fmt: skip
    frame = toy.obs()
    assert frame.index.name is None
    assert frame.index.tolist() == [f"c{number}" for number in range(200)]
    assert frame["cat_ord"].cat.ordered
    assert frame["cat_int"].cat.categories.dtype.kind == "i"
    assert frame["cat_bool"].cat.categories.tolist() == [False, True]
    assert frame["i64"].dtype == np.int64
    assert pd.isna(frame["nb"].iloc[0])
    assert pd.isna(frame["ni"].iloc[0])
    assert frame["ni"].iloc[1:4].tolist() == [1, 2, 3]
    assert toy.codes("cat_na").codes.min() == -1


def test_categories_codes_and_masks_are_those_that_h5py_reads(toy, real_data):
    with h5py.File(real_data / "anndata" / "new013.h5ad", locking=False) as file:
        for name in ("cat", "cat_na", "cat_int", "cat_ord", "cat_bool", "s_na"):
            stored = file[f"obs/{name}/categories"][:].tolist()
            labels = [one.decode() if isinstance(one, bytes) else one for one in stored]
            assert list(toy.codes(name).categories) == labels
            np.testing.assert_array_equal(toy.codes(name).codes, file[f"obs/{name}/codes"][:])
        mask = file["obs/ni/mask"][:]
        expected = np.where(mask, np.nan, file["obs/ni/values"][:])
        np.testing.assert_array_equal(toy.numbers("ni"), expected)


def test_embeddings_of_the_newest_writer_leave_out_what_is_no_plane(toy, real_data):
    assert dict(toy.embeddings) == {"pca": 10, "umap": 2, "df": 2, "spatial": 2}
    assert toy.default_embedding == "umap"
    assert sorted(note.partition(" ")[0] for note in toy.notes) == ["obsm/one", "obsm/spm"]
    with h5py.File(real_data / "anndata" / "new013.h5ad", locking=False) as file:
        np.testing.assert_array_equal(toy.embedding("X_umap"), file["obsm/X_umap"][:].astype(np.float32))
        pair = np.column_stack([file["obsm/df/v"][:], file["obsm/df/u"][:]]).astype(np.float32)
        np.testing.assert_array_equal(toy.embedding("df", (1, 0)), pair)


def test_title_and_colors_come_from_uns(toy):
    assert toy.title == "toy"
    assert toy.category_colors("cat") == {"a": "#ff0000", "b": "#00ff00", "c": "#0000ff"}


def test_version_0_7_finds_categories_by_reference_and_by_name(old, old_file):
    for name in ("obs_cat", "cat_ordered"):
        stored = [one.decode() for one in old_file[f"obs/__categories/{name}"][:]]
        assert list(old.codes(name).categories) == stored
        np.testing.assert_array_equal(old.codes(name).codes, old_file[f"obs/{name}"][:])
        assert old.codes(name).ordered == (name == "cat_ordered")
    assert old.var()["var_cat"].cat.categories.tolist() == [
        one.decode() for one in old_file["var/__categories/var_cat"]
    ]


def test_version_0_7_has_matrices_of_all_kinds(old, old_file):
    expected = {None: sparse_of(old_file["X"]), "array": old_file["layers/array"][:]}
    expected["sparse"] = sparse_of(old_file["layers/sparse"])
    for layer, matrix in expected.items():
        for position, name in enumerate(old.var_labels):
            np.testing.assert_allclose(old.values(name, layer), matrix[:, position], rtol=1e-6)
    raw = sparse_of(old_file["raw/X"])
    for position in range(40):
        np.testing.assert_array_equal(old.values(f"gene{position}", "raw"), raw[:, position])


def test_a_table_in_obsm_is_an_embedding_of_its_numbers(old, old_file):
    assert dict(old.embeddings) == {"array": 50, "df": 3}
    pair = np.column_stack([old_file["obsm/df/float64"][:], old_file["obsm/df/uint8"][:]])
    np.testing.assert_array_equal(old.embedding("df", (1, 2)), pair.astype(np.float32))


def test_records_of_version_0_5_are_read_column_by_column(real_data):
    path = real_data / "anndata" / "v0.5.0/adata.h5ad"
    with open_dataset(path) as dataset, h5py.File(path, locking=False) as file:
        obs = file["obs"][:]
        assert list(dataset.obs_columns) == list(obs.dtype.names[1:])
        assert dataset.obs_names().tolist() == [one.decode() for one in obs["index"]]
        np.testing.assert_array_equal(dataset.numbers("n_counts"), obs["n_counts"])
        for name in ("bulk_labels", "phase", "louvain"):
            assert list(dataset.codes(name).categories) == [one.decode() for one in file[f"uns/{name}_categories"]]
            np.testing.assert_array_equal(dataset.codes(name).codes, obs[name])
        np.testing.assert_array_equal(dataset.embedding("umap"), file["obsm"]["X_umap"].astype(np.float32))
        np.testing.assert_array_equal(dataset.embedding("pca", (49, 3)), file["obsm"]["X_pca"][:, [49, 3]])
        raw = sp.csr_array((file["raw.X/data"][:], file["raw.X/indices"][:], file["raw.X/indptr"][:])).toarray()
        names = [one.decode() for one in file["raw.var"]["index"]]
        for name in names[::50]:
            np.testing.assert_array_equal(dataset.values(name), file["X"][:, dataset.find_var(name)])
            np.testing.assert_array_equal(dataset.values(name, "raw"), raw[:, names.index(name)])
        colors = [one.decode() for one in file["uns/louvain_colors"]]
        assert list(dataset.category_colors("louvain").values()) == [color.lower() for color in colors]
