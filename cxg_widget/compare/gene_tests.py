"""Tests of genes from sums: Welch's t-test, rank-sum test, log2 fold changes and adjusted p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cxg_widget.compare.moments import Floats, Summary

_LN10 = np.log(10.0)
TINY = 1e-300
_STEPS = 10_000


class Tested(NamedTuple):
    """A statistic and its two-sided p-value, each float64 (n_var,), NaN if undefined.

    log10_p : decimal logarithm of p, also if p is too small for a float64
    """

    statistic: Floats
    p: Floats
    log10_p: Floats


def welch(a: Summary, b: Summary) -> Tested:
    """Test whether two sets have the same mean by Welch's t-test for unequal variances (1947), two-sided.

    t = (mean_a - mean_b) / sqrt(var_a / n_a + var_b / n_b), with the degrees of freedom of Welch and Satterthwaite, as
    `scipy.stats.ttest_ind(a, b, equal_var=False)`. If neither set varies, t is infinite and p is 0, or both are NaN if
    the means are equal. NaN with fewer than two cells.
    """
    return by_t(*welch_t(a, b))


def welch_t(a: Summary, b: Summary) -> tuple[Floats, Floats]:
    """Return t and the degrees of freedom of `welch`, without p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        of_a, of_b = a.variance / a.n, b.variance / b.n
        freedom = (of_a + of_b) ** 2 / (of_a**2 / (a.n - 1) + of_b**2 / (b.n - 1))
        t = (a.mean - b.mean) / np.sqrt(of_a + of_b)
        # Neither set varies and the means differ: 0 / 0 degrees of freedom. Any number gives p = 0 for an infinite t.
        freedom = np.where(np.isnan(freedom) & ~np.isnan(t), 1.0, freedom)
    return t, freedom


FAR = 37.0
"""A t or z up to here has a p above `TINY`, whatever the degrees of freedom."""


def by_t(t: Floats, freedom: Floats) -> Tested:
    """Return t with its two-sided p-value, each float64 (n_var,)."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(freedom, -np.abs(t))
        log10_p = np.log10(p)
    # stdtr underflows to 0 below 1e-308, which has no logarithm (decision 56).
    far = np.isfinite(t) & (p < TINY)
    log10_p[far] = _log10_of_tail(freedom[far], t[far])
    return Tested(t, p, log10_p)


def paired_t(differences: Summary) -> Tested:
    """Test whether differences of pairs have the mean 0, two-sided, as `scipy.stats.ttest_rel`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences.mean / np.sqrt(differences.variance / differences.n)
    return by_t(t, differences.n - 1)


def _log10_of_tail(freedom: Floats, t: Floats) -> Floats:
    """Return log10 of the two-sided p-value of t far from 0.

    p is the regularized incomplete beta function I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2), computed by
    its continued fraction (Numerical Recipes 6.4, evaluated by Lentz's method), with the prefactor in logarithms.
    """
    from scipy.special import betaln

    a, b = freedom / 2, 0.5
    x = freedom / (freedom + t * t)
    factor = a * np.log(x) + b * np.log1p(-x) - np.log(a) - betaln(a, b)
    found: Floats = (factor + np.log(_fraction(a, b, x))) / _LN10
    return found


def _fraction(a: Floats, b: float, x: Floats) -> Floats:
    c = np.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    found = d.copy()
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d, c = 1 / (1 + step * d), 1 + step / c
            found *= d * c
        if np.all(np.abs(d * c - 1) < 1e-15):
            break
    return found


class RankTested(NamedTuple):
    """A rank test; each float64 (n_var,).

    tested : z and p
    u : number of pairs in which the cell of a is higher than the cell of b; ties count half; NaN if undefined
    auc : u / (n_a n_b), the probability that a cell of a is higher than one of b
    """

    tested: Tested
    u: Floats
    auc: Floats


