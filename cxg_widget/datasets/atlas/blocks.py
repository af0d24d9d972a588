"""All features of neighbouring cells, as lines of a `MatrixBlock`; what a dataset did not measure is written as NaN."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import group_path
from cxg_widget.datasets.atlas.matrix import Matrix, segments
from cxg_widget.datasets.atlas.pointers import Positions, members, whole
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.errors import InvalidStore

Places = NDArray[np.int32]
Part = tuple[Places, Places, NDArray[np.float32]]


class RowReader:
    """Reads ranges of cells of one feature space.

    Parameters
    ----------
    matrix : the space
    features : name to position of each var
    """

    def __init__(self, matrix: Matrix, features: Mapping[str, int]) -> None:
        self._matrix, self._features, self._uri = matrix, features, matrix.obs.uri

    def read(self, start: int, stop: int, layer: str) -> MatrixBlock:
        """Return the cells start <= row < stop; in memory are their entries and those beside them in the store."""
        group, pointers = self._read_pointers(start, stop)
        parts: list[Part] = []
        for name in dict.fromkeys(group):
            cells = np.flatnonzero(np.array([one == name for one in group], dtype=bool))
            parts.extend(self._read_group(name, cells, pointers[:, cells], layer))
        lines, positions, values = (np.concatenate(columns) for columns in zip(_EMPTY, *parts, strict=True))
        del parts
        return MatrixBlock.of_entries((stop - start, len(self._features)), lines, positions, values)

    def _read_pointers(self, start: int, stop: int) -> tuple[list[str | None], NDArray[np.int64]]:
        pointer = self._matrix.pointer
        names = ("start", "end") if pointer.kind == "sparse" else ("position",)
        found = self._matrix.obs.read(members(pointer, "zarr_group", *names), (start, stop))
        return found.column(0).to_pylist(), np.stack([whole(column, -1) for column in found.columns[1:]])

    def _read_group(self, name: str | None, cells: Positions, pointers: NDArray[np.int64], layer: str) -> list[Part]:
        if not name:
            return [self._missing(cells, np.empty(0, dtype=np.int64))]
        group = group_path(name, self._uri)
        below = self._matrix.path_of(group, layer)
        target = self._positions(self._matrix.layout_of(group))
        if below is None or not len(target):
            return [self._missing(cells, np.empty(0, dtype=np.int64))]
        read = self._sparse if self._matrix.pointer.kind == "sparse" else self._dense
        return [*read(group, below, cells, pointers, target), self._missing(cells, target[target >= 0])]

    def _sparse(
        self, group: str, below: str, cells: Positions, spans: NDArray[np.int64], target: Positions
    ) -> list[Part]:
        self._matrix.check_spans(group, spans, self._matrix.groups.n_entries(group, below))
        lengths = spans[1] - spans[0]
        if int(lengths.max(initial=0)) > len(target):
            raise InvalidStore(
                f"{self._uri}: a cell has {lengths.max():,} entries in '{group}/csr', "
                f"but its layout has {len(target):,} features."
            )
        parts = []
        order = np.argsort(spans[0], kind="stable")
        cells, first, lengths = cells[order], spans[0][order], lengths[order]
        for begin, end in segments(first, lengths):
            places, values = self._matrix.groups.entries(group, below, begin, end)
            these = slice(*np.searchsorted(first, (begin, end)).tolist())
            counts = lengths[these]
            at = np.arange(counts.sum()) + np.repeat(first[these] - begin - np.cumsum(counts) + counts, counts)
            if int(places[at].max(initial=-1)) >= len(target):
                raise InvalidStore(
                    f"{self._uri}: '{group}/csr/indices' holds {places[at].max():,}, "
                    f"but its layout has {len(target):,} features."
                )
            lines, positions = np.repeat(cells[these], counts), target[places[at]]
            known = positions >= 0  # the others are no var
            parts.append((lines[known].astype(np.int32), positions[known].astype(np.int32), values[at][known]))
        return parts

    def _dense(
        self, group: str, below: str, cells: Positions, pointers: NDArray[np.int64], target: Positions
    ) -> list[Part]:
        if int(pointers.min(initial=0)) < 0:
            raise InvalidStore(f"{self._uri}: a cell points at line {pointers.min():,} of '{group}'.")
        order = np.argsort(pointers[0], kind="stable")
        cells, at = cells[order], pointers[0][order]
        known = np.flatnonzero(target >= 0)
        parts = []
        for begin, end in segments(at, np.ones_like(at)):
            block = self._matrix.groups.dense_lines(f"{group}/{below}", begin, end, len(target))
            these = slice(*np.searchsorted(at, (begin, end)).tolist())
            found = block[at[these] - begin][:, known]
            lines = np.repeat(cells[these].astype(np.int32), len(known))
            parts.append((lines, np.tile(target[known].astype(np.int32), len(found)), found.ravel()))
        return parts

    def _missing(self, cells: Positions, measured: Positions) -> Part:
        """Return NaN for every feature of some cells that is not among those measured."""
        there = np.ones(len(self._features), dtype=bool)
        there[measured] = False
        positions = np.flatnonzero(there).astype(np.int32)
        n = len(cells) * len(positions)
        return (
            np.repeat(cells.astype(np.int32), len(positions)),
            np.tile(positions, len(cells)),
            np.full(n, np.nan, dtype=np.float32),
        )

    def _positions(self, layout: str) -> Positions:
        return self._matrix.life.cached(
            ("layout", layout), lambda: self._matrix.layouts.positions_of(layout, self._features)
        )


_EMPTY: Part = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
