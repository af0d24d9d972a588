"""Masks packed as one bit per element, for the wire and for storage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pack_mask(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack bool (n,) into uint8 (ceil(n / 8),); bit i & 7 of byte i >> 3 is element i."""
    return np.packbits(mask, bitorder="little")


def count_bits(bits: NDArray[np.uint8]) -> int:
    """Count the True elements of a mask packed by `pack_mask`."""
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


def unpack_mask(bits: NDArray[np.uint8], n: int) -> NDArray[np.bool_]:
    """Return the mask, bool (n,), that `pack_mask` packed."""
    # A view, not a copy: the bytes are 0 and 1, as in NumPy's booleans.
    return np.unpackbits(bits, count=n, bitorder="little").view(np.bool_)
