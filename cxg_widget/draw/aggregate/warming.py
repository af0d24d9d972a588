"""Compiles the loops before the first image is requested."""

from __future__ import annotations

import logging
import threading

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.image_columns import CategoryColumn, NumberColumn, SparseColumn, ViewColumn
from cxg_widget.draw.aggregate.planes import Statistic
from cxg_widget.draw.aggregate.shading import number_image, shade
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.levels import Levels

_LOG = logging.getLogger("cxg_widget")
_STATISTICS: tuple[Statistic, ...] = ("mean", "max", "both")
_ENOUGH = 32
_once = threading.Lock()
_thread: threading.Thread | None = None


def warm_up() -> threading.Thread:
    """Compile every loop on two points in a background thread, once per process, and return that thread."""
    global _thread  # noqa: PLW0603
    # One thread for all widgets of the process.
    with _once:
        if _thread is None:
            _thread = threading.Thread(target=_compile_ahead, name="cxg-widget-warm-up", daemon=True)
            _thread.start()
    return _thread


def _compile_ahead() -> None:
    """Compile; errors, such as the end of the process, are left for the next image to raise."""
    try:
        compile_loops()
    except Exception:
        _LOG.debug("the loops of images were not compiled ahead", exc_info=True)


def compile_loops() -> None:
    """Aggregate and shade two points in every possible way."""
    xy = np.array([[0, 0], [1, 1]], dtype=np.float32)
    index = SpatialIndex.build(xy)
    colors = np.zeros((1, 3), dtype=np.uint8)
    codes = np.zeros(2, dtype=np.uint16)
    even, bent = Levels(0, 1), Levels(0, 1, 0, 0.1)
    numbers = [NumberColumn(codes, one, True) for one in (even, bent)]
    sparse = [SparseColumn(np.zeros(1, np.uint32), xy[:1], codes[:1], 0, one, True) for one in (even, bent)]
    columns: list[ViewColumn | None] = [CategoryColumn(codes.astype(kind), 1, True) for kind in (np.uint8, np.uint16)]
    for column in (None, *columns):
        for spread in (1, 3):
            planes = aggregate(index, column, (0, 1, 0, 1), (2, 2), colors=colors, spread=spread)
            shade(planes, left_out=np.ones((2, 2), dtype=np.bool_))
    of_numbers: list[NumberColumn | SparseColumn] = [*numbers, *sparse]
    for one in of_numbers:
        for statistic in _STATISTICS:
            planes = aggregate(index, one, (0, 1, 0, 1), (2, 2), spread=3, statistic=statistic)
            number_image(planes, levels=one.levels, behind=2)
    # Last: the first image waits for one of these loops at most.
    _compile_blocks(np.repeat(xy, _ENOUGH, axis=0), colors, even)


def _compile_blocks(xy: NDArray[np.float32], colors: NDArray[np.uint8], levels: Levels) -> None:
    """Aggregate enough points for blocks."""
    index, codes = SpatialIndex.build(xy), np.zeros(len(xy), dtype=np.uint16)
    of_categories = [CategoryColumn(codes.astype(kind), 1, True) for kind in (np.uint8, np.uint16)]
    for column in (None, *of_categories, NumberColumn(codes, levels, True)):
        aggregate(index, column, (0, 1, 0, 1), (1, 1), colors=colors)