def rank_sum(sum_a: Floats, ties: Floats, n_a: Floats, n_b: Floats) -> RankTested:
    """Test whether the cells of one set rank as high as those of another, two-sided.

    z = (U - n_a n_b / 2) / s with s^2 = n_a n_b / 12 ((n + 1) - T / (n (n - 1))), where T is the sum of t^3 - t over
    ties of t values; without continuity correction. Equals `scipy.stats.mannwhitneyu(a, b, method="asymptotic",
    use_continuity=False)` and scanpy's "wilcoxon" with `tie_correct=True`. If all values are equal, z and p are NaN and
    AUC is 0.5.

    sum_a : sum of the mean ranks of a among the cells of both
    ties : T
    n_a, n_b : number of cells of each
    """
    from scipy.special import log_ndtr

    z, u, auc = rank_z(sum_a, ties, n_a, n_b)
    return RankTested(Tested(z, p_of_z(z), (np.log(2) + log_ndtr(-np.abs(z))) / np.log(10)), u, auc)


def p_of_z(z: Floats) -> Floats:
    """Return the two-sided p of a normal distribution."""
    from scipy.special import ndtr

    found: Floats = 2 * ndtr(-np.abs(z))
    return found


def rank_z(sum_a: Floats, ties: Floats, n_a: Floats, n_b: Floats) -> tuple[Floats, Floats, Floats]:
    """Return z, U and AUC of `rank_sum`, without p."""
    n = n_a + n_b
    u = sum_a - n_a * (n_a + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        untied = (n + 1) - ties / (n * (n - 1))
        # It is at least 3 if one value differs; if none does, a rounding error may remain.
        z = np.where(untied > 1, (u - n_a * n_b / 2) / np.sqrt(n_a * n_b / 12 * untied), np.nan)
        auc = u / (n_a * n_b)
    return z, np.where(n_a * n_b > 0, u, np.nan), auc


SMALL = 1e-9


def _scanpy(a: Summary, b: Summary) -> Floats:
    return np.log2((np.expm1(a.mean) + SMALL) / (np.expm1(b.mean) + SMALL))


def _pseudocount(a: Summary, b: Summary) -> Floats:
    return np.log2((a.linear_mean + 1) / (b.linear_mean + 1))


FOLDS: Mapping[str, Callable[[Summary, Summary], Floats]] = {"scanpy": _scanpy, "pseudocount": _pseudocount}
"""By name: "scanpy" uses expm1 of the means of log values, "pseudocount" the means of expm1 plus 1."""
FORMULAS = {
    "scanpy": "log2((expm1(mean_a) + 1e-9) / (expm1(mean_b) + 1e-9))",
    "pseudocount": "log2((mean of expm1 in a + 1) / (mean of expm1 in b + 1))",
}
NEEDS_LINEAR = frozenset({"pseudocount"})
"""Definitions that need expm1 of each value."""


def log2_fold(a: Summary, b: Summary, fold: str) -> Floats:
    """Return the log2 fold change of each gene, float64 (n_var,), by the definition of that name."""
    with np.errstate(all="ignore"):
        return FOLDS[fold](a, b)


_Floats = NDArray[np.float64]


def benjamini_hochberg(p: ArrayLike) -> _Floats:
    """Return adjusted p-values, as `scipy.stats.false_discovery_control` does.

    p : (n,), 0..1; NaN is left out

    Source: Benjamini and Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995).
    """
    return np.minimum(_stepped_up(p, np.multiply), 1.0)


def benjamini_hochberg_log10(log10_p: ArrayLike) -> _Floats:
    """Return log10 of `benjamini_hochberg` from log10 of p, which may be too small for a float."""
    return np.minimum(_stepped_up(log10_p, lambda log, factor: log + np.log10(factor)), 0.0)


def bonferroni(p: ArrayLike) -> _Floats:
    """Return each p-value (n,) times their number, at most 1; NaN is left out."""
    found = np.asarray(p, dtype=np.float64)
    adjusted: _Floats = np.minimum(found * np.count_nonzero(~np.isnan(found)), 1.0)
    return adjusted


def _stepped_up(values: ArrayLike, scaled: Callable[[_Floats, _Floats], Any]) -> _Floats:
    """Return, for each value, the minimum of all scaled values not below it; values are scaled by n / rank."""
    found = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(found))
    # A running minimum from the highest p down keeps the adjusted values in the order of p.
    falling = known[np.argsort(-found[known])]
    factors = known.size / np.arange(known.size, 0, -1)
    adjusted = np.full(found.shape, np.nan)
    adjusted[falling] = np.minimum.accumulate(scaled(found[falling], factors))
    return adjusted
