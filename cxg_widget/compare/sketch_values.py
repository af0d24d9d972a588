"""Cells in the order of a column: a brush covers a run of them, and cuts at most two tiles."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.counts.coded import MOST_BINS, ends_of, float_edges
from cxg_widget.counts.counter import Column
from cxg_widget.datasets.base.dataset import Dataset

MOST_RUNS = 256
"""Maximum number of runs: a file of 77 MB for 30,000 genes."""


@dataclass(frozen=True)
class ValueOrder:
    """Cells that have a value of a column, lowest first; has the attributes that `Tiles` needs of a spatial index.

    rows : uint32 (n,); values : (n,), numbers, or codes of categories
    fingerprint : hash of the column
    """

    n_obs: int
    rows: NDArray[np.uint32]
    values: NDArray[Any]
    is_number: bool
    fingerprint: str

    @classmethod
    def read(cls, dataset: Dataset, column: Column) -> ValueOrder:
        """Read a column; raises as `Dataset.numbers`, `codes` and `vector`."""
        source, name, layer = column
        known = dataset.obs_columns.get(name) if source == "obs" else None
        is_number = source == "var" or (known is not None and known.kind in ("int", "float"))
        if source == "var":
            values: NDArray[Any] = dataset.vector(name, layer).dense(dataset.n_obs)
        else:
            values = dataset.numbers(name) if is_number else dataset.codes(name).codes
        rows = np.flatnonzero(~np.isnan(values) if is_number else values >= 0).astype(np.uint32)
        rows = rows[np.argsort(values[rows], kind="stable")]
        digest = blake2b(f"{values.dtype} {values.size}".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(values).data)
        return cls(dataset.n_obs, rows, values[rows], is_number, digest.hexdigest())

    @property
    def n(self) -> int:
        """Number of cells that have a value."""
        return self.rows.size

    def kept(self, mask: NDArray[np.bool_]) -> ValueOrder:
        """Return the order of some rows, bool (n_obs,)."""
        is_kept = mask[self.rows]
        return ValueOrder(self.n_obs, self.rows[is_kept], self.values[is_kept], self.is_number, "")

    def edges(self, most: int) -> NDArray[np.int64]:
        """Divide the cells into at most this many runs, each with all cells of its values, int64 (n_runs + 1,)."""
        most = min(most, MOST_RUNS)
        if not self.n:
            return np.zeros(1, dtype=np.int64)
        firsts = np.flatnonzero(np.append([True], self.values[1:] != self.values[:-1]))
        if firsts.size <= most:
            return np.append(firsts, self.n)
        # Zeros of a gene would otherwise take nearly all runs.
        some = self.values[self.values != 0] if self.is_number else self.values
        starts = [self.values[:1]]
        # The bars of the histogram are edges too: its tails have few cells, and a brush may end in them.
        if self.is_number and most > 2 * MOST_BINS:
            ends = ends_of(self.values)
            starts.append(float_edges(ends.low, ends.high)[:-1])
        n = most - sum(map(len, starts))
        if n > 0:
            starts.append(some[np.linspace(0, some.size, n, endpoint=False).astype(np.int64)])
        found = np.searchsorted(self.values, np.unique(np.concatenate(starts)))
        return np.unique(np.append(found, [0, self.n]))

    def span(self, low: float | None, high: float | None) -> tuple[int, int]:
        """Return the first position in a range, both ends included, and the first after it; None = open."""
        first = 0 if low is None else int(np.searchsorted(self.values, low))
        return first, self.n if high is None else int(np.searchsorted(self.values, high, side="right"))
