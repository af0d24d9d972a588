"""The cells of a part as one bit each, in the order of an index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class PartBits:
    """Mask of the cells of a part, in the order of an index.

    mask : bool (n_obs,)
    bits : the mask in the order of the index, by `arrange_mask`
    """

    def __init__(self, mask: NDArray[np.bool_], bits: NDArray[np.uint8]) -> None:
        self.mask, self.bits = mask, bits
        self._counts: NDArray[np.uint32] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes held in addition to the mask, including cached counts."""
        return 5 * self.bits.nbytes

    def at(self, places: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which places are in the part, bool."""
        return np.asarray(self.bits[places >> 3] >> (places & 7).astype(np.uint8) & 1, dtype=np.bool_)

    def before(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the cells of the part before each place, int64."""
        if self._counts is None:
            # Half a byte per cell, and an eighth for the bits: a part needs no separate index (decision 53).
            counts = np.zeros(self.bits.size + 1, dtype=np.uint32)
            np.cumsum(np.bitwise_count(self.bits), out=counts[1:])
            self._counts = counts
        at, below = places >> 3, (np.uint8(1) << (places & 7).astype(np.uint8)) - np.uint8(1)
        last = max(self.bits.size - 1, 0)
        rest = np.bitwise_count(self.bits[np.minimum(at, last)] & below) if self.bits.size else 0
        return np.asarray(self._counts[at].astype(np.int64) + rest * (at <= last), dtype=np.int64)
