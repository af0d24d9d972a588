"""What the values of a matrix are, judged from some of them: counts, logarithms of counts, or scaled values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.grouped import Grouped
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.text.numbers import short_number

Kind = Literal["counts", "log1p", "linear", "scaled", "zeros"]
_SAMPLED = {"obs": 64, "var": 32}
_HIGHEST_LOG = 20.0
"""log1p of half a billion: what is higher is no logarithm of counts."""
_TOLD = {
    "counts": "counts: whole numbers from {low} to {high}",
    "log1p": "log1p values (natural logarithms of 1 + x): fractions from {low} to {high}",
    "linear": "values that are neither whole nor logarithms: fractions from {low} to {high}",
    "scaled": "scaled values: some are below 0, from {low} to {high}",
    "zeros": "nothing but zeros",
}


@dataclass(frozen=True)
class ValueKind:
    """What values are taken for.

    Attributes
    ----------
    told : the reason, as the rest of a sentence
    """

    kind: Kind
    told: str


def judge(cells: Grouped) -> ValueKind:
    """Look at some rows, or at some genes where these are read with less, spread over all."""
    rows, dataset = _spread(cells.rows, _SAMPLED["obs"]), cells.dataset
    if dataset.plan(rows, None, cells.layer).axis == "obs":
        read, told = partial(dataset.rows_of, rows, cells.layer), dataset.obs_noun.counted(len(rows))
    else:
        genes = _spread(np.arange(cells.n_var), _SAMPLED["var"])
        read, told = partial(dataset.columns_of, genes, None, cells.layer), dataset.var_noun.counted(len(genes))
    kind, low, high = kind_of(np.concatenate([_values_in(block) for block in cells.ahead(read)]))
    text = _TOLD[kind].format(low=short_number(low), high=short_number(high))
    return ValueKind(kind, f"{text}, judged from {told}")


def _spread(all_: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.unique(all_[np.linspace(0, len(all_) - 1, n).astype(np.int64)])


def kind_of(values: NDArray[np.float32]) -> tuple[Kind, float, float]:
    """Return what some values, zeros among them or not, are, and the lowest and highest; NaN is nothing."""
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
