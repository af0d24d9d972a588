"""The obs and var arrays of a CXG: columns, their kinds, and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import (
    CategoryLookup,
    as_strings,
    row_blocks,
    smallest_codes,
    tidy_categories,
)
from cxg_widget.datasets.base.dataset import Codes, Column, Kind
from cxg_widget.datasets.base.values import KIND_OF_TYPE
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import InvalidStore
from cxg_widget.text.half_characters import load_json, note_of

MISSING_TEXT = "nan"
"""Text that a CXG stores for a missing value, since its writers convert columns by `astype(str)`."""


class CxgColumns:
    """The columns of `obs` or `var`.

    The stored type and the hint in the metadata `cxg_schema` determine the kind of a column. The version does not,
    because writers differ.

    columns : in the store's order, without the index column
    index : name of the index column, None if there is none
    n : number of rows, from the schema's domain
    texts : names of the columns of plain strings of variable length, including the index column
    """

    def __init__(self, arrays: Arrays, path: str, note: Callable[[str], None]) -> None:
        self._arrays = arrays
        self._path = path
        schema = arrays.schema(path)
        if schema.sparse or schema.ndim != 1:
            raise InvalidStore(f"{arrays.uri}: {path} is not a dense array of one dimension.")
        self.n = int(schema.shape[0])
        self._hints = self._read_hints(note)
        self._labels: dict[str, CategoryLookup] = {}
        found: dict[str, Column] = {}
        texts = set()
        for attr in (schema.attr(number) for number in range(schema.nattr)):
            kind = _kind(attr.dtype, self._hint(attr.name))
            if kind is None or attr.isnullable:
                note(f"{path} column {attr.name!r} is left out: its type {attr.dtype} is not supported.")
            else:
                found[attr.name] = Column(attr.name, kind, self._n_categories(attr.name, kind))
                if kind == "string" and attr.isvar:
                    texts.add(attr.name)
        self.index = self._find_index(found, note)
        self._all, self.texts = found, frozenset(texts)
        self.columns: Mapping[str, Column] = {name: found[name] for name in found if name != self.index}

    def read(self, name: str, rows: NDArray[np.int64] | None = None) -> NDArray[Any] | Codes:
        """Read one column in the order of `rows` (None = all); a `known_by_value` column is always read whole."""
        if self.known_by_value(name):
            values = self._plain(name, self._arrays.column(self._path, name))
            found = CategoryLookup.encode_whole(values, self._declared(name), missing=MISSING_TEXT)
            assert found is not None
            return found
        return self._meant(name, self._arrays.column(self._path, name, rows))

    def read_alone(self, name: str, rows: NDArray[np.int64] | None) -> Codes:
        """Read some rows of a `known_by_value` column, with only the categories in them; errors as `read`."""
        found = CategoryLookup.encode_whole(
            self._plain(name, self._arrays.column(self._path, name, rows)), missing=MISSING_TEXT
        )
        assert found is not None
        return found

    def read_block(self, name: str, start: int, stop: int) -> NDArray[Any] | Codes:
        """Read the rows start <= row < stop of a column; errors as `read`."""
        values = self._arrays.column_block(self._path, name, start, stop)
        return (
            self.labels(name).encode(self._plain(name, values))
            if self.known_by_value(name)
            else self._meant(name, values)
        )

    def labels(self, name: str) -> CategoryLookup:
        """Return the categories of a `known_by_value` column, from one pass over all rows in blocks; cached."""
        if name not in self._labels:
            blocks = (self._arrays.column_block(self._path, name, *block) for block in row_blocks(self.n))
            plain = (self._plain(name, values) for values in blocks)
            labels = CategoryLookup.gathered(plain, self._declared(name), missing=MISSING_TEXT)
            assert labels is not None
            self._labels[name] = labels
        return self._labels[name]

    def _meant(self, name: str, values: NDArray[Any]) -> NDArray[Any] | Codes:
        values = self._plain(name, values)
        return self._codes(name, values) if self._all[name].kind == "categorical" else values

    def _plain(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if self._all[name].kind == "boolean":
            return np.asarray(values != 0)
        if values.dtype.kind in "OUS" and not (len(values) and isinstance(values[0], str) and values.dtype == object):
            return as_strings(values.tolist())
        return values

    def known_by_value(self, name: str) -> bool:
        """Return whether categories require reading all values: the column stores labels or numbers, not codes."""
        has_list = isinstance(self._hint(name).get("categories"), list)
        stores_codes = has_list and self._arrays.schema(self._path).attr(name).dtype.kind in "iu"
        return self._all[name].kind == "categorical" and not stores_codes

    def _codes(self, name: str, stored: NDArray[Any]) -> Codes:
        labels = self._hint(name)["categories"]
        if len(stored):
            low, high = int(stored.min()), int(stored.max())
            if low < -1 or high >= len(labels):
                raise InvalidStore(
                    f"{self._arrays.uri}: {self._path}.{name} holds code {low if low < -1 else high} "
                    f"but only {len(labels)} categories are declared."
                )
        target, categories = tidy_categories(labels, MISSING_TEXT)
        if len(categories) == len(labels):
            return Codes(smallest_codes(stored, len(categories)), categories)
        return Codes(smallest_codes(target, len(categories))[stored], categories)

    def _declared(self, name: str) -> list[Any] | None:
        """Return the categories that a text column declares, in their order; its values may include others."""
        declared = self._hint(name).get("categories")
        is_text = self._arrays.schema(self._path).attr(name).dtype.kind not in "iufb"
        return declared if is_text and isinstance(declared, list) else None

    def _n_categories(self, name: str, kind: Kind) -> int | None:
        if kind == "boolean":
            return 2
        declared = self._hint(name).get("categories")
        return (
            len(tidy_categories(declared, MISSING_TEXT)[1])
            if kind == "categorical" and isinstance(declared, list)
            else None
        )

    def _hint(self, name: str) -> dict[str, Any]:
        hint = self._hints.get(name)
        return hint if isinstance(hint, dict) else {}

    def _read_hints(self, note: Callable[[str], None]) -> dict[str, Any]:
        text = self._arrays.metadata_value(self._path, "cxg_schema")
        if text is None:
            note(f"{self._path} has no cxg_schema; columns are read as stored.")
            return {}
        try:
            hints, is_repaired = load_json(text) if isinstance(text, str) else (None, False)
        except (ValueError, RecursionError) as error:
            raise InvalidStore(f"{self._arrays.uri}: {self._path}.cxg_schema is not valid JSON ({error}).") from error
        if not isinstance(hints, dict):
            raise InvalidStore(f"{self._arrays.uri}: {self._path}.cxg_schema is not a JSON object.")
        if is_repaired:
            note(note_of(f"{self._path}.cxg_schema"))
        return hints

    def _find_index(self, found: Mapping[str, Column], note: Callable[[str], None]) -> str | None:
        named = self._hints.get("index")
        if isinstance(named, str) and named in found:
            return named
        if named is not None:
            note(f"{self._path}.cxg_schema names the index {named!r}, but no column has this name.")
        return next((name for name, column in found.items() if column.kind == "string"), None)


def _kind(dtype: Any, hint: Mapping[str, Any]) -> Kind | None:
    stored = np.dtype(dtype).kind
    if stored == "b" or (stored in "iu" and hint.get("type") == "boolean"):
        return "boolean"
    if stored not in "iufUSO":
        return None
    listed = isinstance(hint.get("categories"), list) and stored != "f"
    if listed or hint.get("type") == "categorical":
        return "categorical"
    return KIND_OF_TYPE.get(stored, "string")
