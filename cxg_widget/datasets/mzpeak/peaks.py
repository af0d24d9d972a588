"""Reads all peaks as rows: in order, by position, by view or by column."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import RowsInView
from cxg_widget.datasets.base.values import Codes, Values
from cxg_widget.datasets.mzpeak.signal import SignalPoints, SignalWindow
from cxg_widget.datasets.mzpeak.sources import Sources
from cxg_widget.datasets.mzpeak.spectra import TIME, SpectrumTable
from cxg_widget.errors import DamagedStore

_MOST_CURSORS = 4
_MOST_THREADS = 4


@dataclass(frozen=True)
class PeaksInView(RowsInView):
    """The peaks of a view: retention times in minutes and m/z, and their intensities."""

    @property
    def intensity(self) -> NDArray[np.float32]:
        """Intensities, float32 (k,)."""
        return np.asarray(self.column("intensity"))


class PeakMap:
    """The peaks of all spectra, in the order of the file.

    Row groups are decoded in batches. Reading rows in order continues where an earlier read ended, so a row group of
    any size is decoded once.
    """

    def __init__(self, sources: Sources, spectra: SpectrumTable) -> None:
        self._parts = sources.parts
        self._spectra = spectra
        counts = [signal.count(group) for signal, group in self._parts]
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
        self._cursors: list[_Cursor] = []
        self._lock = Lock()
        self.n = int(self._starts[-1])

    def read(self, start: int, stop: int) -> SignalPoints:
        """Return the rows start <= row < stop."""
        if start >= stop:
            return _joined([])
        cursor = self._cursor_at(start)
        found = cursor.read(stop - start)
        with self._lock:
            self._cursors = [*self._cursors, cursor][-_MOST_CURSORS:]
        return found

    def take(self, rows: NDArray[np.int64]) -> SignalPoints:
        """Return rows in the given order; decodes each of their row groups up to its last wanted row."""
        wanted, back = np.unique(rows, return_inverse=True)
        found: list[SignalPoints] = []
        for part in np.unique(np.searchsorted(self._starts, wanted, side="right") - 1).tolist():
            low, high = np.searchsorted(wanted, self._starts[part : part + 2])
            found += self._pick(part, wanted[low:high])
        return _joined(found).take(back)

    def in_view(
        self, times: tuple[float, float], mz: tuple[float, float], limit: int | None = None
    ) -> tuple[NDArray[np.int64], SignalPoints] | None:
        """Return the rows and the points of the peaks in a view; reads only row groups whose spectra and m/z meet it.

        times, mz : retention time in minutes and m/z, ascending, both ends included
        limit : return None if the row groups that the footers do not rule out have more points than this
        """
        every = self._spectra.times
        spectra = None if times == (-np.inf, np.inf) else (every >= times[0]) & (every <= times[1])
        wanted = SignalWindow(*mz, spectra)
        met = [part for part, (signal, group) in enumerate(self._parts) if signal.may_hold(group, wanted)]
        if limit is not None and int(np.diff(self._starts)[met].sum()) > limit:
            return None
        rows: list[NDArray[np.int64]] = []
        found: list[SignalPoints] = []
        for part in met:
            signal, group = self._parts[part]
            for points in signal.blocks(group, wanted, placed=True):
                assert points.places is not None
                rows.append(points.places + self._starts[part])
                found.append(points)
        return np.concatenate([np.empty(0, np.int64), *rows]), _joined(found)

    def for_each(self, take: Callable[[int, SignalPoints], None], report: Callable[[float], None]) -> None:
        """Decode all peaks once, several row groups in parallel.

        take : called with the first row and the points of each batch, in any order and from several threads
        report : called with the completed share
        """

        def read(part: int) -> None:
            at = int(self._starts[part])
            for points in self._blocks(part):
                take(at, points)
                at += points.mz.size

        n_parts = len(self._parts)
        with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS), thread_name_prefix="cxg-peaks") as pool:
            try:
                for done, _ in enumerate(pool.map(read, range(n_parts)), start=1):
                    report(done / n_parts)
            finally:
                pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Release batches that are partly read."""
        with self._lock:
            self._cursors = []

    def _cursor_at(self, row: int) -> _Cursor:
        with self._lock:
            for cursor in self._cursors:
                if cursor.row == row:
                    self._cursors.remove(cursor)
                    return cursor
        return _Cursor(row, self._stream(row))

    def _stream(self, row: int) -> Iterator[SignalPoints]:
        """Yield all points from a row to the end."""
        first = int(np.searchsorted(self._starts, row, side="right")) - 1
        skip = row - int(self._starts[first])
        for part in range(first, len(self._parts)):
            for points in self._blocks(part):
                n_skipped = min(skip, points.mz.size)
                skip -= n_skipped
                yield points.take(slice(n_skipped, None)) if n_skipped else points

    def _pick(self, part: int, rows: NDArray[np.int64]) -> Iterator[SignalPoints]:
        """Yield ascending rows of one row group."""
        at = int(self._starts[part])
        for points in self._blocks(part):
            low, high = np.searchsorted(rows, (at, at + points.mz.size))
            if high > low:
                yield points.take(rows[low:high] - at)
            at += points.mz.size
            if high == rows.size:
                return

    def _blocks(self, part: int) -> Iterator[SignalPoints]:
        """Yield the points of a row group; raises `DamagedStore` if their number differs from `Signal.count`."""
        signal, group = self._parts[part]
        n_promised, n_found = int(np.diff(self._starts)[part]), 0
        for points in signal.blocks(group):
            n_found += points.mz.size
            if n_found > n_promised:
                break
            yield points
        if n_found != n_promised:
            raise DamagedStore(
                f"{signal.table.label}: row group {group} does not have the {n_promised:,} points that were counted."
            )


class PeakColumns:
    """Columns of peaks."""

    def __init__(self, spectra: SpectrumTable) -> None:
        self.spectra = spectra

    @cached_property
    def levels(self) -> Codes:
        """The MS level of each spectrum."""
        levels = self.spectra.read("ms_level")
        assert isinstance(levels, Codes)
        return levels

    def places(self, points: SignalPoints, axes: tuple[int, int]) -> NDArray[np.float32]:
        """Return the coordinates of points, float32 (k, 2): axis 0 is the retention time, axis 1 m/z."""
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


class _Cursor:
    """A position in the stream of all points."""

    def __init__(self, row: int, stream: Iterator[SignalPoints]) -> None:
        self.row = row
        self._stream = stream
        self._held: SignalPoints | None = None

    def read(self, count: int) -> SignalPoints:
        """Return the next `count` points; the stream must have as many."""
        found: list[SignalPoints] = []
        left = count
        while left:
            points = self._held if self._held is not None else next(self._stream)
            found.append(points.take(slice(0, left)))
            self._held = points.take(slice(left, None)) if points.mz.size > left else None
            left -= found[-1].mz.size
        self.row += count
        return _joined(found)


def _joined(parts: Sequence[SignalPoints]) -> SignalPoints:
    if len(parts) == 1:
        return parts[0]
    spectrum = np.concatenate([np.empty(0, np.int64), *(one.spectrum for one in parts)])
    mz = np.concatenate([np.empty(0), *(one.mz for one in parts)])
    return SignalPoints(spectrum, mz, np.concatenate([np.empty(0, np.float32), *(one.intensity for one in parts)]))
