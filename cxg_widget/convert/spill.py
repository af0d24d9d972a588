"""Transposes the matrix on disk: written along one axis, read along the other in bounded bands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.entries import Entries

BAND_ENTRIES = 8_000_000
"""Entries per band: 96 MB, and about four times that while they are sorted and written."""

_WAITING = 4_000_000
_BUCKETS = 256
_RECORD = np.dtype([("across", "<u4"), ("line", "<u4"), ("value", "<f4")])


class Spill:
    """Entries in buckets by position, 12 bytes each, one file per bucket.

    folder : created here, deleted by its owner
    length : number of positions, which are the lines when read back
    expected : approximate number of entries
    """

    def __init__(self, folder: Path, length: int, expected: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        buckets = min(_BUCKETS, max(1, -(-4 * expected // BAND_ENTRIES)), max(1, length))
        self._width = -(-length // buckets)
        self._waiting: list[Entries] = []
        self.counts = np.zeros(length, dtype=np.int64)

    def add(self, entries: Entries) -> None:
        """Add entries whose lines follow the last ones."""
        if len(entries):
            self.counts += np.bincount(entries.positions, minlength=len(self.counts))
            self._waiting.append(entries)
        if sum(map(len, self._waiting)) >= _WAITING:
            self._flush()

    def bands(self) -> Iterator[tuple[int, int, Entries]]:
        """Yield start, stop and entries of consecutive positions, which are now the lines; in order."""
        self._flush()
        for start, stop in cut(self.counts, BAND_ENTRIES):
            yield start, stop, self._read(start, stop)

    def _flush(self) -> None:
        if not self._waiting:
            return
        records = np.empty(sum(map(len, self._waiting)), dtype=_RECORD)
        records["across"] = np.concatenate([one.positions for one in self._waiting])
        records["line"] = np.concatenate([one.lines for one in self._waiting])
        records["value"] = np.concatenate([one.values for one in self._waiting])
        self._waiting = []
        bucket = (records["across"] // np.uint32(self._width)).astype(np.uint16)
        records = records[np.argsort(bucket, kind="stable")]  # 16 bits are sorted by counting, which is fast
        ends = np.cumsum(np.bincount(bucket))
        for number, end in enumerate(ends.tolist()):
            begin = int(ends[number - 1]) if number else 0
            if end > begin:
                with self._file(number).open("ab") as file:
                    file.write(records[begin:end].view(np.uint8).data)

    def _read(self, start: int, stop: int) -> Entries:
        parts: list[NDArray[Any]] = []
        for number in range(start // self._width, -(-stop // self._width)):
            if self._file(number).exists():
                parts += _between(self._file(number), start, stop)
        records = np.concatenate([*parts, np.empty(0, dtype=_RECORD)])
        records = records[_stable_order(records["across"] - np.uint32(start), stop - start)]
        # Entries came in the order of their lines, and a stable sort keeps it.
        return Entries(
            np.ascontiguousarray(records["across"]),
            np.ascontiguousarray(records["line"]),
            np.ascontiguousarray(records["value"]),
        )

    def _file(self, number: int) -> Path:
        return self._folder / f"bucket-{number:03}"


class DenseSpill:
    """Whole lines split into bands of positions, 4 bytes a cell, one file per band.

    folder : created here, deleted by its owner
    n_lines, length : shape of the input
    width : positions per band
    """

    def __init__(self, folder: Path, n_lines: int, length: int, width: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._n_lines = folder, n_lines
        self._bounds = [(start, min(start + width, length)) for start in range(0, length, width)]

    def add(self, lines: NDArray[np.float32]) -> None:
        """Add float32 (k, length), the next lines."""
        for number, (start, stop) in enumerate(self._bounds):
            with self._file(number).open("ab") as file:
                file.write(np.ascontiguousarray(lines[:, start:stop]).view(np.uint8).data)

    def bands(self) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
        """Yield start, stop and float32 (stop - start, n_lines) of consecutive positions, in order."""
        for number, (start, stop) in enumerate(self._bounds):
            cells = np.fromfile(self._file(number), dtype=np.float32)
            yield start, stop, cells.reshape(self._n_lines, stop - start).T
            self._file(number).unlink()

    def _file(self, number: int) -> Path:
        return self._folder / f"band-{number:05}"


def cut(counts: NDArray[np.int64], limit: int) -> Iterator[tuple[int, int]]:
    """Split lines with some numbers of entries into runs with at most `limit`; a longer line is a run of its own."""
    total = np.cumsum(counts)
    start, done = 0, 0
    while start < len(counts):
        stop = max(start + 1, int(np.searchsorted(total, done + limit, side="right")))
        yield start, stop
        start, done = stop, int(total[stop - 1])


def _between(path: Path, start: int, stop: int) -> Iterator[NDArray[Any]]:
    with path.open("rb") as file:
        while len(records := np.fromfile(file, dtype=_RECORD, count=_WAITING)):
            across = records["across"]
            inside = (across >= start) & (across < stop)
            yield records if inside.all() else records[inside]


def _stable_order(keys: NDArray[np.uint32], n: int) -> NDArray[np.intp]:
    """Sort by 16 bits at a time, the low ones first."""
    if n <= 1 << 16:
        return np.argsort(keys.astype(np.uint16), kind="stable")
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    return order[np.argsort((keys >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
