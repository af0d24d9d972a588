"""Entries of a sparse matrix turned round: in lines of the axis along which it is not stored, block behind block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.lines import Lines, sorted_lines


@dataclass(frozen=True)
class Turned:
    """Entries of one block: starts (n_lines + 1,), positions int32, values float32."""

    starts: NDArray[np.int32]
    positions: NDArray[np.int32]
    values: NDArray[np.float32]

    def first(self, n_lines: int) -> Turned:
        """Return a copy of the first lines."""
        stop = self.starts[n_lines]
        return Turned(self.starts[: n_lines + 1], self.positions[:stop].copy(), self.values[:stop].copy())


def line_of(blocks: Sequence[Turned], line: int) -> Lines:
    """Return one line."""
    spans = [slice(block.starts[line], block.starts[line + 1]) for block in blocks]
    positions = [block.positions[span] for block, span in zip(blocks, spans, strict=True)]
    values = [block.values[span] for block, span in zip(blocks, spans, strict=True)]
    total = sum(map(len, values))
    return Lines(np.array([0, total]), np.concatenate([*positions, NO_POSITIONS]), np.concatenate([*values, NO_VALUES]))


def lines_of(blocks: Sequence[Turned], start: int, stop: int) -> Lines:
    """Return the lines start <= line < stop."""
    if stop - start == 1:
        return line_of(blocks, start)
    entries = [_entries(block, start, stop) for block in blocks]
    line, position, value = (np.concatenate([*part]) for part in zip(_NOTHING, *entries, strict=True))
    return sorted_lines(stop - start, line, position, value)


def _entries(block: Turned, start: int, stop: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float32]]:
    """Return line, position and value of each entry of some lines."""
    span = slice(block.starts[start], block.starts[stop])
    line = np.repeat(np.arange(stop - start), np.diff(block.starts[start : stop + 1]))
    return line, block.positions[span], block.values[span]


NO_POSITIONS, NO_VALUES = np.empty(0, np.int32), np.empty(0, np.float32)
_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64), NO_VALUES)
