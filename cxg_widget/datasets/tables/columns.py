"""Interface between tables of any kind and a dataset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Column, Values

Rows = NDArray[np.int64] | tuple[int, int] | None
"""Which rows of a column: some positions in their order, those from start to stop, or None = all."""

Give = Callable[[NDArray[np.int64], Sequence[str] | None], Any]
"""Returns rows of some columns, None = all, in the type that was given."""


class TableColumns(ABC):
    """The columns of a table.

    Attributes
    ----------
    n : rows
    columns : those that can be shown, in their order, without the index
    index : the name of the column that names the rows; None = rows are named by their positions
    """

    n: int
    columns: Mapping[str, Column]
    index: str | None

    @property
    @abstractmethod
    def kind(self) -> str:
        """What a person calls the table."""

    @property
    @abstractmethod
    def in_memory(self) -> bool:
        """Whether columns lie in memory as they are."""

    @property
    @abstractmethod
    def index_name(self) -> str | None:
        """The name of the index; None = it has none."""

    @abstractmethod
    def read(self, name: str, rows: Rows) -> Values:
        """Return a column, or some rows of it, by its name or that of the index."""

    @abstractmethod
    def codes(self, name: str) -> Codes | None:
        """Return a column of strings as codes into its sorted values; None where there are too many."""

    @abstractmethod
    def rows_of_all(self, rows: NDArray[np.int64], names: Sequence[str] | None) -> Any:
        """Return rows of all columns, or of those of some names, in the type that was given."""

    @abstractmethod
    def all_names(self) -> list[str]:
        """Return the names of all columns, those that cannot be shown among them."""

    def sizes(self) -> dict[str, int]:
        """Return bytes on disk by column; by default of none."""
        return {}

    def details(self) -> dict[str, Any]:
        """Return what `inspect` says besides."""
        return {"table": self.kind}

    def close(self) -> None:  # noqa: B027 - most need nothing
        """Let go of the table."""
