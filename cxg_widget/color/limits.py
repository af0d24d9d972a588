"""Colour limits: numbers, percentiles like "p99", or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

LIMITS = ("vmin", "vmax")


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
        number = value.item() if isinstance(value, np.generic) else value  # in float32 the bounds would overflow
        if -sys.float_info.max <= number <= sys.float_info.max:  # neither NaN nor an integer that no float holds
            return float(number)
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
        place = share * (quantiles.size - 1)
        below = int(place)
        low, high = float(quantiles[below]), float(quantiles[min(below + 1, quantiles.size - 1)])
        # Not low + part of (high - low), which may be infinite.
        return min(max(low * (below + 1 - place) + high * (place - below), low), high)
    return float(limit)


def check_order(
    vmin: float | str | None, vmax: float | str | None, value_of: Callable[[str], float] | None = None
) -> None:
    """Check that the lower limit does not lie above the upper one, as far as that can be told.

    None is an end of the data and crosses nothing.

    Parameters
    ----------
    value_of : the number a percentile is, in data units; None where the data have not been read

    Raises
    ------
    InvalidValue
        If it does.
    """
    if vmin is None or vmax is None:
        return
    if isinstance(vmin, str) == isinstance(vmax, str):
        low, high = (_number(limit) for limit in (vmin, vmax))
    elif value_of is not None:
        low, high = (value_of(limit) if isinstance(limit, str) else limit for limit in (vmin, vmax))
    else:
        return
    if low > high:
        lower, upper = _told(vmin, low), _told(vmax, high)
        raise InvalidValue(
            f"vmin must not lie above vmax; found {lower} above {upper}. Set first the one that makes room."
        )


def _number(limit: float | str) -> float:
    return percentile(limit) or 0.0 if isinstance(limit, str) else limit


def _told(limit: float | str, value: float) -> str:
    return f"{limit!r} ({value:g})" if isinstance(limit, str) and value != _number(limit) else repr(limit)


class OwnLimits:
    """The limits of each colouring: a number belongs to the one it was set for, anything else to all of them."""

    def __init__(self) -> None:
        self._shared: dict[str, str | None] = dict.fromkeys(LIMITS)
        self._own: dict[Hashable, dict[str, float]] = {}

    def share(self, name: str, value: float | str | None) -> None:
        """Take note of a limit that was set; a percentile or None is for all colourings."""
        if not isinstance(value, float):
            self._shared[name] = value

    def leave(self, coloring: Hashable, limits: Mapping[str, float | str | None]) -> None:
        """Take note of the limits of a colouring that is on show no more."""
        self._own[coloring] = {name: value for name, value in limits.items() if isinstance(value, float)}

    def of(self, coloring: Hashable) -> dict[str, float | str | None]:
        """Return the limits of a colouring: its own, else those of all."""
        return {**self._shared, **self._own.get(coloring, {})}


def limits_shown(
    set_: tuple[float | str | None, float | str | None],
    ends: tuple[float, float],
    quantiles: NDArray[np.float64],
    automatic: tuple[float, float] | None,
) -> tuple[float, float]:
    """Return both limits as numbers: those that were set, else what suits the picture, else the ends of the data."""
    (vmin, vmax), (lo, hi), (least, most) = set_, ends, automatic or ends
    low = resolve_limit(vmin, lo, hi, quantiles, least)
    high = resolve_limit(vmax, lo, hi, quantiles, most)
    # What was set leaves the other end where it suits, unless that would turn the colours round.
    if low < high:
        return low, high
    low, high = lo if vmin is None else low, hi if vmax is None else high
    return low, max(low, high)
