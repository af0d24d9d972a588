"""The contract over experiments that tiledbsoma wrote: from an AnnData, and with gaps and a column of every type."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget.testing import DatasetTests
from tests.datasets.read_soma import arrays, truth_of, unpack


@pytest.fixture(scope="module", params=["whole", "gaps"])
def store(request, tmp_path_factory):
    return unpack(tmp_path_factory.mktemp("soma")) / f"{request.param}.soma", truth_of(request.param)


class TestSoma(DatasetTests):
    def test_it_is_found_and_opens_with_its_umap(self, dataset, store):
        assert dataset.format == "soma"
        assert dataset.title == store[0].name
        assert dataset.default_embedding == "umap"

    def test_rows_in_any_order_and_twice_are_those_of_the_matrix(self, dataset, truth):
        rows = np.array([0, 3, 17, 18, 59])
        found = np.concatenate([block.dense(9) for block in dataset.rows_of(rows)])
        np.testing.assert_array_equal(found, truth.X[rows])

    def test_a_layer_has_its_own_values(self, dataset, truth):
        name = "counts" if "counts" in dataset.layers else "normalized"
        expected = truth.X * 2 if name == "counts" else truth.X + np.float32(0.5)
        for position, label in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(label, name), expected[:, position])
        rows = np.array([1, 2, 40])
        found = np.concatenate([block.dense(9) for block in dataset.rows_of(rows, name)])
        np.testing.assert_array_equal(found, expected[rows])


def test_the_truth_has_gaps():
    assert (np.diff(arrays()["gaps/obs/soma_joinid"]) > 1).any()
    assert (np.diff(arrays()["gaps/var"]) > 1).any()
