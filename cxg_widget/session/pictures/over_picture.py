"""Names, contours, the difference of two sets and cells at 0 on the pictures that the kernel draws."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.landmarks import SHARES
from cxg_widget.cells.set_density import LEAST_NEAR
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.by_sets import set_colors
from cxg_widget.draw.lettering import DrawnText
from cxg_widget.draw.overlays.difference import codes_of, draw_map
from cxg_widget.draw.overlays.legend_line import PlotLegend
from cxg_widget.draw.overlays.names import written
from cxg_widget.draw.overlays.outlines import Outline
from cxg_widget.draw.overlays.ties import AtZero, Line, lay_out_ties
from cxg_widget.draw.parts import Parts
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.streams.chunks import category_colors
from cxg_widget.spatial.view import View

_THIN_PX, _THICK_PX = 1.0, 1.75
"""Of the line around the most of a category, and around its core."""


@dataclass(frozen=True)
class Landmarks:
    """What lies over the cells of a plot; places in px of the layout, from the top left of the plot.

    Attributes
    ----------
    map : codes of the difference of two sets, uint8 (lines, columns), and where they lie: left, right, bottom, top
    names : texts with a halo
    ties : of two columns, how many cells lie at 0 and how they are spread
    """

    map: tuple[NDArray[np.uint8], tuple[float, float, float, float]] | None = None
    outlines: tuple[Outline, ...] = ()
    names: tuple[DrawnText, ...] = ()
    ties: Parts = field(default_factory=Parts)

    def on_cells(self, image: NDArray[np.uint8], paper: Paper, scale: float = 1.0) -> NDArray[np.uint8]:
        """Return the cells, uint8 (height, width, 4), with the map on them."""
        if self.map is None:
            return image
        codes, (left, right, bottom, top) = self.map
        return draw_map(image, codes, (left * scale, right * scale, bottom * scale, top * scale), paper)


def find_landmarks(held: Holder, seen: View, size: tuple[float, float], paper: Paper) -> Landmarks:
    """Return the names, contours and difference that the settings ask for, and the ties of two columns.

    Nothing is read for them where a picture is drawn of cells that have been read for it alone; what cannot be read is
    left out, as the page has said of it already.

    Parameters
    ----------
    seen : x left, x right, y bottom, y top, data units
    size : width and height of the plot, px of the layout
    """
    settings = held.settings
    labels, contours, difference = settings.labels, settings.contours, settings.difference
    if held.outline() is not None:
        return Landmarks()
    marks = Landmarks(ties=_ties(held, seen, size, paper))
    if difference is not None:
        with suppress(CxgWidgetError):
            found = held.difference((difference[0], difference[1]))
            (left, bottom), (right, top) = _on_picture(found.grid.corners, seen, size).tolist()
            marks = replace(marks, map=(codes_of(found.ratio, found.limit), (left, right, bottom, top)))
    if contours is not None:
        with suppress(CxgWidgetError):
            marks = replace(marks, outlines=tuple(_outlines(held, contours, seen, size, paper)))
    if labels is not None:
        with suppress(CxgWidgetError):
            names = held.names(labels)
            whole = round(size[0]), round(size[1])
            marks = replace(marks, names=tuple(written(names.named.labels, _on_picture(names.xy, seen, size), whole)))
    return marks


def legend_of(held: Holder) -> PlotLegend | None:
    """Return what is said of contours of sets and of a difference; None = nothing, or there is to be no legend."""
    settings = held.settings
    if not settings.legend or held.outline() is not None:
        return None
    sets = settings.contours if isinstance(settings.contours, tuple) else ()
    of_sets = set_colors(settings.sets)
    legend = PlotLegend(tuple((one, of_sets[one]) for one in sets), (), 0.0, LEAST_NEAR, held.dataset.obs_noun.many)
    if settings.difference is not None:
        with suppress(CxgWidgetError):
            found = held.difference((settings.difference[0], settings.difference[1]))
            legend = replace(legend, names=found.names, limit=found.limit)
    return legend if legend.sets or legend.names else None


def _outlines(
    held: Holder, contours: str | bool | tuple[str, ...], seen: View, size: tuple[float, float], paper: Paper
) -> list[Outline]:
    if isinstance(contours, tuple):
        of_sets = set_colors(held.settings.sets)
        found, colors = held.set_contours(contours), [of_sets[name] for name in contours]
        inks = [hex_rgb(color) for color in colors]
    else:
        found = held.contours(contours if isinstance(contours, str) else True)
        coloring = held.preview() or held.coloring()
        is_colored = coloring.target.source == "obs" and coloring.target.name == contours
        colors = category_colors(coloring, held.settings, held.dataset) if is_colored else []
        inks = [hex_rgb(colors[code]) if colors else paper.ink for code in found.named.codes]
    return [
        Outline(
            [_on_picture(ring, seen, size) for ring in one.rings],
            inks[one.which],
            _THICK_PX if one.share == min(SHARES) else _THIN_PX,
        )
        for one in found.contours
    ]


def _ties(held: Holder, seen: View, size: tuple[float, float], paper: Paper) -> Parts:
    """Return what hears of cells at 0, spread as the points are, all or the sample, as on the screen."""
    counts = held.n_at_zero()
    if not counts:
        return Parts()
    dataset, settings, xy = held.dataset, held.settings, held.point_xy()
    at_zero = AtZero(
        counts, dataset.n_obs, dataset.axis_names(settings.embedding, settings.axes) or (), dataset.obs_noun
    )
    x0, x1, y0, y1 = held.bounds().extent
    (x_zero, y_zero), low, high = _on_picture(np.array([[0.0, 0.0], [x0, y0], [x1, y1]]), seen, size).tolist()
    axes = Line(x_zero, low[0], high[0], size[0]), Line(y_zero, low[1], high[1], size[1])
    along = [np.empty(0)] * 2
    for axis in (0, 1):
        if at_zero.is_many(axis):
            there = xy[xy[:, axis] == 0].astype(np.float64)
            along[axis] = _on_picture(there[np.isfinite(there).all(axis=1)], seen, size)[:, 1 - axis]
    return lay_out_ties(at_zero, along, axes, paper)


def _on_picture(xy: NDArray[np.float64], seen: View, size: tuple[float, float]) -> NDArray[np.float64]:
    """Return places (n, 2) in px from the top left."""
    left, right, bottom, top = seen
    return np.column_stack(
        [(xy[:, 0] - left) * (size[0] / (right - left)), (top - xy[:, 1]) * (size[1] / (top - bottom))]
    )
