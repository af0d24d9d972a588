"""A page: plots, each with an image of its cells, lines and text, and their legends."""
# Changes with js/src/panels/linked/head.js: the grid of panels.

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.draw.lettering import DrawnText
from cxg_widget.draw.overlays.outlines import Outline, draw_outlines
from cxg_widget.draw.pages.axes import Axis, lines_of, texts_of
from cxg_widget.draw.parts import Box, Parts, draw_parts, over, within
from cxg_widget.spatial.view import View


@dataclass(frozen=True)
class Plot:
    """One plot; outlines and labels in px of the layout from its own top left.

    box : position on the page, px of the layout
    image : of its cells, uint8 (height, width, 4), straight alpha
    view : x left, x right, y bottom, y top of the image, data units; None = no axes
    """

    box: Box
    image: NDArray[np.uint8]
    view: View | None = None
    outlines: tuple[Outline, ...] = ()
    names: tuple[DrawnText, ...] = ()
    axes: tuple[Axis, Axis] | None = None


@dataclass(frozen=True)
class Page:
    """Content of a page of width x height px of the layout.

    parts : everything else on the page, drawn on top of the plots
    """

    width: float
    height: float
    paper: Paper
    plots: tuple[Plot, ...] = ()
    parts: Parts = field(default_factory=Parts)


def draw_page(page: Page, scale: float = 1.0) -> NDArray[np.uint8]:
    """Draw a page as pixels, uint8 (height, width, 4), or 3 if nothing is transparent.

    scale : px per px of the layout, as in the images of its plots
    """
    paper = page.paper
    blank = np.array((*paper.ink, 0) if paper.is_clear else (*paper.ground, 255), np.uint8)
    image = np.empty((max(1, round(page.height * scale)), max(1, round(page.width * scale)), 4), np.uint8)
    image[:] = blank
    for plot in page.plots:
        _put(image, plot, paper, scale)
    image = draw_parts(image, _axes_parts(page) + page.parts, paper, scale)
    return image if paper.is_clear else image[:, :, :3]


def _put(image: NDArray[np.uint8], plot: Plot, paper: Paper, scale: float) -> None:
    """Draw a plot on a page, clipped to it."""
    at = within(plot.box, scale)
    lines, columns = plot.image.shape[:2]
    place = slice(at[0].start, at[0].start + lines), slice(at[1].start, at[1].start + columns)
    # Rounding may make a plot a px larger than the rest of the page.
    cells = over(image[place], plot.image[: image[place].shape[0], : image[place].shape[1]])
    if plot.outlines:
        cells = draw_outlines(cells, plot.outlines, paper.ground, scale)
    image[place] = draw_parts(cells, Parts(texts=plot.names), paper, scale)


def _axes_parts(page: Page) -> Parts:
    parts, ink = Parts(), (*page.paper.faint, 255)
    for plot in page.plots:
        if plot.axes is not None:
            own = Parts(tuple((line, ink) for line in lines_of(plot.axes)), (), tuple(texts_of(plot.axes)))
            parts += own.moved(*plot.box[:2])
    return parts


def moved(page: Page, dx: float, dy: float) -> Page:
    """Return a page with everything on it shifted."""
    plots = tuple(
        replace(plot, box=(plot.box[0] + dx, plot.box[1] + dy, plot.box[2] + dx, plot.box[3] + dy))
        for plot in page.plots
    )
    return replace(page, plots=plots, parts=page.parts.moved(dx, dy))


HEAD_PX = 28
"""Height of the title line above each panel on the screen."""


def grid_of(n: int, width: float, height: float) -> tuple[int, int]:
    """Return columns and rows for n panels in some px, each as close to a square as possible."""

    def side(columns: int) -> float:
        rows = math.ceil(n / columns)
        # By the largest square that fits; of equal ones, by the fewest empty places.
        return min(width / columns, max(height / rows - HEAD_PX, 1)) - (columns * rows - n)

    columns = max(range(1, n + 1), key=side)
    return columns, math.ceil(n / columns)
