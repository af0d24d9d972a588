"""Legend of the overlays, in lines below the plot or all panels, as in js/src/panels/overlays/legend_line.js."""
# Changes with js/src/panels/overlays/legend_line.js: the legend of contours and differences.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.settings import ENCLOSED
from cxg_widget.draw.lettering import DrawnText, fitted, width_of
from cxg_widget.draw.overlays.difference import code_colors
from cxg_widget.draw.parts import Parts
from cxg_widget.text.numbers import short_number

_SIZE, _LINE, _PAD, _BETWEEN, _SPACE = 11, 18, 10, 16, 6
_DASH_PX, _BAR_PX, _BAR_HIGH_PX, _WIDEST_PX = 14, 80, 8, 150


@dataclass(frozen=True)
class PlotLegend:
    """Legend of contours of sets, and of the difference of two.

    sets : name and "#rrggbb" of each with contours
    names : of the two in the difference; () = none
    limit : ratio at the ends of the bar, as log2
    least : least cells nearby
    many : the store's noun for cells
    """

    sets: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    limit: float
    least: int
    many: str


@dataclass(frozen=True)
class _Piece:
    """Content of one line.

    parts : starting at (0, 0) of the line
    is_note : the same in each legend; left out if it would need a line of its own
    """

    width: int
    parts: Parts
    is_note: bool = False


def lay_out_lines(plot_legends: Sequence[tuple[str, PlotLegend]], width: float, paper: Paper) -> tuple[Parts, float]:
    """Lay out the legends of all plots in lines of some width, px, from the top left of the first.

    Parameters
    ----------
    plot_legends : for each embedding, its name and the legend of its plots

    Returns
    -------
    parts and their height, px; empty and 0 without legends
    """
    room = width - 2 * _PAD
    pieces = _pieces(plot_legends, room, paper)
    if not pieces:
        return Parts(), 0.0
    placed, x, line = Parts(), 0, 0
    for one in pieces:
        if x > 0 and x + one.width > room:
            if one.is_note:
                continue
            x, line = 0, line + 1
        placed += one.parts.moved(_PAD + x, _PAD // 2 + line * _LINE)
        x += one.width + _BETWEEN
    return placed, float((line + 1) * _LINE + _PAD)


def _pieces(plot_legends: Sequence[tuple[str, PlotLegend]], room: float, paper: Paper) -> list[_Piece]:
    sets = next((legend.sets for _, legend in plot_legends if legend.sets), ())
    most = min(_WIDEST_PX, room / 2 - _DASH_PX - _SPACE - _BETWEEN)
    pieces = [_together([_dash(color), _words(name, most)]) for name, color in sets]
    if sets:
        pieces.append(_words(f"lines enclose {ENCLOSED}", room, quiet=True, is_note=True))
    compared = [(place, legend) for place, legend in plot_legends if legend.names]
    # Embeddings with the same limit share one bar (decision 50).
    if all(before.limit == after.limit for (_, before), (_, after) in pairwise(compared)):
        compared = [("", legend) for _, legend in compared[:1]]
    pieces += [_denser(place, legend, room, paper) for place, legend in compared]
    if compared:
        legend = compared[0][1]
        pieces.append(_words(f"blank: < {legend.least} {legend.many} nearby", room, quiet=True, is_note=True))
    return pieces


def _denser(place: str, legend: PlotLegend, room: float, paper: Paper) -> _Piece:
    heading = _words("log2 density ratio" + (f", {place}" if place else ""), room / 3, bold=True)
    limit = short_number(legend.limit)
    low, high, ramp = _words(f"−{limit}", room, quiet=True), _words(limit, room, quiet=True), _bar(paper)
    most = min(_WIDEST_PX, (room - _together([heading, low, ramp, high]).width - 2 * _SPACE) / 2)
    first, second = legend.names
    return _together([heading, _words(second, most), low, ramp, high, _words(first, most)])


def _words(text: str, most: float, *, bold: bool = False, quiet: bool = False, is_note: bool = False) -> _Piece:
    fitting = fitted(text, _SIZE, most, bold=bold)
    drawn = DrawnText(fitting, 0, _LINE - 5, _SIZE, bold=bold, quiet=quiet)
    return _Piece(ceil(width_of(fitting, _SIZE, bold=bold)), Parts(texts=(drawn,)), is_note)


def _dash(color: str) -> _Piece:
    box = (0, _LINE / 2 - 1, _DASH_PX, _LINE / 2 + 1)
    return _Piece(_DASH_PX, Parts(fills=((box, (*hex_rgb(color), 255)),)))


def _bar(paper: Paper) -> _Piece:
    top = (_LINE - _BAR_HIGH_PX) / 2
    box = (0, top, _BAR_PX, top + _BAR_HIGH_PX)
    return _Piece(_BAR_PX, Parts(bars=((box, code_colors(dark=paper.is_dark)),)))


def _together(pieces: Sequence[_Piece]) -> _Piece:
    """Join pieces in a row."""
    parts, x = Parts(), 0
    for one in pieces:
        parts += one.parts.moved(x, 0)
        x += one.width + _SPACE
    return _Piece(x - _SPACE, parts)
