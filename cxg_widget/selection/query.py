"""Select cells by a pandas query over obs columns and genes, reading only those it names."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError
from cxg_widget.rules.by_value import is_var, labels_of
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_TOKEN = re.compile(
    r"""`(?P<quoted>[^`]+)` | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | (?P<word>[^\W\d]\w*)""", re.VERBOSE
)


def mask_of_query(query: str, dataset: Dataset, layer: str | None = None, *, level: int = 1) -> NDArray[np.bool_]:
    """Evaluate a pandas query string over obs columns and genes; names with spaces go in backticks.

    Parameters
    ----------
    layer : of genes; None = X
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
        raise SelectionError(
            f"query= must be a pandas query string over obs columns and {dataset.var_noun.many}; found {shown(query)}"
        )
    for token in _TOKEN.finditer(query):
        if token["quoted"] and not _is_name(token["quoted"], dataset):
            raise _no_column(query, token["quoted"], dataset)
    names = ["index", "ilevel_0", *(name for name in (dataset.obs_index, dataset.index_name("obs")) if name)]
    of_index = named_columns(query, names)
    frame = dataset.obs(named_columns(query, list(dataset.obs_columns)), index=bool(of_index))
    for gene in _named_genes(query, dataset):
        frame[gene] = dataset.vector(gene, layer).dense(dataset.n_obs)
    if dataset.obs_index in of_index:
        frame.index.name = dataset.obs_index
    try:
        answer = frame.eval(query, engine="python", level=level)
    except Exception as error:
        if isinstance(error, pd.errors.UndefinedVariableError) and str(error).startswith("name '"):
            raise _no_column(query, str(error).split("'")[1], dataset) from error
        advice = _advice(query, dataset)
        raise SelectionError(f"query {shown(query)} cannot be evaluated by pandas{advice or f': {error}'}") from error
    answer = np.asarray(answer)
    if answer.shape != (dataset.n_obs,) or answer.dtype.kind not in "bO":
        found = _advice(query, dataset) or f"; found {answer.dtype} {answer.shape}"
        raise SelectionError(f"query {shown(query)} must be true or false for each {dataset.obs_noun.one}{found}")
    return np.asarray(pd.Series(answer).astype("boolean").fillna(False), dtype=np.bool_)


def named_columns(query: str, columns: list[str]) -> list[str]:
    """Return those of `columns` that a query names, bare or in backticks."""
    names = {token["quoted"] or token["word"] for token in _TOKEN.finditer(query)}
    return [column for column in columns if column in names]


def _is_name(name: str, dataset: Dataset) -> bool:
    return name in dataset.obs_columns or name == dataset.obs_index or is_var(name, dataset)


def _named_genes(query: str, dataset: Dataset) -> list[str]:
    """Return the genes that a query names; obs columns come first, and what stands behind @ or a dot is none."""
    named: dict[str, None] = {}
    for token in _TOKEN.finditer(query):
        name = token["quoted"] or token["word"]
        is_own = query[: token.start()].rstrip()[-1:] not in ("@", ".")
        is_column = name in dataset.obs_columns or name == dataset.obs_index
        if name and is_own and not is_column and not iskeyword(name) and is_var(name, dataset):
            named[name] = None
    return list(named)


def _advice(query: str, dataset: Dataset) -> str:
    """Ask whether another query was meant; "" where none comes to mind."""
    meant = _quoted(_in_pandas(query), dataset)
    return "" if meant == query else f". Did you mean query={meant!r}?"


def _in_pandas(query: str) -> str:
    """Return a query that other languages write otherwise in the words of pandas; names and texts stay."""
    parts, end = [], 0
    for token in _TOKEN.finditer(query):
        word = token["word"]
        said = word.lower() if word in ("AND", "OR", "NOT", "IN") else token[0]
        parts += [_signs(query, end, token.start()), said]
        end = token.end()
    return "".join([*parts, _signs(query, end, len(query))])


def _signs(query: str, start: int, stop: int) -> str:
    """Return what stands between two names as pandas writes it."""
    signs = query[start:stop].replace("&&", "and").replace("||", "or").replace("===", "==").replace("<>", "!=")
    signs = re.sub(r"!(?!=)", "not ", signs)
    is_call = re.search(r"\w\(", query[:stop])  # whose keywords are written with one =
    return signs if is_call else re.sub(r"(?<![=<>!])=(?!=)", "==", signs)


def _quoted(query: str, dataset: Dataset) -> str:
    """Return a query with the texts in quotes that are values of the columns it names, and columns in backticks."""
    blank = _TOKEN.sub(lambda token: token[0] if token["word"] else "\0" * len(token[0]), query)
    columns = {name: f"`{name}`" for name in dataset.obs_columns if not name.isidentifier()}
    labels = {
        label: repr(label)
        for column in [*named_columns(query, list(dataset.obs_columns)), *columns]
        if column in query
        for label in labels_of(column, dataset)
    }
    known = {text: said for text, said in {**labels, **columns}.items() if not text.isnumeric()}
    for text in sorted(known, key=len, reverse=True):
        found = re.search(rf"(?<![\w.@]){re.escape(text)}(?!\w)", blank)
        if text and text not in dataset.obs_columns.keys() - columns and found is not None:
            start, stop = found.span()
            query = query[:start] + known[text] + query[stop:]
            blank = blank[:start] + "\0" * len(known[text]) + blank[stop:]
    return query


def _no_column(query: str, name: str, dataset: Dataset) -> SelectionError:
    advice = _advice(query, dataset)
    if advice:
        return SelectionError(f"query {shown(query)}: no obs column {name!r}{advice}")
    return SelectionError(f"query {shown(query)}: " + not_found("obs column", name, dataset.obs_columns))
