"""The contract over every layout and generation of RaggedAtlas."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget.testing import DatasetTests
from tests.datasets.make_atlas import LAYOUTS, RECORDS, make_atlas, make_truth

STORES = [("new", layout) for layout in LAYOUTS] + [(records, "bitpacked") for records in RECORDS[1:]]
STORES += [("shuffled", layout) for layout in LAYOUTS[::2]]


@pytest.fixture(scope="module", params=STORES, ids="-".join)
def store(request, tmp_path_factory):
    records, layout = request.param
    truth = make_truth()
    path = tmp_path_factory.mktemp("atlas") / "atlas"
    if records != "shuffled":
        return make_atlas(path, truth, layout, records, later=True), truth
    order = np.random.default_rng(3).permutation(len(truth.obs))
    make_atlas(path, truth, layout, order=order)
    truth.X, truth.obs = truth.X[order], truth.obs.iloc[order]
    truth.embeddings = {name: values[order] for name, values in truth.embeddings.items()}
    return path, truth


class TestAtlas(DatasetTests):
    def test_title_default_embedding_and_snapshot_are_those_of_the_store(self, dataset, truth):
        assert dataset.format == "atlas"
        assert dataset.title == truth.title
        assert dataset.default_embedding == "umap"
        assert dataset.snapshot == 1
