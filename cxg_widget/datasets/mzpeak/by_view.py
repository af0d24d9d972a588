"""The peaks of one view without the others, and what footers say of all: a large map is drawn before it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import ByView
from cxg_widget.datasets.base.values import Codes, Values, array_of, in_place_of
from cxg_widget.datasets.mzpeak.peaks import PeakColumns, PeakMap, PeaksInView
from cxg_widget.datasets.mzpeak.signal import SignalPoints
from cxg_widget.datasets.mzpeak.sources import Part
from cxg_widget.datasets.mzpeak.stated import intensity_range, mz_range

if TYPE_CHECKING:
    from cxg_widget.spatial.view import Extent


class PeaksByView(ByView):
    """The map of retention time x m/z."""

    def __init__(
        self, parts: Sequence[Part], peaks: PeakMap, columns: PeakColumns, report: Callable[[float], None]
    ) -> None:
        self._parts, self._map, self._columns, self._report = parts, peaks, columns, report

    def rows(self, name: str, axes: tuple[int, int], view: Extent, limit: int | None) -> PeaksInView | None:  # noqa: ARG002 - there is one map
        """Read the row groups that meet a view."""
        limits = [(-np.inf, np.inf), (-np.inf, np.inf)]
        for axis, (low, high) in zip(axes, (view[:2], view[2:]), strict=True):
            limits[axis] = max(limits[axis][0], low), min(limits[axis][1], high)
        found = self._map.in_view(limits[0], limits[1], limit)
        if found is None:
            return None
        rows, points = found
        return PeaksInView(rows, self._columns.places(points, axes), partial(self._columns.values, points=points))

    def extent(self, name: str, axes: tuple[int, int]) -> Extent | None:  # noqa: ARG002
        """Return the range of all times and, by the footers, of m/z."""
        times, mz = self._columns.spectra.times, mz_range(self._parts)
        if mz is None or not times.size or not np.isfinite(times).all():
            return None
        ranges = np.array([(times.min(), times.max()), mz], dtype=np.float32)
        (x0, x1), (y0, y1) = ranges[axes[0]].tolist(), ranges[axes[1]].tolist()
        return x0, x1, y0, y1

    def values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return the levels, or the range of intensities by the footers."""
        if column == "ms_level":
            levels = self._columns.levels
            return replace(levels, codes=np.empty(0, dtype=levels.codes.dtype))
        found = intensity_range(self._parts) if column in ("intensity", "log1p_intensity") else None
        if found is None:
            return None
        ends = SignalPoints(np.empty(0, dtype=np.int64), np.empty(0), np.array(found, dtype=np.float32))
        low, high = np.asarray(self._columns.values(column, ends)).tolist()
        return (low, high) if np.isfinite(low) and np.isfinite(high) else None

    def embedding_with(self, column: str, name: str, axes: tuple[int, int]) -> tuple[NDArray[np.float32], Values]:  # noqa: ARG002
        """Decode all points once, for both."""
        none = SignalPoints(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.float32))
        sample = self._columns.values(column, none)
        xy = np.empty((self._map.n, 2), dtype=np.float32)
        whole = np.empty(self._map.n, dtype=array_of(sample).dtype)

        def take(start: int, points: SignalPoints) -> None:
            stop = start + points.mz.size
            xy[start:stop] = self._columns.places(points, axes)
            whole[start:stop] = array_of(self._columns.values(column, points))

        self._map.for_each(take, self._report)
        return xy, in_place_of(sample, whole)
