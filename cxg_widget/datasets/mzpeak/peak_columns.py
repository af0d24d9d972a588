"""The obs columns and the coordinates of peaks, from their points and their spectra."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Values
from cxg_widget.datasets.mzpeak.signal import SignalPoints
from cxg_widget.datasets.mzpeak.spectra import SpectrumTable
from cxg_widget.datasets.mzpeak.store import TIME


class PeakColumns:
    """What is said of peaks."""

    def __init__(self, spectra: SpectrumTable) -> None:
        self.spectra = spectra

    @cached_property
    def levels(self) -> Codes:
        """The level of each spectrum."""
        levels = self.spectra.read("ms_level")
        assert isinstance(levels, Codes)
        return levels

    def places(self, points: SignalPoints, axes: tuple[int, int]) -> NDArray[np.float32]:
        """Return two of retention time and m/z, float32 (k, 2)."""
        columns: list[NDArray[Any]] = [self.spectra.times[points.spectrum], points.mz]
        return np.column_stack([columns[axis] for axis in axes]).astype(np.float32)

    def values(self, name: str, points: SignalPoints) -> Values:
        """Return an obs column of some points."""
        if name in ("intensity", "log1p_intensity"):
            intensity = points.intensity.astype(np.float32, copy=False)
            with np.errstate(invalid="ignore", divide="ignore"):
                return intensity if name == "intensity" else np.log1p(intensity)
        if name == "mz":
            return points.mz
        if name == TIME:
            return self.spectra.times[points.spectrum]
        if name == "spectrum_index":
            return self.spectra.index[points.spectrum]
        return self.levels.take(points.spectrum)
