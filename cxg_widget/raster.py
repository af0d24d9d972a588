"""Draw points in the kernel: the picture that stands in for the widget in a notebook nobody has opened since."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RGB = tuple[int, int, int]
RGBA = tuple[int, int, int, int]
LIGHT: RGB = (255, 255, 255)
DARK: RGB = (17, 17, 17)
MISSING_LIGHT: RGB = (205, 205, 205)
MISSING_DARK: RGB = (72, 72, 72)
PLAIN_LIGHT: RGB = (70, 110, 160)
PLAIN_DARK: RGB = (120, 165, 215)
_GREYED_LIGHT, _GREYED_DARK = 0.07, 0.11
"""What is dimmed fades into a grey beside the page, or it could not be seen: this share of the way to the other end."""
_SEEN_IN_THE_DARK = 0.0612
"""Relative luminance from which a colour has a contrast of 2 with a dark page."""
_MARGIN = 0.04
DIMMED = 0.16
"""How much of its colour a cell outside the selection keeps; the rest is background."""


@dataclass(frozen=True)
class Ink:
    """How each point is painted.

    Attributes
    ----------
    rgb : uint8 (n, 3)
    rank : uint16 (n,); higher ranks lie on top, equal ranks in the order given
    """

    rgb: NDArray[np.uint8]
    rank: NDArray[np.uint16]


def draw(
    xy: NDArray[np.float32],
    ink: Ink,
    view: tuple[float, float, float, float],
    *,
    size: tuple[int, int],
    diameter: float,
    background: RGBA,
) -> NDArray[np.uint8]:
    """Paint points as discs.

    Parameters
    ----------
    xy : float32 (n, 2), data units; NaN and infinite points are left out
    view : x at the left, x at the right, y at the bottom, y at the top edge, data units
    size : width and height, px
    diameter : px
    background : RGBA

    Returns
    -------
    uint8 (height, width, 4)
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
    winner = np.full((height + 4 * margin) * stride, -1, dtype=np.int32)
    places = (start + 2 * margin)[:, None] + (dy * stride + dx).astype(np.int32)[None, :]
    winner[places.reshape(-1)] = np.repeat(rows.astype(np.int32), dx.size)
    inner = winner.reshape(-1, stride)[2 * margin : 2 * margin + height, 2 * margin : 2 * margin + width]
    colors = np.full((len(ink.rgb) + 1, 4), 255, dtype=np.uint8)
    colors[:-1, :3], colors[-1] = ink.rgb, background
    return colors.view(np.uint32)[:, 0][inner].view(np.uint8).reshape(height, width, 4)


def disc(diameter: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets in x and in y of the pixels of a disc, int64 (k,) each; at least one pixel."""
    side = max(1, round(diameter))
    offset = np.arange(side) - (side - 1) / 2
    x, y = np.meshgrid(offset, offset)
    inside = x * x + y * y <= (side / 2) ** 2 + 0.25
    shift = (side - 1) // 2
    grid_x, grid_y = np.meshgrid(np.arange(side) - shift, np.arange(side) - shift)
    return grid_x[inside], grid_y[inside]


def png(image: NDArray[np.uint8]) -> bytes:
    """Encode uint8 (height, width, 3 or 4), RGB or RGBA with straight alpha, as a PNG file; see decision 11.

    Source: W3C, "Portable Network Graphics (PNG) Specification", sections 5, 9 and 11.
    """
    lines, page = blank(*image.shape)
    page[:] = image
    return png_of(lines, page.shape[2])


def blank(height: int, width: int, channels: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the lines of a PNG file, not yet compressed, and the pixels (height, width, channels) to write there."""
    lines = np.empty((height, 1 + channels * width), dtype=np.uint8)
    lines[:, 0] = 0  # the filter of each line: none
    return lines, lines[:, 1:].reshape(height, width, channels)


def png_of(lines: NDArray[np.uint8], channels: int) -> bytes:
    """Encode what was written into the lines of `blank` as `png` does."""
    from isal import isal_zlib

    height, width = len(lines), (lines.shape[1] - 1) // channels
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", isal_zlib.compress(lines.data, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
        for kind, data in parts
    )


