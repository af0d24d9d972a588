"""Layout of a matrix of groups by genes: labels on both sides, brackets around sets of genes, room for a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cxg_widget.color.paper import Paper
from cxg_widget.draw.lettering import fitted, width_of
from cxg_widget.draw.plots.sheet import (
    GAP,
    KEY_PX,
    NOTE_ROOM,
    PAD,
    TEXT_PX,
    TITLE_ROOM,
    Sheet,
    short,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SWATCH = 10
_HEAD_PX = 120
_LEAST_ROOM = 260
"""Least width for a title, px."""


@dataclass(frozen=True)
class SideLabels:
    """Labels along one side of a matrix.

    Attributes
    ----------
    heads : brackets around several labels, as (name, first, one past the last)
    colors : "#rrggbb" of each label; () = none
    """

    texts: Sequence[str]
    heads: Sequence[tuple[str, int, int]] = ()
    colors: Sequence[str] = ()

    @property
    def length(self) -> float:
        """Px from the matrix to the end of the longest label."""
        return widest(self.texts) + GAP + (_SWATCH + 6 if self.colors else 0)


@dataclass(frozen=True)
class Placed:
    """Layout of a matrix: its axes count rows from the top and columns from the left, each 1 wide."""

    sheet: Sheet
    axes: Axes
    key: tuple[float, float]


def placed(
    rows: SideLabels,
    columns: SideLabels,
    cell: tuple[float, float],
    paper: Paper,
    *,
    title: str,
    note: str,
    key_height: float,
) -> Placed:
    """Lay out a matrix whose cells have some px; note: a sentence below it."""
    # By measured text: matplotlib's `tight_layout` cuts long names or squeezes the cells (decision 61).
    lies, below = room_below(columns, cell[0])
    above, lying_heads = _above(columns, cell[0])
    heads_room = 0.0 if not rows.heads else TEXT_PX + 2 * GAP
    width, height = cell[0] * len(columns.texts), cell[1] * len(rows.texts)
    left, top = PAD + rows.length, PAD + TITLE_ROOM + above
    key = left + width + heads_room + 2 * GAP, top
    page = max(key[0] + KEY_PX + PAD, _LEAST_ROOM)
    floor = max(top + height + below, top + key_height) + (NOTE_ROOM if note else 0)
    sheet = Sheet(page, floor + PAD, paper)
    axes = sheet.axes(left, top, width, height)
    axes.set(xlim=(0, len(columns.texts)), ylim=(len(rows.texts), 0), xticks=[], yticks=[])
    sheet.write_around(title, note, floor)
    write_rows(sheet, rows, (left, top, left + width), cell[1])
    write_columns(sheet, columns, (left, top, top + height), cell[0], lies=lies, lying_heads=lying_heads)
    return Placed(sheet, axes, key)


def room_below(columns: SideLabels, wide: float) -> tuple[bool, float]:
    """Return whether labels fit horizontally below columns of some px, and the px that they take."""
    if any(width_of(short(text), TEXT_PX) > wide - 6 for text in columns.texts):
        return False, columns.length
    return True, TEXT_PX + GAP + (_SWATCH + 6 if columns.colors else 0)


def _above(columns: SideLabels, wide: float) -> tuple[float, bool]:
    """Return px for the brackets above the columns, and whether their names fit horizontally."""
    if not columns.heads:
        return 0.0, True
    lie = all(width_of(name, TEXT_PX) <= (stop - first) * wide - 4 for name, first, stop in columns.heads)
    longest = min(max(width_of(name, TEXT_PX) for name, _, _ in columns.heads), _HEAD_PX)
    return 2 * GAP + (TEXT_PX if lie else longest), lie


def write_rows(sheet: Sheet, rows: SideLabels, box: tuple[float, float, float], high: float) -> None:
    """Write labels left of a matrix and brackets right of it; box: left, top and right, px."""
    left, top, right = box
    edge = left - GAP - (_SWATCH + 6 if rows.colors else 0)
    for at, text in enumerate(rows.texts):
        middle = top + (at + 0.5) * high
        sheet.write(edge, middle, short(text), side="right")
        if rows.colors:
            sheet.swatch(left - GAP - _SWATCH, middle - _SWATCH / 2, rows.colors[at])
    for name, first, stop in rows.heads:
        y0, y1 = top + first * high + 3, top + stop * high - 3
        sheet.line((right + 4, right + GAP, right + GAP, right + 4), (y0, y0, y1, y1))
        room = (stop - first) * high - 4
        sheet.write(right + 2 * GAP, (y0 + y1) / 2, fitted(name, TEXT_PX, room), upright=True)


def write_columns(
    sheet: Sheet,
    columns: SideLabels,
    box: tuple[float, float, float],
    wide: float,
    *,
    lies: bool,
    lying_heads: bool = True,
) -> None:
    """Write labels below a matrix and brackets above it; box: left, top and bottom, px."""
    left, top, bottom = box
    edge = bottom + GAP + (_SWATCH + 6 if columns.colors else 0)
    for at, text in enumerate(columns.texts):
        middle = left + (at + 0.5) * wide
        sheet.write(middle, edge, short(text), side="center", upright=not lies, at="top")
        if columns.colors:
            sheet.swatch(middle - _SWATCH / 2, bottom + GAP, columns.colors[at])
    for name, first, stop in columns.heads:
        x0, x1 = left + first * wide + 3, left + stop * wide - 3
        sheet.line((x0, x0, x1, x1), (top - 4, top - GAP, top - GAP, top - 4))
        text = fitted(name, TEXT_PX, (stop - first) * wide - 4 if lying_heads else _HEAD_PX)
        sheet.write((x0 + x1) / 2, top - GAP - 4, text, side="center", upright=not lying_heads, at="bottom")
