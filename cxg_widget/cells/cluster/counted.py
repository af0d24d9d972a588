"""Counts columns on the workers: codes stay there, states of cells are sent, counts come back."""
# Changes with cxg_widget/counts/coded.py: facts of a counted column.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.cells.cluster.waiting import must_be_anew
from cxg_widget.counts.coded import CodedColumn, Countable, Ends, ends_of, of_codes, of_numbers
from cxg_widget.datasets import Codes


@dataclass(frozen=True)
class ClusterColumn(Countable):
    """A column whose codes are on the workers.

    parts : the rows of each partition
    held : future of each, a `CodedColumn` of these rows
    """

    parts: Partitions
    held: list[Any]

    @property
    def is_at_hand(self) -> bool:  # type: ignore[override]
        """Whether the workers still have the codes."""
        return not any(map(must_be_anew, self.held))

    @property
    def nbytes(self) -> int:
        """Bytes held in this process."""
        return self.edges.nbytes

    def tally(self, states: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
        """Count cells by code and state, see `Countable`."""
        return self._added(self.parts.map("count", CodedColumn.tally, self.held, self.parts.spread(states), bits=bits))

    def keys(self, states: NDArray[np.uint8], bits: int) -> list[Any]:
        """Return the futures of the keys of all cells, see `Countable`."""
        return self.parts.map("keys", CodedColumn.keys, self.held, self.parts.spread(states), bits=bits)

    def pair_counts(self, keys: list[Any], n_keys: int, rows: Sequence[int]) -> NDArray[np.int64]:
        """Count cells by key and code, see `Countable`."""
        return self._added(
            self.parts.map("pairs", CodedColumn.pair_counts, self.held, keys, n_keys=n_keys, rows=list(rows))
        )

    def at(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes of some rows."""
        local, back = self.parts.local(rows)
        found = self.parts.gathered(self.parts.map("codes", CodedColumn.at, self.held, local))
        return np.concatenate(found)[back]

    def look_up(self, table: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Look up each cell's code in a table."""
        return np.concatenate(
            self.parts.gathered(self.parts.map("look up", CodedColumn.look_up, self.held, table=table))
        )

    def _added(self, found: list[Any]) -> NDArray[np.int64]:
        waiting = self.parts.waiting
        counts: NDArray[np.int64] = waiting.result(
            waiting.submitted(lambda: self.parts.reduced(found, worker.add_planes))
        )
        return counts


def read_on_workers(parts: Partitions, column: tuple[str, str, str | None]) -> ClusterColumn:
    """Have the workers read a column as codes, numbers in bins over the range of all."""
    values = parts.map("values", _read, parts.rows(column[1]), column=column)
    # Two passes over the values: bins need the range of all cells, which no single worker knows (decision 13).
    ends = parts.gathered(parts.map("ends", _ends, values))
    joined = None if ends[0] is None else reduce(Ends.joined, ends)
    held = parts.map("code", _coded, parts.rows(column[1]), values, column=column, ends=joined)
    first = parts.waiting.result(parts.submit("meaning", _meaning, held[0]))
    meaning = {one.name: getattr(first, one.name) for one in fields(Countable)}
    return ClusterColumn(**meaning, parts=parts, held=held)


# On a worker.


def _read(rows: Rows, column: tuple[str, str, str | None]) -> Codes | NDArray[Any]:
    dataset, block = rows.dataset(), (rows.start, rows.stop)
    source, name, layer = column
    if source == "var":
        return dataset.vector_block(name, layer, *block).dense(rows.stop - rows.start)
    known = dataset.obs_columns.get(name)
    if known is not None and known.kind in ("int", "float"):
        return dataset.numbers_block(name, *block)
    return dataset.codes_block(name, *block)


def _ends(values: Codes | NDArray[Any]) -> Ends | None:
    return None if isinstance(values, Codes) else ends_of(values)


def _coded(
    rows: Rows, values: Codes | NDArray[Any], column: tuple[str, str, str | None], ends: Ends | None
) -> CodedColumn:
    if not isinstance(values, Codes):
        return of_numbers(values, ends)
    known = rows.dataset().obs_columns.get(column[1])
    return of_codes(values, is_categorical=known is not None and known.kind == "categorical")


def _meaning(coded: CodedColumn) -> CodedColumn:
    return replace(coded, codes=coded.codes[:0])
