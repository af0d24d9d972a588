"""Blocks of rows or vars of the matrix, and operations on them; SciPy does the large ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Vector
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.text.names import shown

Integers = NDArray[np.integer[Any]]
Numbers = NDArray[np.floating[Any]]
"""float32, or float64 if float32 would change a value; see `exactly`."""
DEFAULT_MEMORY_BYTES = int(3.2 * 2**30)
"""Memory for entries sorted by var, for stores by cell."""
_MANY_ENTRIES = 1 << 20
"""Number of entries from which loading a compiled loop pays off."""


@dataclass(frozen=True)
class MatrixBlock:
    """Lines of the matrix, rows (obs) or columns (var), as entries.

    Attributes
    ----------
    starts : integers (n_lines + 1,); line i has the entries starts[i] <= entry < starts[i + 1]
    positions : integers (n_entries,), position of each entry in its line, distinct within a line, in any order
    values : `Numbers` (n_entries,); NaN = not measured
    fill : float32 (length,), value of each position in lines that do not list it: the shift of a CXG with
        `X_col_shift`, NaN for positions that no line measured; None = 0

    Examples
    --------
    >>> block = dataset.gather(rows=[0, 5, 9])
    >>> len(block.starts) - 1
    3
    """

    starts: Integers
    positions: Integers
    values: Numbers
    fill: NDArray[np.float32] | None = None

    @property
    def lines(self) -> Numbers | None:
        """All values, `Numbers` (n_lines, length), if the store has dense lines; None if it has entries.

        Code that uses only the entries is right for both: in a dense block each cell is an entry.

        Examples
        --------
        >>> dataset.gather(rows=[0, 5, 9]).lines is None
        True
        """
        return None

    def dense(self, length: int) -> Numbers:
        """Return all values, `Numbers` (n_lines, length); for a dense block its own array.

        Examples
        --------
        >>> dataset.gather(rows=[0, 5, 9]).dense(dataset.n_var).shape
        (3, 300)
        """
        n_lines = len(self.starts) - 1
        found = np.zeros((n_lines, length), dtype=self.values.dtype)
        if self.fill is not None:
            found[:] = self.fill
        found[np.repeat(np.arange(n_lines), np.diff(self.starts)), self.positions] = self.values
        return found

    @classmethod
    def of_dense(cls, values: Numbers) -> MatrixBlock:
        """Return the rows of a dense part, without zeros; NaN is kept."""
        # NaN differs from 0, and so stays an entry.
        line, position = np.nonzero(values)
        starts = np.searchsorted(line, np.arange(len(values) + 1)).astype(np.int64)
        return cls(starts, position, values[line, position])

    @classmethod
    def of_entries(cls, shape: tuple[int, int], line: Integers, position: Integers, values: Numbers) -> MatrixBlock:
        """Return entries in any order as lines, (n_lines, length); duplicates are summed."""
        from scipy.sparse import coo_array

        found = coo_array((values, (line, position)), shape=shape).tocsr()
        return cls(found.indptr, found.indices, found.data)

    def csr(self, length: int) -> Any:
        """Return a scipy.sparse.csr_array, sharing memory if there is no fill value."""
        from scipy.sparse import csr_array

        if self.fill is not None:
            return self.written_out(length).csr(length)
        return csr_array((self.values, self.positions, self.starts), shape=(len(self.starts) - 1, length))

    def written_out(self, length: int) -> MatrixBlock:
        """Return a block without a fill: values equal to the fill become entries, zeros are dropped."""
        return self if self.fill is None else MatrixBlock.of_dense(self.dense(length))

    def distinct(self, length: int) -> MatrixBlock:
        """Return lines with distinct ascending positions; duplicates are summed."""
        if _is_ascending(self.starts, self.positions):
            return self
        found = self.csr(length).copy()
        # It works in place, so `found` is a copy: `csr` shares the block's memory.
        found.sum_duplicates()
        return MatrixBlock(found.indptr, found.indices, found.data)

    def once(self, length: int) -> MatrixBlock:
        """Return lines with distinct positions, in any order, as from TileDB; cheaper than `distinct`."""
        if not self._pays_to_compile():
            return self.distinct(length)
        from cxg_widget.datasets.base.line_loops import repeats

        return self.distinct(length) if repeats(self.starts, self.positions, length) else self

    def is_plain(self, length: int) -> bool:
        """Return whether positions ascend in each line and are in range, if one pass can tell; False = unknown."""
        if not self._pays_to_compile():
            return False
        from cxg_widget.datasets.base.line_loops import is_plain

        return bool(is_plain(self.starts, self.positions, length))

    def _pays_to_compile(self) -> bool:
        return len(self.positions) >= (_MANY_ENTRIES >> 6 if "numba" in sys.modules else _MANY_ENTRIES)

    def holds(self, n_lines: int, length: int) -> bool:
        """Return whether it has `n_lines` lines, and all entries are in range, unlike in damaged files."""
        # Compiled loops and SciPy do not check bounds: a position of a damaged file would access other memory.
        starts, positions = self.starts, self.positions
        if len(starts) != n_lines + 1 or starts[0] != 0 or starts[-1] != len(positions):
            return False
        if len(positions) != len(self.values) or bool((starts[1:] < starts[:-1]).any()):
            return False
        return not len(positions) or (int(positions.min()) >= 0 and int(positions.max()) < length)

    def take(self, lines: Integers) -> MatrixBlock:
        """Return some lines, in their order."""
        n_lines = len(self.starts) - 1
        if len(lines) == n_lines and (not n_lines or (lines[-1] == n_lines - 1 and (np.diff(lines) == 1).all())):
            return self
        first, lengths = self.starts[:-1][lines], np.diff(self.starts)[lines]
        starts = np.zeros(len(lines) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        entry = counted(first, lengths)
        return MatrixBlock(starts, self.positions[entry], self.values[entry], self.fill)

    def across(self, length: int) -> MatrixBlock:
        """Return the transposed block, positions ascending, without a fill."""
        found = self.csr(length).tocsc()
        return MatrixBlock(found.indptr, found.indices, found.data)

    def cut(self, positions: NDArray[np.int64], length: int) -> MatrixBlock:
        """Return some positions, ascending, numbered from 0; for lines of that length without a fill."""
        n = len(positions)
        # Consecutive positions need no table of all positions.
        if n and int(positions[-1]) - int(positions[0]) == n - 1:
            placed = self.positions - self.positions.dtype.type(positions[0])
            entries = np.flatnonzero((placed >= 0) & (placed < n))
        else:
            place = np.full(length, -1, dtype=np.int32)
            place[positions] = np.arange(n, dtype=np.int32)
            placed = place[self.positions]
            entries = np.flatnonzero(placed >= 0)
        starts = np.searchsorted(entries, self.starts)
        return MatrixBlock(starts, placed[entries], self.values[entries])

    def first(self, n_lines: int) -> MatrixBlock:
        """Return a copy of the first lines."""
        stop = self.starts[n_lines]
        return MatrixBlock(self.starts[: n_lines + 1], self.positions[:stop].copy(), self.values[:stop].copy())

    def part(self, start: int, stop: int) -> MatrixBlock:
        """Return the positions start <= position < stop of a single line, relative to `start`."""
        inside = (self.positions >= start) & (self.positions < stop)
        positions = self.positions[inside] - start
        return MatrixBlock(np.array([0, positions.size]), positions, self.values[inside])

    def vector(self) -> Vector:
        """Return a single line as a vector."""
        return Vector(self.values.astype(np.float32, copy=False), self.positions.astype(np.int64))


class DenseBlock(MatrixBlock):
    """Dense lines; their entries are made at the first access of `positions`.

    Parameters
    ----------
    lines : `Numbers` (n_lines, length)
    """

    def __init__(self, lines: Numbers) -> None:
        n_lines, length = lines.shape
        starts = np.arange(n_lines + 1, dtype=np.int64) * length
        for name, value in (("starts", starts), ("values", lines.reshape(-1)), ("fill", None), ("_lines", lines)):
            # The dataclass above is frozen.
            object.__setattr__(self, name, value)

    @property
    def lines(self) -> Numbers:
        """All values, `Numbers` (n_lines, length)."""
        found: Numbers = vars(self)["_lines"]
        return found

    @cached_property
    def positions(self) -> Integers:
        """The positions of all cells."""
        n_lines, length = self.lines.shape
        return np.tile(np.arange(length, dtype=np.int32), n_lines)

    def dense(self, length: int) -> Numbers:  # noqa: ARG002 - it has one
        """Return all values."""
        return self.lines

    def csr(self, length: int) -> Any:
        """Return a scipy.sparse.csr_array without zeros."""
        return MatrixBlock.of_dense(self.lines).csr(length)

    def across(self, length: int) -> MatrixBlock:  # noqa: ARG002 - it has one
        """Return the transposed block."""
        return DenseBlock(np.ascontiguousarray(self.lines.T))

    def holds(self, n_lines: int, length: int) -> bool:
        """Return whether it has `n_lines` lines of that length."""
        return self.lines.shape == (n_lines, length)

    def take(self, lines: Integers) -> MatrixBlock:
        """Return some lines, in their order."""
        return DenseBlock(self.lines[lines])


def exactly(values: NDArray[Any]) -> Numbers:
    """Return numbers as float32, or as float64 if float32 would change one of them."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32, copy=False)
    if values.dtype.itemsize <= (4 if values.dtype.kind == "f" else 2):
        return found
    # float32 is kept if it changes no number: half the memory, and ranks sort it by 32 bits (decision 57).
    is_same = found == values
    if values.dtype.kind == "f":
        is_same |= np.isnan(values)
    return found if is_same.all() else values.astype(np.float64)


