"""What the packages anndata and mudata wrote is what they were given; run where they are installed."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from cxg_widget.datasets import open_dataset

anndata = pytest.importorskip("anndata", reason="anndata writes what is read here: pip install anndata")

N_OBS, N_VAR = 140, 23
MATRICES = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "dense": np.asarray}
CONTAINERS = ("h5ad", "h5ad gzip", "zarr2", "zarr3")


def given(matrix: str = "csr", seed: int = 0):
    """Every type of column that anndata writes, each with and without missing values."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(N_OBS) < 0.2
    whole, yes = rng.integers(-(2**40), 2**40, N_OBS), rng.random(N_OBS) < 0.5
    labels = np.array(["T cell", "B cell, γδ", "nan", "unused"])
    codes = rng.integers(0, 3, N_OBS)
    name = np.array([f"d{number % 5} ü" for number in range(N_OBS)], dtype=object)
    obs = pd.DataFrame(
        {
            "categorical": pd.Categorical.from_codes(codes, labels),
            "categorical with gaps": pd.Categorical.from_codes(np.where(gaps, -1, codes), labels[::-1], ordered=True),
            "numbered": pd.Categorical(rng.choice([30, 4, 11], N_OBS)),
            "text": pd.array(name, dtype="str"),
            "text with gaps": pd.array(np.where(gaps, None, name), dtype="string"),
            "whole": whole,
            "whole with gaps": pd.arrays.IntegerArray(whole, gaps),
            "small": rng.integers(-100, 100, N_OBS).astype(np.int8),
            "unsigned": rng.integers(0, 2**32, N_OBS).astype(np.uint32),
            "yes": yes,
            "yes with gaps": pd.arrays.BooleanArray(yes, gaps),
            "float32": rng.normal(size=N_OBS).astype(np.float32),
            "float64 with gaps": np.where(gaps, np.nan, rng.normal(size=N_OBS)),
        },
        index=[f"cell {number} é" for number in range(N_OBS)],
    )
    var = pd.DataFrame(
        {"feature_name": [f"gene {i}" for i in range(N_VAR)]}, index=[f"ENSG{i:05}" for i in range(N_VAR)]
    )
    X = rng.poisson(1.0, (N_OBS, N_VAR)).astype(np.float32)
    X[:, 5] = 0
    adata = anndata.AnnData(MATRICES[matrix](X), obs, var)
    adata.obsm["X_umap"] = rng.normal(size=(N_OBS, 2))
    adata.obsm["X_pca"] = rng.normal(size=(N_OBS, 7)).astype(np.float32)
    adata.layers["doubled"] = MATRICES[matrix](2 * X)
    adata.uns["categorical_colors"] = np.array(["#ff0000", "#00ff00", "#0000ff", "#123456"])
    return adata


def write(adata, folder, container: str):
    with anndata.settings.override(allow_write_nullable_strings=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # categories that are not used, Zarr formats
        if container.startswith("h5ad"):
            adata.write_h5ad(folder / "one.h5ad", compression="gzip" if "gzip" in container else None)
            return folder / "one.h5ad"
        with anndata.settings.override(zarr_write_format=int(container[-1])):
            adata.write_zarr(folder / "one.zarr")
        return folder / "one.zarr"


def assert_holds(dataset, adata) -> None:
    """Compare all of a dataset; a category called "nan" is one like others."""
    theirs, ours = adata.obs, dataset.obs()
    assert ours.index.tolist() == theirs.index.tolist()
    assert ours.columns.tolist() == theirs.columns.tolist()
    for name in theirs:
        gone = theirs[name].isna().to_numpy()
        assert ours[name].isna().to_numpy().tolist() == gone.tolist(), name
        assert ours[name][~gone].tolist() == theirs[name][~gone].tolist(), name
        if isinstance(theirs[name].dtype, pd.CategoricalDtype):
            known = theirs[name].cat.categories.tolist()
            assert [one for one in ours[name].cat.categories.tolist() if one in known] == known, name
    X = np.asarray(adata.X.todense()) if sp.issparse(adata.X) else adata.X
    for position, gene in enumerate(adata.var_names):
        np.testing.assert_array_equal(dataset.values(gene), X[:, position], strict=True)
    for key in adata.obsm:
        np.testing.assert_array_equal(
            dataset.embedding(key.removeprefix("X_")), adata.obsm[key][:, :2].astype(np.float32)
        )


@pytest.fixture(scope="module", params=CONTAINERS)
def container(request):
    return request.param


@pytest.mark.parametrize("matrix", MATRICES)
def test_what_anndata_wrote_is_what_it_was_given(tmp_path, container, matrix):
    adata = given(matrix)
    with open_dataset(write(adata, tmp_path, container)) as dataset:
        assert_holds(dataset, adata)
        colors = dict(zip(adata.obs["categorical"].cat.categories, adata.uns["categorical_colors"], strict=True))
        assert dataset.category_colors("categorical").items() <= colors.items()
        assert len(dataset.category_colors("categorical")) >= 3


def test_layers_and_raw_that_anndata_wrote_are_what_it_was_given(tmp_path, container):
    adata = given()
    adata.raw = adata.copy()
    adata = adata[:, ::2].copy()
    path = write(adata, tmp_path, container)
    with open_dataset(path) as dataset:
        for position, gene in enumerate(adata.var_names):
            np.testing.assert_array_equal(
                dataset.values(gene, layer="doubled"), adata.layers["doubled"].toarray()[:, position]
            )
        for gene in adata.raw.var_names:
            np.testing.assert_array_equal(dataset.values(gene, layer="raw"), adata.raw[:, gene].X.toarray().ravel())


def test_an_anndata_without_x_that_anndata_wrote_opens(tmp_path, container):
    adata = anndata.AnnData(obs=given().obs, obsm={"X_umap": given().obsm["X_umap"]})
    with open_dataset(write(adata, tmp_path, container)) as dataset:
        assert dataset.n_var == 0
        assert dataset.obs()["whole"].tolist() == adata.obs["whole"].tolist()
        np.testing.assert_array_equal(dataset.embedding("umap"), adata.obsm["X_umap"].astype(np.float32))


@pytest.mark.parametrize("suffix", ["h5mu", "zarr"])
def test_each_part_that_mudata_wrote_is_what_it_was_given(tmp_path, suffix):
    mudata = pytest.importorskip("mudata", reason="mudata writes what is read here: pip install mudata")
    parts = {"rna": given("csr", 1), "prot": given("dense", 2)[:90, :6].copy()}
    path = tmp_path / f"both.{suffix}"
    with warnings.catch_warnings(), anndata.settings.override(allow_write_nullable_strings=True):
        warnings.simplefilter("ignore")
        both = mudata.MuData({name: one.copy() for name, one in parts.items()})
        both.write(path) if suffix == "h5mu" else both.write_zarr(path)
    for name, adata in parts.items():
        with open_dataset(path, key=name) as dataset:
            assert_holds(dataset, adata)
