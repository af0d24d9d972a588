"""Names, contours and the difference of two sets on the pictures that the kernel draws."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.landmarks import SHARES
from cxg_widget.cells.set_density import LEAST_NEAR
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.by_sets import set_colors
from cxg_widget.draw.difference import codes_of, draw_map
from cxg_widget.draw.lettering import write
from cxg_widget.draw.names import written
from cxg_widget.draw.outlines import Outline, draw_outlines
from cxg_widget.draw.plot_legend import PlotLegend, draw_plot_legend
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.streams import category_colors
from cxg_widget.spatial.view import View

_THIN_PX, _THICK_PX = 1.0, 1.75
"""Of the line around the most of a category, and around its core."""


def with_landmarks(image: NDArray[np.uint8], held: Holder, seen: View, paper: Paper) -> NDArray[np.uint8]:
    """Return a picture with the names, contours and difference that the settings ask for.

    Nothing is read for them where a picture is drawn of cells that have been read for it alone; what cannot be read is
    left out, as the page has said of it already.

    Parameters
    ----------
    image : uint8 (height, width, 4)
    seen : x left, x right, y bottom, y top, data units
    """
    settings = held.settings
    labels, contours, difference = settings.labels, settings.contours, settings.difference
    if (labels is None and contours is None and difference is None) or held.outline() is not None:
        return image
    size = image.shape[1], image.shape[0]
    found = None
    if difference is not None:
        with suppress(CxgWidgetError):
            found = held.difference((difference[0], difference[1]))
            (left, bottom), (right, top) = _on_picture(found.grid.corners, seen, size)
            codes = codes_of(found.ratio, found.limit)
            image = draw_map(image, codes, (left, right, bottom, top), paper.ground)
    if contours is not None:
        with suppress(CxgWidgetError):
            image = draw_outlines(image, _outlines(held, contours, seen, size, paper), paper.ground)
    if labels is not None:
        with suppress(CxgWidgetError):
            names = held.names(labels)
            texts = written(names.named.labels, _on_picture(names.xy, seen, size), size)
            image = write(image, texts, (paper.ink, paper.quiet), halo=paper.ground)
    if not settings.legend:
        return image
    sets = contours if isinstance(contours, tuple) else ()
    of_sets = set_colors(settings.sets)
    colors = tuple((name, of_sets[name]) for name in sets)
    names_of_two = found.names if found is not None else ()
    limit = found.limit if found is not None else 0.0
    legend = PlotLegend(colors, names_of_two, limit, LEAST_NEAR, held.dataset.obs_noun.many)
    return draw_plot_legend(image, legend, paper)


def _outlines(
    held: Holder, contours: str | bool | tuple[str, ...], seen: View, size: tuple[int, int], paper: Paper
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


def _on_picture(xy: NDArray[np.float64], seen: View, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return places (n, 2) in px from the top left."""
    left, right, bottom, top = seen
    return np.column_stack(
        [(xy[:, 0] - left) * (size[0] / (right - left)), (top - xy[:, 1]) * (size[1] / (top - bottom))]
    )
