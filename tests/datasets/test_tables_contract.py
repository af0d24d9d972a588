"""Tables of every kind obey the laws of a dataset."""

from __future__ import annotations

import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.testing import DatasetTests
from tests.datasets.make_tables import GENES, MAKE, NAMED, make_frame, named, truth_of


@pytest.fixture(scope="module", params=MAKE)
def made(request, tmp_path_factory):
    frame = named(make_frame()) if request.param in NAMED else make_frame()
    source = MAKE[request.param](frame, tmp_path_factory.mktemp("tables"))
    return request.param, source, truth_of(frame, GENES, [gene.removeprefix("gene_") for gene in GENES])


class TestTables(DatasetTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, made):
        return made[1:]

    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store):
        return lambda **options: open_dataset(store[0], var="gene_", **options)

    def test_it_has_no_notes_and_begins_with_the_umap(self, dataset):
        assert dataset.notes == ()
        assert dataset.default_embedding == "UMAP"
        assert dataset.axis_names("PC", (0, 2)) == ("PC1", "PC3")
        assert dataset.axis_labels("PC") is None
