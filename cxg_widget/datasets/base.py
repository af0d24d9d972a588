"""The contract every store fulfils: what a dataset is, and what reading from it returns.

A store subclasses `Dataset`, fills the attributes and implements the `_read_*` methods and `close`. Names, errors,
pandas and caching are handled here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["categorical", "boolean", "int", "float", "string"]


@dataclass(frozen=True)
class Column:
    """What is known of an obs or var column before it is read."""

    name: str
    kind: Kind
    n_categories: int | None = None


@dataclass(frozen=True)
class Codes:
    """A column as codes into categories.

    Attributes
    ----------
    codes : signed int (n,); -1 = missing
    categories : the category values (str, int, float or bool), in the store's order
    ordered : True where the order of the categories means something
    """

    codes: NDArray[np.signedinteger[Any]]
    categories: tuple[Any, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Vector:
    """The values of one gene (or other feature) over all obs.

    Attributes
    ----------
    values : float32 (k,); NaN = not measured
    rows : int64 (k,), distinct, in any order; None when `values` covers all n_obs in row order
    fill : the value of every row that `rows` does not list (0, or the column shift)
    """

    values: NDArray[np.float32]
    rows: NDArray[np.int64] | None = None
    fill: float = 0.0

    def dense(self, n_obs: int) -> NDArray[np.float32]:
        """Return float32 (n_obs,), a new array."""
        if self.rows is None:
            return np.array(self.values, dtype=np.float32)
        out = np.full(n_obs, self.fill, dtype=np.float32)
        out[self.rows] = self.values
        return out
