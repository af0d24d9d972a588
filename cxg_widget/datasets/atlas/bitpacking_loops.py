"""Compiled loops that search through bit-packed chunks without writing out what they hold; see `bitpacking.unpack`.

Both loops share their first arguments:

- raw: uint8 (n_bytes,)
- begins, ends: int64 (n_chunks,), the bytes of each chunk in `raw`; where they are equal all its values are 0
- n_values: values of each chunk

Both return a number below 0 where chunk -1 - number is damaged.
"""

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def transform_of(raw: Any, at: int, end: int, n_values: int) -> int:
    """Return the transform of the chunk that begins at a byte; below 0 where its header is damaged."""
    if end - at < 5 or raw[at] > 2:
        return -1
    declared = 0
    for place in range(4):
        declared += int(raw[at + 1 + place]) << (8 * place)
    return int(raw[at]) if declared == n_values else -1


@compiled
def width_of(raw: Any, at: int, end: int) -> int:
    """Return the width of the block that begins at a byte; below 0 where it does not fit."""
    if at >= end or raw[at] > 32 or at + 1 + 16 * int(raw[at]) > end:
        return -1
    return int(raw[at])


@compiled
def unpack_block(words: Any, width: int, block: Any) -> None:
    """Unpack 128 values: value i lies in lane i % 4, which has every fourth of 4 * `width` words."""
    mask = np.uint32(0xFFFFFFFF) if width == 32 else np.uint32((1 << width) - 1)
    for row in range(32):
        # The last row also looks at the words behind, left from another block: the mask takes their bits off.
        word, shift = 4 * (row * width // 32), np.uint32(row * width % 32)
        for lane in range(4):
            value = words[word + lane] >> shift
            # Without this, the shift the other way would be one of 32 bits, which is undefined in compiled code.
            if shift:
                value |= words[word + lane + 4] << (np.uint32(32) - shift)
            block[4 * row + lane] = value & mask


@compiled
def sum_up(block: Any, transform: int, total: Any) -> Any:
    """Turn the differences of a block into values, and return the last one."""
    for place in range(128):
        value = block[place]
        if transform == 2:
            # Zigzag: even numbers are differences of 0 and more, odd ones those below. Sums wrap round at 2**32.
            value = (value >> np.uint32(1)) ^ (np.uint32(0) - (value & np.uint32(1)))
        total = np.uint32(total + value)
        block[place] = total
    return total


@compiled
def find(raw: Any, begins: Any, ends: Any, n_values: int, number: Any, hits: Any, found: Any) -> int:
    """Write where some uint32 are, counted through all chunks, and which of them; return how often.

    number : int32 (m,), which of those wanted each uint32 below m is; -1 = none of them
    hits, found : int64 and int32 (n_chunks * n_values,)
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
    """Write the values at places, int64 (k,) ascending through all chunks, to values, float32 (k,)."""
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
            # A value behind differences is known only once all before it are summed up, wanted or not.
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
