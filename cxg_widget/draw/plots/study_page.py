"""Parts of a study on one page: headings, and figures of one or several parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cxg_widget.draw.lettering import fitted, width_of
from cxg_widget.draw.plots.plot_style import GroupPlot, Look
from cxg_widget.draw.plots.sheet import GAP, PAD, SMALL_PX, TEXT_PX, TITLE_PX, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT_PX, TICKS_PX, ACROSS = 128.0, 48.0, 4
WIDTH = 2 * PAD + ACROSS * (PLOT_PX + TICKS_PX)
"""Px of a page, unless a part is wider."""
_ROOM = WIDTH - 2 * PAD


class StudyPlot(GroupPlot):
    """A part of a study that can be drawn on a page with others.

    Attributes
    ----------
    notes : sentences about samples that were left out, and what weakens a test
    """

    look: Look
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """What was measured: unit, number of samples, and test."""
        return self.look.title

    @property
    def width(self) -> float:
        """Px of the page that the part needs."""
        return WIDTH

    @abstractmethod
    def height(self) -> float:
        """Return the px that the part needs."""

    @abstractmethod
    def draw(self, sheet: Sheet, top: float) -> None:
        """Draw the part on a page below some px."""

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`."""
        return page_of([self])

    def head_height(self) -> float:
        """Return the px of the heading."""
        title, test = self._heading()
        return len(title) * (TITLE_PX + 4) + len(test) * (SMALL_PX + 4) + GAP

    def write_head(self, sheet: Sheet, top: float) -> float:
        """Write the unit in bold and the test below it; return the px below both."""
        title, test = self._heading()
        for line in title:
            sheet.write(PAD, top + TITLE_PX / 2, line, size=TEXT_PX, bold=True)
            top += TITLE_PX + 4
        for line in test:
            sheet.write(PAD, top + SMALL_PX / 2, line, size=SMALL_PX, quiet=True)
            top += SMALL_PX + 4
        return top + GAP

    def _heading(self) -> tuple[list[str], list[str]]:
        unit, _, test = self.title.partition("; ")
        return _lines(unit, TEXT_PX, bold=True), _lines(test, SMALL_PX)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"


def _lines(text: str, size: float, *, bold: bool = False) -> list[str]:
    """Return a text in lines that fit on a page; a word that does not is cut."""
    found: list[str] = []
    for word in text.split():
        longer = f"{found[-1]} {word}" if found else word
        if found and width_of(longer, size, bold=bold) <= _ROOM:
            found[-1] = longer
        else:
            found.append(fitted(word, size, _ROOM, bold=bold))
    return found


def page_of(plots: Sequence[StudyPlot]) -> Figure:
    """Return parts of a study below each other as a new figure."""
    height = 2 * PAD + sum(one.height() + GAP for one in plots)
    sheet = Sheet(max(one.width for one in plots), height, plots[0].look.paper)
    top: float = PAD
    for one in plots:
        one.draw(sheet, top)
        top += one.height() + GAP
    return sheet.figure
