"""Maps `soma_joinid` of obs or var, which may have gaps, to rows in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_access.arrays import Arrays, read_buffers
from cxg_widget.errors import InvalidStore

JOINID = "soma_joinid"


@dataclass(frozen=True)
class Joinids:
    """Joinids, ascending.

    Attributes
    ----------
    first, n : first joinid, and number of joinids
    listed : int64 (n,); None if they are consecutive
    """

    first: int
    n: int
    listed: NDArray[np.int64] | None = None

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the joinids of rows."""
        return rows + self.first if self.listed is None else self.listed[rows]

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return the joinids of the first and the last row of start <= row < stop; needs at least one row."""
        first, last = self.of(np.array([start, stop - 1])).tolist()
        return first, last

    def rows(self, joinids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of each joinid, -1 = none."""
        if self.listed is None:
            found = joinids - self.first
            is_known = (found >= 0) & (found < self.n)
        else:
            found = np.searchsorted(self.listed, joinids)
            is_known = self.listed[np.minimum(found, self.n - 1)] == joinids if self.n else found < 0
        return found if is_known.all() else np.where(is_known, found, -1)


Ordered = tuple[Joinids, NDArray[np.int64] | None]
"""Joinids, and the order that sorts the stored rows by joinid; None = already sorted."""


def read_joinids(arrays: Arrays, path: str) -> Ordered:
    """Return the joinids of a table, ascending, and the order that sorts its rows.

    Reads no data if the fragments show that there are no gaps.
    """
    schema = arrays.schema(path)
    dims = [schema.domain.dim(place).name for place in range(schema.ndim)]
    by_joinid = dims == [JOINID]
    if not by_joinid and JOINID not in dims and not schema.has_attr(JOINID):
        raise InvalidStore(f"{arrays.uri}: {path} has no {JOINID}.")
    if by_joinid and (known := _without_gaps(arrays, path)) is not None:
        return known, None
    array = arrays.array(path, JOINID)
    names, of_dims = ([], [JOINID]) if JOINID in dims else ([JOINID], [])
    what = f"{path} column {JOINID!r}"
    every: list[Any] = [[] for _ in dims]
    found = arrays.read(array, what, lambda: read_buffers(array, names, every, dims=of_dims))[JOINID].numbers(np.int64)
    order = None if by_joinid else np.argsort(found, kind="stable")
    joinids = found if order is None else found[order]
    if (joinids[1:] <= joinids[:-1]).any():
        raise InvalidStore(f"{arrays.uri}: {path} has a {JOINID} twice.")
    n = len(joinids)
    first = int(joinids[0]) if n else 0
    return Joinids(first, n, joinids if n and int(joinids[-1]) - first != n - 1 else None), order


def _without_gaps(arrays: Arrays, path: str) -> Joinids | None:
    """Return the joinids of a table from its fragments, without reading data; None if there may be gaps."""
    fragments = sorted(arrays.fragments(path), key=lambda one: one.domain)
    if not fragments:
        return Joinids(0, 0)
    spans = [one.domain[0] for one in fragments]
    whole = all(one.n_cells == last - first + 1 for one, (first, last) in zip(fragments, spans, strict=True))
    adjoin = all(after[0] == before[1] + 1 for before, after in pairwise(spans))
    # Deleted rows stay in their fragments; only commit files of another kind than .wrt reveal a deletion.
    if not whole or not adjoin or any(not name.endswith(".wrt") for name in arrays.names([f"{path}/__commits"])[0]):
        return None
    return Joinids(spans[0][0], spans[-1][1] - spans[0][0] + 1)
