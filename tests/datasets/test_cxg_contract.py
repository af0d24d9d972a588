"""The contract over every version and layout of CXG."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.testing import DatasetTests
from tests.datasets.make_cxg import LAYOUTS, VERSIONS, make_cxg, make_truth, write_matrix

# `Xr` and `Xc` came with 0.3.0
STORES = [one for one in product(VERSIONS, LAYOUTS) if "columns" not in one or "0.3.0" in one]


@pytest.fixture(scope="module", params=STORES, ids="-".join)
def store(request, tmp_path_factory):
    version, layout = request.param
    truth = make_truth()
    if version == "0.0":
        truth.title, truth.colors = "small.cxg", {}
    path = make_cxg(tmp_path_factory.mktemp("cxg") / "small.cxg", truth, layout, version)
    truth.obs = truth.obs.rename_axis("cell")
    return path, truth


class TestCxg(DatasetTests):
    def test_title_default_embedding_and_colors_are_those_of_the_store(self, dataset, truth):
        assert dataset.format == "cxg"
        assert dataset.title == truth.title
        assert dataset.default_embedding == "umap"
        for column in truth.obs.columns:
            assert dataset.category_colors(column) == truth.colors.get(column, {})
        assert dataset.notes == ()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_column_shift_is_added_back_to_every_cell(make, small_truth, layout):
    shift = np.linspace(-1, 3, small_truth.X.shape[1]).astype(np.float32)
    shift[4] = 0
    with open_dataset(make(layout, "0.2.0", shift=shift)) as dataset:
        for position, name in enumerate(small_truth.var_labels):
            np.testing.assert_allclose(dataset.values(name), small_truth.X[:, position], atol=1e-6)


def test_with_a_shift_the_rows_left_out_are_worth_the_shift(make, small_truth):
    shift = np.full(small_truth.X.shape[1], 0.5, dtype=np.float32)
    X = small_truth.X.copy()
    X[X == 0] = 0.5
    small = type(small_truth)(**{**vars(small_truth), "X": X})
    path = make(parts=("obs", "var", "emb"))
    write_matrix(path, small.X, "sparse", shift)
    with open_dataset(path) as dataset:
        vector = dataset.vector(small.var_labels[0])
        assert vector.fill == 0.5
        assert len(vector.values) == np.count_nonzero(X[:, 0] != 0.5)
        np.testing.assert_allclose(vector.dense(dataset.n_obs), X[:, 0], atol=1e-6)
