"""The one seeded random order in which points are sent and drawn: any prefix of it is a fair sample."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DisplayOrder:
    """A permutation of the rows.

    Parameters
    ----------
    seed : of the permutation; None = the rows as they are

    Attributes
    ----------
    rows : uint32 (n_obs,); rows[i] is the row shown as point i
    """

    def __init__(self, n_obs: int, seed: int | None = 0) -> None:
        self.rows: NDArray[np.uint32] = np.arange(n_obs, dtype=np.uint32)
        if seed is not None:
            np.random.default_rng(seed).shuffle(self.rows)

    @cached_property
    def points(self) -> NDArray[np.uint32]:
        """The inverse, uint32 (n_obs,): points[row] is the place of a row in display order."""
        points = np.empty_like(self.rows)
        points[self.rows] = np.arange(self.rows.size, dtype=np.uint32)
        return points

    def arrange(self, per_row: NDArray[Any], start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return values given per row (n_obs, ...) in display order, those of points start..stop."""
        return per_row.take(self.rows[start:stop], axis=0)
