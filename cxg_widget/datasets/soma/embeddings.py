"""The embeddings in `obsm`: dense or sparse arrays of numbers, with a row for each joinid of obs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.soma.joinids import Joinids
from cxg_widget.datasets.tiledb_access.arrays import Arrays, read_buffers, values_of
from cxg_widget.errors import DamagedStore

_DIMS, DATA = ("soma_dim_0", "soma_dim_1"), "soma_data"


@dataclass(frozen=True)
class Embedding:
    """One embedding.

    Attributes
    ----------
    path, is_sparse : path of the array, and whether it is sparse
    width : number of axes
    last : last joinid with a value
    dtype : dtype of the numbers
    """

    path: str
    is_sparse: bool
    width: int
    last: int
    dtype: Any

    def read(self, arrays: Arrays, joinids: Joinids, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        """Return two axes of the rows start <= row < stop, NaN = no value in the store; errors as in `Arrays.read`."""
        out = np.full((stop - start, 2), np.nan, dtype=np.float32 if self.dtype.itemsize <= 4 else np.float64)
        if start == stop:
            return out
        if joinids.span(start, stop)[0] <= self.last:
            rows = np.arange(start, stop)
            (self._fill_sparse if self.is_sparse else self._fill_dense)(arrays, joinids, rows, axes, out)
        return out

    def _fill_dense(
        self, arrays: Arrays, joinids: Joinids, rows: NDArray[np.int64], axes: tuple[int, int], out: NDArray[Any]
    ) -> None:
        array = arrays.array(self.path, DATA)
        low, high = joinids.span(int(rows[0]), int(rows[-1]) + 1)
        stop = min(high, self.last) + 1

        def read() -> NDArray[Any]:
            query = array.query(attrs=[DATA])
            first, last = min(axes), max(axes)
            bands = [(first, last + 1)] if last - first <= 1 else [(first, first + 1), (last, last + 1)]
            found = [values_of(query[low:stop, band[0] : band[1]]) for band in bands]
            return np.hstack(found)[:, [0 if axis == first else -1 for axis in axes]]

        values = arrays.read(array, self.path, read)
        at = joinids.of(rows) - low
        inside = at < len(values)
        out[inside] = values[at[inside]]

    def _fill_sparse(
        self, arrays: Arrays, joinids: Joinids, rows: NDArray[np.int64], axes: tuple[int, int], out: NDArray[Any]
    ) -> None:
        array = arrays.array(self.path, *_DIMS, DATA)
        start = int(rows[0])
        ranges = [[joinids.span(start, int(rows[-1]) + 1)], sorted({(axis, axis) for axis in axes})]

        def read() -> Any:
            return read_buffers(array, [DATA], ranges, dims=_DIMS, ordered=False)

        found = arrays.read(array, self.path, read)
        places = joinids.rows(found[_DIMS[0]].numbers(np.int64)) - start
        axis, values = found[_DIMS[1]].numbers(np.int64), found[DATA].numbers(self.dtype)
        inside = (places >= 0) & (places < len(out))
        # A dense array written as a sparse one omits its zeros: a cell with only one of the two axes has 0 in the
        # other. A cell with neither is not in this measurement.
        out[places[inside]] = 0
        for column, wanted in enumerate(axes):
            some = inside & (axis == wanted)
            out[places[some], column] = values[some]


def find_embeddings(arrays: Arrays, paths: Mapping[str, str]) -> tuple[dict[str, Embedding], dict[str, str]]:
    """Return the embeddings by name without "X_", and for each unusable one a message that says why."""
    found: dict[str, Embedding] = {}
    unusable: dict[str, str] = {}
    for name, path in paths.items():
        try:
            one = _embedding(arrays, path)
        except DamagedStore as error:
            one = str(error)
        short = name.removeprefix("X_")
        known = name if not short or (short != name and short in paths) else short
        if isinstance(one, str):
            unusable[known] = one
        else:
            found[known] = one
    return found, unusable


def _embedding(arrays: Arrays, path: str) -> Embedding | str:
    schema = arrays.schema(path)
    dtype = schema.attr(0).dtype
    if schema.ndim != 2 or not schema.has_attr(DATA) or dtype.kind not in "iufb":
        return f"{path} has {schema.ndim} dimensions and dtype {dtype}; a scatterplot needs 2, of numbers."
    written = arrays.extent(path)
    if written is None:
        return f"{path} holds no values."
    (_, last), (_, axis) = written
    width = int(axis) + 1
    if width < 2:
        return f"{path} has 1 axis; a scatterplot needs 2."
    return Embedding(path, bool(schema.sparse), width, int(last), np.dtype(dtype))
