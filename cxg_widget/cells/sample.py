"""Samples cells to send as points, if there are too many to send all."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.wire.order import DisplayOrder

SAMPLE_POINTS = 500_000
"""Points of a sample: the number that can be drawn in one frame without a GPU during a drag."""


class Sample:
    """A fair sample of the rows, in random order, so that any prefix is one too.

    Parameters
    ----------
    n_obs, n_points : number of rows, and number of rows to sample

    Attributes
    ----------
    rows : int64 (n_points,), distinct
    order : of the sampled rows: the identity
    """

    def __init__(self, n_obs: int, n_points: int, seed: int = 0) -> None:
        self.rows: NDArray[np.int64] = _distinct(n_obs, min(n_points, n_obs), np.random.default_rng(seed))

    @cached_property
    def order(self) -> DisplayOrder:
        """Order in which the sample is sent."""
        return DisplayOrder(self.rows.size, None)


def _distinct(n: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw k distinct numbers below n in random order, without an array of n if k is much smaller."""
    if 2 * k > n:
        return rng.permutation(n)[:k]
    drawn = np.empty(0, dtype=np.int64)
    while drawn.size < k:
        drawn = np.concatenate([drawn, rng.integers(0, n, 2 * k)])
        _, first = np.unique(drawn, return_index=True)
        # `np.unique` sorts; the order of the draws makes each prefix a fair sample.
        drawn = drawn[np.sort(first)]
    return drawn[:k]
