"""Reads all features of some cells as a `MatrixBlock`; features that a dataset did not measure are NaN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import group_path
from cxg_widget.datasets.atlas.pointers import Positions, members, whole
from cxg_widget.datasets.atlas.space_matrix import SpaceMatrix, segments
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.errors import InvalidStore

Places = NDArray[np.int32]
Part = tuple[Places, Places, NDArray[np.float32]]


class RowReader:
    """Reads cells of one feature space.

    features : name to position of each var
    """

    def __init__(self, matrix: SpaceMatrix, features: Mapping[str, int]) -> None:
        self._matrix, self._features, self._uri = matrix, features, matrix.obs.uri

    def read(self, rows: NDArray[np.int64], layer: str) -> MatrixBlock:
        """Return some cells, ascending; memory holds their entries and those in the gaps that `segments` joins."""
        group, pointers = self._read_pointers(rows)
        parts: list[Part] = []
        missing: list[tuple[Positions, Places]] = []
        for name in dict.fromkeys(group):
            cells = np.flatnonzero(np.array([one == name for one in group], dtype=bool))
            entries, measured = self._read_group(name, cells, pointers[:, cells], layer)
            parts.extend(entries)
            missing.append((cells, self._not_among(measured)))
        fill = self._fill([places for _, places in missing])
        if fill is None:
            parts.extend(_as_nan(cells, places) for cells, places in missing)
        lines, positions, values = (np.concatenate(columns) for columns in zip(_EMPTY, *parts, strict=True))
        del parts
        found = MatrixBlock.of_entries((len(rows), len(self._features)), lines, positions, values)
        return found if fill is None else replace(found, fill=fill)

    def grain(self, layer: str) -> Grain:
        """Return the grain of a layer, estimated from at most 32 of its groups."""
        matrix, n_obs, n_var = self._matrix, self._matrix.obs.n_rows, len(self._features)
        layouts = matrix.known_layouts
        sample = list(layouts)[:: len(layouts) // _MOST_SAMPLED + 1]
        paths = [(group, path) for group in sample if (path := matrix.path_of(group, layer)) is not None]
        if matrix.pointer.kind == "dense" or not paths:
            return Grain((n_obs, n_var), n_obs * n_var, 8, 1)
        n_entries = sum(matrix.groups.n_entries(*one) for one in paths) * len(layouts) // len(sample)
        several = len(set(layouts.values())) > 1  # then blocks hold NaN entries for features that one did not measure
        most = max(n_var - int((self._positions(matrix.layout_of(group)) >= 0).sum()) for group, _ in paths)
        columns = 1 if all(matrix.groups.has_csc(*one) for one in paths) else None
        return Grain((n_obs, n_var), n_entries + several * most * n_obs, 8, 1, columns)

    def _read_pointers(self, rows: NDArray[np.int64]) -> tuple[list[str | None], NDArray[np.int64]]:
        pointer = self._matrix.pointer
        names = ("start", "end") if pointer.kind == "sparse" else ("position",)
        together = len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1
        which = (int(rows[0]), int(rows[-1]) + 1) if together else rows
        found = self._matrix.obs.read(members(pointer, "zarr_group", *names), which)
        return found.column(0).to_pylist(), np.stack([whole(column, -1) for column in found.columns[1:]])

    def _read_group(
        self, name: str | None, cells: Positions, pointers: NDArray[np.int64], layer: str
    ) -> tuple[list[Part], Positions]:
        """Return the entries of some cells of one group, and the positions of the features it measured."""
        nothing = np.empty(0, dtype=np.int64)
        if not name:
            return [], nothing
        group = group_path(name, self._uri)
        below = self._matrix.path_of(group, layer)
        target = self._positions(self._matrix.layout_of(group))
        if below is None or not len(target):
            return [], nothing
        read = self._sparse if self._matrix.pointer.kind == "sparse" else self._dense
        return read(group, below, cells, pointers, target), target[target >= 0]

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
            known = positions >= 0  # the other features are not vars
            parts.append((lines[known].astype(np.int32), positions[known].astype(np.int32), values[at][known]))
        return parts

    def _dense(
        self, group: str, below: str, cells: Positions, pointers: NDArray[np.int64], target: Positions
    ) -> list[Part]:
        if int(pointers.min(initial=0)) < 0:
            raise InvalidStore(f"{self._uri}: a cell refers to line {pointers.min():,} of '{group}'.")
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

    def _not_among(self, measured: Positions) -> Places:
        there = np.ones(len(self._features), dtype=bool)
        there[measured] = False
        return np.flatnonzero(there).astype(np.int32)

    def _fill(self, missing: list[Places]) -> NDArray[np.float32] | None:
        """Return the fill value of each feature: NaN if no cell measured it, else 0.

        Returns None if all features are measured, or if cells of different groups miss different features.
        """
        if not missing or not len(missing[0]) or any(not np.array_equal(one, missing[0]) for one in missing):
            return None
        fill = np.zeros(len(self._features), dtype=np.float32)
        fill[missing[0]] = np.nan
        return fill

    def _positions(self, layout: str) -> Positions:
        return self._matrix.life.cached(
            ("layout", layout), lambda: self._matrix.layouts.positions_of(layout, self._features)
        )


def _as_nan(cells: Positions, places: Places) -> Part:
    """Return NaN entries for some features of some cells."""
    values = np.full(len(cells) * len(places), np.nan, dtype=np.float32)
    return np.repeat(cells.astype(np.int32), len(places)), np.tile(places, len(cells)), values


_MOST_SAMPLED = 32
_EMPTY: Part = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
