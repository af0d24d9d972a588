"""Messages about labels, contours and density differences on the plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, OfPanel


@dataclass(frozen=True)
class AskLabels(OfPanel, kind="labels"):
    """Ask for the positions of the labels of a column's categories. Answered by `labels`.

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
    """Positions of the labels of categories: the densest place of their cells that pass the filters.

    The largest category is first. codes : indices into the categories of the column; labels : their texts; counts :
    cells that pass; n_present : number of categories with such cells
    extent : x0, x1, y0, y1, data units, for the codes of `xy`, as in `points`
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
    """Closed lines around the densest regions that contain given shares of the cells of categories.

    column : "" = of all cells; then there is one category, without a name, with code -1
    codes, labels, n_present : as in `labels`
    categories, shares, n_rings : for each contour, the index into codes, the share of cells inside, and its number of
        rings; extent : as in `labels`
    sets, colors : for contours of sets, their names, which are also the labels, and a color for each; codes are -1
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "lengths": Array(("uint32",), ("n_rings",), "corners of each ring, which is closed"),
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
    """Ask for the density difference of two named sets. Answered by `difference`; filters : as in `columns`."""

    sets: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Difference(OfPanel, kind="difference"):
    """Density difference of two sets: log2 of the ratio of their densities, each relative to its own cells.

    counts : cells of each set that pass; least : cells of both sets that must be near a bin, or it is blank
    limit : ratio of the highest code and above; code 0 is minus this and below
    shape : lines and columns, the first line at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8",), ("n",), "0 to 254; 255 = too few cells nearby"),
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
