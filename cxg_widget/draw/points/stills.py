"""Points drawn as discs in the kernel, for the picture that a notebook keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.rgb import RGBA
from cxg_widget.spatial.view import View


@dataclass(frozen=True)
class Ink:
    """Colour and opacity of each point.

    Attributes
    ----------
    rgb : uint8 (n, 3)
    rank : uint16 (n,); higher ranks lie on top, equal ranks in the order given
    """

    rgb: NDArray[np.uint8]
    rank: NDArray[np.uint16]


def draw_points(
    xy: NDArray[np.float32],
    ink: Ink,
    view: View,
    *,
    size: tuple[int, int],
    diameter: float,
    background: RGBA,
    opacity: float = 1.0,
) -> NDArray[np.uint8]:
    """Paint points as discs.

    Parameters
    ----------
    xy : float32 (n, 2), data units; NaN and infinite points are left out
    view : x at the left, x at the right, y at the bottom, y at the top edge, data units
    size : width and height, px
    diameter : px
    background : RGBA
    opacity : of a point, 0 to 1

    Returns
    -------
    uint8 (height, width, 4), straight alpha
    """
    width, height = size
    left, right, bottom, top = view
    with np.errstate(invalid="ignore", over="ignore"):
        px = (xy[:, 0].astype(np.float64) - left) * (width / (right - left))
        py = (top - xy[:, 1].astype(np.float64)) * (height / (top - bottom))
        margin = int(np.ceil(diameter / 2)) + 1
        shown = (px > -margin) & (px < width + margin) & (py > -margin) & (py < height + margin)
    rows = np.flatnonzero(shown)
    rows = rows[np.argsort(ink.rank[rows], kind="stable")]
    dx, dy = disc(diameter)
    stride = width + 4 * margin
    start = (np.floor(py[rows]).astype(np.int32) + 2 * margin) * stride + np.floor(px[rows]).astype(np.int32)
    places = ((start + 2 * margin)[:, None] + (dy * stride + dx).astype(np.int32)[None, :]).reshape(-1)
    inside = slice(2 * margin, 2 * margin + height), slice(2 * margin, 2 * margin + width)
    painted = np.repeat(rows.astype(np.int32), dx.size)
    if opacity < 1:
        page = _blended(places, ink.rgb[painted], (height + 4 * margin) * stride, opacity)
        return _over(page.reshape(-1, stride, 4)[inside], background)
    winner = np.full((height + 4 * margin) * stride, -1, dtype=np.int32)
    # Where a place stands several times NumPy keeps the last value, which is the one on top.
    winner[places] = painted
    inner = winner.reshape(-1, stride)[inside]
    colors = np.full((len(ink.rgb) + 1, 4), 255, dtype=np.uint8)
    colors[:-1, :3], colors[-1] = ink.rgb, background
    # Four channels as one element of 32 bits: one look-up a pixel.
    return colors.view(np.uint32)[:, 0][inner].view(np.uint8).reshape(height, width, 4)


def _blended(places: NDArray[np.int32], rgb: NDArray[np.uint8], n: int, opacity: float) -> NDArray[np.float64]:
    """Return what layers come to whose colours are mixed from below to above, float64 (n, 4), premultiplied, 0 to 255.

    places : int32 (k,), of each layer, the later above; rgb : uint8 (k, 3)
    """
    order = np.argsort(places, kind="stable")
    at = places[order]
    ends = np.append(np.flatnonzero(at[1:] != at[:-1]), at.size - 1) if at.size else np.empty(0, dtype=np.int64)
    above = np.repeat(ends, np.diff(ends, prepend=-1)) - np.arange(at.size)
    # Of a layer with so many above it; summed, that is what mixing one after the other gives.
    weights = opacity * (1 - opacity) ** above
    page = np.empty((n, 4))
    for channel in range(3):
        page[:, channel] = np.bincount(at, weights * rgb[order, channel], n)
    page[:, 3] = np.bincount(at, weights * 255, n)
    return page


def _over(page: NDArray[np.float64], background: RGBA) -> NDArray[np.uint8]:
    """Lay a premultiplied page over a background; straight alpha."""
    rest = (1 - page[..., 3:] / 255) * (background[3] / 255)
    alpha = page[..., 3:] + 255 * rest
    ground = np.array(background[:3], dtype=np.float64)
    rgb = (page[..., :3] + rest * ground) * 255 / np.maximum(alpha, 1e-9)
    found = np.concatenate([np.where(alpha > 0, rgb, ground), alpha], axis=-1)
    return np.asarray(np.minimum(np.floor(found + 0.5), 255), dtype=np.uint8)


def disc(diameter: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets in x and in y of the pixels of a disc, int64 (k,) each; at least one pixel."""
    side = max(1, round(diameter))
    offset = np.arange(side) - (side - 1) / 2
    x, y = np.meshgrid(offset, offset)
    inside = x * x + y * y <= (side / 2) ** 2 + 0.25
    shift = (side - 1) // 2
    grid_x, grid_y = np.meshgrid(np.arange(side) - shift, np.arange(side) - shift)
    return grid_x[inside], grid_y[inside]
