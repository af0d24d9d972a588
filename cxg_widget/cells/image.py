"""Images of views: size of a cell in px, gray pixels, and colors of planes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import InView, Shown
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.draw.points.crowding import behind_of, crowded_size, few_of
from cxg_widget.spatial.view import View

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.planes import Planes
    from cxg_widget.draw.aggregate.shading import NumberImage

_LARGEST_SPREAD = 16


def spread_of(n_inside: int, size: tuple[int, int], diameter: float) -> int:
    """Return the size of a cell in px: its diameter, smaller for many cells."""
    return int(np.clip(round(min(diameter, crowded_size(n_inside, size))), 1, _LARGEST_SPREAD))


def left_out_of(
    cells: InView, shown: Shown, counts: NDArray[Any], view: View, size: tuple[int, int], *, spread: int
) -> NDArray[np.bool_] | None:
    """Return which pixels have filtered-out cells, bool (h, w); None if those are not drawn.

    cells : all, whether they pass or not
    counts : number of passing cells per pixel, (layers, h, w)
    view, size, spread : as in `IndexedCells.image`
    """
    if not shown.draws_all or (shown.passing is None and shown.visible is None):
        return None
    everything = cells.image(shown.uncolored, view, size, spread)
    return np.asarray(everything.counts.sum(axis=0) > counts.sum(axis=0))


def rgba_of(
    planes: Planes, shown: Shown, left_out: NDArray[np.bool_] | None = None, *, dark: bool, solid: tuple[float, float]
) -> NDArray[np.uint8]:
    """Color the planes of categories or counts, uint8 (h, w, 4)."""
    from cxg_widget.draw.aggregate.shading import shade

    paper = PAPERS["dark" if dark else "white"]
    return shade(
        planes,
        shown.settings.density,
        missing=paper.missing,
        plain=paper.plain,
        solid=(1.0, 1.0) if isinstance(shown.coloring, BlendColoring) else solid,  # paleness would look like a value
        left_out=left_out,
        grey=paper.left_out,
    )


def numbers_of(
    planes: Planes, shown: Shown, left_out: NDArray[np.bool_] | None = None, *, n_inside: int, spread: int
) -> NumberImage:
    """Return the codes and opacities of planes of numbers; `left_out` as from `left_out_of`.

    spread : as in `IndexedCells.image`
    """
    from cxg_widget.draw.aggregate.shading import number_image

    behind = behind_of(n_inside, few_of(shown.settings))
    levels = shown.coloring.numbers.levels
    return number_image(planes, shown.weight, left_out, levels=levels, behind=behind, spread=spread)
