"""Composition of a set of cells: its shares of the categories of a column, and their p-values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.adjust import benjamini_hochberg_log10

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Composition:
    """Cells of a set, and of all that count, the population, by category; each cell has one.

    Attributes
    ----------
    drawn : int64 (k,), of the set
    held : int64 (k,), of the population, which holds the set
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
        """Share of each category in the set; NaN where the set is empty."""
        return _ratio(self.drawn, self.n_drawn)

    @property
    def expected(self) -> Floats:
        """Expected cells of each category in the set, were it drawn from the population at random."""
        return self.n_drawn * _ratio(self.held, self.n_all)

    @property
    def odds_ratio(self) -> Floats:
        """The odds in the set over those in the rest, ad / bc: inf where bc is 0, NaN where ad is too."""
        others, rest = self.n_drawn - self.drawn, self.held - self.drawn
        rest_others = self.n_all - self.held - others
        # In float64, since the product of two counts of cells may pass int64.
        return _ratio(self.drawn * rest_others.astype(np.float64), others * rest.astype(np.float64))

    @cached_property
    def log10_p(self) -> Floats:
        """log10 of the chance that a set drawn blindly has as many cells of a category, or more (one-sided Fisher)."""
        from cxg_widget.compare.tail_kernels import put_log_tails

        logs = np.empty(self.drawn.size)
        drawn, held = (np.ascontiguousarray(one, dtype=np.int64) for one in (self.drawn, self.held))
        put_log_tails(drawn, held, self.n_drawn, self.n_all, logs)
        log10_p: Floats = logs / np.log(10)
        return log10_p

    @cached_property
    def log10_p_adj(self) -> Floats:
        """log10 of the same, adjusted over the categories (Benjamini and Hochberg)."""
        return benjamini_hochberg_log10(self.log10_p)

    def by_enrichment(self) -> NDArray[np.int64]:
        """Return the categories, int64 (k,), the least likely first; of equally likely ones those of higher odds."""
        odds = np.nan_to_num(self.odds_ratio, nan=-1.0, posinf=np.inf)
        return np.lexsort((np.arange(odds.size), -odds, self.log10_p_adj))


def _ratio(upper: NDArray[np.generic], lower: NDArray[np.generic] | int) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = np.true_divide(upper, lower)
    return ratio
