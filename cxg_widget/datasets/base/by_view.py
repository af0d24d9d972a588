"""Reads an embedding by view in stores with bounds of their own; most have none."""

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
    column : returns an obs column of these rows, which were read with them
    """

    rows: NDArray[np.int64]
    xy: NDArray[np.float32]
    column: Callable[[str], Values]


class ByView:
    """The result of `Dataset.by_view`, by default nothing; names and axes were checked, and the store is held open."""

    def rows(self, name: str, axes: tuple[int, int], view: Extent, limit: int | None) -> RowsInView | None:  # noqa: ARG002
        """Read the rows of a view, both ends included; None where more than `limit` rows would be decoded for it."""
        return None

    def extent(self, name: str, axes: tuple[int, int]) -> Extent | None:  # noqa: ARG002
        """Return within which bounds the rows lie as float32; None where the store does not state it."""
        return None

    def values(self, column: str) -> Codes | tuple[float, float] | None:  # noqa: ARG002
        """Return no code of all categories of an obs column, or the least and most; None where they are not stated."""
        return None

    def embedding_with(
        self,
        column: str,  # noqa: ARG002
        name: str,  # noqa: ARG002
        axes: tuple[int, int],  # noqa: ARG002
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Read an embedding and a whole obs column in one pass; None where nothing is gained by that."""
        return None
