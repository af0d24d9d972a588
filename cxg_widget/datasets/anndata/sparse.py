"""A sparse matrix on disk, in compressed rows (CSR) or columns (CSC), read along both axes.

Lines of the compressed axis are slices. Lines across, such as one gene of a CSR matrix, need all of its indices. If the
entries fit into the memory budget, they are sorted once and cached; else each request scans the indices in blocks, and
one scan serves all of its lines that fit in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import RLock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.anndata.entries import BLOCK_ENTRIES, aligned, pick_entries
from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.datasets.base.matrix_block import MatrixBlock, exactly, line_of, stack
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.vectors import TOGETHER_BYTES
from cxg_widget.errors import InvalidStore

SORTED_ENTRIES = 1 << 24
"""Entries sorted at a time; sorting takes as much memory again."""
_ENTRY_BYTES = 8


class Sparse:
    """A sparse matrix.

    Parameters
    ----------
    group : group with data, indices and indptr
    shape : (n_obs, n_var) according to obs and var
    axis : compressed axis: "obs" for CSR, "var" for CSC
    budget : cache of sorted entries
    note : called with a sentence if reading across is slow
    progress : called with the share that is sorted or scanned, 0 to 1
    """

    def __init__(
        self,
        group: Group,
        shape: tuple[int, int],
        axis: Literal["obs", "var"],
        *,
        budget: ByteCache,
        note: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> None:
        self._group, self.axis = group, axis
        self.shape = shape
        self._n_major, self._n_minor = shape if axis == "obs" else shape[::-1]
        self._budget, self._note, self._progress = budget, note, progress
        self._data, self._indices, self._indptr = (self._part(name) for name in ("data", "indices", "indptr"))
        self.n_entries = self._data.shape[0]
        self._check_lengths()
        self._lock = RLock()
        self._known_starts: NDArray[np.int64] | None = None

    def lines(self, axis: Literal["obs", "var"], start: int, stop: int) -> MatrixBlock:
        """Return the rows or columns start <= line < stop."""
        found = self._along(start, stop) if axis == self.axis else self._across(start, stop)
        return found.distinct(self.shape[1] if axis == "obs" else self.shape[0])

    def locate(self) -> int:
        """Locate lines and chunks, so that a line takes one round trip, and return the bytes that a gene reads.

        0 if a gene is a line of the compressed axis.
        """
        parts = (self._indices, self._data)
        if self.axis == "obs":
            return sum(gather([one.least_bytes for one in parts]))
        gather([self._starts, *(one.locate for one in parts)])
        return 0

    def fits(self) -> bool:
        """Return whether all entries, sorted by lines across, fit into the budget."""
        return self._needed_bytes() <= self._budget.limit_bytes

    def _needed_bytes(self) -> int:
        n_blocks = self.n_entries // SORTED_ENTRIES + 1
        return _ENTRY_BYTES * self.n_entries + 4 * n_blocks * (self._n_minor + 1)

    def grain(self) -> Grain:
        """Return the portions in which it is read: a chunk contains the entries of neighboring lines."""
        is_plain = self._indices.is_plain and self._data.is_plain
        chunk = self._indices.chunks[0] if self._indices.chunks and not is_plain else 1
        lines = max(chunk * self._n_major // max(self.n_entries, 1), 1)
        entry_bytes = self._data.dtype.itemsize + self._indices.dtype.itemsize
        is_copied = not (self._indices.chunks or self._data.chunks)
        if self.axis == "obs":
            starts = self._starts()
            return Grain(self.shape, self.n_entries, entry_bytes, lines, is_copied=is_copied, row_starts=starts)
        return Grain(self.shape, self.n_entries, entry_bytes, None, lines, is_copied=is_copied)

    def rows(self, rows: NDArray[np.int64]) -> MatrixBlock:
        """Return some lines of the compressed axis, ascending; skips chunks without their entries."""
        starts = self._starts()
        first, ends = starts[rows], starts[rows + 1]
        if len(rows) and (first[1:] == ends[:-1]).all():
            span = slice(int(first[0]), int(ends[-1]))
            positions, values = self._indices.read_beside(self._data, span)
            values = exactly(values)
        else:
            positions, values = pick_entries(self._indices, self._data, first, ends, self._n_minor)
        found = MatrixBlock(np.append(0, np.cumsum(ends - first)), positions, values)
        if found.is_plain(self._n_minor):
            return found
        self._check_positions(positions)
        return found.once(self._n_minor)

    def cut_columns(self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None) -> MatrixBlock | None:
        """Return some columns, ascending, cut to some rows; None if the matrix is not compressed by column."""
        if self.axis == "obs":
            return None
        found = self.rows(positions)
        return found if rows is None else found.cut(rows, self._n_minor)

    def lines_across(self, lines: Sequence[int]) -> Iterator[MatrixBlock]:
        """Yield distinct lines across, each as `lines` returns it; a scan of all entries serves many lines."""
        yield from (found.distinct(self._n_major) for found in self._in_turn(self._sorted(), lines, 0, self._n_major))

    def parts_across(self, lines: Sequence[int], start: int, stop: int) -> Iterator[MatrixBlock]:
        """Yield the positions start <= position < stop of lines across, counted from `start`; see `lines_across`."""
        for found in self._in_turn(self._budget.get(self), lines, start, stop):
            yield found.part(start, stop).distinct(stop - start)

    # --- lines of the compressed axis --------------------------------------------------------------------------------

    def _along(self, start: int, stop: int) -> MatrixBlock:
        starts = self._starts()[start : stop + 1]
        if len(starts) < 2:
            return MatrixBlock(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        first, last = int(starts[0]), int(starts[-1])
        positions, values = self._entries(first, last)
        return MatrixBlock(starts - first, positions, values)

    def _starts(self) -> NDArray[np.int64]:
        with self._lock:
            if self._known_starts is None:
                starts = self._indptr.read(slice(None)).astype(np.int64)
                if starts[0] != 0 or starts[-1] > self.n_entries or (np.diff(starts) < 0).any():
                    raise InvalidStore(
                        f"{self._group.uri}: {self._indptr.path} must ascend from 0 to at most {self.n_entries:,}."
                    )
                self._known_starts = starts
            return self._known_starts

    def _bounds(self, start: int, stop: int) -> tuple[int, int]:
        starts = self._starts()
        return int(starts[start]), int(starts[stop])

    def _positions(self, first: int, last: int) -> NDArray[Any]:
        found = self._indices.read(slice(first, last))
        self._check_positions(found)
        return found

    def _check_positions(self, found: NDArray[Any]) -> None:
        if found.size:
            low, high = int(found.min()), int(found.max())
            if low < 0 or high >= self._n_minor:
                raise InvalidStore(
                    f"{self._group.uri}: {self._indices.path} names position {low if low < 0 else high}, "
                    f"but there are {self._n_minor:,}."
                )

    def _entries(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Return positions and values of the entries first <= entry < last."""
        positions, values = self._indices.read_beside(self._data, slice(first, last))
        self._check_positions(positions)
        return positions, values.astype(np.float32, copy=False)

    def _values(self, first: int, last: int) -> NDArray[np.float32]:
        return self._data.read(slice(first, last)).astype(np.float32, copy=False)

    # --- lines across ------------------------------------------------------------------------------------------------

    def _across(self, start: int, stop: int) -> MatrixBlock:
        sorted_ = self._sorted()
        if sorted_ is None:
            _, sorted_ = self._scan(np.arange(start, stop), 0, self._n_major, most_bytes=None)
            start, stop = 0, stop - start
        return stack([line_of(sorted_, line).vector() for line in range(start, stop)], self._n_major)

    def _sorted(self) -> list[MatrixBlock] | None:
        """Return all entries sorted by lines across; None, with a note, if they exceed the budget."""
        with self._lock:
            sorted_: list[MatrixBlock] | None = self._budget.get(self)
            if sorted_ is None and self._budget.make_room(self._needed_bytes()):
                try:
                    sorted_ = self._sort()
                except BaseException:
                    self._progress(1.0)
                    raise
                self._budget.put(self, sorted_)
        if sorted_ is None:
            own, across = ("cell", "gene") if self.axis == "obs" else ("gene", "cell")
            self._note(
                f"{self._group.path} is stored by {own} and is too large for "
                f"memory_bytes={self._budget.limit_bytes:,}, so that each {across} reads all of it; "
                "`cxg-widget convert` makes a store that reads one without the others."
            )
        return sorted_

    def _sort(self) -> list[MatrixBlock]:
        from scipy.sparse import csr_array

        _, last = self._bounds(0, self._n_major)
        found = []
        # Blocks stay separate: merging them would take the memory of all entries again; decision 15.
        for low, high in aligned(0, last, self._indices.chunks, SORTED_ENTRIES):
            first_line, starts = self._lines_between(low, high)
            positions = np.empty(high - low, dtype=np.int32)
            values = np.empty(high - low, dtype=np.float32)
            for start, stop in aligned(low, high, self._indices.chunks, BLOCK_ENTRIES):
                positions[start - low : stop - low], values[start - low : stop - low] = self._entries(start, stop)
                self._progress(stop / last)
            block = csr_array((values, positions, starts), shape=(len(starts) - 1, self._n_minor)).tocsc()
            block.indices += first_line
            found.append(MatrixBlock(block.indptr, block.indices, block.data))
        return found

    def _in_turn(
        self, sorted_: list[MatrixBlock] | None, lines: Sequence[int], start: int, stop: int
    ) -> Iterator[MatrixBlock]:
        """Yield lines across: sorted ones whole, else scanned from start to stop; lines that do not fit wait."""
        if sorted_ is not None:
            yield from (line_of(sorted_, line) for line in lines)
            return
        waiting = np.asarray(lines, dtype=np.int64)
        while waiting.size:
            try:
                n_found, blocks = self._scan(waiting, start, stop, most_bytes=TOGETHER_BYTES)
            except BaseException:
                self._progress(1.0)
                raise
            yield from (line_of(blocks, line) for line in range(n_found))
            waiting = waiting[n_found:]

    def _scan(
        self, wanted: NDArray[np.int64], start: int, stop: int, *, most_bytes: int | None
    ) -> tuple[int, list[MatrixBlock]]:
        """Scan the entries of start <= line < stop, along the compressed axis, for those of distinct lines across.

        Returns
        -------
        number of requested lines that were found, from the first: as many as fit into `most_bytes`, at least one
        their entries, in lines numbered as in `wanted`
        """
        first, last = self._bounds(start, stop)
        is_all = stop - start == self._n_major
        number = np.full(self._n_minor, -1, dtype=np.int16 if wanted.size < 2**15 else np.int32)
        number[wanted] = np.arange(wanted.size)
        found: list[MatrixBlock] = []
        sizes = np.zeros(wanted.size, dtype=np.int64)
        for low, high in aligned(first, last, self._indices.chunks, BLOCK_ENTRIES):
            found.append(self._pick(number, sizes.size, low, high))
            sizes += np.diff(found[-1].starts)
            # Extrapolates from the share scanned so far: lines that will not fit wait for the next scan.
            if most_bytes is not None and _ENTRY_BYTES * int(sizes.sum()) > most_bytes:
                share = (high - first) / (last - first)
                n_kept = max(int(np.searchsorted(_ENTRY_BYTES * np.cumsum(sizes) / share, most_bytes, side="right")), 1)
                sizes = sizes[:n_kept]
                number[wanted[n_kept:]] = -1
                found = [block.first(n_kept) for block in found]
            if is_all:
                self._progress((high - first) / (last - first))
        return sizes.size, found

    def _pick(self, number: NDArray[Any], n_lines: int, low: int, high: int) -> MatrixBlock:
        """Return the entries low <= entry < high of numbered lines across, sorted by these numbers."""
        line = number[self._positions(low, high)]
        hits = np.flatnonzero(line >= 0)
        if not hits.size:
            return MatrixBlock(np.zeros(n_lines + 1, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))
        line, first = line[hits], low + int(hits[0])
        # Reads values only from the first hit to the last; a rare gene has few in a block.
        values = self._values(first, low + int(hits[-1]) + 1)[hits + low - first]
        major = (np.searchsorted(self._starts(), low + hits, side="right") - 1).astype(np.int32)
        order = np.argsort(line, kind="stable")
        starts = np.cumsum([0, *np.bincount(line, minlength=n_lines)], dtype=np.int32)
        return MatrixBlock(starts, major[order], values[order])

    def _lines_between(self, low: int, high: int) -> tuple[int, NDArray[np.int32]]:
        """Return the first line with entries in low <= entry < high, and the starts of it and the next ones."""
        starts = self._starts()
        first = int(np.searchsorted(starts, low, side="right")) - 1
        last = int(np.searchsorted(starts, high, side="left"))
        return first, (np.clip(starts[first : max(last, first) + 1], low, high) - low).astype(np.int32)

    # --- checks ------------------------------------------------------------------------------------------------------

    def _part(self, name: str) -> Array:
        found = self._group.get(name)
        if not isinstance(found, Array) or len(found.shape) != 1 or found.dtype.kind not in _KINDS[name]:
            raise InvalidStore(f"{self._group.uri}: {self._group.path} has no usable {name}.")
        return found

    def _check_lengths(self) -> None:
        if self._indices.shape != self._data.shape:
            raise InvalidStore(
                f"{self._group.uri}: {self._group.path} has {self._data.shape[0]:,} values "
                f"but {self._indices.shape[0]:,} indices."
            )
        if self._indptr.shape[0] != self._n_major + 1:
            raise InvalidStore(
                f"{self._group.uri}: {self._indptr.path} has {self._indptr.shape[0]:,} entries; "
                f"{self._n_major:,} lines need {self._n_major + 1:,}."
            )
        self._indices.check_plausible()


_KINDS = {"data": "biuf", "indices": "iu", "indptr": "iu"}
