"""All cells of an embedding under an index: how a dataset too large to send is drawn, searched and selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.beneath import Beneath, beneath_circle
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.compute.bits import pack_mask
from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.memo import Memo
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import Target
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import View
from cxg_widget.wire.order import scattered

if TYPE_CHECKING:
    from cxg_widget.cells.part import PartOfCells
    from cxg_widget.draw.aggregate import Aggregator, PixelNumbers, Planes, Statistic, ViewColumn

RECENT_BYTES = 48 * 2**20
"""How much of earlier colourings is kept, to go back to them at once: several of 10 million cells, none of 100."""


@dataclass(frozen=True)
class Shown:
    """What colours cells under an index, and which of them count.

    Attributes
    ----------
    colors : "#rrggbb" of each category
    mask : bool (n_obs,), the selection
    passing : bool (n_obs,), which cells pass the filters, besides what the legend hides; None = all
    highlighted : category above all others, -1 = none
    weight : a pixel shows the mean of its cells' numbers by 0, the highest by 1
    columns : what numbers of pixels are reduced from, by the names that the statistic gives them
    """

    coloring: Coloring
    colors: list[str]
    settings: Settings
    mask: NDArray[np.bool_]
    passing: NDArray[np.bool_] | None = None
    highlighted: int = -1
    weight: float = 0.0
    columns: Mapping[str, Coloring] = field(default_factory=dict)

    @property
    def visible(self) -> NDArray[np.bool_] | None:
        """Which categories are shown, bool (k + 1,), the missing ones last; None = all cells."""
        return self.coloring.visible_categories(self.settings.hidden)

    @property
    def draws_all(self) -> bool:
        """Whether cells that the filters leave out are drawn too."""
        return self.settings.filtered == "grey"

    @property
    def uncolored(self) -> Shown:
        """All cells, in one colour."""
        coloring, settings = Coloring(Target("none")), replace(self.settings, hidden=())
        return replace(self, coloring=coloring, colors=[], settings=settings, passing=None, highlighted=-1)

    @property
    def statistic(self) -> Statistic:
        """What has to be known of the numbers of a pixel."""
        return "mean" if self.weight <= 0 else "max" if self.weight >= 1 else "both"

    @property
    def aggregator(self) -> Aggregator:
        """Who sums the cells of a pixel."""
        return "datashader" if self.settings.aggregator == "datashader" else "auto"


@dataclass(frozen=True)
class SomeCells:
    """Some cells: where they are (n, 2), what colours them, which are selected, bool (n,).

    Attributes
    ----------
    passing : which pass the filters besides what the legend hides, bool (n,); None = all
    """

    xy: NDArray[np.float32]
    coloring: Coloring
    selected: NDArray[np.bool_]
    passing: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, xy: NDArray[np.float32], coloring: Coloring, rows: NDArray[Any], shown: Shown) -> SomeCells:
        """Return some rows as they are shown."""
        return cls(xy, coloring, shown.mask[rows], None if shown.passing is None else shown.passing[rows])


class InView(Protocol):
    """What the picture of a view needs of the cells in it."""

    def only(self, mask: NDArray[np.bool_] | None) -> InView:
        """Return those of a mask, bool (n_obs,); None = all. The very same mask is not looked at twice."""

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view."""

    def count(self, view: View) -> int:
        """Count the cells of a view, exactly."""

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""


