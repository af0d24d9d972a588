"""Crowding: how many cells share a pixel, which number such a pixel shows, and the limits of its colors.

js/src/style/crowding.js computes the same; tests/crowding.json checks both.
"""
# Changes with js/src/style/crowding.js: numbers that cells share in a pixel, and limits that suit.
# Changes with js/src/style/point_style.js: the size of points.
# Changes with js/src/style/point_style.js: when opacity follows density.
# Changes with js/src/words/legend_words.js and js/src/page/parts/legend_numbers.js: words for what a pixel shows.
# Changes with cxg_widget/session/pictures/portrait.py: words for what a pixel shows.

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import LEVELS

CLOSE_CELLS = 400_000
"""Most cells of a view that a dataset of many cells draws as points, not as an image."""
BASIS = 65_536
"""Number of points that determine the crowding and limits of a view; these arrive before all others."""
_SOLID_UP_TO = 8
"""Multiple of `few` cells at which the solidity of a view reaches 0."""
BEHIND = 36
"""Least cells behind an unsmoothed color in a crowded view; with fewer, the color moves toward the mean around it."""
_WIDER = 12
"""Side of the area whose mean smooths a tile of few points, in tiles."""
_ENDS = (0.005, 0.995)
_FINEST = 1 / 256
_STEPS = 8
_COVER = 0.8
_SELECTED = 1 << 34
_FADING = 0.7
"""Opacity is layers ** -0.7: crowded places reach an opacity of 0.85 to 0.93, and sparse ones stay pale."""
PALEST = 0.157
"""Lowest opacity, so that a single point stays visible; equals `MIN_ALPHA` in draw/aggregate/opacity.py."""
_FILLING = 0.75
"""Largest area of all points relative to the view; above it, points are drawn smaller than set."""


def few_of(settings: Settings) -> int:
    """Return the number of cells up to which a view counts as uncrowded."""
    return min(settings.max_points, CLOSE_CELLS)


def solidity_of(n_inside: float, few: int) -> float:
    """Return how uncrowded a view is: 1 for up to `few` cells, falling to 0 at 8 times as many."""
    if few <= 0:
        return 0.0
    return float(np.clip(1 - np.log(max(n_inside, 1) / few) / np.log(_SOLID_UP_TO), 0, 1))


def crowded_size(n: float, size: tuple[float, float]) -> float:
    """Return the largest diameter, in px, at which n points do not fill the view, as `crowdedSize` in JavaScript."""
    return max(float(np.sqrt(_FILLING * size[0] * size[1] / max(n, 1))), 1.0)


def point_diameter(n: int, size: tuple[float, float], zoom: float) -> float:
    """Return the automatic diameter of n points in px, as `automaticSize` in js/src/style/point_style.js does."""
    room = (size[0] * size[1] / 480_000) ** 0.25
    diameter = min(max(42 * max(n, 1) ** -0.25 * room, 1.0), 7.0)
    return float(min(diameter * max(zoom, 1.0) ** 0.35, 12.0))


def is_by_density(settings: Settings, coloring: Coloring, mask: NDArray[np.bool_]) -> bool:
    """Return whether opacity follows density, as `isByDensity` in js/src/style/point_style.js does.

    It does not for colors of numbers, since those already summarize the cells of a pixel. Nor with dimmed or gray
    cells, since their paleness already has a meaning.
    """
    is_number = coloring.scale == "continuous" or isinstance(coloring, BlendColoring)
    is_greying = settings.filtered == "grey" and bool(settings.filters or settings.hidden)
    return settings.opacity is None and not is_number and not is_greying and not mask.any()


def opacity_of(layers: float) -> float:
    """Return the opacity of points with this many layers, as `opacityOf` in js/src/style/point_style.js does."""
    return float(max(max(layers, 1.0) ** -_FADING, PALEST))


@dataclass(frozen=True)
class Crowd:
    """A fair sample of all cells.

    xy : uint16 (n, 2), codes of the coordinates over their extent; 65535 = no position
    n_cells : number of cells that it represents
    """

    xy: NDArray[np.uint16]
    n_cells: int

    @property
    def share(self) -> float:
        """Cells per point."""
        return self.n_cells / max(len(self.xy), 1)

    def typical(self, sides: tuple[float, float]) -> float:
        """Return the number of cells in a view around a typical cell.

        sides : width and height of the view, codes
        """
        return self._in_field(sides, 1)

    def layers(self, units: tuple[float, float], extent: tuple[float, float, float, float]) -> float:
        """Return the mean number of other cells that overlap a cell.

        units : width and height of a point, data units
        extent : x0, x1, y0, y1 of the codes
        """
        x0, x1, y0, y1 = extent
        return self._in_field((units[0] * LEVELS / (x1 - x0 or 1), units[1] * LEVELS / (y1 - y0 or 1)), 0)

    def _in_field(self, sides: tuple[float, float], own: int) -> float:
        # In smaller fields, 65,536 points give too few pairs to count. So the count of a wider field is scaled down
        # (decision 73).
        used = max(sides[0], LEVELS * _FINEST), max(sides[1], LEVELS * _FINEST)
        around = max(self._points_around(used) + own - 1, 0)
        return self.share * (sides[0] / used[0]) * (sides[1] / used[1]) * around

    def _points_around(self, sides: tuple[float, float]) -> float:
        """Return the mean number of points in a field around a point, including itself; 0 if there are no points."""
        found = self.xy[(self.xy != MISSING_U16).all(axis=1)]
        if not len(found):
            return 0.0
        across, down = (np.floor(found[:, axis] / side).astype(np.int64) for axis, side in enumerate(sides))
        # A field is at least 1/256 of the extent, so 1,024 exceeds the number of lines and the keys are unique.
        counts = np.unique(across * 1024 + down, return_counts=True)[1].astype(np.float64)
        return float((counts @ counts) / counts.sum())

    def tile(self, sides: tuple[float, float]) -> tuple[float, float]:
        """Return the sides, in codes, of an area with as many points as an area with these sides has cells."""
        grown = np.sqrt(self.share)
        return float(sides[0] * grown), float(sides[1] * grown)


