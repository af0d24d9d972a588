"""Reads the metadata of spectra as a table with readable column names, one column at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings, smallest_codes
from cxg_widget.datasets.base.values import Codes, Column, Kind, Values
from cxg_widget.datasets.mzpeak.facets import Facet, rows_of
from cxg_widget.datasets.mzpeak.terms import MINUTES, SECONDS, Coding, coding_of, label_of, unit_of
from cxg_widget.errors import DamagedStore, InvalidStore

TIME = "retention_time"


@dataclass(frozen=True)
class ColumnSource:
    """Source of a column: its facet and path, its kind, the coding of its categories, and a factor for its numbers."""

    facet: Facet
    path: str
    kind: Kind
    coding: Coding | None = None
    scale: float = 1.0


class SpectrumTable:
    """One row per spectrum, in the order of the file.

    index_name : the column of native identifiers; None if there is none
    """

    def __init__(self, facets: Mapping[str, Facet], note: Callable[[str], None]) -> None:
        self._facets = facets
        self._main = facets["spectrum"]
        self._note = note
        self.n = self._count()
        self._sources = self._find_sources()
        self.index_name = "id" if "id" in self._sources and self._sources["id"].kind == "string" else None
        self.columns = {
            name: Column(name, one.kind, unit=MINUTES if name == TIME else unit_of(one.path))
            for name, one in self._sources.items()
            if name != self.index_name
        }

    @cached_property
    def index(self) -> NDArray[np.int64]:
        """The index of each spectrum, int64 (n,), distinct."""
        found, _ = self._main.read(self._main.key)
        if found.size != self.n:
            raise DamagedStore(
                f"{self._main.table.label} has {found.size:,} spectra, but its statistics declare {self.n:,}."
            )
        if np.unique(found).size != found.size:
            raise InvalidStore(f"{self._main.table.label} gives several spectra the same index.")
        return found

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """Retention time of each spectrum in minutes, float64 (n,); NaN = none."""
        return self.floats(TIME)

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers as float64 (n,); NaN if the value, or the column, is missing."""
        if name not in self._sources or self._sources[name].kind not in ("int", "float"):
            return np.full(self.n, np.nan)
        return np.asarray(self.read(name)).astype(np.float64)

    def rows(self, indices: NDArray[np.int64], label: str) -> NDArray[np.int64]:
        """Return the row of each spectrum index; raises `DamagedStore`, which begins with `label`, if one has none."""
        found = rows_of(self.index, indices)
        if found.size and found.min() < 0:
            raise DamagedStore(f"{label} names spectrum {indices[np.argmin(found)]}, which is not in the metadata.")
        return found

    def read(self, name: str) -> Values:
        """Read a column: codes, numbers in their stored type (floats if some are missing), or objects of str."""
        source = self._sources[name]
        rows, values = self._rows_and_values(source)
        if source.kind == "string":
            return self._strings(rows, values)
        if source.kind == "categorical":
            return self._codes(rows, values, source.coding or "label")
        numbers = _numbers(values, source.kind)
        if rows is None:
            return numbers * source.scale if source.scale != 1 else numbers
        whole = np.full(self.n, np.nan, dtype=numbers.dtype)
        whole[rows] = numbers
        return whole * source.scale if source.scale != 1 else whole

    @property
    def left_out(self) -> list[str]:
        """Columns that hold lists, which are not shown."""
        return sorted({name for facet in self._facets.values() for name in facet.left_out()})

    def _count(self) -> int:
        n_null = self._main.table.n_null(self._main.key)
        if n_null is None:
            return int(self._main.read(self._main.key)[0].size)
        return self._main.table.n_rows - n_null

    def _find_sources(self) -> dict[str, ColumnSource]:
        found: dict[str, ColumnSource] = {}
        for facet in self._facets.values():
            for name, path, type_ in facet.columns():
                kind, coding = self._kind(facet, path, name, type_)
                is_empty = facet.table.n_rows > 0 and facet.table.n_null(path) == facet.table.n_rows
                if kind is None or is_empty:
                    continue
                label = name if name not in found else f"{facet.name}_{name}"
                found.setdefault(label, ColumnSource(facet, path, kind, coding))
        start = found.get("scan_start_time")
        if TIME not in found and start is not None and start.kind == "float":
            scale = 1 / 60 if unit_of(start.path) == SECONDS else 1.0
            found = {TIME: ColumnSource(start.facet, start.path, "float", None, scale), **found}
        if "precursor_mz" not in found and "isolation_window_target_mz" in found:
            found["precursor_mz"] = found["isolation_window_target_mz"]
        return found

    def _kind(self, facet: Facet, path: str, name: str, type_: pa.DataType) -> tuple[Kind | None, Coding | None]:
        whole = facet is self._main and facet.table.n_null(path) == facet.table.n_rows - self.n
        if pa.types.is_floating(type_):
            return "float", None
        if pa.types.is_boolean(type_):
            return ("boolean", None) if whole else ("categorical", "label")
        coding = coding_of(name)
        if pa.types.is_integer(type_):
            return ("categorical", coding) if coding else ("int" if whole else "float", None)
        if _is_text(type_):
            return ("categorical", coding) if coding else ("string", None)
        self._note(f"column {path!r} of the metadata has the unsupported type {type_}; it is left out.")
        return None, None

    def _rows_and_values(self, source: ColumnSource) -> tuple[NDArray[np.int64] | None, pa.Array]:
        """Return values and their rows, each row once; rows None = all in order."""
        if source.facet is self._main:
            values = source.facet.values(source.path)
            if len(values) != self.n:
                raise DamagedStore(f"{source.facet.table.label} has {len(values):,} spectra, not {self.n:,}.")
            return None, values
        index, values = source.facet.read(source.path)
        rows, first = np.unique(self.rows(index, source.facet.table.label), return_index=True)
        if rows.size < index.size:
            self._note(
                f"{index.size - rows.size:,} spectra have several entries of {source.facet.name}; the first is shown."
            )
        return rows, values.take(pa.array(first))

    def _strings(self, rows: NDArray[np.int64] | None, values: pa.Array) -> NDArray[np.object_]:
        found = as_strings(values.to_pylist())
        if rows is None:
            return found
        whole = np.full(self.n, "", dtype=object)
        whole[rows] = found
        return whole

    def _codes(self, rows: NDArray[np.int64] | None, values: pa.Array, coding: Coding) -> Codes:
        encoded = pc.dictionary_encode(values)
        labels = [label_of(value, coding) for value in encoded.dictionary.to_pylist()]
        categories = sorted(set(labels))
        target = np.array([*(categories.index(label) for label in labels), -1], dtype=np.int64)
        codes = np.full(self.n, -1, dtype=np.int64)
        codes[slice(None) if rows is None else rows] = target[pc.fill_null(encoded.indices, -1).to_numpy()]
        return Codes(smallest_codes(codes, len(categories)), tuple(categories), ordered=False)


def _numbers(values: pa.Array, kind: Kind) -> NDArray[Any]:
    if kind == "float" and not pa.types.is_floating(values.type):
        values = pc.cast(values, pa.float64(), safe=False)
    if kind != "float" and values.null_count:
        raise DamagedStore("a column holds nulls, but its statistics declare none.")
    if pa.types.is_unsigned_integer(values.type):
        values = pc.cast(values, pa.int64())
    found: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    # Copy, since arrays of Arrow may be read-only.
    return np.array(found.astype(np.float32) if found.dtype == np.float16 else found)


def _is_text(type_: pa.DataType) -> bool:
    return pa.types.is_string(type_) or pa.types.is_large_string(type_) or str(type_) == "string_view"
