"""What a store with bounds of its own tells of an embedding before all of it is read; most have none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Values
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

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


class ByView(ABC):
    """What `Dataset.by_view` holds; names and axes have been checked, and the store is held open."""

    @abstractmethod
    def rows(self, name: str, axes: tuple[int, int], view: Extent, limit: int | None) -> RowsInView | None:
        """Read the rows of a view, both ends included; None where more than `limit` rows would be decoded for it."""

    @abstractmethod
    def extent(self, name: str, axes: tuple[int, int]) -> Extent | None:
        """Return within which bounds the rows lie as float32; None where the store does not state it."""

    @abstractmethod
    def values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return no code of all categories of an obs column, or the least and most; None where they are not stated."""

    @abstractmethod
    def embedding_with(
        self, column: str, name: str, axes: tuple[int, int]
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Read an embedding and a whole obs column in one pass; None where nothing is gained by that."""


def ends_of(name: str, limits: Any) -> tuple[float, float]:
    """Return two limits in ascending order.

    Raises
    ------
    InvalidValue
        If they are not two numbers.
    """
    try:
        low, high = sorted(float(one) for one in limits)
    except (TypeError, ValueError):
        low = high = np.nan
    if np.isnan(low) or np.isnan(high):
        raise InvalidValue(f"{name} must be two numbers; found {shown(limits)}")
    return low, high
