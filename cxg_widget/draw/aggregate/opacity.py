"""Opacity of a pixel from its number of cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.task import over_lines
from cxg_widget.wire.protocol import Density

MIN_ALPHA = 40
"""Opacity of a pixel with the fewest cells, so that a single cell is visible."""
_MAX_TABLE = 1 << 22
_SCALED: dict[Density, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "linear": np.asarray,
    "log": np.log1p,
    "cbrt": np.cbrt,
}


def opacity(
    counts: NDArray[Any],
    how: Density = "eq_hist",
    *,
    lowest: int = MIN_ALPHA,
    highest: int = 255,
    solid: tuple[float, float] = (0.0, 1.0),
) -> NDArray[np.uint8]:
    """Turn counts into opacity by datashader's rule: 0 for none, `lowest` for the fewest to `highest` for the most.

    Parameters
    ----------
    counts : uint32 or uint64 (h, w), C-contiguous
    how : "linear", "log", "cbrt", or "eq_hist", for which all opacities are equally frequent
    solid : weight of overlapping points relative to that rule, 0 to 1, and the opacity of each point, 1 = `highest`

    Returns
    -------
    uint8 (h, w); `highest` if all counts other than 0 are equal

    Source: datashader's `transfer_functions.shade` and `eq_hist`, but for any number of distinct counts.
    """
    most = int(counts.max(initial=0))
    if most == 0:
        return np.zeros(counts.shape, dtype=np.uint8)
    if most <= _MAX_TABLE:
        from cxg_widget.draw.aggregate import pixels

        frequencies, alpha = np.zeros(most + 1, dtype=np.int64), np.empty(counts.shape, dtype=np.uint8)
        pixels.frequencies(counts, frequencies)
        table = _alpha_of(np.arange(most + 1), frequencies, how, (lowest, highest), solid)
        over_lines(counts.shape[0], lambda first, last: pixels.look_up(first, last, counts, table, alpha))
        return alpha
    # A table of so many counts would be far larger than the picture.
    values, inverse, frequencies = np.unique(counts, return_inverse=True, return_counts=True)
    frequencies[values == 0] = 0
    return _alpha_of(values, frequencies, how, (lowest, highest), solid).take(inverse.reshape(counts.shape))


def _alpha_of(
    values: NDArray[Any],
    frequencies: NDArray[np.int64],
    how: Density,
    ends: tuple[int, int],
    solid: tuple[float, float],
) -> NDArray[np.uint8]:
    """Return the opacity of each of the ascending values, 0 for values below the lowest that occurs."""
    (lowest, highest), (weight, of_one) = ends, solid
    fewest = int(np.flatnonzero(frequencies)[0])
    above = np.maximum(values.astype(np.float64) - float(values[fewest]), 0)
    scaled = np.cumsum(frequencies) / frequencies.sum() if how == "eq_hist" else _SCALED[how](above)
    start, end = scaled[fewest], scaled[-1]
    share = (scaled - start) / (end - start) if end > start else np.ones(values.shape)
    by_rule = np.maximum(lowest + (highest - lowest) * share, 0)
    in_layers = highest * (1 - (1 - of_one) ** values.astype(np.float64))
    alpha = (by_rule + weight * (in_layers - by_rule)).astype(np.uint8)
    alpha[:fewest] = 0
    return alpha
