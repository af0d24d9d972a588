"""Reads an embedding by view, for stores with spatial bounds of their own; most have none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Values

if TYPE_CHECKING:
    from cxg_widget.spatial.view import Extent


@dataclass(frozen=True)
class RowsInView:
    """The rows of a view.

    Attributes
    ----------
    rows : int64 (k,), ascending
    xy : float32 (k, 2)
    column : returns an obs column of these rows, which was read with them
    """

    rows: NDArray[np.int64]
    xy: NDArray[np.float32]
    column: Callable[[str], Values]


class ByView:
    """The value of `Dataset.by_view`, by default empty; names and axes are checked, and the store is held open."""

    def rows(self, name: str, axes: tuple[int, int], view: Extent, limit: int | None) -> RowsInView | None:  # noqa: ARG002
        """Read the rows of a view, ends included; None if more than `limit` rows would be decoded."""
        return None

    def extent(self, name: str, axes: tuple[int, int]) -> Extent | None:  # noqa: ARG002
        """Return the bounds of the rows as float32; None if the store does not state them."""
        return None

    def values(self, column: str) -> Codes | tuple[float, float] | None:  # noqa: ARG002
        """Return all categories of an obs column without codes, or lowest and highest; None if they are not stated."""
        return None

    def embedding_with(
        self,
        column: str,  # noqa: ARG002
        name: str,  # noqa: ARG002
        axes: tuple[int, int],  # noqa: ARG002
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Read an embedding and a whole obs column in one pass; None if that saves nothing."""
        return None
