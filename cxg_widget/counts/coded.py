"""Columns as one small code per cell, for its category or bin; the interface of columns to count."""
# Changes with cxg_widget/cells/cluster/counted.py: facts of a counted column.

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


MOST_GROUPED = 1024
"""Columns of more categories are not counted by group: so many bars are too small for parts."""


@dataclass(frozen=True)
class Countable(ABC):
    """A column of n_obs cells, each with a code below `n_codes`; the last code means no value.

    categories : values of a column of categories, in order, else None
    is_categorical, ordered : whether it is a categorical, and whether its order means something
    edges : of the bins of numbers, (k + 1,), int64 for integers, else float64; empty without a number. A bin includes
        its left edge, the last one also its right edge, as in `numpy.histogram`.
    n_zeros : number of cells with the value 0
    """

    categories: tuple[Any, ...] | None
    is_categorical: bool
    ordered: bool
    edges: NDArray[Any]
    n_zeros: int

    @property
    def n_codes(self) -> int:
        """Number of codes, including that of missing values."""
        return (max(self.edges.size - 1, 0) if self.categories is None else len(self.categories)) + 1

    @property
    def is_grouped(self) -> bool:
        """Whether it has few enough categories to be counted by the groups of another column."""
        return self.categories is not None and len(self.categories) <= MOST_GROUPED

    is_at_hand = True
    """Whether the codes are still available."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held in this process."""

    @abstractmethod
    def tally(self, states: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
        """Count cells by code and the lowest bits of their states, (n_codes, 2 ** bits); states as `put_states`."""

    @abstractmethod
    def keys(self, states: NDArray[np.uint8], bits: int) -> Any:
        """Return the keys of all cells under a brush on this column, as `put_keys`, for `pair_counts`."""

    @abstractmethod
    def pair_counts(self, keys: Any, n_keys: int, rows: Sequence[int]) -> NDArray[np.int64]:
        """Count cells by key and code, (n_keys, n_rows).

        rows : requested codes; for numbers all
        """

    @abstractmethod
    def at(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes of some rows, in their order."""

    @abstractmethod
    def look_up(self, table: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Look up each cell's code, (n_obs,), in a table (n_codes,)."""


MOST_BINS = 64
"""Most bins of a numeric column; fewer if it has fewer values."""


@dataclass(frozen=True)
class CodedColumn(Countable):
    """A column with its codes in this process.

    codes : uint8 or uint16 (n_obs,)
    """

    codes: NDArray[np.uint8 | np.uint16]

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.codes.nbytes + self.edges.nbytes

    def tally(self, states: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
        """Count cells by code and state, see `Countable`."""
        return _tally(self.codes, self.n_codes, states, bits)

    def keys(self, states: NDArray[np.uint8], bits: int) -> NDArray[np.uint16]:
        """Return the keys of all cells, uint16 (n_obs,), see `Countable`."""
        from cxg_widget.compute.compiled import frozen
        from cxg_widget.counts.count_loops import put_keys

        keys = np.empty(self.codes.size, dtype=np.uint16)
        put_keys(frozen(self.codes), self.n_codes, frozen(states), bits, keys)
        return keys

    def pair_counts(self, keys: NDArray[np.uint16], n_keys: int, rows: Sequence[int]) -> NDArray[np.int64]:
        """Count cells by key and code, see `Countable`."""
        n_rows = self.n_codes if self.categories is None else len(rows)
        # The loop of `tally` counts keys by requested rows as it counts codes by states; all other rows share the last
        # place.
        places = np.full(self.n_codes, n_rows, dtype=np.uint8)
        places[slice(None) if self.categories is None else list(rows)] = np.arange(n_rows)
        of_cells = self.codes if self.categories is None else places[self.codes]
        return _tally(keys, n_keys, of_cells.astype(np.uint8, copy=False), n_rows.bit_length())[:, :n_rows]

    def at(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes of some rows."""
        found: NDArray[np.uint8 | np.uint16] = self.codes[rows]
        return found

    def look_up(self, table: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Look up each cell's code in a table."""
        return table[self.codes]


def _tally(
    codes: NDArray[np.uint8 | np.uint16], n_codes: int, states: NDArray[np.uint8], bits: int
) -> NDArray[np.int64]:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import tally

    # uint32 counts 4 billion cells, and halves the bytes that the loop writes.
    tables = np.zeros((4, n_codes << bits), dtype=np.uint32)
    tally(frozen(codes), frozen(states), bits, tables)
    counts: NDArray[np.int64] = tables.sum(axis=0, dtype=np.int64).reshape(n_codes, -1)
    return counts


def read_coded(dataset: Dataset, source: str, name: str, layer: str | None = None) -> CodedColumn:
    """Read a column as codes.

    source : "obs", or "var" for a gene of the layer, None = X
    """
    if source == "var":
        return of_numbers(dataset.vector(name, layer).dense(dataset.n_obs))
    column = dataset.obs_columns.get(name)
    if column is not None and column.kind in ("int", "float"):
        return of_numbers(dataset.numbers(name))
    return of_codes(dataset.codes(name), is_categorical=column is not None and column.kind == "categorical")


def of_codes(codes: Codes, *, is_categorical: bool = True) -> CodedColumn:
    """Return categories as their own codes."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import put_category_codes

    n = len(codes.categories)
    found = _empty(codes.codes.size, n + 1)
    put_category_codes(frozen(codes.codes), n, found)
    return CodedColumn(codes.categories, is_categorical, codes.ordered, np.empty(0), 0, found)


@dataclass(frozen=True)
class Ends:
    """Lowest and highest finite number of some cells, inf and -inf if there are none; and the number of zeros."""

    low: float
    high: float
    n_zeros: int

    def joined(self, other: Ends) -> Ends:
        """Return those of the cells of both."""
        return Ends(min(self.low, other.low), max(self.high, other.high), self.n_zeros + other.n_zeros)


def ends_of(values: NDArray[Any]) -> Ends:
    """Return the ends of numbers (n,), integers as int."""
    from cxg_widget.counts.count_loops import finite_ends

    if not values.size:
        return Ends(math.inf, -math.inf, 0)
    are_whole = values.dtype.kind in "iu"
    low, high = (int(values.min()), int(values.max())) if are_whole else finite_ends(_compilable(values))
    return Ends(low, high, values.size - int(np.count_nonzero(values)))


def of_numbers(values: NDArray[Any], ends: Ends | None = None) -> CodedColumn:
    """Return numbers (n,) as codes of equal bins; integers as bins of equally many integers, one each if few.

    ends : of all cells, if these are only some
    """
    ends = ends or ends_of(values)
    if ends.low > ends.high:
        return _of_bins(np.zeros(values.size, dtype=np.uint8), np.empty(0), ends)
    return _of_integers(values, ends) if values.dtype.kind in "iu" else _of_floats(values, ends)


def _of_integers(values: NDArray[Any], ends: Ends) -> CodedColumn:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import put_integer_bins

    # Python integers: the range of int64 numbers may exceed int64.
    low, high = int(ends.low), int(ends.high)
    width = -(-(high - low + 1) // MOST_BINS)
    n_bins = -(-(high - low + 1) // width)
    edges = [low + width * at for at in range(n_bins + 1)]
    fits = edges[-1] <= np.iinfo(np.int64).max
    found = _empty(values.size, n_bins + 1)
    # Differences modulo 2**64 are right for any signs.
    put_integer_bins(frozen(values), np.uint64(low % 2**64), np.uint64(width), found)
    return _of_bins(found, np.array(edges, dtype=np.int64 if fits else np.float64), ends)


def _of_floats(values: NDArray[Any], ends: Ends) -> CodedColumn:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import put_float_bins

    edges = float_edges(ends.low, ends.high)
    found = _empty(values.size, edges.size)
    # Halved, since the whole range may be infinite. An infinite scale is corrected by the edges.
    half = float(edges[-1] / 2 - edges[0] / 2)
    scale = (edges.size - 1) / half if half else math.inf
    put_float_bins(_compilable(values), frozen(edges), scale if math.isfinite(scale) else 0.0, found)
    return _of_bins(found, edges, ends)


def _compilable(values: NDArray[Any]) -> NDArray[Any]:
    from cxg_widget.compute.compiled import frozen

    return frozen(values.astype(np.float32) if values.dtype.itemsize < 4 else values)


def float_edges(low: float, high: float) -> NDArray[np.float64]:
    """Return edges of equal bins between two finite numbers; fewer if there are too few floats between them."""
    if low == high:
        around = np.array([low - 0.5, low + 0.5])
        return around if around[0] < low < around[1] else np.array([low, low])
    part = np.arange(MOST_BINS + 1) / MOST_BINS
    edges = low + part * (high - low) if math.isfinite(high - low) else low * (1 - part) + high * part
    edges[-1] = high
    # Between two neighboring floats there are fewer numbers than bins.
    return np.unique(np.minimum(edges, high))


def _empty(n: int, n_codes: int) -> NDArray[np.uint8 | np.uint16]:
    return np.empty(n, dtype=np.uint8 if n_codes <= 256 else np.uint16)


def _of_bins(codes: NDArray[np.uint8 | np.uint16], edges: NDArray[Any], ends: Ends) -> CodedColumn:
    return CodedColumn(None, False, True, edges, ends.n_zeros, codes)
