"""Sparse layers of X: reads boxes of tiles, and caches columns of tiles sorted by gene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.base.matrix_block import MatrixBlock, exactly, join, line_of, stack
from cxg_widget.datasets.base.matrix_contract import Grain, Positions, covering
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.vectors import together
from cxg_widget.datasets.soma.embeddings import DATA
from cxg_widget.datasets.soma.joinids import Joinids
from cxg_widget.datasets.soma.matrix import BOX_ENTRIES, DIMS, ENTRY_BYTES, SomaMatrix, runs_of
from cxg_widget.datasets.tiledb_access.arrays import read_buffers
from cxg_widget.text.numbers import byte_size

_KEPT_BYTES = 8
"""Bytes of a cached entry: its row, and its value as float32."""
_BOXES_AT_ONCE = 4
"""Boxes requested together from remote storage: a gene whose tiles have 16 million entries takes 2 round trips."""
_NEAR_ENTRIES = 1 << 12
"""Starting another range takes as long as reading this many entries."""


class Sparse(SomaMatrix):
    """A layer in a sparse array, whose tiles hold neighboring rows of neighboring columns."""

    def __init__(self, *arguments: Any, **tellers: Any) -> None:
        super().__init__(*arguments, **tellers)
        self._lock = RLock()

    def prepare(self) -> None:
        """Load the number of entries and the places of tiles."""
        calls: list[Callable[[], Any]] = [partial(self._arrays.array, self.path, DATA, *DIMS), lambda: self.n_entries]
        gather(calls)

    @cached_property
    def n_entries(self) -> int:
        """Number of entries in its fragments."""
        return sum(fragment.n_cells for fragment in self._arrays.fragments(self.path))

    def grain(self) -> Grain:
        """Return the portions in which the layer is read."""
        rows, columns = self.tile
        return Grain(self.shape, self.n_entries, ENTRY_BYTES, rows, columns, cuts=True)

    def describe(self) -> dict[str, Any]:
        """Return a JSON-compatible description."""
        return {"dtype": str(self.dtype), "layout": "sparse", "tiles": list(self.tile), "stored": self.n_entries}

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct columns in the given order.

        Reads and caches whole columns of tiles if they fit into the budget. If they do not, reads several genes at a
        time from their tiles.
        """
        waiting = list(positions)
        while waiting:
            kept = self._tiles_of(waiting[0])
            if kept is not None:
                first, blocks = kept
                yield line_of(blocks, waiting.pop(0) - first).vector()
                continue
            some = next(together([one for one in waiting if self._kept(one) is None], 40 * self.shape[0]))
            found = dict(zip(some, self._sought(some), strict=True))
            while waiting and waiting[0] in found:
                yield found.pop(waiting.pop(0))

    def vectors_of_rows(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of distinct columns; uses the cached columns of tiles if all of them are cached."""
        kept = [self._kept(position) for position in positions]
        if any(one is None for one in kept):
            yield from super().vectors_of_rows(positions, start, stop)
            return
        for position, one in zip(positions, kept, strict=True):
            assert one is not None
            yield line_of(one[1], position - one[0]).vector().block(start, stop)

    def columns(self, positions: Positions, rows: Positions | None) -> MatrixBlock:
        """Return some columns, cut to some rows; uses the cached columns of tiles, and fills the cache for all rows."""
        if rows is not None and any(self._kept(position) is None for position in positions.tolist()):
            return super().columns(positions, rows)
        found = list(self.vectors(positions.tolist()))
        return stack([one if rows is None else one.take(rows) for one in found], self.shape[0])

    def block(self, rows: Positions | tuple[int, int], columns: Positions | None) -> MatrixBlock:
        """Return rows, cut to some columns; reads boxes of bounded size."""
        if isinstance(rows, tuple):
            start, stop = rows
            step = max(BOX_ENTRIES // self._mean(columns), 1)
            parts = [np.arange(one, min(one + step, stop)) for one in range(start, stop, step)]
        else:
            parts = list(covering(rows, self._gap("obs"), max(BOX_ENTRIES // self._mean(columns), 1)))
        length = self.shape[1] if columns is None else len(columns)
        if not parts:
            return MatrixBlock(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
        return join([self._box(part, columns, length) for part in parts])

    def _box(self, rows: Positions, columns: Positions | None, length: int) -> MatrixBlock:
        ranges = [runs_of(rows, self._obs, self._gap("obs"))]
        ranges.append([] if columns is None else runs_of(columns, self._var, self._gap("var")))
        row, column, values = self._read(ranges, f"{len(rows):,} rows")
        line = _placed(row, self._obs, rows)
        place = self._var.rows(column) if columns is None else _placed(column, self._var, columns)
        inside = (line >= 0) & (place >= 0)
        if not inside.all():
            line, place, values = line[inside], place[inside], values[inside]
        return MatrixBlock.of_entries((len(rows), length), line.astype(np.int32), place.astype(np.int32), values)

    def _read(self, ranges: Sequence[Any], what: str) -> tuple[NDArray[np.int64], NDArray[np.int64], Any]:
        array = self._arrays.array(self.path, DATA, *DIMS)
        if any(one == [] for one in ranges[:1]):
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)

        def read() -> Any:
            return read_buffers(array, [DATA], ranges, dims=DIMS, ordered=False)

        found = self._arrays.read(array, f"{what} of {self.path}", read)
        row, column = (found[name].numbers(np.int64) for name in DIMS)
        return row, column, exactly(found[DATA].numbers(self.dtype))

    # --- genes --------------------------------------------------------------------------------------------------------

    def _kept(self, position: int) -> tuple[int, list[MatrixBlock]] | None:
        """Return the first position and the entries of the cached tiles of a column; None if they are not cached."""
        first, _ = self._band(position)
        blocks = self._budget.get((self.path, first))
        return None if blocks is None else (first, blocks)

    def _tiles_of(self, position: int) -> tuple[int, list[MatrixBlock]] | None:
        """Return the same, reading and caching the tiles if needed; None, with a note, if they exceed the budget."""
        with self._lock:
            if (kept := self._kept(position)) is not None:
                return kept
            first, last = self._band(position)
            needed = _KEPT_BYTES * self._entries_in(last - first + 1)
            blocks = None
            if self._budget.make_room(needed):
                blocks = self._sorted(first, last)
            if blocks is not None:
                self._budget.put((self.path, first), blocks)
                return first, blocks
        self._note(
            f"{self.path} keeps cells together, so that a gene reads the tiles of {last - first + 1:,} genes, about "
            f"{byte_size(needed * ENTRY_BYTES // _KEPT_BYTES)}; they are too large for "
            f"memory_bytes={self._budget.limit_bytes:,}. `cxg-widget convert` with --where or --genes makes a store "
            "that reads one without the others."
        )
        return None

    def _sorted(self, first: int, last: int) -> list[MatrixBlock] | None:
        """Read columns first to last for all rows, sorted by column; None if they turn out to exceed the budget."""
        columns = np.arange(first, last + 1)
        step = self._rows_of_box(len(columns))
        starts = range(0, self.shape[0], step)

        def read(start: int) -> MatrixBlock:
            rows = np.arange(start, min(start + step, self.shape[0]))
            band = self._box(rows, columns, len(columns)).across(len(columns))
            places = (band.positions + start).astype(np.int32)
            return MatrixBlock(band.starts, places, band.values.astype(np.float32, copy=False))

        found: list[MatrixBlock] = []
        at_once = _BOXES_AT_ONCE if self._arrays.is_remote else 1
        try:
            for first_box in range(0, len(starts), at_once):
                some = starts[first_box : first_box + at_once]
                found += gather([partial(read, start) for start in some])
                if sum(one.positions.nbytes + one.values.nbytes for one in found) > self._budget.limit_bytes:
                    self._progress(1.0)
                    return None
                self._progress(min(some[-1] + step, self.shape[0]) / self.shape[0])
        except BaseException:
            self._progress(1.0)
            raise
        return found

    def _sought(self, positions: Sequence[int]) -> list[Vector]:
        """Read some columns without caching; TileDB decodes all of their tiles."""
        wanted = np.unique(np.asarray(positions, dtype=np.int64))
        ranges = [[self._obs.span(0, self.shape[0])], runs_of(wanted, self._var, 1)]
        row, column, values = self._read(ranges, f"{len(wanted):,} columns")
        rows, places = self._obs.rows(row), self._var.rows(column)
        inside = rows >= 0
        found = []
        for position in positions:
            some = inside & (places == position)
            found.append(Vector(values[some].astype(np.float32, copy=False), rows[some]))
        return found

    def _band(self, position: int) -> tuple[int, int]:
        """Return the first and the last column of the tiles that contain a column."""
        tile = int(self._arrays.schema(self.path).domain.dim(1).tile or self.shape[1])
        low = int(self._var.of(np.array([position]))[0]) // tile * tile
        every = self._var.of(np.arange(self.shape[1]))
        first, stop = np.searchsorted(every, (low, low + tile)).tolist()
        return first, stop - 1

    def _rows_of_box(self, n_columns: int) -> int:
        """Return how many rows of some columns are read at a time, a multiple of the height of a tile."""
        high = self.tile[0]
        return max(BOX_ENTRIES // max(self._entries_in(n_columns) // max(self.shape[0], 1), 1) // high, 1) * high

    def _entries_in(self, n_columns: int) -> int:
        return self.n_entries * n_columns // max(self.shape[1], 1)

    def _mean(self, columns: Positions | None) -> int:
        """Return the approximate number of entries per row in some columns."""
        n = self.shape[1] if columns is None else len(columns)
        return max(self._entries_in(n) // max(self.shape[0], 1), 1)

    def _gap(self, axis: str) -> int:
        n = self.shape[0] if axis == "obs" else self.shape[1]
        return max(_NEAR_ENTRIES * n // max(self.n_entries, 1), 1)


def _placed(found: NDArray[np.int64], joinids: Joinids, lines: Positions) -> NDArray[np.int64]:
    """Return the place of each joinid among some ascending lines; -1 = none."""
    numbers = joinids.rows(found)
    if len(lines) and int(lines[-1]) - int(lines[0]) == len(lines) - 1:
        places = numbers - lines[0]
        return np.where((places >= 0) & (places < len(lines)), places, -1)
    if not len(lines):
        return np.full(len(found), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(lines, numbers), len(lines) - 1)
    return np.where(lines[places] == numbers, places, -1)
