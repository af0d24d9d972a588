"""An mzPeak of a million spectra with fifty points each (point layout); read with pyarrow."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.stores.cells import Request

POINTS = 50
BLOCK = 100_000
WINDOWS = {"mz:445.12+-0.02": 445.12, "mz:333.25+-0.02": 333.25, "mz:600.5+-0.02": 600.5, "mz:810.4155+-0.02": 810.4155}
HALF = 0.02
COLUMN = "ms_level"
ROWS_PER_GROUP = 1_000_000


def request() -> Request:
    return Request(tuple(WINDOWS), COLUMN)


def write_mzpeak(path: Path, n_obs: int) -> None:
    """Write an archive; each window holds a point of about every second spectrum."""
    import pyarrow as pa

    from tests.datasets import make_mzpeak as made

    rng = np.random.default_rng(0)
    mz, intensity = (
        np.concatenate(one) for one in zip(*(_block(rng, n_obs, at) for at in _starts(n_obs)), strict=True)
    )
    columns = {
        "spectrum_index": pa.array(np.repeat(np.arange(n_obs, dtype=np.uint64), POINTS)),
        "mz": pa.array(mz.reshape(-1)),
        "intensity": pa.array(intensity.reshape(-1)),
    }
    formats: dict[str, tuple[str, ...]] = {"mz": ("MS:1000514", "point"), "intensity": ("MS:1000515", "point")}
    table = made.with_array_index("point", columns, formats)
    made.make_mzpeak(path, made.Run([], describe(rng, mz, intensity)), data=table, rows_per_group=ROWS_PER_GROUP)


def _starts(n_obs: int) -> range:
    return range(0, n_obs, BLOCK)


def _block(rng: np.random.Generator, n_obs: int, start: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    n = min(BLOCK, n_obs - start)
    mz = rng.uniform(150, 1_000, (n, POINTS))
    centers = np.array(list(WINDOWS.values()))
    at_center = centers + rng.normal(0, 0.004, (n, len(centers)))
    mz[:, : len(centers)] = np.where(rng.random((n, len(centers))) < 0.5, at_center, mz[:, : len(centers)])
    return np.sort(mz, axis=1), rng.integers(1, 5_000, (n, POINTS)).astype(np.float32)


def describe(
    rng: np.random.Generator, mz: NDArray[np.float64], intensity: NDArray[np.float32], minutes: float = 120
) -> pd.DataFrame:
    """Return what is said of each spectrum, as `make_run` names it."""
    n = len(mz)
    base = intensity.argmax(axis=1)
    level = np.where(np.arange(n) % 4 == 0, 1, 2)
    ions = level == 2
    charge = pd.Categorical.from_codes(np.where(ions, rng.integers(0, 3, n), -1), [1, 2, 3])
    return pd.DataFrame(
        {
            "ms_level": pd.Categorical(level, categories=[1, 2]),
            "retention_time": np.linspace(0, minutes, n),
            "polarity": pd.Categorical(np.full(n, "positive")),
            "spectrum_representation": pd.Categorical(np.where(ions, "centroid spectrum", "profile spectrum")),
            "number_of_data_points": np.full(n, POINTS),
            "base_peak_mz": mz[np.arange(n), base],
            "base_peak_intensity": intensity[np.arange(n), base],
            "total_ion_current": intensity.sum(axis=1),
            "filter_string": [f"FTMS + p ESI {at % 97}" for at in range(n)],
            "ion_injection_time": rng.uniform(0, 50, n).astype(np.float32),
            "isolation_window_target_mz": np.where(ions, rng.uniform(400, 900, n), np.nan).astype(np.float32),
            "precursor_mz": np.where(ions, rng.uniform(400, 900, n), np.nan),
            "charge": charge,
        },
        index=pd.Index([f"controllerType=0 scan={at + 1}" for at in range(n)], name="id"),
    )


class PyArrow:
    """pyarrow: the member is mapped into memory, and all its points are compared with the window."""

    libraries: ClassVar[tuple[str, ...]] = ("pyarrow",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self) -> None:
        import pandas  # noqa: F401
        import pyarrow
        import pyarrow.parquet

        self._arrow, self._parquet = pyarrow, pyarrow.parquet

    def open(self) -> None:
        mapped = self._arrow.memory_map(str(self._path)).read_buffer()
        with zipfile.ZipFile(self._path) as archive:
            self._members = {one.filename: self._member(mapped, one) for one in archive.infolist()}
        self._points = self._parquet.ParquetFile(self._members["spectra_data.parquet"])
        self._spectra = self._parquet.ParquetFile(self._members["spectra_metadata.parquet"])

    def _member(self, mapped: Any, found: zipfile.ZipInfo) -> Any:
        head = mapped.slice(found.header_offset, 30).to_pybytes()
        start = found.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        return self._arrow.BufferReader(mapped.slice(start, found.file_size))

    def gene(self, name: str) -> NDArray[np.float32]:
        center = WINDOWS[name]
        rows, values = [], []
        for group in range(self._points.num_row_groups):
            points = self._points.read_row_group(group, columns=["point"])["point"].combine_chunks()
            mz = points.field("mz").to_numpy()
            inside = np.flatnonzero((mz >= center - HALF) & (mz <= center + HALF))
            rows.append(points.field("spectrum_index").to_numpy()[inside].astype(np.int64))
            values.append(points.field("intensity").to_numpy()[inside])
        n_obs = self._spectra.metadata.num_rows
        return np.bincount(np.concatenate(rows), np.concatenate(values), n_obs).astype(np.float32)

    def codes(self, column: str) -> NDArray[Any]:
        return np.searchsorted([1, 2], self._column(f"MS_1000511_{column}")).astype(np.int8)

    def frame(self, column: str) -> Any:
        values = pd.Categorical.from_codes(self.codes(column), [1, 2])
        return pd.DataFrame({column: values}, index=self._column("id"))

    def _column(self, name: str) -> NDArray[Any]:
        table = self._spectra.read(columns=[f"spectrum.{name}"])
        values: NDArray[Any] = table["spectrum"].combine_chunks().field(name).to_numpy(zero_copy_only=False)
        return values
