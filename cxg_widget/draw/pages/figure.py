"""A picture with its legend: title above, colors to the right, as in js/src/panels/pictures/figure.js."""
# Changes with js/src/panels/pictures/figure.js: the layout of a key.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb, ramp
from cxg_widget.draw.lettering import DrawnText, fitted, width_of
from cxg_widget.draw.pages.legend_words import Key
from cxg_widget.draw.parts import Box, Parts

TITLE_PX, HEADING_PX, TEXT_PX, SMALL_PX = 14, 13, 12, 11
PAD, TOP, TITLE_Y, LINE, ROW, SWATCH, BAR = 16, 40, 26, 16, 18, 10, 12
MARGIN, SPACE, GAP = 12, 7, 24
"""Px between picture and legend, between a swatch and its label or a label and its count, and between two columns."""
LEAST_TITLE, LEAST_COLUMN, WIDEST_COLUMN, WIDEST_OF_TWO = 60, 132, 340, 190
TWO_COLUMNS_FROM = 480
"""A narrower picture has at most one column."""


@dataclass(frozen=True)
class Layout:
    """Layout of all parts, px from the top left of the page.

    side : px to the right of the picture
    swatches : position and color, "" = of missing cells
    """

    side: float
    texts: list[DrawnText]
    swatches: list[tuple[Box, str]]
    bar: Box | None

    def parts(self, key: Key, paper: Paper) -> Parts:
        """Return the parts to draw on a paper."""
        fills = tuple((box, (*(hex_rgb(color) if color else paper.missing), 255)) for box, color in self.swatches)
        return Parts(fills, () if self.bar is None else ((self.bar, ramp(list(key.ramp))),), tuple(self.texts))


def lay_out(key: Key, width: float, height: float, side: float | None = None) -> Layout:
    """Lay out a legend above and to the right of a picture of width x height px; side: its px, None = as needed."""
    if not key.heading:
        return Layout(0.0, list(_title(key, width)), [], None)
    x = width + MARGIN
    top = TOP + HEADING_PX + (LINE if key.detail else 0) + 9
    room = max(1, int((TOP + height - PAD - top) // ROW))
    # A second column is made only if rows would be left out.
    n_columns = 2 if len(key.rows) + (key.more > 0) > room and width >= TWO_COLUMNS_FROM else 1
    column = _column(key, WIDEST_OF_TWO if n_columns == 2 else WIDEST_COLUMN)
    if side is not None:
        n_columns = min(n_columns, 2 if side >= MARGIN + 2 * LEAST_COLUMN + GAP + PAD else 1)
        column = (side - MARGIN - PAD - (n_columns - 1) * GAP) / n_columns
    inner = n_columns * column + (n_columns - 1) * GAP
    side = MARGIN + inner + PAD
    layout = Layout(side, [*_title(key, width + side), *_heading(key, x, inner)], [], None)
    if key.ramp:
        layout, top = _with_bar(layout, key, (x, top, x + column, top + BAR)), top + BAR + LINE + 8
    if key.sentence:
        layout.texts.append(DrawnText(fitted(key.sentence, TEXT_PX, column), x, top + SWATCH, TEXT_PX))
        top += ROW + 4
    return _with_rows(layout, key, (x, top, column), room * n_columns, n_columns)


def _title(key: Key, width: float) -> Iterator[DrawnText]:
    """Write the title above a page, and the number of cells after it if both fit."""
    room = width - 2 * PAD
    size = fitted(key.size, TEXT_PX, room)
    left = room - width_of(size, TEXT_PX) - PAD if key.title else 0.0
    title = fitted(key.title, TITLE_PX, left, bold=True) if left >= LEAST_TITLE else ""
    x = PAD + (width_of(title, TITLE_PX, bold=True) + 12 if title else 0)
    yield from [DrawnText(title, PAD, TITLE_Y, TITLE_PX, bold=True)] if title else []
    yield DrawnText(size, x, TITLE_Y, TEXT_PX, quiet=True)


def _heading(key: Key, x: float, room: float) -> Iterator[DrawnText]:
    y = TOP + HEADING_PX - 1
    yield DrawnText(fitted(key.heading, HEADING_PX, room, bold=True), x, y, HEADING_PX, bold=True)
    if key.detail:
        yield DrawnText(fitted(key.detail, SMALL_PX, room), x, y + LINE, SMALL_PX, quiet=True)


def _column(key: Key, widest: float) -> float:
    """Return the width of a column without truncated labels, up to a limit."""
    texts = [
        width_of(key.heading, HEADING_PX, bold=True),
        width_of(key.detail, SMALL_PX),
        width_of(key.sentence, TEXT_PX),
    ]
    rows = [width_of(label, TEXT_PX) + width_of(count, SMALL_PX) + SWATCH + 3 * SPACE for label, count, _ in key.rows]
    return min(max(LEAST_COLUMN, *texts, *rows), widest)


def _with_bar(layout: Layout, key: Key, bar: Box) -> Layout:
    y = bar[3] + LINE - 2
    low, high = DrawnText(key.ends[0], bar[0], y, SMALL_PX), DrawnText(key.ends[1], bar[2], y, SMALL_PX, to_left=True)
    x = (bar[0] + bar[2] - width_of(key.middle, SMALL_PX)) / 2
    middle = [DrawnText(key.middle, x, y, SMALL_PX)] if key.middle else []
    return replace(layout, texts=[*layout.texts, low, *middle, high], bar=bar)


def _with_rows(layout: Layout, key: Key, place: tuple[float, float, float], most: int, n_columns: int) -> Layout:
    """Add as many rows as fit, and the number of further ones; place: x, y and width of a column."""
    left, top, column = place
    # One row is kept free for "and n more".
    kept = key.rows if len(key.rows) + (key.more > 0) <= most else key.rows[: most - 1]
    more = key.more + len(key.rows) - len(kept)
    deep = -(-(len(kept) + (more > 0)) // n_columns)
    for i, (label, count, color) in enumerate([*kept, *([(f"and {more:,} more", "", "more")] if more else [])]):
        x, y = left + i // deep * (column + GAP), top + i % deep * ROW
        room = column - SWATCH - SPACE - (width_of(count, SMALL_PX) + 2 * SPACE if count else 0)
        is_more = i == len(kept)
        layout.texts.append(
            DrawnText(fitted(label, TEXT_PX, room), x + SWATCH + SPACE, y + SWATCH, TEXT_PX, quiet=is_more)
        )
        if not is_more:
            layout.swatches.append(((x, y, x + SWATCH, y + SWATCH), color))
            layout.texts.append(DrawnText(count, x + column, y + SWATCH, SMALL_PX, quiet=True, to_left=True))
    return layout
