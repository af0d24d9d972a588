"""`DatasetTests`: the laws for every store's `Dataset`, as one class of tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cxg_widget.datasets import Dataset, open_dataset
from cxg_widget.testing.embeddings import EmbeddingLaws
from cxg_widget.testing.helpers import Reopen
from cxg_widget.testing.matrix import MatrixLaws
from cxg_widget.testing.obs import ObsLaws
from cxg_widget.testing.truth import Truth
from cxg_widget.testing.whole import WholeLaws


class DatasetTests(ObsLaws, MatrixLaws, EmbeddingLaws, WholeLaws):
    """Tests of a store: subclass it and define the fixture `store`; pytest then checks every law.

    `store` returns the argument of `open_dataset` and the `Truth` of that store. Its scope is "class" or "module"; it
    may have params, such as one per layout. Override `reopen` if opening needs options. Laws about vars are skipped if
    the truth has none.

    Examples
    --------
    >>> class TestPoints(DatasetTests):  # doctest: +SKIP
    ...     @pytest.fixture(scope="class")
    ...     @classmethod
    ...     def store(cls, tmp_path_factory):
    ...         return write_points(tmp_path_factory.mktemp("points"))
    """

    @pytest.fixture(scope="class")
    @classmethod
    def truth(cls, store: tuple[Any, ...]) -> Truth:
        """Return the expected contents of the store."""
        truth: Truth = store[1]
        return truth

    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store: tuple[Any, ...]) -> Reopen:
        """Return a function that opens the store again, with options, for laws that start with an empty cache."""
        return lambda **options: open_dataset(store[0], **options)

    @pytest.fixture(scope="class")
    @classmethod
    def dataset(cls, reopen: Reopen) -> Iterator[Dataset]:
        """Open the store for all laws."""
        with reopen() as dataset:
            yield dataset

    @pytest.fixture(scope="class")
    @classmethod
    def uncached(cls, reopen: Reopen) -> Iterator[Dataset]:
        """Open the store for all laws, without a cache."""
        with reopen(cache_bytes=0) as dataset:
            yield dataset

    @pytest.fixture
    def with_vars(self, truth: Truth) -> None:
        """Skip a law about vars if the store has none."""
        if not truth.var_labels:
            pytest.skip("this store has no vars")
