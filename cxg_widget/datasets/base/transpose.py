"""Transposes columns to rows and concatenates rows, with little memory in addition to the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, counted, join


def transpose(columns: Iterable[MatrixBlock], heights: Sequence[int]) -> Iterator[MatrixBlock]:
    """Yield bands of rows, of given heights, of a matrix whose columns are read once, in blocks.

    columns : blocks whose lines are columns, in order, and whose positions are rows
    """
    ends = np.cumsum(heights)
    bands: list[list[MatrixBlock]] = [[] for _ in heights]
    for block in columns:
        for band, part in zip(bands, _banded(block, ends), strict=True):
            band.append(part)
    for band, height in zip(bands, heights, strict=True):
        yield _across(band, height)


def pieces(block: MatrixBlock, n_bytes: int) -> Iterator[MatrixBlock]:
    """Yield the lines of a block in blocks of about `n_bytes`, sharing memory."""
    if block.lines is not None:
        step = max(n_bytes // max(4 * block.lines.shape[1], 1), 1)
        yield from (DenseBlock(block.lines[start : start + step]) for start in range(0, len(block.lines), step))
        return
    n_lines, start = len(block.starts) - 1, 0
    while start < n_lines:
        most = block.starts[start] + n_bytes // 8
        stop = max(int(np.searchsorted(block.starts, most, side="right")) - 1, start + 1)
        first, last = block.starts[start], block.starts[stop]
        yield MatrixBlock(block.starts[start : stop + 1] - first, block.positions[first:last], block.values[first:last])
        start = stop


def gathered(blocks: Iterable[MatrixBlock], length: int) -> MatrixBlock:
    """Return the lines of all blocks as one, without zeros and fill, positions ascending."""
    starts, positions, values = _Grown(np.int64), _Grown(np.int32), _Grown(np.float32)
    starts.add(np.zeros(1, dtype=np.int64))
    for block in blocks:
        lines = block.csr(length)
        lines.sort_indices()
        starts.add(lines.indptr[1:] + np.int64(len(values)))
        positions.add(lines.indices)
        values.add(lines.data)
        del block, lines  # otherwise they would stay while the next ones are read
    return MatrixBlock(starts.whole(), positions.whole(), values.whole())


def _across(parts: list[MatrixBlock], height: int) -> MatrixBlock:
    """Return neighboring columns as rows, releasing each part once it is used."""
    if any(part.lines is not None or part.fill is not None for part in parts):
        whole = join(parts)
        parts.clear()
        return whole.across(height)
    starts = np.zeros(height + 1, dtype=np.int64)
    counts = (np.bincount(part.positions, minlength=height) for part in parts)
    np.cumsum(sum(counts, np.zeros(height, dtype=np.int64)), out=starts[1:])
    kind = np.result_type(np.float32, *(part.values.dtype for part in parts))
    positions, values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=kind)
    free, first = starts[:-1].copy(), 0
    for number, part in enumerate(parts):
        # Frees the part: from here on its entries are only in the result.
        parts[number] = part.first(0)
        rows = part.across(height)
        n = np.diff(rows.starts)
        at = counted(free, n)
        positions[at], values[at] = rows.positions + np.int32(first), rows.values
        free += n
        first += len(part.starts) - 1
    return MatrixBlock(starts, positions, values)


def _banded(block: MatrixBlock, ends: NDArray[np.int64]) -> list[MatrixBlock]:
    """Return the positions up to each end as a block, numbered from the end before."""
    if len(ends) == 1:
        return [block]
    n_lines, band = len(block.starts) - 1, np.searchsorted(ends, block.positions, side="right").astype(np.uint16)
    # NumPy sorts 16 bits by radix, in one pass over all entries.
    order = np.argsort(band, kind="stable")
    line = np.repeat(np.arange(n_lines), np.diff(block.starts))
    counts = np.bincount(band * np.int64(n_lines) + line, minlength=len(ends) * n_lines).reshape(len(ends), n_lines)
    stops = np.cumsum(counts.sum(axis=1))
    found = []
    for number, (n, stop) in enumerate(zip(counts, stops.tolist(), strict=True)):
        entries = order[stop - int(n.sum()) : stop]
        begin = ends[number - 1] if number else 0
        positions = (block.positions[entries] - begin).astype(np.int32)
        found.append(MatrixBlock(np.append(0, np.cumsum(n)), positions, block.values[entries]))
    return found


class _Grown:
    """An array that grows at its end, in place if the system can move its pages."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._array, self._n = np.empty(0, dtype=dtype), 0

    def __len__(self) -> int:
        return self._n

    def add(self, values: NDArray[Any]) -> None:
        if self._n + len(values) > len(self._array):
            # refcheck is off, so there must be no views of this array: its memory moves.
            self._array.resize(self._n + max(len(values), self._n // 8), refcheck=False)
        self._array[self._n : self._n + len(values)] = values
        self._n += len(values)

    def whole(self) -> NDArray[Any]:
        self._array.resize(self._n, refcheck=False)
        return self._array
