"""Opens mzPeak, mass spectra in Parquet, and reads its spectra as a `Dataset`; `peaks_dataset.py` reads all peaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.base.values import Column, Values, take_rows
from cxg_widget.datasets.base.vectors import together
from cxg_widget.datasets.mzpeak.peaks_dataset import PeaksDataset
from cxg_widget.datasets.mzpeak.signal import SignalWindow
from cxg_widget.datasets.mzpeak.spectra import TIME
from cxg_widget.datasets.mzpeak.store import TIME_LABEL, MzPeakStore, labels_of
from cxg_widget.datasets.mzpeak.windows import Window, Windows, WindowVars, suggest
from cxg_widget.errors import InvalidStore, InvalidValue
from cxg_widget.text.nouns import Noun

Observations = Literal["spectra", "peaks"]
_EMBEDDINGS = {
    "base_peak_mz": "base peak m/z",
    "precursor_mz": "precursor m/z",
    "total_ion_current": "total ion current",
}
"""Columns drawn over the retention time, with their axis labels."""


def open_mzpeak(uri: str, *, observations: str = "spectra", **options: Any) -> Dataset:
    """Open an mzPeak file or folder.

    Parameters
    ----------
    observations : "spectra", or "peaks" for the map of all peaks
    **options : options of `MzPeakStore`

    Raises
    ------
    InvalidStore
        If `uri` is not local.
    InvalidValue
        If `observations` is neither.
    """
    if is_remote(uri):
        raise InvalidStore(f"{uri}: mzPeak opens only from local files; copy it to this machine first.")
    if observations not in get_args(Observations):
        raise InvalidValue(f"observations is {observations!r}; it must be 'spectra' or 'peaks'.")
    return (PeaksDataset if observations == "peaks" else SpectraDataset)(uri, **options)


class SpectraDataset(MzPeakStore):
    """One obs per spectrum. A var is an m/z window; its value is the sum of the intensities in it: a chromatogram.

    The vars are windows around the most intense base peaks; `find_var("mz:445.12+-0.02")` adds any other.
    """

    observations: ClassVar[str] = "spectra"
    obs_noun = Noun("spectrum", "spectra")
    var_noun = Noun("m/z window", "m/z windows")
    _no_embedding: ClassVar[str] = "no usable embedding: the file has no retention times with a base peak or precursor"

    def _open(self) -> None:
        self.n_obs = self._spectra.n
        self.obs_columns, self.obs_index = self._spectra.columns, self._spectra.index_name
        names = [name for name in _EMBEDDINGS if self._is_number(name)] if self._is_number(TIME) else []
        self.embeddings = dict.fromkeys(names, 2)
        self.default_embedding = names[0] if names else None
        if self._is_level_known:
            self.default_color = "obs:ms_level"
        elif self._is_number("total_ion_current"):
            self.default_color = "obs:total_ion_current"
        if not names:
            self._note(f"{self._no_embedding}, so there is nothing to draw.")
        base_peaks = (self._spectra.floats(name) for name in ("base_peak_mz", "base_peak_intensity"))
        self._windows = Windows([] if isinstance(self._sources, Exception) else suggest(*base_peaks))
        self._var_part = WindowVars(self, self._windows)
        self.n_var = self._windows.n_suggested
        self.var_index = "window"
        numbers = {name: Column(name, "float") for name in ("mz", "mz_low", "mz_high")}
        self.var_columns = {"feature_name": Column("feature_name", "string"), **numbers}

    def _is_number(self, name: str) -> bool:
        return name in self.obs_columns and self.obs_columns[name].kind in ("int", "float")

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return take_rows(self._cached(("obs", name), lambda: self._spectra.read(name)), rows)

    def _read_var(self, name: str) -> Values:
        if name in ("window", "feature_name"):
            return as_strings(self._windows.labels if name == "window" else self._windows.aliases)
        windows = [self._windows[i] for i in range(self.n_var)]
        read: dict[str, Callable[[Window], float]] = {
            "mz": lambda one: one.center, "mz_low": lambda one: one.low, "mz_high": lambda one: one.high,
        }  # fmt: skip
        return np.array([read[name](one) for one in windows], dtype=np.float64)

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        columns = [TIME, name]
        return np.column_stack([self._spectra.floats(columns[axis]) for axis in axes])

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        return labels_of((TIME_LABEL, _EMBEDDINGS[name]), axes)

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:  # noqa: ARG002 - no layers
        for some in together(positions, 8 * self.n_obs):
            windows = [self._windows[position] for position in some]
            totals = [np.zeros(self.n_obs) for _ in windows]
            for number, points in self._points.points([SignalWindow(one.low, one.high) for one in windows]):
                totals[number] += np.bincount(points.spectrum, points.intensity, minlength=self.n_obs)
            while totals:
                yield Vector.of(totals.pop(0))
