"""Queries of one attribute of a TileDB array: its name, single rows, and the result as a NumPy array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ranges = Sequence[tuple[int, int]]
"""The first and the last row of each, in order."""


def select(array: Any, name: str) -> list[str] | None:
    """Return the `attrs` of a query for one attribute; arrays of 2020 cannot name their anonymous one."""
    return None if array.schema.nattr == 1 else [name]


def values_of(result: Any, dim: str | None = None) -> NDArray[Any]:
    """Return the one attribute in the result of a query, which may also hold a dimension."""
    if not isinstance(result, dict):
        return np.asarray(result)
    return np.asarray(next(values for name, values in result.items() if name != dim))


def take(read: Callable[[Ranges], NDArray[Any]], rows: NDArray[np.int64], tile: int) -> NDArray[Any]:
    """Read single rows as ranges; rows less than a tile apart share one, since TileDB reads whole tiles anyway."""
    if not len(rows):
        return read([(0, 0)])[:0]
    if np.all(rows[1:] > rows[:-1]):
        wanted, back = rows, None
    else:
        # TileDB takes ranges in ascending order, each once.
        wanted, back = np.unique(rows, return_inverse=True)
    breaks = np.flatnonzero(np.diff(wanted) > tile) + 1
    firsts = wanted[np.append(0, breaks)]
    lasts = wanted[np.append(breaks, len(wanted)) - 1]
    lengths = lasts - firsts + 1
    skipped = firsts - (np.cumsum(lengths) - lengths)
    of_range = np.searchsorted(firsts, wanted, side="right") - 1
    found = read(list(zip(firsts.tolist(), lasts.tolist(), strict=True)))[wanted - skipped[of_range]]
    return found if back is None else np.asarray(found[back])
