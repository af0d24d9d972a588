"""Sums up the values of one gene in groups of cells: counts, means, bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Vector
from cxg_widget.errors import InvalidValue

MOST_GROUPS = 5_000
"""Groups with cells that are summed up at once."""
_MOST_PAIRS = 1 << 22
N_BINS = 200

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CellGroups:
    """The group of each cell; no group is empty.

    Attributes
    ----------
    codes : int32 (n_obs,), -1 = of none
    places : int64 (k, columns), of each group its category in each column, in the order of these
    n_cells : int64 (k,)
    n_without : how many of the requested cells have no category
    """

    codes: NDArray[np.int32]
    places: Counts
    n_cells: Counts
    n_without: int

    @classmethod
    def of(cls, columns: Sequence[Codes], mask: NDArray[np.bool_] | None) -> CellGroups:
        """Group cells by one column, or by the pairs of two.

        mask : bool (n_obs,), the cells that count; None = all

        Raises
        ------
        InvalidValue
            If there are too many groups.
        """
        sizes = [len(column.categories) for column in columns]
        # As float64, which cannot overflow. The bound also keeps the codes of pairs, below, within int32.
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
        # One entry more: code -1 indexes the last one, which is -1.
        number = np.full(counts.size + 1, -1, dtype=np.int32)
        number[kept] = np.arange(kept.size)
        places = np.column_stack(np.unravel_index(kept, sizes)).astype(np.int64)
        return cls(number[codes], places, counts[kept].astype(np.int64), n_wanted - int(counts.sum()))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self.n_cells.size


def _describe_sizes(sizes: Sequence[int]) -> str:
    return " x ".join(f"{size:,}" for size in sizes)


@dataclass(frozen=True)
class Summed:
    """The values of one gene in each of k groups.

    Attributes
    ----------
    n, n_missing, n_above : int64 (k,), values that are numbers, NaN, and those above 0
    total, least, greatest : float64 (k,); without a number 0, inf and -inf
    """

    n: Counts
    n_missing: Counts
    n_above: Counts
    total: Floats
    least: Floats
    greatest: Floats

    @property
    def mean(self) -> Floats:
        """The mean of what is no NaN; NaN where there is nothing."""
        return _ratio(self.total, self.n)

    @property
    def share(self) -> Floats:
        """Share of values above 0, without NaN; scanpy says that such a cell expresses a gene."""
        return _ratio(self.n_above, self.n)


def _ratio(upper: NDArray[Any], lower: Counts) -> Floats:
    found: Floats = np.divide(upper, lower, out=np.full(lower.size, np.nan), where=lower > 0)
    return found


def summed(vector: Vector, groups: CellGroups) -> Summed:
    """Sum up one gene; cells that it does not list have its fill."""
    from cxg_widget.compare.group_kernels import add_values
    from cxg_widget.compute.compiled import frozen

    k = groups.n_groups
    counts = np.zeros((3, k), dtype=np.int64)
    numbers = np.stack([np.zeros(k), np.full(k, np.inf), np.full(k, -np.inf)])
    add_values(frozen(vector.values), frozen(_listed(vector, groups)), counts, numbers)
    if vector.rows is not None:
        _fill(vector.fill, groups.n_cells - counts[0] - counts[1], counts, numbers)
    return Summed(*counts, *numbers)


def _listed(vector: Vector, groups: CellGroups) -> NDArray[np.int32]:
    found: NDArray[np.int32] = groups.codes if vector.rows is None else groups.codes[vector.rows]
    return found


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


@dataclass(frozen=True)
class Binned:
    """Histogram of the finite values of one gene, 200 bins for each group.

    Attributes
    ----------
    edges : float64 (201,), equidistant; each bin holds its left end, the last one its right end too
    counts : int64 (k, 200)
    """

    edges: Floats
    counts: Counts

    @property
    def centres(self) -> Floats:
        """The middle of each bin, float64 (200,)."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    def density(self, group: int) -> Floats:
        """Estimate the density of a group at the centres, float64 (200,): its bins under a Gaussian kernel.

        The width of the kernel is that of `scipy.stats.gaussian_kde`, n ** (-1 / 5) standard deviations, but a bin at
        least. Nothing lies outside the bins that have cells, so that no cell is shown where none is.

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
    """Count one gene in bins from its least to its greatest finite value in these groups."""
    from cxg_widget.compare.group_kernels import add_to_bins
    from cxg_widget.compute.compiled import frozen

    low, high = _ends(vector, groups, known)
    edges = np.linspace(low, high, N_BINS + 1)
    counts = np.zeros((groups.n_groups, N_BINS), dtype=np.int64)
    listed = _listed(vector, groups)
    add_to_bins(frozen(vector.values), frozen(listed), edges, counts)
    if vector.rows is not None and low <= vector.fill <= high:
        at = min(int(np.searchsorted(edges, vector.fill, side="right")) - 1, N_BINS - 1)
        counts[:, at] += groups.n_cells - np.bincount(listed[listed >= 0], minlength=groups.n_groups)
    return Binned(edges, counts)


def _ends(vector: Vector, groups: CellGroups, known: Summed) -> tuple[float, float]:
    """Return the least and the greatest finite value, widened where they are one, as NumPy does."""
    low, high = float(known.least.min(initial=np.inf)), float(known.greatest.max(initial=-np.inf))
    if not np.isfinite([low, high]).all():
        values = vector.values[(_listed(vector, groups) >= 0) & np.isfinite(vector.values)]
        ends = [*([values.min(), values.max()] if values.size else []), *([] if vector.rows is None else [vector.fill])]
        finite = [float(end) for end in ends if np.isfinite(end)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def paired(groups: CellGroups, column: Codes) -> Counts:
    """Count the cells of each group by another column, int64 (k, categories + 1); last those without a value."""
    size = len(column.categories) + 1
    if groups.n_groups * size > _MOST_PAIRS:
        raise InvalidValue(f"at most {_MOST_PAIRS:,} pairs are counted at once; found {groups.n_groups:,} x {size:,}")
    inside = groups.codes >= 0
    other = np.where(column.codes < 0, size - 1, column.codes)[inside].astype(np.int64)
    found = np.bincount(groups.codes[inside] * np.int64(size) + other, minlength=groups.n_groups * size)
    return found.reshape(groups.n_groups, size).astype(np.int64)


def scaled(means: Floats, by: str | None) -> Floats:
    """Stretch means (groups, genes) to 0 to 1, each gene ("var") or each group ("group"), as scanpy does.

    What is the same everywhere becomes 0.
    """
    if by is None or not means.size:
        return means
    axis = 0 if by == "var" else 1
    with np.errstate(invalid="ignore"):
        above = means - np.fmin.reduce(means, axis=axis, keepdims=True)
        greatest = np.fmax.reduce(above, axis=axis, keepdims=True)
        return np.nan_to_num(np.divide(above, greatest, out=np.zeros_like(above), where=greatest != 0))
