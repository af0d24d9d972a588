"""The cells of one view, read alone while there is no index of all."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import Shown, SomeCells
from cxg_widget.cells.indexed import IndexedCells
from cxg_widget.datasets.base.by_view import RowsInView
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.view import View

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.planes import Planes

_AROUND = 0.2
"""Margin on each side of a view, as a share of it: few cells are sent with some around them."""
_DISC_PX = 8
_ROOM = 0.1
"""Further margin that is read, so that a small move needs no read."""


class CellsOfView:
    """The cells in and around a view.

    It returns exactly what an `IndexedCells` of all cells returns for that view.

    extent : x0, x1, y0, y1 of what was read
    """

    def __init__(self, found: RowsInView, extent: View) -> None:
        self.found = found
        self.extent = extent
        self._indexed = IndexedCells(SpatialIndex.build(found.xy))
        self._known: tuple[Coloring, Coloring | None] | None = None

    @classmethod
    def read(
        cls, dataset: Dataset, settings: Settings, view: View, size: tuple[int, int], limit: int
    ) -> CellsOfView | None:
        """Read the cells in and around a view; None if the store would decode more than `limit` rows."""
        extent = _widened(view, _needed(size) + _ROOM)
        # A coordinate just outside may be inside after rounding to float32.
        (left, right), (bottom, top) = _outwards(extent[:2]), _outwards(extent[2:])
        found = dataset.viewport(
            (left, right), (bottom, top), embedding=settings.embedding, axes=settings.axes, limit=limit
        )
        return None if found is None else cls(found, extent)

    def holds(self, view: View, size: tuple[int, int]) -> bool:
        """Return whether these include all cells that a picture of a view needs."""
        (x0, x1, y0, y1), (left, right, bottom, top) = _widened(view, _needed(size)), self.extent
        return left <= x0 and x1 <= right and bottom <= y0 and y1 <= top

    def only(self, mask: NDArray[np.bool_] | None) -> CellsOfView:
        """Return the cells of a mask, bool (n_obs,); None = all."""
        if mask is None:
            return self
        kept = copy(self)
        kept._indexed = self._indexed.kept(mask[self.found.rows])
        return kept

    def colored(self, coloring: Coloring) -> Coloring | None:
        """Return the coloring of these cells; None if they lack the values that a preview expects."""
        if coloring.data is None:
            return coloring
        if self._known is None or self._known[0] is not coloring:
            found = self.found
            if coloring.is_preview:
                taken = coloring.filled(found.column(coloring.target.name))
            else:
                taken = coloring.take(found.rows)
            self._known = coloring, taken
        return self._known[1]

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view."""
        return self._indexed.image(self._of_these(shown), view, size, spread)

    def count(self, view: View) -> int:
        """Count the cells of a view exactly."""
        return self._indexed.count(view)

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        return self.some(extent, shown, None)

    def some(self, view: View, shown: Shown, most: int | None) -> SomeCells:
        """Return a fair sample of the cells of a view, up to a limit, in random order."""
        return self._indexed.some(view, self._of_these(shown), most, self.found.rows)

    def _of_these(self, shown: Shown) -> Shown:
        coloring = self.colored(shown.coloring)
        assert coloring is not None
        rows = self.found.rows
        passing = None if shown.passing is None else shown.passing[rows]
        sizes = None if shown.sizes is None else shown.sizes[rows]
        return replace(shown, coloring=coloring, mask=shown.mask[rows], passing=passing, sizes=sizes)


def _needed(size: tuple[int, int]) -> float:
    return 1.01 * max(_AROUND, _DISC_PX / min(size))


def _widened(view: View, share: float) -> View:
    """Return x0 <= x1, y0 <= y1 of a view widened by a share of its sides."""
    x0, x1, y0, y1 = *sorted(view[:2]), *sorted(view[2:])
    dx, dy = (x1 - x0) * share, (y1 - y0) * share
    return x0 - dx, x1 + dx, y0 - dy, y1 + dy


def _outwards(ends: tuple[float, float]) -> tuple[float, float]:
    with np.errstate(over="ignore"):
        low, high = np.array(ends).astype(np.float32)
    return float(np.nextafter(low, np.float32(-np.inf))), float(np.nextafter(high, np.float32(np.inf)))
