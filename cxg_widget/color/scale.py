"""Maps numbers to positions on a colormap: linear or logarithmic, with an optional center.

js/src/style/limits.js does the same; tests/scales.json holds both to it.
"""
# Changes with js/src/style/scale.js: where a number lies on the colormap.
# Changes with cxg_widget/color/limits.py and cxg_widget/display/settings.py: kinds of a scale of colors.
# Changes with cxg_widget/draw/pages/legend_words.py and cxg_widget/wire/level_choice.py: kinds of a scale of colors.
# Changes with js/src/page/parts/legend_numbers.js and js/src/style/scale.js: kinds of a scale of colors.
# Changes with js/src/words/legend_words.js: kinds of a scale of colors.

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import ColorRule, resolve_limit

_LARGEST = sys.float_info.max


class Range(NamedTuple):
    """Summary of some numbers: finite range, table of quantiles, lowest number above 0 (0 = none)."""

    lo: float
    hi: float
    quantiles: NDArray[np.float64]
    least: float


@dataclass(frozen=True)
class ColorScale:
    """A colormap over a range of numbers.

    low, high : numbers at its ends
    center : number in its middle; None = half way
    is_log : whether positions are logarithmic
    """

    low: float
    high: float
    center: float | None = None
    is_log: bool = False

    def places(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the positions of values on the colormap, 0 to 1; NaN = none: not finite, or no logarithm.

        If both ends are equal, higher values have the last color and all others the first.
        """
        at = self._ways(values)
        low, high, *center = self._ways(np.array([self.low, self.high, *self._middle])).tolist()
        if low == high:
            found = (at > low).astype(np.float64)
        elif center:
            with np.errstate(invalid="ignore"):
                below, above = _shares(at, low, center[0]) / 2, 0.5 + _shares(at, center[0], high) / 2
                found = np.where(at < center[0], below, above)
        else:
            found = _shares(at, low, high)
        return np.where(np.isfinite(at), np.clip(found, 0, 1), np.nan)

    def numbers_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers at positions 0 to 1 of a scale without a center."""
        low, high = self._ways(np.array([self.low, self.high])).tolist()
        ways = low * (1 - places) + high * places
        numbers: NDArray[np.float64] = np.exp(ways) if self.is_log else ways
        return numbers

    @property
    def middle(self) -> float | None:
        """Number in the middle of the colormap, if that is not half way between its ends."""
        if self.center is not None:
            return self.center
        return float(np.exp((np.log(self.low) + np.log(self.high)) / 2)) if self.is_log and self.low > 0 else None

    @property
    def _middle(self) -> tuple[float, ...]:
        return () if self.center is None else (self.center,)

    def _ways(self, values: NDArray[Any]) -> NDArray[np.float64]:
        numbers = values.astype(np.float64)
        if not self.is_log:
            return numbers
        with np.errstate(divide="ignore", invalid="ignore"):
            ways: NDArray[np.float64] = np.log(numbers)
        return ways


def _shares(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    unit = 1.0 if np.isfinite(high - low) else 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        found: NDArray[np.float64] = (values * unit - low * unit) / (high * unit - low * unit)
    return found


def scale_of(rule: ColorRule, known: Range, automatic: tuple[float, float] | None = None) -> ColorScale:
    """Return the scale for the user's settings, else for the picture, else for all numbers.

    Limits that do not fit the numbers (no logarithm, or on the wrong side of the center) are ignored.
    """
    is_log = rule.scale == "log"
    least, most = automatic or (known.lo, known.hi)
    start = known.lo
    if is_log:
        start, least, most = known.least, max(least, known.least), max(most, known.least)
    low = resolve_limit(rule.vmin, known.lo, known.hi, known.quantiles, least)
    high = resolve_limit(rule.vmax, known.lo, known.hi, known.quantiles, most)
    if is_log:
        low, high = (value if value > 0 else other for value, other in ((low, least), (high, most)))
    if rule.center is not None and (rule.center > 0 or not is_log):
        return _around(rule.center, (low, high), (rule.vmin is not None, rule.vmax is not None), (least, most), is_log)
    # A user's limit keeps the default for the other end, unless that would reverse the colors.
    if low < high:
        return ColorScale(low, high, None, is_log)
    low, high = start if rule.vmin is None else low, known.hi if rule.vmax is None else high
    return ColorScale(low, max(low, high), None, is_log)


def _around(
    center: float, found: tuple[float, float], are_set: tuple[bool, bool], suiting: tuple[float, float], is_log: bool
) -> ColorScale:
    """Return a scale that is symmetric around its center, except if both limits were set."""
    low, high = found
    has_low, has_high = are_set[0] and low < center, are_set[1] and high > center
    if has_low and has_high:
        return ColorScale(low, high, center, is_log)
    ends = [low] if has_low else [high] if has_high else list(suiting)
    if is_log:
        factor = max((max(end / center, center / end) for end in ends if end > 0), default=1.0)
        return ColorScale(center / factor, min(center * factor, _LARGEST), center, is_log)
    reach = max(abs(end - center) for end in ends)
    return ColorScale(max(center - reach, -_LARGEST), min(center + reach, _LARGEST), center, is_log)
