"""Numbers as 16-bit codes over their finite range, as the wire carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.protocol import MISSING_U16

LEVELS = MISSING_U16 - 1
"""Largest code; codes 0..65534 span the range evenly."""


def finite_range(values: NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and largest finite value, or (0, 0) when there is none."""
    if values.size == 0:
        return 0.0, 0.0
    lo, hi = float(np.min(values)), float(np.max(values))
    if not (np.isfinite(lo) and np.isfinite(hi)):
        finite = values[np.isfinite(values)]
        if finite.size == 0:
            return 0.0, 0.0
        lo, hi = float(finite.min()), float(finite.max())
    return lo, hi


def quantise(values: NDArray[Any], lo: float, hi: float) -> NDArray[np.uint16]:
    """Turn numbers into codes: round((value - lo) / (hi - lo) * 65534), 65535 where not finite.

    Parameters
    ----------
    values : (n,), any real dtype; everything finite lies in lo..hi

    Returns
    -------
    uint16 (n,). A constant column (lo == hi) becomes code 0.
    """
    span = float(hi) - float(lo)
    fits = values.dtype == np.float32 and 1e-30 < span < 1e30
    scaled: NDArray[Any] = values.astype(np.float32 if fits else np.float64)
    scaled -= lo
    if span > 0:
        scaled *= min(LEVELS / span, np.finfo(np.float64).max)
    missing = ~np.isfinite(scaled)
    if missing.any():
        scaled[missing] = MISSING_U16
    np.rint(scaled, out=scaled)
    np.clip(scaled, 0, MISSING_U16, out=scaled)
    return scaled.astype(np.uint16)


@dataclass(frozen=True)
class Positions:
    """Coordinates as the wire carries them.

    Attributes
    ----------
    xy : uint16 (n, 2); (65535, 65535) = cannot be drawn
    extent : x0, x1, y0, y1 of what can be drawn, data units
    n_missing : how many cannot be drawn (NaN or infinite)
    """

    xy: NDArray[np.uint16]
    extent: tuple[float, float, float, float]
    n_missing: int


def quantise_positions(xy: NDArray[np.float32]) -> Positions:
    """Quantise float32 (n, 2) coordinates over the extent of those that are finite on both axes."""
    finite = np.isfinite(xy[:, 0]) & np.isfinite(xy[:, 1])
    n_missing = int(xy.shape[0] - np.count_nonzero(finite))
    drawn = xy if n_missing == 0 else xy[finite]
    x0, x1 = finite_range(drawn[:, 0])
    y0, y1 = finite_range(drawn[:, 1])
    codes = np.empty(xy.shape, dtype=np.uint16)
    codes[:, 0] = quantise(xy[:, 0], x0, x1)
    codes[:, 1] = quantise(xy[:, 1], y0, y1)
    if n_missing:
        codes[~finite] = MISSING_U16
    return Positions(codes, (x0, x1, y0, y1), n_missing)
