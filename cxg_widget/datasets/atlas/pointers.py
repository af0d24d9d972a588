"""Maps cells to positions in Zarr groups: reads the pointer columns of an obs table as runs of neighbors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import group_path
from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.errors import InvalidStore

_SPACE = b"homeobox.feature_space"
_LINES = {"sparse": "zarr_row", "dense": "position"}
_MEMBERS = {"sparse": {"zarr_group", "start", "end", "zarr_row"}, "dense": {"zarr_group", "position"}}

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class PointerColumn:
    """A column of pointers: its name, the feature space it points into, and the storage of that space."""

    name: str
    space: str
    kind: Literal["sparse", "dense"]

    @property
    def line(self) -> str:
        """The member that holds the line of a cell in its group."""
        return _LINES[self.kind]


@dataclass(frozen=True)
class RowRuns:
    """Cells that are neighbors both in the obs table and in their Zarr group.

    rows : int64 (k,), the first row of each run in the obs table; ascending
    lines : int64 (k,), the first line of each run in the group
    lengths : int64 (k,), cells per run
    """

    rows: Positions
    lines: Positions
    lengths: Positions

    @property
    def n_lines(self) -> int:
        """One more than the last line of any cell."""
        return int((self.lines + self.lengths).max(initial=0))

    def all_rows(self) -> Positions:
        """Return the rows of all cells, run by run."""
        return _counted(self.rows, self.lengths)

    def all_lines(self) -> Positions:
        """Return the lines of all cells, run by run."""
        return _counted(self.lines, self.lengths)

    def by_line(self) -> RowRuns:
        """Return the same runs in the order of their lines."""
        order = np.argsort(self.lines, kind="stable")
        return RowRuns(self.rows[order], self.lines[order], self.lengths[order])

    def between(self, begin: int, end: int) -> RowRuns:
        """Return the runs that start in begin <= line < end; these runs must be in line order, see `by_line`."""
        these = slice(*np.searchsorted(self.lines, (begin, end)).tolist())
        return RowRuns(self.rows[these], self.lines[these], self.lengths[these])


def _counted(begins: Positions, lengths: Positions) -> Positions:
    """Return begin, begin + 1, ... of each span, concatenated."""
    return np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


def pointer_columns(schema: pa.Schema) -> tuple[list[PointerColumn], dict[str, str]]:
    """Return the pointer columns of feature spaces, and a description of each other pointer column by its name."""
    found: list[PointerColumn] = []
    others: dict[str, str] = {}
    for field in schema:
        if not pa.types.is_struct(field.type):
            continue
        members = {field.type.field(i).name for i in range(field.type.num_fields)}
        if "zarr_group" not in members:
            continue
        kind = next((kind for kind, needed in _MEMBERS.items() if members >= needed), None)
        if kind is None or "`" in field.name:
            others[field.name] = "pointers to boxes" if "min_corner" in members else f"pointers of {sorted(members)}"
            continue
        # Older atlases have no such metadata and name the column after the space.
        space = (field.metadata or {}).get(_SPACE, field.name.encode()).decode("utf-8", "replace")
        found.append(PointerColumn(field.name, space, "sparse" if kind == "sparse" else "dense"))
    return found, others


def read_runs(table: LanceTable, pointer: PointerColumn) -> dict[str, RowRuns]:
    """Read the positions of all cells by Zarr group; memory holds the runs and one batch of pointers."""
    gathered: list[tuple[NDArray[Any], ...]] = []
    known: dict[str | None, int] = {None: -1, "": -1}
    row = 0
    for batch in table.batches(members(pointer, "zarr_group", pointer.line), row_bytes=64):
        group, line = _codes(batch.column(0), known), whole(batch.column(1), 0)
        if (group >= 0).any() and (line[group >= 0] < 0).any():
            raise InvalidStore(f"{table.uri}: {pointer.name}.{pointer.line} is below 0 for some cells.")
        follows = (group[1:] == group[:-1]) & (line[1:] == line[:-1] + 1)
        begins = np.flatnonzero(np.concatenate([[True], ~follows])) if len(group) else np.empty(0, dtype=np.int64)
        lengths = np.diff(np.append(begins, len(group)))
        measured = group[begins] >= 0
        begins, lengths = begins[measured], lengths[measured]
        gathered.append((group[begins], begins + row, line[begins], lengths))
        row += len(group)
    names = [name for name in known if name]
    if not gathered:
        return {}
    group, rows, lines, lengths = (np.concatenate(parts) for parts in zip(*gathered, strict=True))
    order = np.argsort(group, kind="stable")
    cuts = np.searchsorted(group[order], np.arange(len(names) + 1))
    return {
        group_path(name, table.uri): RowRuns(rows[these], lines[these], lengths[these])
        for name, begin, end in zip(names, cuts[:-1], cuts[1:], strict=True)
        for these in [order[begin:end]]
    }


def read_spans(table: LanceTable, pointer: PointerColumn, runs: RowRuns) -> NDArray[np.int64]:
    """Return the first and the last entry (exclusive) in `csr` of each cell of some runs, int64 (2, n)."""
    parts = [table.read(members(pointer, "start", "end"), rows) for rows in _as_reads(runs)]
    found = [np.stack([whole(part.column(0), -1), whole(part.column(1), -1)]) for part in parts]
    return np.concatenate([*found, np.empty((2, 0), dtype=np.int64)], axis=1)


def members(pointer: PointerColumn, *names: str) -> dict[str, str]:
    """Return the projection that reads members of pointers as columns with the names of the members."""
    return {name: f"`{pointer.name}`.`{name}`" for name in names}


def _as_reads(runs: RowRuns) -> Iterator[tuple[int, int] | Positions]:
    """Yield one range of rows per run if the runs are long, else the rows of all runs at once; in run order."""
    if runs.lengths.sum() < 64 * len(runs.rows):
        yield runs.all_rows()
        return
    for row, length in zip(runs.rows.tolist(), runs.lengths.tolist(), strict=True):
        yield row, row + length


def _codes(column: pa.Array, known: dict[str | None, int]) -> NDArray[np.int32]:
    """Return the groups of a batch as codes, and add new groups to `known`."""
    packed = column.dictionary_encode()
    for name in packed.dictionary.to_pylist():
        known.setdefault(name, len(known) - 2)
    target = np.array([*(known[name] for name in packed.dictionary.to_pylist()), -1], dtype=np.int32)
    return target[whole(packed.indices, -1)]


def whole(column: pa.Array | pa.ChunkedArray, missing: int) -> Positions:
    """Return a column of integers, with `missing` in place of nulls."""
    filled = column.fill_null(missing).cast(pa.int64())
    found = filled.to_numpy(zero_copy_only=False) if isinstance(filled, pa.Array) else filled.to_numpy()
    return np.asarray(found, dtype=np.int64)
