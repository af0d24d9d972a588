"""Genes by groups of cells: sums, histograms and medians for plots and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.plotted_groups import CellGroups, Counts, GroupNames
from cxg_widget.datasets.base.values import Vector

if TYPE_CHECKING:
    import pandas as pd

N_BINS = 200

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Summed:
    """Statistics of one gene in each of k groups.

    Attributes
    ----------
    n, n_missing, n_above : int64 (k,), number of values, of NaN, and of values above 0
    total, least, greatest : float64 (k,); 0, inf and -inf without a value
    """

    n: Counts
    n_missing: Counts
    n_above: Counts
    total: Floats
    least: Floats
    greatest: Floats

    @property
    def mean(self) -> Floats:
        """Mean of the values that are not NaN; NaN if there are none."""
        return _ratio(self.total, self.n)

    @property
    def share(self) -> Floats:
        """Share of values above 0, without NaN: the cells that express the gene, in scanpy's terms."""
        return _ratio(self.n_above, self.n)


@dataclass(frozen=True)
class GroupTable:
    """Some genes by group.

    Attributes
    ----------
    genes : in requested order; a gene may occur twice
    sums : of each gene
    """

    names: GroupNames
    genes: tuple[str, ...]
    sums: Sequence[Summed]

    def each(self, statistic: str) -> NDArray[Any]:
        """Return an attribute of `Summed`, (groups, genes)."""
        return np.column_stack([getattr(one, statistic) for one in self.sums])

    def frame(self, **more: Floats) -> pd.DataFrame:
        """Return a table with groups as rows and (statistic, gene) as columns.

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


def summed(vector: Vector, groups: CellGroups) -> Summed:
    """Sum up one gene; cells that are not listed have its fill value."""
    from cxg_widget.compare.loops.sum_loops import add_values
    from cxg_widget.compute.compiled import frozen

    k = groups.n_groups
    counts = np.zeros((3, k), dtype=np.int64)
    numbers = np.stack([np.zeros(k), np.full(k, np.inf), np.full(k, -np.inf)])
    add_values(frozen(vector.values), frozen(_listed(vector, groups)), counts, numbers)
    if vector.rows is not None:
        _fill(vector.fill, groups.n_cells - counts[0] - counts[1], counts, numbers)
    return Summed(*counts, *numbers)


def _fill(fill: float, n: Counts, counts: Counts, numbers: Floats) -> None:
    """Add n cells with the same value to each group."""
    if np.isnan(fill):
        counts[1] += n
        return
    counts[0] += n
    counts[2] += n * (fill > 0)
    if fill:
        numbers[0] += fill * n
    numbers[1] = np.where(n > 0, np.minimum(numbers[1], fill), numbers[1])
    numbers[2] = np.where(n > 0, np.maximum(numbers[2], fill), numbers[2])


def scaled(means: Floats, by: str | None) -> Floats:
    """Scale means (groups, genes) from 0 to 1, per gene ("var") or per group ("group"), as scanpy does.

    Constant ones become 0.
    """
    if by is None or not means.size:
        return means
    axis = 0 if by == "var" else 1
    with np.errstate(invalid="ignore"):
        above = means - np.fmin.reduce(means, axis=axis, keepdims=True)
        greatest = np.fmax.reduce(above, axis=axis, keepdims=True)
        return np.nan_to_num(np.divide(above, greatest, out=np.zeros_like(above), where=greatest != 0))


@dataclass(frozen=True)
class Binned:
    """Histogram of the finite values of one gene, 200 bins per group.

    Attributes
    ----------
    edges : float64 (201,), equidistant; each bin includes its left end, the last one also its right end
    counts : int64 (k, 200)
    """

    edges: Floats
    counts: Counts

    @property
    def centres(self) -> Floats:
        """Centers of the bins, float64 (200,)."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    def density(self, group: int) -> Floats:
        """Estimate the density of a group at the centers, float64 (200,), by a Gaussian kernel over its bins.

        The bandwidth is that of `scipy.stats.gaussian_kde`, n ** (-1 / 5) standard deviations, and at least a bin. The
        density is 0 outside the range of the group's cells.

        Source: Scott, "Multivariate density estimation" (1992).
        """
        counts, step = self.counts[group], self.edges[1] - self.edges[0]
        n, at = counts.sum(), np.flatnonzero(counts)
        if n < 1:
            return np.zeros(counts.size)
        mean = (counts * self.centres).sum() / n
        spread = np.sqrt((counts * (self.centres - mean) ** 2).sum() / max(n - 1, 1))
        width = max(spread * n ** (-1 / 5), step)
        distance = (self.centres[:, None] - self.centres[at]) / width
        found = np.exp(-0.5 * distance**2) @ counts[at] / (n * width * np.sqrt(2 * np.pi))
        found[: at[0]] = found[at[-1] + 1 :] = 0
        return np.asarray(found)


