"""Ticks: round numbers along an axis, and how they are written, as js/src/screen/ticks.js has them."""
# Changes with js/src/screen/ticks.js: ticks.

from __future__ import annotations

import math
from collections.abc import Callable

_STEPS = (1, 2, 5)
_LARGEST, _SMALLEST = 1e7, 1e-3
"""Beyond these a number is written with an exponent, as in the legend."""
Tick = tuple[float, str]


def ticks_between(start: float, stop: float, length: float, room: Callable[[str], float]) -> list[Tick]:
    """Return the round numbers between two ends, ascending, as dense as there is room for.

    Parameters
    ----------
    length : of the axis between the ends, px
    room : px that a number takes with the space around it
    """
    lo, hi = min(start, stop), max(start, stop)
    per_px = (hi - lo) / length
    if not (per_px > 0 and math.isfinite(per_px)):
        return []
    step = step_above(per_px * room(""))
    while step <= hi - lo:
        ticks = _multiples(step, lo, hi)
        if all(room(text) * per_px <= step for _, text in ticks):
            return ticks
        step = step_above(step * 1.5)
    return []


def step_above(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, ... that is no smaller."""
    power = math.floor(math.log10(least))
    mantissa = least / 10.0**power
    # A step that is met exactly must not be lost to rounding.
    digit = next((one for one in _STEPS if one >= mantissa * (1 - 1e-9)), None)
    return float(f"1e{power + 1}") if digit is None else float(f"{digit}e{power}")


def _multiples(step: float, lo: float, hi: float) -> list[Tick]:
    first, last = math.ceil(lo / step), math.floor(hi / step)
    most = max(abs(lo), abs(hi))
    # Adding 0.0 turns -0.0 into 0.0, which would be written as "-0".
    return [(at * step + 0.0, _text(at * step + 0.0, step, most)) for at in range(first, last + 1)]


def _text(value: float, step: float, most: float) -> str:
    """Write a number with the digits that tell it from its neighbours; most: the largest among them."""
    power = math.floor(math.log10(step) + 1e-9)
    if _SMALLEST <= most < _LARGEST:
        return f"{value:,.{min(max(0, -power), 20)}f}"
    if value == 0:
        return "0"
    digits = math.floor(math.log10(abs(value)) + 1e-9) - power
    mantissa, exponent = f"{value:.{min(max(0, digits), 15)}e}".split("e")
    return f"{mantissa}e{int(exponent)}"
