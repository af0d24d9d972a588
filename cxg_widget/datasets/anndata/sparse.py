"""A sparse matrix on disk, in compressed rows (CSR) or columns (CSC), read along both axes.

Lines of its own axis are slices. Lines across, such as one gene of a CSR matrix, take all of its indices: where the
entries fit into the memory budget they are sorted once and kept; else each question scans the indices in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.budget import Budget
from cxg_widget.datasets.anndata.lines import Lines, sorted_lines
from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.errors import InvalidStore

BLOCK_ENTRIES = 1 << 22
"""Entries read at a time where all of them are looked at: 32 MiB."""
SORTED_ENTRIES = 1 << 24
"""Entries sorted at a time; sorting takes as much memory again."""
_ENTRY_BYTES = 8


@dataclass(frozen=True)
class _Sorted:
    """Part of the matrix in lines of the other axis: starts (n_minor + 1,), positions int32, values float32."""

    starts: NDArray[np.int32]
    positions: NDArray[np.int32]
    values: NDArray[np.float32]


class Sparse:
    """A sparse matrix.

    Parameters
    ----------
    group : holds data, indices and indptr
    shape : (n_obs, n_var) as obs and var have it
    axis : along which it is compressed: "obs" for CSR, "var" for CSC
    budget : how much memory sorted entries may take
    note, progress : told a sentence where reading across is slow; how much of the sorting is done

    Raises
    ------
    InvalidStore
        If a part is missing or of another length than the others say.
    """

    def __init__(
        self,
        group: Group,
        shape: tuple[int, int],
        axis: Literal["obs", "var"],
        *,
        budget: Budget,
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

    def lines(self, axis: Literal["obs", "var"], start: int, stop: int) -> Lines:
        """Return the rows or columns start <= line < stop.

        Raises
        ------
        InvalidStore
            If the entries contradict the shape.
        DamagedStore
            If they cannot be read.
        """
        found = self._along(start, stop) if axis == self.axis else self._across(start, stop)
        return found.distinct(self.shape[1] if axis == "obs" else self.shape[0])

    def part_of_line(self, line: int, start: int, stop: int) -> Lines:
        """Return the positions start <= position < stop of one line across, counted from `start`; as `lines`."""
        sorted_ = self._budget.get(self)
        if sorted_ is not None:
            return self._from_sorted(sorted_, line, line + 1).distinct(self._n_major)
        first, last = self._bounds(start, stop)
        return _moved(self._scan(line, line + 1, first, last), start).distinct(stop - start)

    # --- lines of its own axis ---------------------------------------------------------------------------------------

    def _along(self, start: int, stop: int) -> Lines:
        starts = self._starts()[start : stop + 1]
        if len(starts) < 2:
            return Lines(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        first, last = int(starts[0]), int(starts[-1])
        return Lines(starts - first, self._positions(first, last), self._values(first, last))

    def _starts(self) -> NDArray[np.int64]:
        with self._lock:
            if self._known_starts is None:
                starts = self._indptr.read(slice(None)).astype(np.int64)
                if starts[0] != 0 or starts[-1] > self.n_entries or (np.diff(starts) < 0).any():
                    raise InvalidStore(
                        f"{self._group.uri}: {self._indptr.path} must rise from 0 to {self.n_entries:,} at most."
                    )
                self._known_starts = starts
            return self._known_starts

    def _bounds(self, start: int, stop: int) -> tuple[int, int]:
        starts = self._starts()
        return int(starts[start]), int(starts[stop])

    def _positions(self, first: int, last: int) -> NDArray[Any]:
        found = self._indices.read(slice(first, last))
        if found.size:
            low, high = int(found.min()), int(found.max())
            if low < 0 or high >= self._n_minor:
                raise InvalidStore(
                    f"{self._group.uri}: {self._indices.path} names position {low if low < 0 else high}, "
                    f"but there are {self._n_minor:,}."
                )
        return found

    def _values(self, first: int, last: int) -> NDArray[np.float32]:
        return self._data.read(slice(first, last)).astype(np.float32, copy=False)

    # --- lines across ------------------------------------------------------------------------------------------------

    def _across(self, start: int, stop: int) -> Lines:
        with self._lock:
            sorted_ = self._budget.get(self)
            if sorted_ is None and self._budget.reserve(self, self._bytes_needed()):
                try:
                    sorted_ = self._sort()
                except BaseException:
                    self._budget.drop(self)
                    raise
                self._budget.put(self, sorted_)
        if sorted_ is not None:
            return self._from_sorted(sorted_, start, stop)
        self._note(
            f"{self._group.path} is stored by {'cell' if self.axis == 'obs' else 'gene'} and is too large for "
            f"memory_bytes={self._budget.limit:,}, so that each {'gene' if self.axis == 'obs' else 'cell'} takes a "
            "look at all of it; `cxg-widget convert` makes a store that reads one at once."
        )
        return self._scan(start, stop, *self._bounds(0, self._n_major))

    def _bytes_needed(self) -> int:
        n_blocks = self.n_entries // SORTED_ENTRIES + 1
        return _ENTRY_BYTES * self.n_entries + 4 * n_blocks * (self._n_minor + 1)

    def _sort(self) -> list[_Sorted]:
        from scipy.sparse import csr_array

        self._indices.check_plausible()
        _, last = self._bounds(0, self._n_major)
        found = []
        for low, high in _aligned(0, last, self._indices.chunks, SORTED_ENTRIES):
            first_line, starts = self._lines_between(low, high)
            positions = np.empty(high - low, dtype=np.int32)
            values = np.empty(high - low, dtype=np.float32)
            for start, stop in _aligned(low, high, self._indices.chunks, BLOCK_ENTRIES):
                positions[start - low : stop - low] = self._positions(start, stop)
                values[start - low : stop - low] = self._values(start, stop)
                self._progress(stop / last)
            block = csr_array((values, positions, starts), shape=(len(starts) - 1, self._n_minor)).tocsc()
            block.indices += first_line
            found.append(_Sorted(block.indptr, block.indices, block.data))
        return found

    def _from_sorted(self, blocks: list[_Sorted], start: int, stop: int) -> Lines:
        if stop - start == 1:
            spans = [slice(block.starts[start], block.starts[stop]) for block in blocks]
            positions = [block.positions[span] for block, span in zip(blocks, spans, strict=True)]
            values = [block.values[span] for block, span in zip(blocks, spans, strict=True)]
            total = sum(map(len, values))
            return Lines(
                np.array([0, total]), np.concatenate([*positions, _NONE]), np.concatenate([*values, _NO_VALUES])
            )
        entries = [_entries(block, start, stop) for block in blocks]
        line, position, value = (np.concatenate([*part]) for part in zip(_NOTHING, *entries, strict=True))
        return sorted_lines(stop - start, line, position, value)

    def _scan(self, start: int, stop: int, first: int, last: int) -> Lines:
        """Look at the entries first <= entry < last for those of lines across."""
        found = [_NOTHING]
        for low, high in _aligned(first, last, self._indices.chunks, BLOCK_ENTRIES):
            positions = self._positions(low, high)
            hits = np.flatnonzero((positions >= start) & (positions < stop))
            if hits.size:
                values = self._values(low + int(hits[0]), low + int(hits[-1]) + 1)[hits - hits[0]]
                major = np.searchsorted(self._starts(), low + hits, side="right") - 1
                found.append((positions[hits].astype(np.int64) - start, major, values))
        line, position, value = (np.concatenate([*part]) for part in zip(*found, strict=True))
        return sorted_lines(stop - start, line, position, value)

    def _lines_between(self, low: int, high: int) -> tuple[int, NDArray[np.int32]]:
        """Return the first line that has entries in low <= entry < high, and where it and the next ones start."""
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


_KINDS = {"data": "biuf", "indices": "iu", "indptr": "iu"}
_NONE, _NO_VALUES = np.empty(0, np.int32), np.empty(0, np.float32)
_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64), _NO_VALUES)


def _entries(block: _Sorted, start: int, stop: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float32]]:
    """Return line, position and value of each entry of some lines."""
    span = slice(block.starts[start], block.starts[stop])
    line = np.repeat(np.arange(stop - start), np.diff(block.starts[start : stop + 1]))
    return line, block.positions[span], block.values[span]


def _moved(lines: Lines, start: int) -> Lines:
    return Lines(lines.starts, lines.positions - start, lines.values)


def _aligned(first: int, last: int, chunks: tuple[int, ...] | None, length: int) -> Iterator[tuple[int, int]]:
    """Cut first..last into parts of about `length` that end where chunks end, so that each chunk is decoded once."""
    chunk = chunks[0] if chunks else 1
    step = max(length // chunk, 1) * chunk
    while first < last:
        stop = min((first // step + 1) * step, last)
        yield first, stop
        first = stop
