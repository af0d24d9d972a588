"""Overlays of pictures drawn in the kernel: labels, contours, difference, cells at 0; and the tissue image."""
# Changes with js/src/panels/overlays/landmarks.js: what is drawn over the points.

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.set_density import LEAST_NEAR
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.by_sets import set_colors
from cxg_widget.display.settings import CONTOUR_SHARES
from cxg_widget.display.tissue import has_section
from cxg_widget.draw.lettering import DrawnText
from cxg_widget.draw.overlays.difference import codes_of, draw_map
from cxg_widget.draw.overlays.legend_line import PlotLegend
from cxg_widget.draw.overlays.names import written
from cxg_widget.draw.overlays.outlines import Outline
from cxg_widget.draw.overlays.scale_bar import lay_out_scale_bar
from cxg_widget.draw.overlays.ties import AtZero, Line, lay_out_ties
from cxg_widget.draw.parts import Parts, over
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.streams.chunks import category_colors
from cxg_widget.session.streams.tissue import part_for
from cxg_widget.spatial.view import View

_THIN_PX, _THICK_PX = 1.0, 1.75
"""Line widths of contours, around most of a category and around its core."""


@dataclass(frozen=True)
class Landmarks:
    """Overlays of a plot, in px of the layout from the top left of the plot.

    map : codes of the difference of two sets, uint8 (lines, columns), and its left, right, bottom, top
    names : texts with a halo
    ties : for two columns as axes, the number and distribution of the cells at 0
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
    """Return the labels, contours, difference and ties for the settings.

    Nothing is read for them if the picture only has the cells of a view. What cannot be read is left out; the page
    reports it.

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
    """Return the legend of contours of sets and of a difference; None = nothing, or without a legend."""
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
            _THICK_PX if one.share == min(CONTOUR_SHARES) else _THIN_PX,
        )
        for one in found.contours
    ]


def _ties(held: Holder, seen: View, size: tuple[float, float], paper: Paper) -> Parts:
    """Return the ties of the points, all or the sample, as on the screen."""
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
    """Return px from the top left for data coordinates (n, 2)."""
    left, right, bottom, top = seen
    return np.column_stack(
        [(xy[:, 0] - left) * (size[0] / (right - left)), (top - xy[:, 1]) * (size[1] / (top - bottom))]
    )


def shows_tissue(held: Holder) -> bool:
    """Return whether a tissue image is under the cells."""
    return held.settings.tissue is not None and has_section(held.dataset, held.settings)


def on_paper(points: NDArray[np.uint8], held: Holder, seen: View, paper: Paper) -> NDArray[np.uint8]:
    """Return points, uint8 (height, width, 4), on their paper and the tissue image, if any.

    An image that cannot be read is left out; the page reports it.

    seen : x left, x right, y bottom, y top, data units
    """
    height, width = points.shape[:2]
    page = np.empty_like(points)
    page[:] = (*paper.ground, 0 if paper.is_clear else 255)
    if shows_tissue(held):
        with suppress(CxgWidgetError):
            page = over(page, _layer(held, seen, (width, height)))
    return over(page, points)


def scale_bar_of(held: Holder, seen: View, size: tuple[float, float], paper: Paper) -> Parts:
    """Return the scale bar of a plot of some px, if a tissue image is under the cells."""
    image = held.dataset.sections().images.get(str(held.settings.tissue)) if shows_tissue(held) else None
    um = None if image is None else image.um
    return Parts() if um is None else lay_out_scale_bar(um * abs(seen[1] - seen[0]) / size[0], size, paper)


def _layer(held: Holder, seen: View, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the px of the tissue image with its opacity, (height, width, 4)."""
    settings, dataset = held.settings, held.dataset
    name = str(settings.tissue)
    image = dataset.find_image(name)
    part = part_for(image, seen, size)
    pixels = dataset.section_image(name, part.lines, part.columns, part.step)
    left, right, bottom, top = seen
    ends = ((left, right, part.columns, pixels.shape[1]), (top, bottom, part.lines, pixels.shape[0]))
    found = np.zeros((size[1], size[0], 4))
    if pixels.size == 0:
        return found
    places = []
    for axis, ((first, last, (start, _), n), px) in enumerate(zip(ends, size, strict=True)):
        at = first + (np.arange(px) + 0.5) * (last - first) / px
        place = np.floor((image.px_at(at, axis) - start) / part.step).astype(np.int64)
        places.append((np.clip(place, 0, n - 1), (place >= 0) & (place < n), at))
    (columns, is_along, x), (lines, is_down, y) = places
    found[..., :3] = pixels[lines[:, None], columns[None, :]]
    is_there = is_down[:, None] & is_along[None, :]
    if image.outline:
        is_there &= image.covers(x[None, :], y[:, None])
    found[..., 3] = 255 * settings.tissue_opacity * is_there
    return found
