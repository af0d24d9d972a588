"""Groups of cells to plot, by the categories of one or two columns: names and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import label_of

if TYPE_CHECKING:
    import pandas as pd

MOST_GROUPS = 5_000
"""Most groups with cells that are summed up at once."""
_MOST_PAIRS = 1 << 22

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CellGroups:
    """The group of each cell; no group is empty.

    codes : int32 (n_obs,), -1 = no group
    places : int64 (k, columns), the category of each group in each column, ascending
    n_cells : int64 (k,)
    n_without : number of the requested cells without a category
    """

    codes: NDArray[np.int32]
    places: Counts
    n_cells: Counts
    n_without: int

    @classmethod
    def of(cls, columns: Sequence[Codes], mask: NDArray[np.bool_] | None) -> CellGroups:
        """Group cells by one column, or by the pairs of two.

        mask : bool (n_obs,), the cells that count; None = all
        """
        sizes = [len(column.categories) for column in columns]
        # As float64, which cannot overflow. The limit also keeps the codes of pairs, below, within int32.
        if np.prod(sizes, dtype=np.float64) > _MOST_PAIRS:
            raise InvalidValue(f"at most {MOST_GROUPS:,} groups are summed up at once; found {_describe_sizes(sizes)}")
        codes = columns[0].codes.astype(np.int32)
        for column, size in zip(columns[1:], sizes[1:], strict=True):
            codes = np.where((codes < 0) | (column.codes < 0), np.int32(-1), codes * np.int32(size) + column.codes)
        n_wanted = codes.size if mask is None else int(np.count_nonzero(mask))
        if mask is not None:
            codes[~mask] = -1
        counts = np.bincount(codes + 1, minlength=int(np.prod(sizes)) + 1)[1:]
        kept = np.flatnonzero(counts)
        if kept.size > MOST_GROUPS:
            raise InvalidValue(f"at most {MOST_GROUPS:,} groups are summed up at once; found {kept.size:,}")
        # One extra entry of -1 at the end, which code -1 indexes.
        number = np.full(counts.size + 1, -1, dtype=np.int32)
        number[kept] = np.arange(kept.size)
        places = np.column_stack(np.unravel_index(kept, sizes)).astype(np.int64)
        return cls(number[codes], places, counts[kept].astype(np.int64), n_wanted - int(counts.sum()))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self.n_cells.size


@dataclass(frozen=True)
class GroupNames:
    """Names of groups: the categories of one column, or of two.

    are_categorical, are_ordered : for each column, whether the store has categories, and whether they are ordered
    places : int64 (k, columns), the category of each group in each column
    n_cells : int64 (k,)
    n_without : number of cells without a category, which are in no group
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
        """Labels of the groups."""
        words = [[label_of(one) for one in categories] for categories in self.categories]
        return [" · ".join(words[level][at] for level, at in enumerate(group)) for group in self.places.tolist()]

    def index(self) -> pd.Index:
        """Return the groups as a pandas Index of categories, or a MultiIndex of two columns."""
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


def paired(groups: CellGroups, column: Codes) -> Counts:
    """Count the cells of each group by another column, int64 (k, categories + 1), with those without a value last."""
    size = len(column.categories) + 1
    if groups.n_groups * size > _MOST_PAIRS:
        raise InvalidValue(f"at most {_MOST_PAIRS:,} pairs are counted at once; found {groups.n_groups:,} x {size:,}")
    inside = groups.codes >= 0
    other = np.where(column.codes < 0, size - 1, column.codes)[inside].astype(np.int64)
    found = np.bincount(groups.codes[inside] * np.int64(size) + other, minlength=groups.n_groups * size)
    return found.reshape(groups.n_groups, size).astype(np.int64)


def _describe_sizes(sizes: Sequence[int]) -> str:
    return " x ".join(f"{size:,}" for size in sizes)
