"""A colouring that has been read: what the points are coloured by, and its codes or numbers, one per cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.base.values import label_of, size_of
from cxg_widget.display.target import Target
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.protocol import MISSING_LABEL


@dataclass(frozen=True)
class Coloring:
    """A colouring that has been read.

    Attributes
    ----------
    data : codes or numbers in row order
    counted : cells of each category and missing ones, where `data` cannot tell
    is_sample : no process holds all values; `data` are those of the sample that is sent, in its order
    is_sketch : nothing has been read; `data` say what values there can be and hold none
    """

    target: Target
    data: Codes | Numbers | None = None
    counted: tuple[list[int], int] | None = None
    is_sample: bool = False
    is_preview: bool = False

    def take(self, rows: NDArray[np.integer[Any]]) -> Coloring:
        """Return the colouring of some rows, in their order."""
        if isinstance(self.data, Codes):
            return replace(self, data=replace(self.data, codes=self.data.codes[rows]))
        return self if self.data is None else replace(self, data=self.data.take(rows))

    @property
    def nbytes(self) -> int:
        """Memory held."""
        if self.data is None:
            return 0
        return size_of(self.data) if isinstance(self.data, Codes) else self.data.nbytes

    @property
    def labels(self) -> list[str]:
        """The categories as text; empty unless categorical."""
        return [label_of(one) for one in self.data.categories] if isinstance(self.data, Codes) else []

    def check_hidden(self, hidden: Iterable[str]) -> None:
        """Check labels of categories to be hidden.

        Raises
        ------
        UnknownName
            If this colouring has no such category; the sentence names the nearest.
        """
        if isinstance(self.data, Codes):
            known = [*self.labels, MISSING_LABEL]
            unknown = next((label for label in hidden if label not in set(known)), None)
            if unknown is not None:
                raise UnknownName(not_found("category", unknown, known, repr(self.target.name)))
        elif any(True for _ in hidden):
            raise InvalidValue("hidden must be [] while the points are not coloured by categories")


def misfit(coloring: Coloring, palette: Any) -> str:
    """Say which colour of a palette is for a category that a colouring does not have; "" where there is none such."""
    if not isinstance(coloring.data, Codes) or not isinstance(palette, Mapping):
        return ""
    unknown = next((label for label in palette if label not in set(coloring.labels)), None)
    return "" if unknown is None else not_found("category", unknown, coloring.labels, repr(coloring.target.name))
