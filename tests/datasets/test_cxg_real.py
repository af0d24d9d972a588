"""The real CXGs, compared with plain TileDB reads done here."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore

STORES = (
    "cellguide",
    "dataset_with_int64",
    "dense_no_col_shift",
    "nan",
    "pbmc3k",
    "pbmc3k_sparse",
    "pbmc3k_v0",
    "spatial",
)
LOST_X = ("pbmc3k", "pbmc3k_sparse", "pbmc3k_v0", "spatial")


@pytest.fixture(scope="module", params=STORES)
def path(request, real_data):
    return real_data / "cxg" / f"{request.param}.cxg"


@pytest.fixture(scope="module")
def dataset(path):
    with open_dataset(path) as dataset:
        yield dataset


@pytest.fixture(scope="module")
def stored_obs(path):
    with tiledb.open(str(path / "obs")) as array:
        return array[:], json.loads(array.meta["cxg_schema"])


def test_obs_holds_what_is_stored(dataset, stored_obs):
    stored, hints = stored_obs
    frame = dataset.obs()
    assert frame.index.name == ("cell" if hints["index"] == "name_0" else hints["index"])
    assert frame.index.tolist() == stored[hints["index"]].tolist()
    assert list(frame.columns) == [name for name in stored if name != hints["index"]]
    for name in frame.columns:
        values, hint = stored[name], hints.get(name, {})
        categories = hint.get("categories")
        if categories is not None and values.dtype.kind == "i":
            values = np.array([*categories, None], dtype=object)[values]
        if categories is not None:
            assert frame[name].cat.categories.tolist() == [label for label in categories if label != "nan"]
            values = [None if label == "nan" else label for label in values]
            assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == list(values)
        elif hint.get("type") == "boolean":
            assert frame[name].dtype == bool
            assert frame[name].tolist() == values.astype(bool).tolist()
        else:
            np.testing.assert_array_equal(frame[name].to_numpy(), values)


def test_some_rows_of_obs_are_those_of_the_whole(dataset):
    rows = np.random.default_rng(3).integers(0, dataset.n_obs, 50)
    whole = dataset.obs()
    pd.testing.assert_frame_equal(dataset.obs(rows=rows), whole.iloc[rows])
    for name, value in dataset.obs_record(int(rows[0])).items():
        expected = whole[name].iloc[rows[0]]
        assert value == expected or (value is None and pd.isna(expected))


def test_var_holds_what_is_stored(dataset, path):
    with tiledb.open(str(path / "var")) as array:
        stored, hints = array[:], json.loads(array.meta["cxg_schema"])
    assert dataset.var_names.tolist() == dataset.var().index.tolist() == stored[hints["index"]].tolist()
    assert list(dataset.var().columns) == [name for name in stored if name != hints["index"]]
    if "feature_name" in stored:
        symbol = stored["feature_name"][7]
        assert dataset.find_var(symbol) == stored["feature_name"].tolist().index(symbol)
        identifier = stored["name_0"][7]
        assert dataset.find_var(identifier) == 7


def test_every_embedding_is_what_is_stored(dataset, path):
    folders = sorted(child.name for child in (path / "emb").iterdir() if child.is_dir())
    assert sorted(dataset.embeddings) == folders
    for name in folders:
        with tiledb.open(str(path / "emb" / name)) as array:
            stored = array[:]
        assert dataset.embeddings[name] == stored.shape[1]
        np.testing.assert_array_equal(dataset.embedding(name), stored[:, :2].astype(np.float32), strict=True)
        last = stored.shape[1] - 1
        np.testing.assert_array_equal(dataset.embedding(name, (last, 1)), stored[:, [last, 1]].astype(np.float32))
    assert dataset.default_embedding == (
        "spatial" if "spatial" in folders else "umap" if "umap" in folders else folders[0]
    )


def test_genes_are_what_is_stored_or_say_that_they_are_lost(dataset, path):
    if path.stem in LOST_X:
        sentences = []
        for name in dataset.var_names[:: dataset.n_var // 20]:
            try:
                dataset.values(name)
            except DamagedStore as error:
                sentences.append(str(error))
        assert sentences
        assert all(text.startswith(f"{path}: cannot read expression, column") for text in sentences)
        return
    X = np.zeros((dataset.n_obs, dataset.n_var), dtype=np.float32) if path.stem != "cellguide" else None
    if X is not None and (path / "Xc").exists():
        with tiledb.open(str(path / "Xr")) as array:
            cells = array[:]
        X[cells["obs"], cells["var"]] = cells[""]
    elif X is not None:
        with tiledb.open(str(path / "X")) as array:
            cells = array[:]
            if array.schema.sparse:
                X[cells["obs"], cells["var"]] = cells[""]
            else:
                X = cells
    for position in range(0, dataset.n_var, dataset.n_var // 20):
        values = dataset.values(dataset.var_labels[position])
        expected = np.zeros(dataset.n_obs, dtype=np.float32) if X is None else X[:, position]
        first = dataset.var_labels.index(dataset.var_labels[position])
        assert first == position
        np.testing.assert_array_equal(values, expected, strict=True)


def test_colors_are_keyed_by_the_column(dataset, path):
    colored = path.stem in ("pbmc3k", "pbmc3k_sparse")
    found = {name: dataset.category_colors(name) for name in dataset.obs_columns}
    assert {name for name, colors in found.items() if colors} == ({"louvain"} if colored else set())
    if colored:
        assert found["louvain"]["CD4 T cells"] == "#1f77b4"


def test_uns_that_lost_its_values_says_so(real_data):
    with open_dataset(real_data / "cxg" / "spatial.cxg") as dataset, pytest.raises(DamagedStore, match="uns"):
        _ = dataset.uns


def test_gene_sets_are_in_the_metadata_of_obs(real_data):
    path = real_data / "cxg" / "cellguide.cxg"
    with tiledb.open(str(path / "obs")) as array:
        stored = json.loads(array.meta["genesets"])
    with open_dataset(path) as dataset:
        assert list(dataset.gene_sets) == list(stored)
        for name, genes in dataset.gene_sets.items():
            assert list(genes) == list(dict.fromkeys(gene["gene_symbol"] for gene in stored[name]["genes"]))
        assert dataset.title == "cellguide.cxg"


def test_int64_and_boolean_columns_are_shown(real_data):
    with open_dataset(real_data / "cxg" / "dataset_with_int64.cxg") as dataset:
        assert dataset.obs_columns["int64_dtype"].kind == "int"
        assert dataset.numbers("int64_dtype").dtype == np.int64
        assert dataset.obs_columns["is_primary_data"].kind == "boolean"
        assert set(dataset.codes("is_primary_data").categories) == {False, True}


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("anndata/v0.7.0/adata.h5ad", "h5ad"),
        ("anndata/v0.7.0/adata.zarr.zip", "zarr"),
        ("anndata/new013.v3.zarr", "zarr"),
        ("atlas/atlas", "atlas"),
        ("tiledb_cf/a_xr", "tiledb-cf"),
        ("tiledb_cf/d_pts", "tiledb-cf"),
        ("tiledb_cf/c_legacy", "tiledb-cf"),
        ("mzpeak/small.chunked.mzpeak", "mzpeak"),
        ("mzpeak/small.unpacked.mzpeak", "mzpeak"),
    ],
)
def test_real_stores_of_other_kinds_are_told_apart(real_data, name, format_):
    with open_dataset(real_data / name) as dataset:
        assert dataset.format == format_


def test_a_real_array_alone_is_no_dataset(real_data):
    with pytest.raises(ValueError, match="single TileDB array"):
        open_dataset(real_data / "cxg/nan.cxg/obs")
