"""Stores to convert, and what they hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.datasets import Dataset
from tests.datasets.conftest import REAL
from tests.datasets.make_cxg import Truth, make_truth

N_OBS, N_VAR = 1600, 12
SETS = {"T cells": ("GENE0", "GENE3"), "none of them": ()}


@pytest.fixture(scope="session")
def real_data() -> Path:
    if not REAL.is_dir():
        pytest.skip("the real stores (../shared/data) are not on this machine")
    return REAL


def truth_with(share: float, n_axes: int = 6) -> Truth:
    """Return a truth of which about that share of the matrix holds a value; every category has a color.

    n_axes : how many axes the PCA has, which make most of a store's files
    """
    truth = make_truth(N_OBS, N_VAR)
    rng = np.random.default_rng(5)
    X = np.where(rng.random(truth.X.shape) < share, truth.X + np.float32(0.5), np.float32(0))
    X[:, 4], X[7, 3], X[9, 2] = 0, np.nan, -1.5
    labels = truth.obs["cell_type"].cat.categories
    colors = {"cell_type": {label: f"#{number:02x}8040" for number, label in enumerate(labels)}}
    embeddings = {name: xy[:, :n_axes] for name, xy in truth.embeddings.items() if name != "umap"}
    umap = truth.embeddings["umap"].copy()
    umap[4] = np.nan
    return replace(truth, X=X.astype(np.float32), colors=colors, embeddings={**embeddings, "umap": umap})


def genesets() -> dict:
    return {
        name: {"geneset_name": name, "geneset_description": "", "genes": [{"gene_symbol": gene} for gene in genes]}
        for name, genes in SETS.items()
    }


def assert_holds(dataset: Dataset, truth: Truth) -> None:
    """Assert that a dataset is the truth: values, obs, var, embeddings, categories and their order, colors, title."""
    import pandas as pd

    pd.testing.assert_frame_equal(dataset.obs(), truth.obs.rename_axis("cell" if dataset.format == "cxg" else None))
    assert list(dataset.var_labels) == truth.var_labels
    assert dataset.var()["feature_name"].tolist() == truth.aliases
    for position, name in enumerate(truth.var_labels):
        np.testing.assert_array_equal(dataset.values(name), truth.X[:, position], strict=True)
    assert dict(dataset.embeddings) == {name: values.shape[1] for name, values in truth.embeddings.items()}
    for name, values in truth.embeddings.items():
        for axis in range(values.shape[1] - 1):
            expected = values[:, axis : axis + 2].astype(np.float32)
            np.testing.assert_array_equal(dataset.embedding(name, (axis, axis + 1)), expected, strict=True)
    assert dataset.default_embedding == "umap"
    for column in truth.obs.columns:
        assert dataset.category_colors(column) == truth.colors.get(column, {})
