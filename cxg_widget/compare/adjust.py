"""Adjusts p-values for the number of tests; a NaN was no test, and stays NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]


def benjamini_hochberg(p: ArrayLike) -> _Floats:
    """Return the false discovery rate at which each test would be called, as `scipy.stats.false_discovery_control`.

    p : (n,), 0..1; NaN is left out

    Source: Benjamini and Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995).
    """
    return np.minimum(_stepped_up(p, np.multiply), 1.0)


def benjamini_hochberg_log10(log10_p: ArrayLike) -> _Floats:
    """Return log10 of `benjamini_hochberg` from log10 of p, which may lie below what a float holds."""
    return np.minimum(_stepped_up(log10_p, lambda log, factor: log + np.log10(factor)), 0.0)


def bonferroni(p: ArrayLike) -> _Floats:
    """Return each p-value (n,) times how many there are, at most 1; NaN is left out."""
    found = np.asarray(p, dtype=np.float64)
    adjusted: _Floats = np.minimum(found * np.count_nonzero(~np.isnan(found)), 1.0)
    return adjusted


def _stepped_up(values: ArrayLike, scaled: Callable[[_Floats, _Floats], Any]) -> _Floats:
    """Return, for each value, the least of all not below it, each scaled by n / its rank."""
    found = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(found))
    # A running minimum from the highest p down keeps the adjusted values in the order of p.
    falling = known[np.argsort(-found[known], kind="stable")]
    factors = known.size / np.arange(known.size, 0, -1)
    adjusted = np.full(found.shape, np.nan)
    adjusted[falling] = np.minimum.accumulate(scaled(found[falling], factors))
    return adjusted
