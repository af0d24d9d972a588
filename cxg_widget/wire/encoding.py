"""Encodes colorings as frames: the legend first, then the values in chunks, in the smallest encoding."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import resolve_limit
from cxg_widget.color.scale import Range
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.wire.frames import CHUNK_BYTES, FIRST_POINTS, Frame, spans
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import CONTAINER, CodesOfPoints, Nonzeros, ValuesOfPoints
from cxg_widget.wire.quantise import LEVELS, between, finite_range, unit_of, zero_code

LEGEND_BINS = 64
QUANTILES = 1001
_ENTRY_BYTES = 4
_BLOCK = 1 << 17


def category_counts(codes: Codes) -> tuple[list[int], int]:
    """Count the cells of each category, and those without one."""
    counts = np.zeros(len(codes.categories) + 1, dtype=np.int64)
    for start in range(0, codes.codes.size, _BLOCK):
        # Widened before adding 1: in int8 the code 127 would become -128.
        block = codes.codes[start : start + _BLOCK].astype(np.int64) + 1
        counts += np.bincount(block, minlength=counts.size)
    return counts[1:].tolist(), int(counts[0])


def wire_codes(codes: Codes) -> NDArray[np.uint8 | np.uint16]:
    """Return codes as uint8, or uint16 above 254 categories; missing = the dtype's maximum."""
    dtype: type[np.uint8 | np.uint16] = np.uint8 if len(codes.categories) <= 254 else np.uint16
    return codes.codes.astype(dtype)  # -1 becomes the maximum of an unsigned dtype


