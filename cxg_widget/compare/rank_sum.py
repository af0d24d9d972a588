"""Wilcoxon's rank-sum test of each gene, which is Mann and Whitney's, from sums of ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cxg_widget.compare.moments import Floats
from cxg_widget.compare.welch import Tested


class RankTested(NamedTuple):
    """A test by ranks; each float64 (n_var,).

    Attributes
    ----------
    tested : z and p
    u : pairs of a cell of a and one of b in which that of a is higher; ties count half; NaN where there are none
    auc : u / (n_a n_b), the chance that a cell of a is higher than one of b
    """

    tested: Tested
    u: Floats
    auc: Floats


def rank_sum(sum_a: Floats, ties: Floats, n_a: Floats, n_b: Floats) -> RankTested:
    """Test whether the cells of one set rank as high as those of another, two-sided.

    z = (U - n_a n_b / 2) / s with s^2 = n_a n_b / 12 ((n + 1) - T / (n (n - 1))), T being the sum of t^3 - t over ties
    of t values; without continuity correction: as `scipy.stats.mannwhitneyu(a, b, method="asymptotic",
    use_continuity=False)` and as scanpy's "wilcoxon" with `tie_correct=True`. Where all values are the same z and p are
    NaN and AUC is 0.5.

    Parameters
    ----------
    sum_a : the sum of the mean ranks of a among the cells of both
    ties : T
    n_a, n_b : cells of each
    """
    from scipy.special import log_ndtr, ndtr

    n = n_a + n_b
    u = sum_a - n_a * (n_a + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        untied = (n + 1) - ties / (n * (n - 1))
        # It is at least 3 where one value differs; where none does, rounding may leave something of it.
        z = np.where(untied > 1, (u - n_a * n_b / 2) / np.sqrt(n_a * n_b / 12 * untied), np.nan)
        auc = u / (n_a * n_b)
    size = -np.abs(z)
    u = np.where(n_a * n_b > 0, u, np.nan)
    return RankTested(Tested(z, 2 * ndtr(size), (np.log(2) + log_ndtr(size)) / np.log(10)), u, auc)
