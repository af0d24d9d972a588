"""What a store implements to read its matrix: portions of reads, and the cheaper axis."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.matrix_block import MatrixBlock, rows_in_blocks, stack
from cxg_widget.datasets.base.values import Values, Vector
from cxg_widget.text.numbers import byte_size

Axis = Literal["obs", "var"]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Grain:
    """Portions in which a matrix is read, as far as known without reading it.

    Attributes
    ----------
    shape : (n_obs, n_var)
    n_entries : stored in total; for a dense matrix the number of its cells
    entry_bytes : bytes of a decoded entry
    rows : number of neighboring rows that are read for one row; None = all, so that rows are read by column
    columns : number of neighboring vars that are read for one var; None = all
    cuts : whether vars can be read for some rows only
    both_ways : whether all entries are stored twice, by row and by column
    is_dense : whether blocks of rows are dense
    is_copied : as in `Plan`
    row_starts : int64 (n_obs + 1,), number of entries before each row, if known; else rows have equally many
    """

    shape: tuple[int, int]
    n_entries: int
    entry_bytes: int
    rows: int | None = None
    columns: int | None = None
    cuts: bool = False
    both_ways: bool = False
    is_dense: bool = False
    is_copied: bool = False
    row_starts: NDArray[np.int64] | None = None

    def steps(self, rows: Positions, n_bytes: int) -> Iterator[Positions]:
        """Split rows, ascending, into parts of about `n_bytes`, with no portion read twice if possible."""
        before = self._entries_before(rows)
        # An entry takes 8 bytes (position and value), a value of a dense block 4.
        most = n_bytes // (4 if self.is_dense else 8)
        portion = self.rows or 1
        start = 0
        while start < len(rows):
            stop = max(int(np.searchsorted(before, before[start] + most, side="right")) - 1, start + 1)
            if stop < len(rows):
                whole = int(np.searchsorted(rows, int(rows[stop]) // portion * portion))
                stop = whole if whole > start else stop
            yield rows[start:stop]
            start = stop

    def bytes_of(self, axis: Axis, rows: Positions | None, positions: Positions | None) -> int:
        """Return about how many bytes are decoded to read some rows, or vars of them, along an axis."""
        total = self.n_entries * self.entry_bytes
        of_rows = _share(rows, self.rows, self.shape[0])
        if axis == "obs":
            return round(total * of_rows)
        return round(total * _share(positions, self.columns, self.shape[1]) * (of_rows if self.cuts else 1))

    def _entries_before(self, rows: Positions) -> NDArray[np.float64]:
        if self.row_starts is None:
            return np.arange(len(rows) + 1, dtype=np.float64) * np.float64(self.n_entries / max(self.shape[0], 1))
        lengths = self.row_starts[rows + 1] - self.row_starts[rows]
        return np.concatenate([[0.0], np.cumsum(lengths, dtype=np.float64)])


@dataclass(frozen=True)
class Plan:
    """The axis along which some rows of some vars take fewer bytes to read.

    Attributes
    ----------
    axis : "obs" = by `rows_of`, "var" = by `columns_of`
    n_bytes : about how many bytes are decoded along it
    other_bytes : about how many along the other axis
    why : the reason, in one sentence
    both_ways : whether the matrix can be read along the other axis in one pass too
    is_copied : whether a read only copies bytes, from arrays that are neither cut into chunks nor compressed

    Examples
    --------
    >>> plan = dataset.plan(rows=[0, 5, 9])
    >>> plan.n_bytes <= plan.other_bytes
    True
    """

    axis: Axis
    n_bytes: int
    other_bytes: int
    why: str
    both_ways: bool = False
    is_copied: bool = False


def choose(grain: Grain, rows: Positions | None, positions: Positions | None) -> Plan:
    """Return the axis along which rows of vars (None = all) are read with fewer bytes; rows if both are equal."""
    sides: tuple[Axis, Axis] = ("obs", "var")
    along = {side: grain.bytes_of(side, rows, positions) for side in sides}
    is_by_row = grain.rows is not None and along["obs"] <= along["var"]
    axis: Axis = "obs" if is_by_row else "var"
    other: Axis = "var" if is_by_row else "obs"
    names = {"obs": "row", "var": "column"}
    cells, vars_ = (_describe_lines(some, n) for some, n in zip((rows, positions), grain.shape, strict=True))
    if grain.rows is None and along["var"] == along["obs"]:
        reason = "this matrix is stored by column"
    else:
        reason = f"by {names[other]} about {byte_size(along[other])} would be read"
    why = f"{cells} obs of {vars_} var take about {byte_size(along[axis])} by {names[axis]}; {reason}."
    return Plan(axis, along[axis], along[other], why, grain.both_ways, grain.is_copied)


def covering(lines: Positions, largest_gap: int, most: int) -> Iterator[Positions]:
    """Split lines, ascending, into parts that cover about `most`; gaps up to `largest_gap` are covered too."""
    if not len(lines):
        return
    gaps = np.diff(lines)
    part = np.cumsum(np.where(gaps <= largest_gap, gaps, 1)) // most
    yield from np.split(lines, np.flatnonzero(np.diff(part, prepend=0)) + 1)


def _share(lines: Positions | None, portion: int | None, n: int) -> float:
    """Return the share of n lines in portions that contain some of `lines`, which ascend."""
    if lines is None or n == 0:
        return 1.0
    if not len(lines):
        return 0.0
    if portion is None:
        return 1.0
    if portion == 1:
        return len(lines) / n
    n_portions = 1 + np.count_nonzero(np.diff(lines // portion))
    return min(float(n_portions) * portion / n, 1.0)


def _describe_lines(lines: Positions | None, n: int) -> str:
    return f"all {n:,}" if lines is None or len(lines) == n else f"{len(lines):,} of {n:,}"


class MatrixContract(ABC):
    """Methods of a store with vars: `_read_var`, and `_read_vector` or `_read_vectors`; see `Contract`."""

    n_obs: int
    n_var: int
    major_axis: Literal["obs", "var"]
    _lifetime: Lifetime

    def _read_var(self, name: str) -> Values:
        """Read one var column (n_var,), including the index column, as `_read_obs` does."""
        raise NotImplementedError

    def cells_in(self, layer: str | None) -> NDArray[np.bool_] | None:  # noqa: ARG002 - most have values of all cells
        """Return which cells have values in a layer, bool (n_obs,); None = all of them, or unknown.

        Examples
        --------
        >>> dataset.cells_in(None) is None
        True
        """
        return None

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        """Read gene sets; by default none."""
        return {}

    def _read_vector(self, position: int, layer: str | None) -> Vector:
        """Read the var at `position` over all obs, sparse if the store is; NaN = not measured, None = main matrix.

        By default by `_read_vectors`; a store with vars implements one of the two.
        """
        return next(self._read_vectors([position], layer))

    def _prepare_vectors(self) -> None:  # noqa: B027 - most stores have nothing to prepare
        """Do what would delay the first var of remote storage; by default nothing. Errors as `_read_vector`."""

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        """Yield distinct vars in their order, each as `_read_vector` returns it; by default one by one.

        If a store keeps cells together, one pass over the matrix serves all vars of a request.
        """
        return (self._read_vector(position, layer) for position in positions)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:
        """Read rows of the var at `position`, relative to `start`; by default from the whole var, which is cached."""
        whole = self._lifetime.cached(("var", position, layer), lambda: self._read_vector(position, layer))
        return whole.block(start, stop)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        """Yield rows of distinct vars, each as `_read_vector_block` returns it; by default one by one."""
        return (self._read_vector_block(position, layer, start, stop) for position in positions)

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        """Read lines along `major_axis`; required if the axis is "obs", by default each var is a line."""
        return stack([self._read_vector(position, layer) for position in range(start, stop)], self.n_obs)

    def _n_var_in(self, layer: str | None) -> int:  # noqa: ARG002 - for stores whose layers have vars of their own
        """Return the number of vars of a layer."""
        return self.n_var

    def _read_grain(self, layer: str | None) -> Grain:  # noqa: ARG002 - all layers of most stores lie in one way
        """Return the portions of a matrix; by default single lines of `major_axis`, and all of it across."""
        rows, columns = (1, None) if self.major_axis == "obs" else (None, 1)
        return Grain((self.n_obs, self.n_var), self.n_obs * self.n_var, 4, rows, columns)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        """Read some rows, ascending and distinct, as lines whose positions are vars of the layer.

        For stores whose grain has rows; by default by `_read_matrix_block`, with nearby rows read together.
        """
        return rows_in_blocks(rows, lambda start, stop: self._read_matrix_block(start, stop, layer))

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        """Read some vars, ascending and distinct, as lines whose positions index `rows` (None = all)."""
        vectors = self._read_vectors(positions.tolist(), layer)
        if rows is None:
            return stack(list(vectors), self.n_obs)
        return stack([vector.take(rows) for vector in vectors], len(rows))