def code_frames(codes: Codes, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Yield the codes in draw order, as `wire_codes` makes them."""
    wire = wire_codes(codes)
    for start, stop in spans(wire.size, wire.itemsize):
        yield Frame(CodesOfPoints(seq, start, stop, wire.size), {"codes": order.arrange(wire, start, stop)})


@dataclass(frozen=True)
class Numbers:
    """Numbers and their summary for the legend.

    lo, hi : finite range over all n_obs cells
    n_missing : number of cells that are NaN or infinite
    histogram : uint32 (64,) cells per equal bin of lo..hi
    quantiles : float64 (1001,), 0, 0.001, ..., 1, linear interpolation as `numpy.quantile`
    log_histogram : uint32 (64,) cells above 0 per bin of least..hi, equal in logarithms; empty if there are none
    n_negative, n_zero : number of cells below 0 and at 0; n_zero -1 = not counted
    least : lowest number above 0; 0 if there is none
    coded : levels of the codes; None = even over lo..hi
    """

    vector: Vector
    n_obs: int
    lo: float
    hi: float
    n_missing: int
    histogram: NDArray[np.uint32]
    quantiles: NDArray[np.float64]
    log_histogram: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    n_negative: int = 0
    n_zero: int = 0
    least: float = 0.0
    coded: Levels | None = None

    @classmethod
    def stated(cls, lo: float, hi: float) -> Numbers:
        """Return numbers without values, for a stated range."""
        none = np.empty(0, dtype=np.float32)
        bins = np.empty(0, dtype=np.uint32)
        return cls(Vector(none), 0, lo, hi, 0, bins, np.empty(0), bins, 0, -(lo <= 0 <= hi), least_distinct(lo, hi))

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.vector.nbytes

    @cached_property
    def levels(self) -> Levels:
        """Levels of the codes."""
        return self.coded or Levels(self.lo, self.hi)

    @cached_property
    def quantile_shares(self) -> NDArray[np.float32]:
        """Quantiles as on the wire: as shares of the code range."""
        return (self.levels.places_of(self.quantiles) / LEVELS).astype(np.float32)

    @property
    def measures(self) -> Range:
        """Summary that the color scale needs."""
        return Range(self.lo, self.hi, self.quantiles, self.least)

    def dense(self) -> NDArray[Any]:
        """Return the number of every cell, in row order; the array itself if it is dense."""
        return self.vector.values if self.vector.rows is None else self.vector.dense(self.n_obs)

    def holding(self, values: NDArray[Any]) -> Numbers:
        """Return other numbers, one per cell, with the same summary."""
        return replace(self, vector=Vector(values), n_obs=values.size)

    def take(self, rows: NDArray[np.integer[Any]]) -> Numbers:
        """Return the numbers of some rows, in their order, with the summary of all."""
        return replace(self, vector=self.vector.take(rows), n_obs=rows.size)

    def quantile(self, percentile: str) -> float:
        """Return the number at a percentile like "p99"."""
        return resolve_limit(percentile, self.lo, self.hi, self.quantiles, self.lo)

    @property
    def is_sparse(self) -> bool:
        """True if listing the entries that differ from the fill takes fewer bytes than listing every cell."""
        return self.vector.rows is not None and _ENTRY_BYTES * self.vector.rows.size < 2 * self.n_obs


def describe(vector: Vector, n_obs: int) -> Numbers:
    """Summarize a vector: range, missing, histogram, quantiles; a sparse one without making it dense."""
    n_fill = 0 if vector.rows is None else n_obs - vector.rows.size
    stored = vector.values
    finite = stored[np.isfinite(stored)]
    # `stored[...]` is a copy, so sorting in place does not change the cache of the dataset.
    finite.sort()
    lo, hi = finite_range(finite)
    if n_fill:
        lo, hi = (min(lo, vector.fill), max(hi, vector.fill)) if finite.size else (vector.fill, vector.fill)
    quantiles = _quantiles(finite, vector.fill, n_fill)
    histogram = _histogram(finite, vector.fill, n_fill, lo, hi)
    # `bisect` reads a few values; `searchsorted` with a float64 would first copy all of a float32 array.
    first, above = (bisect(finite, 0.0, key=float) for bisect in (bisect_left, bisect_right))
    least = min(
        [float(one) for one in finite[above : above + 1]] + [vector.fill] * (n_fill > 0 < vector.fill), default=0.0
    )
    logs = _counted(finite[above:], log_edges(least, hi)) if least else np.empty(0, dtype=np.uint32)
    if least and vector.fill > 0:
        logs[np.searchsorted(log_edges(least, hi), vector.fill, side="right")] += np.uint32(n_fill)
    n_negative, n_zero = first + n_fill * (vector.fill < 0), above - first + n_fill * (vector.fill == 0)
    return Numbers(
        vector, n_obs, lo, hi, int(stored.size - finite.size), histogram, quantiles, logs, n_negative, n_zero, least
    )


def least_distinct(lo: float, hi: float) -> float:
    """Return the lowest number above 0 with another code than 0, for even codes of lo..hi; 0 if there is none."""
    if hi <= 0:
        return 0.0
    zero = zero_code(lo, hi)
    return lo if zero < 0 else min(float(between(lo, hi, (zero + 1) / LEVELS)), hi)


def log_edges(least: float, hi: float) -> NDArray[np.float64]:
    """Return the upper edges of the bins of numbers above 0, without the last, float64 (63,), equal in logarithms."""
    low, high = np.log(least), np.log(hi)
    edges: NDArray[np.float64] = np.exp(low + (high - low) * (np.arange(1, LEGEND_BINS) / LEGEND_BINS))
    return edges if high > low else np.full(LEGEND_BINS - 1, np.inf)


def _counted(finite: NDArray[Any], edges: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Count sorted values in bins, edge by edge, since searchsorted would convert all of them to double precision."""
    ends = [bisect_left(finite, edge, key=float) for edge in edges.tolist()]
    return np.diff(np.concatenate([[0], ends, [finite.size]])).astype(np.uint32)


def _histogram(finite: NDArray[Any], fill: float, n_fill: int, lo: float, hi: float) -> NDArray[np.uint32]:
    """Count sorted values in equal bins of lo..hi; `np.histogram` refuses ranges too narrow to split."""
    unit = unit_of(lo, hi)
    low = lo * unit
    # `unit` is a half if hi - lo would be infinite. If lo equals hi, no value passes an infinite edge.
    edges = (hi * unit - low or np.inf) * (np.arange(1, LEGEND_BINS) / LEGEND_BINS)
    # Edge by edge, since searchsorted would convert all values to double precision, twice their memory.
    ends = [bisect_left(finite, edge, key=lambda value: float(value) * unit - low) for edge in edges.tolist()]
    histogram = np.diff(np.concatenate([[0], ends, [finite.size]])).astype(np.uint32)
    histogram[np.searchsorted(edges, fill * unit - low, side="right")] += np.uint32(n_fill)
    return histogram


def bin_values(finite: NDArray[Any], lo: float, hi: float) -> NDArray[np.int64]:
    """Count finite values, in any order, in the bins of a histogram of lo..hi, int64 (64,)."""
    unit = unit_of(lo, hi)
    low = lo * unit
    edges = (hi * unit - low or np.inf) * (np.arange(1, LEGEND_BINS) / LEGEND_BINS)
    counts = np.zeros(LEGEND_BINS, dtype=np.int64)
    for start in range(0, finite.size, _BLOCK):
        block = finite[start : start + _BLOCK].astype(np.float64) * unit - low
        counts += np.bincount(np.searchsorted(edges, block, side="right"), minlength=LEGEND_BINS)
    return counts


def bin_logs(finite: NDArray[Any], least: float, hi: float) -> NDArray[np.int64]:
    """Count finite values above 0, in any order, in the bins of `log_edges`, int64 (64,); (0,) if least is 0."""
    if least <= 0:
        return np.zeros(0, dtype=np.int64)
    # In blocks, since a float64 copy of all values would take too much memory.
    counts, edges = np.zeros(LEGEND_BINS, dtype=np.int64), log_edges(least, hi)
    for start in range(0, finite.size, _BLOCK):
        block = finite[start : start + _BLOCK].astype(np.float64)
        counts += np.bincount(np.searchsorted(edges, block[block > 0], side="right"), minlength=LEGEND_BINS)
    return counts


def count_selected(
    data: Codes | Vector, mask: NDArray[np.bool_], lo: float, hi: float, least: float = 0.0
) -> NDArray[np.int64]:
    """Count selected cells in the categories or bins of the legend.

    Parameters
    ----------
    data : of n rows
    mask : bool (n,)
    lo, hi, least : range of the histograms of numbers

    Returns
    -------
    int64 (1 + k,): cells without a value, then those of each category, or of each bin of both histograms
    """
    if isinstance(data, Codes):
        counts, n_missing = category_counts(data.take(mask))
        return np.array([n_missing, *counts], dtype=np.int64)
    values = data.values[mask if data.rows is None else mask[data.rows]]
    finite = values[np.isfinite(values)]
    bins = np.concatenate([bin_values(finite, lo, hi), bin_logs(finite, least, hi)])
    if data.rows is not None:
        fill = np.array([data.fill])
        of_fill = np.concatenate([bin_values(fill, lo, hi), bin_logs(fill, least, hi)])
        bins += of_fill * (np.count_nonzero(mask) - values.size)
    return np.concatenate([[values.size - finite.size], bins])


def _quantiles(finite: NDArray[Any], fill: float, n_fill: int) -> NDArray[np.float64]:
    """Quantiles of sorted values with `fill` n_fill times among them, without building that array."""
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
    """Yield the numbers in draw order, as the code of every cell or as the entries that differ from the fill."""
    return _nonzero_frames(numbers, order, seq) if numbers.is_sparse else _value_frames(numbers, order, seq)


def wire_values(numbers: Numbers) -> NDArray[np.uint16]:
    """Return the number of every cell as a code, in row order."""
    return numbers.levels.encode(numbers.dense())


def _value_frames(numbers: Numbers, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    wire = wire_values(numbers)
    for start, stop in spans(numbers.n_obs, wire.itemsize):
        yield Frame(ValuesOfPoints(seq, start, stop, numbers.n_obs), {"values": order.arrange(wire, start, stop)})


def _nonzero_frames(numbers: Numbers, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Yield the entries, sorted by (point << 16 | code): that is point order, and both halves are read from it."""
    vector, n_obs = numbers.vector, numbers.n_obs
    assert vector.rows is not None
    levels = numbers.levels
    fill = int(levels.encode(np.array([vector.fill]))[0])
    # One sort of 64-bit keys orders points together with their codes; argsort and two look-ups take longer.
    keys = order.points[vector.rows].astype(np.uint64) << np.uint64(16)
    keys |= levels.encode(vector.values)
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
            # A container has 65,536 points, so that an offset fits 16 bits: 4 bytes an entry with its value.
            "offsets": (points[entries] % CONTAINER).astype(np.uint16),
            "values": codes[entries],
        }
        yield Frame(Nonzeros(seq, first * CONTAINER, stop, n_obs, fill), arrays)


def _container_runs(counts: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Group containers into runs of at most 1 MiB of entries; the first container is sent alone."""
    first, held = 0, 0
    for container, count in enumerate(counts.tolist()):
        full = (held + count) * _ENTRY_BYTES > CHUNK_BYTES
        # The first container alone is a usable picture, and is drawn before the rest arrives (decision 2).
        if container > first and (full or (first == 0 and container == FIRST_POINTS // CONTAINER)):
            yield first, container
            first, held = container, 0
        held += count
    yield first, len(counts)
