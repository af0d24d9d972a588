"""Sums of donors as logarithms of counts per million, and t-tests of these with one number for each donor."""

from __future__ import annotations

import numpy as np

from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.welch import Tested, by_t, welch

PRIOR = 2.0
"""Counts that are added to a gene of a donor of mean total."""


def log_cpm(sums: Floats) -> Floats:
    """Return log2 of counts per million, as edgeR's `cpm(y, log=TRUE, prior.count=2)` without factors of normalization.

    log2((count + prior) / (total + 2 prior) * 1e6) with prior = 2 * total / (mean of all totals): a gene without counts
    has the same value in all donors, whatever their totals. With one prior for all, as in voom, it would follow the
    totals, and be found to differ wherever these do.

    Parameters
    ----------
    sums : float64 (n_samples, n_var), no row of zeros alone

    Source: Robinson, McCarthy and Smyth, "edgeR", Bioinformatics 26 (2010), and the manual of its `cpm`.
    """
    totals = sums.sum(axis=1, keepdims=True)
    prior = PRIOR * totals / totals.mean()
    found: Floats = np.log2((sums + prior) / (totals + 2 * prior) * 1e6)
    return found


def summary_of(values: Floats, sums: Floats) -> Summary:
    """Return the summary of each gene in some samples, (n_samples, n_var) each; above 0 are those with counts."""
    n = np.full(values.shape[1], float(len(values)))
    mean = values.mean(axis=0)
    squares = ((values - mean) ** 2).sum(axis=0)
    return Summary(n, mean, squares, (sums > 0).sum(axis=0).astype(np.float64), np.zeros_like(n))


def tested_by_donors(a: Floats, b: Floats, *, is_paired: bool) -> Tested:
    """Test whether donors have the same mean on both sides, two-sided: by Welch, or by Student's t of differences.

    They are `scipy.stats.ttest_ind(a, b, equal_var=False)` and `scipy.stats.ttest_rel(a, b)` of (n_donors, n_var) each.
    """
    if not is_paired:
        return welch(summary_of(a, a), summary_of(b, b))
    differences = summary_of(a - b, a)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences.mean / np.sqrt(differences.variance / differences.n)
    return by_t(t, differences.n - 1)
