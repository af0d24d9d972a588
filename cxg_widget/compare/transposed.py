"""Collects entries of rows by gene, block by block in bounded memory, so that one pass suffices to rank them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.loops.rank_loops import count_transposed, put_keys, put_transposed
from cxg_widget.compare.moments import Floats, entries_of
from cxg_widget.compute.compiled import frozen
from cxg_widget.datasets.base.matrix_block import MatrixBlock, Numbers


def places_of(values: Numbers, fill: float = 0.0) -> NDArray[np.float32]:
    """Return the rank of each value among the distinct ones, float32 (k,), with `fill` as 0; NaN stays.

    Distinguishes up to 2^24 distinct values of a gene on either side of `fill`.
    """
    found = np.full(len(values), np.nan, dtype=np.float32)
    known = ~np.isnan(values)
    # float32 holds integers up to 2**24 exactly, and ranks only need the order.
    distinct, places = np.unique(values[known], return_inverse=True)
    below = int(np.searchsorted(distinct, fill))
    has_fill = below < len(distinct) and distinct[below] == fill
    places = places - below
    found[known] = places if has_fill else places + (places >= 0)
    return found


def in_order(block: MatrixBlock) -> MatrixBlock:
    """Return columns, without a fill, whose values are replaced by their ranks within each."""
    parts = [places_of(block.values[first:stop]) for first, stop in pairwise(block.starts.tolist())]
    return MatrixBlock(block.starts, block.positions, np.concatenate([*parts, np.empty(0, np.float32)]))


_SLACK = 1.1
"""Factor by which later rows may be fuller before genes are dropped again, which copies what is kept."""
_KEYS = 2**19
"""Keys made at a time: 4 MiB."""

Integers = NDArray[np.int64]
Keys = tuple[NDArray[np.uint64], Integers, Integers]
"""Keys of several genes, and the starts and ends of each."""


class _Part(NamedTuple):
    """The entries of a block, by gene: start and end of each, the values, and the groups."""

    starts: NDArray[np.int32]
    stops: NDArray[np.int32]
    values: Numbers
    groups: NDArray[Any]

    @property
    def n_bytes(self) -> int:
        return self.values.nbytes + self.groups.nbytes

    def first(self, n: int) -> _Part:
        """Return a copy of the first genes."""
        stop = self.starts[n] if n < len(self.starts) else len(self.values)
        return _Part(
            self.starts[:n].copy(), self.stops[:n].copy(), self.values[:stop].copy(), self.groups[:stop].copy()
        )


class Transposed:
    """Entries of consecutive genes, as many as fit: genes from `last` on are dropped.

    genes : first and last + 1 of the requested genes
    n_groups : number of groups, which sets the dtype of a group
    most_bytes : limit for values and groups of entries; at least one gene is kept
    done : int32 (n_rows,), number of entries of each row before the first of the genes, -1 = unknown; after all rows
        were added, before the first dropped gene
    """

    def __init__(self, genes: tuple[int, int], done: NDArray[np.int32], n_groups: int, most_bytes: int) -> None:
        self.first, self.last = genes
        self.done, self._n_taken = done, 0
        self._kind = np.dtype(np.uint8 if n_groups <= 2**8 else np.uint16)
        self._most_bytes, self._parts, self._n_bytes = most_bytes, list[_Part](), 0

    def add_rows(self, block: MatrixBlock, codes: NDArray[np.int32], scale: Floats) -> None:
        """Add rows; drop genes if the entries of all rows will not fit.

        codes, scale : as in `Moments.add_rows`
        """
        entries, done = entries_of(block), self.done[self._n_taken : self._n_taken + len(codes)]
        ends = done.copy()
        left_out = np.zeros(self.last, dtype=np.float32) if block.fill is None else block.fill
        starts = np.zeros(self.last - self.first + 1, dtype=np.int32)
        count_transposed(entries, (frozen(codes), done, ends), frozen(left_out), self.first, starts[1:])
        np.cumsum(starts, out=starts)
        stops = starts[:-1].copy()
        kind = np.float32 if scale.size else block.values.dtype
        # 5 bytes an entry: a value, and a group of up to 256 (decision 57).
        values, groups = np.empty(starts[-1], dtype=kind), np.empty(starts[-1], dtype=self._kind)
        cells = frozen(codes), frozen(scale), done, ends
        put_transposed(entries, cells, (self.first, frozen(left_out)), stops, (values, groups))
        done[:] = ends
        self._parts.append(_Part(starts[:-1], stops, values, groups))
        self._n_bytes += self._parts[-1].n_bytes
        self._n_taken += len(codes)
        self._let_go(self._n_taken / len(self.done))

    def _let_go(self, done: float) -> None:
        """Keep as many genes as fit if the remaining rows are like those so far."""
        if self._n_bytes <= self._most_bytes * min(done * _SLACK, 1.0):
            return
        n = np.zeros(self.last - self.first, dtype=np.int64)
        for part in self._parts:
            n += np.diff(part.starts, append=len(part.values))
        size = np.cumsum(n) * (max(part.values.itemsize for part in self._parts) + self._kind.itemsize)
        n_kept = max(int(np.searchsorted(size, self._most_bytes * done, side="right")), 1)
        # A copy, not a view, since a view would keep the entries of all genes.
        for at, part in enumerate(self._parts):  # one by one, so that little is in memory twice
            self._parts[at] = part.first(n_kept)
        self._n_bytes = sum(part.n_bytes for part in self._parts)
        self.last = self.first + n_kept
        self.done[: self._n_taken] = -1

    def clear(self) -> None:
        """Release all entries."""
        self._parts.clear()

    def spans(self) -> list[tuple[int, int]]:
        """Return the kept genes in runs that are ranked together: start and end."""
        before, start, found = np.concatenate([[0], np.cumsum(self._n_keys())]), 0, []
        while start < len(before) - 1:
            stop = max(int(np.searchsorted(before, before[start] + _KEYS, side="right")) - 1, start + 1)
            found.append((self.first + start, self.first + stop))
            start = stop
        return found

    @property
    def is_double(self) -> bool:
        """Whether some values are float64."""
        return any(part.values.dtype == np.float64 for part in self._parts)

    def keys(self, span: tuple[int, int], held: NDArray[np.uint64], fill: NDArray[np.float32]) -> Keys:
        """Return the keys of a run of genes, in the given buffer if it is large enough.

        fill : value of unlisted cells in each of them; 0 among the keys if values are float64
        """
        genes = slice(span[0] - self.first, span[1] - self.first)
        ends = np.concatenate([[0], np.cumsum(self._n_keys(genes))])
        held, starts, ends = grown(held, int(ends[-1])), ends[:-1].copy(), ends[:-1]
        parts = [_Part(part.starts[genes], part.stops[genes], part.values, part.groups) for part in self._parts]
        for part in _in_order(parts, fill) if self.is_double else parts:
            put_keys((frozen(part.values), frozen(part.groups)), part.starts, part.stops, held, ends)
        return held, starts, ends

    def _n_keys(self, genes: slice = slice(None)) -> Integers:
        n = np.zeros(len(range(self.last - self.first)[genes]), dtype=np.int64)
        for part in self._parts:
            n += part.stops[genes] - part.starts[genes]
        return n


def _in_order(parts: list[_Part], fill: NDArray[np.float32]) -> list[_Part]:
    """Return parts of some genes with values replaced by their ranks within a gene."""
    first = [int(part.starts[0]) for part in parts]
    found = [
        _Part(part.starts - at, part.stops - at, np.empty(part.stops[-1] - at, np.float32), part.groups[at:])
        for at, part in zip(first, parts, strict=True)
    ]
    for gene, left_out in enumerate(fill.tolist()):
        spans = [slice(part.starts[gene], part.stops[gene]) for part in parts]
        values = [part.values[span] for part, span in zip(parts, spans, strict=True)]
        places, at = places_of(np.concatenate(values), left_out), 0
        for part, some in zip(found, values, strict=True):
            part.values[part.starts[gene] : part.stops[gene]] = places[at : at + len(some)]
            at += len(some)
    return found


def grown(held: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return a buffer for n keys, the given one if it is large enough: fresh memory is slow to write to."""
    return held if len(held) >= n else np.empty(n, dtype=np.uint64)
