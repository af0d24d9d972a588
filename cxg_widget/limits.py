"""Colour limits: numbers, percentiles like "p99", or nothing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.names import shown


def check_limit(name: str, value: Any) -> float | str | None:
    """Check the trait `vmin` or `vmax`: None, a finite number, or a percentile "p0" to "p100".

    Raises
    ------
    InvalidValue
        For anything else.
    """
    if value is None:
        return None
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if -sys.float_info.max <= value <= sys.float_info.max:  # neither NaN nor an integer that no float holds
            return float(value)
    elif isinstance(value, str) and percentile(value) is not None:
        return value
    raise InvalidValue(f"{name} must be a number, a percentile like 'p99' or None; found {shown(value)}")


def percentile(text: str) -> float | None:
    """Return the number of a percentile: 99.5 for "p99.5"; None if the text is none."""
    try:
        number = float(text[1:])
    except ValueError:
        return None
    return number if text[:1] == "p" and 0 <= number <= 100 else None


def resolve_limit(
    limit: float | str | None, lo: float, hi: float, quantiles: NDArray[np.float64], fallback: float
) -> float:
    """Return a limit as a number: percentiles by linear interpolation in the table of quantiles 0, 0.001, ..., 1."""
    if limit is None:
        return fallback
    if isinstance(limit, str):
        if hi <= lo:
            return fallback
        share = (percentile(limit) or 0.0) / 100
        return float(np.interp(share * (quantiles.size - 1), np.arange(quantiles.size), quantiles))
    return float(limit)
