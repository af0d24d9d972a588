"""Interface between a session and its cells, in this process or on Dask workers."""

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
    """The cells of a dataset for some settings: the parts that depend on where they are held."""

    settings: Settings
    dataset: Dataset

    @property
    @abstractmethod
    def is_aggregated(self) -> bool:
        """Whether pictures are aggregated from all cells, with only a sample sent as points."""

    # Before they are read.

    @abstractmethod
    def outline(self) -> Extent | None:
        """Return the bounds of the cells, if the store states them and they were not read yet."""

    @abstractmethod
    def preview(self) -> Coloring | None:
        """Return a coloring without values, if the store states the possible values and they were not read yet."""

    @abstractmethod
    def read_view_only(self, view: View, size: tuple[int, int], coloring: Coloring) -> CellsOfView | None:
        """Return the cells of a view, read alone; None if an index of all exists or will soon."""

    # Coordinates.

    @abstractmethod
    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""

    @abstractmethod
    def bounds(self) -> Bounds:
        """Return the bounds of the cells, and the number of cells without coordinates."""

    @abstractmethod
    def extent(self) -> Extent:
        """Return the bounds of all cells; read in blocks if unknown."""

    @abstractmethod
    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""

    @abstractmethod
    def indexed(self) -> AllCells:
        """Return all cells with an index, which is built or loaded at first use."""

    @abstractmethod
    def index_if_built(self) -> AllCells | None:
        """Return all cells with an index, if it exists."""

    @abstractmethod
    def wait_for_index(self, is_stale: Callable[[], bool]) -> AllCells:
        """Return all cells once their index exists; its build continues even if nobody waits.

        Raises `Overtaken` if `is_stale()` returned True meanwhile.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Do the work that would delay the first aggregated picture."""

    @property
    @abstractmethod
    def can_hover(self) -> bool:
        """Whether hover requests are answered soon."""

    @property
    @abstractmethod
    def has_places(self) -> bool:
        """Whether the coordinates of a row are available without a read."""

    @property
    @abstractmethod
    def needs_no_reading(self) -> bool:
        """Whether a lasso can be answered without a read."""

    # Coloring and sums.

    @abstractmethod
    def coloring(self) -> Coloring:
        """Read the coloring.

        Raises `CxgWidgetError` if the name is unknown or the data cannot be read; the current coloring stays.
        """

    @abstractmethod
    def known_coloring(self) -> Coloring | None:
        """Return the coloring, if it was read."""

    @abstractmethod
    def columns(self, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name, each as a coloring."""

    @abstractmethod
    def category_mask(self, code: int) -> NDArray[np.bool_]:
        """Return the cells of a category, bool (n_obs,); code -1 = those without one."""

    @abstractmethod
    def column_held(self, column: str) -> object:
        """Return the cached obs column of categories; another column is another object."""

    @abstractmethod
    def category_counts(self, column: str, mask: NDArray[np.bool_] | None) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the categories of an obs column, and the cells of a mask, bool (n_obs,), in each, int64 (k,)."""

    @abstractmethod
    def category_planes(
        self, column: str | None, slots: NDArray[np.int32], grid: Grid, mask: NDArray[np.bool_] | None,
        check: Callable[[], object],
    ) -> NDArray[np.uint32]:  # fmt: skip
        """Count cells on a grid, as `count_on_grid`; column None = all in plane 0."""

    @abstractmethod
    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all; see `encoding.count_selected`."""

    @abstractmethod
    def sums(self, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,); data not in memory are read in blocks."""
