"""Writes results in the layout of scanpy's `rank_genes_groups`, which its plots and `sc.get` read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.annotations.saving import save_into_obs
from cxg_widget.datasets.base.contract import RAW
from cxg_widget.errors import InvalidValue, MergeConflict
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.compare.question import Question
    from cxg_widget.compare.result import Comparison
    from cxg_widget.selection.cell_set import CellSet

_FIELDS = {"names": "O", "scores": "f4", "logfoldchanges": "f4", "pvals": "f8", "pvals_adj": "f8"}
"""Fields that scanpy writes per group, and their dtypes."""


def write_ranked(
    adata: Any, key: str, groupby: str, groups: Iterable[tuple[str, Comparison]], reference: str | None
) -> None:
    """Write `adata.uns[key]`: a record array per number, with a field per group, highest score first.

    groups : name of each group, and its comparison, of the same genes; each is looked at once
    """
    import pandas as pd

    labels: list[str] = []
    columns: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    shares: dict[str, dict[str, Any]] = {"pts": {}, **({"pts_rest": {}} if reference is None else {})}
    one: Comparison | None = None
    for label, one in groups:
        if not labels:
            check_target(adata, key, one._names, one._question)
        # scanpy refuses groups of one cell, and a group of NaN would break the axes of its plots.
        if not np.isfinite(one._tested.statistic).any():
            continue
        labels.append(label)
        for name, values in _ranked(one).items():
            columns[name].append(values)
        shares["pts"][label] = one._a.share
        if reference is None:
            shares["pts_rest"][label] = one._b.share
    if one is None or not labels:
        raise InvalidValue("to_scanpy() writes groups with a test, and none of these could be tested.")
    found: dict[str, Any] = {"params": _params(adata, one._question, groupby, reference)}
    for name, kind in _FIELDS.items():
        found[name] = np.rec.fromarrays(columns[name], dtype=[(label, kind) for label in labels])
    # With duplicate names `sc.get.rank_genes_groups_df` would join each with each.
    if one._names.is_unique:
        if reference is not None:
            shares["pts"][reference] = one._b.share
        index = one._names.astype(str).rename(None)
        found |= {name: pd.DataFrame(values, index=index) for name, values in shares.items()}
    adata.uns[key] = found


def check_target(adata: Any, key: Any, names: pd.Index, question: Question | None) -> None:
    """Raise `InvalidValue` if `adata` is not an AnnData or lacks a gene."""
    if not all(hasattr(adata, part) for part in ("obs", "uns", "var_names")):
        raise InvalidValue(f"to_scanpy() takes an AnnData; found {shown(adata)}")
    if not isinstance(key, str) or not key:
        raise InvalidValue(f"key= is the name of an entry of adata.uns; found {shown(key)}")
    is_raw = question is not None and question.layer == RAW and getattr(adata, "raw", None) is not None
    known = (adata.raw if is_raw else adata).var_names
    missing = names[~names.astype(str).isin(known.astype(str))]
    if len(missing):
        raise InvalidValue(
            f"adata lacks {len(missing):,} of the {len(names):,} vars compared, such as {shown(str(missing[0]))}: "
            "compare those that it has by genes=list(adata.var_names)."
        )


def write_sets(adata: Any, groupby: Any, labels: tuple[str, str], cells: tuple[CellSet, CellSet]) -> None:
    """Write the set of each cell into a column of `adata.obs`; an equal existing column is kept.

    Raises
    ------
    InvalidValue
        If the column has other labels, the name is invalid, or `adata` holds other cells.
    """
    import pandas as pd

    if not isinstance(groupby, str) or not groupby:
        raise InvalidValue(f"groupby= names the column of adata.obs to write; found {shown(groupby)}")
    codes = np.select([one.mask for one in cells], [0, 1], default=-1)
    values = pd.Categorical.from_codes(codes, categories=pd.Index(labels, dtype=object))
    ours = pd.DataFrame({groupby: values}, index=pd.Index(cells[0]._dataset.obs_names(), dtype=object))
    try:
        save_into_obs(adata, ours, "error")
    except MergeConflict:
        raise InvalidValue(
            f"adata.obs has another column {shown(groupby)}; choose a new name: to_scanpy(adata, groupby='compared')."
        ) from None


def _ranked(found: Comparison) -> dict[str, Any]:
    """Return the columns of a group in scanpy's order; untested genes have score 0 and p = 1, as in scanpy."""
    score = np.nan_to_num(found._tested.statistic, nan=0.0, posinf=np.inf, neginf=-np.inf)
    order = np.argsort(-score, kind="stable")
    p, p_adj = (np.where(np.isnan(one), 1.0, one)[order] for one in (found._tested.p, found._adjusted(None)))
    names = np.asarray(found._names.astype(str), dtype=object)[order]
    with np.errstate(over="ignore"):
        numbers = [one[order].astype(np.float32) for one in (score, found._log2fc)]
    return dict(zip(_FIELDS, (names, *numbers, p, p_adj), strict=True))


def _params(adata: Any, question: Question | None, groupby: str, reference: str | None) -> dict[str, Any]:
    method, layer = ("t-test", None) if question is None else (question.method, question.layer)
    return {
        "groupby": groupby,
        "reference": "rest" if reference is None else reference,
        "method": method,
        "use_raw": layer == RAW and getattr(adata, "raw", None) is not None,
        "layer": layer if layer in getattr(adata, "layers", ()) else None,
        "corr_method": "bonferroni" if method == "explorer" else "benjamini-hochberg",
    }
