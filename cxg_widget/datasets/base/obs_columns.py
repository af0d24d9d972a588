"""The obs columns of a dataset, as codes or numbers: whole and kept, or rows of them, as few as are wanted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.columns import check_block, row_blocks
from cxg_widget.datasets.base.labels import Labels
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.values import (
    Codes,
    Column,
    Kind,
    Values,
    array_of,
    as_codes,
    as_numbers,
    as_plain,
    in_place_of,
    is_constant,
    take_rows,
)
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found

MAX_LABELS = 65_534


class ObsColumns(Lifetime):
    """The part of a `Dataset` that reads obs columns.

    Blocks are rows start <= row < stop and none besides, where the store's layout allows it. They are not kept in the
    cache, but for what a store must read whole. Codes mean the same categories in every block, and put behind each
    other the blocks are what `codes` and `numbers` return.
    """

    title: str
    n_obs: int
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

    def _hold_text(self, name: str) -> None:
        """Read a column of strings into the cache; a store that can hold them packed implements this."""

    def hold(self, columns: Sequence[str], *, index: bool = True) -> None:
        """Read obs columns and, if asked for, the obs index whole into the cache: single rows then need no read.

        What cannot be read, or is no smaller in memory than its rows are worth, is left to be read row by row.
        """
        with self._reading():
            for name in [*columns, *([self.obs_index] if index and self.obs_index is not None else [])]:
                with suppress(CxgWidgetError):
                    if self._kind(name) == "string":
                        self._hold_text(name)
                    else:
                        self._cached(("obs", name), partial(self._whole_column, name))

    def is_constant(self, column: str) -> bool:
        """Say whether an obs column is known to be the same in all rows; nothing is read to find out."""
        held = [self._cache.get((key, column)) for key in ("obs", "packed")]
        values = next((one for one in held if one is not None), None)
        if values is not None:
            return is_constant(values)
        known = self.obs_columns[column]
        return known.kind == "categorical" and known.n_categories is not None and known.n_categories < 2

    def codes(self, column: str) -> Codes:
        """Return a categorical, boolean, string or (forced) integer obs column as codes, cached and read-only.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If the column holds floats, or more than 65,534 distinct strings or integers.
        """
        kind = self._kind_of_codes(column)
        if kind == "categorical":
            found: Codes = self._cached(("obs", column), lambda: self._whole_column(column))
        else:
            found = self._cached(("codes", column), lambda: self._coded(column, kind))
        return found

    def numbers(self, column: str) -> NDArray[Any]:
        """Return an int, float or boolean obs column (n_obs,) in its own type, cached and read-only.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If the column holds no numbers.
        """
        self._check_numeric(column)
        values: Values = self._cached(("obs", column), lambda: self._whole_column(column))
        return as_numbers(values)

    def codes_block(self, column: str, start: int, stop: int) -> Codes:
        """Return rows of a categorical, boolean, string or (forced) integer obs column as codes; errors as `codes`.

        Of a column that stores its labels, the first block reads all rows once, to know the categories.
        """
        kind = self._kind_of_codes(column)
        check_block(start, stop, self.n_obs)
        whole: Codes | None = self._cache.get(("obs" if kind == "categorical" else "codes", column))
        with self._reading():
            if whole is not None:
                return whole.take(slice(start, stop))
            values = self._read_obs_block(column, start, stop)
            if isinstance(values, Codes):
                return values
            if kind == "boolean":
                return as_codes(values)
            return self._labels(column).encode(as_plain(values))

    def numbers_block(self, column: str, start: int, stop: int) -> NDArray[Any]:
        """Return rows of an int, float or boolean obs column in its own type; errors as `numbers`."""
        self._check_numeric(column)
        check_block(start, stop, self.n_obs)
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
        check_block(start, stop, self.n_obs)
        with self._reading():
            return self._read_obs_block(column, start, stop)

    def _obs_values(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        whole: Values | None = self._cache.get(("obs", name))
        if whole is not None:
            return take_rows(whole, rows)
        found = self._read_obs(name, rows)
        n = len(found.codes if isinstance(found, Codes) else found)
        expected = self.n_obs if rows is None else len(rows)
        if n != expected:
            what = f"it gives {n:,} values for {expected:,} rows"
            raise DamagedStore(f"{self.uri}: cannot read obs column {name!r}: {what}.")
        return found

    def _row_values(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Return the values of a few rows, where the categories of the others need not be known."""
        return self._obs_values(name, rows)

    def _coded(self, column: str, kind: Kind) -> Codes:
        if kind == "boolean":
            return as_codes(self._obs_values(column, None))
        return self._codes_of_values(column)

    def _whole_column(self, name: str) -> Values:
        """Read all rows, in blocks where they are many, so that the result is the only thing of its size."""
        blocks = row_blocks(self.n_obs)
        if len(blocks) == 1 or self._kind(name) == "string":
            return self._read_obs(name, None)
        found: NDArray[Any] | None = None
        for start, stop in blocks:
            block = self._read_obs_block(name, start, stop)
            values = array_of(block)
            found = np.empty(self.n_obs, dtype=values.dtype) if found is None else found
            found[start:stop] = values
        assert found is not None
        return in_place_of(block, found)

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
