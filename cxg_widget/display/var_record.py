"""What the columns of var say of one gene, written for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cxg_widget.datasets.base.columns import as_scalar
from cxg_widget.display.hover import text_of
from cxg_widget.text.names import shortened

if TYPE_CHECKING:
    import pandas as pd

_MOST = 40
"""Columns that are told."""
_LONGEST = 400
"""Letters of a value."""


def var_record(var: pd.DataFrame, position: int) -> list[list[str]]:
    """Return [column, value] for each of the first columns of var in one of its rows; missing values by name."""
    row = var.iloc[[position], :_MOST]
    values = ((name, row[name].iloc[0], bool(row[name].isna().iloc[0])) for name in row)
    return [
        [str(name), shortened(text_of(None if is_missing else as_scalar(value)), _LONGEST)]
        for name, value, is_missing in values
    ]
