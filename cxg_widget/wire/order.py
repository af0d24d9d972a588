"""The seeded random order in which points are sent and drawn: any prefix of it is a fair sample."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1021
"""A prime: steps of a power of two would all hit the same cache lines."""
_SHUFFLED = 1 << 17
"""Up to this many rows a plain shuffle is as fast."""


class DisplayOrder:
    """A permutation of the rows, in which the rows of any prefix are spread evenly over the store.

    Parameters
    ----------
    seed : of the permutation; None = identity

    Attributes
    ----------
    rows : uint32 (n_obs,); rows[i] is the row shown as point i
    """

    def __init__(self, n_obs: int, seed: int | None = 0) -> None:
        self.rows: NDArray[np.uint32] = np.arange(n_obs, dtype=np.uint32)
        if seed is not None:
            rng = np.random.default_rng(seed)
            self.rows = rng.permutation(self.rows) if n_obs <= _SHUFFLED else _dealt(n_obs, rng)

    @cached_property
    def points(self) -> NDArray[np.uint32]:
        """The inverse, uint32 (n_obs,): points[row] is the index of a row in draw order."""
        points = np.empty_like(self.rows)
        points[self.rows] = np.arange(self.rows.size, dtype=np.uint32)
        return points

    def arrange(self, per_row: NDArray[Any], start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return values given per row (n_obs, ...) in draw order, for the points start..stop."""
        return per_row.take(self.rows[start:stop], axis=0)


def _dealt(n: int, rng: np.random.Generator) -> NDArray[np.uint32]:
    """Permute 0..n in rounds: each takes one number from every block of neighbors, starting elsewhere in each.

    Five times as fast as a shuffle of a million numbers, and its prefixes are more even: it is a stratified sample
    (Cochran, "Sampling Techniques", chapter 5).
    """
    starts = np.arange(0, n, _BLOCK, dtype=np.uint32)
    order = rng.permutation(np.arange(_BLOCK, dtype=np.uint32))
    shifts = rng.integers(0, _BLOCK, starts.size, dtype=np.uint32)
    # Row k holds the k-th pick of every block. Blocks start at different numbers, or picks would repeat a pattern of
    # the file.
    rounds = np.arange(_BLOCK, dtype=np.uint32)[:, None] + shifts
    numbers: NDArray[np.uint32] = (np.tile(order, 2)[rounds] + starts).reshape(-1)
    return numbers if n % _BLOCK == 0 else numbers[numbers < n]


def scattered(rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return positions that put rows into a pseudo-random order, consistent between different sets of rows.

    Parameters
    ----------
    rows : (k,), distinct, below 2**32

    Notes
    -----
    Sorted by the finalizer of MurmurHash3 (Appleby, 2011), which is a bijection of 32 bits.
    """
    keys = rows.astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        keys ^= keys >> np.uint32(shift)
        keys *= np.uint32(factor)
    keys ^= keys >> np.uint32(16)
    # Hash in the high bits, position in the low bits: one sort gives the order without an argsort.
    wide = keys.astype(np.uint64) << np.uint64(32)
    wide |= np.arange(keys.size, dtype=np.uint64)
    wide.sort()
    return (wide & np.uint64(0xFFFFFFFF)).astype(np.int64)
