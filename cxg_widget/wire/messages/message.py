"""Base of all messages, and the constants that they share."""
# Changes with cxg_widget/selection/selection.py: modes of a selection.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cxg_widget.text import names

VERSION = 2
MISSING_U16 = 65_535
"""Wire value of a missing number, a missing category (uint8: 255) and a coordinate that cannot be drawn."""
SPOT_PARTS = 1_024
"""Parts of the width of a spot that sizes of cells are sent in."""
CONTAINER = 65_536
"""Points per container of a sparse gene."""
MISSING_LABEL = names.MISSING_LABEL
"""Name of the cells without a category, in the legend and in the trait `hidden`."""
IN_NO_SET_LABEL, NOT_IN_SET_LABEL = names.IN_NO_SET_LABEL, names.NOT_IN_SET_LABEL
"""What they are called where sets color them: all of them, or one; see `names.missing_label`."""
LEFT_OUT_LABEL = "filtered out"
"""What is said of cells that are drawn though the filters, that of the legend too, leave them out."""
LEFT_OUT_ALPHA = 1
"""Opacity, of 255, by which an image of numbers says that a pixel holds none but such cells."""

Mode = Literal["replace", "add", "subtract", "intersect"]
Scale = Literal["none", "categorical", "continuous"]
Density = Literal["linear", "log", "cbrt", "eq_hist"]
"""From cells per pixel to opacity."""
Filtered = Literal["hide", "grey"]
"""What becomes of cells that the filters leave out."""
TableOf = Literal["filter", "selection"]
"""Which cells are in the table: those that pass all filters, or the selected ones."""
Work = Literal[
    "points", "color", "aggregate", "zoom", "hover", "search", "count", "columns", "table", "csv",
    "labels", "contours", "difference", "tissue", "compare", "lasso",
]  # fmt: skip
"""What can be cancelled: the effects of a setting, or requests of a kind; "lasso" = all gestures that wait."""


@dataclass(frozen=True)
class Array:
    """One buffer of a message: the dtypes it may have, its symbolic shape, what it holds, whether it may be absent."""

    dtypes: tuple[str, ...]
    shape: tuple[str | int, ...]
    doc: str
    is_optional: bool = False


@dataclass(frozen=True)
class Message:
    """Base of all messages; `kind` is the name on the wire, which each class states beside its base."""

    kind: ClassVar[str]
    arrays: ClassVar[Mapping[str, Array]] = {}

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind


@dataclass(frozen=True)
class OfPanel(Message):
    """Base of messages about one panel: a coloring over the points and the selection that all panels share.

    panel : its number; 0 is the first. A request of the same kind for the same panel replaces the one before.
    is_of_each : whether a request of the kind may be about any panel; False = about panel 0 alone
    """

    is_of_each: ClassVar[bool] = True
    panel: int = field(default=0, kw_only=True)

    def __init_subclass__(cls, kind: str = "", *, is_of_each: bool = True) -> None:
        super().__init_subclass__(kind)
        cls.is_of_each = is_of_each
