"""What lies over the points in words, in a box in a corner of the picture, as js/src/panels/plot_legend.js draws it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGBA, hex_rgb
from cxg_widget.draw.difference import code_colors
from cxg_widget.draw.lettering import DrawnText, fitted, width_of
from cxg_widget.draw.parts import Box, Parts
from cxg_widget.text.numbers import short_number

BAR_PX = 196
_WIDEST_SHARE = 0.4
"""Of the plot's width; where that is less than `BAR_PX` the legend is small."""
_LEAST_PX = 60
"""In less room nothing can be read."""
_BAR_HIGH_PX, _DASH_PX, _GAP_PX = 8, 14, 6
_GROUND_ALPHA = 224


@dataclass(frozen=True)
class _Form:
    """Of text, lines and the space around them, px; a small legend leaves out what is the same in each."""

    size: int
    line: int
    pad: int
    edge: int
    is_small: bool


_WHOLE, _SMALL = _Form(11, 16, 8, 10, False), _Form(10, 13, 6, 6, True)


@dataclass(frozen=True)
class PlotLegend:
    """What is said of contours of sets, and of the difference of two.

    Attributes
    ----------
    sets : name and "#rrggbb" of each that has contours
    names : of the two that are compared; () = none are
    limit : the ratio at the ends of the bar, as log2
    least : how many cells must lie near
    many : what the store calls its cells
    """

    sets: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    limit: float
    least: int
    many: str


def _n_lines(legend: PlotLegend, is_small: bool) -> int:
    """Return how many lines it has."""
    n_said = 0 if is_small else 1
    return (len(legend.sets) + n_said if legend.sets else 0) + (4 + n_said if legend.names else 0)


def lay_out_legend(legend: PlotLegend, size: tuple[float, float], paper: Paper) -> Parts:
    """Return the parts of a legend at the lower left of a plot so large, px."""
    wide = min(BAR_PX, round(_WIDEST_SHARE * size[0]))
    form = _WHOLE if wide == BAR_PX else _SMALL
    lines = _n_lines(legend, form.is_small)
    if lines == 0 or wide < _LEAST_PX:
        return Parts()
    high = lines * form.line + 2 * form.pad
    x, y = form.edge + form.pad, round(size[1]) - form.edge - high + form.pad
    texts, bars = list[DrawnText](), list[tuple[Box, NDArray[np.uint8]]]()
    box = (form.edge, y - form.pad, form.edge + wide + 2 * form.pad, y - form.pad + high)
    fills: list[tuple[Box, RGBA]] = [(box, (*paper.ground, _GROUND_ALPHA))]
    for name, color in legend.sets:
        middle = y + form.line // 2
        fills.append(((x, middle - 1, x + _DASH_PX, middle + 1), (*hex_rgb(color), 255)))
        indent = _DASH_PX + _GAP_PX
        texts.append(_text(name, x + indent, y, wide - indent, form))
        y += form.line
    if legend.sets and not form.is_small:
        texts.append(_text("lines enclose 50 % and 90 %", x, y, wide, form, quiet=True))
        y += form.line
    if legend.names:
        top = y + form.line + (1 if form.is_small else 4)
        bars.append(((x, top, x + wide, top + _BAR_HIGH_PX), code_colors(dark=paper.is_dark)))
        texts += _of_difference(legend, x, y, wide, form)
    return Parts(tuple(fills), tuple(bars), tuple(texts))


def _of_difference(legend: PlotLegend, x: int, y: int, wide: int, form: _Form) -> list[DrawnText]:
    first, second = legend.names
    limit, half = short_number(legend.limit), wide / 2 - _GAP_PX
    ends = y + 2 * form.line, y + 3 * form.line
    right = x + wide
    middle = x + (wide - width_of("0", form.size)) / 2
    heading = "log2 density" if form.is_small else "log2 density ratio"
    blank = f"blank: < {legend.least} {legend.many} nearby"
    return [
        _text(heading, x, y, wide, form, bold=True),
        _text(f"−{limit}", x, ends[0], half, form),
        _text("0", middle, ends[0], half, form),
        _text(limit, right, ends[0], half, form, to_left=True),
        _text(second, x, ends[1], half, form),
        _text(first, right, ends[1], half, form, to_left=True),
        *([] if form.is_small else [_text(blank, x, y + 4 * form.line, wide, form, quiet=True)]),
    ]


def _text(
    text: str, x: float, top: float, room: float, form: _Form, *, bold: bool = False, quiet: bool = False,
    to_left: bool = False,
) -> DrawnText:  # fmt: skip
    """Place a text in a line that begins at `top`."""
    told = fitted(text, form.size, room, bold=bold)
    return DrawnText(told, x, top + form.line - 4, form.size, bold=bold, quiet=quiet, to_left=to_left)
