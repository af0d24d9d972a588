"""The contract over dataspaces of every writer, and over other choices of observations."""

from __future__ import annotations

import pytest

from cxg_widget.testing import DatasetTests
from tests.datasets.make_cf import WRITERS, make_cf


@pytest.fixture(scope="module", params=WRITERS)
def store(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("cf") / "toy.cf"
    return path, make_cf(path, request.param)


class TestCf(DatasetTests):
    def test_the_store_is_known_and_opens_without_a_word(self, dataset, truth):
        assert dataset.format == "tiledb-cf"
        assert dataset.title == truth.title
        assert dataset.default_embedding == "lon_lat"
        assert dataset.notes == ()
