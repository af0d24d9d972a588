"""Reads all peaks of an mzPeak as a `Dataset`: the map of retention time x m/z, by view or as a whole.

Statistics in the footers give the ranges of all peaks, so that a view can be drawn before the other peaks are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import ByView
from cxg_widget.datasets.base.column_values import as_strings, row_blocks
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Codes, Column, Values, array_of, in_place_of
from cxg_widget.datasets.mzpeak.layout import PointLayout
from cxg_widget.datasets.mzpeak.peaks import PeakColumns, PeakMap, PeaksInView
from cxg_widget.datasets.mzpeak.signal import Signal, SignalPoints
from cxg_widget.datasets.mzpeak.sources import Part
from cxg_widget.datasets.mzpeak.spectra import TIME
from cxg_widget.datasets.mzpeak.store import TIME_LABEL, MzPeakStore, labels_of
from cxg_widget.datasets.mzpeak.terms import MINUTES
from cxg_widget.datasets.tables.parquet_table import Leaf
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    from cxg_widget.spatial.view import Extent

_Range = tuple[float, float]


class PeaksDataset(MzPeakStore):
    """One obs per peak, a point that is not null, with its retention time, m/z and intensity.

    Rows are read in blocks of a row group, so memory holds little more than the request. The vars are the two measured
    arrays, intensity and m/z.
    """

    observations: ClassVar[str] = "peaks"
    obs_noun = Noun("peak", "peaks")
    var_noun = Noun("data array", "data arrays")
    major_axis: Literal["obs", "var"] = "obs"

    def _open(self) -> None:
        self._map = PeakMap(self._points, self._spectra)
        self._columns = PeakColumns(self._spectra)
        self.by_view = PeaksByView(self._points.parts, self._map, self._columns, self._tell_progress)
        self.n_obs, self.n_var = self._map.n, 2
        kinds: dict[str, Any] = {
            "intensity": "float", "log1p_intensity": "float", "mz": "float", TIME: "float", "spectrum_index": "int",
        }  # fmt: skip
        if self._is_level_known:
            kinds = {"ms_level": "categorical", **kinds}
        units = {"mz": "m/z", TIME: MINUTES}
        self.obs_columns = {name: Column(name, kind, unit=units.get(name, "")) for name, kind in kinds.items()}
        self.embeddings, self.default_embedding = {"peaks": 2}, "peaks"
        self.default_color = "obs:log1p_intensity"
        self.var_index = "array"
        self.var_columns = {"feature_name": Column("feature_name", "string")}

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._columns.values(name, self._map.read(0, self.n_obs) if rows is None else self._map.take(rows))

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._columns.values(name, self._map.read(start, stop))

    def _read_var(self, name: str) -> Values:
        return as_strings(["intensity", "mz"] if name == "array" else ["intensity of a peak", "m/z of a peak"])

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:  # noqa: ARG002
        return self._columns.places(self._map.read(start, stop), axes)

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:  # noqa: ARG002
        return labels_of((TIME_LABEL, "m/z"), axes)

    def _read_vector(self, position: int, layer: str | None) -> Vector:
        found = np.empty(self.n_obs, dtype=np.float32)
        for start, stop in row_blocks(self.n_obs):
            found[start:stop] = self._read_vector_block(position, layer, start, stop).values
        return Vector(found)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:  # noqa: ARG002
        points = self._map.read(start, stop)
        return Vector((points.mz if position else points.intensity).astype(np.float32))

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:  # noqa: ARG002
        points = self._map.read(start, stop)
        values = np.column_stack([points.intensity, points.mz]).astype(np.float32)
        n = stop - start
        return MatrixBlock(np.arange(n + 1) * 2, np.tile(np.arange(2), n), values.ravel())

    def _read_grain(self, layer: str | None) -> Grain:  # noqa: ARG002
        return Grain((self.n_obs, 2), 2 * self.n_obs, 8, 1, 2, is_dense=True)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:  # noqa: ARG002
        together = len(rows) and rows[-1] - rows[0] == len(rows) - 1
        points = self._map.read(int(rows[0]), int(rows[-1]) + 1) if together else self._map.take(rows)
        return DenseBlock(np.column_stack([points.intensity, points.mz]).astype(np.float32))

    def _release(self) -> None:
        if hasattr(self, "_map"):
            self._map.close()
        super()._release()


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
        """Return the range of all times, and of m/z by the footers; None if one is unknown."""
        times, mz = self._columns.spectra.times, _mz_range(self._parts)
        if mz is None or not times.size or not np.isfinite(times).all():
            return None
        ranges = np.array([(times.min(), times.max()), mz], dtype=np.float32)
        (x0, x1), (y0, y1) = ranges[axes[0]].tolist(), ranges[axes[1]].tolist()
        return x0, x1, y0, y1

    def values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return the MS levels, or the range of intensities by the footers; None for other columns, or if unknown."""
        if column == "ms_level":
            levels = self._columns.levels
            return replace(levels, codes=np.empty(0, dtype=levels.codes.dtype))
        found = _intensity_range(self._parts) if column in ("intensity", "log1p_intensity") else None
        if found is None:
            return None
        ends = SignalPoints(np.empty(0, dtype=np.int64), np.empty(0), np.array(found, dtype=np.float32))
        low, high = np.asarray(self._columns.values(column, ends)).tolist()
        return (low, high) if np.isfinite(low) and np.isfinite(high) else None

    def embedding_with(self, column: str, name: str, axes: tuple[int, int]) -> tuple[NDArray[np.float32], Values]:  # noqa: ARG002
        """Read the map and a column; decodes all points once for both."""
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


# Ranges of all points from footers and bounds of chunks, without reading the points.


def _mz_range(parts: Sequence[Part]) -> _Range | None:
    """Return the least and the largest m/z of all points; None if the footers do not state them."""
    return _union(_mz_of(signal, group) for signal, group in _filled(parts))


def _intensity_range(parts: Sequence[Part]) -> _Range | None:
    """Return the least and the largest intensity, without NaN; None if the footers do not state them."""
    return _union(_intensity_of(signal, group) for signal, group in _filled(parts))


def _filled(parts: Sequence[Part]) -> list[Part]:
    return [(signal, group) for signal, group in parts if signal.table.group_rows(group)]


def _mz_of(signal: Signal, group: int) -> _Range | None:
    if signal.is_partial:
        return None
    if isinstance(signal.layout, PointLayout):
        return _range(signal.leaf_of(signal.layout.mz, group))
    start, end = (_range(signal.leaf_of(path, group)) for path in (signal.layout.start, signal.layout.end))
    if start is None or end is None:
        return None
    return signal.chunk_range(group) if start[0] <= 0 else (start[0], max(start[1], end[1]))


def _intensity_of(signal: Signal, group: int) -> _Range | None:
    if signal.is_partial or signal.layout.intensity is None:
        return None
    packed = None if isinstance(signal.layout, PointLayout) else signal.layout.intensity_bytes
    if packed is not None:
        bytes_ = signal.leaf_of(packed, group)
        if bytes_.n_null != bytes_.n_values:
            return None
    return _range(signal.leaf_of(signal.layout.intensity, group))


def _range(leaf: Leaf) -> _Range | None:
    if leaf.low is None or leaf.high is None:
        return None
    low, high = float(leaf.low) + 0.0, float(leaf.high) + 0.0  # + 0.0, since Parquet writes a minimum of 0 as -0
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _union(found: Iterable[_Range | None]) -> _Range | None:
    low, high = math.inf, -math.inf
    for one in found:
        if one is None:
            return None
        low, high = min(low, one[0]), max(high, one[1])
    return (low, high) if low <= high else None