class Reduced(InView, Protocol):
    """Cells of a view whose numbers can be reduced too."""

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic."""


class AllCells(Reduced, Protocol):
    """All cells of an embedding, wherever they are; see `IndexedCells`."""

    def only(self, mask: NDArray[np.bool_] | None) -> Reduced:
        """Return those of a mask, bool (n_obs,); None = all. The very same mask is not looked at twice."""

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2), bool (n_obs,); those that `shown` hides are left out."""

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and place of the cell nearest to (x, y), hidden ones left out; see `SpatialIndex.nearest`."""

    def beneath(self, circle: Circle, shown: Shown) -> Beneath:
        """Return what the cells in a circle are, those left out that are hidden or do not pass the filters."""

    def close(self) -> None:
        """Let go of what other processes hold."""


class IndexedCells:
    """The cells of one embedding in this process.

    Parameters
    ----------
    index : of the coordinates on show
    has_parts : says whether parts of the cells are asked for in turn, as panels beside each other do
    """

    def __init__(self, index: SpatialIndex, has_parts: Callable[[], bool] = lambda: False) -> None:
        from cxg_widget.draw.aggregate import CountImages

        self.index = index
        self._has_parts = has_parts
        self._parts = ByteCache(RECENT_BYTES, lambda part: int(part.nbytes))
        self._counts = CountImages()
        self._memo = Memo()
        self._columns = ByteCache(RECENT_BYTES, lambda held: int(held[1].nbytes))

    def only(self, mask: NDArray[np.bool_] | None) -> IndexedCells | PartOfCells:
        """Return those of a mask, bool (n_obs,); None = all. The very same mask is not looked at twice."""
        from cxg_widget.cells.part import PartBits, PartOfCells
        from cxg_widget.draw.aggregate import arrange_mask

        if mask is None or self._has_parts():
            self._memo.drop("only")
        if mask is None:
            return self
        if not self._has_parts():
            return self.kept(mask)
        # The mask is held with its bits, as in `column`.
        part: PartBits = self._parts.get_or_load(id(mask), lambda: PartBits(mask, arrange_mask(self.index, mask)))
        return PartOfCells(self, part)

    def kept(self, mask: NDArray[np.bool_]) -> IndexedCells:
        """Return those of a mask, bool (n_obs,), under an index of their own."""
        kept: IndexedCells
        _, kept = self._memo.keep("only", id(mask), lambda: (mask, IndexedCells(self.index.kept(mask))))
        return kept

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view.

        Parameters
        ----------
        view : x left, x right, y bottom, y top, data units
        size : width and height, px
        spread : px that a cell covers, see `spread_of`
        """
        from cxg_widget.draw.aggregate import aggregate

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
        """Reduce the cells of a view to numbers of pixels by the statistic; parameters as `image`."""
        from cxg_widget.draw.aggregate import reduce_pixels

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
        drawn = places < self.index.xy.shape[0]
        xy = np.full((rows.size, 2), np.nan, dtype=np.float32)
        xy[drawn] = self.index.xy[places[drawn]]
        return xy

    def count(self, view: View) -> int:
        """Count the cells of a view, exactly."""
        return self.index.count(view)

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        return self.some(extent, shown)

    def some(
        self, extent: View, shown: Shown, most: int | None = None, numbers: NDArray[np.int64] | None = None
    ) -> SomeCells:
        """Return at most so many of the cells in x0, x1, y0, y1, a fair sample in random order.

        numbers : by which the order goes, int64 (n,), where these cells are a part of others; None = their rows
        """
        places = self.index.rows_in(extent)
        rows = self.index.rows[places]
        order = scattered(rows if numbers is None else numbers[rows])[:most]
        places, rows = places[order], rows[order]
        return SomeCells.of(self.index.xy[places], shown.coloring.take(rows), rows, shown)

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2), bool (n_obs,); those that `shown` hides are left out."""
        mask = self.index.polygon_mask(polygon)
        visible = None if shown is None else shown.coloring.visible(shown.settings.hidden)
        if visible is not None:
            mask &= visible
        return mask

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and place of the cell nearest to (x, y), hidden ones left out; see `SpatialIndex.nearest`."""
        if shown.passing is not None:
            return self.only(shown.passing).nearest(x, y, radius, replace(shown, passing=None), stretch=stretch)
        return self.nearest_of(x, y, radius, self.is_shown(shown), stretch)

    def is_shown(self, shown: Shown) -> Callable[[NDArray[Any]], NDArray[np.bool_]] | None:
        """Return what says which places the legend does not hide; None where it hides none."""
        from cxg_widget.draw.aggregate.columns import shown_at

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
        """Return row and place of the nearest cell of those whose places pass a test; None = all do."""
        index = self.index
        place = index.nearest(x, y, radius, test, stretch=stretch)
        if place is None:
            return None
        at_x, at_y = index.xy[place]
        return int(index.rows[place]), float(at_x), float(at_y)

    def beneath(self, circle: Circle, shown: Shown) -> Beneath:
        """Return what the cells in a circle are, those left out that are hidden or do not pass the filters."""
        if shown.passing is not None:
            return self.only(shown.passing).beneath(circle, replace(shown, passing=None))
        column = self.column(shown.coloring)
        return beneath_circle(self.index, circle, column, shown.visible)

    def close(self) -> None:
        """Do nothing: all is in this process."""

    def column(self, coloring: Coloring) -> ViewColumn | None:
        """Return what colours the cells, in the order of the index."""
        from cxg_widget.draw.aggregate import arrange

        data = coloring.data
        if data is None:
            return None

        # What was arranged is held with its data, so that no other data can have the same id meanwhile.
        def recent() -> tuple[Any, ViewColumn | None]:
            return self._columns.get_or_load(id(data), lambda: (data, arrange(self.index, data)))

        return self._memo.keep("column", id(data), recent)[1]

    def above(self, shown: Shown, column: ViewColumn | None) -> NDArray[np.uint8] | None:
        """Return which cells lie above the others, packed bits: those highlighted, else those selected; None = none."""
        from cxg_widget.draw.aggregate import CategoryColumn, arrange_mask

        if shown.highlighted >= 0 and isinstance(column, CategoryColumn):
            return pack_mask(column.codes == shown.highlighted)
        if not shown.mask.any():
            return None
        mask = shown.mask
        bits: NDArray[np.uint8]
        _, bits = self._memo.keep("bits", id(mask), lambda: (mask, arrange_mask(self.index, mask)))
        return bits


def rgb_of(colors: list[str]) -> NDArray[np.uint8]:
    """Return "#rrggbb" as uint8 (k, 3)."""
    return np.array([hex_rgb(color) for color in colors], dtype=np.uint8).reshape(-1, 3)
