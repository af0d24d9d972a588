"""The expression matrix of a CXG: which of its layouts is there, and one var out of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.vectors import together
from cxg_widget.datasets.cxg.columns import Cells, read_columns
from cxg_widget.datasets.cxg.filled import never_written
from cxg_widget.datasets.cxg.lines import Axis, Lines, quick_axis
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.results import select, values_of
from cxg_widget.errors import DamagedStore, InvalidStore

_CELL_BYTES = 40
"""What a cell of several columns takes while they are told apart."""


class Matrix:
    """X by var, found by looking at the store: the version string does not tell the layout.

    The layouts are `Xc` (sparse, one dimension: var), sparse `X` (obs, var) and dense `X` (obs, var). With
    `X_col_shift` the store holds *original - shift*, so that the cells it leaves out are worth the shift.

    Parameters
    ----------
    arrays : the open store
    children : names below its root and their types
    shape : (n_obs, n_var)
    note : takes a sentence for the user, at opening, or in storage far away when a var is read

    Raises
    ------
    InvalidStore
        If the matrix has another shape than obs and var.
    """

    def __init__(
        self, arrays: Arrays, children: Mapping[str, str], shape: tuple[int, int], note: Callable[[str], None]
    ) -> None:
        self._arrays = arrays
        self._note = note
        self._shape = shape
        self._shifted = children.get("X_col_shift") == "array"
        self.problem: Exception | None = None
        self._read_cells: Callable[[int], Cells] | None = None
        self._lines: Lines | None = None
        self._children: Mapping[str, str] | None = children
        self._looking = Lock()
        if not arrays.is_remote:
            self._look()

    def vector(self, position: int) -> Vector:
        """Read one var.

        Raises
        ------
        InvalidStore
            If there is no matrix that can be read by var, or it contradicts obs.
        DamagedStore
            If its files are missing or damaged.
        """
        return self._vector(position, self._reader()(position))

    def block(self, position: int, start: int, stop: int) -> Vector | None:
        """Read the rows start <= row < stop of one var, counted from `start`; None where the layout has no rows."""
        if self._reader() == self._column_of_xc:
            return None
        if start == stop:
            return Vector(np.empty(0, dtype=np.float32))
        read = self._column_of_dense if self._read_cells == self._column_of_dense else self._column_of_sparse
        values, rows = read(position, (start, stop))
        return self._vector(position, (values, None if rows is None else rows - start))

    @property
    def is_by_row(self) -> bool:
        """Whether a var takes a look at about all of the matrix, so that several are read together."""
        if self._reader() == self._column_of_xc:
            return False
        return quick_axis(self._arrays.schema("X")) == "obs"

    def several(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the rows start <= row < stop of distinct vars of `X`, counted from `start`; errors as `vector`."""
        for some in together(positions, _CELL_BYTES * (stop - start)):
            array = self._arrays.array("X")
            found = self._read("X", some, partial(read_columns, array, some, start, stop))
            for position, (values, rows) in zip(some, found, strict=True):
                yield self._vector(position, (values, None if rows is None else rows - start))

    @property
    def axis(self) -> Axis:
        """Along which axis lines are read fast; in storage far away not looked up, and "var"."""
        return self._lines.axis if self._lines is not None else "var"

    @property
    def path(self) -> str:
        """The array that is read, "" where there is none."""
        self._look()
        return "" if self._lines is None else self._lines.path

    def lines(self, start: int, stop: int) -> MatrixBlock:
        """Read lines along `axis`; errors as `vector`."""
        self._reader()
        assert self._lines is not None
        return self._lines.read(start, stop, self._shifts() if self._shifted else np.empty(0, dtype=np.float32))

    def _reader(self) -> Callable[[int], Cells]:
        self._look()
        if self._read_cells is None or self.problem is not None:
            raise _again(self.problem)
        return self._read_cells

    def _vector(self, position: int, cells: Cells) -> Vector:
        stored, rows = cells
        values = np.asarray(stored, dtype=np.float32)
        if rows is not None:
            values, rows = self._distinct(values, rows)
        shift = self._shift(position)
        return Vector(values + np.float32(shift) if shift else values, rows, 0.0 if rows is None else shift)

    def _look(self) -> None:
        """Find and check the layout, once; in storage far away only when a var is read, since it takes requests."""
        with self._looking:
            if self._children is None:
                return
            children = self._children
            self._arrays.open_ahead(name for name in ("Xc", "X_col_shift") if name in children)
            try:
                self._read_cells = self._choose(children)
                self._check_shape(children)
                if self._read_cells is not None:
                    path = "Xc" if self._read_cells == self._column_of_xc else "X"
                    self._lines = Lines(self._arrays, path, self._shape, by_column=self._arrays.is_remote)
                    if min(self._shape) and (told := never_written(self._arrays, children, path)):
                        self._note(told)
            except DamagedStore as error:
                self.problem = error
            self._children = None

    def _choose(self, children: Mapping[str, str]) -> Callable[[int], Cells] | None:
        if children.get("Xc") == "array":
            return self._column_of_xc
        if children.get("X") == "array":
            return self._column_of_sparse if self._arrays.schema("X").sparse else self._column_of_dense
        found = "has Xr without Xc" if "Xr" in children else "no expression matrix (need X, or Xr and Xc)"
        self.problem = InvalidStore(f"{self._arrays.uri}: {found}; values cannot be read.")
        return None

    def _check_shape(self, children: Mapping[str, str]) -> None:
        n_obs, n_var = self._shape
        found = [*self._shape]
        if self._read_cells == self._column_of_xc:
            found[1] = self._arrays.schema("Xc").shape[0]
            if children.get("Xr") == "array" and not self._arrays.is_remote:
                found[0] = self._arrays.schema("Xr").shape[0]
        elif self._read_cells is not None:
            found = [*self._arrays.schema("X").shape]
        if found != [n_obs, n_var]:
            shape = "x".join(str(length) for length in found)
            raise InvalidStore(f"{self._arrays.uri}: matrix is {shape} but obs has {n_obs} rows and var {n_var}.")

    def _column_of_xc(self, position: int) -> Cells:
        array = self._arrays.array("Xc")
        names = [array.schema.attr(number).name for number in range(array.schema.nattr)]
        if "obs" not in names or len(names) < 2:
            raise InvalidStore(f"{self._arrays.uri}: Xc has the attributes {names}; it needs '' and 'obs'.")
        value = next(name for name in names if name != "obs")
        self._arrays.array("Xc", value, "obs", array.schema.domain.dim(0).name)
        query = partial(array.query, order="U", attrs=[value, "obs"], dims=False)
        found = self._read("Xc", [position], lambda: query().multi_index[[position]])
        return found[value], found["obs"].astype(np.int64)

    def _column_of_sparse(self, position: int, block: tuple[int, int] | None = None) -> Cells:
        array = self._arrays.array("X")
        row, value = array.schema.domain.dim(0).name, array.schema.attr(0).name
        self._arrays.array("X", value, row)
        query = partial(array.query, order="U", attrs=select(array, value), dims=[row])
        rows = slice(block[0], block[1] - 1) if block else slice(None)
        found = self._read("X", [position], lambda: query().multi_index[rows, [position]])
        return values_of(found, row), found[row].astype(np.int64)

    def _column_of_dense(self, position: int, block: tuple[int, int] | None = None) -> Cells:
        array = self._arrays.array("X")
        name = array.schema.attr(0).name
        self._arrays.array("X", name)
        query = partial(array.query, attrs=select(array, name))
        rows = slice(*block) if block else slice(None)
        return values_of(self._read("X", [position], lambda: query()[rows, position])), None

    def _distinct(
        self, values: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Check that rows are in range, and add up cells that the store holds twice, as scipy does."""
        n_obs = self._shape[0]
        if not len(rows):
            return values, rows
        if int(rows.max()) >= n_obs:
            raise InvalidStore(f"{self._arrays.uri}: the matrix names obs {rows.max()} but obs has {n_obs} rows.")
        seen = np.zeros(n_obs, dtype=bool)
        seen[rows] = True
        if np.count_nonzero(seen) == len(rows):
            return values, rows
        distinct = np.flatnonzero(seen)
        total = np.zeros(n_obs, dtype=np.float32)
        np.add.at(total, rows, values)
        return total[distinct], distinct.astype(np.int64)

    def _shift(self, position: int) -> float:
        return float(self._shifts(np.array([position]))[0]) if self._shifted else 0.0

    def _shifts(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        array = self._arrays.array("X_col_shift")
        if array.schema.shape != (self._shape[1],):
            raise InvalidStore(
                f"{self._arrays.uri}: X_col_shift has the shape {array.schema.shape}; var has {self._shape[1]} rows."
            )
        name = array.schema.attr(0).name
        return np.asarray(self._arrays.column("X_col_shift", name, positions), dtype=np.float32)

    def _read(self, path: str, positions: Sequence[int], query: Callable[[], Any]) -> Any:
        what = f"expression column {', '.join(map(str, positions[:4]))} of {path}"
        return self._arrays.read(self._arrays.array(path), what, query)


def _again(problem: Exception | None) -> Exception:
    """Return a new exception of the same kind: one object raised in several threads would gather their tracebacks."""
    return type(problem)(*problem.args) if problem is not None else InvalidStore("no expression matrix.")
