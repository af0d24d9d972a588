"""Reads entries of some lines of a compressed matrix, with few reads of few chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array
from cxg_widget.datasets.base.matrix_block import Numbers, counted, exactly

BLOCK_ENTRIES = 1 << 21
"""Entries that a scan of all entries reads at a time: 16 MiB."""
_NEAR_ENTRIES = 1 << 9
"""Entries between two lines to read rather than skip, in plain arrays: copying them takes as long as another read."""
_MOST_RANGES = 1 << 10

Spans = NDArray[np.int64]


def pick_entries(
    indices: Array, data: Array, first: Spans, ends: Spans, n_positions: int
) -> tuple[NDArray[Any], Numbers]:
    """Return positions and values of the entries first <= entry < end of several spans, one after the other.

    indices, data : arrays of a compressed matrix; chunks without any span are not read, and of plain arrays only spans
    first, ends : int64 (k,), ascending, without overlap
    n_positions : number of positions in a line, which determines the dtype of positions
    """
    before = np.concatenate([[0], np.cumsum(ends - first)])
    positions = np.empty(before[-1], dtype=np.int32 if n_positions < 2**31 else np.int64)
    values = np.empty(before[-1], dtype=data.dtype)
    for lows, highs in _ranges(first, ends, None if indices.is_plain and data.is_plain else indices.chunks):
        these = slice(np.searchsorted(ends, lows[0], side="right"), np.searchsorted(first, highs[-1]))
        begin, end = np.maximum(first[these], lows[0]), np.minimum(ends[these], highs[-1])
        to = int(before[these.start] + begin[0] - first[these.start])
        out = slice(to, to + int((end - begin).sum()))
        ranges = list(zip(lows.tolist(), highs.tolist(), strict=True))
        if out.stop - out.start == int((highs - lows).sum()):
            _read_into(positions[out], indices, ranges)
            _read_into(values[out], data, ranges)
            continue
        offsets = np.concatenate([[0], np.cumsum(highs - lows)])
        of_range = np.searchsorted(lows, begin, side="right") - 1
        entry = counted(begin - lows[of_range] + offsets[of_range], end - begin)
        positions[out] = np.concatenate(indices.read_ranges(ranges))[entry]
        values[out] = np.concatenate(data.read_ranges(ranges))[entry]
    return positions, exactly(values)


def aligned(first: int, last: int, chunks: tuple[int, ...] | None, length: int) -> Iterator[tuple[int, int]]:
    """Split first..last into parts of about `length` that end where chunks end, so that each is decoded once."""
    chunk = chunks[0] if chunks else 1
    step = max(length // chunk, 1) * chunk
    while first < last:
        stop = min((first // step + 1) * step, last)
        yield first, stop
        first = stop


def _read_into(out: NDArray[Any], array: Array, ranges: list[tuple[int, int]]) -> None:
    at = 0
    for found in array.read_ranges(ranges):
        out[at : at + len(found)] = found
        at += len(found)


def _ranges(first: Spans, ends: Spans, chunks: tuple[int, ...] | None) -> Iterator[tuple[Spans, Spans]]:
    """Yield batches of ranges, as starts and ends, that cover all spans; each batch takes little memory."""
    there = ends > first
    first, ends = first[there], ends[there]
    if not len(first):
        return
    chunk = chunks[0] if chunks else _NEAR_ENTRIES
    breaks = np.flatnonzero(first[1:] // chunk - (ends[:-1] - 1) // chunk > 1)
    lows, highs = first[np.append(0, breaks + 1)], ends[np.append(breaks, len(ends) - 1)]
    parts = [
        part
        for low, high in zip(lows, highs, strict=True)
        for part in aligned(int(low), int(high), chunks, BLOCK_ENTRIES)
    ]
    lows, highs = np.array(parts, dtype=np.int64).T
    batch = np.cumsum(highs - lows) // BLOCK_ENTRIES * len(parts) + np.arange(len(parts)) // _MOST_RANGES
    for some in np.split(np.arange(len(parts)), np.flatnonzero(np.diff(batch)) + 1):
        yield lows[some], highs[some]
