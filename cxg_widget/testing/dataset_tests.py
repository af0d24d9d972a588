"""The laws that every store's `Dataset` obeys, as one class of tests."""

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
    """Tests a store: a subclass, or its module, gives the fixture `store`, and pytest runs every law over it.

    `store` returns what `open_dataset` takes, and the `Truth` that lies there; it has the scope "class" or "module",
    and may have params, one for each layout. Where opening needs options, override `reopen`. Laws of vars are skipped
    where the truth has none.

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
        """Return what the store holds."""
        truth: Truth = store[1]
        return truth

    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store: tuple[Any, ...]) -> Reopen:
        """Return what opens the store once more, with options, for a law that begins with nothing read."""
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
        """Open the store for all laws, as one that keeps nothing it has read."""
        with reopen(cache_bytes=0) as dataset:
            yield dataset

    @pytest.fixture
    def with_vars(self, truth: Truth) -> None:
        """Skip a law of vars where there are none."""
        if not truth.var_labels:
            pytest.skip("this store has no vars")
