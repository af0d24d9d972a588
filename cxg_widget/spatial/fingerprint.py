"""A hash of an embedding that changes with any coordinate, as fast as reading it."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4096
_AT_ONCE = 1 << 20


def fingerprint(xy: NDArray[np.float32]) -> str:
    """Return 32 hexadecimal digits for float32 (n, 2).

    Notes
    -----
    Multilinear hashing (Carter and Wegman, "Universal classes of hash functions", 1979): each point is 64 bits, the sum
    of a block is weighted by odd numbers modulo 2**64, so that any change of a single point is detected. BLAKE2 digests
    the sums.
    """
    digest = blake2b(str(xy.shape).encode(), digest_size=16)
    weights = _weights()
    for start in range(0, len(xy), _AT_ONCE):
        points = np.ascontiguousarray(xy[start : start + _AT_ONCE], dtype="<f4").view("<u8").ravel()
        whole = points.size // _BLOCK * _BLOCK
        # The products wrap at 64 bits on purpose.
        digest.update((points[:whole].reshape(-1, _BLOCK) @ weights).astype("<u8").tobytes())
        digest.update(points[whole:].tobytes())
    return digest.hexdigest()


def _weights() -> NDArray[np.uint64]:
    """Return pseudo-random odd numbers: SplitMix64 (Steele, Lea and Flood, 2014) of 1..4096."""
    mixed = np.arange(1, _BLOCK + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)
