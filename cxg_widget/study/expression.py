"""Expression of genes in samples: pseudobulk log counts per million by sample and cell type, and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cxg_widget.compare.moments import Floats
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import Counts, StudySamples

if TYPE_CHECKING:
    import pandas as pd

LEAST_CELLS = 10
"""Cells of a type that a sample needs to have a value."""


@dataclass(frozen=True)
class Expression(Measured):
    """Values of genes by sample and cell type.

    column : name of the column of cell types; None = none
    """

    value_name: ClassVar[str] = "value"
    samples: StudySamples
    column: str | None
    labels: tuple[tuple[str, str], ...]
    counts: Counts
    measured: Floats
    is_log2: bool = True

    @property
    def values(self) -> Floats:
        """Log2 counts per million, or means; NaN for a sample with fewer than 10 cells of the type."""
        return self.measured

    @property
    def compared(self) -> Floats:
        """The values of samples that are not excluded."""
        return np.where(self.samples.excluded, np.nan, self.measured)

    def index(self) -> pd.Index:
        """Return genes, or genes and cell types, as an index."""
        import pandas as pd

        genes = pd.Index([gene for gene, _ in self.labels], name="gene")
        if self.column is None:
            return genes
        return pd.MultiIndex.from_arrays(
            [genes, [category for _, category in self.labels]], names=["gene", self.column]
        )
