"""Base class of all messages, and shared constants."""
# Changes with cxg_widget/selection/selection.py: modes of a selection.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cxg_widget.text import names

VERSION = 2
MISSING_U16 = 65_535
"""Code of a missing number, a missing category (uint8: 255) and a coordinate that is not drawn."""
SPOT_PARTS = 1_024
"""Sizes of cells are sent in this fraction of the diameter of a spot."""
CONTAINER = 65_536
"""Points per container of a sparse gene."""
MISSING_LABEL = names.MISSING_LABEL
"""Label of cells without a category, in the legend and in the trait `hidden`."""
IN_NO_SET_LABEL, NOT_IN_SET_LABEL = names.IN_NO_SET_LABEL, names.NOT_IN_SET_LABEL
"""Label of those cells if sets color the plot: all sets, or one; see `names.missing_label`."""
LEFT_OUT_LABEL = "filtered out"
"""Label of cells that are drawn although the filters or the legend exclude them."""
LEFT_OUT_ALPHA = 1
"""Opacity, of 255, that marks pixels of an image of numbers that have only such cells."""

Mode = Literal["replace", "add", "subtract", "intersect"]
Scale = Literal["none", "categorical", "continuous"]
Density = Literal["linear", "log", "cbrt", "eq_hist"]
"""From cells per pixel to opacity."""
Filtered = Literal["hide", "grey"]
"""Drawing of filtered-out cells."""
TableOf = Literal["filter", "selection"]
"""Cells of the table: those that pass all filters, or the selected ones."""
Work = Literal[
    "points", "color", "aggregate", "zoom", "hover", "search", "count", "columns", "table", "csv",
    "labels", "contours", "difference", "tissue", "compare", "sketch", "study", "lasso",
]  # fmt: skip
"""Work that can be cancelled: the effects of a setting, or requests of a kind; "lasso" = all waiting gestures."""


@dataclass(frozen=True)
class Array:
    """One buffer of a message: its possible dtypes, its symbolic shape, its meaning, and whether it may be absent."""

    dtypes: tuple[str, ...]
    shape: tuple[str | int, ...]
    doc: str
    is_optional: bool = False


@dataclass(frozen=True)
class Message:
    """Base class of all messages; `kind` is the name on the wire, given as a class argument."""

    kind: ClassVar[str]
    arrays: ClassVar[Mapping[str, Array]] = {}

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind


@dataclass(frozen=True)
class OfPanel(Message):
    """Base class of messages about one panel, which colors the points and the selection that all panels share.

    panel : its number; 0 is the first. A request replaces an earlier one of the same kind and panel.
    is_of_each : whether a request of the kind may be about any panel; False = only about panel 0
    """

    is_of_each: ClassVar[bool] = True
    panel: int = field(default=0, kw_only=True)

    def __init_subclass__(cls, kind: str = "", *, is_of_each: bool = True) -> None:
        super().__init_subclass__(kind)
        cls.is_of_each = is_of_each
