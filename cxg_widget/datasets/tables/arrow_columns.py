"""Columns of an Arrow table as columns of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.obs_columns import MAX_LABELS
from cxg_widget.datasets.base.values import Codes, Column, Kind, Values, take_rows
from cxg_widget.datasets.tables.arrow_sources import ArrowSource
from cxg_widget.datasets.tables.arrow_values import coded, filled, is_text, numbers, seconds, strings, time_texts
from cxg_widget.datasets.tables.columns import Give, Rows, TableColumns
from cxg_widget.errors import DamagedStore
from cxg_widget.text.half_characters import repaired

_NO_NAME = "__index_level_0__"
"""Name that pandas writes for an unnamed index."""


class ArrowColumns(TableColumns):
    """The columns of an Arrow table, in memory or in a file.

    Parameters
    ----------
    life : caches codes of dictionaries; receives a note for each column that is left out
    give : returns rows of named columns (None = all) in the type of the original object; None = as a pyarrow.Table
    """

    def __init__(self, source: ArrowSource, life: Lifetime, give: Give | None = None) -> None:
        self._source, self._life, self._give = source, life, give
        self.n = source.n
        self._positions: dict[str, int] = {}
        self.columns: dict[str, Column] = {}
        self.index, index = None, self._find_index()
        for position, field in enumerate(source.schema):
            name = repaired(field.name)
            if name in self._positions:
                life.note(f"column {name!r} occurs twice; the first one is shown.")
                continue
            if position == index:
                self.index, self._positions[name] = name, position
                continue
            self._positions[name], kind = position, _kind(field.type)
            if kind is None:
                life.note(f"column {name!r} is left out: its type {str(field.type)[:60]} cannot be shown.")
                continue
            unit = "second" if pa.types.is_duration(field.type) else ""
            self.columns[name] = Column(name, kind, unit=unit)

    @property
    def kind(self) -> str:
        """The type of the table, for messages."""
        return self._source.kind

    @property
    def in_memory(self) -> bool:
        """Whether the columns are in memory, so that nothing has to be decoded."""
        return self._source.in_memory

    @property
    def index_name(self) -> str | None:
        """The name of the index; None = no name."""
        return None if self.index == _NO_NAME else self.index

    def read(self, name: str, rows: Rows) -> Values:
        """Return a column: all rows, the rows at some positions, or those from start to stop."""
        position, kind = self._positions[name], self.columns[name].kind if name in self.columns else None
        type_ = self._source.schema.field(position).type
        with self._reading(name):
            if pa.types.is_dictionary(type_):
                whole = self._life.cached(("obs", name), lambda: self._codes(position))
                return take_rows(whole, slice(*rows) if isinstance(rows, tuple) else rows)
            if isinstance(rows, np.ndarray):
                return self._values(self._source.take([position], rows)[0], kind, name)
            start, stop = rows or (0, self.n)
            pieces = self._source.pieces(position, start, stop)
            if kind in ("int", "float"):
                return self._joined(pieces, kind, name, stop - start)
            return self._values(pa.chunked_array(list(pieces), type=type_), kind, name)

    def codes(self, name: str) -> Codes | None:
        """Return text, dates or times as codes; None if there are too many distinct values."""
        position = self._positions[name]
        with self._reading(name):
            is_plain = is_text(self._source.schema.field(position).type)
            pieces = self._source.coded_pieces(position) if is_plain else self._source.pieces(position, 0, self.n)
            return coded(pieces, self.n, limit=MAX_LABELS, is_sorted=True)

    def rows_of_all(self, rows: NDArray[np.int64], names: Sequence[str] | None) -> pa.Table:
        """Return rows in the type of the original object, if known, else as a pyarrow.Table."""
        if self._give is not None:
            return self._give(rows, names)
        schema = self._source.schema
        positions = range(len(schema)) if names is None else [self._positions[name] for name in names]
        fields = [schema.field(position) for position in positions]
        taken = self._source.take(positions, rows)
        # `take` returns string views as large_string.
        fields = [field.with_type(column.type) for column, field in zip(taken, fields, strict=True)]
        return pa.Table.from_arrays(taken, schema=pa.schema(fields, schema.metadata))

    def all_names(self) -> list[str]:
        """Return the names of all columns, including those that cannot be shown."""
        return [repaired(field.name) for field in self._source.schema]

    def sizes(self) -> dict[str, int]:
        """Return bytes on disk by column."""
        return self._source.sizes()

    def details(self) -> dict[str, Any]:
        """Return further details for `inspect`."""
        return {"table": self.kind, **self._source.details()}

    def close(self) -> None:
        """Release the table."""
        self._source.close()

    def _find_index(self) -> int | None:
        """Return the position of the column that pandas wrote for its index; None unless there is exactly one."""
        about = self._source.schema.pandas_metadata or {}
        names = [one for one in about.get("index_columns", ()) if isinstance(one, str)]
        position = self._source.schema.get_field_index(names[0]) if len(names) == 1 else -1
        kinds = ("string", "int")
        return position if position >= 0 and _kind(self._source.schema.field(position).type) in kinds else None

    def _has_missing(self, name: str) -> bool:
        """Return whether values are missing; reads the column, once, if its metadata do not say."""

        def look() -> bool:
            position = self._positions[name]
            known = self._source.n_null(position)
            pieces = self._source.pieces(position, 0, self.n)
            return bool(known) if known is not None else any(piece.null_count for piece in pieces)

        return self._life.once(f"missing in {name}", look)

    def _codes(self, position: int) -> Codes:
        field = self._source.schema.field(position)
        # polars stores the categories of a Categorical, unlike those of an Enum, in order of first appearance.
        is_sorted = any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or ())
        pieces = self._source.pieces(position, 0, self.n)
        found = coded(pieces, self.n, limit=None, is_sorted=is_sorted, ordered=bool(field.type.ordered))
        assert found is not None
        return found

    def _joined(self, pieces: Iterator[pa.Array], kind: Kind, name: str, n: int) -> NDArray[Any]:
        """Return the numbers of all pieces as one array; does not copy a single piece in memory."""
        first = next(pieces, None)
        one = self._numbers(pa.array([], self._type(name)) if first is None else first, kind, name)
        if len(one) == n:
            return one
        found = np.empty(n, dtype=one.dtype)
        found[: len(one)] = one
        at = len(one)
        for piece in pieces:
            found[at : at + len(piece)] = self._numbers(piece, kind, name)
            at += len(piece)
        return found

    def _numbers(self, piece: pa.Array | pa.ChunkedArray, kind: Kind, name: str) -> NDArray[Any]:
        if pa.types.is_duration(piece.type):
            return seconds(piece)
        if isinstance(piece, pa.ChunkedArray):
            piece = pa.concat_arrays(piece.chunks) if piece.num_chunks else pa.array([], piece.type)
        as_float = kind == "float" or self._has_missing(name)
        is_own = pa.types.is_floating(piece.type) or (pa.types.is_integer(piece.type) and not as_float)
        if self.in_memory and is_own and not piece.null_count and not pa.types.is_float16(piece.type):
            return np.asarray(piece.to_numpy(zero_copy_only=True))
        return numbers(piece, as_float=as_float)

    def _values(self, column: pa.ChunkedArray, kind: Kind | None, name: str) -> Values:
        type_ = column.type
        if pa.types.is_integer(type_) and kind is None:  # the index
            return numbers(column, as_float=False)
        if kind in ("int", "float"):
            return self._numbers(column, kind, name)
        if kind == "boolean":
            if self._has_missing(name):
                return Codes(filled(column.cast(pa.int8()), -1), (False, True))
            return filled(column, False)
        return time_texts(column) if pa.types.is_temporal(type_) else strings(column)

    def _type(self, name: str) -> pa.DataType:
        return self._source.schema.field(self._positions[name]).type

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except pa.ArrowException as error:
            raise DamagedStore(f"column {name!r} cannot be read: {' '.join(str(error).split())[:300]}") from None


def _kind(type_: pa.DataType) -> Kind | None:
    is_ = pa.types
    if is_.is_dictionary(type_):
        return "categorical" if _kind(type_.value_type) is not None else None
    if is_.is_boolean(type_):
        return "boolean"
    if is_.is_integer(type_):
        return "int"
    if is_.is_floating(type_) or is_.is_decimal(type_) or is_.is_duration(type_):
        return "float"
    return "string" if is_text(type_) or (is_.is_temporal(type_) and not is_.is_interval(type_)) else None
