"""Numbers as 16-bit codes over their finite range, as on the wire."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.view import Extent
from cxg_widget.wire.protocol import MISSING_U16

_BLOCK = 1 << 21
_SIDE_BY_SIDE = 64
LEVELS = MISSING_U16 - 1
"""Largest code; codes 0..65534 span the range evenly."""


def finite_range(values: NDArray[Any]) -> tuple[float, float]:
    """Return the lowest and highest finite value, or (0, 0) if there is none."""
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
    """Turn numbers into codes, uint16 (n,): round((value - lo) / (hi - lo) * 65534), 65535 if not finite.

    A constant column (lo == hi) becomes code 0.

    values : (n,), any real dtype; all finite values are within lo..hi
    """
    span = float(hi) - float(lo)
    scaled: NDArray[Any]
    # Outside of this range LEVELS / span, or the span itself, is infinite or loses its digits.
    if 1e-290 < span < np.inf:
        # float32 stays float32, which takes half the memory. 65,535 codes need 16 of its 24 bits.
        fits = values.dtype == np.float32 and 1e-30 < span < 1e30
        scaled = values.astype(np.float32 if fits else np.float64)
        scaled -= lo
        scaled *= LEVELS / span
    else:
        scaled = shares(values, lo, hi)
        scaled *= LEVELS
    missing = ~np.isfinite(scaled)
    if missing.any():
        scaled[missing] = MISSING_U16
    # NaN was replaced before: casting NaN to an integer depends on the processor.
    np.rint(scaled, out=scaled)
    np.clip(scaled, 0, MISSING_U16, out=scaled)
    return scaled.astype(np.uint16)


def zero_code(lo: float, hi: float, share: float | None = None) -> int:
    """Return the code that only 0 has among numbers of lo..hi; -1 if 0 is outside.

    zeroCode in js/src/style/levels.js gives the same to the bit.

    share : share of the codes below 0; None = codes are even over lo..hi
    """
    if not lo <= 0 <= hi:
        return -1
    if share is None:
        unit = unit_of(lo, hi)
        share = (0 - lo * unit) / ((hi * unit - lo * unit) or 1.0)
    # Numbers next to 0 keep another code.
    return int(min(max(math.floor(share * LEVELS + 0.5), lo < 0), LEVELS - (hi > 0)))


def unit_of(lo: float, hi: float) -> float:
    """Return a factor for numbers in lo..hi that keeps their differences finite: 1, or a half."""
    return 1.0 if np.isfinite(float(hi) - float(lo)) else 0.5


def shares(values: NDArray[Any], lo: float, hi: float) -> NDArray[np.float64]:
    """Return the relative positions of values (n,) between limits, 0 at `lo` and 1 at `hi`; all 0 if they are equal."""
    unit = unit_of(lo, hi)
    span = hi * unit - lo * unit
    with np.errstate(over="ignore", invalid="ignore"):
        above: NDArray[np.float64] = values.astype(np.float64) * unit - lo * unit
        return above / span if span else above * 0


def between(lo: Any, hi: Any, share: Any) -> NDArray[np.float64]:
    """Interpolate between `lo` and `hi`, for any finite limits; arrays or numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.subtract(hi, lo, dtype=np.float64)
        found = np.where(np.isfinite(step), lo + step * share, lo * (1.0 - share) + hi * share)
    return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True)
class Bounds:
    """Bounds of the finite points of an embedding, x0, x1, y0, y1 in data units, and the number of other points."""

    extent: Extent
    n_missing: int


def bounds_of(xy: NDArray[np.float32]) -> Bounds:
    """Measure float32 (n, 2) coordinates in blocks; a point counts if both are finite."""
    lows, highs, n_missing = [], [], 0
    # Blocks limit the temporary arrays, and a block without NaN is measured in one pass.
    for start in range(0, xy.shape[0], _BLOCK):
        block = xy[start : start + _BLOCK]
        low, high = _corners(block)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            drawn = block[np.isfinite(block[:, 0]) & np.isfinite(block[:, 1])]
            n_missing += len(block) - len(drawn)
            if len(drawn) == 0:
                continue
            low, high = _corners(drawn)
        lows.append(low)
        highs.append(high)
    if not lows:
        return Bounds((0.0, 0.0, 0.0, 0.0), n_missing)
    (x0, y0), (x1, y1) = np.min(lows, axis=0), np.max(highs, axis=0)
    return Bounds((float(x0), float(x1), float(y0), float(y1)), n_missing)


def _corners(xy: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest of either coordinate, NaN if any is; xy (n, 2) with n > 0, C-contiguous.

    Reshaped to long rows: numpy reduces an axis of two at a twentieth of the speed.
    """
    n_rows = len(xy) // _SIDE_BY_SIDE
    wide, rest = xy[: n_rows * _SIDE_BY_SIDE].reshape(n_rows, 2 * _SIDE_BY_SIDE), xy[n_rows * _SIDE_BY_SIDE :]
    ends = (wide.min(axis=0), wide.max(axis=0)) if n_rows else (xy[0], xy[0])
    low, high = (np.concatenate([end.reshape(-1, 2), rest]) for end in ends)
    return low.min(axis=0), high.max(axis=0)


def quantise_positions(xy: NDArray[np.float32], bounds: Bounds) -> NDArray[np.uint16]:
    """Quantize coordinates over the bounds of these or more points, uint16 (n, 2); (65535, 65535) = not drawn.

    xy : float32 (n, 2)
    """
    x0, x1, y0, y1 = bounds.extent
    codes = np.empty(xy.shape, dtype=np.uint16)
    codes[:, 0] = quantise(xy[:, 0], x0, x1)
    codes[:, 1] = quantise(xy[:, 1], y0, y1)
    # A point with only one finite coordinate is not drawn either.
    if bounds.n_missing:
        codes[~(np.isfinite(xy[:, 0]) & np.isfinite(xy[:, 1]))] = MISSING_U16
    return codes


def quantise_within(xy: NDArray[np.floating[Any]], extent: Extent) -> NDArray[np.uint16]:
    """Quantize coordinates within x0, x1, y0, y1, uint16 (n, 2), in double precision."""
    x0, x1, y0, y1 = extent
    scaled = (xy.astype(np.float64) - (x0, y0)) / (x1 - x0 or 1, y1 - y0 or 1)
    return np.rint(scaled * LEVELS).astype(np.uint16)
