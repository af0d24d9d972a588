"""Find cells of one array in another by their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def find_cells(wanted: Sequence[NDArray[Any]], known: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return where each of some cells stands among others with the same coordinates.

    Parameters
    ----------
    wanted : one array (k,) of coordinates for each dimension
    known : the same dimensions of the others, (m,) each; of cells that occur twice the first counts

    Returns
    -------
    int64 (k,); -1 where there is none
    """
    of_wanted = np.zeros(len(wanted[0]), dtype=np.int64)
    of_known = np.zeros(len(known[0]), dtype=np.int64)
    for one, other in zip(wanted, known, strict=True):
        # Each step numbers the distinct cells so far, so that no number outgrows the number of cells squared.
        values, place = np.unique(other, return_inverse=True)
        keys, numbered = np.unique(of_known * len(values) + place.reshape(-1), return_inverse=True)
        at = np.searchsorted(values, one).clip(0, max(len(values) - 1, 0))
        there = (of_wanted >= 0) & (values[at] == one) if len(values) else np.zeros(len(one), dtype=np.bool_)
        of_wanted = _look_up(np.where(there, of_wanted * len(values) + at, -1), keys)
        of_known = numbered.reshape(-1)
    first = np.full(int(of_known.max(initial=-1)) + 2, -1, dtype=np.int64)
    first[of_known[::-1]] = np.arange(len(of_known))[::-1]
    return np.asarray(first[of_wanted])


def _look_up(numbers: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the position of each number among ascending keys, -1 where it is not."""
    if not len(keys):
        return np.full(len(numbers), -1, dtype=np.int64)
    at = np.searchsorted(keys, numbers).clip(0, len(keys) - 1)
    return np.where(keys[at] == numbers, at, -1)
