"""What a store can tell of an embedding before all of it is read: its own bounds, and the rows of one view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.row_blocks import RowBlocks
from cxg_widget.datasets.base.values import Codes, Values
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

Extent = tuple[float, float, float, float]
"""x0, x1, y0, y1 with x0 <= x1 and y0 <= y1, data units."""


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


class ByView(RowBlocks):
    """The part of a `Dataset` for stores with bounds of their own; all others answer None and are read whole."""

    def _read_view(
        self,
        name: str,  # noqa: ARG002
        axes: tuple[int, int],  # noqa: ARG002
        view: Extent,  # noqa: ARG002
        limit: int | None,  # noqa: ARG002
    ) -> RowsInView | None:
        """Read the rows of a view, both ends included; None where more than `limit` rows would be decoded for it."""
        return None

    def _state_extent(self, name: str, axes: tuple[int, int]) -> Extent | None:  # noqa: ARG002
        return None

    def _state_values(self, column: str) -> Codes | tuple[float, float] | None:  # noqa: ARG002
        return None

    def _read_embedding_with(
        self,
        column: str,  # noqa: ARG002
        name: str,  # noqa: ARG002
        axes: tuple[int, int],  # noqa: ARG002
    ) -> tuple[NDArray[np.float32], Values] | None:
        return None

    def viewport(
        self,
        xlim: tuple[float, float],
        ylim: tuple[float, float],
        *,
        embedding: str | None = None,
        axes: tuple[int, int] = (0, 1),
        limit: int | None = None,
    ) -> RowsInView | None:
        """Return the rows of a view; only parts of the store are read that may hold some of them.

        Parameters
        ----------
        xlim, ylim : ends in data units, in any order, both included
        embedding, axes : as in `embedding`
        limit : how many rows may be decoded for it

        Returns
        -------
        None where the store has no bounds to go by, or where these say that more than `limit` rows would be decoded

        Raises
        ------
        InvalidValue
            If a limit is no number.
        UnknownName, InvalidStore, DamagedStore
            As `embedding`.
        """
        with self._reading():
            view = (*_ends("xlim", xlim), *_ends("ylim", ylim))
            name = self.find_embedding(embedding)
            return self._read_view(name, self.check_axes(axes, name), view, limit)

    def stated_extent(self, name: str | None = None, axes: tuple[int, int] = (0, 1)) -> Extent | None:
        """Return within which bounds the rows lie as float32, by what the store states; None where it does not."""
        with self._reading():
            found = self.find_embedding(name)
            return self._state_extent(found, self.check_axes(axes, found))

    def stated_values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return what an obs column can hold, by what the store states: no code of all categories, or least and most.

        None where the store does not state it. All finite values lie between the two, and are as far apart.
        """
        self._kind(column)
        with self._reading():
            return self._state_values(column)

    def embedding_with(
        self, column: str, name: str | None = None, axes: tuple[int, int] = (0, 1)
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Return an embedding, float32 (n_obs, 2), and a whole obs column that are read in one pass.

        None where the store gains nothing by that; errors as `embedding`. Neither is kept in the cache.
        """
        self._kind(column)
        with self._reading():
            found = self.find_embedding(name)
            return self._read_embedding_with(column, found, self.check_axes(axes, found))


def _ends(name: str, limits: Any) -> tuple[float, float]:
    try:
        low, high = sorted(float(one) for one in limits)
    except (TypeError, ValueError):
        low = high = np.nan
    if np.isnan(low) or np.isnan(high):
        raise InvalidValue(f"{name} must be two numbers; found {shown(limits)}")
    return low, high
