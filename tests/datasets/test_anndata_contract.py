"""The contract over every version, layout and container of AnnData."""

from __future__ import annotations

from itertools import product

import pytest

from cxg_widget.testing import DatasetTests
from tests.datasets.make_anndata import CONTAINERS, LAYOUTS, WRITERS, make_anndata, truth_of


def _is_tried(writer: str, layout: str, container: str) -> bool:
    """Say whether a triple is tried: each pair of writer, layout and container is, and for h5ad all of them."""
    if container == "h5ad":
        return True
    turn = WRITERS.index(writer) + CONTAINERS.index(container)
    return writer != "0.5" and LAYOUTS.index(layout) == turn % len(LAYOUTS)


VARIANTS = [variant for variant in product(WRITERS, LAYOUTS, CONTAINERS) if _is_tried(*variant)]


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def store(request, tmp_path_factory):
    writer, layout, container = request.param
    truth = truth_of(writer)
    folder = tmp_path_factory.mktemp("anndata")
    return make_anndata(folder, truth, writer=writer, layout=layout, container=container, chunks=16), truth


class TestAnnData(DatasetTests):
    def test_title_default_embedding_axis_and_colors_are_those_of_the_store(self, dataset, truth, store):
        assert dataset.format == ("h5ad" if store[0].suffix == ".h5ad" else "zarr")
        assert dataset.title == store[0].name
        assert dataset.default_embedding == "umap"
        layout = dataset.details["X"]["layout"]
        assert dataset.major_axis == ("var" if layout == "csc" else "obs")
        for column in truth.obs.columns:
            assert dataset.category_colors(column) == truth.colors.get(column, {})
        assert dataset.notes == ()
