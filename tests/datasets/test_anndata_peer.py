"""Every store of the contract is what the package anndata reads from it; run where anndata is installed."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import zarr

from cxg_widget.datasets import open_dataset
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.test_anndata_contract import VARIANTS

anndata = pytest.importorskip("anndata", reason="anndata is compared where it is installed: pip install anndata")


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def path(request, tmp_path_factory):
    writer, layout, container = request.param
    truth = truth_of(writer) if writer != "0.5" else in_ascii(truth_of(writer))
    folder = tmp_path_factory.mktemp("anndata")
    return make_anndata(folder, truth, writer=writer, layout=layout, container=container, chunks=16)


def in_ascii(truth):
    """anndata of today reads tables of records as ASCII."""
    cell_type = truth.obs["cell_type"].cat.rename_categories(lambda label: label.replace("γδ", "gd"))
    donor = truth.obs["donor"].str.replace(" ü", "")
    return replace(truth, obs=truth.obs.assign(cell_type=cell_type, donor=donor))


@pytest.fixture(scope="module")
def adata(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the older encodings
        if path.suffix == ".h5ad":
            return anndata.read_h5ad(path)
        return anndata.read_zarr(zarr.storage.ZipStore(path, mode="r") if path.suffix == ".zip" else path)


@pytest.fixture(scope="module")
def dataset(path, adata):
    """HDF5 opens no file a second time with other locks, so that anndata is done with it first."""
    with open_dataset(path) as dataset:
        yield dataset


def assert_same_table(ours, theirs):
    assert ours.columns.tolist() == theirs.columns.tolist()
    assert ours.index.tolist() == theirs.index.tolist()
    for name in theirs.columns:
        one, other = ours[name], theirs[name]
        assert one.isna().tolist() == other.isna().tolist(), name
        if isinstance(one.dtype, pd.CategoricalDtype) and isinstance(other.dtype, pd.CategoricalDtype):
            assert one.cat.categories.tolist() == other.cat.categories.tolist(), name
            assert one.cat.ordered == other.cat.ordered, name
        elif one.dtype.kind in "biuf" and other.dtype.kind in "biuf":
            assert one.dtype == other.dtype, name
        assert one.dropna().tolist() == other.dropna().tolist(), name


def test_obs_and_var_are_what_anndata_reads(dataset, adata):
    assert_same_table(dataset.obs(), adata.obs)
    assert_same_table(dataset.var(), adata.var)


def test_obsm_is_what_anndata_reads(dataset, adata):
    assert {name.removeprefix("X_") for name in adata.obsm} == set(dataset.embeddings)
    for key in adata.obsm:
        theirs, name = np.asarray(adata.obsm[key]), key.removeprefix("X_")
        assert dataset.embeddings[name] == theirs.shape[1]
        for axes in ((0, 1), (theirs.shape[1] - 1, 0)):
            np.testing.assert_array_equal(dataset.embedding(name, axes), theirs[:, axes].astype(np.float32))


def test_every_gene_is_the_column_that_anndata_reads(dataset, adata):
    X = adata.X if isinstance(adata.X, np.ndarray) else adata.X.toarray()
    for position, name in enumerate(adata.var_names):
        np.testing.assert_array_equal(dataset.values(name), X[:, position], strict=True)
