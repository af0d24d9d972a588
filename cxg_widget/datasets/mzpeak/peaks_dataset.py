"""All peaks of an mzPeak as a `Dataset`: the map of retention time x m/z, read by view or as a whole."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import Extent
from cxg_widget.datasets.base.columns import as_strings, row_blocks
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import Codes, Column, Values
from cxg_widget.datasets.mzpeak.peaks import PeakMap, PeaksInView
from cxg_widget.datasets.mzpeak.signal import Points
from cxg_widget.datasets.mzpeak.stated import intensity_range, mz_range
from cxg_widget.datasets.mzpeak.store import TIME, TIME_LABEL, MzPeakStore, labels_of
from cxg_widget.text.nouns import Noun


class PeaksDataset(MzPeakStore):
    """One obs per peak, which are the points that are no nulls: retention time x m/z, and the intensity.

    Rows are read in blocks from row groups, so that no more is in memory than is asked for. The vars are the two arrays
    that were measured.
    """

    observations: ClassVar[str] = "peaks"
    obs_noun = Noun("peak", "peaks")
    var_noun = Noun("data array", "data arrays")
    major_axis: Literal["obs", "var"] = "obs"

    def _open(self) -> None:
        self._map = PeakMap(self._points, self._spectra)
        self.n_obs, self.n_var = self._map.n, 2
        kinds: dict[str, Any] = {
            "intensity": "float", "log1p_intensity": "float", "mz": "float", TIME: "float", "spectrum_index": "int",
        }  # fmt: skip
        if self._is_level_known:
            kinds = {"ms_level": "categorical", **kinds}
        self.obs_columns = {name: Column(name, kind) for name, kind in kinds.items()}
        self.embeddings, self.default_embedding = {"peaks": 2}, "peaks"
        self.default_color = "obs:log1p_intensity"
        self.var_index = "array"
        self.var_columns = {"feature_name": Column("feature_name", "string")}

    def _read_view(
        self,
        name: str,  # noqa: ARG002
        axes: tuple[int, int],
        view: Extent,
        limit: int | None,
    ) -> PeaksInView | None:
        limits = [(-np.inf, np.inf), (-np.inf, np.inf)]
        for axis, (low, high) in zip(axes, (view[:2], view[2:]), strict=True):
            limits[axis] = max(limits[axis][0], low), min(limits[axis][1], high)
        found = self._map.in_view(limits[0], limits[1], limit)
        if found is None:
            return None
        rows, points = found
        return PeaksInView(rows, self._places(points, axes), partial(self._values, points=points))

    def _state_extent(self, name: str, axes: tuple[int, int]) -> Extent | None:  # noqa: ARG002
        times, mz = self._spectra.times, mz_range(self._points.parts)
        if mz is None or not times.size or not np.isfinite(times).all():
            return None
        ranges = np.array([(times.min(), times.max()), mz], dtype=np.float32)
        (x0, x1), (y0, y1) = ranges[axes[0]].tolist(), ranges[axes[1]].tolist()
        return x0, x1, y0, y1

    def _state_values(self, column: str) -> Codes | tuple[float, float] | None:
        if column == "ms_level":
            return replace(self._levels, codes=np.empty(0, dtype=self._levels.codes.dtype))
        found = intensity_range(self._points.parts) if column in ("intensity", "log1p_intensity") else None
        if found is None:
            return None
        ends = Points(np.empty(0, dtype=np.int64), np.empty(0), np.array(found, dtype=np.float32))
        low, high = np.asarray(self._values(column, ends)).tolist()
        return (low, high) if np.isfinite(low) and np.isfinite(high) else None

    def _read_embedding_with(
        self,
        column: str,
        name: str,  # noqa: ARG002
        axes: tuple[int, int],
    ) -> tuple[NDArray[np.float32], Values]:
        sample = self._values(column, Points(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.float32)))
        xy = np.empty((self.n_obs, 2), dtype=np.float32)
        whole = np.empty(self.n_obs, dtype=_plain(sample).dtype)

        def take(start: int, points: Points) -> None:
            stop = start + points.mz.size
            xy[start:stop] = self._places(points, axes)
            whole[start:stop] = _plain(self._values(column, points))

        self._map.for_each(take, self._tell_progress)
        return xy, replace(sample, codes=whole) if isinstance(sample, Codes) else whole

    def _places(self, points: Points, axes: tuple[int, int]) -> NDArray[np.float32]:
        columns = [self._spectra.times[points.spectrum], points.mz]
        return np.column_stack([columns[axis] for axis in axes]).astype(np.float32)

    @cached_property
    def _levels(self) -> Codes:
        """The level of each spectrum."""
        levels = self._spectra.read("ms_level")
        assert isinstance(levels, Codes)
        return levels

    def _values(self, name: str, points: Points) -> Values:
        if name in ("intensity", "log1p_intensity"):
            intensity = points.intensity.astype(np.float32, copy=False)
            with np.errstate(invalid="ignore", divide="ignore"):
                return intensity if name == "intensity" else np.log1p(intensity)
        if name == "mz":
            return points.mz
        if name == TIME:
            return self._spectra.times[points.spectrum]
        if name == "spectrum_index":
            return self._spectra.index[points.spectrum]
        return Codes(self._levels.codes[points.spectrum], self._levels.categories)

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._values(name, self._map.read(0, self.n_obs) if rows is None else self._map.take(rows))

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._values(name, self._map.read(start, stop))

    def _read_var(self, name: str) -> Values:
        return as_strings(["intensity", "mz"] if name == "array" else ["intensity of a peak", "m/z of a peak"])

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        return self._read_embedding_block(name, axes, 0, self.n_obs)

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:  # noqa: ARG002
        return self._places(self._map.read(start, stop), axes)

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

    def _release(self) -> None:
        if hasattr(self, "_map"):
            self._map.close()
        super()._release()


def _plain(values: Values) -> NDArray[Any]:
    return values.codes if isinstance(values, Codes) else np.asarray(values)
