"""Sets of cells by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, Mode


@dataclass(frozen=True)
class AskSets(Message):
    """Ask for the named sets of cells. Answered by `sets`.

    chosen : names of sets that may be combined: how many cells are in any, in all, and in the first alone is counted
    """

    kind: ClassVar[str] = "sets"
    chosen: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EditSet(Message):
    """Do something with a set of cells. Answered by `sets`; what else it changes is sent as any change is.

    op : "add" names the selection, in `within` another set where that is not ""; "put" names it anew; "select" selects
        its cells by a mode, "others" all other cells; "zoom" shows them; "rename" calls it `to`; "color" gives it the
        colour `to`; "delete" forgets it; "union", "intersection" and "difference" name what these make of the sets `of`
    """

    kind: ClassVar[str] = "set"
    op: Literal[
        "add", "put", "select", "others", "zoom", "rename", "color", "delete", "union", "intersection", "difference"
    ]  # fmt: skip
    name: str
    to: str = ""
    within: str = ""
    mode: Mode = "replace"
    of: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Sets(Message):
    """The named sets of cells: name, within which other set ("" = none), is_rule: not mere rows, of, fault, color.

    of : key by which a filter refers to a set, in addition to its name
    fault : one sentence that says why its cells cannot be found, which are counted as none; "" where they are
    combined : cells of the union, the intersection and the difference of the chosen sets; [] where none were chosen
    filter_seq, selection_seq : of the filters and the selection that are counted
    """

    kind: ClassVar[str] = "sets"
    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",), ("n", 4), "cells of each, those that pass the filters, those selected, those of both"
        )
    }
    filter_seq: int
    selection_seq: int
    sets: list[dict[str, Any]]
    combined: list[int] = field(default_factory=list)
