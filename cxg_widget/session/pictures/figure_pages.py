"""Figure pages: all panels with all their cells, axes, labels, contours and legends."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.color.paper import Paper
from cxg_widget.display.looks import Look, first_of_each_place, keyed, title_of
from cxg_widget.display.settings import Settings
from cxg_widget.draw.overlays.legend_line import PlotLegend, lay_out_lines
from cxg_widget.draw.pages.axes import lay_out_axes, margin_of
from cxg_widget.draw.pages.figure import TOP, lay_out
from cxg_widget.draw.pages.legend_words import Key, lines_of
from cxg_widget.draw.pages.page import HEAD_PX, Page, Plot, grid_of, moved
from cxg_widget.draw.parts import Parts
from cxg_widget.errors import InvalidValue
from cxg_widget.session.pictures.legend import key_now
from cxg_widget.session.pictures.over_picture import find_landmarks, legend_of, on_paper, scale_bar_of, shows_tissue
from cxg_widget.session.pictures.portrait import Painter, Portrait, sight_of

LEAST_PX, LARGEST_PX = 100, 50_000_000
"""Least side of a plot in CSS px, and most pixels of all plots of a page, which take about 100 bytes each meanwhile."""


@dataclass(frozen=True)
class Size:
    """Size of a page, CSS px.

    plot : room of the plots on the screen, actual or default
    width, height : of the whole page; None = that of plots of this size with their legends
    scale : px per CSS px
    """

    plot: tuple[float, float]
    width: float | None = None
    height: float | None = None
    scale: float = 1.0


class Pages:
    """Makes pages of one moment.

    settings, mask : of the widget, and its selection, bool (n_obs,)
    most : draw only this many cells per plot, as points without axes, as fast as possible; None = all cells
    """

    def __init__(
        self, loader: Loader, settings: Settings, mask: NDArray[np.bool_], paper: Paper, most: int | None = None
    ) -> None:
        self._settings, self._mask, self._paper = settings, mask, paper
        self._legend_lines: list[tuple[str, PlotLegend]] | None = None
        self._held = loader.of(settings)
        looks: tuple[Look, ...] = settings.panels or ({"id": 0},)
        are_apart = bool(settings.places)
        self._panels = [
            _Panel(loader.of(_seen_by(settings, look)), look, mask, paper, are_apart=are_apart, most=most)
            for look in looks
        ]
        self.lines: list[str] = []

    @property
    def can_be_soon(self) -> bool:
        """Whether no panel needs a library that must be imported and compiled first."""
        if not any(one.held.is_of_pixels for one in self._panels):
            return True
        from cxg_widget.draw.aggregate.by_datashader import is_at_hand  # it takes 50 ms to import

        return is_at_hand()

    def page(self, size: Size) -> Page:
        """Draw the plot, and keep its description in `lines`; see `Size`."""
        is_one, n = not self._settings.panels, len(self._panels)
        columns, rows = (1, 1) if is_one else grid_of(n, *size.plot)
        head = 0 if is_one else HEAD_PX
        room = size.plot[0] / columns, size.plot[1] / rows - head
        sides: list[float | None] = [None] * n
        if size.width is not None or size.height is not None:
            room, sides = self._fitted(size, room, columns, rows)
        pixels = room[0] * room[1] * n * size.scale**2
        if pixels > LARGEST_PX:
            raise InvalidValue(
                f"the plots would have {pixels:,.0f} pixels; at most {LARGEST_PX:,} fit: lower dpi=, width= or height=."
            )
        made = []
        for at, (panel, side) in enumerate(zip(self._panels, sides, strict=True)):
            is_keyed = self._is_keyed(at, columns)
            made.append(panel.page(room, size.scale, is_keyed=is_keyed, is_one=is_one, side=side))
        if self._settings.legend:
            self.lines = [line for one in self._panels for line in lines_of(one.key)]
        return self._alone(made[0]) if is_one else self._together(made, columns)

    def _alone(self, page: Page) -> Page:
        """Write the legend of overlays below a single plot."""
        legend, foot = self._lines(page.width)
        return replace(page, height=page.height + foot, parts=page.parts + legend.moved(0, page.height))

    def _lines(self, width: float) -> tuple[Parts, float]:
        """Return the legend of overlays below the plot or all panels, and its height."""
        if self._legend_lines is None:
            are_first = first_of_each_place([one.look for one in self._panels])
            first = [one for one, is_first in zip(self._panels, are_first, strict=True) if is_first]
            found = [(one.place_label(), legend_of(one.held)) for one in first]
            self._legend_lines = [(place, legend) for place, legend in found if legend is not None]
        return lay_out_lines(self._legend_lines, width, self._paper)

    def _is_keyed(self, at: int, columns: int) -> bool:
        """Return whether a panel has a legend; see `looks.keyed`."""
        return self._settings.legend and keyed([one.look for one in self._panels], columns)[at]

    def _fitted(
        self, size: Size, room: tuple[float, float], columns: int, rows: int
    ) -> tuple[tuple[float, float], list[float | None]]:
        """Return the size of each plot on a page of a given size, and the widths of the legends."""
        found, sides = room, list[float]()
        for _ in range(2):  # twice: a narrow plot turns a legend of two columns into one
            sides = [one.side(self._is_keyed(at, columns), found) for at, one in enumerate(self._panels)]
            found = self._room_in(size, found, sum(_widest(sides, columns)), columns, rows)
        if min(found) < LEAST_PX:
            raise InvalidValue(
                f"the page leaves each plot {max(found[0], 0):.0f} x {max(found[1], 0):.0f} CSS px, but {LEAST_PX} are "
                "needed; raise width= and height=, or leave out title and legend: legend=False."
            )
        return found, list(sides)

    def _room_in(
        self, size: Size, room: tuple[float, float], beside: float, columns: int, rows: int
    ) -> tuple[float, float]:
        """Return the size of each plot beside legends of some total width; a missing side follows from the other."""
        is_one = not self._settings.panels
        wide = columns * room[0] + beside if size.width is None else size.width
        above = (TOP if self._settings.legend else 0) + (0 if is_one else rows * TOP) + self._lines(wide)[1]
        width = None if size.width is None else (size.width - beside) / columns
        height = None if size.height is None else (size.height - above) / rows
        width = room[0] * (height or 0) / room[1] if width is None else width
        return width, room[1] * width / room[0] if height is None else height

    def _together(self, pages: list[Page], columns: int) -> Page:
        """Combine the pages of panels below a common title."""
        top = TOP if self._settings.legend else 0
        wide, high = _widest([one.width for one in pages], columns), max(one.height for one in pages)
        below = top + high * -(-len(pages) // columns)
        legend, foot = self._lines(sum(wide))
        page = Page(sum(wide), below + foot, self._paper, (), legend.moved(0, below))
        if top:
            key = key_now(self._held, self._mask, dark=self._paper.is_dark)
            self.lines = [line for line in (key.title, key.size) if line] + self.lines
            titled = lay_out(Key(key.title, key.size), page.width, 0)
            page = replace(page, parts=page.parts + titled.parts(Key(), self._paper))
        for at, one in enumerate(pages):
            there = moved(one, sum(wide[: at % columns]), top + at // columns * high)
            page = replace(page, plots=page.plots + there.plots, parts=page.parts + there.parts)
        return page


def _seen_by(settings: Settings, look: Look) -> Settings:
    return settings if len(look) == 1 else settings.of_panel(look["id"])


def _widest(widths: list[float], columns: int) -> list[float]:
    """Return the width of each column."""
    return [max(widths[column::columns]) for column in range(min(columns, len(widths)))]


class _Panel:
    """One panel: its cells and the settings it overrides.

    are_apart : whether panels have several embeddings
    most : see `Pages`
    """

    def __init__(
        self, held: Holder, look: Look, mask: NDArray[np.bool_], paper: Paper, *, are_apart: bool, most: int | None
    ) -> None:
        self.held, self.look, self._are_apart = held, look, are_apart
        self._mask, self._paper, self._most, self.key = mask, paper, most, Key()
        self._dataset, self._settings = held.dataset, held.settings

    def side(self, is_keyed: bool, room: tuple[float, float]) -> float:
        """Return the room of the legend beside a plot of about this size."""
        if not is_keyed:
            return 0.0
        room = max(room[0], LEAST_PX), max(room[1], LEAST_PX)
        described = self._painter(self._cells_in(room), 1.0).describe_before_drawing()
        return lay_out(self._key(described), *room).side

    def page(
        self, room: tuple[float, float], scale: float, *, is_keyed: bool, is_one: bool, side: float | None
    ) -> Page:
        """Draw the panel: plot, axes, and the legend beside it or the title above it."""
        cells = self._cells_in(room)
        painter = self._painter(cells, scale)
        drawn = painter.draw() if self._most is None else painter.draw_soon(self._most)
        marks = find_landmarks(self.held, painter.seen, cells, self._paper)
        image = on_paper(drawn.image, self.held, painter.seen, self._paper) if shows_tissue(self.held) else drawn.image
        image = marks.on_cells(image, self._paper, scale)
        key = self._key(drawn)
        if not is_one:
            name = title_of(self.look, key.heading, self._dataset.obs_noun.many, self.place_label())
            key = replace(key if is_keyed else Key(), title=name, size="")
        self.key = key
        top = TOP if is_keyed or not is_one else 0
        layout = lay_out(key, *room, side) if top else None
        margin = room[0] - cells[0]
        names = self._axis_names()
        axes = lay_out_axes(names, painter.seen, cells) if margin else None
        box = margin, top, room[0], top + cells[1]
        plot = Plot(box, image, painter.seen, marks.outlines, marks.names, axes)
        over = (marks.ties + scale_bar_of(self.held, painter.seen, cells, self._paper)).moved(margin, top)
        beside = Parts() if layout is None else layout.parts(key, self._paper)
        width = room[0] + (0.0 if layout is None else layout.side)
        return Page(width, room[1] + top, self._paper, (plot,), beside + over)

    def _key(self, described: Portrait) -> Key:
        return key_now(
            self.held, self._mask, dark=self._paper.is_dark, pixels=described.pixels, statistic=described.statistic,
            limits=described.limits,
        )  # fmt: skip

    def place_label(self) -> str:
        """Return the name of its embedding; "" if all panels have the same."""
        place = self._settings.embedding if self._are_apart else None
        return "" if place is None else self._dataset.describe_embedding(place)

    def _axis_names(self) -> tuple[str, ...]:
        names = self._dataset.axis_names(self._settings.embedding, self._settings.axes)
        return names or () if self._most is None else ()

    def _cells_in(self, room: tuple[float, float]) -> tuple[float, float]:
        """Return the room that the axes leave."""
        margin = margin_of(self._axis_names(), *room)
        return room[0] - margin, room[1] - margin

    def _painter(self, cells: tuple[float, float], scale: float) -> Painter:
        view = self._settings.view
        seen = None if view is None else (view[0], view[1], view[2], view[3])
        return Painter(self.held, self._mask, sight_of(self.held, seen, cells, scale), self._paper)
