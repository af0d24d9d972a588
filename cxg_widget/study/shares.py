"""Composition of samples: share of each cell type in each sample, and tests of the shares between conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from cxg_widget.compare.moments import Floats
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import LEAST_CELLS, Counts, StudySamples

if TYPE_CHECKING:
    import pandas as pd

ShareMethod = Literal["logit", "clr"]
METHODS: dict[ShareMethod, str] = {"logit": "log2 odds", "clr": "centered log2 ratios"}
PRIOR = 0.5
"""Cells added to each count of a sample with an average total."""


@dataclass(frozen=True)
class Shares(Measured):
    """Cells of each sample by category.

    column : name of the column
    totals : int64 (n_samples,), cells of each sample that are counted
    """

    value_name: ClassVar[str] = "share"
    samples: StudySamples
    column: str
    labels: tuple[tuple[str, str], ...]
    counts: Counts
    totals: Counts
    method: ShareMethod = "logit"

    @property
    def values(self) -> Floats:
        """Share of each row in each sample; NaN for a sample without cells."""
        with np.errstate(invalid="ignore"):
            found: Floats = self.counts / np.where(self.totals > 0, self.totals, np.nan)
        return found

    def compared_of(self, units: Floats) -> Floats:
        """Return the numbers that are tested; NaN for samples that are excluded or have fewer than 10 cells.

        "logit" = log2 of share / (1 - share); "clr" = log2 of the share minus its mean over the rows. The prior that is
        added to each count is half a cell, times the total of the sample over the mean total. A type without cells then
        has the same share in all samples. With half a cell for every sample its share would depend on the totals, and
        seem to differ between conditions whose totals differ (decision 95).

        Sources: Phipson et al., "propeller", Bioinformatics 38 (2022), for the logit, without its moderation;
        Aitchison, "The statistical analysis of compositional data", J. R. Stat. Soc. B 44 (1982), for the ratios.
        """
        used = units[~self.samples.excluded]
        n, totals = self.counts[:, ~self.samples.excluded] @ used, self.totals[~self.samples.excluded] @ used
        is_tested, totals = totals >= LEAST_CELLS, np.maximum(totals, 1)
        prior = PRIOR * totals / (totals[is_tested].mean() if is_tested.any() else 1.0)
        counts = n + prior
        if self.method == "clr":
            logs = np.log2(counts)
            found = logs - logs.mean(axis=0)
        else:
            found = np.log2(counts / (totals - n + prior))
        return np.where(is_tested, found, np.nan)

    def index(self) -> pd.Index:
        """Return the categories as an index."""
        import pandas as pd

        return pd.Index([category for _, category in self.labels], name=self.column)
