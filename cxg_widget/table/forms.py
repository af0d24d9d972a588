"""Results as a DataFrame of pandas or polars or an Arrow table, by the type of the dataset's source."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, get_args

from cxg_widget.datasets.base.contract import Form
from cxg_widget.errors import InvalidValue, MissingDependency
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    import pandas as pd


def check_form(form: Any) -> None:
    """Raise `InvalidValue` for an unknown form, and `MissingDependency` if its library is not installed."""
    if form is not None and form not in get_args(Form):
        raise InvalidValue(not_found("form", form, get_args(Form), "form="))
    for library in {"polars": ("polars", "pyarrow"), "arrow": ("pyarrow",)}.get(form, ()):
        if find_spec(library) is None:
            raise MissingDependency(f"form={form!r} needs {library}: pip install {library}")


def in_form(frame: pd.DataFrame, form: Form | None) -> Any:
    """Return a result in a form; except in pandas, the index becomes the first columns.

    form : None = "pandas"
    """
    check_form(form)
    if form is None or form == "pandas":
        return frame
    import pyarrow as pa

    columns = {**_levels(frame), **{str(name): column for name, column in frame.items()}}
    table = pa.table({name: _array(values) for name, values in columns.items()})
    if form == "arrow":
        return table
    import polars as pl

    return pl.from_arrow(table)


def _levels(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the levels of the index, with names that no column has."""
    import pandas as pd

    found = {}
    for level in range(frame.index.nlevels):
        name = str(frame.index.names[level] or "name")
        while name in found or name in frame.columns:
            name = f"{name}_"
        found[name] = pd.Series(frame.index.get_level_values(level))
    return found


def _array(values: pd.Series) -> Any:
    """Return a column for Arrow; intervals and values of mixed types become text."""
    import pandas as pd
    import pyarrow as pa

    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype) and not all(isinstance(one, str) for one in kind.categories):
        values, kind = values.astype(object), kind.categories.dtype
    plain = values.map(str, na_action="ignore") if isinstance(kind, pd.IntervalDtype) else values
    try:
        return pa.array(plain, from_pandas=plain.dtype.kind != "f")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array(plain.map(str, na_action="ignore"), from_pandas=True)
