"""Definitions of log2 fold change, each with a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from cxg_widget.compare.moments import Floats, Summary

SMALL = 1e-9


def _scanpy(a: Summary, b: Summary) -> Floats:
    return np.log2((np.expm1(a.mean) + SMALL) / (np.expm1(b.mean) + SMALL))


def _pseudocount(a: Summary, b: Summary) -> Floats:
    return np.log2((a.linear_mean + 1) / (b.linear_mean + 1))


FOLDS: Mapping[str, Callable[[Summary, Summary], Floats]] = {"scanpy": _scanpy, "pseudocount": _pseudocount}
"""By name: "scanpy" takes expm1 of the means of log values, "pseudocount" the means of expm1 of each, plus 1."""
FORMULAS = {
    "scanpy": "log2((expm1(mean_a) + 1e-9) / (expm1(mean_b) + 1e-9))",
    "pseudocount": "log2((mean of expm1 in a + 1) / (mean of expm1 in b + 1))",
}
NEEDS_LINEAR = frozenset({"pseudocount"})
"""Definitions that need expm1 of each value."""


def log2_fold(a: Summary, b: Summary, fold: str) -> Floats:
    """Return the log2 fold change of each gene, float64 (n_var,), by the definition of that name."""
    with np.errstate(all="ignore"):
        return FOLDS[fold](a, b)
