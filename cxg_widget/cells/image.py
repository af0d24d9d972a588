"""Makes the image of a view: how many px a cell covers, where it is grey, and the colors of its planes."""

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
    """Return the size of a cell in px: its diameter, less where there are many."""
    return int(np.clip(round(min(diameter, crowded_size(n_inside, size))), 1, _LARGEST_SPREAD))


def left_out_of(
    cells: InView, shown: Shown, counts: NDArray[Any], view: View, size: tuple[int, int], *, spread: int
) -> NDArray[np.bool_] | None:
    """Return which pixels hold cells that the filters leave out, bool (h, w); None where those are not drawn.

    cells : all, whether they pass or not
    counts : those of each pixel that pass, (layers, h, w)
    view, size, spread : as `IndexedCells.image` takes them
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
        solid=(1.0, 1.0) if isinstance(shown.coloring, BlendColoring) else solid,  # paleness would be read as a value
        left_out=left_out,
        grey=paper.left_out,
    )


def numbers_of(
    planes: Planes, shown: Shown, left_out: NDArray[np.bool_] | None = None, *, n_inside: int, spread: int
) -> NumberImage:
    """Return the codes and opacities of planes of numbers; `left_out` as `left_out_of` returns it.

    spread : as `IndexedCells.image` took it
    """
    from cxg_widget.draw.aggregate.shading import number_image

    behind = behind_of(n_inside, few_of(shown.settings))
    levels = shown.coloring.numbers.levels
    return number_image(planes, shown.weight, left_out, levels=levels, behind=behind, spread=spread)
