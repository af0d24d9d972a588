"""Reads columns of an obs or registry table: their kinds from Arrow types, and their values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.base.column_values import smallest_codes, tidy_categories
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.values import Codes, Column, Kind, Values
from cxg_widget.datasets.tables.arrow_values import filled, is_text, numbers, objects, strings

SEPARATOR = "; "

Rows = NDArray[np.int64] | tuple[int, int] | None


class AtlasColumns:
    """The columns of one table.

    Parameters
    ----------
    left_out : names of columns to ignore, such as pointers and embeddings
    life : caches which columns have missing values; receives a note per skipped column

    Attributes
    ----------
    columns : readable columns in table order, without the index
    index : the column that names the rows, "uid"; None if the table has no such column of strings
    """

    def __init__(self, table: LanceTable, left_out: Iterable[str], life: Lifetime) -> None:
        self._table, self._life = table, life
        hidden = set(left_out)
        self._fields = {field.name: field for field in table.schema}
        self.index = "uid" if "uid" in self._fields and _kind(self._fields["uid"].type) == "string" else None
        self.columns: dict[str, Column] = {}
        for name, field in self._fields.items():
            if name in hidden or name == self.index:
                continue
            kind = self._kind(field)
            if kind is None or "`" in name or not name:
                life.note(
                    f"column {name!r} of {table.name!r} has the unsupported type {str(field.type)[:60]}; "
                    "it is left out."
                )
            else:
                self.columns[name] = Column(
                    name, kind, 2 if kind == "categorical" and pa.types.is_boolean(field.type) else None
                )

    def read(self, name: str, rows: Rows = None) -> Values:
        """Return a column: all rows, rows at some positions, or rows from start to stop.

        A dictionary column is always read as a whole, since each part of a table has its own dictionary. Callers
        cache it.
        """
        field = self._fields[name]
        if pa.types.is_dictionary(field.type):
            return self._read_dictionary(name)
        column = self._table.read([name], rows).column(0)
        kind = self.columns[name].kind if name in self.columns else "string"
        if kind == "string":
            return _strings(column)
        if kind == "categorical":
            return Codes(filled(column.cast(pa.int8()), -1), (False, True))
        if kind == "boolean":
            return filled(column, False)
        return numbers(column, as_float=kind == "float" or self.has_missing(name))

    def is_dictionary(self, name: str) -> bool:
        """Say whether the table stores a column as a dictionary and codes."""
        return bool(pa.types.is_dictionary(self._fields[name].type))

    def has_missing(self, name: str) -> bool:
        """Say whether a column has missing values; counts them if its schema allows nulls."""
        if not self._fields[name].nullable:
            return False
        return self._life.once(
            f"missing in {self._table.name}.{name}", lambda: self._table.count(f"`{name}` IS NULL") > 0
        )

    def _kind(self, field: pa.Field) -> Kind | None:
        kind = _kind(field.type)
        # A bool array cannot hold missing values; codes can.
        if kind == "boolean" and "`" not in field.name and self.has_missing(field.name):
            return "categorical"
        return kind

    def _read_dictionary(self, name: str) -> Codes:
        column = self._table.read([name]).column(0).unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], column.type.value_type))
        target, categories = tidy_categories(column.dictionary.to_pylist())
        codes = target[filled(column.indices.cast(pa.int64()), -1)]
        return Codes(smallest_codes(codes, len(categories)), categories, bool(column.type.ordered))


def embedding_width(type_: pa.DataType) -> int | None:
    """Return the number of axes of a vector column; None for other types and for vectors of one number."""
    if not pa.types.is_fixed_size_list(type_) or type_.list_size < 2:
        return None
    value = type_.value_type
    return int(type_.list_size) if pa.types.is_floating(value) or pa.types.is_integer(value) else None


def _kind(type_: pa.DataType) -> Kind | None:
    is_ = pa.types
    if is_.is_dictionary(type_):
        return "categorical" if _kind(type_.value_type) in ("string", "int", "float", "boolean") else None
    if pa.types.is_boolean(type_):
        return "boolean"
    if is_.is_integer(type_):
        return "int"
    if is_.is_floating(type_) or is_.is_decimal(type_):
        return "float"
    if is_.is_list(type_) or is_.is_large_list(type_) or is_.is_fixed_size_list(type_):
        return "string" if is_text(type_.value_type) or _kind(type_.value_type) in _SCALARS else None
    return "string" if is_text(type_) or (is_.is_temporal(type_) and not is_.is_interval(type_)) else None


_SCALARS = ("boolean", "int", "float")


def _strings(column: pa.ChunkedArray) -> Values:
    if _kind(column.type) == "string" and not is_text(column.type) and not pa.types.is_temporal(column.type):
        return objects([_joined(values) for values in column.to_pylist()])
    return strings(column)


def _joined(values: list[Any] | None) -> str | None:
    return None if values is None else SEPARATOR.join(str(value) for value in values if value is not None)
