"""What lies over the points in words, in a box in a corner of the picture, as js/src/panels/plot_legend.js draws it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.draw.difference import HIGHEST, code_colors
from cxg_widget.draw.lettering import DrawnText, fitted, width_of, write
from cxg_widget.draw.over import fill
from cxg_widget.text.numbers import short_number

SIZE_PX, LINE_PX, PAD_PX, EDGE_PX = 11, 16, 8, 10
BAR_PX = 196
_BAR_HIGH_PX, _DASH_PX, _GAP_PX = 8, 14, 6
_GROUND_ALPHA = 224


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

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return (len(self.sets) + 1 if self.sets else 0) + (5 if self.names else 0)


def draw_plot_legend(image: NDArray[np.uint8], legend: PlotLegend, paper: Paper) -> NDArray[np.uint8]:
    """Return an image, uint8 (height, width, 4), with a legend at its lower left."""
    if legend.lines == 0:
        return image
    high = legend.lines * LINE_PX + 2 * PAD_PX
    x, y = EDGE_PX + PAD_PX, image.shape[0] - EDGE_PX - high + PAD_PX
    page, texts = image.copy(), list[DrawnText]()
    ground = np.array([*paper.ground, _GROUND_ALPHA])
    fill(page, (EDGE_PX, y - PAD_PX, BAR_PX + 2 * PAD_PX, high), ground)
    for name, color in legend.sets:
        fill(page, (x, y + LINE_PX // 2 - 1, _DASH_PX, 2), np.array([*hex_rgb(color), 255]))
        indent = _DASH_PX + _GAP_PX
        texts.append(_text(name, x + indent, y, BAR_PX - indent))
        y += LINE_PX
    if legend.sets:
        texts.append(_text("lines around 50 % and 90 %", x, y, BAR_PX, quiet=True))
        y += LINE_PX
    if legend.names:
        bar = code_colors()[np.rint(np.linspace(0, HIGHEST, BAR_PX)).astype(np.int64)]
        fill(page, (x, y + LINE_PX + 4, BAR_PX, _BAR_HIGH_PX), np.insert(bar, 3, 255, axis=1))
        texts += _of_difference(legend, x, y)
    return write(page, texts, (paper.ink, paper.quiet))


def _of_difference(legend: PlotLegend, x: int, y: int) -> list[DrawnText]:
    first, second = legend.names
    limit, half = short_number(legend.limit), BAR_PX / 2 - _GAP_PX
    ends = y + 2 * LINE_PX, y + 3 * LINE_PX
    right = x + BAR_PX
    middle = x + (BAR_PX - width_of("0", SIZE_PX)) / 2
    return [
        _text("Denser in, log2 of the ratio", x, y, BAR_PX, bold=True),
        _text(f"−{limit}", x, ends[0], half),
        _text("0", middle, ends[0], half),
        _text(limit, right, ends[0], half, to_left=True),
        _text(second, x, ends[1], half),
        _text(first, right, ends[1], half, to_left=True),
        _text(f"blank: under {legend.least} {legend.many} near", x, y + 4 * LINE_PX, BAR_PX, quiet=True),
    ]


def _text(
    text: str, x: float, top: float, room: float, *, bold: bool = False, quiet: bool = False, to_left: bool = False
) -> DrawnText:
    """Place a text in a line that begins at `top`."""
    return DrawnText(
        fitted(text, SIZE_PX, room, bold=bold), x, top + LINE_PX - 4, SIZE_PX, bold=bold, quiet=quiet, to_left=to_left
    )
