"""What footers and bounds of chunks say of the points of all row groups, so that none of them need be read for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from cxg_widget.datasets.mzpeak.layout import PointLayout
from cxg_widget.datasets.mzpeak.signal import Signal
from cxg_widget.datasets.mzpeak.sources import Part
from cxg_widget.datasets.mzpeak.tables import Leaf

Range = tuple[float, float]


def mz_range(parts: Sequence[Part]) -> Range | None:
    """Return the least and the largest m/z of all points; None where the footers do not say."""
    return _union(_mz_of(signal, group) for signal, group in _filled(parts))


def intensity_range(parts: Sequence[Part]) -> Range | None:
    """Return the least and the largest intensity that is a number; None where the footers do not say."""
    return _union(_intensity_of(signal, group) for signal, group in _filled(parts))


def _filled(parts: Sequence[Part]) -> list[Part]:
    return [(signal, group) for signal, group in parts if signal.table.group_rows(group)]


def _mz_of(signal: Signal, group: int) -> Range | None:
    if signal.is_partial:
        return None
    if isinstance(signal.layout, PointLayout):
        return _range(signal.leaf_of(signal.layout.mz, group))
    start, end = (_range(signal.leaf_of(path, group)) for path in (signal.layout.start, signal.layout.end))
    if start is None or end is None:
        return None
    return signal.chunk_range(group) if start[0] <= 0 else (start[0], max(start[1], end[1]))


def _intensity_of(signal: Signal, group: int) -> Range | None:
    if signal.is_partial or signal.layout.intensity is None:
        return None
    packed = None if isinstance(signal.layout, PointLayout) else signal.layout.intensity_bytes
    if packed is not None:
        bytes_ = signal.leaf_of(packed, group)
        if bytes_.n_null != bytes_.n_values:
            return None
    return _range(signal.leaf_of(signal.layout.intensity, group))


def _range(leaf: Leaf) -> Range | None:
    if leaf.low is None or leaf.high is None:
        return None
    low, high = float(leaf.low) + 0.0, float(leaf.high) + 0.0  # a least of 0 is written as -0
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _union(found: Iterable[Range | None]) -> Range | None:
    low, high = math.inf, -math.inf
    for one in found:
        if one is None:
            return None
        low, high = min(low, one[0]), max(high, one[1])
    return (low, high) if low <= high else None
