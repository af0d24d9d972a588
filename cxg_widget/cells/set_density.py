"""Contours around named sets, and the density difference of two sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.landmarks import Contours, Named, contours_of, grid_for
from cxg_widget.counts.on_grid import Grid
from cxg_widget.draw.overlays.density import smooth, width_for

if TYPE_CHECKING:
    from cxg_widget.cells.holder import Holder

LEAST_NEAR = 10
"""Least number of cells of both sets near a place for a difference."""
_LOWEST_LIMIT, _HIGHEST_LIMIT = 1.0, 6.0
_QUANTILE = 0.98
_ONE_PLANE = np.zeros(1, dtype=np.int32)


@dataclass(frozen=True)
class Difference:
    """Density difference of two sets.

    counts : cells of each that pass the filters
    ratio : log2 of the ratio of densities, each relative to its own set, float64 (lines, columns), line 0 at the lowest
        y; inf and -inf where only one set has cells; NaN with fewer than `LEAST_NEAR` cells of both nearby
    limit : a number that few of the ratios exceed
    """

    names: tuple[str, str]
    counts: tuple[int, int]
    ratio: NDArray[np.float64]
    limit: float
    grid: Grid


def find_set_contours(
    held: Holder, names: tuple[str, ...], masks: list[NDArray[np.bool_]], check: Callable[[], object]
) -> Contours:
    """Find contours around the passing cells of sets, bool (n_obs,) each; see `find_names`."""
    grid = grid_for(held, len(names))
    planes = np.stack([_plane(held, mask, grid, check) for mask in masks])
    counts = planes.sum(axis=(1, 2), dtype=np.int64)
    named = Named(np.full(len(names), -1), list(names), counts, len(names), _ONE_PLANE)
    return contours_of(named, grid, planes, check)


def find_difference(
    held: Holder, names: tuple[str, str], masks: list[NDArray[np.bool_]], check: Callable[[], object]
) -> Difference:
    """Compare the densities of the passing cells of two sets, bool (n_obs,) each.

    Both are smoothed by the wider one of the Gaussians that their contours use.
    """
    grid = grid_for(held, len(names))
    planes = [_plane(held, mask, grid, check) for mask in masks]
    n_first, n_second = (int(plane.sum(dtype=np.int64)) for plane in planes)
    fewer = min(n_first, n_second)
    # One width for both: with two, the wider set would be denser around every edge (decision 50).
    first, second = (smooth(plane, fewer) for plane in planes)
    sigma = width_for(fewer) * grid.side
    # Equivalent number of cells under the Gaussian: one over the sum of its squares.
    near = (first + second) * (4 * np.pi * sigma**2)
    ratio = np.full(grid.shape, np.nan)
    is_known = near >= LEAST_NEAR
    if fewer > 0:
        with np.errstate(divide="ignore"):
            ratio[is_known] = np.log2(first[is_known] / n_first) - np.log2(second[is_known] / n_second)
    return Difference(names, (n_first, n_second), ratio, _limit_of(ratio), grid)


def _plane(held: Holder, mask: NDArray[np.bool_], grid: Grid, check: Callable[[], object]) -> NDArray[np.uint32]:
    check()
    passing = held.filtered()
    mask = mask if passing is None else mask & passing
    return np.asarray(held.category_planes(None, _ONE_PLANE, grid, mask, check)[0])


def _limit_of(ratio: NDArray[np.float64]) -> float:
    """Return a limit, in halves, that few ratios exceed."""
    sizes = np.abs(ratio[np.isfinite(ratio)])
    most = float(np.quantile(sizes, _QUANTILE)) if sizes.size else 0.0
    return float(np.clip(np.ceil(2 * most) / 2, _LOWEST_LIMIT, _HIGHEST_LIMIT))
