"""Draws the present view in the kernel, with the front-end's colours and draw order."""
# Changes with js/src/style/style.js: the size of points.

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap import stops_of
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import dim, hex_rgb, ramp
from cxg_widget.color.scale import scale_of
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring, NumberColoring
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import describe_statistic
from cxg_widget.draw.points.crowding import Shared
from cxg_widget.draw.points.pixel_scale import PixelScale
from cxg_widget.draw.points.stills import Ink, draw_points
from cxg_widget.spatial.view import View
from cxg_widget.wire.encoding import Numbers, wire_values
from cxg_widget.wire.quantise import LEVELS

_LEFT_OUT, _UNSELECTED, _MISSING, _ZERO, _VALUES = 0, 1, 2, 3, 4


@dataclass(frozen=True)
class Paint:
    """All that a picture shows: n points in the order they are drawn, where they are (n, 2), what colours them.

    Attributes
    ----------
    coloring : of the n points
    selected : bool (n,); None when no cell is selected, drawn or not
    n_like : how many points the whole picture would have that is as dense as this part of it
    shared : what numbers are shown where cells share pixels; None = of each cell its own
    diameter : px; None = what suits so many points
    left_out : bool (n,), points that the filters leave out, which lie beneath all others; None = none are drawn
    opacity : of a point, 0 to 1
    """

    xy: NDArray[np.float32]
    coloring: Coloring
    category_colors: list[str]
    settings: Settings
    selected: NDArray[np.bool_] | None
    n_like: int
    shared: Shared | None = None
    diameter: float | None = None
    left_out: NDArray[np.bool_] | None = None
    opacity: float = 1.0


def paint(job: Paint, view: View, size: tuple[int, int], *, zoom: float, paper: Paper) -> NDArray[np.uint8]:
    """Draw a picture, uint8 (height, width, 4); see `Session.drawn`. `zoom` is 1 where everything fits."""
    diameter = job.diameter or point_diameter(job.n_like, size, zoom)
    background = (*paper.ground, 0 if paper.is_clear else 255)
    ink = _ink(job, paper)
    return draw_points(job.xy, ink, view, size=size, diameter=diameter, background=background, opacity=job.opacity)


def pixels_as_points(
    numbers: NDArray[np.float64],
    cells: NDArray[np.uint32],
    view: View,
    job: Paint,
    left_out: NDArray[np.bool_] | None = None,
) -> Paint:
    """Return a job that draws numbers of pixels, (layers, h, w) as `PixelNumbers.finished` returns them, as points.

    job : says what colours them; the rest of it is dropped
    left_out : bool (h, w), pixels that hold cells which the filters leave out; None = none are drawn
    """
    height, width = numbers.shape[1:]
    layers, lines, columns = np.nonzero(cells)
    values: NDArray[Any] = numbers[layers, lines, columns]
    scale, n_missing = PixelScale.of(values), int(np.isnan(values).sum())
    is_left_out = None
    if left_out is not None:
        grey = np.nonzero(left_out)
        is_left_out = np.repeat([False, True], [values.size, grey[0].size])
        lines, columns = np.append(lines, grey[0]), np.append(columns, grey[1])
        layers = np.append(layers, np.zeros_like(grey[0]))
        values = np.append(values, np.full(grey[0].size, np.nan))
    x = view[0] + (columns + 0.5) * (view[1] - view[0]) / width
    y = view[3] + (lines + 0.5) * (view[2] - view[3]) / height
    data = replace(scale.data.holding(values), n_missing=n_missing, n_zero=-1, n_negative=0)  # pixels are no cells
    shown = Shared(wire_values(data), scale.limits, False, f"{describe_statistic(job.settings.statistic)} per pixel")
    coloring = NumberColoring(job.coloring.target, data)
    selected = layers > 0 if len(cells) > 1 else None
    drawn = replace(job, xy=np.column_stack([x, y]), coloring=coloring, selected=selected, shared=shown, diameter=1)
    return replace(drawn, left_out=is_left_out)


def point_diameter(n: int, size: tuple[float, float], zoom: float) -> float:
    """Choose the diameter of n points in px, as `automaticSize` in js/src/style/style.js does."""
    room = (size[0] * size[1] / 480_000) ** 0.25
    diameter = min(max(42 * max(n, 1) ** -0.25 * room, 1.0), 7.0)
    return float(min(diameter * max(zoom, 1.0) ** 0.35, 12.0))


def _ink(job: Paint, paper: Paper) -> Ink:
    coloring, missing, n = job.coloring, paper.missing, len(job.xy)
    if coloring.scale == "categorical":
        codes = coloring.codes.codes
        is_blend = isinstance(coloring, BlendColoring)
        colors = coloring.colors_on(dark=paper.is_dark) if isinstance(coloring, BlendColoring) else job.category_colors
        table = np.array([hex_rgb(color) for color in colors] + [missing], dtype=np.uint8)
        rgb, rank = table[codes], np.where(codes < 0, _MISSING, _VALUES + codes * is_blend)
    elif coloring.scale == "continuous":
        rgb, rank = _number_ink(job.settings, coloring.numbers, job.shared, paper)
    else:
        rgb = np.tile(np.array([paper.plain], dtype=np.uint8), (n, 1))
        rank = np.full(n, _VALUES)
    if job.selected is not None:
        out = ~job.selected
        rgb[out] = dim(rgb[out], paper.ground)
        rank[out] = _UNSELECTED
    if job.left_out is not None:
        rgb[job.left_out] = paper.left_out
        rank[job.left_out] = _LEFT_OUT
    return Ink(rgb, rank.astype(np.uint16))


def _number_ink(
    settings: Settings, data: Numbers, shared: Shared | None, paper: Paper
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    values, automatic = data.dense(), None
    if shared is not None:
        values = data.levels.decode(shared.codes)
        if shared.limits is not None:
            automatic = data.levels.ends_at(shared.limits)
    places = scale_of(settings.color_rule, data.measures, automatic).places(values)
    finite, greyed = np.isfinite(values), settings.greyed(values)
    stops = stops_of(settings.cmap, dark=paper.is_dark)
    table = np.vstack([ramp(stops), np.array([paper.missing, paper.zero], dtype=np.uint8)])
    at = np.where(finite, 0, 256)
    drawn = finite & ~greyed
    at[drawn] = np.rint(places[drawn] * 255).astype(np.int64)
    at[greyed] = 257
    # Halved, which leaves ranks free for points that lie under all numbers.
    rank = data.levels.encode(values).astype(np.int64) // 2 + _VALUES
    if shared is not None and not shared.is_ranked:
        rank[:] = _VALUES
    rank[greyed] = _ZERO
    return table[at], np.where(finite, np.minimum(rank, LEVELS), _MISSING)
