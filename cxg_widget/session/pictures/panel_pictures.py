"""Panels beside each other as one picture that the kernel draws of samples, with their names and keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.display.looks import Look, keyed, title_of, told_once
from cxg_widget.draw.overlays.legend_line import PlotLegend, lay_out_lines
from cxg_widget.draw.pages.figure import TOP, compose, lay_out
from cxg_widget.draw.pages.key import Key, lines_of
from cxg_widget.draw.pages.page import HEAD_PX, Page, Plot, draw_page, grid_of
from cxg_widget.session.pictures.pictures import Pictures
from cxg_widget.spatial.view import View


@dataclass(frozen=True)
class PanelPictures:
    """Pictures of the panels of one moment, in their order.

    Attributes
    ----------
    whole : of the plot itself
    panels : what each panel shows otherwise, and its pictures
    noun : what the observations are called, many of them
    """

    whole: Pictures
    panels: list[tuple[Look, Pictures]]
    noun: str

    @property
    def can_be_soon(self) -> bool:
        """Whether none needs a library that has yet to be imported and to compile."""
        return all(one.can_be_soon for _, one in self.panels)

    def figure(
        self, view: View | None, size: tuple[int, int], *, paper: Paper, max_points: int, legend: bool
    ) -> tuple[NDArray[np.uint8], list[str]]:
        """Draw all panels on one page, and say in lines what they mean; parameters as `Pictures.drawn`.

        legend : with the title of all, and keys
        """
        columns, rows = grid_of(len(self.panels), *size)
        cell = max(size[0] // columns, 1), max(size[1] // rows - HEAD_PX, 1)
        are_keyed = keyed([look for look, _ in self.panels], columns)
        are_told = told_once([look for look, _ in self.panels])
        are_apart = any(one.place != self.whole.place for _, one in self.panels)
        figures, described = list[NDArray[np.uint8]](), list[tuple[str, PlotLegend]]()
        of_all = self.whole.key(dark=paper.is_dark) if legend else Key()
        lines = [line for line in (of_all.title, of_all.size) if line]
        for at, (look, pictures) in enumerate(self.panels):
            seen = view if pictures.place == self.whole.place else pictures.view
            image, key = pictures.drawn(seen, cell, paper=paper, max_points=max_points)
            described += pictures.plot_legends(pictures.place_told) if are_told[at] else []
            is_keyed = legend and are_keyed[at]
            name = title_of(look, key.heading, self.noun, pictures.place_told if are_apart else "")
            named = replace(key if is_keyed else Key(), title=name, size="")
            figures.append(compose(image, named, paper))
            lines += lines_of(named) if legend else []
        return draw_page(_page(figures, columns, of_all, described, paper)), lines


def _page(
    figures: list[NDArray[np.uint8]], columns: int, of_all: Key, described: list[tuple[str, PlotLegend]], paper: Paper
) -> Page:
    """Put figures in rows below the title of all; those below each other have the same room."""
    wide = [max(one.shape[1] for one in figures[column::columns]) for column in range(min(columns, len(figures)))]
    high = max(one.shape[0] for one in figures)
    top = TOP if of_all.title or of_all.size else 0
    plots = []
    for at, figure in enumerate(figures):
        left, y = sum(wide[: at % columns]), top + at // columns * high
        solid = np.full((*figure.shape[:2], 4 - figure.shape[2]), 255, np.uint8)
        box = left, y, left + figure.shape[1], y + figure.shape[0]
        plots.append(Plot(box, np.concatenate([figure, solid], axis=2)))
    below = top + high * -(-len(figures) // columns)
    legend, foot = lay_out_lines(described, sum(wide), paper)
    page = Page(sum(wide), below + foot, paper, tuple(plots), legend.moved(0, below))
    if not top:
        return page
    title = lay_out(Key(of_all.title, of_all.size), page.width, 0)
    return replace(page, parts=page.parts + title.parts(Key(), paper))
