"""Finds and reads the metadata tables of spectra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cxg_widget.datasets.mzpeak.manifest import Manifest
from cxg_widget.datasets.mzpeak.terms import name_of
from cxg_widget.datasets.tables.parquet_table import ParquetTable
from cxg_widget.errors import InvalidStore

_PARTS = {"spectrum": "metadata", "scan": "scans", "precursor": "precursors", "selected_ion": "selected ions"}


@dataclass(frozen=True)
class Facet:
    """A metadata table of spectra: a column of structs in a packed table, or a member of its own.

    prefix : prefix of the paths of its columns, such as "spectrum.", or ""
    key : path of the index of a row's spectrum; rows with a null index do not count
    terms : path of a column below the facet to its accession
    """

    name: str
    table: ParquetTable
    prefix: str
    key: str
    terms: Mapping[str, str]

    def columns(self) -> Iterator[tuple[str, str, pa.DataType]]:
        """Yield the readable name, the path and the type of each column without lists."""
        fields: Any = self.table.schema.field(self.name).type if self.prefix else self.table.schema
        for path, type_ in _leaves("", fields):
            if self.prefix + path != self.key:
                yield name_of(path, self.terms.get(path)), self.prefix + path, type_

    def left_out(self) -> list[str]:
        """Return the columns that hold lists."""
        fields: Any = self.table.schema.field(self.name).type if self.prefix else self.table.schema
        return [f"{self.name}.{field.name}" for field in fields if _is_list(field.type)]

    def read(self, path: str) -> tuple[NDArray[np.int64], pa.Array]:
        """Return the spectrum index of each row (k,), and the values of a column in these rows."""
        with self.table.reading():
            found = self.table.read([path, self.key] if path != self.key else [path])
            keys, values = column_at(found, self.key), column_at(found, path)
            kept = keys.is_valid()
            index = pc.cast(keys.filter(kept), pa.int64(), safe=False)
            return index.to_numpy(zero_copy_only=False), values.filter(kept)

    def values(self, path: str) -> pa.Array:
        """Return the values of a column in the rows with an index, (k,); does not read the index if no row lacks it."""
        if self.table.n_null(self.key) != 0:
            return self.read(path)[1]
        with self.table.reading():
            return column_at(self.table.read([path]), path)


def find_facets(manifest: Manifest, tables: Mapping[str, ParquetTable], uri: str) -> dict[str, Facet]:
    """Find the metadata tables of spectra, packed into one member or each in its own.

    Raises `InvalidStore` if there is no table of spectra, or it has no index.
    """
    main = manifest.find("metadata")
    if main is None:
        raise InvalidStore(f"{uri}: no spectrum metadata; the index lists {manifest.kinds}.")
    found: dict[str, Facet] = {}
    packed = tables[main.name]
    for name, kind in _PARTS.items():
        key = "index" if name == "spectrum" else "source_index"
        member = manifest.find(kind)
        terms = {} if member is None else member.terms
        if name in packed.schema.names and pa.types.is_struct(packed.schema.field(name).type):
            found[name] = Facet(name, packed, f"{name}.", f"{name}.{key}", terms)
        elif member is not None and key in tables[member.name].schema.names:
            found[name] = Facet(name, tables[member.name], "", key, terms)
    if "spectrum" not in found or found["spectrum"].table.leaf_path(found["spectrum"].key) is None:
        raise InvalidStore(f"{uri}: member {main.name!r} has no column 'index' of spectra.")
    incomplete = [name for name, facet in found.items() if facet.table.leaf_path(facet.key) != facet.key]
    return {name: facet for name, facet in found.items() if name not in incomplete}


def column_at(table: pa.Table | pa.RecordBatch, path: str) -> pa.Array:
    """Return a column below structs as one array, with its dictionary decoded; null if a struct around it is null."""
    first, *below = path.split(".")
    found: Any = table.column(first)
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks() if found.num_chunks != 1 else found.chunk(0)
    for name in below:
        found = pc.struct_field(found, name)
    return found.dictionary_decode() if pa.types.is_dictionary(found.type) else found


def rows_of(index: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of the wanted values in `index`, whose values are distinct; -1 = missing."""
    if not index.size:
        return np.full(wanted.size, -1, dtype=np.int64)
    first, last = int(index[0]), int(index[-1])
    if last - first + 1 == index.size and bool((np.diff(index) == 1).all()):
        inside = (wanted >= first) & (wanted <= last)
        return np.where(inside, wanted - first, -1)
    order = np.argsort(index, kind="stable")
    at = np.minimum(np.searchsorted(index, wanted, sorter=order), index.size - 1)
    found: NDArray[np.int64] = np.where(index[order[at]] == wanted, order[at], -1)
    return found


def _leaves(path: str, fields: Sequence[pa.Field]) -> Iterator[tuple[str, pa.DataType]]:
    for field in fields:
        type_ = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_struct(type_):
            yield from _leaves(f"{path}{field.name}.", type_)
        elif not _is_list(type_):
            yield f"{path}{field.name}", type_


def _is_list(type_: pa.DataType) -> bool:
    return pa.types.is_nested(type_) and not pa.types.is_struct(type_)
