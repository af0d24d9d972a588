"""`w.table`: columns, order, cells and rows of the table of cells."""
# Changes with cxg_widget/display/table_setting.py: what the table shows.

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.display.table_setting import TableSetting
from cxg_widget.errors import InvalidValue
from cxg_widget.table.csv import write_csv
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from cxg_widget.widget.widget import CxgWidget


class Table:
    """The table of the cells that pass the filters, or of the selected ones.

    Set `w.table.columns = ["cell_type", "CD3E"]`, `w.table.sort = "n_genes"`, `w.table.descending = True` and
    `w.table.of = "selection"`; the page and `w.state` follow. `w.table = {"columns": [...], "sort": ...}` sets several
    at once, `w.table = None` restores the defaults.

    Attributes
    ----------
    setting : the current setting

    Examples
    --------
    >>> w.table.columns = ["cell_type", "CD3E"]
    >>> w.table.sort, w.table.descending = "CD3E", True
    >>> w.table.frame(n=5).shape
    (5, 2)
    """

    def __init__(self, widget: CxgWidget, setting: dict[str, Any] | None) -> None:
        self._widget = widget
        self.setting = TableSetting.read(setting)

    @property
    def columns(self) -> list[str]:
        """Names of the columns after the index: obs columns, genes and gene sets.

        None sets the default: the current color, and five obs columns that are neither identifiers nor constant.

        Examples
        --------
        >>> w.table.columns = ["cell_type", "CD3E"]
        >>> w.table.columns
        ['obs:cell_type', 'var:CD3E']
        """
        columns: list[str] = self._widget._session.table.columns()
        return columns

    @columns.setter
    def columns(self, names: Any) -> None:
        self._set(columns=names)

    @property
    def sort(self) -> str | None:
        """Name of the column that the table is sorted by; "index" = the obs index, None = the order of the store.

        Cells with equal values keep the order of the store; cells without a value come last.

        Examples
        --------
        >>> w.table.columns, w.table.sort = ["n_counts"], "n_counts"
        >>> w.table.frame(n=3)["n_counts"].is_monotonic_increasing
        True
        """
        return self.setting.sort

    @sort.setter
    def sort(self, name: str | None) -> None:
        self._set(sort=name)

    @property
    def descending(self) -> bool:
        """Whether the highest values come first.

        Examples
        --------
        >>> w.table.columns, w.table.sort, w.table.descending = ["n_counts"], "n_counts", True
        >>> w.table.frame(n=3)["n_counts"].is_monotonic_decreasing
        True
        """
        return self.setting.descending

    @descending.setter
    def descending(self, value: bool) -> None:
        self._set(descending=value)

    @property
    def of(self) -> str:
        """Cells of the table: "filter" = those that pass all filters, "selection" = the selected ones.

        Examples
        --------
        >>> w.table.of = "selection"
        >>> len(w.table)
        80
        """
        return self.setting.of

    @of.setter
    def of(self, which: str) -> None:
        self._set(of=which)

    def frame(self, start: int = 0, n: int | None = 100) -> pd.DataFrame:
        """Return rows as a DataFrame indexed by the obs index, sorted as by `sort_values(kind="stable")`.

        Parameters
        ----------
        start : position of the first row, from 0
        n : number of rows, fewer at the end of the table; None = all from `start` on

        Returns
        -------
        DataFrame with obs columns as `Dataset.obs` returns them, and genes and means of gene sets as float32

        Raises
        ------
        InvalidValue
            If `start` or `n` is negative or not an integer.
        UnknownName, InvalidStore, DamagedStore
            If a column does not exist (a gene may be in one layer only) or cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.table.of = "selection"
        >>> w.table.frame(n=3).shape[0]
        3
        """
        self._widget._check_open()
        table, dataset = self._widget._session.table, self._widget.dataset
        with shortage_in_words("table.frame()", dataset.obs_noun, dataset.n_obs):
            return table.frame(_whole("start", start), table.total if n is None else _whole("n", n))

    def to_csv(self, path: str | Path) -> None:
        """Write all rows to a file, in parts, as the button of the table does.

        The file equals `frame(n=None).to_csv(path)`, with one exception: a text that starts with = + - @, a tab or a
        carriage return gets an apostrophe before it, since spreadsheets would run it as a formula. Numbers have all
        digits.

        Raises
        ------
        As `frame`; TargetNotWritten if the file cannot be written, and an existing one stays as it was.

        Examples
        --------
        >>> w.table.to_csv("cells.csv")
        """
        self._widget._check_open()
        write_csv(path, self._widget._session.table.csv())

    def __len__(self) -> int:
        """Return the number of rows."""
        total: int = self._widget._session.table.total
        return total

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return self.setting.as_json() == (other.setting.as_json() if isinstance(other, Table) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        order = "" if self.sort is None else f", sorted by {self.sort}{', descending' if self.descending else ''}"
        return f"<table of the {self.of}: {', '.join(self.columns) or 'the index alone'}{order}>"

    def _set(self, **change: Any) -> None:
        now = replace(self._widget.table.setting, **change)  # this object may be older than the last change
        self._widget.table = {name: getattr(now, name) for name in TableSetting.__dataclass_fields__}
        self.setting = self._widget.table.setting


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise InvalidValue(f"{name} must be a whole number from 0; found {shown(value)}")
    return int(value)
