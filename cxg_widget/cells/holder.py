"""Base of holders of cells: points, filters, labels, contours and counts, wherever the cells are."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.contract import HeldCells
from cxg_widget.cells.landmarks import Contours, Names, find_contours, find_names
from cxg_widget.cells.sample import SAMPLE_POINTS, Sample
from cxg_widget.cells.set_density import Difference, find_difference, find_set_contours
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.tissue import sizes_of
from cxg_widget.draw.points.crowding import BASIS, Crowd
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds, quantise_positions

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.compare.compared_groups import Tell
    from cxg_widget.compare.matrix_statistics import MatrixStats
    from cxg_widget.counts.counter import Counter


_Found = TypeVar("_Found")


class Holder(HeldCells):
    """The cells of a dataset for some settings; each part is read at first use, and cached by the loader."""

    def __init__(self, loader: Loader, settings: Settings) -> None:
        self._loader = loader
        self.settings = settings
        self.dataset = loader.dataset
        self._memo = loader.memo

    # Points.

    @property
    def is_of_pixels(self) -> bool:
        """Whether the displayed numbers are of pixels, not of cells."""
        return self._loader.is_of_pixels(self.settings)

    @property
    def n_points(self) -> int:
        """Number of cells sent as points: all, or the sample."""
        n_obs = self.dataset.n_obs
        return min(n_obs, self.settings.max_points, SAMPLE_POINTS) if self.is_aggregated else n_obs

    @property
    def order(self) -> DisplayOrder:
        """The order in which the points are sent."""
        return self.sample().order if self.is_aggregated else self._loader.order()

    @property
    def point_rows(self) -> NDArray[Any]:
        """The row of each point."""
        return self.sample().rows if self.is_aggregated else self._loader.order().rows

    def sample(self) -> Sample:
        """Return the rows of the sample, for aggregated views."""
        return self._loader.sample(self.n_points)

    def point_xy(self) -> NDArray[np.float32]:
        """Return the coordinates of the points, float32 (n, 2): of all rows, or of the sample in its own order."""
        if not self.is_aggregated:
            return self.xy()
        key = (*self.settings.place_key, self.settings.max_points)
        return self._memo.keep("point_xy", key, lambda: self.coordinates(self.sample().rows))

    def sizes(self) -> NDArray[np.uint16] | None:
        """Return how wide each cell is drawn, uint16 (n_obs,), as `Points` sends it; None = all alike."""
        return self._memo.keep("sizes", self.settings.place_key, lambda: sizes_of(self.dataset, self.settings))

    def crowd(self, n_cells: int) -> Crowd:
        """Return the first points, a fair sample, as a sample of a given number of cells."""
        bounds = Bounds(self.bounds().extent, 1)
        return Crowd(quantise_positions(self.coordinates(self.point_rows[:BASIS]), bounds), n_cells)

    def point_coloring(self) -> Coloring:
        """Return the coloring of the points: all rows, or the sample in its own order."""
        coloring = self.coloring()
        return coloring.take(self.sample().rows) if self.is_aggregated and not coloring.is_sample else coloring

    def coloring_at(self, points: NDArray[np.integer[Any]]) -> Coloring:
        """Return the coloring of some of the points."""
        coloring = self.coloring()
        return coloring.take(points if coloring.is_sample else self.point_rows[points])

    def visible(self) -> NDArray[np.bool_] | None:
        """Return which cells the legend does not hide, bool (n_obs,); None, without a read, if it hides none."""
        return self.coloring().visible(self.settings.hidden) if self.settings.hidden else None

    def passing(self) -> NDArray[np.bool_] | None:
        """Return which cells pass the filters, except the legend's, bool (n_obs,); None = all."""
        if not self.settings.filters:
            return None
        return self._loader.crossfilter.passing(self._loader.filters_except_legend(self.settings))

    def filtered(self) -> NDArray[np.bool_] | None:
        """Return which cells pass all filters, bool (n_obs,); None = all."""
        return self._loader.crossfilter.passing(self.settings.filters)

    def shown(self) -> NDArray[np.bool_] | None:
        """Return which cells pass all filters and are not hidden, bool (n_obs,); None = all.

        Categories hidden in the legend of a column are a filter; hidden sets are not.
        """
        passing = self.filtered()
        if not self.settings.hidden or self._loader.legend_column(self.settings) is not None:
            return passing
        visible = self.visible()
        return visible if passing is None else passing if visible is None else passing & visible

    def names(self, column: str, check: Callable[[], object] = lambda: None) -> Names:
        """Return the positions of category labels; see `find_names`."""
        return self._landmarks("names", column, lambda: find_names(self, column, check))

    def contours(self, column: str | Literal[True], check: Callable[[], object] = lambda: None) -> Contours:
        """Return the contours of categories, or of all cells for True; see `find_contours`."""
        return self._landmarks("contours", column, lambda: find_contours(self, column, check))

    def set_contours(self, names: tuple[str, ...], check: Callable[[], object] = lambda: None) -> Contours:
        """Return the contours of sets by name; raises `UnknownName`, and as `rules.rule.mask_of`."""
        return self._of_sets("contours", names, lambda masks: find_set_contours(self, names, masks, check))

    def difference(self, names: tuple[str, str], check: Callable[[], object] = lambda: None) -> Difference:
        """Return the density difference of two sets; raises as `set_contours`."""
        return self._of_sets("difference", names, lambda masks: find_difference(self, names, masks, check))

    def _of_sets(self, slot: str, names: tuple[str, ...], find: Callable[[list[NDArray[np.bool_]]], _Found]) -> _Found:
        masks = [self._loader.crossfilter.mask(self.settings.rule_of_set(name)) for name in names]
        of = (*masks, self.filtered())  # kept alive with the result, as in `_landmarks`
        key = (self.settings.place_key, names, *map(id, of))
        return self._memo.keep(slot, key, lambda: (of, find(masks)))[1]

    def _landmarks(self, slot: str, column: str | bool, find: Callable[[], _Found]) -> _Found:
        # The inputs are kept alive with the result, so that no other object can have their ids.
        of = self.column_held(str(column)) if column is not True else None, self.filtered()
        key = (self.settings.place_key, column, *map(id, of))
        return self._memo.keep(slot, key, lambda: (of, find()))[1]

    def place(self) -> Bounds:
        """Read the coordinates of the points, and return their bounds."""
        self.point_xy()
        return self.bounds()

    def n_at_zero(self) -> list[int]:
        """Count the cells at (0, 0), at 0 of x and of y, if two columns are the axes; else nothing."""
        if not isinstance(self.settings.embedding, tuple):
            return []
        return self._memo.keep("n_at_zero", self.settings.place_key, self._count_at_zero)

    def _count_at_zero(self) -> list[int]:
        cells = self.index_if_built()
        if cells is None:
            return at_zero(self.xy())
        x0, x1, y0, y1 = self.extent()
        return [cells.count(view) for view in ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, y0, y1), (x0, x1, 0.0, 0.0))]

    @property
    def counter(self) -> Counter:
        """Counts columns by value, where their codes are."""
        return self._loader.counter

    def scale_on_show(self, key: object) -> Any:
        """Return the current scale of numbers of pixels for a key; None if there is none."""
        return self._memo.held("scale", key)

    def levels(self) -> object:
        """Return the levels of the current numbers, if known; they decide which codes are sent."""
        known, pixels = self.known_coloring(), self._memo.in_slot("scale")
        return known and known.numbers.levels, pixels and pixels.at(self.settings.color_rule).data.levels

    def matrix(self, tell: Tell, cancelled: Callable[[], bool]) -> MatrixStats:
        """Return the statistics of the matrix; `tell` and `cancelled` as in `MatrixStats`."""
        from cxg_widget.compare.matrix_statistics import MatrixStats

        return MatrixStats(self.dataset, tell, cancelled)

    def count_passing(self) -> NDArray[np.int64] | None:
        """Count the cells that pass the filters as `count_selected`; cached per coloring and filters; None = all."""
        passing, key = self.filtered(), self.settings.color_key
        if passing is None:
            return None
        # Equal filters give the same array. A weak reference, so that it is released with the filters.
        known = self._memo.held("passing counts", key)
        if known is None or known[0]() is not passing:
            known = weakref.ref(passing), self.count_selected(passing)
            self._memo.put("passing counts", key, known)
        counts: NDArray[np.int64] = known[1]
        return counts


def at_zero(xy: NDArray[np.float32]) -> list[int]:
    """Count the coordinates (n, 2) that are (0, 0), those with x = 0 and with y = 0, without NaN."""
    x, y = xy.T
    both = np.isfinite(x) & np.isfinite(y)
    return [int(np.count_nonzero(one & both)) for one in ((x == 0) & (y == 0), x == 0, y == 0)]
