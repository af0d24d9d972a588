"""Chooses the levels of codes for the color limits, so that no color is off by more than 1 of 255."""
# Changes with cxg_widget/color/scale.py: kinds of a scale of colors.

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import ColorRule
from cxg_widget.color.scale import ColorScale, Range, scale_of
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.quantise import LEVELS

FINEST = 1 / 255
"""Largest error of a number on the colormap, which has 256 colors."""
_NARROWER = 1 / 16
"""Means of pixels span less than the numbers of cells do; this share of their span is resolved."""
_REACH = 1e100
"""Numbers farther from the limits than this many spans share the code of an end; codes for them would be wasted."""
_SAMPLED = 128
_USUAL = slice(5, -5)
"""Quantiles between which the automatic limits of many cells are, see draw/points/crowding.py."""


def coarseness(levels: Levels, scale: ColorScale, known: Range) -> float:
    """Return the largest error on a colormap that codes cause for some numbers, 0 to 1."""
    if not scale.low < scale.high:
        return 0.0

    def places(codes: NDArray[np.float64]) -> NDArray[np.float64]:
        # Numbers without a place, such as 0 on a log scale, share one color.
        return np.nan_to_num(scale.places(levels.numbers_at(np.clip(codes, 0, LEVELS))))

    # Steps change smoothly from code to code, so a few represent all.
    low, high = levels.places_of(np.clip([scale.low, scale.high], known.lo, known.hi)).tolist()
    near = np.arange(-_SAMPLED, _SAMPLED)
    codes = np.unique(np.rint([*np.linspace(low, high, _SAMPLED), *(low + near), *(high + near)]))
    here, below, above = places(codes), places(codes - 0.5), places(codes + 0.5)
    moved = [np.abs(here - below), np.abs(above - here)]
    ends = np.array([0.0, LEVELS]), np.array([known.lo, known.hi])
    moved.append(np.abs(places(ends[0]) - np.nan_to_num(scale.places(ends[1]))))
    if levels.zero >= 0:  # codes next to that of 0 represent the numbers closest to 0
        moved.append(np.abs(places(levels.zero + np.array([-1.0, 1.0])) - np.nan_to_num(scale.places(np.zeros(1)))))
    return float(np.concatenate(moved).max())


def levels_for(known: Range, rule: ColorRule) -> Levels:
    """Return levels that resolve the current limits: even ones if these suffice, else finer ones within the limits.

    They depend only on the arguments, and change rarely with the limits, so that codes are seldom sent again.
    """
    even = Levels(known.lo, known.hi)
    scales = [one for one in _scales(known, rule) if one.low < one.high]
    if not scales or all(coarseness(even, one, known) <= FINEST for one in scales):
        return even
    narrowest = min(scales, key=_finest_of)
    candidates = [_around_zero(known, narrowest), _around_middle(known, narrowest), even]
    candidates = [one for one in candidates if one.has_distinct_ends]
    # The first that resolves all, else the best: numbers over hundreds of decades cannot all be resolved.
    missed = [[coarseness(one, scale, known) > FINEST for scale in scales] for one in candidates]
    return candidates[missed.index(min(missed))]


def _scales(known: Range, rule: ColorRule) -> list[ColorScale]:
    """Return the possible ranges of the colors: the given limits, or those of a view of many cells."""
    whole = scale_of(rule, known)
    usual = known.quantiles[known.quantiles > known.lo]
    if not usual.size or (rule.vmin is not None and rule.vmax is not None):
        return [whole]
    low, high = float(known.quantiles[_USUAL][0]), float(usual[_USUAL][-1] if usual.size > 10 else usual[-1])
    if rule.scale == "log" or rule.vmin is not None or rule.vmax is not None:
        return [whole, scale_of(rule, known, (low, high))]
    # Images show means, which span less than the numbers of cells do (decision 68).
    middle, half = low / 2 + high / 2, (high / 2 - low / 2) * _NARROWER
    return [whole, scale_of(rule, known, (low, high)), scale_of(rule, known, (middle - half, middle + half))]


def _finest_of(scale: ColorScale) -> float:
    return scale.low if scale.is_log else scale.high - scale.low


def _around_zero(known: Range, scale: ColorScale) -> Levels:
    """Return levels by order of magnitude, which stay valid while limits change by a factor of 1,024."""
    width = _power(32 * _finest_of(scale), 10) / 32  # so that limits of 1, 10, and 1,000 are not where it changes
    return _within(known, 0.0, width, max(abs(scale.low), abs(scale.high)))


def _around_middle(known: Range, scale: ColorScale) -> Levels:
    """Return levels that are finest within the limits."""
    step = _power(scale.high / 2 - scale.low / 2, 1) / 4
    center = round((scale.low / 2 + scale.high / 2) / step) * step if step else scale.low
    return _within(known, center, step, scale.high - scale.low)


def _within(known: Range, center: float, width: float, span: float) -> Levels:
    reach = span * _REACH
    lo, hi = max(known.lo, center - reach), min(known.hi, center + reach)
    # The page computes asinh of a ratio, which may not be infinite.
    width = max(width, math.ulp(0.0), min(max(abs(lo), abs(hi)) / 1e300, span))
    return Levels(lo, hi, center, width)


def _power(value: float, step: int) -> float:
    """Return the greatest power of 2 ** step that is not above a positive number."""
    return math.ldexp(1.0, step * ((math.frexp(value)[1] - 1) // step))
