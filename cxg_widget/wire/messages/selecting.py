"""Messages about the selection and filters: gestures, counts of the legend, sets."""
# Changes with cxg_widget/widget/sets.py: operations on sets.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, Mode, OfPanel


@dataclass(frozen=True)
class Lasso(OfPanel, kind="lasso"):
    """Select the visible cells inside a polygon that pass the filters. Answered by `selection`.

    polygon : x, y of each corner in turn, in data units of the embedding and axes of the panel
    """

    polygon: list[float]
    mode: Mode


@dataclass(frozen=True)
class Category(OfPanel, kind="category", is_of_each=False):
    """Select all cells of a category that pass the filters, including hidden ones and those without coordinates.

    Answered by `selection`.

    color : spec of the legend it was chosen in; code : index into its categories, or into the fields of several genes,
        -1 = the cells without one
    """

    color: str
    code: int
    mode: Mode


@dataclass(frozen=True)
class Pick(OfPanel, kind="pick"):
    """Select cells by their rows, if they pass the filters. Answered by `selection`."""

    rows: list[int]
    mode: Mode


@dataclass(frozen=True)
class Count(OfPanel, kind="count", is_of_each=False):
    """Ask for the counts of the selection in the legend. Answered by `counts`."""


@dataclass(frozen=True)
class Clear(Message, kind="clear"):
    """Clear the selection. Answered by `selection`."""


@dataclass(frozen=True)
class Undo(Message, kind="undo"):
    """Undo or redo a step. Its changes are sent as any change; not answered."""

    redo: bool = False


@dataclass(frozen=True)
class Selection(Message, kind="selection"):
    """Which points are selected, in draw order: bit i & 7 of byte i >> 3 is point i. Empty if no cell is.

    n_selected : of all cells, including those that are not points
    """

    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_selected: int
    n_points: int


@dataclass(frozen=True)
class Filter(OfPanel, kind="filter"):
    """Which points pass the filters, except that of the legend; bits as in `selection`, empty if all do.

    For a panel other than the first: which points it shows, filtered or not.
    n_passing : number of all cells that pass all filters, including that of the legend
    n_shown : number of those that a legend of sets does not hide either, which is not a filter
    """

    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_passing: int
    n_shown: int
    n_points: int


@dataclass(frozen=True)
class Counts(OfPanel, kind="counts"):
    """Counts of the selected cells that pass all filters, by color; empty without a coloring.

    seq, selection_seq, filter_seq : the coloring, the selection and the filters that were counted
    n_missing : such cells without a value; n_selected : all such cells
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",),
            ("n",),
            "cells of each category, or in each bin of the histogram, then of log_histogram",
        ),
        "passing": Array(
            ("uint32",), ("k",), "cells that pass, as `counts`, then those without a value; empty without filters"
        ),
    }
    seq: int
    selection_seq: int
    n_missing: int
    n_selected: int = 0
    filter_seq: int = 0


@dataclass(frozen=True)
class AskSets(Message, kind="sets"):
    """Ask for the named sets of cells. Answered by `sets`.

    chosen : names of sets that may be combined: asks for the sizes of union, intersection and difference
    """

    chosen: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EditSet(Message, kind="set"):
    """Edit a set of cells. Answered by `sets`; other effects are sent as those of any change.

    op : "add" names the selection, as part of the set `within` unless that is ""; "put" replaces its cells by the
        selection; "select" selects its cells by a mode, "others" all other cells; "zoom" zooms to them; "rename"
        renames it to `to`; "color" sets its color to `to`; "delete" deletes it; "union", "intersection" and
        "difference" make a set of `of`
    """

    op: Literal[
        "add", "put", "select", "others", "zoom", "rename", "color", "delete", "union", "intersection", "difference"
    ]  # fmt: skip
    name: str
    to: str = ""
    within: str = ""
    mode: Mode = "replace"
    of: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Sets(Message, kind="sets"):
    """The named sets of cells: name, within = parent set ("" = none), is_rule (False = only rows), of, fault, color.

    of : key by which a filter refers to a set, in addition to its name
    fault : one sentence why its cells cannot be found, which count as none; "" if they are found
    combined : sizes of union, intersection and difference of the chosen sets; [] if none are chosen
    filter_seq, selection_seq : the filters and the selection that were counted
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",), ("n", 4), "cells of each, those that pass the filters, those selected, those of both"
        )
    }
    filter_seq: int
    selection_seq: int
    sets: list[dict[str, Any]]
    combined: list[int] = field(default_factory=list)
