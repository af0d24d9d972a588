"""Select cells by a pandas query over obs columns, reading only the columns it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError
from cxg_widget.names import not_found

if TYPE_CHECKING:
    from cxg_widget.datasets.base import Dataset

_TOKEN = re.compile(
    r"""`(?P<quoted>[^`]+)` | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | (?P<word>[^\W\d]\w*)""", re.VERBOSE
)


def mask_of_query(query: str, dataset: Dataset, *, level: int = 1) -> NDArray[np.bool_]:
    """Evaluate a pandas query string over the obs columns; names with spaces go in backticks.

    Parameters
    ----------
    level : how many calls up from here the variables are that the query names with @

    Returns
    -------
    bool (n_obs,); missing counts as False

    Raises
    ------
    SelectionError
        If pandas cannot evaluate it, or it does not say yes or no for each cell.
    """
    import pandas as pd

    if not isinstance(query, str) or not query.strip():
        raise SelectionError(f"query= must be a pandas query string over obs columns; found {query!r}")
    for token in _TOKEN.finditer(query):
        if token["quoted"] and token["quoted"] not in (*dataset.obs_columns, dataset.obs_index):
            raise _no_column(query, token["quoted"], dataset)
    needs_index = bool(named_columns(query, ["index", "ilevel_0", dataset.obs_index or "index"]))
    frame = dataset.obs(named_columns(query, list(dataset.obs_columns)), index=needs_index)
    try:
        answer = frame.eval(query, engine="python", level=level)
    except Exception as error:
        if isinstance(error, pd.errors.UndefinedVariableError) and str(error).startswith("name '"):
            raise _no_column(query, str(error).split("'")[1], dataset) from error
        raise SelectionError(f"query {query!r} cannot be evaluated by pandas: {error}") from error
    answer = np.asarray(answer)
    if answer.shape != (dataset.n_obs,) or answer.dtype.kind not in "bO":
        raise SelectionError(
            f"query {query!r} must be true or false for each {dataset.obs_noun.one}; "
            f"found {answer.dtype} {answer.shape}"
        )
    return np.asarray(pd.Series(answer).astype("boolean").fillna(False), dtype=np.bool_)


def named_columns(query: str, columns: list[str]) -> list[str]:
    """Return those of `columns` that a query names, bare or in backticks."""
    names = {token["quoted"] or token["word"] for token in _TOKEN.finditer(query)}
    return [column for column in columns if column in names]


def _no_column(query: str, name: str, dataset: Dataset) -> SelectionError:
    return SelectionError(f"query {query!r}: " + not_found("obs column", name, dataset.obs_columns))
