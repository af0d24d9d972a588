"""Counts the cells of each category per pixel by an index, with exact numbers, for `reductions.py`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.grid import PixelGrid
from cxg_widget.draw.aggregate.image_columns import CategoryColumn
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.task import Task, run
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.view import View

_NO_CODES = np.zeros(0, dtype=np.uint8)
_MOST_BYTES = 2**27
"""Each thread has planes of its own; with larger ones there is one thread."""


def count_cells(
    index: SpatialIndex, column: CategoryColumn | None, view: View, size: tuple[int, int],
    *, selected: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint32]:  # fmt: skip
    """Count the points of each category in each pixel, uint32 (h, w, k + 1), missing last.

    Row 0 has the lowest y. Without a column, k is 0.

    column : codes in the order of the index
    view : x0, x1, y0, y1, ascending, in data units, inclusive
    size : width and height, px
    selected : bits from `arrange_mask`; None = all points
    """
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.draw.aggregate import pixel_loops

    x0, x1, y0, y1 = view
    task = Task.of(index, selected, PixelGrid.of((x0, x1, y1, y0), size))
    codes = frozen(_NO_CODES if column is None else column.codes)
    n_planes = 1 + (0 if column is None else column.n_categories)

    def part(task: Task) -> Planes:
        counts = np.zeros((task.grid.n_pixels, n_planes), dtype=np.uint32)
        pixel_loops.count_each(task.points, task.grid.arguments, codes, counts)
        return Planes(counts.reshape(1, task.grid.height, task.grid.width, n_planes))

    few = 4 * task.grid.n_pixels * n_planes <= _MOST_BYTES
    counts: NDArray[np.uint32] = (run(part, task) if few else part(task)).totals[0].astype(np.uint32, copy=False)
    return counts
