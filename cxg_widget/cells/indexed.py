"""Indexed cells in this process, and parts of them: drawing, counting, searching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import Shown, SomeCells, rgb_of
from cxg_widget.cells.part_bits import PartBits
from cxg_widget.cells.under_pointer import CellsUnderPointer, count_in_circle, count_in_mask
from cxg_widget.compute.bits import pack_mask
from cxg_widget.compute.cache import ByteCache, Memo
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.coloring import Coloring
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import View
from cxg_widget.wire.order import scattered

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.by_datashader import PixelNumbers
    from cxg_widget.draw.aggregate.image_columns import ViewColumn
    from cxg_widget.draw.aggregate.planes import Planes

RECENT_BYTES = 48 * 2**20
"""Cache of earlier colorings, for returning to them: several of 10 million cells, none of 100 million."""


class IndexedCells:
    """The cells of one embedding in this process.

    index : of the coordinates
    has_parts : returns whether panels request parts of the cells in turn
    """

    def __init__(self, index: SpatialIndex, has_parts: Callable[[], bool] = lambda: False) -> None:
        from cxg_widget.draw.aggregate.canvas import CountImages

        self.index = index
        self._has_parts = has_parts
        self._parts = ByteCache(RECENT_BYTES, lambda part: int(part.nbytes))
        self._counts = CountImages()
        self._memo = Memo()
        self._columns = ByteCache(RECENT_BYTES, lambda held: int(held[1].nbytes))

    def only(self, mask: NDArray[np.bool_] | None) -> IndexedCells | PartOfCells:
        """Return the cells of a mask, bool (n_obs,); None = all. Results are cached per mask object."""
        from cxg_widget.draw.aggregate.image_columns import arrange_mask

        if mask is None or self._has_parts():
            self._memo.drop("only")
        if mask is None:
            return self
        if not self._has_parts():
            return self.kept(mask)
        # The mask is kept alive with its bits, as in `column`.
        part: PartBits = self._parts.get_or_load(id(mask), lambda: PartBits(mask, arrange_mask(self.index, mask)))
        return PartOfCells(self, part)

    def kept(self, mask: NDArray[np.bool_]) -> IndexedCells:
        """Return the cells of a mask, bool (n_obs,), with an index of their own."""
        kept: IndexedCells
        _, kept = self._memo.keep("only", id(mask), lambda: (mask, IndexedCells(self.index.kept(mask))))
        return kept

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view.

        view : x left, x right, y bottom, y top, data units
        size : width and height, px
        spread : px that a cell covers, see `spread_of`
        """
        from cxg_widget.draw.aggregate.canvas import aggregate

        column = self.column(shown.coloring)
        return aggregate(
            self.index,
            column,
            view,
            size,
            colors=rgb_of(shown.colors),
            visible=shown.visible,
            selected=self.above(shown, column),
            spread=spread,
            statistic=shown.statistic,
            counts=self._counts,
            aggregator=shown.aggregator,
        )

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic; parameters as in `image`."""
        from cxg_widget.draw.aggregate.by_datashader import reduce_pixels

        columns = {name: self.column(coloring) for name, coloring in shown.columns.items()}
        return reduce_pixels(
            self.index,
            {name: column for name, column in columns.items() if column is not None},
            shown.settings.statistic,
            view,
            size,
            selected=self.above(shown, None),
            rows=self.index.rows,
            spread=spread,
        )

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2); NaN where they are not finite."""
        places = self.index.places[rows]
        drawn = places < self.index.n
        # `take` needs a quarter of the time of `xy[places]`: 62 ms for 4 M of 10 M cells in random order.
        xy: NDArray[np.float32]
        if drawn.all():
            xy = self.index.xy.take(places, axis=0)
            return xy
        xy = np.full((rows.size, 2), np.nan, dtype=np.float32)
        xy[drawn] = self.index.xy.take(places[drawn], axis=0)
        return xy

    def count(self, view: View) -> int:
        """Count the cells of a view exactly."""
        return self.index.count(view)

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        return self.some(extent, shown)

    def some(
        self, extent: View, shown: Shown, most: int | None = None, numbers: NDArray[np.int64] | None = None
    ) -> SomeCells:
        """Return a fair sample of the cells in x0, x1, y0, y1, up to a limit, in random order.

        numbers : sort the cells by these, int64 (n,), if they are part of others; None = by their rows
        """
        places = self.index.rows_in(extent)
        rows = self.index.rows[places]
        # Ordered by a hash of the row: a cell keeps its place in the order while the view moves, so nothing flickers.
        order = scattered(rows if numbers is None else numbers[rows])[:most]
        places, rows = places[order], rows[order]
        return SomeCells.of(self.index.xy[places], shown.coloring.take(rows), rows, shown)

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells are in a polygon (k, 2), bool (n_obs,), without those that `shown` hides."""
        mask = self.index.polygon_mask(polygon)
        visible = None if shown is None else shown.coloring.visible(shown.settings.hidden)
        if visible is not None:
            mask &= visible
        return mask

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and position of the visible cell nearest to (x, y); see `SpatialIndex.nearest`."""
        if shown.passing is not None:
            return self.only(shown.passing).nearest(x, y, radius, replace(shown, passing=None), stretch=stretch)
        return self.nearest_of(x, y, radius, self.is_shown(shown), stretch)

    def is_shown(self, shown: Shown) -> Callable[[NDArray[Any]], NDArray[np.bool_]] | None:
        """Return the mask of places that the legend does not hide; None if it hides none."""
        from cxg_widget.draw.aggregate.image_columns import shown_at

        visible = shown.visible
        return None if visible is None else shown_at(self.column(shown.coloring), visible)

    def nearest_of(
        self,
        x: float,
        y: float,
        radius: float,
        test: Callable[[NDArray[Any]], NDArray[np.bool_]] | None,
        stretch: float,
    ) -> tuple[int, float, float] | None:
        """Return row and position of the nearest cell whose place passes a test; None = all pass."""
        index = self.index
        place = index.nearest(x, y, radius, test, stretch=stretch)
        if place is None:
            return None
        at_x, at_y = index.xy[place]
        return int(index.rows[place]), float(at_x), float(at_y)

    def under_pointer(self, circle: Circle, shown: Shown) -> CellsUnderPointer:
        """Summarize the visible cells in a circle that pass the filters."""
        if shown.passing is not None:
            return self.only(shown.passing).under_pointer(circle, replace(shown, passing=None))
        column = self.column(shown.coloring)
        return count_in_circle(self.index, circle, column, shown.visible)

    def count_categories(
        self, codes: Codes | None, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None
    ) -> NDArray[np.uint32]:
        """Count the cells of each category per pixel, as `counting.count_cells`; mask bool (n_obs,), None = all."""
        from cxg_widget.draw.aggregate.counting import count_cells
        from cxg_widget.draw.aggregate.image_columns import arrange_codes, arrange_mask

        column = None
        if codes is not None:
            held = self._memo.held("column", id(codes))
            # Not cached, since it would replace the column that is drawn.
            column = arrange_codes(self.index, codes) if held is None else held[1]
        bits = None if mask is None else arrange_mask(self.index, mask)
        return count_cells(self.index, column, view, size, selected=bits)

    def close(self) -> None:
        """Do nothing: everything is in this process."""

    def column(self, coloring: Coloring) -> ViewColumn | None:
        """Return the coloring in the order of the index."""
        from cxg_widget.draw.aggregate.image_columns import arrange

        data = coloring.data
        if data is None:
            return None

        # The input is kept alive with the result, so that no other data can have its id.
        def recent() -> tuple[Any, ViewColumn | None]:
            return self._columns.get_or_load(id(data), lambda: (data, arrange(self.index, data)))

        return self._memo.keep("column", id(data), recent)[1]

    def above(self, shown: Shown, column: ViewColumn | None) -> NDArray[np.uint8] | None:
        """Return which cells to draw on top, packed bits: highlighted ones, else selected ones; None = none."""
        from cxg_widget.draw.aggregate.image_columns import CategoryColumn, arrange_mask

        if shown.highlighted >= 0 and isinstance(column, CategoryColumn):
            return pack_mask(column.codes == shown.highlighted)
        if not shown.mask.any():
            return None
        mask = shown.mask
        bits: NDArray[np.uint8]
        _, bits = self._memo.keep("bits", id(mask), lambda: (mask, arrange_mask(self.index, mask)))
        return bits


