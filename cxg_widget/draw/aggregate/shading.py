"""From planes to pixels: categories and counts as colors, numbers as codes that the front-end colors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.rgb import DIMMED, LEFT_OUT_LIGHT, MISSING_LIGHT, PLAIN_LIGHT, RGB
from cxg_widget.draw.aggregate.leaning import leaning_means
from cxg_widget.draw.aggregate.opacity import MIN_ALPHA, opacity
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.task import over_lines
from cxg_widget.draw.image_files import blank_lines
from cxg_widget.errors import InvalidValue
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import LEFT_OUT_ALPHA, MISSING_U16, Density

SELECTED_ALPHA = 200
"""Opacity of a pixel with the fewest selected cells, to be found among a million others."""
CONTEXT_ALPHA = 28
"""The same for a cell outside of the selection: nearly as visible alone as a dimmed point, 41."""


class NumberImage(NamedTuple):
    """A number for each pixel, before a colormap, as lines of a picture without transparency.

    With an alpha channel browsers would multiply the numbers by it.

    lines, page : from `blank_lines`; red and green are high and low byte of the code, blue is the opacity
    """

    lines: NDArray[np.uint8]
    page: NDArray[np.uint8]

    @property
    def codes(self) -> NDArray[np.uint16]:
        """uint16 (h, w) by the levels of the column; 65535 without a value."""
        high, low = self.page[..., 0].astype(np.uint16), self.page[..., 1]
        return (high << np.uint16(8)) | low

    @property
    def alpha(self) -> NDArray[np.uint8]:
        """uint8 (h, w), opacity; 0 without cells, and equal in all pixels of a layer.

        `LEFT_OUT_ALPHA` where there are only filtered-out cells.
        """
        return self.page[..., 2]


def shade(
    planes: Planes,
    how: Density = "eq_hist",
    *,
    missing: RGB = MISSING_LIGHT,
    plain: RGB = PLAIN_LIGHT,
    solid: tuple[float, float] = (0.0, 1.0),
    left_out: NDArray[np.bool_] | None = None,
    grey: RGB = LEFT_OUT_LIGHT,
) -> NDArray[np.uint8]:
    """Color planes of categories, mixed by share, or of counts, plain: uint8 (h, w, 4), straight alpha.

    A pixel with any categorized cell shows no gray, as missing points are below others. With a selection, the selected
    cells are on top of the others, which are nearly transparent. Filtered-out cells are opaque and below all others.
    They are visible next to dimmed cells, but not through them, since dimmed cells have the page as background.

    planes : of a category column or of no column
    how : from the number of cells to opacity, see `opacity`
    missing, plain : color of missing cells; color of cells without a coloring
    solid : weight of the look of overlapping points, 0 to 1, and the opacity of one point: a pixel is as opaque as that
        many points on top of each other
    left_out : bool (h, w), pixels with filtered-out cells; None = not drawn
    grey : their color
    """
    from cxg_widget.draw.aggregate import pixels

    if planes.totals.shape[-1] not in (1, 4) or planes.peak is not None:
        raise InvalidValue("planes of numbers have no colors yet; take number_image(planes)")
    width, height = planes.size
    image = np.empty((height, width, 4), dtype=np.uint8)
    colors = np.array([plain, missing], dtype=np.float64)
    missing_cells, alpha = _or_empty(planes.missing, np.uint32), _alpha(planes, how, solid)
    over_lines(
        height, lambda first, last: pixels.paint(first, last, planes.totals, missing_cells, alpha, colors, image)
    )
    if left_out is not None:
        ground, is_blended = np.array(grey, dtype=np.float64), alpha.shape[0] == 1
        over_lines(height, lambda first, last: pixels.ground(first, last, left_out, ground, is_blended, image))
    return image


def number_image(
    planes: Planes,
    weight: float = 0.0,
    left_out: NDArray[np.bool_] | None = None,
    *,
    levels: Levels | None = None,
    behind: float = 1,
    spread: int = 1,
) -> NumberImage:
    """Return the number of each pixel; selected cells take precedence.

    Density is not shown: with a color ramp, paleness would look like another value.

    weight : if the planes have both, 0 = the mean of a pixel's cells, 1 = the maximum, and between them a value between
    left_out : as in `shade`
    levels : of the codes; only pixels with the value 0 have its code. None = no code is that of 0
    behind, spread : as in `leaning_means`
    """
    from cxg_widget.draw.aggregate import pixels

    if planes.totals.shape[-1] != 2 and planes.peak is None:
        raise InvalidValue("these planes hold no numbers; take shade(planes)")
    width, height = planes.size
    image = NumberImage(*blank_lines(height, width, 3))
    missing, peak = _or_empty(planes.missing, np.uint32), _or_empty(planes.peak, np.uint16)
    alpha = np.array([255] if planes.totals.shape[0] == 1 else [round(255 * DIMMED), 255], dtype=np.uint8)
    # Uneven codes have no mean: their numbers were summed, and become codes here (decision 68).
    if levels is not None and planes.totals.dtype == np.float64:
        planes = replace(planes, totals=_as_codes(planes, levels))
    zero = -1 if levels is None else levels.zero
    share, has_means = float(weight), planes.totals.shape[-1] == 2 and weight < 1
    means = leaning_means(planes, behind, spread=spread) if has_means and behind > 1 else np.zeros((0, 0, 0))

    def write(first: int, last: int) -> None:
        pixels.number(first, last, planes.totals, missing, peak, means, share, alpha, (MISSING_U16, zero), image.page)

    over_lines(height, write)
    return _marked(image, left_out)


def pixel_image(
    numbers: NDArray[np.float64],
    cells: NDArray[np.uint32],
    levels: Levels,
    left_out: NDArray[np.bool_] | None = None,
) -> NumberImage:
    """Return numbers of pixels as codes; selected cells take precedence, as in `number_image`.

    numbers, cells : (layers, h, w), as from `PixelNumbers.finished`
    left_out : as in `shade`
    """
    image = NumberImage(*blank_lines(numbers.shape[1], numbers.shape[2], 3))
    codes, alpha = levels.encode(numbers[0]), np.where(cells[0] > 0, 255, 0)
    if len(cells) > 1:
        above = cells[1] > 0
        codes = np.where(above, levels.encode(numbers[1]), codes)
        alpha = np.where(above, 255, np.where(cells[0] > 0, round(255 * DIMMED), 0))
    image.page[..., 0], image.page[..., 1], image.page[..., 2] = codes >> 8, codes & 255, alpha
    return _marked(image, left_out)


def _as_codes(planes: Planes, levels: Levels) -> NDArray[np.uint64]:
    """Return sums of numbers as sums of codes, where each pixel has the code of its mean."""
    sums, cells = planes.totals[..., 0], planes.totals[..., 1]
    means = np.divide(sums, cells, out=np.zeros_like(sums), where=cells > 0)
    return np.stack([np.rint(levels.shown_at(means)) * cells, cells], axis=-1).astype(np.uint64)


def _marked(image: NumberImage, left_out: NDArray[np.bool_] | None) -> NumberImage:
    if left_out is not None:
        image.page[left_out & (image.alpha == 0)] = MISSING_U16 >> 8, MISSING_U16 & 255, LEFT_OUT_ALPHA
    return image


def _alpha(planes: Planes, how: Density, solid: tuple[float, float]) -> NDArray[np.uint8]:
    """Return the opacity of each layer (layers, h, w): of all cells, or of context and selection."""
    key = ("alpha", how, solid)
    # Opacity depends only on the counts, so planes that share counts share it.
    if key not in planes.derived:
        planes.derived[key] = _new_alpha(planes.counts, how, solid)
    alpha: NDArray[np.uint8] = planes.derived[key]
    return alpha


def _new_alpha(counts: NDArray[Any], how: Density, solid: tuple[float, float]) -> NDArray[np.uint8]:
    def alpha(layer: int, lowest: int, highest: int) -> NDArray[np.uint8]:
        return opacity(counts[layer], how, lowest=lowest, highest=highest, solid=solid)

    if counts.shape[0] == 1:
        return alpha(0, MIN_ALPHA, 255)[None]
    return np.stack([alpha(0, CONTEXT_ALPHA, round(255 * DIMMED)), alpha(1, SELECTED_ALPHA, 255)])


def _or_empty(plane: NDArray[Any] | None, dtype: type[np.generic]) -> NDArray[Any]:
    return np.zeros((0, 0, 0), dtype=dtype) if plane is None else plane
