"""Color limits: numbers, percentiles like "p99", or nothing."""
# Changes with js/src/style/limits.js: limits as users type them.
# Changes with cxg_widget/color/scale.py: kinds of a scale of colors.

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

LIMITS = ("vmin", "vmax", "center")
"""Settings that apply to one coloring only if they are numbers."""
ScaleName = Literal["linear", "log"]


class ColorRule(NamedTuple):
    """Settings of the colors of numbers."""

    vmin: float | str | None = None
    vmax: float | str | None = None
    center: float | None = None
    scale: ScaleName = "linear"


def check_limit(name: str, value: Any) -> float | str | None:
    """Check the trait `vmin` or `vmax`: None, a finite number, or a percentile "p0" to "p100"."""
    if value is None or (isinstance(value, str) and percentile(value) is not None):
        return value
    if (number := _finite(value)) is not None:
        return number
    raise InvalidValue(f"{name} must be a number, a percentile like 'p99' or None; found {shown(value)}")


def check_center(value: Any) -> float | None:
    """Check the trait `center`: None or a finite number."""
    number = _finite(value)
    if value is not None and number is None:
        raise InvalidValue(f"center must be a number or None; found {shown(value)}")
    return number


def _finite(value: Any) -> float | None:
    """Return a value as float if it is a finite number, else None."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return None
    number = value.item() if isinstance(value, np.generic) else value  # in float32 the bounds would overflow
    return float(number) if -sys.float_info.max <= number <= sys.float_info.max else None


def percentile(text: str) -> float | None:
    """Return the number of a percentile: 99.5 for "p99.5"; None for other texts."""
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


def check_rule(rule: ColorRule, value_of: Callable[[str], float] | None = None) -> None:
    """Check that limits, center and scale fit together, as far as they are known.

    None is an end of the data and fits everything.

    value_of : returns the number of a percentile, in data units; None if the data were not read
    """
    vmin, vmax, center, scale = rule
    for name, value in (("vmin", vmin), ("vmax", vmax), ("center", center)):
        if scale == "log" and isinstance(value, float) and value <= 0:
            raise InvalidValue(f"{name} must lie above 0 where scale is 'log'; found {value!r}")
    _check_order(vmin, vmax, value_of)
    for name, limit, side in (("vmin", vmin, 1), ("vmax", vmax, -1)):
        if center is None or limit is None or (isinstance(limit, str) and value_of is None):
            continue
        found = value_of(limit) if isinstance(limit, str) and value_of is not None else _number(limit)
        if side * (center - found) <= 0:
            raise InvalidValue(
                f"center must lie between vmin and vmax; found {center!r} with {name} {_describe_limit(limit, found)}"
            )


def _check_order(vmin: float | str | None, vmax: float | str | None, value_of: Callable[[str], float] | None) -> None:
    if vmin is None or vmax is None:
        return
    if isinstance(vmin, str) == isinstance(vmax, str):
        low, high = (_number(limit) for limit in (vmin, vmax))
    elif value_of is not None:
        low, high = (value_of(limit) if isinstance(limit, str) else limit for limit in (vmin, vmax))
    else:
        return
    if low > high:
        lower, upper = _describe_limit(vmin, low), _describe_limit(vmax, high)
        raise InvalidValue(
            f"vmin must not lie above vmax; found {lower} above {upper}. Set first the one that makes room."
        )


def _number(limit: float | str) -> float:
    return percentile(limit) or 0.0 if isinstance(limit, str) else limit


def _describe_limit(limit: float | str, value: float) -> str:
    return f"{limit!r} ({value:g})" if isinstance(limit, str) and value != _number(limit) else repr(limit)
