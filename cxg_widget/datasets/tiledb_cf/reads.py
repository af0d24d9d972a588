"""Reads slabs of dense arrays and all cells of sparse arrays of one store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_access.arrays import Arrays, values_of

Box = tuple[tuple[int, int], ...]
"""Range start <= index < stop per dimension, in values of its domain."""


class Reads(Arrays):
    """The arrays of a dataspace."""

    def attributes(self, path: str) -> Mapping[str, Any]:
        """Return all metadata of one array."""
        meta = self.metadata(path)
        with self._lock_of(path), self.reading(f"the metadata of {path}"):
            return dict(meta.items())

    def slab(self, path: str, attr: str, box: Box) -> NDArray[Any]:
        """Read one attribute in a box of a dense array; nulls are masked."""
        array = self.array(path, attr)
        shape = tuple(stop - start for start, stop in box)

        def read() -> NDArray[Any]:
            query = array.query(attrs=[attr])
            if any(start < 0 for start, _ in box):  # a slice would count negative indices from the end
                found = query.multi_index[tuple(slice(start, stop - 1) for start, stop in box)]
            else:
                found = query[tuple(slice(start, stop) for start, stop in box)]
            values: NDArray[Any] = found[attr] if isinstance(found, dict) else found
            return values.reshape(shape)

        return self.read(array, f"{path}.{attr}", read)

    def cells(self, path: str, name: str, *, dim: bool) -> NDArray[Any]:
        """Read one attribute or dimension of all cells of a sparse array, always in the same order.

        The order is that of the fragments if the array allows duplicates, else the global order; see decision 17.
        """
        array = self.array(path, name)
        order = "U" if array.schema.allows_duplicates else "G"

        def read() -> NDArray[Any]:
            query = array.query(attrs=[] if dim else [name], dims=[name] if dim else [], order=order)
            found = query[:]
            return found[name] if isinstance(found, dict) else values_of(found)

        return self.read(array, f"{path}.{name}", read)

    def count(self, path: str) -> int:
        """Return the number of cells of a sparse array.

        The metadata of a single fragment without deletions have it; of several fragments, TileDB counts the cells.
        """
        fragments = self.fragments(path)
        if len(fragments) == 1 and not self._deletes(path):
            return fragments[0].n_cells
        if not fragments:
            return 0
        array = self.array(path)
        return self.read(array, f"the number of cells of {path}", lambda: int(array.query().agg("count")[:]))

    def covered(self, path: str, box: Box) -> bool:
        """Return whether all cells in a box of a dense array were written, by the domains of its fragments.

        Cells that several fragments wrote count several times.
        """
        written = (_inside(fragment.domain, box) for fragment in self.fragments(path))
        return sum(written) >= prod(stop - start for start, stop in box)

    def _deletes(self, path: str) -> bool:
        return any(name.endswith(".del") for name in self.names([f"{path}/__commits"])[0])


def _inside(domain: Sequence[tuple[Any, Any]], box: Box) -> int:
    """Return the number of cells in both a box and the domain of a fragment."""
    sides = (
        min(int(last), stop - 1) - max(int(first), start) + 1
        for (first, last), (start, stop) in zip(domain, box, strict=True)
    )
    return prod(max(0, side) for side in sides)


def as_box(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> Box:
    """Return the box between two corners, int64 (ndim,) each."""
    return tuple(zip(starts.tolist(), stops.tolist(), strict=True))
