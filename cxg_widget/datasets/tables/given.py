"""Tables in memory: pandas, polars, Arrow, any object that exports Arrow, and dicts of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.tables.columns import TableColumns
from cxg_widget.datasets.tables.dataset import TableInMemory
from cxg_widget.errors import InvalidOption, InvalidValue, MissingDependency
from cxg_widget.text.names import shown


def exports_table(source: Any) -> bool:
    """Return whether `open_table` opens an object or explains why not, as for a column or a lazy frame."""
    return isinstance(source, Mapping) or hasattr(type(source), "__arrow_c_stream__") or _is_lazy(source)


def open_table(source: Any, **options: Any) -> TableInMemory:
    """Open a table in memory, which is neither changed nor copied."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        return TableInMemory("pandas DataFrame", partial(_of_pandas, source), **options)
    if isinstance(source, Mapping):
        return TableInMemory("dict of arrays", partial(_of_dict, _checked(source)), **options)
    what = f"{_module(source)} {type(source).__name__}"
    if _is_lazy(source):
        raise InvalidOption(
            f"a {what} has no rows yet; pass frame.{'collect' if hasattr(source, 'collect') else 'compute'}()."
        )
    if find_spec("pyarrow") is None:
        raise MissingDependency(f"opening a {what} needs pyarrow: pip install 'cxg-widget[parquet]'")
    found = TableInMemory(what, partial(_of_arrow, source, what), **options)
    found.given_as = "polars" if _module(source) == "polars" else "arrow"
    return found


def _of_pandas(frame: Any, life: Lifetime) -> TableColumns:
    from cxg_widget.datasets.tables.frame_columns import FrameColumns

    return FrameColumns(frame, "pandas DataFrame", life)


def _of_arrow(source: Any, what: str, life: Lifetime) -> TableColumns:
    import pyarrow as pa

    from cxg_widget.datasets.tables.arrow_columns import ArrowColumns
    from cxg_widget.datasets.tables.arrow_sources import TableSource

    try:
        table = source if isinstance(source, pa.Table) else pa.table(source)
    except Exception as error:  # of any library: a closed connection, a type that Arrow lacks
        raise InvalidOption(_not_a_table(source, what, error)) from None
    give = None
    if _module(source) == "polars":
        give = partial(_rows_of_polars, source)
    elif isinstance(source, pa.RecordBatch):
        give = partial(_rows_of_batch, source)
    return ArrowColumns(TableSource(table, what), life, give)


def _not_a_table(source: Any, what: str, error: Exception) -> str:
    """Return the error message for an object that Arrow cannot read as a table."""
    reason = " ".join(str(error).split())[:200]
    if "non-struct type" in reason:
        return f"a {what} is one column; pass a table, such as {{'x': x, 'y': y}}, a DataFrame or an Arrow table."
    if _module(source) == "polars":
        return (
            f"a {what} cannot be converted to Arrow: {reason}; cast the column of this type first, such as "
            "CxgWidget(frame.cast({polars.Int128: polars.Float64}))."
        )
    return f"a {what} cannot be read as a table: {reason}; convert it to an Arrow table or a DataFrame first."


def _of_dict(columns: Mapping[str, Any], life: Lifetime) -> TableColumns:
    import pandas as pd

    from cxg_widget.datasets.tables.frame_columns import FrameColumns

    # Without copy=False pandas copies all arrays.
    frame = pd.DataFrame({name: _column(values) for name, values in columns.items()}, copy=False)
    return FrameColumns(frame, "dict of arrays", life, partial(_rows_of_dict, columns))


def _checked(source: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the columns of a dict."""
    lengths: dict[str, int] = {}
    for name, values in source.items():
        if not isinstance(name, str):
            raise InvalidValue(f"column names must be strings; found {shown(name)}")
        shape = getattr(values, "shape", None)
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            raise InvalidValue(f"{name!r} must be an array with a value for each row; found {shown(values)}")
        if shape is not None and len(shape) != 1:
            raise InvalidValue(
                f"{name!r} has the shape {tuple(shape)}; a column has one value for each row, such as "
                f"{{'{name}_1': {name}[:, 0], '{name}_2': {name}[:, 1]}}."
            )
        lengths[name] = len(values)
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} has {n:,}" for name, n in list(lengths.items())[:6])
        raise InvalidValue(f"all columns must have the same length; {listed}.")
    return dict(source)


def _column(values: Any) -> Any:
    """Return an array in a form that pandas uses without a copy, if possible."""
    if hasattr(values, "iloc"):
        return values.array  # without the index, by which pandas would reorder the rows
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, values.data) if values.dtype.kind in "iuf" else values.data
    if hasattr(values, "dtype") and type(values).__module__.startswith("pandas"):
        return values
    if isinstance(values, list | tuple):
        return values
    array = np.asarray(values)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _rows_of_polars(frame: Any, rows: NDArray[np.int64], names: Sequence[str] | None) -> Any:
    return (frame if names is None else frame.select(list(names)))[rows]


def _rows_of_batch(batch: Any, rows: NDArray[np.int64], names: Sequence[str] | None) -> Any:
    import pyarrow as pa

    return (batch if names is None else batch.select(list(names))).take(pa.array(rows))


def _rows_of_dict(columns: Mapping[str, Any], rows: NDArray[np.int64], names: Sequence[str] | None) -> dict[str, Any]:
    return {name: _rows_of(columns[name], rows) for name in (columns if names is None else names)}


def _rows_of(values: Any, rows: NDArray[np.int64]) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    return values.take(rows) if _module(values) in ("pandas", "pyarrow") else values[rows]


def _module(source: Any) -> str:
    return type(source).__module__.partition(".")[0]


def _is_lazy(source: Any) -> bool:
    """Return whether an object is a frame of polars or Dask that has not been computed."""
    return (_module(source), type(source).__name__) in {
        ("polars", "LazyFrame"), ("dask", "DataFrame"), ("dask_expr", "DataFrame"), ("dask", "_Frame"),
    }  # fmt: skip
