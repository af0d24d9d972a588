"""Reads the points of spectra in one member; skips row groups without wanted points and reads others in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.mzpeak.chunks import SLACK, chunk_bounds, decode, spectrum_index
from cxg_widget.datasets.mzpeak.facets import column_at
from cxg_widget.datasets.mzpeak.layout import ChunkLayout, Layout, PointLayout, find_layout
from cxg_widget.datasets.mzpeak.spectra import SpectrumTable
from cxg_widget.datasets.tables.parquet_table import Leaf, ParquetTable
from cxg_widget.errors import InvalidStore

_MOST_PER_CHUNK = 1 << 24


@dataclass(frozen=True)
class SignalWindow:
    """The points of a request: an m/z window, both ends included, and spectra.

    low, high : m/z
    spectra : bool (n_spectra,) by row; None = all
    """

    low: float = -np.inf
    high: float = np.inf
    spectra: NDArray[np.bool_] | None = None


EVERYTHING = SignalWindow()


@dataclass(frozen=True)
class SignalPoints:
    """Points without nulls.

    spectrum : int64 (n,), row of the spectrum
    mz : float64 (n,)
    intensity : float (n,)
    places : int64 (n,), position of each among the points of its row group; None if not requested
    """

    spectrum: NDArray[np.int64]
    mz: NDArray[np.float64]
    intensity: NDArray[Any]
    places: NDArray[np.int64] | None = None

    def take(self, which: NDArray[Any] | slice) -> SignalPoints:
        """Return some of the points."""
        places = None if self.places is None else self.places[which]
        return SignalPoints(self.spectrum[which], self.mz[which], self.intensity[which], places)


class Signal:
    """The arrays of spectra in one member.

    without : bool (n_spectra,), spectra to skip because another member has them; None = none
    """

    def __init__(self, table: ParquetTable, spectra: SpectrumTable, without: NDArray[np.bool_] | None = None) -> None:
        self.table = table
        self.layout: Layout = find_layout(table)
        self._spectra = spectra
        self._without = without if without is not None and without.any() else None

    @property
    def is_partial(self) -> bool:
        """Whether some spectra are skipped; the statistics in the footer include these."""
        return self._without is not None

    def spectra(self) -> NDArray[np.bool_]:
        """Return which spectra have points in this member, bool (n_spectra,); reads the column of indices."""
        found = np.zeros(self._spectra.n, dtype=np.bool_)
        for group in range(self.table.n_groups):
            for batch in self.table.batches([self.layout.index], group):
                found[self._rows(np.unique(spectrum_index(batch, self.layout.index)))] = True
        return found

    def count(self, group: int) -> int:
        """Return the number of points of a row group, from the footer if that suffices, else by decoding."""
        promised = self._promised(group) if self._without is None else None
        if promised is not None:
            return promised
        return sum(points.mz.size for points in self.blocks(group))

    def blocks(self, group: int, wanted: SignalWindow = EVERYTHING, *, placed: bool = False) -> Iterator[SignalPoints]:
        """Yield the wanted points of a row group, in its order.

        placed : also return `places`, for which all points of the row group are decoded
        """
        if not self._chunks_hold(group, [wanted]):
            return
        n_before = 0
        for batch in self._batches(group):
            with self.table.reading():
                points = self._decode(batch, [EVERYTHING if placed else wanted])
            if placed:
                places = np.arange(n_before, n_before + points.mz.size)
                points = SignalPoints(points.spectrum, points.mz, points.intensity, places)
                n_before += points.mz.size
            yield _within(points, wanted)

    def blocks_of(self, group: int, many: Sequence[SignalWindow]) -> Iterator[tuple[int, SignalPoints]]:
        """Yield the points of a row group that each of several requests wants, with the number of the request.

        Reads and decodes the row group once; skips it if it has none of the points.
        """
        held = [(number, wanted) for number, wanted in enumerate(many) if self.may_hold(group, wanted)]
        if not held or not self._chunks_hold(group, [wanted for _, wanted in held]):
            return
        for batch in self._batches(group):
            with self.table.reading():
                points = self._decode(batch, [wanted for _, wanted in held])
            for number, wanted in held:
                inside = _within(points, wanted)
                if inside.mz.size:
                    yield number, inside

    def chunk_range(self, group: int) -> tuple[float, float] | None:
        """Return the least and the largest m/z from the bounds of chunks; chunks from 0 to 0 have no points."""
        assert isinstance(self.layout, ChunkLayout)
        low, high = np.inf, -np.inf
        for batch in self.table.batches(self.layout.bounds, group):
            with self.table.reading():
                starts, ends = chunk_bounds(batch, self.layout)
            filled = ends > 0
            low, high = min(low, starts[filled].min(initial=np.inf)), max(high, ends[filled].max(initial=-np.inf))
        return (float(low), float(high)) if 0 < low <= high else None

    def _batches(self, group: int) -> Iterator[pa.RecordBatch]:
        return self.table.batches(self.layout.columns, group, self._values_per_row(group))

    @cached_property
    def bounds(self) -> list[tuple[float, float]]:
        """The m/z range of each row group; infinite if the footer does not state it."""
        return [self._mz_range(group) for group in range(self.table.n_groups)]

    def _decode(self, batch: pa.RecordBatch, many: Sequence[SignalWindow]) -> SignalPoints:
        if isinstance(self.layout, PointLayout):
            return self._decode_points(batch, self.layout)
        if not _asks_for_all(many):
            batch = batch.filter(pa.array(self._hits(batch, self.layout, many)))
        if not batch.num_rows:
            return SignalPoints(np.empty(0, np.int64), np.empty(0), np.empty(0, np.float32))
        decoded = decode(batch, self.layout, self.table.label)
        rows = self._rows(spectrum_index(batch, self.layout.index))
        spectrum = np.repeat(rows, np.diff(decoded.offsets))
        return self._kept(spectrum, decoded.mz, decoded.intensity, decoded.valid)

    def _decode_points(self, batch: pa.RecordBatch, layout: PointLayout) -> SignalPoints:
        mz, intensity = column_at(batch, layout.mz), column_at(batch, layout.intensity)
        valid = np.ones(len(mz), dtype=np.bool_)
        for column in (mz, intensity):
            if column.null_count:
                valid &= column.is_valid().to_numpy(zero_copy_only=False)
        single = intensity.type == pa.float32()
        spectrum = self._rows(spectrum_index(batch, layout.index))
        return self._kept(
            spectrum,
            mz.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False),
            intensity.cast(pa.float32() if single else pa.float64(), safe=False).to_numpy(zero_copy_only=False),
            valid,
        )

    def _kept(self, spectrum: NDArray[np.int64], mz: Any, intensity: Any, valid: NDArray[np.bool_]) -> SignalPoints:
        if self._without is not None:
            valid = valid & ~self._without[spectrum]
        points = SignalPoints(spectrum, mz, intensity)
        return points if valid.all() else points.take(valid)

    def _rows(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._spectra.rows(indices, self.table.label)

    def _hits(self, batch: pa.RecordBatch, layout: ChunkLayout, many: Sequence[SignalWindow]) -> NDArray[np.bool_]:
        """Return which chunks may have points of any of several requests, bool (n_chunks,)."""
        starts, ends = chunk_bounds(batch, layout)
        hits = np.zeros(len(starts), dtype=np.bool_)
        for wanted in many:
            meets = (starts - SLACK <= wanted.high) & (ends + SLACK >= wanted.low)
            if wanted.spectra is not None:
                meets &= wanted.spectra[self._rows(spectrum_index(batch, layout.index))]
            hits |= meets
        return hits

    def _chunks_hold(self, group: int, many: Sequence[SignalWindow]) -> bool:
        """Say whether any chunk meets any of several requests; reads only the bounds of the chunks."""
        if isinstance(self.layout, PointLayout) or _asks_for_all(many):
            return True
        for batch in self.table.batches(self.layout.bounds, group):
            with self.table.reading():
                if self._hits(batch, self.layout, many).any():
                    return True
        return False

    # Statistics of the footer.

    def may_hold(self, group: int, wanted: SignalWindow) -> bool:
        """Say whether a row group may have wanted points, by the statistics in the footer."""
        low, high = self.bounds[group]
        if low > wanted.high or high < wanted.low:
            return False
        if wanted.spectra is None:
            return True
        indices = self._spectra.index[wanted.spectra]
        known = self.table.leaf(self.layout.index, group)
        if known.low is None or not indices.size:
            return bool(indices.size)
        return bool(((indices >= known.low) & (indices <= known.high)).any())

    def _mz_range(self, group: int) -> tuple[float, float]:
        if isinstance(self.layout, PointLayout):
            known = self.table.leaf(self.layout.mz, group)
            return (np.inf, -np.inf) if known.n_null == known.n_values else _range(known.low, known.high)
        start, end = (self.table.leaf(path, group) for path in (self.layout.start, self.layout.end))
        if start.high is None or end.high is None:
            return -np.inf, np.inf
        low, high = _range(start.low, max(start.high, end.high))
        return low - SLACK, high + SLACK

    def _promised(self, group: int) -> int | None:
        """Return the number of points of a row group from the footer; None if the footer does not determine it."""
        layout = self.layout
        if isinstance(layout, PointLayout):
            mz, intensity = (self.table.leaf(path, group).n_null for path in (layout.mz, layout.intensity))
            return None if mz is None or mz != intensity else self.table.group_rows(group) - mz
        packed = [self.leaf_of(path, group) for path in (layout.mz_bytes, layout.intensity_bytes) if path is not None]
        if layout.intensity is None or any(one.n_null != one.n_values for one in packed):
            return None
        values, intensity_leaf = (self.leaf_of(path, group) for path in (layout.values, layout.intensity))
        low = self.table.leaf(layout.start, group).low
        if intensity_leaf.n_null is None or low is None or not low > 0:
            return None
        if intensity_leaf.n_null == 0 and values.n_null != 0:
            return None
        return intensity_leaf.n_values - intensity_leaf.n_null

    def leaf_of(self, path: str, group: int) -> Leaf:
        """Return the footer's statistics of a column of the layout, by its only leaf column."""
        leaf = self.table.leaf_path(path)
        assert leaf is not None
        return self.table.leaf(leaf, group)

    def _values_per_row(self, group: int) -> float:
        """Return the mean number of values of a chunk."""
        if isinstance(self.layout, PointLayout):
            return 1.0
        rows = max(self.table.group_rows(group), 1)
        most = max(self.leaf_of(path, group).n_values for path in self.layout.columns[4:]) / rows
        if most > _MOST_PER_CHUNK:
            raise InvalidStore(
                f"{self.table.label} has {most:,.0f} values in a chunk; at most {_MOST_PER_CHUNK:,} can be read."
            )
        return float(most)


def _asks_for_all(many: Sequence[SignalWindow]) -> bool:
    return any(wanted is EVERYTHING for wanted in many)


def _within(points: SignalPoints, wanted: SignalWindow) -> SignalPoints:
    """Return the points of a request."""
    if wanted is EVERYTHING:
        return points
    inside: NDArray[np.bool_] = (points.mz >= wanted.low) & (points.mz <= wanted.high)
    if wanted.spectra is not None:
        inside &= wanted.spectra[points.spectrum]
    return points if inside.all() else points.take(inside)


def _range(low: Any, high: Any) -> tuple[float, float]:
    """Return bounds as floats; infinite if they are missing or invalid."""
    if low is None or high is None or not (low <= high):
        return -np.inf, np.inf
    return float(low), float(high)
