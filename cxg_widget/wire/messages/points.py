"""Messages about positions: points, hover and search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import SPOT_PARTS, Array, Message, OfPanel


@dataclass(frozen=True)
class Hover(OfPanel, kind="hover"):
    """Ask for the visible cell nearest to a position on the screen. Answered by `cell`.

    x, y, radius_x, radius_y : data units; greatest distance along each axis
    """

    x: float
    y: float
    radius_x: float
    radius_y: float


@dataclass(frozen=True)
class Search(Message, kind="search"):
    """Search for colors. Answered by `matches`."""

    query: str
    limit: int


@dataclass(frozen=True)
class AskPlace(OfPanel, kind="place"):
    """Ask for the points in a panel's embedding, if that is not the plot's. Answered by `points`."""


@dataclass(frozen=True)
class Zoom(OfPanel, kind="zoom"):
    """Ask for the points in a view of a panel's embedding at full precision. Answered by one or more `detail`.

    view : x0, x1, y0, y1 in data units; either order
    """

    view: list[float]


@dataclass(frozen=True)
class Points(OfPanel, kind="points"):
    """Quantized coordinates of the points start..stop of n_points, in draw order.

    coordinate = lo + code / 65534 * (hi - lo) with lo, hi from extent = x0, x1, y0, y1 (data units); code 65535 in
    either axis = not drawn (NaN or infinite); n_missing counts those among all n_obs cells.
    n_points : total number of points; fewer than n_obs = a sample
    aggregated : True if a picture at rest is requested by `aggregate` instead of drawn from these points
    y_down : True if y grows downwards on the screen (tissue images)
    equal_units : True if both axes have the same scale; else each has its own
    axis_labels : labels of x and y; empty if an axis alone means nothing, as in a UMAP
    few : a view of at most so many cells counts as uncrowded
    embedding : its name; for two columns, both in words
    n_at_zero : number of all cells at (0, 0) exactly, at 0 of x and of y; empty unless two columns are axes
    spot : diameter of a spot, data units, if the store states it; else 0. If cells have their own diameters it is their
        median, and `sizes` has them
    place : the embedding as the trait has it: its name, or two columns and their layer
    panel : one of those with this embedding, if it is not the plot's
    """

    # 4 bytes a point. If a lattice of codes would be visible, the page asks for finer ones by `zoom`.
    arrays: ClassVar[Mapping[str, Array]] = {
        "xy": Array(("uint16",), ("stop-start", 2), "codes of x and y"),
        "sizes": Array(("uint16",), ("stop-start",), f"diameter, 1 = 1/{SPOT_PARTS} of `spot`", is_optional=True),
    }
    seq: int
    embedding: str
    axes: list[int]
    start: int
    stop: int
    n_points: int
    n_obs: int
    extent: list[float]
    n_missing: int
    y_down: bool
    equal_units: bool
    axis_labels: list[str]
    aggregated: bool
    few: int
    n_at_zero: list[int] = field(default_factory=list)
    spot: float = 0.0
    place: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cell(OfPanel, kind="cell"):
    """The cell under the pointer; row -1 = there is none.

    x, y : data units; name : obs index label; value : colored value as text ("" without coloring)
    fields : [column, value] pairs, both text
    passes : whether it passes the filters, including the legend's; False only if filtered-out cells are drawn
    n_beneath : number of shown cells in the circle, if they are too many to name one: name and fields then describe all
        of them, [category, share] or their numbers; else 0
    elsewhere : [panel, x, y] of the cell in each panel of another embedding with coordinates, 0 = the plot
    """

    row: int
    x: float
    y: float
    name: str
    value: str
    fields: list[list[str]]
    passes: bool = True
    n_beneath: int = 0
    elsewhere: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True)
class Matches(Message, kind="matches"):
    """Search results, best first: spec (that of the coloring), color (for the trait), label, kind, detail."""

    query: str
    matches: list[dict[str, Any]]
    n_more: int


@dataclass(frozen=True)
class Detail(Message, kind="detail"):
    """Points of a view at full precision; codes as in `points`, over `extent`; one of parts, start = first entry."""

    arrays: ClassVar[Mapping[str, Array]] = {
        "index": Array(("uint32",), ("n",), "index in draw order, ascending"),
        "xy": Array(("uint16",), ("n", 2), "codes of x and y"),
    }
    part: int
    parts: int
    extent: list[float]
