"""Unpacks bit-packed integers of an atlas: streams of 128 values in four lanes (BP-128)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_HEADER = 5
_BLOCK = 128
_NONE, _DELTA, _ZIGZAG = 0, 1, 2

Places = tuple[NDArray[np.intp], NDArray[np.uint64], np.uint64]


def unpack(encoded: NDArray[np.uint8], count: int, element_size: int = 4) -> NDArray[np.unsignedinteger]:
    """Return the values of one encoded chunk, uint32 or uint64 (count,).

    encoded : uint8 (n_bytes,); transform and number of values, then blocks of 128 values; for 8 bytes per element the
        blocks of all low halves, then those of the high halves
    count : expected number of values
    element_size : bytes per value, 4 or 8

    Raises `ValueError` if the stream declares another number of values, a width over 32 bits or an unknown transform,
    or is too short. Each stream of blocks is checked before its values are allocated.
    """
    transform, declared = _header(encoded)
    if declared != count:
        raise ValueError(f"a bit-packed chunk declares {declared:,} values; expected {count:,}")
    stored, end = _stream(encoded, _HEADER, count)
    if element_size == 8:
        high, _ = _stream(encoded, end, count)
        stored = stored.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))
    if transform == _NONE:
        return stored
    number = stored.dtype.type
    if transform == _ZIGZAG:
        stored = (stored >> number(1)) ^ (number(0) - (stored & number(1)))
    return np.cumsum(stored, dtype=stored.dtype)


def _stream(encoded: NDArray[np.uint8], begin: int, count: int) -> tuple[NDArray[np.unsignedinteger], int]:
    """Return the unpacked 32-bit words of the blocks that start at a byte, and the byte where they end."""
    widths, starts, end = _blocks(encoded, begin, -(-count // _BLOCK))
    words = np.zeros((len(widths), 32, 4), dtype=np.uint32)
    for width in np.flatnonzero(np.bincount(widths, minlength=1)).tolist():
        if width:
            these = np.flatnonzero(widths == width)
            words[these] = _unpack_blocks(encoded, starts[these], width)
    return words.reshape(-1)[:count], end


def _header(encoded: NDArray[np.uint8]) -> tuple[int, int]:
    if len(encoded) < _HEADER:
        raise ValueError(f"a bit-packed chunk ends after {len(encoded)} bytes, before its values")
    transform = int(encoded[0])
    if transform not in (_NONE, _DELTA, _ZIGZAG):
        raise ValueError(f"a bit-packed chunk has transform {transform}; known are 0, 1 and 2")
    return transform, int.from_bytes(encoded[1:_HEADER].tobytes(), "little")


def _blocks(encoded: NDArray[np.uint8], at: int, n_blocks: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """Return the width and the first byte of each block, and the byte where the last block ends."""
    text = encoded.tobytes()
    widths, starts = bytearray(), []
    for _ in range(n_blocks):
        if at >= len(text):
            raise ValueError(f"a bit-packed chunk ends after {len(text)} bytes, within its values")
        width = text[at]
        if width > 32:
            raise ValueError(f"a bit-packed chunk has a width of {width} bits; a value has at most 32")
        widths.append(width)
        starts.append(at + 1)
        at += 1 + 16 * width
    if at > len(text):
        raise ValueError(f"a bit-packed chunk ends after {len(text)} bytes, within its values")
    return np.frombuffer(bytes(widths), dtype=np.uint8), np.array(starts, dtype=np.int64), at


def _unpack_blocks(encoded: NDArray[np.uint8], starts: NDArray[np.int64], width: int) -> NDArray[np.uint32]:
    """Return uint32 (n_blocks, 32, 4): value i of a block is in lane i % 4, which has `width` words of 32 bits."""
    raw = encoded[starts[:, None] + np.arange(16 * width)]
    words = np.zeros((len(starts), width + 1, 4), dtype=np.uint64)
    words[:, :width] = raw.view("<u4").reshape(len(starts), width, 4)
    pairs = words[:, :-1] | (words[:, 1:] << np.uint64(32))
    word, shift, mask = _places(width)
    return ((pairs[:, word] >> shift[:, None]) & mask).astype(np.uint32)


@lru_cache(maxsize=33)
def _places(width: int) -> Places:
    """Return the first word and the shift in bits of each of the 32 values of a lane, and the mask."""
    bits = np.arange(32) * width
    return bits // 32, (bits % 32).astype(np.uint64), np.uint64((1 << width) - 1)
