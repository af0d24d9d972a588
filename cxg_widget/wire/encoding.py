"""Colourings as frames: the legend first, then the values in chunks, each kind in its smallest form."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import resolve_limit
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.wire.frames import CHUNK_BYTES, FIRST_POINTS, Frame, spans
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import CONTAINER, Nonzeros, Values
from cxg_widget.wire.protocol import Codes as CodesMessage
from cxg_widget.wire.quantise import between, finite_range, quantise, unit_of

BINS = 64
QUANTILES = 1001
_ENTRY_BYTES = 4
_BLOCK = 1 << 17


def category_counts(codes: Codes) -> tuple[list[int], int]:
    """Count the cells of each category, and the missing ones."""
    counts = np.zeros(len(codes.categories) + 1, dtype=np.int64)
    for start in range(0, codes.codes.size, _BLOCK):
        block = codes.codes[start : start + _BLOCK].astype(np.int64) + 1
        counts += np.bincount(block, minlength=counts.size)
    return counts[1:].tolist(), int(counts[0])


def wire_codes(codes: Codes) -> NDArray[np.uint8 | np.uint16]:
    """Return codes as uint8, or uint16 above 254 categories; missing = the dtype's maximum."""
    dtype: type[np.uint8 | np.uint16] = np.uint8 if len(codes.categories) <= 254 else np.uint16
    return codes.codes.astype(dtype)  # -1 becomes the maximum of an unsigned type


def code_frames(codes: Codes, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Yield the codes in display order, as `wire_codes` makes them."""
    wire = wire_codes(codes)
    for start, stop in spans(wire.size, wire.itemsize):
        yield Frame(CodesMessage(seq, start, stop, wire.size), {"codes": order.arrange(wire, start, stop)})


@dataclass(frozen=True)
class Numbers:
    """Numbers and what the legend says of them.

    Attributes
    ----------
    lo, hi : finite range over all n_obs cells
    n_missing : cells that are NaN or infinite
    histogram : uint32 (64,) cells per equal bin of lo..hi
    quantiles : float64 (1001,), 0, 0.001, ..., 1, linear interpolation as `numpy.quantile`
    """

    vector: Vector
    n_obs: int
    lo: float
    hi: float
    n_missing: int
    histogram: NDArray[np.uint32]
    quantiles: NDArray[np.float64]

    @classmethod
    def stated(cls, lo: float, hi: float) -> Numbers:
        """Return no number, of all that lie in a range."""
        none = np.empty(0, dtype=np.float32)
        return cls(Vector(none), 0, lo, hi, 0, np.empty(0, dtype=np.uint32), np.empty(0))

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.vector.nbytes

    def dense(self) -> NDArray[Any]:
        """Return every cell's number, in row order; what is held where it is dense."""
        return self.vector.values if self.vector.rows is None else self.vector.dense(self.n_obs)

    def holding(self, values: NDArray[Any]) -> Numbers:
        """Return other numbers, one per cell; the rest still speaks of these."""
        return replace(self, vector=Vector(values), n_obs=values.size)

    def take(self, rows: NDArray[np.integer[Any]]) -> Numbers:
        """Return the numbers of some rows, in their order; the rest still speaks of all."""
        return replace(self, vector=self.vector.take(rows), n_obs=rows.size)

    def quantile(self, percentile: str) -> float:
        """Return the number of a percentile like "p99"."""
        return resolve_limit(percentile, self.lo, self.hi, self.quantiles, self.lo)

    @property
    def is_sparse(self) -> bool:
        """True where listing the entries that differ from the fill costs less than listing every cell."""
        return self.vector.rows is not None and _ENTRY_BYTES * self.vector.rows.size < 2 * self.n_obs


def describe(vector: Vector, n_obs: int) -> Numbers:
    """Measure a vector: range, missing, histogram, quantiles; a sparse one without making it dense."""
    n_fill = 0 if vector.rows is None else n_obs - vector.rows.size
    stored = vector.values
    finite = stored[np.isfinite(stored)]
    finite.sort()
    lo, hi = finite_range(finite)
    if n_fill:
        lo, hi = (min(lo, vector.fill), max(hi, vector.fill)) if finite.size else (vector.fill, vector.fill)
    quantiles = _quantiles(finite, vector.fill, n_fill)
    histogram = _histogram(finite, vector.fill, n_fill, lo, hi)
    return Numbers(vector, n_obs, lo, hi, int(stored.size - finite.size), histogram, quantiles)


def _histogram(finite: NDArray[Any], fill: float, n_fill: int, lo: float, hi: float) -> NDArray[np.uint32]:
    """Count sorted values in equal bins of lo..hi; `np.histogram` refuses ranges narrower than it can cut."""
    unit = unit_of(lo, hi)
    low = lo * unit
    edges = (hi * unit - low or np.inf) * (np.arange(1, BINS) / BINS)
    # One by one, since searchsorted would make all of them double precision, twice what is on show.
    ends = [bisect_left(finite, edge, key=lambda value: float(value) * unit - low) for edge in edges.tolist()]
    histogram = np.diff(np.concatenate([[0], ends, [finite.size]])).astype(np.uint32)
    histogram[np.searchsorted(edges, fill * unit - low, side="right")] += np.uint32(n_fill)
    return histogram


def bin_values(finite: NDArray[Any], lo: float, hi: float) -> NDArray[np.int64]:
    """Count finite values, in any order, in the bins of a histogram of lo..hi, int64 (64,)."""
    unit = unit_of(lo, hi)
    low = lo * unit
    edges = (hi * unit - low or np.inf) * (np.arange(1, BINS) / BINS)
    counts = np.zeros(BINS, dtype=np.int64)
    for start in range(0, finite.size, _BLOCK):
        block = finite[start : start + _BLOCK].astype(np.float64) * unit - low
        counts += np.bincount(np.searchsorted(edges, block, side="right"), minlength=BINS)
    return counts


def count_selected(data: Codes | Vector, mask: NDArray[np.bool_], lo: float, hi: float) -> NDArray[np.int64]:
    """Count selected cells as the legend counts all of them.

    Parameters
    ----------
    data : of n rows
    mask : bool (n,)
    lo, hi : range of the histogram of numbers

    Returns
    -------
    int64 (1 + k,), the cells without a value, then those of each category or in each bin
    """
    if isinstance(data, Codes):
        counts, n_missing = category_counts(data.take(mask))
        return np.array([n_missing, *counts], dtype=np.int64)
    values = data.values[mask if data.rows is None else mask[data.rows]]
    finite = values[np.isfinite(values)]
    bins = bin_values(finite, lo, hi)
    if data.rows is not None:
        bins += bin_values(np.array([data.fill]), lo, hi) * (np.count_nonzero(mask) - values.size)
    return np.concatenate([[values.size - finite.size], bins])


def _quantiles(finite: NDArray[Any], fill: float, n_fill: int) -> NDArray[np.float64]:
    """Quantiles of sorted values with `fill` standing n_fill times among them, without building that array."""
    total = finite.size + n_fill
    if total == 0:
        return np.zeros(QUANTILES)
    before = bisect_left(finite, fill, key=float)

    def value_at(rank: NDArray[np.int64]) -> NDArray[np.float64]:
        shifted = np.where(rank < before, rank, np.maximum(rank - n_fill, 0))
        values = finite[np.minimum(shifted, finite.size - 1)] if finite.size else np.full(rank.shape, fill)
        is_fill = (rank >= before) & (rank < before + n_fill)
        return np.where(is_fill, fill, values).astype(np.float64)

    position = np.linspace(0, total - 1, QUANTILES)
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, total - 1)
    low, high = value_at(below), value_at(above)
    return between(low, high, position - below)


