"""Finds the cells around a set in an embedding: those nearest to its edge, at most as many as it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError
from cxg_widget.spatial.view import Extent

SAMPLED = 50_000
"""Cells of the set, evenly spread over its rows, that represent all of it."""
NEIGHBORS = 10
"""The spacing is the median distance to this many nearest neighbors."""
STRAY = 3.0
"""Times the spacing: cells whose neighbors are farther away are outliers, and define no edge."""
_MOST_BINS = 2048
_FINEST = 1 / 4096
_AT_ONCE = 1 << 20

Places = Callable[[NDArray[np.int64]], NDArray[np.float32]]
"""Returns the coordinates of some rows, (k, 2)."""
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Neighborhood:
    """The cells around a set.

    mask : bool (n_obs,)
    reach : distance of the farthest of them from the set, in units of the embedding's x
    farthest : limit of that distance
    """

    mask: NDArray[np.bool_]
    reach: float
    farthest: float


@dataclass(frozen=True)
class _Field:
    """Distance of each bin from the set, in bins; 0 in bins of the set."""

    low: _Floats
    side: float
    distance: _Floats

    def at(self, xy: _Floats) -> _Floats:
        """Return the distance of places (k, 2), in bins; infinite outside the grid."""
        with np.errstate(invalid="ignore"):
            bins = np.floor((xy - self.low) / self.side)
            inside = ((bins >= 0) & (bins < self.distance.shape)).all(axis=1)  # false for NaN
        found = np.full(len(xy), np.inf)
        x, y = bins[inside].astype(np.int64).T
        found[inside] = self.distance[x, y]
        return found


def neighborhood(
    places: Places, mask: NDArray[np.bool_], extent: Extent, *, equal_units: bool = True, set_name: str = "the set",
    among: NDArray[np.bool_] | None = None,
) -> Neighborhood:  # fmt: skip
    """Find the cells around a set: those outside of it that are nearest to where it is dense.

    The spacing s of a set is the median distance from a cell of it to its tenth neighbor in the set; n cells at this
    density would fill a disc of radius s sqrt(n / 10). Cells with ten others within 3 s are its core; the rest are
    outliers. Distances are measured to the nearest core bin of a square grid with bins of width s. The nearest other
    cells are taken, at most as many as the set has, and none farther away than that radius. Of equally near cells,
    those evenly spread over the rows are taken. Cells among those of the set have distance 0. The result is
    deterministic.

    mask : bool (n_obs,), the set
    extent : x0, x1, y0, y1 of all cells
    equal_units : whether both axes have the same unit; else each is measured relative to its extent
    set_name : name of the set
    among : bool (n_obs,), the candidate cells; None = all
    """
    x0, x1, y0, y1 = extent
    stretch = (x1 - x0) / (y1 - y0) if not equal_units and x1 > x0 and y1 > y0 else 1.0
    scale = np.array([1.0, stretch])

    def placed(rows: NDArray[np.int64]) -> _Floats:
        found: _Floats = places(rows).astype(np.float64) * scale
        return found

    rows = np.flatnonzero(mask)
    # A sample represents all cells: a k-d tree of the whole set would give indistinguishable distances (decision 62).
    xy = placed(rows[np.linspace(0, len(rows) - 1, min(SAMPLED, len(rows))).astype(np.int64)])
    xy = xy[np.isfinite(xy).all(axis=1)]
    if len(xy) < 2:
        raise SelectionError(
            f"{set_name} has fewer than two cells with coordinates in the current embedding, so it has no neighborhood."
        )
    longest = max(x1 - x0, (y1 - y0) * stretch)
    core, spacing, farthest = _core_of(xy, longest * _FINEST or 1.0)
    field = _field_around(core, spacing, farthest)
    distance = _distances(placed, mask if among is None else mask | ~among, field)
    chosen, reach = _nearest(distance, len(rows), farthest / field.side)
    if not chosen.size:
        raise SelectionError(
            f"no other cells are within {farthest:.3g} of {set_name}, the radius of a disc of its cells: it is "
            "isolated in this embedding. Use against='rest'."
        )
    found = np.zeros(len(mask), dtype=np.bool_)
    found[chosen] = True
    return Neighborhood(found, reach * field.side, farthest)


def _core_of(xy: _Floats, finest: float) -> tuple[_Floats, float, float]:
    """Return the coordinates of the core of a set, its spacing, and the radius of a disc of its cells."""
    from scipy.spatial import cKDTree

    k = min(NEIGHBORS, len(xy) - 1)
    distance = cKDTree(xy).query(xy, k=[k + 1])[0][:, 0]  # the nearest is the cell itself
    spacing = max(float(np.median(distance)), finest)
    return xy[distance <= STRAY * spacing], spacing, spacing * float(np.sqrt(len(xy) / k))


def _field_around(core: _Floats, spacing: float, farthest: float) -> _Field:
    from scipy.ndimage import distance_transform_edt

    low, high = core.min(axis=0) - farthest, core.max(axis=0) + farthest
    # At most 4 M bins, whose distances take 34 MB.
    side = max(spacing, float((high - low).max()) / _MOST_BINS)
    is_outside = np.ones(np.ceil((high - low) / side).astype(np.int64) + 1, dtype=np.bool_)
    is_outside[tuple(np.floor((core - low) / side).astype(np.int64).T)] = False
    return _Field(low, side, distance_transform_edt(is_outside))


def _distances(placed: Callable[[NDArray[np.int64]], _Floats], mask: NDArray[np.bool_], field: _Field) -> _Floats:
    """Return the distance of each cell from the set, in bins, (n_obs,); infinite inside it or far away."""
    found = np.full(len(mask), np.inf)
    for start in range(0, len(mask), _AT_ONCE):
        rows = start + np.flatnonzero(~mask[start : start + _AT_ONCE])
        found[rows] = field.at(placed(rows))
    return found


def _nearest(distance: _Floats, n: int, farthest: float) -> tuple[NDArray[np.int64], float]:
    """Return the rows of the n nearest cells within a distance, and the distance of the last of them."""
    rows = np.flatnonzero(distance <= farthest)
    if len(rows) <= n:
        return rows, float(distance[rows].max(initial=0.0))
    near = distance[rows]
    last = float(np.partition(near, n - 1)[n - 1])
    inner, equal = rows[near < last], rows[near == last]
    spread = np.linspace(0, len(equal) - 1, n - len(inner)).astype(np.int64)
    return np.concatenate([inner, equal[spread]]), last
