"""Cells at 0 of two columns as axes: their number, and their distribution along the axes.

As in js/src/panels/overlays/landmarks.js (`paintTie`), overlay_notes.js and zero_profile.js.
"""
# Changes with js/src/panels/overlays/overlay_notes.js: cells at 0 of two columns.
# Changes with js/src/panels/overlays/zero_profile.js: cells at 0 of two columns.

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGBA
from cxg_widget.draw.lettering import DrawnText, width_of
from cxg_widget.draw.parts import Box, Parts
from cxg_widget.text.nouns import Noun

_MANY = 0.02
"""Least share of all cells at 0 for a description: the line is then dense enough to hide cells."""
_BIN_PX, _GAP_PX, _LONGEST_PX, _LEAST_PX = 3, 2, 30, 4
"""Width of a bar, its gap to the line, its greatest length; with less than the last, there are no bars."""
_TEXT_PX, _AWAY_PX, _BASELINE_PX = 11, 10, 4
_INK, _SEAM_PX = 0.5, 0.5


class Line(NamedTuple):
    """One axis of a plot, px from the left or the top: position of 0, of the first and last cell, its length."""

    zero: float
    low: float
    high: float
    length: float


class AtZero(NamedTuple):
    """Number of cells at 0.

    counts : of all cells at (0, 0) exactly, at 0 of x and at 0 of y
    noun : the store's noun for cells
    """

    counts: Sequence[int]
    n_obs: int
    names: Sequence[str]
    noun: Noun

    def is_many(self, axis: int) -> bool:
        """Return whether the distribution of the cells at 0 of an axis is drawn."""
        return self.counts[1 + axis] > _MANY * self.n_obs

    def describe(self) -> tuple[str, int] | None:
        """Return the sentence about the place with most of them, and the axis that is 0 there, -1 = both."""
        both, *lines = self.counts
        where, axis, n = "(0, 0)", -1, both
        if not both:
            axis = next((one for one, many in enumerate(lines) if many > _MANY * self.n_obs), -1)
            if axis < 0:
                return None
            where, n = f"{self.names[axis]} = 0", lines[axis]
        return f"{n:,} of {self.noun.counted(self.n_obs)} lie at {where}", axis


def lay_out_ties(at_zero: AtZero, along: Sequence[NDArray[np.float64]], axes: tuple[Line, Line], paper: Paper) -> Parts:
    """Return the bars and the sentence.

    along : positions of the cells at 0 of x, and at 0 of y, along that line, px
    axes : x and y of the plot
    """
    fills: tuple[tuple[Box, RGBA], ...] = ()
    for axis in (0, 1):
        if at_zero.is_many(axis):
            fills += _bars(along[axis], axis, axes, paper)
    sentence = at_zero.describe()
    return Parts(fills, (), () if sentence is None else _written(*sentence, axes))


def _bars(along: NDArray[np.float64], axis: int, axes: tuple[Line, Line], paper: Paper) -> tuple[tuple[Box, RGBA], ...]:
    line, across = axes[axis], axes[1 - axis]
    if not 0 <= line.zero <= line.length:
        return ()
    is_by_low = abs(line.zero - line.low) <= abs(line.zero - line.high)
    away = np.sign(line.high - line.low) * (-1 if is_by_low else 1)  # away from the cells
    room = (line.zero if away < 0 else line.length - line.zero) - _GAP_PX
    if room < _LEAST_PX:
        return ()
    red, green, blue = (
        round(_INK * ink + (1 - _INK) * under) for ink, under in zip(paper.ink, paper.ground, strict=True)
    )
    start, reach = line.zero + away * _GAP_PX, away * min(_LONGEST_PX, room)
    shares, found = _shares(along, across), []
    for i in np.flatnonzero(shares).tolist():
        # Adjacent boxes show a seam in a PDF: each overlaps the next.
        into = _SEAM_PX if i + 1 < len(shares) and shares[i + 1] else 0.0
        first, last = i * _BIN_PX, min((i + 1) * _BIN_PX + into, across.length)
        low, high = sorted((start, start + reach * shares[i]))
        found.append(((low, first, high, last) if axis == 0 else (first, low, last, high), (red, green, blue, 255)))
    return tuple(found)


def _shares(along: NDArray[np.float64], axis: Line) -> NDArray[np.float64]:
    """Return the length of each bar relative to the longest; that of (0, 0) may exceed it, and is cut."""
    n = int(np.ceil(axis.length / _BIN_PX))
    bins = np.floor(along / _BIN_PX).astype(np.int64)
    bars = np.bincount(bins[(bins >= 0) & (bins < n)], minlength=n)[:n].astype(np.float64)
    # The bar at (0, 0) has most cells of two sparse genes, and would flatten all others.
    rest = bars.copy()
    cut = int(axis.zero // _BIN_PX)
    if 0 <= cut < n:
        rest[cut] = 0
    return np.minimum(bars / (rest.max(initial=0) or 1), 1)


def _written(text: str, at_zero: int, axes: tuple[Line, Line]) -> tuple[DrawnText, ...]:
    # A line is in view wherever (0, 0) is along it; its count is shown at the axis.
    x, y = (
        min(max(line.zero, 0), line.length) if at_zero == 1 - i else line.zero for i, line in enumerate(axes)
    )  # fmt: skip
    (*_, width), (*_, height) = axes
    wide = width_of(text, _TEXT_PX)
    if not (0 <= x <= width and 0 <= y <= height) or wide + 2 * _AWAY_PX > width:
        return ()
    left = x + _AWAY_PX if x + _AWAY_PX + wide < width else x - _AWAY_PX - wide
    middle = y - _AWAY_PX if y > 2 * _AWAY_PX else y + _AWAY_PX
    return (DrawnText(text, left, middle + _BASELINE_PX, _TEXT_PX, has_halo=True),)
