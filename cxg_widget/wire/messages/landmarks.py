"""Names, contours and the density difference of two groups of cells on the plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, OfPanel


@dataclass(frozen=True)
class AskLabels(OfPanel, kind="labels"):
    """Ask where the names of the categories of a column stand. Answered by `labels`.

    column : name of an obs column; filters : as in `columns`
    """

    column: str
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskContours(OfPanel, kind="contours"):
    """Ask for the contours of the categories of a column, "" = of all cells, or of named sets. Answered by `contours`.

    filters : as in `columns`; sets : names, [] = those of the column
    """

    column: str
    filters: list[dict[str, Any]] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LabelPlaces(OfPanel, kind="labels"):
    """Where the names of categories stand: at the densest place of those of their cells that pass the filters.

    The largest category comes first. codes : indices into the categories of the column; labels : what they are called;
    counts : cells that pass; n_present : how many categories have such cells
    extent : x0, x1, y0, y1, data units, over which the codes of places go as in `points`
    """

    arrays: ClassVar[Mapping[str, Array]] = {"xy": Array(("uint16",), ("n", 2), "codes of x and y")}
    points_seq: int
    column: str
    codes: list[int]
    labels: list[str]
    counts: list[int]
    n_present: int
    extent: list[float]


@dataclass(frozen=True)
class Contours(OfPanel, kind="contours"):
    """Closed lines around the densest regions that hold given shares of the cells of categories.

    column : "" = of all cells; then there is one category, without a name, whose code is -1
    codes, labels, n_present : as in `labels`
    categories, shares, n_rings : of each contour the index into codes, the share of cells it encloses, and how many
        rings it has; extent : as in `labels`
    sets, colors : of contours of sets their names, which are the labels too, and a color for each; codes are -1
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "lengths": Array(("uint32",), ("n_rings",), "corners of each ring, the last of which leads back to the first"),
        "xy": Array(("uint16",), ("n", 2), "codes of x and y of all corners"),
    }
    points_seq: int
    column: str
    codes: list[int]
    labels: list[str]
    n_present: int
    categories: list[int]
    shares: list[float]
    n_rings: list[int]
    extent: list[float]
    sets: list[str] = field(default_factory=list)
    colors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AskDifference(OfPanel, kind="difference"):
    """Ask where one of two named sets is denser than the other. Answered by `difference`; filters : as in `columns`."""

    sets: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Difference(OfPanel, kind="difference"):
    """Where one of two sets is denser than the other: log2 of the ratio of their densities, each of its own cells.

    counts : cells of each that pass; least : cells of both that must lie near, or there is nothing to tell
    limit : the last code stands for this ratio and all higher ones, code 0 for minus this and all lower ones
    shape : lines and columns, the first at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
    """

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
