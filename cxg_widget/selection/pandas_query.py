"""Selection by queries that pandas evaluates: `select(query=..., engine="pandas")`."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError
from cxg_widget.rules.advice import QUERY_TOKEN, in_usual_signs, named_columns, with_quotes
from cxg_widget.rules.by_value import is_var
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


def pandas_mask(query: str, dataset: Dataset, layer: str | None = None, *, level: int = 1) -> NDArray[np.bool_]:
    """Evaluate a query by pandas over obs columns and genes; names with spaces go in backticks.

    Parameters
    ----------
    layer : layer of the genes; None = X
    level : number of frames from here to the caller, for variables after @

    Returns
    -------
    bool (n_obs,); missing counts as False

    Raises
    ------
    SelectionError
        If pandas cannot evaluate it, or the result is not a boolean per cell.
    """
    import pandas as pd

    if not isinstance(query, str) or not query.strip():
        raise SelectionError(
            f"query= must be a pandas query string over obs columns and {dataset.var_noun.many}; found {shown(query)}"
        )
    for token in QUERY_TOKEN.finditer(query):
        if token["quoted"] and not _is_name(token["quoted"], dataset, layer):
            raise _no_column(query, token["quoted"], dataset)
    names = ["index", "ilevel_0", *(name for name in (dataset.obs_index, dataset.index_name("obs")) if name)]
    of_index = named_columns(query, names)
    frame = dataset.obs(named_columns(query, list(dataset.obs_columns)), index=bool(of_index))
    for gene in _named_genes(query, dataset, layer):
        frame[gene] = dataset.vector(gene, layer).dense(dataset.n_obs)
    if dataset.obs_index in of_index:
        frame.index.name = dataset.obs_index
    try:
        answer = frame.eval(query, engine="python", level=level)
    except Exception as error:
        if isinstance(error, pd.errors.UndefinedVariableError) and str(error).startswith("name '"):
            raise _no_column(query, str(error).split("'")[1], dataset) from error
        advice = _advice(query, dataset)
        if isinstance(error, SyntaxError) and not advice:
            raise SelectionError(
                f"query {shown(query)} is no complete expression, such as \"n_genes > 500 and cell_type == 'B cell'\"."
            ) from error
        raise SelectionError(f"query {shown(query)} cannot be evaluated by pandas{advice or f': {error}'}") from error
    answer = np.asarray(answer)
    if answer.shape != (dataset.n_obs,) or answer.dtype.kind not in "bO":
        found = _advice(query, dataset) or f"; found {answer.dtype} {answer.shape}"
        raise SelectionError(f"query {shown(query)} must be true or false for each {dataset.obs_noun.one}{found}")
    return np.asarray(pd.Series(answer).astype("boolean").fillna(False), dtype=np.bool_)


def _is_name(name: str, dataset: Dataset, layer: str | None) -> bool:
    return name in dataset.obs_columns or name == dataset.obs_index or is_var(name, dataset, layer)


def _named_genes(query: str, dataset: Dataset, layer: str | None) -> list[str]:
    """Return the genes that a query uses; obs columns take precedence, names after @ or a dot are ignored."""
    named: dict[str, None] = {}
    for token in QUERY_TOKEN.finditer(query):
        name = token["quoted"] or token["word"]
        is_own = query[: token.start()].rstrip()[-1:] not in ("@", ".")
        is_column = name in dataset.obs_columns or name == dataset.obs_index
        if name and is_own and not is_column and not iskeyword(name) and is_var(name, dataset, layer):
            named[name] = None
    return list(named)


def _advice(query: str, dataset: Dataset) -> str:
    """Return a hint at the query that was probably meant; "" if there is none."""
    meant = with_quotes(in_usual_signs(query), dataset)
    return "" if meant == query else f". Did you mean query={meant!r}?"


def _no_column(query: str, name: str, dataset: Dataset) -> SelectionError:
    advice = _advice(query, dataset)
    if advice:
        return SelectionError(f"query {shown(query)}: no obs column {name!r}{advice}")
    what = dataset.explain_name(name) or not_found("obs column", name, dataset.obs_columns)
    return SelectionError(f"query {shown(query)}: {what}")