def number_frames(numbers: Numbers, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Yield the numbers in display order, as every cell's code or as the entries that differ from the fill."""
    return _nonzero_frames(numbers, order, seq) if numbers.is_sparse else _value_frames(numbers, order, seq)


def wire_values(numbers: Numbers) -> NDArray[np.uint16]:
    """Return every cell's number as a code over lo..hi, in row order."""
    return quantise(numbers.dense(), numbers.lo, numbers.hi)


def _value_frames(numbers: Numbers, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    wire = wire_values(numbers)
    for start, stop in spans(numbers.n_obs, wire.itemsize):
        yield Frame(Values(seq, start, stop, numbers.n_obs), {"values": order.arrange(wire, start, stop)})


def _nonzero_frames(numbers: Numbers, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Sort (point << 16 | code) once: that is point order, and both halves fall out of it."""
    vector, n_obs = numbers.vector, numbers.n_obs
    assert vector.rows is not None
    fill = int(quantise(np.array([vector.fill]), numbers.lo, numbers.hi)[0])
    keys = order.points[vector.rows].astype(np.uint64) << np.uint64(16)
    keys |= quantise(vector.values, numbers.lo, numbers.hi)
    keys.sort()
    points = (keys >> np.uint64(16)).astype(np.int64)
    codes = (keys & np.uint64(0xFFFF)).astype(np.uint16)
    n_containers = -(-n_obs // CONTAINER)
    counts = np.bincount(points // CONTAINER, minlength=n_containers).astype(np.uint32)
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    for first, last in _container_runs(counts):
        entries = slice(ends[first], ends[last])
        stop = min(last * CONTAINER, n_obs)
        arrays: dict[str, NDArray[Any]] = {
            "counts": counts[first:last],
            "offsets": (points[entries] % CONTAINER).astype(np.uint16),
            "values": codes[entries],
        }
        yield Frame(Nonzeros(seq, first * CONTAINER, stop, n_obs, fill), arrays)


def _container_runs(counts: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Group containers into runs of at most 1 MiB of entries; the first container travels alone."""
    first, held = 0, 0
    for container, count in enumerate(counts.tolist()):
        full = (held + count) * _ENTRY_BYTES > CHUNK_BYTES
        if container > first and (full or (first == 0 and container == FIRST_POINTS // CONTAINER)):
            yield first, container
            first, held = container, 0
        held += count
    yield first, len(counts)
