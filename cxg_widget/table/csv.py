"""The table as CSV, with formulas made harmless for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.text.spreadsheet import harmless

if TYPE_CHECKING:
    import pandas as pd


def csv_text(frame: pd.DataFrame, *, separator: str = ",", header: bool = True) -> str:
    """Return a frame as `DataFrame.to_csv` writes it, except for formulas.

    A text that a spreadsheet would run as a formula (`text.spreadsheet.harmless`) gets an apostrophe before it. Numbers
    have all digits.
    """
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    def plain(values: Any) -> Any:
        if is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
            return values
        return values.astype(object).map(harmless, na_action="ignore")

    index = plain(frame.index).rename(None if frame.index.name is None else harmless(frame.index.name))
    columns = [plain(frame.iloc[:, at]).array for at in range(frame.shape[1])]
    names = [harmless(name) for name in frame.columns]
    shown = pd.DataFrame(dict(enumerate(columns)), index=index)
    how: dict[str, Any] = {"sep": separator, "header": names if header else False, "lineterminator": "\n"}
    text = str(shown.to_csv(**how))
    # Without quotes a lone carriage return ends the line, and a formula after it starts one.
    return str(shown.to_csv(**how, quoting=csv.QUOTE_ALL)) if "\r" in text else text


def write_csv(path: str | Path, parts: Iterable[str]) -> None:
    """Write a file atomically."""
    with (
        writing(local_path(path), replaces=True) as place,
        place.partial.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(parts)