def stepped(tile: tuple[float, float], level: int | None = None) -> tuple[float, float]:
    """Return a tile of the nearest width of 2 ** (level / 2) codes, with the same ratio of height to width.

    level : None = the nearest; else this one
    """
    at = int(np.floor(_level_of(tile) + 0.5)) if level is None else level
    width = 2 ** (at / 2)
    # float32, as Math.fround in crowding.js, gives the same tile at each step of a zoom in kernel and page.
    return max(width, 2.0), max(width * float(np.float32(tile[1] / tile[0])), 1.0)


def behind_of(n_inside: float, few: int) -> float:
    """Return the least cells of an unsmoothed mean: `BEHIND` for views of `few` cells or more, 1 for an 8th of that."""
    return float(1 + np.floor((BEHIND - 1) * (1 - solidity_of(_SOLID_UP_TO * n_inside, few)) + 0.5))


def weight_of(statistic: str, n_inside: float, few: int) -> float:
    """Return the weight of the maximum of a pixel, 0 to 1; the rest is that of the mean.

    With "auto", the maximum counts only in views in which cells hardly share pixels. In crowded views it would give all
    places the top color, since the limits of the colors stay.
    """
    if statistic == "auto":
        return float(np.floor(_STEPS * solidity_of(_SOLID_UP_TO**2 * n_inside, few) + 0.5) / _STEPS)
    return float(statistic == "max")


def shared_codes(
    xy: NDArray[np.uint16],
    codes: NDArray[np.uint16],
    basis: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    tile: tuple[float, float],
    weight: float,
    *,
    behind: float = 1,
    levels: Levels | None = None,
    flags: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None,
) -> NDArray[np.uint16]:
    """Return the code of the number that each point shows, uint16 (n,).

    xy, codes : uint16 (n, 2) and (n,), positions and numbers of the points; 65535 = none
    basis : positions and numbers of the points that tiles are computed from; a point whose tile has none of them keeps
        its own number
    tile : width and height of a tile, codes
    weight : 0 shows the mean of a tile, 1 its maximum
    behind : least points of an unsmoothed mean; the mean of fewer moves toward the mean of a tile `_WIDER` times as
        wide, as in `leaning_means` for pixels
    levels : levels of the codes; a tile gets the code of 0 only if its number is exactly 0. None = even codes without
        a code of 0
    flags : uint8, of the points and of the basis; bit 0: selected, which have separate tiles; bit 1: filtered out
    """
    at, known = _keys(basis[0], tile), basis[1] != MISSING_U16
    if flags is not None:
        at, known = at | _selected(flags[1]), known & (flags[1] & 2 == 0)
    tiles, first, inverse = np.unique(at[known], return_index=True, return_inverse=True)
    own = basis[1][known].astype(np.float64)
    bent = levels if levels is not None and levels.is_bent else None
    zero = -1 if levels is None else levels.zero
    values = own if bent is None else bent.table[basis[1][known]]
    counts = np.maximum(np.bincount(inverse, minlength=tiles.size), 1)
    mean = np.bincount(inverse, values, tiles.size) / counts
    mean = mean if bent is None else bent.shown_at(mean)
    if behind > 1:
        # Selected cells are smoothed only with selected cells.
        wide = _keys(basis[0], (_WIDER * tile[0], _WIDER * tile[1]))[known] | (at[known] & _SELECTED)
        _, around = np.unique(wide, return_inverse=True)
        near = (np.bincount(around, values) / np.bincount(around))[around[first]]
        near = near if bent is None else bent.shown_at(near)
        mean = np.where(counts < behind, mean + (1 - counts / behind) * (near - mean), mean)
    peak = np.zeros(tiles.size)
    np.maximum.at(peak, inverse, own)
    exact = mean + weight * (peak - mean)
    # Rounds halves up, as Math.round does; NumPy's rint rounds them to even numbers.
    rounded = np.floor(exact + 0.5)
    shown = np.where(rounded == zero, zero + np.sign(exact - zero), rounded).astype(np.uint16)
    keys = _keys(xy, tile) if flags is None else _keys(xy, tile) | _selected(flags[0])
    place = np.minimum(np.searchsorted(tiles, keys), max(tiles.size - 1, 0))
    out = codes.copy()
    found = (codes != MISSING_U16) & (tiles[place] == keys) if tiles.size else np.zeros(codes.size, dtype=np.bool_)
    out[found] = shown[place[found]]
    return out


