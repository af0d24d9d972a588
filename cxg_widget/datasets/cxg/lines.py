"""Neighbouring rows or columns of the matrix of a CXG in one read, for those who copy it as a whole."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.results import select, values_of
from cxg_widget.errors import DamagedStore, InvalidStore

Axis = Literal["obs", "var"]


def quick_axis(schema: Any) -> Axis:
    """Say along which axis lines of a two-dimensional `X` are read with less of it than along the other.

    TileDB reads whole tiles: a band of rows is as high as a tile, a band of columns as wide.
    """
    rows, columns = (int(schema.domain.dim(number).tile or schema.shape[number]) for number in (0, 1))
    return "obs" if rows * schema.shape[1] < columns * schema.shape[0] else "var"


class Lines:
    """The matrix by lines: rows or columns.

    Parameters
    ----------
    arrays : the open store
    path : "Xc", whose lines are columns, or "X"
    shape : (n_obs, n_var)
    by_column : lines are columns, whichever are faster to read

    Attributes
    ----------
    axis : "obs" where lines are rows, "var" where they are columns
    """

    def __init__(self, arrays: Arrays, path: str, shape: tuple[int, int], *, by_column: bool = False) -> None:
        self._arrays = arrays
        self.path = path
        schema = arrays.schema(path)
        self._sparse = bool(schema.sparse)
        self.axis: Axis = "var" if by_column or path == "Xc" else quick_axis(schema)
        self._length = shape[1 if self.axis == "obs" else 0]

    def read(self, start: int, stop: int, shift: NDArray[np.float32]) -> MatrixBlock:
        """Read the lines start <= line < stop.

        Parameters
        ----------
        shift : float32 (n_var,), what to add to each column; empty where the store has none

        Raises
        ------
        InvalidStore
            If a cell lies outside of the matrix.
        DamagedStore
            If data files are missing or damaged.
        """
        if start == stop:
            return MatrixBlock(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        array = self._arrays.array(self.path)
        what = f"expression {self.axis} {start} to {stop} of {self.path}"
        if not self._sparse:
            dense = self._arrays.read(array, what, lambda: _dense_lines(array, self.axis, start, stop))
            return self._shifted(dense, start, shift)
        read = partial(_cells, array, self.path, self.axis, start, stop)
        lines, positions, values = self._arrays.read(array, what, read)
        return self._from_cells(lines - start, positions, values, (start, stop), shift)

    def _from_cells(
        self,
        lines: NDArray[np.int64],
        positions: NDArray[np.int64],
        values: NDArray[np.float32],
        bounds: tuple[int, int],
        shift: NDArray[np.float32],
    ) -> MatrixBlock:
        n_lines, length = bounds[1] - bounds[0], self._length
        if len(positions) and (int(positions.max()) >= length or int(positions.min()) < 0):
            across = "obs" if self.axis == "var" else "var"
            held = f"the matrix names {across} {positions.max()} but {across} has {length} rows"
            raise InvalidStore(f"{self._arrays.uri}: {held}.")
        if len(lines) and (int(lines.min()) < 0 or int(lines.max()) >= n_lines):
            asked = f"{self.axis} {bounds[0]} to {bounds[1]} were asked for"
            raise DamagedStore(f"{self._arrays.uri}: {asked}, and {self.path} gave others; its files are damaged.")
        found = MatrixBlock.of_entries((n_lines, length), lines, positions, values)
        if (shift if self.axis == "obs" else shift[bounds[0] : bounds[1]]).any():
            return self._shifted(found.csr(length).toarray(), bounds[0], shift)
        return found

    def _shifted(self, values: NDArray[np.float32], start: int, shift: NDArray[np.float32]) -> MatrixBlock:
        n_lines, length = values.shape
        if shift.size:
            values = values + (shift if self.axis == "obs" else shift[start : start + n_lines, None])
        starts = np.arange(n_lines + 1, dtype=np.int64) * length
        return MatrixBlock(starts, np.tile(np.arange(length, dtype=np.int64), n_lines), values.reshape(-1))


def _dense_lines(array: Any, axis: Axis, start: int, stop: int) -> NDArray[np.float32]:
    query = array.query(attrs=select(array, array.schema.attr(0).name))
    found: Any = query[start:stop, :] if axis == "obs" else query[:, start:stop]
    values = values_of(found)
    return np.ascontiguousarray(values if axis == "obs" else values.T, dtype=np.float32)


def _cells(
    array: Any, path: str, axis: Axis, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    names = [array.schema.attr(number).name for number in range(array.schema.nattr)]
    if path == "Xc":
        value = next(name for name in names if name != "obs")
        line, across = array.schema.domain.dim(0).name, "obs"
        found = array.query(order="U", attrs=[value, "obs"], dims=[line]).multi_index[start : stop - 1]
    else:
        value = names[0]
        rows, columns = (array.schema.domain.dim(number).name for number in (0, 1))
        query = array.query(order="U", attrs=select(array, value), dims=[rows, columns])
        wanted = slice(start, stop - 1)
        found = query.multi_index[wanted, :] if axis == "obs" else query.multi_index[:, wanted]
        line, across = (rows, columns) if axis == "obs" else (columns, rows)
    values = next(found[name] for name in found if name not in (line, across))
    return found[line].astype(np.int64), found[across].astype(np.int64), np.asarray(values, dtype=np.float32)
