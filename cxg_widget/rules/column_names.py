"""Resolves names of obs columns and genes in rules, and reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import UnknownName
from cxg_widget.rules.grammar import Query
from cxg_widget.text.names import join_missing, not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Column = Codes | NDArray[Any]


def resolved(names: Mapping[str, str], dataset: Dataset, layer: str | None) -> dict[str, tuple[str, str]]:
    """Return for each name whether it is an obs column ("obs") or a gene ("var"); "obs:" and "var:" force one."""
    found = {word: _resolve(name, dataset, layer) for word, name in names.items()}
    if unknown := [names[word] for word, one in found.items() if one is None]:
        raise UnknownName(missing_names(unknown, dataset))
    return {word: one for word, one in found.items() if one is not None}


def unknown_in(query: Query, dataset: Dataset, layer: str | None) -> list[str]:
    """Return the names of a query that are neither obs columns nor genes."""
    return [name for name in query.names.values() if _resolve(name, dataset, layer) is None]


def is_column(name: Any, dataset: Dataset, layer: str | None) -> bool:
    """Return whether a value is the name of an obs column or gene; "obs:" and "var:" force one."""
    return isinstance(name, str) and _resolve(name, dataset, layer) is not None


def missing_names(unknown: list[str], dataset: Dataset, others: Sequence[str] = ()) -> str:
    """Return the sentence about unknown names: the nearest names for the first, and all others.

    others : other unknown things, each in words
    """
    known = [*dataset.obs_columns, *(dataset.var_aliases or ()), *dataset.var_labels]
    count = len(dataset.obs_columns) + dataset.n_var
    what = f"obs column or {dataset.var_noun.one}"
    sentence = dataset.explain_name(unknown[0]) or not_found(what, unknown[0], known, count=count)
    return join_missing([sentence, *map(shown, unknown[1:]), *others])


def _resolve(name: str, dataset: Dataset, layer: str | None) -> tuple[str, str] | None:
    source, _, rest = name.partition(":")
    genes = dataset.names_in(layer)
    if name in dataset.obs_columns:
        return "obs", name
    if source == "obs" and rest in dataset.obs_columns:
        return "obs", rest
    if dataset.obs_index is not None and name in ("index", dataset.obs_index, dataset.index_name("obs")):
        return "obs", dataset.obs_index
    if source == "var" and genes.has_var(rest):
        return "var", rest
    return ("var", name) if genes.has_var(name) else None


def read_column(found: tuple[str, str], dataset: Dataset, layer: str | None) -> Column:
    """Read an obs column or a gene: codes, or numbers (n_obs,) in their own dtype, genes as float32."""
    source, name = found
    if source == "var":
        return dataset.vector(name, layer).dense(dataset.n_obs)
    kind = "string" if name not in dataset.obs_columns else dataset.obs_columns[name].kind
    if kind in ("int", "float"):
        return dataset.numbers(name)
    if kind == "string":
        return _of_text(name, dataset)
    codes = dataset.codes(name)
    return codes if kind == "categorical" or (codes.codes < 0).any() else codes.codes.astype(np.bool_)


def _of_text(name: str, dataset: Dataset) -> Codes:
    import pandas as pd

    codes, known = pd.factorize(dataset.obs([name], index=False)[name])
    return Codes(codes, tuple(map(str, known)))
