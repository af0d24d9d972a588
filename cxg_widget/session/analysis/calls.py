"""Calls that gave results: comparisons, compositions and plots, with their options, as code and text write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cxg_widget.display.settings import Settings
    from cxg_widget.rules.forms import Rule

MOST_CALLS = 50
"""Most calls that a widget keeps, repeated ones included; with ten million cells, two sets take 2.5 MB each."""


@dataclass(frozen=True, eq=False)
class CallCells:
    """Cells that a call was given.

    name : in words: of a set, or "the selection", "the filtered cells"; None for unnamed cells
    rule : rule that found them; None for masks, rows and labels
    bits : their mask packed by `pack_mask`, uint8 (ceil(n_obs / 8),)
    """

    name: str | None
    rule: Rule | None
    bits: NDArray[np.uint8]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CallCells) or (self.name, self.rule) != (other.name, other.rule):
            return False
        return np.array_equal(self.bits, other.bits)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Call:
    """One call of a method of the widget, made in Python or in the page.

    method : name of the method of `CxgWidget`: "compare", "composition", "dotplot", ...; with "study." of a `Study`
    options : its arguments, except cells, and except those at their default
    cells : its arguments that name cells: "a", "b", "of", "within"; without those at their default; "selected" = the
        selection, where that is no argument
    n : numbers of cells by side ("a", "b"), or by group
    settings : of the widget at that time
    description, notes : of the result, a sentence and several; empty for plots
    """

    method: str
    options: Mapping[str, Any]
    cells: Mapping[str, CallCells]
    n: Mapping[str, int] = field(compare=False)
    settings: Settings = field(compare=False)
    description: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
