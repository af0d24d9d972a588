"""The interface between a session and the cells it shows: what is answered in this process, or by Dask's workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import AllCells
from cxg_widget.cells.in_view import CellsOfView
from cxg_widget.counts.on_grid import Grid
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.spatial.view import Extent, View
from cxg_widget.wire.quantise import Bounds

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.draw.aggregate.by_rows import Wanted
    from cxg_widget.draw.aggregate.reductions import Sums


class HeldCells(ABC):
    """The cells of a dataset as some settings show them: what depends on where they are held."""

    settings: Settings
    dataset: Dataset

    @property
    @abstractmethod
    def is_aggregated(self) -> bool:
        """Whether pictures are aggregated from all cells, of which only a sample is sent as points."""

    # Before they have been read.

    @abstractmethod
    def outline(self) -> Extent | None:
        """Return within which bounds the cells lie, where the store states it and they are not known by reading."""

    @abstractmethod
    def preview(self) -> Coloring | None:
        """Return a coloring without values, where the store states what these can be and they have not been read."""

    @abstractmethod
    def read_view_only(self, view: View, size: tuple[int, int], coloring: Coloring) -> CellsOfView | None:
        """Return the cells of a view, read alone; None where all are under an index, or as soon will be."""

    # Where they are.

    @abstractmethod
    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""

    @abstractmethod
    def bounds(self) -> Bounds:
        """Return the bounds of the cells, and the number of cells without a place."""

    @abstractmethod
    def extent(self) -> Extent:
        """Return within which bounds all cells lie; read in blocks where they are not known."""

    @abstractmethod
    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""

    @abstractmethod
    def indexed(self) -> AllCells:
        """Return all cells under an index, which is built or loaded at first use."""

    @abstractmethod
    def index_if_built(self) -> AllCells | None:
        """Return all cells under an index, if it has been made."""

    @abstractmethod
    def wait_for_index(self, is_stale: Callable[[], bool]) -> AllCells:
        """Return all cells once their index has been made, which goes on though nobody may wait for it any more.

        Raises `Overtaken` when `is_stale()` returned True meanwhile.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Do what the first aggregated picture would wait for."""

    @property
    @abstractmethod
    def can_hover(self) -> bool:
        """Whether a question for the cell under the pointer is answered soon."""

    @property
    @abstractmethod
    def has_places(self) -> bool:
        """Whether the coordinates of a row can be had without reading."""

    @property
    @abstractmethod
    def needs_no_reading(self) -> bool:
        """Whether a lasso can be answered without reading anything first."""

    # How they are colored, and what they sum up to.

    @abstractmethod
    def coloring(self) -> Coloring:
        """Read what the cells are colored by.

        Raises `CxgWidgetError` if the name is unknown or the data cannot be read; the coloring on show stays.
        """

    @abstractmethod
    def known_coloring(self) -> Coloring | None:
        """Return the coloring of the cells, if it has been read."""

    @abstractmethod
    def columns(self, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name, each as a coloring by it would be."""

    @abstractmethod
    def category_mask(self, code: int) -> NDArray[np.bool_]:
        """Return which cells have a category of the coloring, bool (n_obs,); code -1 = those without one."""

    @abstractmethod
    def column_held(self, column: str) -> object:
        """Return the cached obs column of categories; another column is another object."""

    @abstractmethod
    def category_counts(self, column: str, mask: NDArray[np.bool_] | None) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the categories of an obs column, and how many cells of a mask, bool (n_obs,), each has, int64 (k,)."""

    @abstractmethod
    def category_planes(
        self, column: str | None, slots: NDArray[np.int32], grid: Grid, mask: NDArray[np.bool_] | None,
        check: Callable[[], object],
    ) -> NDArray[np.uint32]:  # fmt: skip
        """Count cells on a grid, as `count_on_grid`; column None = all are of plane 0."""

    @abstractmethod
    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all of them, see `encoding.count_selected`."""

    @abstractmethod
    def sums(self, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), reading in blocks what is not held."""
