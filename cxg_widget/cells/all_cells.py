"""Interfaces of indexed cells, independent of where they are, and the parameters of their methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.under_pointer import CellsUnderPointer
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import View

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.by_datashader import PixelNumbers
    from cxg_widget.draw.aggregate.canvas import Aggregator
    from cxg_widget.draw.aggregate.planes import Planes, Statistic


@dataclass(frozen=True)
class Shown:
    """Coloring and filters of indexed cells.

    colors : "#rrggbb" of each category
    mask : bool (n_obs,), the selection
    passing : bool (n_obs,), cells that pass the filters, except the legend's; None = all
    highlighted : category to draw on top, -1 = none
    weight : 0 = a pixel shows the mean of its cells, 1 = the maximum
    columns : columns that numbers of pixels are reduced from, by their names in the statistic
    sizes : diameter of each cell, uint16 (n_obs,); None = all equal
    """

    coloring: Coloring
    colors: list[str]
    settings: Settings
    mask: NDArray[np.bool_]
    passing: NDArray[np.bool_] | None = None
    highlighted: int = -1
    weight: float = 0.0
    columns: Mapping[str, Coloring] = field(default_factory=dict)
    sizes: NDArray[np.uint16] | None = None

    @property
    def visible(self) -> NDArray[np.bool_] | None:
        """Visible categories, bool (k + 1,), missing last; None = all cells."""
        return self.coloring.visible_categories(self.settings.hidden)

    @property
    def draws_all(self) -> bool:
        """Whether filtered-out cells are drawn too."""
        return self.settings.filtered == "grey"

    @property
    def uncolored(self) -> Shown:
        """All cells in one color."""
        coloring, settings = Coloring(Target("none")), replace(self.settings, hidden=())
        return replace(self, coloring=coloring, colors=[], settings=settings, passing=None, highlighted=-1)

    @property
    def statistic(self) -> Statistic:
        """Statistic of the numbers of a pixel."""
        return "mean" if self.weight <= 0 else "max" if self.weight >= 1 else "both"

    @property
    def aggregator(self) -> Aggregator:
        """Aggregator of the cells of a pixel."""
        return "datashader" if self.settings.aggregator == "datashader" else "auto"


@dataclass(frozen=True)
class SomeCells:
    """Some cells: coordinates (n, 2), coloring, selection, bool (n,).

    passing : which pass the filters, except the legend's, bool (n,); None = all
    sizes : how wide each is, uint16 (n,); None = all alike
    """

    xy: NDArray[np.float32]
    coloring: Coloring
    selected: NDArray[np.bool_]
    passing: NDArray[np.bool_] | None = None
    sizes: NDArray[np.uint16] | None = None

    @classmethod
    def of(cls, xy: NDArray[np.float32], coloring: Coloring, rows: NDArray[Any], shown: Shown) -> SomeCells:
        """Return some rows as shown."""
        passing = None if shown.passing is None else shown.passing[rows]
        return cls(xy, coloring, shown.mask[rows], passing, None if shown.sizes is None else shown.sizes[rows])


class InView(Protocol):
    """Interface of the cells in a view, for drawing a picture."""

    def only(self, mask: NDArray[np.bool_] | None) -> InView:
        """Return the cells of a mask, bool (n_obs,); None = all. Results are cached per mask object."""

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view."""

    def count(self, view: View) -> int:
        """Count the cells of a view exactly."""

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""


class Reduced(InView, Protocol):
    """Cells of a view whose numbers can also be reduced."""

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic."""


class AllCells(Reduced, Protocol):
    """All cells of an embedding, wherever they are; see `IndexedCells`."""

    def only(self, mask: NDArray[np.bool_] | None) -> Reduced:
        """Return the cells of a mask, bool (n_obs,); None = all. Results are cached per mask object."""

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells are in a polygon (k, 2), bool (n_obs,), without those that `shown` hides."""

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and position of the visible cell nearest to (x, y); see `SpatialIndex.nearest`."""

    def under_pointer(self, circle: Circle, shown: Shown) -> CellsUnderPointer:
        """Summarize the visible cells in a circle that pass the filters."""

    def close(self) -> None:
        """Release what other processes hold."""


def rgb_of(colors: list[str]) -> NDArray[np.uint8]:
    """Return "#rrggbb" as uint8 (k, 3)."""
    return np.array([hex_rgb(color) for color in colors], dtype=np.uint8).reshape(-1, 3)
