"""Finds the columns with the arrays of the spectra, by the array index in the footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cxg_widget.datasets.tables.parquet_table import ParquetTable
from cxg_widget.errors import InvalidStore

MZ, INTENSITY = "MS:1000514", "MS:1000515"
PIC, SLOF = "MS:1002313", "MS:1002314"
_VALUES = ("chunk values", "chunk")
_SECONDARY = ("chunk secondary", "secondary chunk")


@dataclass(frozen=True)
class PointLayout:
    """One row per point: paths of the columns."""

    index: str
    mz: str
    intensity: str

    name = "point"

    @property
    def columns(self) -> list[str]:
        """All columns of the points."""
        return [self.index, self.mz, self.intensity]


@dataclass(frozen=True)
class ChunkLayout:
    """One row per chunk of the m/z axis: paths of the columns; None if there is no such column.

    values, intensity : lists of numbers
    mz_bytes, intensity_bytes : lists of bytes, encoded by Numpress
    method : accession of the encoding of `intensity_bytes`, SLOF or PIC; "" without such bytes
    """

    index: str
    start: str
    end: str
    encoding: str
    values: str
    intensity: str | None
    mz_bytes: str | None
    intensity_bytes: str | None
    method: str

    name = "chunk"

    @property
    def bounds(self) -> list[str]:
        """The columns with the spectrum and the m/z range of a chunk."""
        return [self.index, self.start, self.end]

    @property
    def columns(self) -> list[str]:
        """All columns of the chunks."""
        heavy = (self.encoding, self.values, self.intensity, self.mz_bytes, self.intensity_bytes)
        return [*self.bounds, *(one for one in heavy if one is not None)]


Layout = PointLayout | ChunkLayout


def find_layout(table: ParquetTable) -> Layout:
    """Find the columns of m/z and intensity; raises `InvalidStore` if the array index does not describe them."""
    found = table.json("spectrum_array_index")
    entries = found.get("entries") if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(entries, list):
        raise InvalidStore(
            f"{table.label} has no spectrum_array_index in its metadata, which must describe its columns."
        )
    known = [one for one in entries if isinstance(one, Mapping) and _leaf(table, one) is not None]
    named = [str(one["path"]).partition(".")[0] for one in known]
    prefix = found.get("prefix") or (named[0] if named else "")
    if prefix in ("point", "chunk"):
        if prefix not in table.schema.names or not pa.types.is_struct(table.schema.field(prefix).type):
            raise InvalidStore(
                f"{table.label} declares the layout {prefix!r} but has no group of columns of this name."
            )
        return _points(table, known) if prefix == "point" else _chunks(table, known)
    raise InvalidStore(f"{table.label} has an unknown data layout, {prefix!r}; known are 'point' and 'chunk'.")


def _points(table: ParquetTable, entries: Sequence[Mapping[str, Any]]) -> PointLayout:
    mz, intensity = (_pick(entries, array, ("point", "")) for array in (MZ, INTENSITY))
    if mz is None or intensity is None:
        raise _missing_column(table, "m/z" if mz is None else "intensity", entries)
    return PointLayout(_index(table, "point"), mz, intensity)


def _chunks(table: ParquetTable, entries: Sequence[Mapping[str, Any]]) -> ChunkLayout:
    # Writers declare the transform for all columns of an array, so only the type shows which have bytes.
    plain = [one for one in entries if not _is_bytes(table, one)]
    packed = [one for one in entries if one not in plain and _is(one, INTENSITY)]
    start, end, encoding, values = (
        _pick(plain, MZ, formats) for formats in (("chunk start",), ("chunk end",), ("chunk encoding",), _VALUES)
    )
    if start is None or end is None or encoding is None or values is None:
        raise _missing_column(table, "m/z chunk", entries)
    intensity = _pick(plain, INTENSITY, _SECONDARY)
    methods = {str(one.get("transform") or ""): str(one["path"]) for one in packed}
    known = [(method, path) for method, path in methods.items() if method in (SLOF, PIC)]
    if methods and not known:
        raise InvalidStore(
            f"{table.label} has intensities of an unknown transform, {next(iter(methods))!r}; known are SLOF and PIC."
        )
    if intensity is None and not known:
        raise _missing_column(table, "intensity", entries)
    method, packed_path = known[0] if known else ("", None)
    linear = _pick([one for one in entries if one not in plain], MZ, None)
    return ChunkLayout(
        _index(table, "chunk"), start, end, encoding, values, intensity, linear, packed_path, method
    )  # fmt: skip


def _is_bytes(table: ParquetTable, entry: Mapping[str, Any]) -> bool:
    """Say whether a column holds byte strings or lists of bytes."""
    type_: Any = table.schema
    for name in str(entry["path"]).split("."):
        type_ = type_.field(name).type
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return bool(pa.types.is_uint8(type_.value_type))
    return bool(pa.types.is_binary(type_) or pa.types.is_large_binary(type_))


def _pick(entries: Sequence[Mapping[str, Any]], array: str, formats: Sequence[str] | None) -> str | None:
    """Return the path of an array; the primary one if there are several, None if there is none."""
    found = [one for one in entries if _is(one, array) and (formats is None or _format(one) in formats)]
    found.sort(key=lambda one: one.get("buffer_priority") != "primary")
    return str(found[0]["path"]) if found else None


def _index(table: ParquetTable, prefix: str) -> str:
    """Return the column of spectrum indices: `spectrum_index`, else the first, as the specification requires."""
    fields: Any = table.schema.field(prefix).type
    names = [field.name for field in fields]
    return f"{prefix}.{'spectrum_index' if 'spectrum_index' in names else names[0]}"


def _is(entry: Mapping[str, Any], array: str) -> bool:
    return entry.get("array_type") == array


def _format(entry: Mapping[str, Any]) -> str:
    return str(entry.get("buffer_format") or "").lower().replace("_", " ")


def _leaf(table: ParquetTable, entry: Mapping[str, Any]) -> str | None:
    path = entry.get("path")
    return table.leaf_path(path) if isinstance(path, str) else None


def _missing_column(table: ParquetTable, what: str, entries: Sequence[Mapping[str, Any]]) -> InvalidStore:
    listed = ", ".join(f"{one['path']} ({one.get('array_name')})" for one in entries) or "nothing"
    return InvalidStore(f"{table.label} has no column of {what}; its array index lists {listed}.")
