"""Finds positions of category labels and contours, for all cells that pass the filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.counts.on_grid import Grid, slots_of
from cxg_widget.display.settings import CONTOUR_SHARES
from cxg_widget.draw.overlays.density import densest, level_around, rings, smooth
from cxg_widget.spatial.view import Extent
from cxg_widget.text.names import label_of, shortened

if TYPE_CHECKING:
    from cxg_widget.cells.holder import Holder

# 1,000 labels take 50 KB, and 3 ms a frame to place (decision 37).
MOST_NAMES = 1_000
MOST_CONTOURED = 30
"""Most categories with labels and contours, the largest ones."""


@dataclass(frozen=True)
class Named:
    """Categories of a column with passing cells, largest first.

    codes : of each in the column, int64 (k,)
    labels : shortened
    counts : passing cells, int64 (k,)
    n_present : number of categories with passing cells
    slots : plane of each code of the column, as `slots_of` returns them
    """

    codes: NDArray[np.int64]
    labels: list[str]
    counts: NDArray[np.int64]
    n_present: int
    slots: NDArray[np.int32]

    def only(self, kept: NDArray[np.bool_]) -> Named:
        """Return some of them, bool (k,)."""
        labels = [label for label, is_kept in zip(self.labels, kept, strict=True) if is_kept]
        return replace(self, codes=self.codes[kept], labels=labels, counts=self.counts[kept])


_EVERYTHING = Named(np.array([-1]), [""], np.zeros(1, np.int64), 1, np.zeros(1, np.int32))


@dataclass(frozen=True)
class Names:
    """Positions of category labels: their densest places, float64 (k, 2) within an extent, data units."""

    named: Named
    xy: NDArray[np.float64]
    extent: Extent


@dataclass(frozen=True)
class Contour:
    """Closed lines, float64 (n, 2) data units, around the densest region with a share of a category's cells.

    which : index into the categories
    """

    which: int
    share: float
    rings: list[NDArray[np.float64]]


@dataclass(frozen=True)
class Contours:
    """Contours of categories within an extent, or of all cells: then of one category without a name, with code -1."""

    named: Named
    contours: list[Contour]
    extent: Extent


def find_names(held: Holder, column: str, check: Callable[[], object]) -> Names:
    """Find the densest place of each category of an obs column; `check` is called repeatedly, and may raise."""
    named = _largest(held, column, MOST_NAMES)
    grid, planes = _planes(held, column, named, check)
    places = np.empty((len(planes), 2), dtype=np.int64)
    for at, counts in enumerate(planes):
        check()
        places[at] = densest(smooth(counts))
    has_place: NDArray[np.bool_] = np.asarray(planes.any(axis=(1, 2)))
    return Names(named.only(has_place), grid.places(places[has_place]), grid.extent)


def find_contours(held: Holder, column: str | Literal[True], check: Callable[[], object]) -> Contours:
    """Find the contours of each category of an obs column, or of all cells; see `find_names`."""
    named = _EVERYTHING if column is True else _largest(held, column, MOST_CONTOURED)
    grid, planes = _planes(held, None if column is True else column, named, check)
    return contours_of(named, grid, planes, check)


def contours_of(named: Named, grid: Grid, planes: NDArray[np.uint32], check: Callable[[], object]) -> Contours:
    """Return the contours of counts on a grid, uint32 (k, lines, columns)."""
    found = []
    for which, counts in enumerate(planes):
        check()
        if counts.any():
            density = smooth(counts)
            for share in CONTOUR_SHARES:
                lines = rings(density, level_around(density, counts, share))
                found.append(Contour(which, share, [grid.places(ring) for ring in lines]))
    return Contours(named, found, grid.extent)


def _largest(held: Holder, column: str, most: int) -> Named:
    categories, counts = held.category_counts(column, held.filtered())
    order = np.argsort(-counts, kind="stable")[:most]
    order = order[counts[order] > 0]
    labels = [shortened(label_of(categories[code])) for code in order]
    return Named(order, labels, counts[order], int((counts > 0).sum()), slots_of(order, len(categories)))


def grid_for(held: Holder, n: int) -> Grid:
    """Return the grid over the cells for counting n planes."""
    equal_units = held.dataset.axis_labels(held.settings.embedding, held.settings.axes) is None
    return Grid.for_planes(n, held.bounds().extent, equal_units=equal_units)


def _planes(
    held: Holder, column: str | None, named: Named, check: Callable[[], object]
) -> tuple[Grid, NDArray[np.uint32]]:
    n = len(named.labels)
    grid = grid_for(held, n)
    if n == 0:
        return grid, np.empty((0, *grid.shape), dtype=np.uint32)
    return grid, held.category_planes(column, named.slots, grid, held.filtered(), check)
