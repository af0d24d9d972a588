"""Joins the matrices of several modalities side by side, over all cells; a cell that a modality lacks is NaN there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, counted, join
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.mudata.row_map import RowMap, Rows, spread_vector


@dataclass(frozen=True)
class Side:
    """A matrix of one modality.

    Attributes
    ----------
    name : name of the modality
    part, layer : dataset and layer of the matrix
    rows : map of the modality's rows to all cells
    start : position of its first var
    n : number of its vars
    """

    name: str
    part: WithMatrices
    layer: str | None
    rows: RowMap
    start: int
    n: int

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield vars over all cells; the positions are those within the modality."""
        rows = self.rows
        for vector in self.part._read_vectors(positions, self.layer):
            yield spread_vector(vector, rows.joint, rows.n_obs)

    def vectors_block(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the cells start <= cell < stop of vars; needs `rows.ascends`."""
        low, high = np.searchsorted(self.rows.joint, (start, stop)).tolist()
        places = self.rows.joint[low:high] - start
        for vector in self.part._read_vectors_block(positions, self.layer, low, high):
            yield spread_vector(vector, places, stop - start)

    def lines(self, rows: Rows) -> MatrixBlock:
        """Return some cells, ascending; those that the modality lacks are NaN everywhere."""
        own, places = self.rows.among(rows)
        if not len(own):
            return DenseBlock(np.full((len(rows), self.n), np.nan, dtype=np.float32))
        block = self.part._read_rows(own, self.layer)
        if block.lines is not None:
            return DenseBlock(_dense_at(block.lines, places, len(rows)))
        return _lines_at(block.written_out(self.n), places, len(rows), self.n)

    def columns(self, positions: Rows, rows: Rows | None) -> MatrixBlock:
        """Return vars, by their positions in the modality, as lines over some rows (None = all cells)."""
        own, places = self.rows.among(rows)
        n = self.rows.n_obs if rows is None else len(rows)
        if not len(own):
            return DenseBlock(np.full((len(positions), n), np.nan, dtype=np.float32))
        block = self.part._read_columns(positions, None if len(own) == self.rows.n_own else own, self.layer)
        if block.lines is not None:
            return DenseBlock(np.ascontiguousarray(_dense_at(block.lines.T, places, n).T))
        return _positions_at(block.written_out(len(own)), places, n)

    def grain(self) -> Grain:
        """Return the grain of the modality's matrix."""
        return self.part._read_grain(self.layer)


class SideBySide:
    """Matrices of several modalities, whose vars follow each other."""

    def __init__(self, sides: Sequence[Side], n_obs: int) -> None:
        self.sides = tuple(sides)
        self.n_obs, self.n_var = n_obs, sum(side.n for side in sides)

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct vars over all cells, in the order of `positions`."""
        coming = {side.start: side.vectors(own) for side, own in self._by_side(positions)}
        return (next(coming[self._side_of(position).start]) for position in positions)

    def vectors_block(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector] | None:
        """Yield the cells start <= cell < stop of distinct vars.

        Returns None if one of their modalities has its cells in another order.
        """
        found = list(self._by_side(positions))
        if not all(side.rows.ascends for side, _ in found):
            return None
        coming = {side.start: side.vectors_block(own, start, stop) for side, own in found}
        return (next(coming[self._side_of(position).start]) for position in positions)

    def rows(self, rows: Rows) -> MatrixBlock:
        """Return some cells, ascending, as lines."""
        return _beside([side.lines(rows) for side in self.sides], [side.n for side in self.sides])

    def columns(self, positions: Rows, rows: Rows | None) -> MatrixBlock:
        """Return some vars, ascending, as lines over some rows (None = all)."""
        found = self._by_side(positions.tolist())
        return join([side.columns(np.asarray(own, dtype=np.int64), rows) for side, own in found])

    def grain(self) -> Grain:
        """Return the joint grain: by row or by column only if all modalities are."""
        grains = [side.grain() for side in self.sides]
        missing = sum(side.rows.n_missing * side.n for side in self.sides)
        by_row = all(one.rows is not None for one in grains)
        by_column = all(one.columns is not None for one in grains)
        n_entries = sum(one.n_entries for one in grains)
        n_bytes = sum(one.n_entries * one.entry_bytes for one in grains)
        is_dense = all(one.is_dense for one in grains)
        return Grain(
            (self.n_obs, self.n_var),
            n_entries + missing,
            -(-n_bytes // max(n_entries, 1)),
            max(one.rows or 1 for one in grains) if by_row else None,
            max(one.columns or 1 for one in grains) if by_column else None,
            cuts=all(one.cuts for one in grains),
            both_ways=all(one.both_ways for one in grains),
            is_dense=is_dense,
            row_starts=self._row_starts(grains) if by_row and not is_dense else None,
        )

    def _row_starts(self, grains: Sequence[Grain]) -> NDArray[np.int64]:
        lengths = np.zeros(self.n_obs, dtype=np.int64)
        for side, grain in zip(self.sides, grains, strict=True):
            own = side.rows.own
            each = np.diff(grain.row_starts) if grain.row_starts is not None else np.full(side.rows.n_own, side.n)
            # A missing cell has a NaN entry for each var.
            lengths += np.where(own >= 0, np.append(each, side.n)[own], side.n)
        return np.concatenate([[0], np.cumsum(lengths)])

    def _side_of(self, position: int) -> Side:
        return next(side for side in self.sides if position < side.start + side.n)

    def _by_side(self, positions: Sequence[int]) -> Iterator[tuple[Side, list[int]]]:
        """Yield each side that has some of the vars, with their positions in it."""
        for side in self.sides:
            own = [position - side.start for position in positions if 0 <= position - side.start < side.n]
            if own:
                yield side, own


def _dense_at(lines: NDArray[np.floating], places: Rows, n: int) -> NDArray[np.floating]:
    if len(places) == n and (places == np.arange(n)).all():
        return lines
    found = np.full((n, lines.shape[1]), np.nan, dtype=lines.dtype)
    found[places] = lines
    return found


def _lines_at(block: MatrixBlock, places: Rows, n: int, length: int) -> MatrixBlock:
    """Place lines among n; the other lines are NaN everywhere."""
    if len(places) == n and (places == np.arange(n)).all():
        return block
    lengths = np.full(n, length, dtype=np.int64)
    lengths[places] = np.diff(block.starts)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    is_missing = np.ones(n, dtype=np.bool_)
    is_missing[places] = False
    missing = np.flatnonzero(is_missing)
    positions = np.empty(starts[-1], dtype=np.int64)
    values = np.full(starts[-1], np.nan, dtype=block.values.dtype)
    entries = counted(starts[places], np.diff(block.starts))
    positions[entries], values[entries] = block.positions, block.values
    positions[counted(starts[missing], lengths[missing])] = np.tile(np.arange(length), len(missing))
    return MatrixBlock(starts, positions, values)


def _positions_at(block: MatrixBlock, places: Rows, n: int) -> MatrixBlock:
    """Map the positions of lines to places among n; the other positions are NaN."""
    is_missing = np.ones(n, dtype=np.bool_)
    is_missing[places] = False
    missing = np.flatnonzero(is_missing)
    moved = MatrixBlock(block.starts, places[block.positions], block.values)
    if not len(missing):
        return moved
    n_lines = len(block.starts) - 1
    nothing = MatrixBlock(
        np.arange(n_lines + 1) * len(missing),
        np.tile(missing, n_lines),
        np.full(n_lines * len(missing), np.nan, dtype=block.values.dtype),
    )
    return _beside([moved, nothing], [0, 0])


def _beside(blocks: Sequence[MatrixBlock], widths: Sequence[int]) -> MatrixBlock:
    """Concatenate the lines of blocks; shifts the positions of each block by the widths of those before it."""
    if len(blocks) == 1:
        return blocks[0]
    dense = [block.lines for block in blocks if block.lines is not None]
    if len(dense) == len(blocks):
        return DenseBlock(np.concatenate(dense, axis=1))
    lengths = [np.diff(block.starts) for block in blocks]
    starts = np.concatenate([[0], np.cumsum(np.sum(lengths, axis=0))])
    positions = np.empty(starts[-1], dtype=np.int64)
    values = np.empty(starts[-1], dtype=np.result_type(*(block.values.dtype for block in blocks)))
    begins, offset = starts[:-1].copy(), 0
    for block, each, width in zip(blocks, lengths, widths, strict=True):
        entries = counted(begins, each)
        positions[entries], values[entries] = block.positions.astype(np.int64) + offset, block.values
        begins += each
        offset += width
    return MatrixBlock(starts, positions, values)
