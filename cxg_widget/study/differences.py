"""Genes that differ between conditions in each cell type, by sums of counts of samples (pseudobulk), or means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.donors.by_sums import tested_sums
from cxg_widget.compare.gene_tests import benjamini_hochberg
from cxg_widget.compare.moments import Floats
from cxg_widget.study.condition_tests import LEAST_PAIRS
from cxg_widget.study.samples import LEAST_CELLS, StudySamples
from cxg_widget.study.sums import GroupSums

if TYPE_CHECKING:
    import pandas as pd

LEAST_SAMPLES = 2
LEVEL = 0.05
N_GENES = 0
"""Place in `tests` of the number of genes that differ."""


class Sides(NamedTuple):
    """The samples of two conditions in one cell type: first those of a, then those of b, in one order if paired.

    names : of the samples; if they are paired, the values of the column `pair`, each on both sides
    in_a : bool (k,)
    n_cells : int64 (k,)
    sums : float64 (k, n_var)
    n_few : samples of a and of b with too few cells, if samples are not paired
    """

    names: tuple[str, ...]
    in_a: NDArray[np.bool_]
    n_cells: NDArray[np.int64]
    sums: Floats
    is_paired: bool
    n_few: tuple[int, int] = (0, 0)

    @property
    def n(self) -> tuple[int, int]:
        """Number of samples on both sides."""
        n_a = int(np.count_nonzero(self.in_a))
        return n_a, len(self.in_a) - n_a

    @property
    def is_testable(self) -> bool:
        """Whether both sides have enough samples."""
        return min(self.n) >= LEAST_SAMPLES


@dataclass(frozen=True)
class Differences:
    """How many genes differ between conditions, in each cell type.

    column : name of the column of cell types; None = all cells together
    places : int64 (n_types,), the category of each type in the column
    types : labels of the types, "" for all cells together
    sums : of the cells that count, by sample and category
    min_cells : least cells of a type in a sample
    check : called for each type; an exception from it ends the work
    tests : float64 (4, n_types, n_pairs): number of genes with p_adj < 0.05, number of tested genes, NaN if not tested;
        samples of either condition
    is_paired : bool (n_types, n_pairs)
    """

    samples: StudySamples
    column: str | None
    places: NDArray[np.int64]
    types: tuple[str, ...]
    sums: GroupSums
    min_cells: int = LEAST_CELLS
    check: Callable[[], None] = field(default=lambda: None, repr=False)
    tests: Floats = field(init=False)
    is_paired: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        pairs = self.samples.condition_pairs
        found = np.full((4, len(self.types), len(pairs)), np.nan)
        is_paired = np.zeros(found.shape[1:], dtype=np.bool_)
        for row in range(len(self.types)):
            self.check()
            sums = self._sums_of(row)
            for at, pair in enumerate(pairs):
                sides = self._sides(row, sums, pair)
                found[:, row, at], is_paired[row, at] = self._numbers(sides), sides.is_paired
        object.__setattr__(self, "tests", found)
        object.__setattr__(self, "is_paired", is_paired)

    @property
    def n_cells(self) -> NDArray[np.int64]:
        """Cells of each type in each sample, int64 (n_types, n_samples)."""
        groups = self.sums.kept.groups
        found: NDArray[np.int64] = self.sums.n_cells.reshape(groups.n_samples, groups.n_types).T[self.places]
        return found

    def order(self) -> NDArray[np.int64]:
        """Return the types, those with most genes that differ between the first two conditions first."""
        if not self.tests.shape[2]:
            return np.arange(len(self.types))
        return np.argsort(-np.nan_to_num(self.tests[N_GENES, :, 0], nan=-1.0), kind="stable")

    def sides(self, row: int, pair: tuple[int, int]) -> Sides:
        """Return the samples of two conditions in a type."""
        return self._sides(row, self._sums_of(row), pair)

    def frame(self) -> pd.DataFrame:
        """Return a row per type and pair of conditions: genes that differ, genes tested, samples of both."""
        import pandas as pd

        conditions, parts = self.samples.conditions, []
        types = pd.Index(self.types, name=self.column or "cells")
        for at, (a, b) in enumerate(self.samples.condition_pairs):
            n_genes, n_tested, n_a, n_b = self.tests[:, :, at]
            columns = {
                "a": conditions[a], "b": conditions[b], "n_genes": pd.array(n_genes, dtype="Int64"),
                "n_tested": pd.array(n_tested, dtype="Int64"), "n_a": n_a.astype(np.int64), "n_b": n_b.astype(np.int64),
            }  # fmt: skip
            parts.append(pd.DataFrame(columns, index=types).set_index(["a", "b"], append=True))
        return pd.concat(parts) if parts else pd.DataFrame(columns=["n_genes", "n_tested", "n_a", "n_b"])

    def _sums_of(self, row: int) -> Floats:
        """Return the sums of a type, float64 (n_samples, n_var)."""
        groups = self.sums.kept.groups
        return self.sums.of(np.arange(groups.n_samples) * groups.n_types + self.places[row])

    def _numbers(self, sides: Sides) -> tuple[float, float, int, int]:
        """Return the numbers of `tests` for two conditions in a type."""
        if not sides.is_testable:
            return np.nan, np.nan, *sides.n
        n_cells = None if self.sums.kept.are_counts else sides.n_cells
        _, tested = tested_sums(sides.sums, sides.in_a, is_paired=sides.is_paired, n_cells=n_cells)
        is_tested = ~np.isnan(tested.p)
        # As in the table of a comparison, a gene without p counts as p = 1.
        adjusted = benjamini_hochberg(np.where(is_tested, tested.p, 1.0))
        return float(np.count_nonzero(adjusted[is_tested] < LEVEL)), float(np.count_nonzero(is_tested)), *sides.n

    def _sides(self, row: int, sums: Floats, pair: tuple[int, int]) -> Sides:
        samples, n_cells = self.samples, self.n_cells[row]
        has_cells = ~samples.excluded & (n_cells > 0) & sums.any(axis=1)
        by_pair = [self._by_pair(has_cells & (samples.condition == one), n_cells) for one in pair]
        both = sorted(by_pair[0].keys() & by_pair[1].keys())
        if len(both) >= LEAST_PAIRS:
            parts = [side[name] for side in by_pair for name in both]
            return _summed((*both, *both), len(both), parts, (n_cells, sums), is_paired=True)
        sides = [np.flatnonzero(has_cells & (samples.condition == one)) for one in pair]
        enough = [side[n_cells[side] >= self.min_cells].tolist() for side in sides]
        used = [at for side in enough for at in side]
        found = _summed(
            tuple(samples.names[at] for at in used), len(enough[0]), [np.array([at]) for at in used], (n_cells, sums)
        )
        return found._replace(n_few=(len(sides[0]) - len(enough[0]), len(sides[1]) - len(enough[1])))

    def _by_pair(self, which: NDArray[np.bool_], n_cells: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Return samples by their value of the column `pair`, those with enough cells."""
        labels = np.array(self.samples.pairs, dtype=object)
        names = sorted(set(labels[which].tolist()) - {""})
        found = {name: np.flatnonzero(which & (labels == name)) for name in names}
        return {name: rows for name, rows in found.items() if n_cells[rows].sum() >= self.min_cells}


def _summed(
    names: tuple[str, ...], n_a: int, parts: list[NDArray[np.int64]], of_samples: tuple[NDArray[np.int64], Floats], *,
    is_paired: bool = False,
) -> Sides:  # fmt: skip
    """Add the cells and sums of samples that count as one."""
    n_cells, sums = of_samples
    return Sides(
        names, np.arange(len(parts)) < n_a, np.array([n_cells[part].sum() for part in parts], dtype=np.int64),
        np.stack([sums[part].sum(axis=0) for part in parts]) if parts else np.zeros((0, sums.shape[1])),
        is_paired=is_paired,
    )  # fmt: skip
