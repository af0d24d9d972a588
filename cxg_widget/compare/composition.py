"""Composition of a set of cells by the categories of a column, with p-values by cell and by donor."""
# Changes with cxg_widget/session/analysis/composition.py: numbers of an enrichment.
# Changes with cxg_widget/wire/messages/open_columns.py: numbers of an enrichment.
# Changes with js/src/panels/columns/enrichment.js: numbers of an enrichment.
# Changes with cxg_widget/widget/analysing.py: options of a composition.
# Changes with cxg_widget/session/session.py: options of a composition.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import benjamini_hochberg, benjamini_hochberg_log10

if TYPE_CHECKING:
    import pandas as pd

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Composition:
    """Number of cells per category in a set, and in the population that contains it.

    Attributes
    ----------
    drawn : int64 (k,), of the set
    held : int64 (k,), of the population
    """

    drawn: Counts
    held: Counts

    @property
    def n_drawn(self) -> int:
        """Cells of the set."""
        return int(self.drawn.sum())

    @property
    def n_all(self) -> int:
        """Cells of the population."""
        return int(self.held.sum())

    @property
    def share(self) -> Floats:
        """Share of each category in the set; NaN if the set is empty."""
        return _ratio(self.drawn, self.n_drawn)

    @property
    def expected(self) -> Floats:
        """Expected cells of each category in a random draw of the size of the set."""
        return self.n_drawn * _ratio(self.held, self.n_all)

    @property
    def odds_ratio(self) -> Floats:
        """Odds in the set over odds in the rest, ad / bc: inf where bc is 0, NaN where ad is 0 too."""
        others, rest = self.n_drawn - self.drawn, self.held - self.drawn
        rest_others = self.n_all - self.held - others
        # In float64, since the product of two counts of cells may exceed int64.
        return _ratio(self.drawn * rest_others.astype(np.float64), others * rest.astype(np.float64))

    @cached_property
    def log10_p(self) -> Floats:
        """log10 of the probability of as many or more cells of a category in a random draw (one-sided Fisher test)."""
        from cxg_widget.compare.loops.tail_loops import put_log_tails

        logs = np.empty(self.drawn.size)
        drawn, held = (np.ascontiguousarray(one, dtype=np.int64) for one in (self.drawn, self.held))
        put_log_tails(drawn, held, self.n_drawn, self.n_all, logs)
        log10_p: Floats = logs / np.log(10)
        return log10_p

    @cached_property
    def log10_p_adj(self) -> Floats:
        """log10 of the p-values, adjusted over the categories (Benjamini and Hochberg)."""
        return benjamini_hochberg_log10(self.log10_p)

    def by_enrichment(self) -> NDArray[np.int64]:
        """Return the categories, int64 (k,), by ascending p-value, then by descending odds."""
        odds = np.nan_to_num(self.odds_ratio, nan=-1.0, posinf=np.inf)
        return np.lexsort((np.arange(odds.size), -odds, self.log10_p_adj))


def _ratio(upper: NDArray[np.generic], lower: NDArray[np.generic] | int) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = np.true_divide(upper, lower)
    return ratio


LEAST_CELLS = 10
"""Cells that a donor needs in the set, and in the rest."""


@dataclass(frozen=True)
class ByDonor:
    """Tests of each category with donors as samples, (k,) each.

    Attributes
    ----------
    n_donors, n_left_out : int64, donors in the test, and donors with too few cells, or none of the category
    share, rest : mean shares in the set, and in the rest of the same donor
    p : one-sided p-value for mean odds in the set above those in the rest; NaN below two donors
    """

    n_donors: NDArray[np.int64]
    n_left_out: NDArray[np.int64]
    share: Floats
    rest: Floats
    p: Floats


def by_donor(drawn: NDArray[np.int64], held: NDArray[np.int64]) -> ByDonor:
    """Test whether shares are higher in the set than in the rest of the same donor: a paired t-test on logits.

    Half a cell is added to each count, so that a share of 0 has a logit. The difference of two logits is then the log
    odds ratio of the donor. One-sided, as the hypergeometric test is.

    drawn, held : int64 (k, n donors), cells of the set, and of the population

    Source: Haldane, "The estimation and significance of the logarithm of a ratio of frequencies", Ann. Hum. Genet. 20
    (1956); pairs of logits of shares as in Phipson et al., "propeller", Bioinformatics 38 (2022), without moderation.
    """
    in_set, in_rest = drawn.sum(axis=0), (held - drawn).sum(axis=0)
    is_tested = (held > 0) & (in_set >= LEAST_CELLS) & (in_rest >= LEAST_CELLS)
    others, rest = in_set - drawn, held - drawn
    rest_others = in_rest - rest
    # Half a cell is added, since a share of 0 or 1 has no logit.
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
    """Return the probability of such means or higher if the mean of all donors is 0; t has n - 1 degrees of freedom."""
    from scipy.special import stdtr  # scipy.stats has the same function, and takes 0.6 s to import

    means = _mean(logs, is_tested, n)
    squares = np.where(is_tested, (logs - means[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / np.sqrt(squares / (n - 1) / n)
    # A single donor has no variance; 1 replaces its 0 degrees of freedom, and the result is dropped.
    p: Floats = np.where(n > 1, stdtr(np.maximum(n - 1, 1), -t), np.nan)
    return p


def frame_of_composition(found: Composition, index: pd.Index, donors: ByDonor | None = None) -> pd.DataFrame:
    """Return the table of `CxgWidget.composition`, a row for each of `index`."""
    import pandas as pd

    columns = {
        "n": found.drawn,
        "share": found.share,
        "expected": found.expected,
        "odds_ratio": found.odds_ratio,
        "p": 10.0**found.log10_p,
        "p_adj": 10.0**found.log10_p_adj,
        "log10_p": found.log10_p,
    }
    if donors is not None:
        adjusted = benjamini_hochberg(donors.p)
        columns |= {"n_donors": donors.n_donors, "n_left_out": donors.n_left_out, "share_by": donors.share}
        columns |= {"rest_by": donors.rest, "p_by": donors.p, "p_by_adj": adjusted}
    return pd.DataFrame({name: np.asarray(values) for name, values in columns.items()}, index=index)
