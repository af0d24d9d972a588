"""Copies a matrix into a new store: read once, along its own axis, and transposed on disk if needed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.entries import Entries, Lines
from cxg_widget.convert.spill import BAND_ENTRIES, DenseSpill, Spill
from cxg_widget.errors import InvalidStore

Axis = Literal["obs", "var"]

DENSE_SHARE = 0.25
"""The official writer stores a matrix with a smaller share of non-zeros as sparse."""

_BAND_CELLS = 32_000_000


class MatrixStore(Protocol):
    """Interface of a new store that takes a matrix.

    sparse_axes : axes along which it takes the entries of a sparse matrix
    dense_axis : axis along which it takes the bands of a dense one
    dense_step : the number of lines per band is a multiple of this
    """

    sparse_axes: tuple[Axis, ...]
    dense_axis: Axis
    dense_step: int

    def begin(self, *, dense: bool) -> None:
        """Create the arrays of the matrix."""

    def write_entries(self, axis: Axis, start: int, stop: int, entries: Entries) -> None:
        """Write all entries of the lines start <= line < stop along `axis`; called in order."""

    def write_band(self, start: int, stop: int, values: NDArray[np.float32]) -> None:
        """Write float32 (stop - start, length), lines along `dense_axis`."""

    def finish(self) -> None:
        """Complete the matrix."""

    def discard(self) -> None:
        """Delete what was written of the matrix."""


@dataclass(frozen=True)
class Carried:
    """Result of copying a matrix."""

    n_values: int
    dense: bool


def carry_matrix(lines: Lines, store: MatrixStore, scratch: Path, tell: Callable[[float], None]) -> Carried:
    """Write a matrix, as sparse if its share of non-zeros is below `DENSE_SHARE`.

    A sample decides; if the whole matrix turns out otherwise, it is written again.
    """
    cells = lines.n * lines.length
    if not cells:
        raise InvalidStore(f"{lines.dataset.uri}: the matrix is empty ({lines.dataset!r}).")
    share = lines.sampled_share()
    dense = share >= DENSE_SHARE
    for _ in range(2):
        store.begin(dense=dense)
        carry = _carry_dense if dense else _carry_sparse
        found = carry(lines, store, scratch, int(share * cells), tell)
        shutil.rmtree(scratch, ignore_errors=True)
        if dense == (found >= DENSE_SHARE * cells):
            break
        store.discard()
        dense, share = not dense, found / cells
    store.finish()
    return Carried(found, dense)


def _carry_sparse(lines: Lines, store: MatrixStore, scratch: Path, expected: int, tell: Callable[[float], None]) -> int:
    own: Axis = "obs" if lines.axis == "obs" else "var"
    other_axes = [axis for axis in store.sparse_axes if axis != own]
    spill = Spill(scratch, lines.length, expected) if other_axes else None
    batch = _Batch(store, own) if own in store.sparse_axes else None
    share = 0.6 if other_axes else 1.0
    found = 0
    for start, stop, entries in lines.blocks():
        found += len(entries)
        if spill is not None:
            spill.add(entries)
        if batch is not None:
            batch.add(start, stop, entries)
        tell(share * stop / lines.n)
    if batch is not None:
        batch.flush()
    if spill is not None and found < DENSE_SHARE * lines.n * lines.length:
        for start, stop, entries in spill.bands():
            store.write_entries(other_axes[0], start, stop, entries)
            tell(share + (1 - share) * stop / lines.length)
    return found


def _carry_dense(lines: Lines, store: MatrixStore, scratch: Path, expected: int, tell: Callable[[float], None]) -> int:  # noqa: ARG001 - the same form as the other
    if lines.axis == store.dense_axis:
        return _write_bands(lines, store, tell)
    width = _band_width(lines.n, store.dense_step)
    spill = DenseSpill(scratch, lines.n, lines.length, width)
    found = 0
    for start, stop, entries in lines.blocks():
        found += len(entries)
        spill.add(entries.dense(start, stop - start, lines.length))
        tell(0.6 * stop / lines.n)
    for start, stop, values in spill.bands():
        store.write_band(start, stop, values)
        tell(0.6 + 0.4 * stop / lines.length)
    return found


def _write_bands(lines: Lines, store: MatrixStore, tell: Callable[[float], None]) -> int:
    width = _band_width(lines.length, store.dense_step)
    found = 0
    for first in range(0, lines.n, width):
        last = min(first + width, lines.n)
        band = np.zeros((last - first, lines.length), dtype=np.float32)
        for start, stop, entries in lines.blocks(first, last):
            found += len(entries)
            band[start - first : stop - first] = entries.dense(start, stop - start, lines.length)
        store.write_band(first, last, band)
        tell(last / lines.n)
    return found


def _band_width(length: int, step: int) -> int:
    return step * max(1, _BAND_CELLS // (step * length))


class _Batch:
    """Collects blocks of lines until they are large enough for a fragment."""

    def __init__(self, store: MatrixStore, axis: Axis) -> None:
        self._store, self._axis = store, axis
        self._parts: list[Entries] = []
        self._bounds: tuple[int, int] | None = None

    def add(self, start: int, stop: int, entries: Entries) -> None:
        if self._parts and sum(map(len, self._parts)) + len(entries) > BAND_ENTRIES:
            self.flush()
        self._bounds = (start if self._bounds is None else self._bounds[0], stop)
        self._parts.append(entries)

    def flush(self) -> None:
        if self._bounds is not None:
            joined = Entries(
                np.concatenate([one.lines for one in self._parts]),
                np.concatenate([one.positions for one in self._parts]),
                np.concatenate([one.values for one in self._parts]),
            )
            self._parts = []
            self._store.write_entries(self._axis, *self._bounds, joined)
        self._bounds = None
