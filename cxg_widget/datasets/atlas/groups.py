"""Reads features of Zarr groups: columns of a dense array, slices of CSC, or one search of CSR for several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import Arrays
from cxg_widget.datasets.atlas.packed_entries import Hits
from cxg_widget.datasets.atlas.pointers import Positions
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.errors import DamagedStore, InvalidStore
from cxg_widget.text.half_characters import repaired

ENTRIES_AT_ONCE = 1 << 21
MANY_ENTRIES = 1 << 22
"""Entries searched in all groups together from which loading the compiled search pays off."""
_MAX_FEATURES = 1 << 24

Floats = NDArray[np.float32]
Found = tuple[Positions, Floats]


class ZarrGroups:
    """The Zarr groups of a feature space."""

    def __init__(self, arrays: Arrays, life: Lifetime) -> None:
        self._arrays, self._life = arrays, life
        self._searched = 0

    def layers(self, group: str) -> dict[str, str]:
        """Return the layers of a group, name to path below it; a dense group without layers has one, "data"."""
        for folder in ("csr/layers", "csc/layers", "layers"):
            names = self._arrays.names(f"{group}/{folder}")
            if names:
                return {repaired(name): f"layers/{name}" for name in names}
        return {"data": "data"} if self._arrays.exists(f"{group}/data") else {}

    def width(self, groups: Iterable[str], layer: str) -> int | None:
        """Return the number of features of the first group with the layer; None if its array is not 2-D or damaged."""
        for group in groups:
            below = self.layers(group).get(layer)
            if below is not None:
                try:
                    return int(self._arrays.array(f"{group}/{below}", n_axes=2).shape[1])
                except (InvalidStore, DamagedStore):
                    return None
        return None

    def dense_column(self, path: str, place: int, begin: int, end: int) -> Floats:
        """Return a feature of the lines begin <= line < end of a dense layer."""
        array = self._dense(path, end)
        if place >= array.shape[1]:
            raise self._wrong(path, f"has {array.shape[1]} features, but its layout places one at {place}")
        return self._arrays.read(array, (slice(begin, end), place)).astype(np.float32)

    def dense_lines(self, path: str, begin: int, end: int, n_features: int) -> Floats:
        """Return all features of the lines begin <= line < end of a dense layer."""
        array = self._dense(path, end)
        if array.shape[1] < n_features:
            raise self._wrong(path, f"has {array.shape[1]} features, but its layout has {n_features}")
        return self._arrays.read(array, slice(begin, end)).astype(np.float32)

    def has_csc(self, group: str, layer: str) -> bool:
        """Say whether a group also stores a layer by feature."""
        return all(self._arrays.exists(f"{group}/csc/{name}") for name in ("indptr", "indices", layer))

    def column_in_csc(self, group: str, layer: str, place: int) -> Iterator[Found]:
        """Yield the lines that have an entry for a feature, and their values, in blocks."""
        indptr: Positions = self._life.cached(("indptr", group), lambda: self._read_indptr(group))
        if place + 1 >= len(indptr):
            raise self._wrong(
                f"{group}/csc/indptr", f"has {len(indptr) - 1} features, but its layout places one at {place}"
            )
        lines, values = self._entries(f"{group}/csc/indices"), self._entries(f"{group}/csc/{layer}")
        for inside in _slices(int(indptr[place]), int(indptr[place + 1])):
            yield self._arrays.read(lines, inside).astype(np.int64), self._read_values(values, inside)

    def columns_in_csr(
        self, group: str, layer: str, places: Sequence[int], begin: int, end: int
    ) -> Iterator[tuple[Positions, NDArray[np.int32], Floats]]:
        """Search begin <= entry < end for some features; yield blocks of hits.

        places : positions of the features in the group, distinct

        Yields
        ------
        entries : int64 (k,), ascending
        features : int32 (k,), indices into `places`
        values : float32 (k,)
        """
        indices, values = self._entries(f"{group}/csr/indices"), self._entries(f"{group}/csr/{layer}")
        number = np.full(max(places) + 1, -1, dtype=np.int32)
        number[list(places)] = np.arange(len(places))
        self._searched += end - begin
        packed = self._arrays.packed(f"{group}/csr/indices") if self._searched >= MANY_ENTRIES else None
        weights = None if packed is None else self._arrays.packed(f"{group}/csr/{layer}")
        search = self._search(indices, number, begin, end) if packed is None else packed.find(number, begin, end)
        for hits, found in search:
            near = slice(int(hits[0]), int(hits[-1]) + 1)
            taken = weights.take(hits) if weights else self._read_values(values, near)[hits - hits[0]]
            yield hits, found, taken

    def _search(self, indices: Any, number: NDArray[np.int32], begin: int, end: int) -> Iterator[Hits]:
        for inside in _slices(begin, end):
            places = self._arrays.read(indices, inside)
            hits = np.flatnonzero((places >= 0) & (places < len(number)))
            found = number[places[hits]]
            hits, found = hits[found >= 0], found[found >= 0]
            if len(hits):
                yield hits + inside.start, found

    def n_entries(self, group: str, layer: str) -> int:
        """Return the number of entries in the csr of a group."""
        n = {name: self._entries(f"{group}/csr/{name}").shape[0] for name in ("indices", layer)}
        if len(set(n.values())) > 1:
            raise self._wrong(f"{group}/csr", f"has {n['indices']:,} indices but {n[layer]:,} values in {layer}")
        return int(n["indices"])

    def entries(self, group: str, layer: str, begin: int, end: int) -> Found:
        """Return the feature positions and the values of begin <= entry < end in csr."""
        inside = slice(begin, end)
        indices, values = self._entries(f"{group}/csr/indices"), self._entries(f"{group}/csr/{layer}")
        return self._arrays.read(indices, inside).astype(np.int64), self._read_values(values, inside)

    def _dense(self, path: str, end: int) -> Any:
        array = self._arrays.array(path, n_axes=2)
        if end > array.shape[0]:
            raise self._wrong(path, f"has {array.shape[0]:,} lines, but a cell refers to line {end - 1:,}")
        return array

    def _entries(self, path: str) -> Any:
        return self._arrays.array(path, n_axes=1, sparse=True)

    def _read_values(self, array: Any, inside: slice) -> Floats:
        if inside.stop > array.shape[0]:
            raise self._wrong(array.path, f"has {array.shape[0]:,} values, fewer than its indices")
        return self._arrays.read(array, inside).astype(np.float32)

    def _read_indptr(self, group: str) -> Positions:
        path = f"{group}/csc/indptr"
        n = self._entries(f"{group}/csc/indices").shape[0]
        array = self._arrays.array(path, n_axes=1, sparse=n > 0)
        if array.shape[0] > _MAX_FEATURES:
            raise self._wrong(path, f"has {array.shape[0]:,} entries, more than the features of any dataset")
        indptr = self._arrays.read(array, slice(None)).astype(np.int64)
        if not len(indptr) or indptr[0] != 0 or indptr[-1] != n or (np.diff(indptr) < 0).any():
            raise self._wrong(path, f"does not ascend from 0 to the {n:,} entries of csc/indices")
        return indptr

    def _wrong(self, path: str, what: str) -> InvalidStore:
        return InvalidStore(f"{self._arrays.root}: '{path}' {what}.")


def _slices(begin: int, end: int) -> Iterator[slice]:
    for start in range(begin, end, ENTRIES_AT_ONCE):
        yield slice(start, min(start + ENTRIES_AT_ONCE, end))
