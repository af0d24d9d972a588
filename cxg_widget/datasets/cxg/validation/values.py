"""Summarizes all values of an array, read in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_access.arrays import Arrays, select, values_of

_CELLS = 4_000_000


@dataclass
class NumberSummary:
    """Lowest and highest finite number, None if there is none, and the count of infinite ones."""

    low: float | int | None = None
    high: float | int | None = None
    n_infinite: int = 0

    def look_at(self, values: NDArray[Any]) -> None:
        """Include more values; text is ignored."""
        if values.dtype.kind not in "iufb" or not values.size:
            return
        if values.dtype.kind == "f":
            self.n_infinite += int(np.isinf(values).sum())
            values = values[np.isfinite(values)]
        if values.size:
            low, high = values.min().item(), values.max().item()
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)


@dataclass
class CellSummary:
    """Summary of the cells of a sparse matrix.

    n_values : number of cells with a value other than 0
    digest : checksum of these cells, independent of their order
    highest : highest position along the axis other than the first dimension, -1 if there is none
    lowest : lowest such position, 0 if none is negative
    """

    n_values: int = 0
    digest: int = 0
    highest: int = -1
    lowest: int = 0


def summarize_column(arrays: Arrays, path: str, name: str) -> NumberSummary:
    """Summarize one column of obs or var."""
    found, rows = NumberSummary(), _rows(arrays.schema(path))
    for start in range(rows.start, rows.stop, _CELLS):
        found.look_at(arrays.column_block(path, name, start, min(start + _CELLS, rows.stop)))
    return found


def summarize_dense(arrays: Arrays, path: str) -> NumberSummary:
    """Summarize a dense array of one or two dimensions, read in bands of rows."""
    found, array = NumberSummary(), arrays.array(path)
    rows, tile = _rows(array.schema), int(array.schema.domain.dim(0).tile or 1)
    width = int(np.prod(array.schema.shape[1:], dtype=np.int64))
    step = max(1, _CELLS // (tile * width)) * tile
    query = array.query(attrs=select(array, array.schema.attr(0).name))
    for start in range(rows.start, rows.stop, step):
        band = slice(start, min(start + step, rows.stop))
        found.look_at(values_of(arrays.read(array, path, partial(query.__getitem__, band))))
    return found


def summarize_cells(arrays: Arrays, path: str) -> CellSummary | None:
    """Summarize a sparse matrix, read in bands of its first dimension; None if its attributes do not fit."""
    array, found = arrays.array(path), CellSummary()
    schema = array.schema
    dims = [schema.domain.dim(number).name for number in range(schema.ndim)]
    attrs = [schema.attr(number).name for number in range(schema.nattr)]
    across = dims[1] if schema.ndim > 1 else next((name for name in attrs if name in ("obs", "var")), None)
    value = next((name for name in attrs if name != across), None)
    if value is None or across is None:
        return None
    query = array.query(attrs=select(array, value) if schema.ndim > 1 else [value, across], dims=dims, order="U")
    for start, stop in _bands(arrays, path, int(schema.shape[0])):
        cells = arrays.read(array, path, partial(query.multi_index.__getitem__, slice(start, stop - 1)))
        _add(found, cells[dims[0]], cells[across], cells[value], by_obs=path != "Xc")
    return found


def _rows(schema: Any) -> range:
    first, last = schema.domain.dim(0).domain
    return range(int(first), int(last) + 1)


def _bands(arrays: Arrays, path: str, n: int) -> Iterator[tuple[int, int]]:
    n_cells = sum(fragment.n_cells for fragment in arrays.fragments(path))
    step = max(1, n * _CELLS // max(1, n_cells, _CELLS))
    for start in range(0, n, step):
        yield start, min(start + step, n)


def _add(found: CellSummary, along: NDArray[Any], across: NDArray[Any], values: NDArray[Any], *, by_obs: bool) -> None:
    if across.size and across.dtype.kind in "iu":
        found.highest = max(found.highest, int(across.max()))
        found.lowest = min(found.lowest, int(across.min()))
    kept = values != 0
    found.n_values += int(np.count_nonzero(kept))
    obs, var = (along, across) if by_obs else (across, along)
    bits = np.ascontiguousarray(values[kept], dtype=np.float32).view(np.uint32).astype(np.uint64)
    where = (obs[kept].astype(np.uint64) << np.uint64(32)) ^ var[kept].astype(np.uint64)
    found.digest = (found.digest + int(_mixed(_mixed(where) ^ bits).sum(dtype=np.uint64))) % 2**64


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits, so that different cells have different sums (the finalizer of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)), dtype=np.uint64)
