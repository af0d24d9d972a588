"""A column as one small code a cell: its category, or the bin of its number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

BINS = 64
"""Most bins of numbers."""
MOST_GROUPED = 1024
"""Columns of more categories are not counted by group: nobody could tell the parts of so many bars."""


@dataclass(frozen=True)
class CodedColumn:
    """A column of n_obs cells, each with a code below `n_codes`, the last one for cells without a value.

    Attributes
    ----------
    codes : uint8 or uint16 (n_obs,)
    categories : the values of a column that has some, in their order, else None
    is_categorical, ordered : whether they are those of a categorical, and their order means something
    edges : of the bins of numbers, (k + 1,), int64 of integers, else float64; empty where there is no number. A bin
        holds its left edge and not its right one, but for the last, which holds both, as `numpy.histogram` has it.
    n_zeros : how many cells have the number 0
    """

    codes: NDArray[np.uint8 | np.uint16]
    categories: tuple[Any, ...] | None
    is_categorical: bool
    ordered: bool
    edges: NDArray[Any]
    n_zeros: int = 0

    @property
    def n_codes(self) -> int:
        """How many codes there are, that of missing ones included."""
        return (max(self.edges.size - 1, 0) if self.categories is None else len(self.categories)) + 1

    @property
    def is_grouped(self) -> bool:
        """Whether its categories are few enough to be counted by the groups of another column."""
        return self.categories is not None and len(self.categories) <= MOST_GROUPED

    @property
    def nbytes(self) -> int:
        """How many bytes it holds."""
        return self.codes.nbytes + self.edges.nbytes


def read_coded(dataset: Dataset, source: str, name: str, layer: str | None = None) -> CodedColumn:
    """Read a column, and code it.

    Parameters
    ----------
    source : "obs", or "var" for a gene of the layer, None = X

    Raises
    ------
    CxgWidgetError
        If there is no such column, it cannot be read, or it has more than 65,534 distinct texts.
    """
    if source == "var":
        return of_numbers(dataset.vector(name, layer).dense(dataset.n_obs))
    column = dataset.obs_columns.get(name)
    if column is not None and column.kind in ("int", "float"):
        return of_numbers(dataset.numbers(name))
    return of_codes(dataset.codes(name), is_categorical=column is not None and column.kind == "categorical")


def of_codes(codes: Codes, *, is_categorical: bool = True) -> CodedColumn:
    """Code categories: by their own codes."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.kernels import put_category_codes

    n = len(codes.categories)
    found = _empty(codes.codes.size, n + 1)
    put_category_codes(frozen(codes.codes), n, found)
    return CodedColumn(found, codes.categories, is_categorical, codes.ordered, np.empty(0))


def of_numbers(values: NDArray[Any]) -> CodedColumn:
    """Code numbers (n,): by equal bins, of integers by bins of equally many integers, one where there are few."""
    if not values.size:
        return _of_bins(np.empty(0, dtype=np.uint8), np.empty(0))
    coded = _of_integers(values) if values.dtype.kind in "iu" else _of_floats(values)
    return replace(coded, n_zeros=values.size - int(np.count_nonzero(values)))


def _of_integers(values: NDArray[Any]) -> CodedColumn:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.kernels import put_integer_bins

    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // BINS)
    n_bins = -(-(high - low + 1) // width)
    edges = [low + width * at for at in range(n_bins + 1)]
    fits = edges[-1] <= np.iinfo(np.int64).max
    found = _empty(values.size, n_bins + 1)
    put_integer_bins(frozen(values), np.uint64(low % 2**64), np.uint64(width), found)
    return _of_bins(found, np.array(edges, dtype=np.int64 if fits else np.float64))


def _of_floats(values: NDArray[Any]) -> CodedColumn:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.kernels import finite_ends, put_float_bins

    values = frozen(values.astype(np.float32) if values.dtype.itemsize < 4 else values)
    low, high = finite_ends(values)
    if low > high:
        return _of_bins(np.zeros(values.size, dtype=np.uint8), np.empty(0))
    edges = float_edges(low, high)
    found = _empty(values.size, edges.size)
    half = float(edges[-1] / 2 - edges[0] / 2)
    scale = (edges.size - 1) / half if half else math.inf
    put_float_bins(values, frozen(edges), scale if math.isfinite(scale) else 0.0, found)
    return _of_bins(found, edges)


def float_edges(low: float, high: float) -> NDArray[np.float64]:
    """Return edges of equal bins between two finite numbers, fewer where there are fewer numbers."""
    if low == high:
        around = np.array([low - 0.5, low + 0.5])
        return around if around[0] < low < around[1] else np.array([low, low])
    part = np.arange(BINS + 1) / BINS
    edges = low + part * (high - low) if math.isfinite(high - low) else low * (1 - part) + high * part
    edges[-1] = high
    return np.unique(np.minimum(edges, high))


def _empty(n: int, n_codes: int) -> NDArray[np.uint8 | np.uint16]:
    return np.empty(n, dtype=np.uint8 if n_codes <= 256 else np.uint16)


def _of_bins(codes: NDArray[np.uint8 | np.uint16], edges: NDArray[Any]) -> CodedColumn:
    return CodedColumn(codes, None, is_categorical=False, ordered=True, edges=edges)
