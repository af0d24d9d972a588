"""Expression of genes in samples: pseudobulk log counts per million by sample and cell type, and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cxg_widget.compare.donors.by_sums import log_cpm_of
from cxg_widget.compare.moments import Floats
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import LEAST_CELLS, Counts, StudySamples

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Expression(Measured):
    """Values of genes by sample and cell type.

    column : name of the column of cell types; None = none
    sums : float64 (n_rows, n_samples), of the counts or values of a gene
    totals : float64 (n_rows, n_samples), of the counts of all genes; if values are no counts, of cells with a value
    """

    value_name: ClassVar[str] = "value"
    samples: StudySamples
    column: str | None
    labels: tuple[tuple[str, str], ...]
    counts: Counts
    sums: Floats
    totals: Floats
    is_log2: bool = True

    @property
    def values(self) -> Floats:
        """Log2 counts per million, or means; NaN for excluded samples, and under 10 cells of the type."""
        return self.compared

    def compared_of(self, units: Floats) -> Floats:
        """Return the values of samples that are taken together."""
        used = ~self.samples.excluded
        cells, sums, totals = (one[:, used] @ units[used] for one in (self.counts, self.sums, self.totals))
        is_known = (cells >= LEAST_CELLS) & (totals > 0)
        if self.is_log2:
            return log_cpm_of(sums, np.where(is_known, totals, np.nan))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(is_known & (totals >= LEAST_CELLS), sums / totals, np.nan)

    def index(self) -> pd.Index:
        """Return genes, or genes and cell types, as an index."""
        import pandas as pd

        genes = pd.Index([gene for gene, _ in self.labels], name="gene")
        if self.column is None:
            return genes
        return pd.MultiIndex.from_arrays(
            [genes, [category for _, category in self.labels]], names=["gene", self.column]
        )
