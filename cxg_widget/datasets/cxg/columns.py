"""Several columns of `X` in one read, where a store keeps cells together and each read goes through all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_access.results import select, values_of

Cells = tuple[NDArray[np.float32], NDArray[np.int64] | None]
"""Values of a column and their rows; None = all rows."""


def read_columns(array: Any, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
    """Read the rows start <= row < stop of distinct columns of `X`, sparse or dense.

    In memory are all of their cells at once; the caller asks for no more columns than fit.
    """
    read = _of_sparse if array.schema.sparse else _of_dense
    return read(array, positions, slice(start, stop - 1))


def _of_sparse(array: Any, positions: Sequence[int], rows: slice) -> list[Cells]:
    names = [array.schema.domain.dim(number).name for number in (0, 1)]
    value = array.schema.attr(0).name
    query = array.query(order="U", attrs=select(array, value), dims=names)
    found = query.multi_index[rows, sorted(positions)]
    columns = found[names[1]].astype(np.int64)
    order = np.argsort(columns, kind="stable")
    values = next(found[name] for name in found if name not in names)[order]
    rows_found = found[names[0]].astype(np.int64)[order]
    cuts = [np.searchsorted(columns[order], (position, position + 1)).tolist() for position in positions]
    return [(values[first:last].copy(), rows_found[first:last].copy()) for first, last in cuts]


def _of_dense(array: Any, positions: Sequence[int], rows: slice) -> list[Cells]:
    query = array.query(attrs=select(array, array.schema.attr(0).name))
    listed = sorted(positions)
    found = values_of(query.multi_index[rows, listed]).reshape(-1, len(listed))
    return [(found[:, listed.index(position)].copy(), None) for position in positions]
