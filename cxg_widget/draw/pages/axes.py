"""Axes of a plot: titles and round numbers below it and to its left.

The layout is that of js/src/plot/axes.js, with the ticks of js/src/screen/ticks.js.
"""
# Changes with js/src/plot/axes.js: axes.
# Changes with js/src/screen/ticks.js: ticks.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cxg_widget.draw.lettering import DrawnText
from cxg_widget.draw.parts import Box
from cxg_widget.spatial.view import View

FONT_PX, TICK_PX = 11, 4
_CHARACTER_PX = 6.2
"""Average width of a character, as on the screen."""
_MARGIN_PX = 33
"""Px left of the plot and below it for ticks, numbers and titles."""
_NUMBER_PX, _NAME_PX = (15, 7), (29, 21)
"""Px from the edge of the plot to the baselines of horizontal and of vertical text."""
_GAP_PX, _APART_PX = 22, 60
_LEAST_PX = 160


@dataclass(frozen=True)
class Axis:
    """One axis; positions in px along it, from the lower left of the plot.

    ticks : position, number and its text, "" if that would exceed the plot
    """

    name: str
    length: float
    ticks: tuple[tuple[float, float, str], ...]


def margin_of(names: Sequence[str], width: float, height: float) -> float:
    """Return the room of axes left of the plot and below it, px of plot and margin."""
    return 0 if not names or min(width, height) < _LEAST_PX else _MARGIN_PX


def lay_out_axes(names: Sequence[str], seen: View, size: tuple[float, float]) -> tuple[Axis, Axis]:
    """Return the two axes of a plot of some px."""
    left, right, bottom, top = seen
    return _axis(names[0], left, right, size[0]), _axis(names[1], bottom, top, size[1])


def _axis(name: str, start: float, stop: float, length: float) -> Axis:
    found = []
    for value, text in ticks_between(start, stop, length, lambda one: max(_width(one) + _GAP_PX, _APART_PX)):
        at, half = (value - start) / (stop - start) * length, _width(text) / 2
        found.append((at, value, text if half <= at <= length - half else ""))
    most = int(length // _CHARACTER_PX)
    short = name if len(name) <= most else f"{name[: max(0, most - 1)].rstrip()}…"
    return Axis(short, length, tuple(found))


def _width(text: str) -> float:
    return len(text) * _CHARACTER_PX


def lines_of(axes: tuple[Axis, Axis]) -> list[Box]:
    """Return the lines of axes as boxes, px from the top left of the plot."""
    (x, y) = axes
    lines: list[Box] = [(0, y.length, x.length, y.length + 1), (-1, 0, 0, y.length)]
    lines += [(at - 0.5, y.length, at + 0.5, y.length + TICK_PX) for at, _, _ in x.ticks]
    return lines + [(-TICK_PX, y.length - at - 0.5, 0, y.length - at + 0.5) for at, _, _ in y.ticks]


def texts_of(axes: tuple[Axis, Axis]) -> list[DrawnText]:
    """Return the titles and numbers of axes, px from the top left of the plot."""
    (x, y) = axes
    high = y.length
    along = [_text(text, at, high + _NUMBER_PX[0]) for at, _, text in x.ticks if text]
    up = [_text(text, -_NUMBER_PX[1], high - at, is_upright=True) for at, _, text in y.ticks if text]
    names = [_text(x.name, x.length / 2, high + _NAME_PX[0]), _text(y.name, -_NAME_PX[1], high / 2, is_upright=True)]
    return [*along, *up, *names]


def _text(text: str, x: float, y: float, *, is_upright: bool = False) -> DrawnText:
    return DrawnText(text, x, y, FONT_PX, quiet=True, centered=True, is_upright=is_upright)


_STEPS = (1, 2, 5)
_LARGEST, _SMALLEST = 1e7, 1e-3
"""Numbers outside of this range have an exponent, as in the legend."""
Tick = tuple[float, str]


def ticks_between(start: float, stop: float, length: float, room: Callable[[str], float]) -> list[Tick]:
    """Return the round numbers between two ends, ascending, as many as fit.

    length : of the axis between the ends, px
    room : px of a number with the space around it
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
    """Return the smallest of 1, 2, 5, 10, ... that is at least this."""
    power = math.floor(math.log10(least))
    mantissa = least / 10.0**power
    # A step that is met exactly must not be lost to rounding.
    digit = next((one for one in _STEPS if one >= mantissa * (1 - 1e-9)), None)
    return float(f"1e{power + 1}") if digit is None else float(f"{digit}e{power}")


def _multiples(step: float, lo: float, hi: float) -> list[Tick]:
    first, last = math.ceil(lo / step), math.floor(hi / step)
    most = max(abs(lo), abs(hi))
    # Adding 0.0 turns -0.0 into 0.0, which would be written as "-0".
    return [(at * step + 0.0, _tick_text(at * step + 0.0, step, most)) for at in range(first, last + 1)]


def _tick_text(value: float, step: float, most: float) -> str:
    """Return a number with the digits that distinguish it from its neighbors; most: the largest among them."""
    power = math.floor(math.log10(step) + 1e-9)
    if _SMALLEST <= most < _LARGEST:
        return f"{value:,.{min(max(0, -power), 20)}f}"
    if value == 0:
        return "0"
    digits = math.floor(math.log10(abs(value)) + 1e-9) - power
    mantissa, exponent = f"{value:.{min(max(0, digits), 15)}e}".split("e")
    return f"{mantissa}e{int(exponent)}"
