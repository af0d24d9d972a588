"""Values of samples, row by row, with the tests between conditions: what shares and expression have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.moments import Floats
from cxg_widget.study.condition_tests import ConditionTests
from cxg_widget.study.samples import Counts, StudySamples

if TYPE_CHECKING:
    import pandas as pd


class Measured(ABC):
    """Values of samples; rows are cell types, genes, or genes in cell types.

    Attributes
    ----------
    labels : gene and category of each row, "" = none
    counts : int64 (n_rows, n_samples), cells of each row in each sample
    """

    value_name: ClassVar[str]
    """Column of `frame` with the values."""
    is_log2: bool = True
    """Whether the tested numbers are log2 values."""
    samples: StudySamples
    labels: tuple[tuple[str, str], ...]
    counts: Counts

    @property
    @abstractmethod
    def values(self) -> Floats:
        """Value of each row in each sample, float64 (n_rows, n_samples); NaN = none."""

    @abstractmethod
    def compared_of(self, units: Floats) -> Floats:
        """Return the numbers that are tested, float64 (n_rows, n_units); NaN = not tested.

        units : float64 (n_samples, n_units) of 0 and 1; samples of one unit are taken together, as one sample
        """

    @property
    def compared(self) -> Floats:
        """The numbers of each sample that are tested, float64 (n_rows, n_samples); NaN = not tested."""
        return self.compared_of(np.eye(len(self.samples)))

    @abstractmethod
    def index(self) -> pd.Index:
        """Return the rows as an index."""

    @cached_property
    def tests(self) -> ConditionTests:
        """Tests of each row between conditions."""
        return ConditionTests.of(self.compared_of, self.samples)

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Which samples are tested in any row, bool (n_samples,)."""
        return np.asarray(~np.isnan(self.compared).all(axis=0))

    def frame(self) -> pd.DataFrame:
        """Return a row per row and sample that is not excluded: condition, n (cells) and the value."""
        import pandas as pd

        samples, index = self.samples, self.index()
        (k, n), kept = self.counts.shape, ~self.samples.excluded
        rows = index.repeat(n).to_frame(index=False).assign(sample=np.tile(np.array(samples.names, dtype=object), k))
        condition = pd.Categorical.from_codes(np.tile(samples.condition, k), pd.Index(samples.conditions))
        columns = {"condition": condition, "n": self.counts.ravel(), self.value_name: self.values.ravel()}
        return pd.DataFrame(columns, index=pd.MultiIndex.from_frame(rows))[np.tile(kept, k)]

    def test(self) -> pd.DataFrame:
        """Return a row per row and pair of conditions, by falling |effect| of the first pair."""
        order, pairs = self.tests.order(), len(self.tests.pairs)
        wanted = [at * len(order) + row for at in range(pairs) for row in order.tolist()]
        return self.tests.frame(self.index()).iloc[wanted]
