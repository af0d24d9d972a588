"""Messages about the selection and the filters: gestures, answers, counts of the legend, sets."""
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
    """Select all cells of a category on show that pass the filters, those hidden or without a place too.

    Answered by `selection`.

    color : spec of the legend it was chosen in; code : index into its categories, or into the fields of several genes,
        -1 = the cells without one
    """

    color: str
    code: int
    mode: Mode


@dataclass(frozen=True)
class Pick(OfPanel, kind="pick"):
    """Select cells by their rows, those that pass the filters. Answered by `selection`."""

    rows: list[int]
    mode: Mode


@dataclass(frozen=True)
class Count(OfPanel, kind="count", is_of_each=False):
    """Ask what the legend on show says of the selection. Answered by `counts`."""


@dataclass(frozen=True)
class Clear(Message, kind="clear"):
    """Empty the selection. Answered by `selection`."""


@dataclass(frozen=True)
class Undo(Message, kind="undo"):
    """Take the last step back, or one that was undone again. What it changes is sent as any change; not answered."""

    redo: bool = False


@dataclass(frozen=True)
class Selection(Message, kind="selection"):
    """Which points are selected, in display order: bit i & 7 of byte i >> 3 is point i. Empty when no cell is.

    n_selected : of all cells, also of those that are no points
    """

    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_selected: int
    n_points: int


@dataclass(frozen=True)
class Filter(OfPanel, kind="filter"):
    """Which points pass the filters, that of the legend left out; bits as in `selection`, empty when all do.

    Of a panel other than the first: which points are its own, be they left out by the filters or not.
    n_passing : cells that pass all filters, that of the legend too, also those that are no points
    n_shown : those of them that the legend of sets does not hide either, which is no filter
    """

    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_passing: int
    n_shown: int
    n_points: int


@dataclass(frozen=True)
class Counts(OfPanel, kind="counts"):
    """The selected cells that pass all filters, by what colors the cells; empty without a coloring.

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

    chosen : names of sets that may be combined: how many cells are in any, in all, and in the first alone is counted
    """

    chosen: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EditSet(Message, kind="set"):
    """Do something with a set of cells. Answered by `sets`; what else it changes is sent as any change is.

    op : "add" names the selection, in `within` another set where that is not ""; "put" names it anew; "select" selects
        its cells by a mode, "others" all other cells; "zoom" shows them; "rename" calls it `to`; "color" gives it the
        color `to`; "delete" forgets it; "union", "intersection" and "difference" name what these make of the sets `of`
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
    """The named sets of cells: name, within which other set ("" = none), is_rule: not mere rows, of, fault, color.

    of : key by which a filter refers to a set, in addition to its name
    fault : one sentence that says why its cells cannot be found, which are counted as none; "" where they are
    combined : cells of the union, the intersection and the difference of the chosen sets; [] where none were chosen
    filter_seq, selection_seq : of the filters and the selection that are counted
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
