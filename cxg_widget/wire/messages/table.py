"""Messages about the table of cells, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, OfPanel


@dataclass(frozen=True)
class AskTable(OfPanel, kind="table", is_of_each=False):
    """Ask for rows of the table of cells. Answered by `table`.

    table, filters : as the traits, which hosts hold back while the kernel is busy; no table = its defaults
    start, n : the first row and how many; none = the table is closed
    within : for a table of the selection: "filter" = only the cells that pass the filters
    find : row of a cell in the store, around which rows are requested instead, if it is in the table; -1 = none
    """

    table: dict[str, Any]
    start: int
    n: int
    find: int = -1
    filters: list[dict[str, Any]] = field(default_factory=list)
    within: Literal["", "filter"] = ""


@dataclass(frozen=True)
class AskCsv(OfPanel, kind="csv", is_of_each=False):
    """Ask for rows of the table as text for a file, numbers with all digits. Answered by `csv`.

    table, filters, within, start, n : as in `table`; a header precedes the first row
    separator : between two values
    """

    table: dict[str, Any]
    start: int
    n: int
    separator: Literal[",", "\t"] = ","
    filters: list[dict[str, Any]] = field(default_factory=list)
    within: Literal["", "filter"] = ""


@dataclass(frozen=True)
class Table(OfPanel, kind="table"):
    """Rows of the table of cells, from position `start` of `total`.

    rows : row of each cell in the store; names : their labels in the obs index
    columns : spec, name, detail, is_number, and error, one sentence if it cannot be read
    values : texts of each column, none if it cannot be read
    at : position of the requested cell; -1 = not in the table
    panels : one panel for each embedding other than the plot's; `elsewhere` has the coordinates in them
    error : one sentence if the cells cannot be sorted so; they are then in the order of the store
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "xy": Array(("float32",), ("n", 2), "data units; NaN = no coordinates"),
        "selected": Array(("uint8",), ("n",), "1 = the cell is selected, else 0"),
        "elsewhere": Array(("float32",), ("n_panels", "n", 2), "as xy, of each of `panels`"),
    }
    start: int
    total: int
    rows: list[int]
    names: list[str]
    columns: list[dict[str, Any]]
    values: list[list[str]]
    at: int = -1
    error: str = ""
    panels: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Csv(OfPanel, kind="csv"):
    """Rows of the table as text for a file, from position `start` to before `stop`, of `total`.

    selection_seq : the selection that they show; parts of different selections do not belong to one file
    """

    arrays: ClassVar[Mapping[str, Array]] = {"text": Array(("uint8",), ("n_bytes",), "UTF-8")}
    start: int
    stop: int
    total: int
    selection_seq: int
