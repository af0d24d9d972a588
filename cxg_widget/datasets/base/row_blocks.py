"""Contiguous rows of columns, vectors and embeddings, so that no more of a large store is in memory than is wanted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.columns import row_blocks
from cxg_widget.datasets.base.embeddings import Embeddings
from cxg_widget.datasets.base.labels import Labels
from cxg_widget.datasets.base.values import Codes, Column, Kind, Values, as_codes, as_numbers, as_plain
from cxg_widget.datasets.base.vectors import Vectors
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found

MAX_LABELS = 65_534


class RowBlocks(Vectors, Embeddings):
    """The part of a `Dataset` that reads rows start <= row < stop and none besides, where the store's layout allows it.

    Nothing read here is kept in the cache, but for what a store must read whole. Codes mean the same categories in
    every block, and put behind each other the blocks are what `codes`, `numbers`, `vector` and `embedding` return.
    """

    obs_columns: Mapping[str, Column]
    obs_index: str | None = None

    @abstractmethod
    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read one obs column, the index column included, in the order of `rows` (None = all).

        Categorical columns come as `Codes` with all of the column's categories whatever the rows; booleans as bool,
        numbers in their own type, strings as objects of str or packed.
        """

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop of a column, as `_read_obs` does."""
        return self._read_obs(name, np.arange(start, stop))

    def codes_block(self, column: str, start: int, stop: int) -> Codes:
        """Return rows of a categorical, boolean, string or (forced) integer obs column as codes; errors as `codes`.

        Of a column that stores its labels, the first block reads all rows once, to know the categories.
        """
        kind = self._kind_of_codes(column)
        self._check_block(start, stop)
        whole = self._cache.get(("obs" if kind == "categorical" else "codes", column))
        with self._reading():
            if whole is not None:
                return Codes(whole.codes[start:stop], whole.categories, whole.ordered)
            values = self._read_obs_block(column, start, stop)
            if isinstance(values, Codes):
                return values
            if kind == "boolean":
                return as_codes(values)
            return self._labels(column).encode(as_plain(values))

    def numbers_block(self, column: str, start: int, stop: int) -> NDArray[Any]:
        """Return rows of an int, float or boolean obs column in its own type; errors as `numbers`."""
        self._check_numeric(column)
        self._check_block(start, stop)
        whole = self._cache.get(("obs", column))
        with self._reading():
            if whole is None:
                return as_numbers(self._read_obs_block(column, start, stop))
            return as_numbers(whole)[start:stop]

    def values_block(self, column: str, start: int, stop: int) -> Values:
        """Return rows of an obs column of any kind, or of the obs index, as they are read: codes, numbers or strings.

        Nothing is kept in the cache.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidStore, DamagedStore
            If it cannot be read.
        """
        self._kind(column)
        self._check_block(start, stop)
        with self._reading():
            return self._read_obs_block(column, start, stop)

    def embedding_block(self, name: str | None, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.float32]:
        """Return rows of two axes of an embedding, float32 (stop - start, 2), a new array; errors as `embedding`."""
        self._check_block(start, stop)
        with self._reading():
            values = self._read_embedding_block(*self._place(name, axes), start, stop)
            return np.array(values, dtype=np.float32, order="C")

    def _whole_column(self, name: str) -> Values:
        """Read all rows, in blocks where they are many, so that the result is the only thing of its size."""
        blocks = row_blocks(self.n_obs)
        if len(blocks) == 1 or self._kind(name) == "string":
            return self._read_obs(name, None)
        found: NDArray[Any] | None = None
        for start, stop in blocks:
            block = self._read_obs_block(name, start, stop)
            values = block.codes if isinstance(block, Codes) else np.asarray(block)
            found = np.empty(self.n_obs, dtype=values.dtype) if found is None else found
            found[start:stop] = values
        assert found is not None
        return Codes(found, block.categories, block.ordered) if isinstance(block, Codes) else found

    def _codes_of_values(self, column: str) -> Codes:
        """Code all rows of a column that holds strings or integers, in blocks where they are many."""
        blocks = row_blocks(self.n_obs)
        if len(blocks) == 1:
            found = Labels.encode_whole(as_plain(self._obs_block(column, *blocks[0])), limit=MAX_LABELS)
            if found is None:
                raise too_many_labels(column)
            return found
        labels = self._labels(column)
        codes = np.empty(self.n_obs, dtype=labels.target.dtype)
        for start, stop in blocks:
            codes[start:stop] = labels.encode(as_plain(self._obs_block(column, start, stop))).codes
        return Codes(codes, labels.categories)

    def _labels(self, column: str) -> Labels:
        def load() -> Labels:
            blocks = (as_plain(self._obs_block(column, start, stop)) for start, stop in row_blocks(self.n_obs))
            found = Labels.gathered(blocks, limit=MAX_LABELS)
            if found is None:
                raise too_many_labels(column)
            return found

        labels: Labels = self._read_once(f"labels of {column}", load)
        return labels

    def _obs_block(self, column: str, start: int, stop: int) -> Values:
        whole = self._cache.get(("obs", column))
        if whole is not None:
            return whole[start:stop]  # type: ignore[no-any-return]
        return self._read_obs_block(column, start, stop)

    def _kind(self, column: str) -> Kind:
        with self._reading():
            if isinstance(column, str) and column in self.obs_columns:
                return self.obs_columns[column].kind
            if isinstance(column, str) and column == self.obs_index:
                return "string"
            raise UnknownName(not_found("obs column", column, self.obs_columns, self.title))

    def _kind_of_codes(self, column: str) -> Kind:
        kind = self._kind(column)
        if kind == "float":
            raise InvalidValue(f"obs column {column!r} holds floats, which have no categories; read it as numbers.")
        return kind

    def _check_numeric(self, column: str) -> None:
        kind = self._kind(column)
        if kind not in ("int", "float", "boolean"):
            raise InvalidValue(f"obs column {column!r} is {kind}, not numeric; read it as codes.")


def too_many_labels(column: str) -> InvalidValue:
    """Return the error of a column with more categories than codes go to."""
    return InvalidValue(f"obs column {column!r} has more than {MAX_LABELS:,} values, the most that codes tell apart.")
