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

_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_QUOTED = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[^\W\d]\w*")


def mask_of_query(query: str, dataset: Dataset) -> NDArray[np.bool_]:
    """Evaluate a pandas query string over the obs columns; names with spaces go in backticks.

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
    columns = named_columns(query, list(dataset.obs_columns))
    frame = dataset.obs(columns)
    try:
        answer = frame.eval(query, engine="python")
    except pd.errors.UndefinedVariableError as error:
        name = str(error).split("'")[1] if "'" in str(error) else str(error)
        raise SelectionError(f"query {query!r}: " + not_found("obs column", name, dataset.obs_columns)) from error
    except Exception as error:
        raise SelectionError(f"query {query!r} cannot be evaluated by pandas: {error}") from error
    answer = np.asarray(answer)
    if answer.shape != (dataset.n_obs,) or answer.dtype.kind not in "bO":
        raise SelectionError(
            f"query {query!r} must be true or false for each cell; found {answer.dtype} {answer.shape}"
        )
    return np.asarray(pd.Series(answer).astype("boolean").fillna(False), dtype=np.bool_)


def named_columns(query: str, columns: list[str]) -> list[str]:
    """Return those of `columns` that a query names, bare or in backticks."""
    bare = _STRINGS.sub(" ", query)
    names = set(_QUOTED.findall(bare)) | set(_WORD.findall(_QUOTED.sub(" ", bare)))
    return [column for column in columns if column in names]