def limits_of(
    crowd: Crowd,
    codes: NDArray[np.uint16],
    tile: tuple[float, float],
    weight: float,
    behind: float = 1,
    *,
    levels: Levels | None = None,
) -> tuple[float, float] | None:
    """Return the codes of the limits of the colors, which contain the numbers that most points show.

    The upper limit ignores points with the lowest number, since most cells may have it, such as 0 for a gene. None if
    no point has a higher number.

    codes : uint16 (n,), numbers of the crowd
    tile : see `Crowd.tile`
    weight, behind : as in `shared_codes`
    levels : levels of the codes; None = even codes
    """
    exact = _level_of(tile)
    level = int(np.floor(exact))
    below, above = (
        ends_of(
            _known(
                shared_codes(
                    crowd.xy, codes, (crowd.xy, codes), stepped(tile, one), weight, behind=behind, levels=levels
                )
            )
        )
        for one in (level, level + 1)
    )
    low, high = (end + (exact - level) * (far - end) for end, far in zip(below, above, strict=True))
    return (low, high) if low < high else None


def _known(codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
    known: NDArray[np.uint16] = codes[codes != MISSING_U16]
    return known


def ends_of(numbers: NDArray[Any]) -> tuple[float, float]:
    """Return the 0.5 % quantile of all numbers, and the 99.5 % quantile of those above the lowest number."""
    known = np.sort(numbers).astype(np.float64)
    if not known.size:
        return 0.0, 0.0
    rest = known[known > known[0]]
    low, high = (
        float(some[int(share * (some.size - 1))]) if some.size else float(known[0])
        for some, share in ((known, _ENDS[0]), (rest, _ENDS[1]))
    )
    return low, high


def statistic_of(weight: float, behind: float) -> str:
    """Return a short description of the number that a shared pixel shows; "" if each cell shows its own number."""
    if weight == 0:
        return "mean per pixel"
    if weight < 1:
        return "mean to maximum per pixel"
    return "maximum per pixel" if behind > 1 else ""


@dataclass(frozen=True)
class Crowding:
    """Crowding of a picture of numbers.

    solidity : see `solidity_of`
    weight : weight of the maximum of a pixel, see `weight_of`
    behind : see `behind_of`
    tile : sides, in codes, of the area whose cells share a pixel
    limits : codes of the limits of the colors; None = all values
    """

    solidity: float
    weight: float
    behind: float
    tile: tuple[float, float]
    limits: tuple[float, float] | None


class Look(NamedTuple):
    """View of a picture: its sides in codes and in px, and the diameter of a point in px."""

    sides: tuple[float, float]
    size: tuple[float, float]
    diameter: float


def crowding_of(
    crowd: Crowd,
    basis: NDArray[np.uint16] | None,
    look: Look,
    rule: tuple[str, int],
    limits_at: Look,
    *,
    levels: Levels | None = None,
) -> Crowding:
    """Return the crowding of a view.

    basis : uint16 (k,), numbers of the crowd; None = no numbers
    rule : the statistic, and `few`, the number of cells of an uncrowded view
    limits_at : the view whose numbers determine the limits; if it does not change, neither do the limits
    levels : see `shared_codes`
    """
    found = _crowded(crowd, look, rule)
    if crowd.n_cells <= rule[1] or basis is None:
        return found
    far = found if limits_at == look else _crowded(crowd, limits_at, rule)
    return replace(found, limits=limits_of(crowd, basis, crowd.tile(far.tile), far.weight, far.behind, levels=levels))


def _crowded(crowd: Crowd, look: Look, rule: tuple[str, int]) -> Crowding:
    (sides, size, diameter), (statistic, few) = look, rule
    n_inside = 0.0 if crowd.n_cells <= few else crowd.typical(sides)
    side = _COVER * max(min(diameter, crowded_size(n_inside, size)), 1.0)
    tile = side * sides[0] / size[0], side * sides[1] / size[1]
    weight, behind = weight_of(statistic, n_inside, few), behind_of(n_inside, few)
    return Crowding(solidity_of(n_inside, few), weight, behind, tile, None)


def _level_of(tile: tuple[float, float]) -> float:
    return float(2 * np.log2(tile[0]))


def _keys(xy: NDArray[np.uint16], tile: tuple[float, float]) -> NDArray[np.int64]:
    across, down = (np.floor(xy[:, axis] * (1 / side)).astype(np.int64) for axis, side in enumerate(tile))
    # A key has fewer than 34 bits; bit 34 marks selected points.
    keys: NDArray[np.int64] = across << 17 | down
    return keys


def _selected(flags: NDArray[np.uint8]) -> NDArray[np.int64]:
    return (flags & 1).astype(np.int64) * _SELECTED