def binned(vector: Vector, groups: CellGroups, known: Summed) -> Binned:
    """Count one gene in bins between its lowest and highest finite value in these groups."""
    from cxg_widget.compare.loops.sum_loops import add_to_bins
    from cxg_widget.compute.compiled import frozen

    low, high = _ends(vector, groups, known)
    edges = np.linspace(low, high, N_BINS + 1)
    counts = np.zeros((groups.n_groups, N_BINS), dtype=np.int64)
    add_to_bins(frozen(vector.values), frozen(_listed(vector, groups)), edges, counts)
    if vector.rows is not None and low <= vector.fill <= high:
        at = min(int(np.searchsorted(edges, vector.fill, side="right")) - 1, N_BINS - 1)
        counts[:, at] += _n_filled(vector, groups)
    return Binned(edges, counts)


def _ends(vector: Vector, groups: CellGroups, known: Summed) -> tuple[float, float]:
    """Return the lowest and highest finite value, widened if they are equal, as NumPy does."""
    low, high = float(known.least.min(initial=np.inf)), float(known.greatest.max(initial=-np.inf))
    if not np.isfinite([low, high]).all():
        values = vector.values[(_listed(vector, groups) >= 0) & np.isfinite(vector.values)]
        ends = [*([values.min(), values.max()] if values.size else []), *([] if vector.rows is None else [vector.fill])]
        finite = [float(end) for end in ends if np.isfinite(end)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def medians(vector: Vector, groups: CellGroups) -> Floats:
    """Return the median of each group, float64 (k,): for an even number of values the mean of the middle two.

    NaN does not count; a group without values has NaN. Unlisted cells of a sparse gene count with its fill value.
    """
    codes = groups.codes if vector.rows is None else groups.codes[vector.rows]
    counts = (codes >= 0) & ~np.isnan(vector.values)
    values, codes = vector.values[counts], codes[counts]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=groups.n_groups))])
    by_group = values[np.argsort(codes, kind="stable")]
    n_filled = _n_filled(vector, groups)
    found = np.full(groups.n_groups, np.nan)
    for group, (start, end) in enumerate(pairwise(bounds.tolist())):
        n = end - start + int(n_filled[group])
        if n:
            middle = _ranked(by_group[start:end], vector.fill, int(n_filled[group]), ((n - 1) // 2, n // 2))
            found[group] = (middle[0] + middle[1]) / 2
    return found


def _n_filled(vector: Vector, groups: CellGroups) -> NDArray[np.int64]:
    """Count the cells of each group that have the fill value of a sparse gene, int64 (k,)."""
    if vector.rows is None or np.isnan(vector.fill):
        return np.zeros(groups.n_groups, dtype=np.int64)
    listed = groups.codes[vector.rows]
    return groups.n_cells - np.bincount(listed[listed >= 0], minlength=groups.n_groups)


def _ranked(values: NDArray[np.floating], fill: float, n_filled: int, ranks: tuple[int, int]) -> list[float]:
    """Return the values at two ranks of the given values and `n_filled` fill values, without expanding the latter."""
    n_below = int(np.count_nonzero(values < fill)) if n_filled else values.size
    places = [rank if rank < n_below else rank - n_filled for rank in ranks if not n_below <= rank < n_below + n_filled]
    # A median needs two ranks, not a sorted array.
    parted = np.partition(values, places) if places else values
    at = iter(places)
    return [fill if n_below <= rank < n_below + n_filled else float(parted[next(at)]) for rank in ranks]


def _listed(vector: Vector, groups: CellGroups) -> NDArray[np.int32]:
    found: NDArray[np.int32] = groups.codes if vector.rows is None else groups.codes[vector.rows]
    return found


def _ratio(upper: NDArray[Any], lower: Counts) -> Floats:
    found: Floats = np.divide(upper, lower, out=np.full(lower.size, np.nan), where=lower > 0)
    return found