class PartOfCells:
    """The cells of a mask, counted in a pass over all: a part takes a bit per cell, and the time of all cells.

    It returns exactly what an `IndexedCells` of these cells alone returns.
    """

    def __init__(self, cells: IndexedCells, part: PartBits) -> None:
        self._cells, self._part = cells, part

    def only(self, mask: NDArray[np.bool_] | None) -> IndexedCells | PartOfCells:
        """Return the cells of a mask of all cells, bool (n_obs,)."""
        return self._cells.only(mask)

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view; parameters as in `IndexedCells.image`."""
        from cxg_widget.draw.aggregate.canvas import aggregate
        from cxg_widget.draw.aggregate.planes import part_of

        column = self._cells.column(shown.coloring)
        above, bits = self._cells.above(shown, column), self._part.bits
        # Planes have two layers, with the part in the upper one; its selected cells take a second pass (decision 53).
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
        """Reduce the cells of a view to numbers of pixels by the statistic, with an index of their own."""
        return self._cells.kept(self._part.mask).numbers(shown, view, size, spread)

    def count(self, view: View) -> int:
        """Count the cells of a view exactly."""
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
        """Return row and position of the visible cell nearest to (x, y); see `SpatialIndex.nearest`."""
        is_shown, at = self._cells.is_shown(shown), self._part.at
        test = at if is_shown is None else lambda places: at(places) & is_shown(places)
        return self._cells.nearest_of(x, y, radius, test, stretch)

    def under_pointer(self, circle: Circle, shown: Shown) -> CellsUnderPointer:
        """Summarize the visible cells in a circle."""
        return count_in_mask(self._cells.index, circle, self._part.mask, shown.coloring, shown.settings.hidden)
