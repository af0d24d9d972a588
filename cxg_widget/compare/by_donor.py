"""Tests shares of categories with donors as samples, since cells of one donor are not independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_CELLS = 10
"""Cells that a donor needs in the set, and in the rest."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ByDonor:
    """Tests of each category with donors as samples, (k,) each.

    Attributes
    ----------
    n_donors, n_left_out : int64, donors that were tested, and those with too few cells, or none of the category
    share, rest : means of their shares in the set, and in the rest of the same donor
    p : chance that the odds of donors are on the mean no higher in the set than in the rest; NaN below two donors
    """

    n_donors: NDArray[np.int64]
    n_left_out: NDArray[np.int64]
    share: Floats
    rest: Floats
    p: Floats


def by_donor(drawn: NDArray[np.int64], held: NDArray[np.int64]) -> ByDonor:
    """Test whether shares are higher in the set than in the rest of the same donor: a paired t-test on logits.

    Half a cell is added to each count, so that a share of 0 has a logit; the difference of two logits is then the log
    odds ratio of the donor. One-sided, as the hypergeometric test is.

    Parameters
    ----------
    drawn, held : int64 (k, n donors), cells of the set and of all cells that count

    Source: Haldane, "The estimation and significance of the logarithm of a ratio of frequencies", Ann. Hum. Genet. 20
    (1956); pairs of logits of shares as in Phipson et al., "propeller", Bioinformatics 38 (2022), without moderation.
    """
    in_set, in_rest = drawn.sum(axis=0), (held - drawn).sum(axis=0)
    is_tested = (held > 0) & (in_set >= LEAST_CELLS) & (in_rest >= LEAST_CELLS)
    others, rest = in_set - drawn, held - drawn
    rest_others = in_rest - rest
    # Half a cell more: a share of 0 or 1 would have no logit.
    logs = np.log((drawn + 0.5) / (others + 0.5)) - np.log((rest + 0.5) / (rest_others + 0.5))
    n = np.count_nonzero(is_tested, axis=1)
    n_known = np.count_nonzero(in_set + in_rest)
    share, share_of_rest = (
        _mean(one / np.maximum(of, 1), is_tested, n) for one, of in ((drawn, in_set), (rest, in_rest))
    )
    return ByDonor(n, n_known - n, share, share_of_rest, _p_of(logs, is_tested, n))


def _mean(values: Floats, is_tested: NDArray[np.bool_], n: NDArray[np.int64]) -> Floats:
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(is_tested, values, 0.0).sum(axis=1) / n
    return found


def _p_of(logs: Floats, is_tested: NDArray[np.bool_], n: NDArray[np.int64]) -> Floats:
    """Return the chance of means so high or higher, were that of all donors 0; t has n - 1 degrees of freedom."""
    from scipy.special import stdtr  # that of scipy.stats is the same, and takes 0.6 s to import

    means = _mean(logs, is_tested, n)
    squares = np.where(is_tested, (logs - means[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / np.sqrt(squares / (n - 1) / n)
    # A single donor has no spread; 1 stands in for the 0 degrees of freedom, of which the result is dropped.
    p: Floats = np.where(n > 1, stdtr(np.maximum(n - 1, 1), -t), np.nan)
    return p
