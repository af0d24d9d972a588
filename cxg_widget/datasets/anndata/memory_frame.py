"""A pandas DataFrame as columns of a dataset; a column is converted when it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings, as_time_text, smallest_codes, tidy_categories
from cxg_widget.datasets.base.values import KIND_OF_TYPE, Codes, Column, Kind, Values
from cxg_widget.text.half_characters import note_of, repaired

if TYPE_CHECKING:
    import pandas as pd

_NESTED = (list, dict, bytes)
"""Python types of the values of Arrow's lists, structs, maps and bytes."""


class MemoryFrame:
    """The columns of a DataFrame.

    Parameters
    ----------
    frame : the DataFrame, which is not copied
    name : "obs" or "var"
    note : called with a sentence for each column that is left out

    Attributes
    ----------
    n : number of rows
    index : name of the index, distinct from the names of all columns
    columns : in the order of the frame
    """

    def __init__(self, frame: pd.DataFrame, name: str, note: Callable[[str], None]) -> None:
        self._frame = frame
        self.n = len(frame)
        self._positions: dict[str, int] = {}
        found: dict[str, Column] = {}
        for position, column in enumerate(frame.columns):
            kind, label = _kind_of(frame.iloc[:, position]), repaired(label_of(column))
            if label != label_of(column):
                note(note_of(f"the name of {name} column {label!r}"))
            if kind is None:
                dtype = frame.dtypes.iloc[position]
                note(f"{name} column {label!r} is left out: its type {dtype} is not supported.")
            elif label in found:
                note(f"{name} column {label!r} occurs twice; the first one is shown.")
            else:
                if kind == "string" and (types := _odd_types(frame.iloc[:, position])):
                    note(f"{name} column {label!r} holds values of {types}; they are shown as text.")
                self._positions[label] = position
                unit = "second" if getattr(frame.dtypes.iloc[position], "kind", "") == "m" else ""
                found[label] = Column(label, kind, self._n_categories(position, kind), unit)
        self.columns: Mapping[str, Column] = found
        wanted = repaired(str(frame.index.name)) if frame.index.name is not None else "_index"
        self.index: str | None = f"{wanted} (index)" if wanted in found else wanted

    def read(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Return a column in the order of `rows` (None = all)."""
        if name == self.index:
            labels = self._frame.index if rows is None else self._frame.index[rows]
            return as_strings(map(label_of, labels.tolist()))
        series = self.series(name)
        return self._values(series if rows is None else series.iloc[rows], self.columns[name].kind)

    def read_block(self, name: str, start: int, stop: int) -> Values:
        """Return the rows start <= row < stop of a column."""
        if name == self.index:
            return as_strings(map(label_of, self._frame.index[start:stop].tolist()))
        series = self.series(name)
        return self._values(series.iloc[start:stop], self.columns[name].kind, series)

    def labels(self, name: str) -> list[Any]:
        """Return the categories of a column; empty if it has none."""
        if name not in self.columns or self.columns[name].kind != "categorical":
            return []
        found: list[Any] = self.series(name).cat.categories.tolist()
        return found

    def series(self, name: str) -> pd.Series:
        """Return a column of the frame, unchanged."""
        return self._frame.iloc[:, self._positions[name]]

    def _n_categories(self, position: int, kind: Kind) -> int | None:
        return len(self._frame.iloc[:, position].cat.categories) if kind == "categorical" else None

    def _values(self, series: pd.Series, kind: Kind, whole: pd.Series | None = None) -> Values:
        if kind == "categorical":
            target, categories = tidy_categories([_plain(label) for label in series.cat.categories])
            codes = target[series.cat.codes.to_numpy().astype(np.int64)]
            return Codes(smallest_codes(codes, len(categories)), categories, bool(series.cat.ordered))
        if kind == "string":
            if series.dtype.kind == "M":
                return _time_texts(series)
            texts = as_strings(series.tolist())
            texts[series.isna().to_numpy()] = None
            return texts
        if series.dtype.kind == "m":
            return np.asarray(series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan))
        if series.dtype == np.dtype(object):
            # Numbers or bools with None among them, and decimals.
            series = series.astype("boolean") if kind == "boolean" else _to_floats(series)
        if isinstance(series.dtype, np.dtype):
            return _narrow(series.to_numpy())
        # All blocks must have one dtype, so the whole column is checked for missing values.
        return _masked(series, kind, is_complete=not bool((series if whole is None else whole).isna().any()))


def label_of(name: Any) -> str:
    """Return the name of a column or a row as text; joins the levels of a name with several.

    >>> label_of("n_genes"), label_of(("umap", 1))
    ('n_genes', 'umap, 1')
    """
    return ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _kind_of(series: pd.Series) -> Kind | None:
    dtype: Any = series.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        return "categorical"
    if dtype == np.dtype(object):
        return _kind_of_objects(series)
    if dtype.kind == "m" or _is_decimal(dtype):
        return "float"
    if getattr(dtype, "type", None) in _NESTED:
        return None
    return "string" if dtype.kind in "OM" else KIND_OF_TYPE.get(dtype.kind)


def _is_decimal(dtype: Any) -> bool:
    """Return whether a dtype of pandas is Arrow's decimal."""
    return getattr(dtype, "type", None) is Decimal


def _kind_of_objects(series: pd.Series) -> Kind:
    """Return the kind of a column of Python objects; a single one that is not a number makes it text."""
    import pandas as pd

    found = pd.api.types.infer_dtype(series, skipna=True)
    if found == "boolean":
        return "boolean"
    return "float" if found in ("integer", "floating", "mixed-integer-float", "decimal") else "string"


def _odd_types(series: pd.Series) -> str:
    """Return a phrase for the types of Python objects that are neither all text nor all numbers; "" for others."""
    import pandas as pd

    if series.dtype != np.dtype(object) or not pd.api.types.infer_dtype(series, skipna=True).startswith("mixed"):
        return ""
    types = set(map(type, series.dropna()))
    return "several types" if len(types) > 1 else f"type {types.pop().__name__}"


def _time_texts(series: pd.Series) -> NDArray[np.object_]:
    codes, times = series.factorize()
    texts = np.empty(len(times) + 1, dtype=object)
    texts[:-1] = [as_time_text(time) for time in times]
    texts[-1] = None  # for the code -1
    return np.asarray(texts[codes])


def _to_floats(series: pd.Series) -> pd.Series:
    import pandas as pd

    return pd.to_numeric(series, errors="coerce").astype(np.float64)


def _masked(series: pd.Series, kind: Kind, *, is_complete: bool) -> Values:
    """Return a column with a dtype of pandas, in which values of every kind can be missing."""
    if is_complete and not _is_decimal(series.dtype):
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
