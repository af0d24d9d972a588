"""Reads the expression matrix of a CXG in any layout: one var, several vars, or neighboring lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, join
from cxg_widget.datasets.base.matrix_contract import Grain, Positions, covering
from cxg_widget.datasets.base.vectors import together
from cxg_widget.datasets.cxg.layouts import SHIFT, Axis, ByColumn, Cells, Entries, Layout
from cxg_widget.datasets.cxg.parts import never_written
from cxg_widget.datasets.cxg.planes import Dense, Sparse
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore, InvalidStore

_CELL_BYTES = 40
"""Temporary bytes per cell while the reader separates several columns."""


class CxgMatrix:
    """The expression matrix; the arrays in the store determine its layout, since the version string does not.

    With `X_col_shift` the store has *original - shift*, so the value of a cell that is not stored is the shift.

    children : {name below the root: TileDB type}
    shape : (n_obs, n_var)
    note : called with a sentence for the user, at opening, or in remote storage when a var is first read
    cache : of the dataset, for columns that were read along with others
    """

    def __init__(
        self,
        arrays: Arrays,
        children: Mapping[str, str],
        shape: tuple[int, int],
        note: Callable[[str], None],
        cache: ByteCache,
    ) -> None:
        self._arrays = arrays
        self._cache = cache
        self._note = note
        self._shape = shape
        self._shifted = children.get(SHIFT) == "array"
        self.problem: Exception | None = None
        self._layout: Layout | None = None
        self._children: Mapping[str, str] | None = children
        self._looking = Lock()
        if not arrays.is_remote:
            self._look()

    def prepare(self) -> None:
        """Open the arrays ahead, so that a var takes as few requests as possible; errors as `vector`."""
        self._usable().prepare()
        if self._shifted:
            self._shifts(np.array([0]))

    def vector(self, position: int) -> Vector:
        """Read one var."""
        return self._vector(position, self._usable().column(position, None))

    def block(self, position: int, start: int, stop: int) -> Vector | None:
        """Read the rows start <= row < stop of one var, relative to `start`; None if the layout cannot read rows."""
        layout = self._usable()
        if not layout.has_rows:
            return None
        if start == stop:
            return Vector(np.empty(0, dtype=np.float32))
        return self._vector(position, layout.column(position, (start, stop)), start)

    @property
    def is_by_row(self) -> bool:
        """Whether one var requires reading almost the whole matrix, so that several are read together."""
        return self._usable().is_by_row

    def several(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the rows start <= row < stop of distinct vars, relative to `start`; errors as `vector`."""
        for some in together(positions, _CELL_BYTES * (stop - start)):
            for position, cells in zip(some, self._usable().columns(some, start, stop), strict=True):
                yield self._vector(position, cells, start)

    @property
    def axis(self) -> Axis:
        """Axis along which lines are read fast; always "var" in remote storage, without a lookup."""
        return "var" if self._layout is None else self._layout.axis

    def describe(self) -> dict[str, Any]:
        """Return layout, dtype and number of values, for JSON."""
        self._look()
        layout = self._layout
        if layout is None:
            return {"layout": None}
        type_ = next(type_ for name, type_ in layout.stored.types.items() if name not in ("obs", "var"))
        found = {"matrix_type": str(type_), "column_shift": self._shifted} | layout.describe()
        return found | ({"stored_values": self._count_stored(layout.path)} if layout.stored.is_sparse else {})

    def lines(self, start: int, stop: int) -> MatrixBlock:
        """Read lines along `axis`; errors as `vector`."""
        layout = self._usable()
        by_row = layout.axis == "obs"
        shape = stop - start, self._shape[1 if by_row else 0]
        if start == stop:
            return MatrixBlock.of_dense(np.empty(shape, dtype=np.float32))
        found = layout.lines(start, stop)
        shift = self._shifts() if self._shifted else np.zeros(self._shape[1], dtype=np.float32)
        added = shift if by_row else shift[start:stop, None]
        if isinstance(found, tuple):
            block = MatrixBlock.of_entries(shape, *self._checked(found, layout, start, shape))
            if not added.any():
                return block
            found = block.csr(shape[1]).toarray()
        return MatrixBlock.of_dense(found + added)

    def grain(self) -> Grain:
        """Return the portions in which the matrix is read; errors as `vector`."""
        found = self._usable().grain()
        if not self._shifted:
            return found
        n_entries = self._shape[0] * self._shape[1] if found.rows is None else found.n_entries
        return replace(found, n_entries=n_entries, both_ways=False)  # the shift makes blocks of columns dense

    def rows(self, rows: Positions) -> MatrixBlock:
        """Read some rows, ascending; a shift is the fill value of cells that are not stored. Errors as `vector`."""
        layout = self._usable()
        parts = covering(rows, layout.largest_gap("obs"), layout.most_lines("obs"))
        return join([self._some_rows(layout.cells_of_rows(some), some) for some in parts])

    def columns(self, positions: Positions, rows: Positions | None) -> MatrixBlock:
        """Read some columns, ascending, restricted to some rows; a shift makes them dense. Errors as `vector`."""
        layout = self._usable()
        parts = covering(positions, layout.largest_gap("var"), layout.most_lines("var"))
        return join([self._some_columns(layout.cells_of_columns(some, rows), some, rows) for some in parts])

    def _some_rows(self, found: Entries | NDArray[np.float32], rows: Positions) -> MatrixBlock:
        shift = self._shifts() if self._shifted else None
        if not isinstance(found, tuple):
            return DenseBlock(found if shift is None else found + shift)
        block = self._sorted(found, rows, self._shape[1], "var")
        if shift is None:
            return block
        return MatrixBlock(block.starts, block.positions, block.values + shift[block.positions], shift)

    def _some_columns(
        self, found: Entries | NDArray[np.float32], positions: Positions, rows: Positions | None
    ) -> MatrixBlock:
        shift = self._shifts()[positions, None] if self._shifted else None
        if not isinstance(found, tuple):
            return DenseBlock(found if shift is None else found + shift)
        block = self._sorted(found, positions, self._shape[0], "obs")
        block = block if rows is None else block.cut(rows, self._shape[0])
        if shift is None:
            return block
        return DenseBlock(block.dense(self._shape[0] if rows is None else len(rows)) + shift)

    def _sorted(self, entries: Entries, lines: Positions, length: int, across: str) -> MatrixBlock:
        """Return the entries of some lines, in the order of the lines, each position once."""
        line, positions, values = entries
        if len(positions) and int(positions.max()) >= length:
            held = f"the matrix refers to {across} {positions.max()} but {across} has {length} rows"
            raise InvalidStore(f"{self._arrays.uri}: {held}.")
        if (line[1:] < line[:-1]).any():
            order = np.argsort(line, kind="stable")
            line, positions, values = line[order], positions[order], values[order]
        wanted = lines.astype(line.dtype)
        first, last = np.searchsorted(line, wanted), np.searchsorted(line, wanted, side="right")
        positions = positions.view(np.int32) if positions.dtype == np.uint32 else positions
        if len(line) and int((last - first).sum()) == len(line):
            found = MatrixBlock(np.append(first, len(line)), positions, values)
        else:
            every = np.searchsorted(line, np.arange(int(lines[0]), int(lines[-1]) + 2, dtype=line.dtype))
            found = MatrixBlock(every, positions, values).take(lines - lines[0])
        return found.once(length)

    def _checked(self, entries: Entries, layout: Layout, start: int, shape: tuple[int, int]) -> Entries:
        """Return entries with lines relative to `start`; raise if a line or a position is out of range."""
        lines, positions, values = entries[0] - start, entries[1], entries[2]
        n_lines, length = shape
        if len(positions) and (int(positions.max()) >= length or int(positions.min()) < 0):
            across = "obs" if layout.axis == "var" else "var"
            held = f"the matrix refers to {across} {positions.max()} but {across} has {length} rows"
            raise InvalidStore(f"{self._arrays.uri}: {held}.")
        if len(lines) and (int(lines.min()) < 0 or int(lines.max()) >= n_lines):
            wanted = f"{layout.axis} {start} to {start + n_lines} were requested"
            raise DamagedStore(
                f"{self._arrays.uri}: {wanted}, and {layout.path} returned others; its files are damaged."
            )
        return lines, positions, values

    def _usable(self) -> Layout:
        self._look()
        if self._layout is None or self.problem is not None:
            raise _again(self.problem)
        return self._layout

    def _vector(self, position: int, cells: Cells, start: int = 0) -> Vector:
        stored, rows = cells
        values = np.asarray(stored, dtype=np.float32)
        if rows is not None:
            values, rows = self._distinct(values, rows - start)
        shift = float(self._shifts(np.array([position]))[0]) if self._shifted else 0.0
        return Vector(values + np.float32(shift) if shift else values, rows, 0.0 if rows is None else shift)

    def _look(self) -> None:
        """Find and check the layout, once; in remote storage only when a var is read, since it takes requests."""
        with self._looking:
            if self._children is None:
                return
            children, self._children = self._children, None
            try:
                self._arrays.open_ahead(name for name in ("Xc", SHIFT) if name in children)
                self._find(children)
            except DamagedStore as error:
                self.problem = error
            except BaseException:
                self._children = children
                raise

    def _find(self, children: Mapping[str, str]) -> None:
        n_obs, n_var = self._shape
        try:
            layout = find_layout(self._arrays, children, n_obs, self._note, self._cache)
        except InvalidStore as error:
            self.problem = error
            return
        if layout.shape != self._shape:
            shape = "x".join(str(length) for length in layout.shape)
            raise InvalidStore(f"{self._arrays.uri}: matrix is {shape} but obs has {n_obs} rows and var {n_var}.")
        self._layout = layout
        if min(self._shape) and (note := never_written(self._arrays, layout)):
            self._note(note)

    def _count_stored(self, path: str) -> int | None:
        """Return the number of cells of a sparse array, from the metadata of its fragments; None if they are lost."""
        try:
            return sum(fragment.n_cells for fragment in self._arrays.fragments(path))
        except DamagedStore:
            return None

    def _distinct(
        self, values: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Check that rows are in range, and sum duplicate cells, as scipy does."""
        n_obs = self._shape[0]
        if not len(rows):
            return values, rows
        if int(rows.max()) >= n_obs:
            raise InvalidStore(f"{self._arrays.uri}: the matrix refers to obs {rows.max()} but obs has {n_obs} rows.")
        seen = np.zeros(n_obs, dtype=bool)
        seen[rows] = True
        if np.count_nonzero(seen) == len(rows):
            return values, rows
        distinct = np.flatnonzero(seen)
        total = np.zeros(n_obs, dtype=np.float32)
        np.add.at(total, rows, values)
        return total[distinct], distinct.astype(np.int64)

    def _shifts(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        array = self._arrays.array(SHIFT)
        if array.schema.shape != (self._shape[1],):
            raise InvalidStore(
                f"{self._arrays.uri}: X_col_shift has the shape {array.schema.shape}; var has {self._shape[1]} rows."
            )
        name = array.schema.attr(0).name
        return np.asarray(self._arrays.column(SHIFT, name, positions), dtype=np.float32)


def _again(problem: Exception | None) -> Exception:
    """Return a new exception of the same kind: one object raised in several threads would collect all tracebacks."""
    return type(problem)(*problem.args) if problem is not None else InvalidStore("no expression matrix.")


def find_layout(
    arrays: Arrays, children: Mapping[str, str], n_obs: int, note: Callable[[str], None], cache: ByteCache
) -> Layout:
    """Return the layout from which columns are read."""
    if children.get("Xc") == "array":
        return ByColumn(arrays, children, n_obs, note, cache)
    if children.get("X") == "array":
        return (Sparse if arrays.schema("X").sparse else Dense)(arrays, children, n_obs, note)
    found = "has Xr without Xc" if "Xr" in children else "no expression matrix (need X, or Xr and Xc)"
    raise InvalidStore(f"{arrays.uri}: {found}; its values cannot be read.")
