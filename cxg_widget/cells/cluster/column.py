"""The column that colors the cells on the workers: one at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import Shown
from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.cells.cluster.waiting import must_be_anew
from cxg_widget.color.limits import ColorRule
from cxg_widget.datasets import Codes, Vector
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import CategoryColoring, Coloring, NumberColoring
from cxg_widget.errors import InvalidValue, Overtaken
from cxg_widget.wire.encoding import QUANTILES, Numbers, bin_logs, bin_values, category_counts
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import MISSING_U16

_OUTLIERS = 5
"""Quantiles at either end that may be outliers."""
_WIDER = 64
_SMALLEST = 1e-12


@dataclass(frozen=True)
class _Column:
    """A column on the workers: one future per partition.

    labels : of an annotation
    levels : of the codes of numbers; None = categories
    """

    key: tuple[Target, str | None]
    futures: list[Any]
    summary: Coloring
    labels: Codes | None = None
    levels: Levels | None = None


class LoadedColumn:
    """Loads one column on the workers of some partitions."""

    def __init__(self, parts: Partitions) -> None:
        self._parts = parts
        self._lock = RLock()
        self._held: _Column | None = None

    def forget(self) -> None:
        """Release the column."""
        self._held = None

    def hidden_by(self, shown: Shown | None) -> list[Any] | None:
        """Return the column that hides cells, one future per partition; None if none are hidden."""
        if shown is None or shown.visible is None:
            return None
        return self.futures_of(shown.coloring.target, shown.settings.layer)

    def futures_of(self, target: Target, layer: str | None, levels: Levels | None = None) -> list[Any] | None:
        """Return a column, one future per partition; None for no column."""
        return None if target.source == "none" else self.get(target, layer, levels).futures

    def get(self, target: Target, layer: str | None, codes: ColorRule | Levels | None = None) -> _Column:
        """Return the column on the workers; codes : their levels, or the limits to resolve; None = any."""
        # Held while the column loads, so that a second thread waits for it instead of loading it too.
        with self._lock:
            held = self._held
            labels = self._parts.own().get(as_column(target).name)
            is_other = held is None or held.key != (target, layer) or held.labels is not labels
            if held is not None and held.levels is not None and codes is not None:
                is_other = is_other or held.levels != _levels(held.summary, codes)
            if held is None or is_other or any(map(must_be_anew, held.futures)):
                held = self._held = self._load(target, layer, codes)
            return held

    def _load(self, target: Target, layer: str | None, codes: ColorRule | Levels | None) -> _Column:
        parts, column = self._parts, as_column(target)
        labels = parts.own().get(column.name)
        if target.source == "sets" and labels is None:
            raise Overtaken("the cells are colored by other sets by now.")
        data = parts.map("read", worker.read_column, parts.rows(column.name), target=column, layer=layer)
        if parts.waiting.result(parts.submit("kind", _holds_codes, data[0])):
            summary = of_codes(parts, target, data)
            arranged = parts.map("arrange", worker.arrange_categories, parts.held, data)
            return _Column((target, layer), arranged, summary, labels)
        summary = of_numbers(parts, target, data)
        levels = _levels(summary, codes)
        arranged = parts.map("arrange", worker.arrange_numbers, parts.held, data, levels=levels)
        return _Column((target, layer), arranged, summary, labels, levels)


def _levels(summary: Coloring, codes: ColorRule | Levels | None) -> Levels:
    if isinstance(codes, Levels):
        return codes
    return summary.numbers.levels if codes is None else summary.resolving(codes).numbers.levels


def as_column(target: Target) -> Target:
    """Return the target that workers read for a color: sets are a column with a name that no store has."""
    return Target("obs", f"\0sets:{target.name}") if target.source == "sets" else target


def _holds_codes(data: Any) -> bool:
    return isinstance(data, Codes)


def of_codes(parts: Partitions, target: Target, data: list[Any]) -> Coloring:
    """Return the coloring of codes on the workers, without values."""
    found = parts.gathered(parts.map("codes", count_codes, data))
    empty, total = found[0][0], np.sum([counts for _, counts in found], axis=0)
    if len(empty.categories) >= MISSING_U16:
        raise InvalidValue(f"{len(empty.categories):,} categories; at most {MISSING_U16 - 1:,} can be distinguished")
    counted = total[1:].tolist(), int(total[0])
    return CategoryColoring(target, empty, is_sample=True, counted=counted)


def of_numbers(parts: Partitions, target: Target, data: list[Any]) -> Coloring:
    """Return the coloring of numbers on the workers, without values."""
    sizes = [stop - start for start, stop in parts.blocks]
    found = parts.gathered(parts.map("limits", limits_of, data, sizes))
    lo, hi = min(one[0] for one in found), max(one[1] for one in found)
    lo, hi = (lo, hi) if lo <= hi else (0.0, 0.0)
    least = min(one[5] for one in found)
    least = least if np.isfinite(least) else 0.0
    tallies = parts.gathered(parts.map("tally", tally, data, sizes, lo=lo, hi=hi, least=least))
    bins, codes, logs, by_size = (np.sum(one, axis=0) for one in zip(*tallies, strict=True))
    quantiles, finer = quantiles_of(codes, Levels(lo, hi)), quantiles_of(by_size, _by_size(lo, hi, least))
    # An outlier makes even codes too coarse for quantiles; codes by order of magnitude are then finer.
    is_narrow = (finer[-_OUTLIERS] - finer[_OUTLIERS]) * _WIDER < quantiles[-1] - quantiles[0]
    numbers = replace(
        Numbers.stated(lo, hi),
        n_missing=sum(one[2] for one in found),
        histogram=bins.astype(np.uint32),
        quantiles=finer if is_narrow else quantiles,
        log_histogram=logs.astype(np.uint32),
        n_negative=sum(one[3] for one in found),
        n_zero=sum(one[4] for one in found),
        least=least,
    )
    return NumberColoring(target, numbers, is_sample=True)


def count_codes(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Return the categories without codes, and the cells of each, missing first; runs on a worker."""
    counts, n_missing = category_counts(codes)
    return codes.holding(np.empty(0, np.int32)), np.array([n_missing, *counts])


