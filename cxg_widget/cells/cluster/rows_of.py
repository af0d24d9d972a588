"""A view of some rows of a dataset, over which a worker evaluates rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets import Codes, Dataset, Vector
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.rule import mask_of


class RowsOf:
    """The rows start <= row < stop of a dataset; everything but their number and values is that of the dataset."""

    def __init__(self, dataset: Dataset, start: int, stop: int) -> None:
        self._dataset, self._block = dataset, (start, stop)
        self.n_obs = stop - start

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    def codes(self, column: str) -> Codes:
        """Return the codes of an obs column."""
        return self._dataset.codes_block(column, *self._block)

    def numbers(self, column: str) -> NDArray[Any]:
        """Return the numbers of an obs column."""
        return self._dataset.numbers_block(column, *self._block)

    def vector(self, name: str, layer: str | None = None) -> Vector:
        """Return a var."""
        return self._dataset.vector_block(name, layer, *self._block)


def rule_bits(rows: Rows, rule: Rule) -> NDArray[np.uint8]:
    """Return the rows of a rule as packed bits; the rule must satisfy `rule.is_by_rows`."""
    some: Any = RowsOf(rows.dataset(), rows.start, rows.stop)
    return pack_mask(mask_of(rule, some))
