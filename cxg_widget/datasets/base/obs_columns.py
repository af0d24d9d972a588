"""Obs columns as codes or numbers: whole and cached, or only some rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import CategoryLookup, check_block, row_blocks
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import (
    Codes,
    Column,
    Kind,
    Values,
    array_of,
    as_codes,
    as_numbers,
    as_plain,
    freeze,
    in_place_of,
    is_constant,
    take_rows,
)
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found

MAX_LABELS = 65_534
_FEW = 1_000
"""Up to this many rows, only their strings are read; for more, the whole column is read and cached packed."""


class ObsColumns:
    """The obs columns of a store.

    Blocks read exactly the rows start <= row < stop, if the store's layout allows it. They are not cached, except for
    data that a store must read whole. Codes mean the same categories in every block; concatenated blocks equal `codes`
    and `numbers`.

    Attributes
    ----------
    own : columns added to those of the store, held in memory
    """

    def __init__(self, store: Contract) -> None:
        self._store, self._lifetime = store, store._lifetime
        self.own: Mapping[str, Codes] = {}

    def put_columns(self, columns: Mapping[str, Codes]) -> None:
        """Add categorical columns to those of the store, replacing earlier added ones.

        Parameters
        ----------
        columns : {name: codes (n_obs,)}; they become read-only

        Raises
        ------
        InvalidValue
            If the store has a column with that name, or a column has another length.
        """
        store = self._store
        stored = {name: one for name, one in store.obs_columns.items() if name not in self.own}
        for name, codes in columns.items():
            if name in stored or name == store.obs_index:
                raise InvalidValue(f"{store.title} has an obs column {name!r}; choose another name.")
            if len(codes.codes) != store.n_obs:
                raise InvalidValue(f"column {name!r} has {len(codes.codes):,} values for {store.n_obs:,} rows.")
        self.own = {name: freeze(codes) for name, codes in columns.items()}
        put = {name: Column(name, "categorical", len(codes.categories)) for name, codes in columns.items()}
        store.obs_columns = {**stored, **put}

    def hold(self, columns: Sequence[str], *, index: bool = True) -> None:
        """Read whole obs columns and, with `index`, the obs index into the cache, so that single rows need no read.

        Columns that cannot be read, or would take too much memory, are left to be read row by row.

        Examples
        --------
        >>> dataset.hold(["cell_type", "n_counts"])
        >>> record = dataset.obs_record(0)
        """
        label = self._store.obs_index if index else None
        with self._lifetime.reading():
            for name in [*columns, *([] if label is None else [label])]:
                with suppress(CxgWidgetError):
                    if self.kind(name) != "string":
                        self.whole(name)
                    elif self._store._holds_text and self._store._packs(name):
                        self.values(name)

    def is_constant(self, column: str) -> bool:
        """Return whether an obs column is known to be constant; reads nothing."""
        values = self._held(column)
        if values is not None:
            return is_constant(values)
        known = self._store.obs_columns[column]
        return known.kind == "categorical" and known.n_categories is not None and known.n_categories < 2

    def stated_values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return the stated range of an obs column: all categories without codes, or lowest and highest number.

        None if the store states none. The stated numbers are the lowest and highest finite values.

        Examples
        --------
        >>> dataset.stated_values("n_counts") is None
        True
        """
        self.kind(column)
        with self._lifetime.reading():
            return None if column in self.own else self._store.by_view.values(column)

    def codes(self, column: str) -> Codes:
        """Return a categorical, boolean, string or integer obs column as codes, cached and read-only.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If the column holds floats, or more than 65,534 distinct strings or integers.

        Examples
        --------
        >>> dataset.codes("sex").categories
        ('female', 'male')
        """
        kind = self._kind_of_codes(column)
        if kind == "categorical":
            found: Codes = self.whole(column)
        elif kind == "boolean":
            found = self._lifetime.cached(("codes", column), lambda: as_codes(self.values(column)))
        else:
            found = self._lifetime.cached(("codes", column), lambda: self._codes_of_values(column))
        return found

    def numbers(self, column: str) -> NDArray[Any]:
        """Return an int, float or boolean obs column (n_obs,) in its own dtype, cached and read-only.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If the column is not numeric.

        Examples
        --------
        >>> dataset.numbers("n_counts").shape == (dataset.n_obs,)
        True
        """
        self._check_numeric(column)
        return as_numbers(self.whole(column))

    def codes_block(self, column: str, start: int, stop: int) -> Codes:
        """Return rows `start` to `stop` of a categorical, boolean, string or integer obs column; errors as `codes`.

        For a column that stores labels, the first block reads all rows once, to find the categories.

        Examples
        --------
        >>> block = dataset.codes_block("cell_type", 0, 100)
        >>> np.array_equal(block.codes, dataset.codes("cell_type").codes[:100])
        True
        """
        kind = self._kind_of_codes(column)
        coded = self._lifetime.cache.get(("codes", column))
        check_block(start, stop, self._store.n_obs)
        values = take_rows(coded, slice(start, stop)) if coded else self.values_block(column, start, stop)
        if isinstance(values, Codes) or kind == "boolean":
            return as_codes(values)
        return self._labels(column).encode(as_plain(values))

    def numbers_block(self, column: str, start: int, stop: int) -> NDArray[Any]:
        """Return rows `start` to `stop` of an int, float or boolean obs column in its own dtype; errors as `numbers`.

        Examples
        --------
        >>> dataset.numbers_block("n_counts", 0, 100).shape
        (100,)
        """
        self._check_numeric(column)
        return as_numbers(self.values_block(column, start, stop))

    def values_block(self, column: str, start: int, stop: int) -> Values:
        """Return rows `start` to `stop` of any obs column or of the obs index, as read: codes, numbers or strings.

        Nothing is cached; errors as `Dataset.obs`.

        Examples
        --------
        >>> names = dataset.values_block(dataset.obs_index, 0, 100)
        >>> list(names) == dataset.obs_names()[:100].tolist()
        True
        """
        self.kind(column)
        check_block(start, stop, self._store.n_obs)
        with self._lifetime.reading():
            return self._block(column, start, stop)

    def values(self, name: str, rows: NDArray[np.int64] | None = None, *, alone: bool = False) -> Values:
        """Return a column, or some rows of it in their order; `alone` = possibly with only their categories."""
        whole = self._held(name)
        if whole is None and (rows is None or rows.size > _FEW) and self._store._packs(name):
            whole = self._counted(name, self._store._read_obs(name, None), None)
            if isinstance(whole, PackedStrings):
                self._lifetime.cached(("obs", name), lambda: whole)
        if whole is not None:
            return take_rows(whole, rows)
        read = self._store._read_obs_alone if alone else self._store._read_obs
        return self._counted(name, read(name, rows), rows)

    def whole(self, name: str) -> Any:
        """Return all rows of a column without strings, cached."""
        if name in self.own:
            return self.own[name]
        return self._lifetime.cached(("obs", name), lambda: self._read_whole(name))

    def kind(self, column: str) -> Kind:
        """Return the kind of a column, including the index column."""
        store = self._store
        with self._lifetime.reading():
            if isinstance(column, str) and column in store.obs_columns:
                return store.obs_columns[column].kind
            if isinstance(column, str) and column == store.obs_index:
                return "string"
            raise UnknownName(not_found("obs column", column, store.obs_columns, store.title))

    def _held(self, name: str) -> Values | None:
        held: Values | None = self.own.get(name) or self._lifetime.cache.get(("obs", name))
        return held

    def _block(self, name: str, start: int, stop: int) -> Values:
        whole = self._held(name)
        return self._store._read_obs_block(name, start, stop) if whole is None else take_rows(whole, slice(start, stop))

    def _counted(self, name: str, found: Values, rows: NDArray[np.int64] | None) -> Values:
        n = len(found.codes if isinstance(found, Codes) else found)
        expected = self._store.n_obs if rows is None else len(rows)
        if n != expected:
            what = f"it has {n:,} values for {expected:,} rows"
            raise DamagedStore(f"{self._store.uri}: cannot read obs column {name!r}: {what}.")
        return found

    def _read_whole(self, name: str) -> Values:
        """Read all rows, in blocks if they are many, so that only the result takes its size."""
        n_obs = self._store.n_obs
        blocks = row_blocks(n_obs)
        if len(blocks) == 1 or self.kind(name) == "string" or not self._store._in_blocks:
            return self._store._read_obs(name, None)
        # In blocks: the peak for 20 M cells falls from 157 to 131 MiB for floats, to 60 for codes (decision 12).
        found: NDArray[Any] | None = None
        for start, stop in blocks:
            block = self._store._read_obs_block(name, start, stop)
            values = array_of(block)
            found = np.empty(n_obs, dtype=values.dtype) if found is None else found
            found[start:stop] = values
        assert found is not None
        return in_place_of(block, found)

    def _codes_of_values(self, column: str) -> Codes:
        """Return all rows of a column of strings or integers as codes, in blocks if they are many."""
        if self.kind(column) == "string" and (known := self._store._read_codes(column)) is not None:
            return known
        blocks = row_blocks(self._store.n_obs)
        if len(blocks) == 1:
            found = CategoryLookup.encode_whole(
                as_plain(self._block(column, *blocks[0])), limit=MAX_LABELS, missing=self._store.missing_text
            )
            if found is None:
                raise too_many_labels(column)
            return found
        # Two passes over large columns: the categories of all rows first, then codes by block.
        labels = self._labels(column)
        codes = np.empty(self._store.n_obs, dtype=labels.target.dtype)
        for start, stop in blocks:
            codes[start:stop] = labels.encode(as_plain(self._block(column, start, stop))).codes
        return Codes(codes, labels.categories)

    def _labels(self, column: str) -> CategoryLookup:
        def load() -> CategoryLookup:
            blocks = (as_plain(self._block(column, *block)) for block in row_blocks(self._store.n_obs))
            found = CategoryLookup.gathered(blocks, limit=MAX_LABELS, missing=self._store.missing_text)
            if found is None:
                raise too_many_labels(column)
            return found

        return self._lifetime.once(f"labels of {column}", load)

    def _kind_of_codes(self, column: str) -> Kind:
        kind = self.kind(column)
        if kind == "float":
            raise InvalidValue(f"obs column {column!r} holds floats, which have no categories; read it with numbers().")
        return kind

    def _check_numeric(self, column: str) -> None:
        kind = self.kind(column)
        if kind not in ("int", "float", "boolean"):
            raise InvalidValue(f"obs column {column!r} is {kind}, not numeric; read it with codes().")


def too_many_labels(column: str) -> InvalidValue:
    """Return the error for a column with more categories than codes allow."""
    return InvalidValue(
        f"obs column {column!r} has more than {MAX_LABELS:,} distinct values, the most that codes can hold."
    )