def stack(vectors: Sequence[Vector], n_obs: int) -> MatrixBlock:
    """Return vectors as the lines of one block; those with a fill other than 0 are expanded."""
    rows = [np.arange(n_obs) if one.rows is None else one.rows for one in vectors]
    values = [one.values for one in vectors]
    for line, one in enumerate(vectors):
        if one.rows is not None and one.fill:
            rows[line], values[line] = np.arange(n_obs), one.dense(n_obs)
    starts = np.cumsum([0, *(len(part) for part in values)], dtype=np.int64)
    return MatrixBlock(
        starts,
        np.concatenate([*rows, np.empty(0, np.int64)], dtype=np.int64),
        np.concatenate([*values, np.empty(0, np.float32)], dtype=np.float32),
    )


def rows_in_blocks(rows: NDArray[np.int64], read: Callable[[int, int], MatrixBlock], gap: int = 4) -> MatrixBlock:
    """Return ascending rows by a function that reads consecutive ones; rows less than `gap` apart are read together."""
    found = [read(start, stop).take(rows[first:last] - start) for first, last, start, stop in spans(rows, gap)]
    return join(found)


def spans(rows: NDArray[np.int64], gap: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield runs of ascending rows with gaps up to `gap`: first, last; start, stop.

    Both ends are exclusive: the run is rows[first:last], and is within start <= row < stop.
    """
    if not len(rows):
        return
    ends = np.append(np.flatnonzero(np.diff(rows) > gap) + 1, len(rows))
    for first, last in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        yield first, last, int(rows[first]), int(rows[last - 1]) + 1


def counted(begins: Integers, lengths: Integers) -> NDArray[np.int64]:
    """Return begin, begin + 1, ... of each span, concatenated."""
    ends = np.cumsum(lengths)
    return np.repeat(begins - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


def join(blocks: Sequence[MatrixBlock]) -> MatrixBlock:
    """Return the lines of all blocks as one; the blocks have no fill or the same."""
    if len(blocks) == 1:
        return blocks[0]
    dense = [block.lines for block in blocks if block.lines is not None]
    if dense and len(dense) == len(blocks):
        return DenseBlock(np.concatenate(dense))
    starts = np.zeros(1 + sum(len(block.starts) - 1 for block in blocks), dtype=np.int64)
    np.cumsum(np.concatenate([starts[:0], *(np.diff(block.starts) for block in blocks)]), out=starts[1:])
    return MatrixBlock(
        starts,
        np.concatenate([np.empty(0, np.int32), *(block.positions for block in blocks)]),
        np.concatenate([np.empty(0, np.float32), *(block.values for block in blocks)]),
        blocks[0].fill if blocks else None,
    )


def size_of(blocks: Sequence[MatrixBlock]) -> int:
    """Return the size of sorted entries in bytes."""
    return sum(one.starts.nbytes + one.positions.nbytes + one.values.nbytes for one in blocks)


def line_of(blocks: Sequence[MatrixBlock], line: int) -> MatrixBlock:
    """Return one line whose entries are in several blocks."""
    parts = [slice(block.starts[line], block.starts[line + 1]) for block in blocks]
    positions = [block.positions[part] for block, part in zip(blocks, parts, strict=True)]
    values = [block.values[part] for block, part in zip(blocks, parts, strict=True)]
    total = sum(map(len, values))
    nothing = np.empty(0, np.int32), np.empty(0, np.float32)
    return MatrixBlock(
        np.array([0, total]), np.concatenate([*positions, nothing[0]]), np.concatenate([*values, nothing[1]])
    )


def check_memory_bytes(memory_bytes: object) -> None:
    """Raise `InvalidOption` or `InvalidValue` if this is not a number of bytes for sorted entries."""
    if isinstance(memory_bytes, bool) or not isinstance(memory_bytes, int):
        raise InvalidOption(f"memory_bytes is {shown(memory_bytes)}; it must be a number of bytes, such as 2**32.")
    if memory_bytes < 0:
        raise InvalidValue(f"memory_bytes is {shown(memory_bytes)}; it must be 0 or more.")


def _is_ascending(starts: Integers, positions: Integers) -> bool:
    rises = positions[1:] > positions[:-1]
    between = starts[1:-1]
    rises[between[(between > 0) & (between < len(positions))] - 1] = True
    return bool(rises.all())
