"""Messages about the density difference of two groups of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, OfPanel


@dataclass(frozen=True)
class AskDifference(OfPanel):
    """Ask where one of two named sets is denser than the other. Answered by `difference`; filters : as in `columns`."""

    kind: ClassVar[str] = "difference"
    sets: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Difference(OfPanel):
    """Where one of two sets is denser than the other: log2 of the ratio of their densities, each of its own cells.

    counts : cells of each that pass; least : cells of both that must lie near, or there is nothing to tell
    limit : the last code stands for this ratio and all higher ones, code 0 for minus this and all lower ones
    shape : lines and columns, the first at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
    """

    kind: ClassVar[str] = "difference"
    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8",), ("n",), "0 to 254; 255 where too few cells lie near"),
        "colors": Array(("uint8",), ("n_codes", 3), "red, green and blue of each code, on light pages"),
        "dark_colors": Array(("uint8",), ("n_codes", 3), "the same on dark pages"),
    }
    points_seq: int
    sets: list[str]
    counts: list[int]
    least: int
    limit: float
    shape: list[int]
    extent: list[float]