def limits_of(vector: Vector, n_rows: int) -> tuple[float, float, int, int, int, float]:
    """Return the finite range (inf, -inf if there is none), and the number of non-finite, negative and zero cells.

    The last value is the lowest number above 0, inf if there is none. Runs on a worker.
    """
    finite = vector.values[np.isfinite(vector.values)]
    known = [finite.min(), finite.max()] if finite.size else []
    n_fill = 0 if vector.rows is None else n_rows - vector.rows.size
    if n_fill:
        known.append(vector.fill)
    lo, hi = (float(min(known)), float(max(known))) if known else (np.inf, -np.inf)
    above = [float(one) for one in known if one > 0] + [float(finite[finite > 0].min(initial=np.inf))]
    n_negative = int(np.count_nonzero(finite < 0)) + n_fill * (vector.fill < 0)
    n_zero = int(np.count_nonzero(finite == 0)) + n_fill * (vector.fill == 0)
    return lo, hi, int(vector.values.size - finite.size), n_negative, n_zero, min(above)


def tally(
    vector: Vector, n_rows: int, lo: float, hi: float, least: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count cells by bin (64,), by even code (65535,), by logarithmic bin, and by code of `_by_size` (65535,).

    Runs on a worker.
    """
    finite = vector.values[np.isfinite(vector.values)]
    n_fill = 0 if vector.rows is None else n_rows - vector.rows.size
    bins = bin_values(finite, lo, hi) + n_fill * bin_values(np.array([vector.fill]), lo, hi)
    codes, by_size = (_by_code(finite, vector.fill, n_fill, one) for one in (Levels(lo, hi), _by_size(lo, hi, least)))
    logs = bin_logs(finite, least, hi) + n_fill * bin_logs(np.array([vector.fill]), least, hi)
    return bins, codes, logs, by_size


def _by_code(finite: NDArray[Any], fill: float, n_fill: int, levels: Levels) -> NDArray[np.int64]:
    codes = np.bincount(levels.encode(finite), minlength=MISSING_U16)
    if n_fill:
        codes[int(levels.encode(np.array([fill]))[0])] += n_fill
    return codes


def _by_size(lo: float, hi: float, least: float) -> Levels:
    """Return levels that outliers do not make coarse, whatever the range."""
    levels = Levels(lo, hi, 0.0, max(least, max(abs(lo), abs(hi)) * _SMALLEST))
    return levels if lo < hi and levels.has_distinct_ends else Levels(lo, hi)


def quantiles_of(codes: NDArray[np.int64], levels: Levels) -> NDArray[np.float64]:
    """Return quantiles (1001,) from the number of cells of each code."""
    ends = np.cumsum(codes)
    total = int(ends[-1])
    if total == 0:
        return np.zeros(QUANTILES)
    position = np.linspace(0, total - 1, QUANTILES)
    below = np.floor(position).astype(np.int64)
    low, high = (np.searchsorted(ends, rank, side="right") for rank in (below, np.minimum(below + 1, total - 1)))
    return levels.numbers_at(low + (high - low) * (position - below))
