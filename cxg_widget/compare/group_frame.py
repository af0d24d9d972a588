"""Summaries of genes in groups of cells as a DataFrame; no single cell is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.groups import Counts, Floats, Summed
from cxg_widget.text.names import label_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class GroupNames:
    """Names of groups: the categories of one column, or of two.

    Attributes
    ----------
    columns : their names
    categories : of each column
    are_categorical, are_ordered : of each column, whether the store has it as categories, and whether in order
    places : int64 (k, columns), of each group its category in each column
    n_cells : int64 (k,)
    n_without : cells without a category, which are in no group
    """

    columns: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    are_categorical: tuple[bool, ...]
    are_ordered: tuple[bool, ...]
    places: Counts
    n_cells: Counts
    n_without: int

    @property
    def labels(self) -> list[str]:
        """The groups in words."""
        words = [[label_of(one) for one in categories] for categories in self.categories]
        return [" · ".join(words[level][at] for level, at in enumerate(group)) for group in self.places.tolist()]

    def index(self) -> pd.Index:
        """Return the groups as rows: an Index of categories, or a MultiIndex of two columns."""
        import pandas as pd

        levels = [self._level(at) for at in range(len(self.columns))]
        return levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels, names=list(self.columns))

    def _level(self, at: int) -> pd.Index:
        import pandas as pd

        known: pd.Index = pd.Index(list(self.categories[at]))
        codes = self.places[:, at]
        if not self.are_categorical[at]:
            return known.take(codes).rename(self.columns[at])
        values = pd.Categorical.from_codes(codes, categories=known, ordered=self.are_ordered[at])
        return pd.CategoricalIndex(values, name=self.columns[at])


@dataclass(frozen=True)
class GroupTable:
    """Some genes by group.

    Attributes
    ----------
    genes : in the order of the request; a gene may come twice
    sums : of each gene
    """

    names: GroupNames
    genes: tuple[str, ...]
    sums: Sequence[Summed]

    def each(self, statistic: str) -> NDArray[Any]:
        """Return an attribute of `Summed`, (groups, genes)."""
        return np.column_stack([getattr(one, statistic) for one in self.sums])

    def frame(self, **more: Floats) -> pd.DataFrame:
        """Return groups as rows, and as columns what is known of each gene, by (statistic, gene).

        more : further statistics, (groups, genes) each
        """
        import pandas as pd

        known = {
            "mean": self.each("mean"), "share": self.each("share"), **more, "sum": self.each("total"),
            "n": self.each("n"), "n_missing": self.each("n_missing"),
        }  # fmt: skip
        index, columns = self.names.index(), pd.Index(list(self.genes), dtype="str", name="gene")
        parts = {name: pd.DataFrame(values, index=index, columns=columns) for name, values in known.items()}
        return pd.concat(parts, axis=1, names=["statistic"])
