"""The cells that travel as points where there are too many to send them all."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.order import DisplayOrder

SAMPLE_POINTS = 500_000
"""Points of a sample: as many as are drawn in one frame without a GPU, while a hand moves the picture."""


class Sample:
    """A fair sample of the rows, in random order, so that any prefix of it is one too.

    Parameters
    ----------
    n_obs, n_points : how many rows there are, and how many of them to take

    Attributes
    ----------
    rows : int64 (n_points,), distinct
    order : of the sampled rows among themselves: as they are
    """

    def __init__(self, n_obs: int, n_points: int, seed: int = 0) -> None:
        self.rows: NDArray[np.int64] = np.random.default_rng(seed).choice(n_obs, min(n_points, n_obs), replace=False)

    @cached_property
    def order(self) -> DisplayOrder:
        """The order in which what was sampled is sent."""
        return DisplayOrder(self.rows.size, None)
