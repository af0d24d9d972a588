"""Welch's t-test of each gene, from means and variances alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cxg_widget.compare.moments import Floats, Summary

_LN10 = np.log(10.0)
TINY = 1e-300
_STEPS = 10_000


class Tested(NamedTuple):
    """A statistic and its two-sided p, each float64 (n_var,), NaN where there is none.

    Attributes
    ----------
    log10_p : the decimal logarithm of p, also where p itself is too small for a float64
    """

    statistic: Floats
    p: Floats
    log10_p: Floats


def welch(a: Summary, b: Summary) -> Tested:
    """Test whether two sets have the same mean, by t of unequal variances (Welch 1947), two-sided.

    t = (mean_a - mean_b) / sqrt(var_a / n_a + var_b / n_b), with the degrees of freedom of Welch and Satterthwaite: as
    `scipy.stats.ttest_ind(a, b, equal_var=False)`. Where neither set varies t is infinite and p is 0, or, where their
    means are the same too, both are NaN; of fewer than two cells NaN.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        of_a, of_b = a.variance / a.n, b.variance / b.n
        freedom = (of_a + of_b) ** 2 / (of_a**2 / (a.n - 1) + of_b**2 / (b.n - 1))
        t = (a.mean - b.mean) / np.sqrt(of_a + of_b)
        # Neither set varies and the means differ: 0 / 0 degrees of freedom. Any number gives p = 0 for an infinite t.
        freedom = np.where(np.isnan(freedom) & ~np.isnan(t), 1.0, freedom)
    return by_t(t, freedom)


def by_t(t: Floats, freedom: Floats) -> Tested:
    """Return t with its two-sided p at some degrees of freedom, each float64 (n_var,)."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(freedom, -np.abs(t))
        log10_p = np.log10(p)
    # stdtr ends at 1e-308 and is 0 beyond, which has no logarithm (decision 56).
    far = np.isfinite(t) & (p < TINY)
    log10_p[far] = _log10_of_tail(freedom[far], t[far])
    return Tested(t, p, log10_p)


def _log10_of_tail(freedom: Floats, t: Floats) -> Floats:
    """Return log10 of the two-sided p of t far from 0.

    p is the regularized incomplete beta function I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2), here by its
    continued fraction (Numerical Recipes 6.4, evaluated by Lentz's method), the factor before it in logarithms.
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
