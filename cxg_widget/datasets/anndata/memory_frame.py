"""A pandas DataFrame as columns of a dataset; a column is converted when it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings, smallest_codes, tidy_categories
from cxg_widget.datasets.base.values import KIND_OF_TYPE, Codes, Column, Kind, Values
from cxg_widget.text.half_characters import note_of, repaired

if TYPE_CHECKING:
    import pandas as pd


class MemoryFrame:
    """The columns of a DataFrame.

    Parameters
    ----------
    frame : is kept, not copied
    name : "obs" or "var"
    note : takes a sentence for each column that is left out

    Attributes
    ----------
    n : number of rows
    index : what the index is called here; never the name of a column
    columns : in their order
    """

    def __init__(self, frame: pd.DataFrame, name: str, note: Callable[[str], None]) -> None:
        self._frame = frame
        self.n = len(frame)
        self._positions: dict[str, int] = {}
        found: dict[str, Column] = {}
        for position, column in enumerate(frame.columns):
            kind, label = _kind(frame.dtypes.iloc[position]), repaired(str(column))
            if label != str(column):
                note(note_of(f"the name of {name} column {label!r}"))
            if kind is None:
                dtype = frame.dtypes.iloc[position]
                note(f"{name} column {label!r} is left out: its type {dtype} is not supported.")
            elif label in found:
                note(f"{name} column {label!r} occurs twice; the first one is shown.")
            else:
                self._positions[label] = position
                found[label] = Column(label, kind, self._n_categories(position, kind))
        self.columns: Mapping[str, Column] = found
        wanted = repaired(str(frame.index.name)) if frame.index.name is not None else "_index"
        self.index: str | None = f"{wanted} (index)" if wanted in found else wanted

    def read(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Return a column in the order of `rows` (None = all)."""
        if name == self.index:
            labels = self._frame.index if rows is None else self._frame.index[rows]
            return as_strings(labels.tolist())
        series = self._series(name)
        return self._values(series if rows is None else series.iloc[rows], self.columns[name].kind)

    def read_block(self, name: str, start: int, stop: int) -> Values:
        """Return the rows start <= row < stop of a column."""
        if name == self.index:
            return as_strings(self._frame.index[start:stop].tolist())
        series = self._series(name)
        return self._values(series.iloc[start:stop], self.columns[name].kind, series)

    def labels(self, name: str) -> list[Any]:
        """Return the categories of a column; empty where it has none."""
        if name not in self.columns or self.columns[name].kind != "categorical":
            return []
        found: list[Any] = self._series(name).cat.categories.tolist()
        return found

    def _series(self, name: str) -> pd.Series:
        return self._frame.iloc[:, self._positions[name]]

    def _n_categories(self, position: int, kind: Kind) -> int | None:
        return len(self._frame.iloc[:, position].cat.categories) if kind == "categorical" else None

    def _values(self, series: pd.Series, kind: Kind, whole: pd.Series | None = None) -> Values:
        if kind == "categorical":
            target, categories = tidy_categories([_plain(label) for label in series.cat.categories])
            codes = target[series.cat.codes.to_numpy().astype(np.int64)]
            return Codes(smallest_codes(codes, len(categories)), categories, bool(series.cat.ordered))
        if kind == "string":
            texts = as_strings(series.tolist())
            texts[series.isna().to_numpy()] = None
            return texts
        if isinstance(series.dtype, np.dtype):
            return _narrow(series.to_numpy())
        # Of one type in all blocks: the whole column decides whether anything is missing.
        return _masked(series, kind, is_complete=not bool((series if whole is None else whole).isna().any()))


def _kind(dtype: Any) -> Kind | None:
    if type(dtype).__name__ == "CategoricalDtype":
        return "categorical"
    if getattr(dtype, "kind", "") == "O" and type(dtype).__name__ not in ("PeriodDtype", "IntervalDtype"):
        return "string"
    return KIND_OF_TYPE.get(getattr(dtype, "kind", ""))


def _masked(series: pd.Series, kind: Kind, *, is_complete: bool) -> Values:
    """Return a column of one of pandas' own types, which know missing values of every kind."""
    if is_complete:
        plain = getattr(series.dtype, "numpy_dtype", np.dtype({"boolean": bool, "int": int}.get(kind, float)))
        return _narrow(series.to_numpy(dtype=plain))
    if kind == "boolean":
        missing = series.isna().to_numpy()
        return Codes(np.where(missing, -1, series.fillna(False).to_numpy(dtype=bool)).astype(np.int8), (False, True))
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.float64) if values.dtype.itemsize > 8 else values


def _plain(label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | int | float | bool) else str(value)
