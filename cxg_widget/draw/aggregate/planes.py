"""Planes: the result of an aggregation per pixel; those of disjoint cells can be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Statistic = Literal["mean", "max", "both"]
"""Statistics that planes of numbers can have."""
SAFE_CELLS = 2**32 // 256
"""Most cells in one pixel before a sum of 8-bit channels overflows uint32."""


@dataclass(frozen=True)
class Planes:
    """Sums over the cells of each pixel; row 0 is the top of the screen.

    The first axis has one layer, or two with a selection: cells that are not selected, then selected ones.

    totals : uint32 or uint64 (layers, h, w, lanes); the last lane counts the cells with a value; before it are the
        sums: red, green, blue of each cell's category; codes of numbers, or, for uneven codes, the numbers, float64; or
        nothing
    missing : uint32 (layers, h, w), cells without a value; None if there are none
    peak : uint16 (layers, h, w), the highest code, 0 without cells; None unless requested
    derived : cache of data computed from the counts alone; planes with the same counts may share it
    """

    totals: NDArray[Any]
    missing: NDArray[np.uint32] | None = None
    peak: NDArray[np.uint16] | None = None
    derived: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def known(self) -> NDArray[Any]:
        """Cells with a value (layers, h, w)."""
        known: NDArray[Any] = self.totals[..., -1]
        return known.astype(np.uint64) if known.dtype == np.float64 else known

    @property
    def counts(self) -> NDArray[Any]:
        """Cells with and without a value (layers, h, w), C-contiguous."""
        return np.ascontiguousarray(self.known) if self.missing is None else self.known + self.missing

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.totals.shape[2], self.totals.shape[1]

    def __add__(self, other: Planes) -> Planes:
        """Return the planes of both sets of cells together; a missing layer counts as empty."""
        layers = max(self.totals.shape[0], other.totals.shape[0])
        dtype = np.float64 if self.totals.dtype == np.float64 else np.uint64
        missing = [_layered(one.missing, layers) for one in (self, other) if one.missing is not None]
        peaks = [_layered(one.peak, layers) for one in (self, other) if one.peak is not None]
        return Planes(
            # Wider than the uint32 of one part: several parts together may exceed `SAFE_CELLS` in a pixel.
            np.add(_layered(self.totals, layers), _layered(other.totals, layers), dtype=dtype),
            np.sum(missing, axis=0, dtype=np.uint32) if missing else None,
            np.maximum.reduce(peaks) if peaks else None,
        )


def part_of(found: Sequence[Planes]) -> Planes:
    """Return the planes of parts of the cells, each selected when its planes were made, as a layer each."""
    missing = [None if one.missing is None else one.missing[1:] for one in found]
    peaks = [None if one.peak is None else one.peak[1:] for one in found]
    return Planes(
        np.concatenate([one.totals[1:] for one in found]),
        None if any(one is None for one in missing) else np.concatenate([one for one in missing if one is not None]),
        None if any(one is None for one in peaks) else np.concatenate([one for one in peaks if one is not None]),
    )


def _layered(plane: NDArray[Any], layers: int) -> NDArray[Any]:
    missing = layers - plane.shape[0]
    return plane if missing == 0 else np.concatenate([plane, np.zeros((missing, *plane.shape[1:]), plane.dtype)])
