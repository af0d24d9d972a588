"""Counts of a column as a DataFrame, by its categories or by intervals of its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.counts.counter import Tally

if TYPE_CHECKING:
    import pandas as pd


def frame_of(name: str, tally: Tally) -> pd.DataFrame:
    """Return int64 columns all, filtered, selected; missing values come last where there are any."""
    import pandas as pd

    n_rows = n_rows_of(tally)
    counts = {"all": tally.everything, "filtered": tally.filtered, "selected": tally.selected}
    index = index_of(name, tally)
    return pd.DataFrame({column: values[:n_rows] for column, values in counts.items()}, index=index, dtype=np.int64)


def n_rows_of(tally: Tally) -> int:
    """Return the number of codes with a row: all, except that of missing values where there are none."""
    return tally.everything.size - int(tally.everything[-1] == 0)


def index_of(name: str, tally: Tally) -> pd.Index:
    """Return the categories or intervals, missing values last where there are any."""
    return _index_of(tally, n_rows_of(tally)).rename(name)


def _index_of(tally: Tally, n_rows: int) -> pd.Index:
    import pandas as pd

    coded = tally.coded
    rows = np.arange(n_rows)
    rows[rows == coded.n_codes - 1] = -1
    if coded.categories is None:
        missing: Any = pd.IntervalIndex.from_arrays([np.nan], [np.nan], closed="left")
        bins = pd.IntervalIndex.from_breaks(coded.edges, closed="left") if coded.edges.size else missing[:0]
        return bins.append(missing)[rows] if n_rows > len(bins) else bins
    known: pd.Index = pd.Index(list(coded.categories))
    if coded.is_categorical:
        return pd.CategoricalIndex(pd.Categorical.from_codes(rows, categories=known, ordered=coded.ordered))
    # The index of booleans of pandas 2 takes no missing value; one of objects does.
    if n_rows == coded.n_codes:
        known = known.astype(object).append(pd.Index([np.nan], dtype=object))
    found: pd.Index = known.take(rows)
    return found
