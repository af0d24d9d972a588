"""Tables of color and height by code, as in js/src/draw/cpu/inks.js."""
# Changes with js/src/draw/cpu/inks.js and js/src/draw/gl/shaders.js: which point lies on top, in which color.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import stops_of
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import hex_rgb, ramp
from cxg_widget.color.scale import scale_of
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.protocol import MISSING_LABEL, MISSING_U16

EDGE, LEFT_OUT, LOWEST = 1, 2, 3
"""Heights above that of empty pixels, 0: soft edges, filtered-out points, and the lowest of the other points."""
N_CODES = MISSING_U16 + 1
_DIMMED_SPAN = MISSING_U16 + 3


@dataclass(frozen=True)
class Inks:
    """Color and height by code: entries of normal points, then of dimmed points, then one of filtered-out points.

    rgba : uint8 (2 * N_CODES + 1, 4), opaque; alpha 0 = not drawn
    height : uint32 (2 * N_CODES + 1,); higher points lie on top
    is_layered : whether heights take precedence over draw order
    """

    rgba: NDArray[np.uint8]
    height: NDArray[np.uint32]
    is_layered: bool


def inks_of(
    coloring: Coloring,
    settings: Settings,
    colors: list[str],
    paper: Paper,
    *,
    limits: tuple[float, float] | None,
    is_ranked: bool,
    is_selecting: bool,
    draws_all: bool,
) -> Inks:
    """Return the inks of a coloring.

    colors : "#rrggbb" of each category, on a light page
    limits : codes of the ends of the colormap if the settings have no limits; None = all numbers
    is_ranked : whether higher codes lie above lower ones
    is_selecting : whether there is a selection, so that other points are dimmed
    draws_all : whether filtered-out points are drawn
    """
    pure, is_grey = _colors_of_codes(coloring, settings, colors, paper, limits), np.zeros(N_CODES, dtype=np.bool_)
    if coloring.scale == "continuous":
        is_grey[:MISSING_U16] = settings.greyed(coloring.numbers.levels.table[:MISSING_U16])
    height = np.full(N_CODES, 2, dtype=np.uint32)
    if is_ranked:
        height += np.arange(N_CODES, dtype=np.uint32)
    height[is_grey] = 1
    if coloring.scale != "none":
        height[MISSING_U16] = 0
    height += LOWEST
    left_out = np.array([*paper.left_out, 255 if draws_all else 0], dtype=np.uint8)
    dimmed = np.column_stack([paper.dim(pure[:, :3]), pure[:, 3]]) if is_selecting else np.zeros_like(pure)
    is_hidden = pure[:, 3] == 0
    for table in (pure, dimmed):
        table[is_hidden] = left_out
    # Every selected point lies above every dimmed point, whatever their numbers.
    heights = np.concatenate([height + _DIMMED_SPAN, height, [LEFT_OUT]])
    heights[: 2 * N_CODES][np.tile(is_hidden, 2)] = LEFT_OUT
    has_missing = coloring.scale != "none" and coloring.counts()[1] > 0
    layered = is_ranked or bool(is_grey.any()) or is_selecting or draws_all or has_missing
    return Inks(np.vstack([pure, dimmed, left_out]), heights.astype(np.uint32), layered)


def _colors_of_codes(
    coloring: Coloring, settings: Settings, colors: list[str], paper: Paper, limits: tuple[float, float] | None
) -> NDArray[np.uint8]:
    """Return the color of each code, uint8 (N_CODES, 4); alpha 0 = hidden or unused."""
    table = np.zeros((N_CODES, 4), dtype=np.uint8)
    if coloring.scale == "none":
        table[:] = (*paper.plain, 255)
        return table
    if coloring.scale == "categorical":
        on_paper = coloring.colors_on(dark=paper.is_dark) if isinstance(coloring, BlendColoring) else colors
        inks = [(*hex_rgb(color), 255) for color in on_paper]
        table[: len(on_paper)] = np.array(inks, np.uint8).reshape(-1, 4)  # empty if there are no labels yet
        shown = coloring.visible_categories(settings.hidden)
        if shown is not None:
            table[: shown.size - 1, 3][~shown[:-1]] = 0
    else:
        table[:MISSING_U16, :3] = number_colors(coloring.numbers, settings, paper, limits)
        table[:, 3] = 255
    is_hidden = coloring.scale == "categorical" and MISSING_LABEL in settings.hidden
    table[MISSING_U16] = (*paper.missing, 0 if is_hidden else 255)
    return table


def number_colors(
    numbers: Numbers, settings: Settings, paper: Paper, limits: tuple[float, float] | None
) -> NDArray[np.uint8]:
    """Return the color of each code of a column of numbers, uint8 (65535, 3)."""
    suiting = None if limits is None else numbers.levels.ends_at(limits)
    values = numbers.levels.table[:MISSING_U16]
    places = scale_of(settings.color_rule, numbers.measures, suiting).places(values)
    steps = ramp(stops_of(settings.cmap, dark=paper.is_dark))
    found = steps[np.floor(np.nan_to_num(places) * 255 + 0.5).astype(np.int64)]
    found[settings.greyed(values)] = paper.zero
    return found
