"""All peaks of an mzPeak as a `Dataset`: the map of retention time x m/z, read by view or as a whole."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings, row_blocks
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Column, Values
from cxg_widget.datasets.mzpeak.by_view import PeaksByView
from cxg_widget.datasets.mzpeak.peaks import PeakColumns, PeakMap
from cxg_widget.datasets.mzpeak.spectra import TIME
from cxg_widget.datasets.mzpeak.store import TIME_LABEL, MzPeakStore, labels_of
from cxg_widget.datasets.mzpeak.terms import MINUTES
from cxg_widget.text.nouns import Noun


class PeaksDataset(MzPeakStore):
    """One obs per peak, which are the points that are no nulls: retention time x m/z, and the intensity.

    Rows are read in blocks from row groups, so that memory holds no more than the request. The vars are the two arrays
    that were measured.
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
