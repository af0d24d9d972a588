"""The interface of a column that can be counted, in this process or on workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_GROUPED = 1024
"""Columns of more categories are not counted by group: nobody could tell the parts of so many bars."""


@dataclass(frozen=True)
class Countable(ABC):
    """A column of n_obs cells, each with a code below `n_codes`, the last one for cells without a value.

    Attributes
    ----------
    categories : the values of a column that has some, in their order, else None
    is_categorical, ordered : whether they are those of a categorical, and their order means something
    edges : of the bins of numbers, (k + 1,), int64 of integers, else float64; empty where there is no number. A bin
        holds its left edge and not its right one, but for the last, which holds both, as `numpy.histogram` has it.
    n_zeros : how many cells have the number 0
    """

    categories: tuple[Any, ...] | None
    is_categorical: bool
    ordered: bool
    edges: NDArray[Any]
    n_zeros: int

    @property
    def n_codes(self) -> int:
        """Number of codes, including that of missing values."""
        return (max(self.edges.size - 1, 0) if self.categories is None else len(self.categories)) + 1

    @property
    def is_grouped(self) -> bool:
        """Whether its categories are few enough to be counted by the groups of another column."""
        return self.categories is not None and len(self.categories) <= MOST_GROUPED

    is_at_hand = True
    """Whether the codes are still where they were."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Its size in this process, bytes."""

    @abstractmethod
    def tally(self, states: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
        """Count cells by code and the lowest bits of their states, (n_codes, 2 ** bits); states as `put_states`."""

    @abstractmethod
    def keys(self, states: NDArray[np.uint8], bits: int) -> Any:
        """Return the keys of all cells under a brush over this column, as `put_keys`, for `pair_counts`."""

    @abstractmethod
    def pair_counts(self, keys: Any, n_keys: int, rows: Sequence[int]) -> NDArray[np.int64]:
        """Count cells by key and code, (n_keys, n_rows).

        rows : the codes that are wanted; of numbers all are
        """

    @abstractmethod
    def at(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes of some rows, in their order."""

    @abstractmethod
    def look_up(self, table: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Look up each cell's code, (n_obs,), in a table (n_codes,)."""
