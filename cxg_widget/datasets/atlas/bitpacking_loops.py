"""Compiled loops that search bit-packed chunks without unpacking them as a whole; see `bitpacking.unpack`.

`find` and `pick` share their first arguments:

- raw: uint8 (n_bytes,)
- begins, ends: int64 (n_chunks,), the range of each chunk in `raw`; if it is empty, all values of the chunk are 0
- n_values: values per chunk

Both return -1 - i if chunk i is damaged.
"""

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def transform_of(raw: Any, at: int, end: int, n_values: int) -> int:
    """Return the transform of the chunk that starts at a byte; -1 if its header is damaged."""
    if end - at < 5 or raw[at] > 2:
        return -1
    declared = 0
    for place in range(4):
        declared += int(raw[at + 1 + place]) << (8 * place)
    return int(raw[at]) if declared == n_values else -1


@compiled
def width_of(raw: Any, at: int, end: int) -> int:
    """Return the bits per value of the block that starts at a byte; -1 if they exceed 32, or the block its chunk."""
    if at >= end or raw[at] > 32 or at + 1 + 16 * int(raw[at]) > end:
        return -1
    return int(raw[at])


@compiled
def unpack_block(words: Any, width: int, block: Any) -> None:
    """Unpack 128 values: value i is in lane i % 4, which has every fourth of 4 * `width` words."""
    mask = np.uint32(0xFFFFFFFF) if width == 32 else np.uint32((1 << width) - 1)
    for row in range(32):
        # The last row also reads the words after the block, left from an earlier one; the mask removes their bits.
        word, shift = 4 * (row * width // 32), np.uint32(row * width % 32)
        for lane in range(4):
            value = words[word + lane] >> shift
            # If `shift` is 0, the opposite shift would be by 32 bits, which is undefined in compiled code.
            if shift:
                value |= words[word + lane + 4] << (np.uint32(32) - shift)
            block[4 * row + lane] = value & mask


@compiled
def sum_up(block: Any, transform: int, total: Any) -> Any:
    """Replace the differences of a block by their running sums, and return the last one."""
    for place in range(128):
        value = block[place]
        if transform == 2:
            # Zigzag: even numbers encode differences of at least 0, odd ones negative ones. Sums wrap at 2**32.
            value = (value >> np.uint32(1)) ^ (np.uint32(0) - (value & np.uint32(1)))
        total = np.uint32(total + value)
        block[place] = total
    return total


@compiled
def find(raw: Any, begins: Any, ends: Any, n_values: int, number: Any, hits: Any, found: Any) -> int:
    """Find wanted values in all chunks; return the number of hits.

    number : int32 (m,), the number of each wanted value below m; -1 = not wanted
    hits : int64 (n_chunks * n_values,), gets the position of each hit, counted through all chunks
    found : int32 (n_chunks * n_values,), gets the number of each hit
    """
    packed = np.zeros(4 * 33 * 4, dtype=np.uint8)
    words = packed.view(np.uint32)
    block = np.zeros(128, dtype=np.uint32)
    most = np.uint32(len(number))
    n_hits = 0
    for chunk in range(len(begins)):
        at, end, first = begins[chunk], ends[chunk], chunk * n_values
        if at == end:
            for place in range(n_values if number[0] >= 0 else 0):
                hits[n_hits] = first + place
                found[n_hits] = number[0]
                n_hits += 1
            continue
        transform = transform_of(raw, at, end, n_values)
        if transform < 0:
            return -1 - chunk
        at += 5
        total = np.uint32(0)
        for start in range(0, n_values, 128):
            width = width_of(raw, at, end)
            if width < 0:
                return -1 - chunk
            packed[: 16 * width] = raw[at + 1 : at + 1 + 16 * width]
            at += 1 + 16 * width
            unpack_block(words, width, block)
            if transform:
                total = sum_up(block, transform, total)
            for place in range(min(128, n_values - start)):
                value = block[place]
                if value < most and number[value] >= 0:
                    hits[n_hits] = first + start + place
                    found[n_hits] = number[value]
                    n_hits += 1
    return n_hits


@compiled
def pick(raw: Any, begins: Any, ends: Any, n_values: int, places: Any, values: Any) -> int:
    """Write the values at some positions to `values`, float32 (k,).

    places : int64 (k,), ascending, counted through all chunks
    """
    packed = np.zeros(4 * 33 * 4, dtype=np.uint8)
    words = packed.view(np.uint32)
    block = np.zeros(128, dtype=np.uint32)
    k = 0
    for chunk in range(len(begins)):
        at, end, first = begins[chunk], ends[chunk], chunk * n_values
        if k == len(places) or places[k] >= first + n_values:
            continue
        if at == end:
            while k < len(places) and places[k] < first + n_values:
                values[k] = 0
                k += 1
            continue
        transform = transform_of(raw, at, end, n_values)
        if transform < 0:
            return -1 - chunk
        at += 5
        total = np.uint32(0)
        for start in range(0, n_values, 128):
            width = width_of(raw, at, end)
            if width < 0:
                return -1 - chunk
            last = first + min(start + 128, n_values)
            wanted = k < len(places) and places[k] < last
            # Differences need the sum of all values before them, wanted or not.
            if wanted or transform:
                packed[: 16 * width] = raw[at + 1 : at + 1 + 16 * width]
                unpack_block(words, width, block)
            if transform:
                total = sum_up(block, transform, total)
            at += 1 + 16 * width
            while k < len(places) and places[k] < last:
                values[k] = block[places[k] - first - start]
                k += 1
    return k
