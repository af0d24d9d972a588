"""Some of the cells under an index, told by a mask: parts that are asked for in turn need no index of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.beneath import Beneath, beneath_of
from cxg_widget.cells.indexed import IndexedCells, Shown, SomeCells, rgb_of
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import View
from cxg_widget.wire.order import scattered

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate import PixelNumbers, Planes


class PartBits:
    """Which cells a part has, in the order of an index.

    Parameters
    ----------
    mask : bool (n_obs,)
    bits : the same in the order of the index, as `arrange_mask` makes it
    """

    def __init__(self, mask: NDArray[np.bool_], bits: NDArray[np.uint8]) -> None:
        self.mask, self.bits = mask, bits
        self._counts: NDArray[np.uint32] | None = None

    @property
    def nbytes(self) -> int:
        """Memory held besides the mask, with the counts that the first question makes."""
        return 5 * self.bits.nbytes

    def at(self, places: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Say which places are of the part, bool."""
        return np.asarray(self.bits[places >> 3] >> (places & 7).astype(np.uint8) & 1, dtype=np.bool_)

    def before(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the cells of the part before each place, int64."""
        if self._counts is None:
            counts = np.zeros(self.bits.size + 1, dtype=np.uint32)
            np.cumsum(np.bitwise_count(self.bits), out=counts[1:])
            self._counts = counts
        at, below = places >> 3, (np.uint8(1) << (places & 7).astype(np.uint8)) - np.uint8(1)
        last = max(self.bits.size - 1, 0)
        rest = np.bitwise_count(self.bits[np.minimum(at, last)] & below) if self.bits.size else 0
        return np.asarray(self._counts[at].astype(np.int64) + rest * (at <= last), dtype=np.int64)


class PartOfCells:
    """The cells of a mask, counted among all in one pass: a part costs a bit a cell, and as long as all cells do.

    It answers as `IndexedCells` of these cells alone would, to the bit.

    Parameters
    ----------
    cells : all
    part : which of them
    """

    def __init__(self, cells: IndexedCells, part: PartBits) -> None:
        self._cells, self._part = cells, part

    def only(self, mask: NDArray[np.bool_] | None) -> IndexedCells | PartOfCells:
        """Return those of a mask of all cells, bool (n_obs,)."""
        return self._cells.only(mask)

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view; parameters as `IndexedCells.image`."""
        from cxg_widget.draw.aggregate import aggregate, part_of

        column = self._cells.column(shown.coloring)
        above, bits = self._cells.above(shown, column), self._part.bits
        layers = [bits] if above is None else [bits & ~above, bits & above]
        found = [
            aggregate(
                self._cells.index,
                column,
                view,
                size,
                colors=rgb_of(shown.colors),
                visible=shown.visible,
                selected=layer,
                spread=spread,
                statistic=shown.statistic,
                aggregator=shown.aggregator,
            )
            for layer in layers
        ]
        return part_of(found)

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic, under an index of their own."""
        return self._cells.kept(self._part.mask).numbers(shown, view, size, spread)

    def count(self, view: View) -> int:
        """Count the cells of a view, exactly."""
        inner, rim = self._cells.index.split(view)
        within = self._part.before(inner.stops).sum() - self._part.before(inner.starts).sum()
        return int(within + np.count_nonzero(self._part.at(rim)))

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        index = self._cells.index
        places = index.rows_in(extent)
        places = places[self._part.at(places)]
        order = scattered(index.rows[places])
        places, rows = places[order], index.rows[places[order]]
        return SomeCells.of(index.xy[places], shown.coloring.take(rows), rows, shown)

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and place of the cell nearest to (x, y), hidden ones left out; see `SpatialIndex.nearest`."""
        is_shown, at = self._cells.is_shown(shown), self._part.at
        test = at if is_shown is None else lambda places: at(places) & is_shown(places)
        return self._cells.nearest_of(x, y, radius, test, stretch)

    def beneath(self, circle: Circle, shown: Shown) -> Beneath:
        """Return what the cells in a circle are, those left out that are hidden."""
        return beneath_of(self._cells.index, circle, self._part.mask, shown.coloring, shown.settings.hidden)
