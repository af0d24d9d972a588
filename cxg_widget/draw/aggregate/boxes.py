"""Boxes around blocks of neighboring points, made at the first wide view and released with their index."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.task import BLOCK, Blocks, Task, over_lines
from cxg_widget.spatial import SpatialIndex

_POINTS_PER_PIXEL = 8
"""With fewer points per pixel, most boxes lie in many pixels and help little."""
_boxes: WeakKeyDictionary[SpatialIndex, NDArray[np.float32]] = WeakKeyDictionary()
_lock = Lock()


def blocks_of(index: SpatialIndex, task: Task) -> Blocks | None:
    """Return the blocks of an index for a task on its points; None if they would not help."""
    if task.bits.size or task.n_points < _POINTS_PER_PIXEL * task.grid.n_pixels:
        return None
    with _lock:
        boxes = _boxes.get(index)
        if boxes is None:
            boxes = _boxes[index] = _enclose(task.xy)
    return boxes, *task.grid.edges


def _enclose(xy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return x0, x1, y0, y1 of each block of points, float32 (ceil(n / BLOCK), 4)."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.draw.aggregate import block_loops

    boxes = np.empty((-(-len(xy) // BLOCK), 4), dtype=np.float32)
    points = frozen(xy)
    over_lines(len(boxes), lambda first, last: block_loops.enclose(first, last, points, boxes))
    return frozen(boxes)
