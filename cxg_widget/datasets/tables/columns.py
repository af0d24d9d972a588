"""Interface between tables of any kind and a dataset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Column, Values

Rows = NDArray[np.int64] | tuple[int, int] | None
"""Rows of a column: positions in the given order, (start, stop), or None = all."""

Give = Callable[[NDArray[np.int64], Sequence[str] | None], Any]
"""Returns rows of some columns (None = all) in the type of the original object."""


class TableColumns(ABC):
    """The columns of a table.

    Attributes
    ----------
    n : number of rows
    columns : columns that can be shown, in the order of the table, without the index
    index : name of the column with the row names; None = the positions are the names
    """

    n: int
    columns: Mapping[str, Column]
    index: str | None

    @property
    @abstractmethod
    def kind(self) -> str:
        """The type of the table, for messages."""

    @property
    @abstractmethod
    def in_memory(self) -> bool:
        """Whether the columns are in memory, so that nothing has to be decoded."""

    @property
    @abstractmethod
    def index_name(self) -> str | None:
        """The name of the index; None = no name."""

    @abstractmethod
    def read(self, name: str, rows: Rows) -> Values:
        """Return a column, or some rows of it, by its name or that of the index."""

    @abstractmethod
    def codes(self, name: str) -> Codes | None:
        """Return a column of strings as codes into its sorted values; None if there are too many."""

    @abstractmethod
    def rows_of_all(self, rows: NDArray[np.int64], names: Sequence[str] | None) -> Any:
        """Return rows of all or of some columns in the type of the original object."""

    @abstractmethod
    def all_names(self) -> list[str]:
        """Return the names of all columns, including those that cannot be shown."""

    def sizes(self) -> dict[str, int]:
        """Return bytes on disk by column; by default empty."""
        return {}

    def details(self) -> dict[str, Any]:
        """Return further details for `inspect`."""
        return {"table": self.kind}

    def close(self) -> None:  # noqa: B027 - most need nothing
        """Release the table."""
