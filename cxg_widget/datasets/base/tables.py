"""Obs and var as DataFrames; an unreadable column is left out unless requested by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cxg_widget.compute.parallel import read_ahead
from cxg_widget.datasets.base.column_values import as_scalar, as_strings
from cxg_widget.datasets.base.contract import Contract, Table
from cxg_widget.datasets.base.obs_columns import ObsColumns
from cxg_widget.datasets.base.values import Codes, Values, as_plain, as_rows, to_pandas
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore
from cxg_widget.text.names import shown
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    import pandas as pd

_LEFT_OUT, _UNNAMED = "is left out", "cannot be read, so its rows are named by their positions"


class Tables:
    """The tables obs and var of a store, as DataFrames or by rows."""

    def __init__(self, store: Contract, columns: ObsColumns) -> None:
        self._store, self._columns = store, columns

    def obs(
        self, columns: str | Sequence[str] | None = None, rows: ArrayLike | None = None, *, index: bool = True
    ) -> pd.DataFrame:
        """Return obs columns as a DataFrame indexed by the obs index, or by positions if that cannot be read.

        Parameters
        ----------
        columns : names, which may include the index column; None = all columns, without unreadable ones, with a warning
        rows : integer positions (k,) or bool mask (n_obs,); None = all
        index : False = do not read the obs index; rows are then indexed by position

        Returns
        -------
        DataFrame with k rows in the order of `rows`; categoricals with the store's order of categories, missing = NaN

        Raises
        ------
        UnknownName
            If there is no such column.
        SelectionError
            If `rows` is neither a mask nor positions in range.
        InvalidStore, DamagedStore
            If a column requested by name cannot be read.

        Examples
        --------
        >>> dataset.obs(["cell_type", "n_counts"], rows=[0, 5]).shape
        (2, 2)
        """
        store = self._store
        with store._reading():
            picked = as_rows(rows, store.n_obs)
            names = self._checked(columns)
            wanted = list(store.obs_columns) if names is None else names
            label = store.obs_index if index else None
            read = self._reader([*wanted, *([label] if label else [])], rows=picked)
            positions = range(store.n_obs) if picked is None else picked
            return self._frame("obs", read, wanted, label, positions, by_name=names is not None)

    def var(self) -> pd.DataFrame:
        """Return all var columns as a DataFrame indexed by the var index; unreadable ones are left out.

        Examples
        --------
        >>> len(dataset.var()) == dataset.n_var
        True
        """
        store = self._store
        with store._reading():
            return self._frame("var", store._read_var, store.var_columns, store.var_index, range(store.n_var))

    def obs_names(self, rows: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the obs index as objects of str, in the order of `rows`; positions if the store has no index.

        Examples
        --------
        >>> len(dataset.obs_names([0, 5]))
        2
        """
        with self._store._reading():
            picked, index = as_rows(rows, self._store.n_obs), self._store.obs_index
            if index is not None:
                names = as_plain(self._columns.values(index, picked))
                return names if names.dtype == object else as_strings(names)
            return as_strings(range(self._store.n_obs) if picked is None else picked.tolist())

    def obs_record(self, row: int, columns: Sequence[str] | None = None) -> dict[str, Any]:
        """Return some columns of one row (None = all) as Python scalars, None if missing; reads only this row.

        Examples
        --------
        >>> sorted(dataset.obs_record(0, ["cell_type", "donor"]))
        ['cell_type', 'donor']
        """
        with self._store._reading():
            rows = as_rows([row], self._store.n_obs)
            wanted = self._checked(columns) or list(self._store.obs_columns)
            read = self._reader(wanted, rows=rows, alone=True)
            return {name: as_scalar(as_plain(read(name))[0]) for name in wanted}

    def _reader(self, names: Sequence[str], **which: Any) -> Callable[[str], Values]:
        read = partial(self._columns.values, **which)
        # From remote storage, all columns in parallel take about as long as one.
        return read_ahead(read, names) if self._store.is_remote else read

    def _checked(self, columns: str | Sequence[str] | None) -> list[str] | None:
        if columns is None:
            return None
        names = as_names(columns)
        for name in names:
            self._columns.kind(name)
        return names

    def _frame(
        self,
        table: Table,
        read: Callable[[str], Values],
        names: Iterable[str],
        index: str | None,
        positions: range | NDArray[np.int64],
        *,
        by_name: bool = False,
    ) -> pd.DataFrame:
        """Return columns as a DataFrame; by_name: an unreadable column raises instead of being left out."""
        import pandas as pd

        found: dict[str, Any] = {}
        for name in names:
            try:
                found[name] = to_pandas(read(name))
            except (InvalidStore, DamagedStore) as error:
                if by_name:
                    raise
                self._tell(f"{table} column {name!r}", error, _LEFT_OUT)
        labels: Any = positions
        if index is not None:
            try:
                values = read(index)
                plain = as_plain(values) if isinstance(values, Codes) else values
                labels = pd.Index(to_pandas(plain), name=self._store.index_name(table))
            except (InvalidStore, DamagedStore) as error:
                self._tell(f"{table} index {index!r}", error, _UNNAMED)
        return pd.DataFrame(found, index=pd.Index(labels))

    def _tell(self, what: str, error: Exception, instead: str) -> None:
        self._store._note(f"{what} cannot be read: {error}")
        warn_caller(f"{what} {instead}: {error}")


def as_names(columns: Any) -> list[Any]:
    """Return names of columns as a list without duplicates; other values are kept for the error message.

    Raises
    ------
    InvalidOption
        If the argument is neither a name nor a list.
    """
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, Iterable):
        raise InvalidOption(f"columns must be a name or a list of names; found {shown(columns)}")
    found = list(columns)
    names = dict.fromkeys(name for name in found if isinstance(name, str))
    return [*names, *(name for name in found if not isinstance(name, str))]
