"""Judges from a sample whether a matrix holds counts, logarithms of counts, or scaled values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.prefetch import Prefetch
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.text.numbers import short_number

Kind = Literal["counts", "log1p", "linear", "scaled", "zeros"]
SAMPLED = 64
"""Rows that are looked at."""
_SAMPLED_VARS = 32
_HIGHEST_LOG = 20.0
"""log1p of half a billion: what is higher is no logarithm of counts."""
_REASONS = {
    "counts": "counts: whole numbers from {low} to {high}",
    "log1p": "log1p values (natural logarithms of 1 + x): fractions from {low} to {high}",
    "linear": "values that are neither whole nor logarithms: fractions from {low} to {high}",
    "scaled": "scaled values: some are below 0, from {low} to {high}",
    "zeros": "nothing but zeros",
}


@dataclass(frozen=True)
class ValueKind:
    """Kind of the values of a matrix.

    Attributes
    ----------
    reason : as the rest of a sentence
    """

    kind: Kind
    reason: str


def judge(
    dataset: Dataset, rows: NDArray[np.int64], layer: str | None, check: Callable[[], None] = lambda: None
) -> ValueKind:
    """Look at some rows, int64 (k,), or at some genes, spread over all, where these are read with less.

    Parameters
    ----------
    check : as of `Prefetch`
    """
    if dataset.plan(rows, None, layer).axis == "obs":
        read, sample = partial(dataset.rows_of, rows, layer), dataset.obs_noun.counted(len(rows))
    else:
        n_var = len(dataset.names_in(layer).var_labels)
        genes = np.unique(np.linspace(0, n_var - 1, _SAMPLED_VARS).astype(np.int64))
        read, sample = partial(dataset.columns_of, genes, None, layer), dataset.var_noun.counted(len(genes))
    kind, low, high = kind_of(np.concatenate([_values_in(block) for block in Prefetch(read, check)]))
    text = _REASONS[kind].format(low=short_number(low), high=short_number(high))
    return ValueKind(kind, f"{text}, judged from {sample}")


def kind_of(values: NDArray[np.float32]) -> tuple[Kind, float, float]:
    """Return the kind of some values, with or without zeros, and their lowest and highest; NaN is ignored."""
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    if low < 0:
        return "scaled", low, high
    if high == 0:
        return "zeros", low, high
    if (finite == np.rint(finite)).all():
        return "counts", low, high
    return "log1p" if high <= _HIGHEST_LOG else "linear", low, high


def _values_in(block: MatrixBlock) -> NDArray[np.float32]:
    """Return the values of a block, and those of what it leaves out."""
    return block.values if block.fill is None else np.concatenate([block.values, block.fill])
