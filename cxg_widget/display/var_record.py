"""What the columns of var say of one gene, written for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cxg_widget.datasets.base.column_values import as_scalar
from cxg_widget.display.hover import text_of
from cxg_widget.text.names import shortened

if TYPE_CHECKING:
    import pandas as pd

_MOST = 40
"""Columns that are shown."""
_LONGEST = 400
"""Letters of a value."""


def var_record(var: pd.DataFrame, position: int, name: str) -> list[list[str]]:
    """Return [column, value] of a gene: its identifier and the first columns of var; missing values by name.

    Parameters
    ----------
    name : what the gene is called, which is not said again
    """
    row = var.iloc[[position], :_MOST]
    index = (var.index.name or "identifier", var.index[position], False)
    values = ((column, row[column].iloc[0], bool(row[column].isna().iloc[0])) for column in row)
    described = (
        [str(column), shortened(text_of(None if is_missing else as_scalar(value)), _LONGEST)]
        for column, value, is_missing in (index, *values)
    )
    return [[column, value] for column, value in described if value != name]