def dim(rgb: NDArray[np.uint8], background: RGB) -> NDArray[np.uint8]:
    """Mix colours toward a grey beside the background, as unselected cells are shown."""
    end, share = (255, _GREYED_DARK) if background == DARK else (0, _GREYED_LIGHT)
    grey = np.array(background) * (1 - share) + end * share
    mixed = rgb * DIMMED + grey * (1 - DIMMED)
    return np.rint(mixed).astype(np.uint8)


def seen_in_the_dark(stops: list[str]) -> list[str]:
    """Leave out those stops of a colormap that are too dark for a dark page; luminance as WCAG 2.2 has it."""
    channels = np.array([hex_rgb(stop) for stop in stops]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = linear @ (0.2126, 0.7152, 0.0722) >= _SEEN_IN_THE_DARK
    return [stop for stop, is_seen in zip(stops, seen, strict=True) if is_seen]


def ramp(stops: list[str]) -> NDArray[np.uint8]:
    """Turn evenly spaced "#rrggbb" stops into a table, uint8 (256, 3), linear between stops."""
    table = np.array([hex_rgb(stop) for stop in stops], dtype=np.float64)
    at = np.linspace(0, len(stops) - 1, 256)
    channels: list[Any] = [np.interp(at, np.arange(len(stops)), table[:, channel]) for channel in range(3)]
    return np.array(np.rint(np.column_stack(channels)), dtype=np.uint8)


def hex_rgb(color: str) -> RGB:
    """Return the channels of "#rrggbb"."""
    digits = color.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def fit_view(
    extent: tuple[float, float, float, float],
    size: tuple[int, int],
    *,
    y_down: bool = False,
    equal_units: bool = True,
) -> tuple[float, float, float, float]:
    """Return the view that holds an extent with a margin of 4 %, as `fit` in js/src/camera.js does.

    equal_units : whether as much on either axis takes as many px; else the extent fills the picture both ways
    """
    left, right, bottom, top = contain(extent, size, y_down=y_down, equal_units=equal_units)
    more_x, more_y = (right - left) * _MARGIN, (top - bottom) * _MARGIN
    return left - more_x, right + more_x, bottom - more_y, top + more_y


def contain(
    view: tuple[float, float, float, float],
    size: tuple[int, int],
    *,
    y_down: bool = False,
    equal_units: bool = True,
) -> tuple[float, float, float, float]:
    """Return what a picture of a size shows that is to show a view, as `contain` in js/src/camera.js does.

    view : x left, x right, y bottom, y top; how the y axis points does not depend on it
    """
    x0, x1, y0, y1 = view
    width, height = size
    unit_x, unit_y = abs(x1 - x0) / width, abs(y1 - y0) / height
    cx, cy = x0 / 2 + x1 / 2, y0 / 2 + y1 / 2
    if equal_units:
        unit_x = unit_y = max(unit_x, unit_y) or max(_speck(cx), _speck(cy)) / min(width, height)
    half_w, half_h = (unit_x or _speck(cx) / width) * width / 2, (unit_y or _speck(cy) / height) * height / 2
    bottom, top = (cy + half_h, cy - half_h) if y_down else (cy - half_h, cy + half_h)
    return cx - half_w, cx + half_w, bottom, top


def _speck(at: float) -> float:
    """Return how much of an axis to show about points at one place: 1, or what numbers there can tell apart."""
    return max(1.0, abs(at) * 2**-20)


def within(xy: NDArray[np.float32], view: tuple[float, float, float, float]) -> NDArray[np.bool_]:
    """Return which points (n, 2) lie in a view, bool (n,)."""
    (x0, x1), (y0, y1) = sorted(view[:2]), sorted(view[2:])
    return (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)


def zoom_of(seen: tuple[float, float, float, float], whole: tuple[float, float, float, float]) -> float:
    """Return how much larger things are in one view than in another; where the axes differ, their geometric mean."""
    x, y = ((whole[high] - whole[low]) / (seen[high] - seen[low]) for low, high in ((0, 1), (2, 3)))
    return math.sqrt(abs(x * y))
