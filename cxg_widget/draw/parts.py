"""Parts of a page that are not pictures: filled boxes, color bars and texts, drawn as pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGBA
from cxg_widget.draw.lettering import DrawnText, write

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, px from the top left of the layout."""


@dataclass(frozen=True)
class Parts:
    """Shapes in draw order, in px of the layout.

    fills : boxes with their color
    bars : boxes with their colors from left to right, uint8 (k, 3)
    """

    fills: tuple[tuple[Box, RGBA], ...] = ()
    bars: tuple[tuple[Box, NDArray[np.uint8]], ...] = ()
    texts: tuple[DrawnText, ...] = ()

    def __add__(self, other: Parts) -> Parts:
        return Parts(self.fills + other.fills, self.bars + other.bars, self.texts + other.texts)

    def moved(self, dx: float, dy: float) -> Parts:
        """Return them shifted by some px."""
        return Parts(
            tuple((_moved(box, dx, dy), color) for box, color in self.fills),
            tuple((_moved(box, dx, dy), colors) for box, colors in self.bars),
            tuple(replace(one, x=one.x + dx, y=one.y + dy) for one in self.texts),
        )


def _moved(box: Box, dx: float, dy: float) -> Box:
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def draw_parts(image: NDArray[np.uint8], parts: Parts, paper: Paper, scale: float = 1.0) -> NDArray[np.uint8]:
    """Draw parts on an image, uint8 (height, width, 4); scale: px per px of the layout."""
    if not (parts.fills or parts.bars or parts.texts):
        return image
    page = image.copy()
    for box, color in parts.fills:
        place = within(box, scale)
        page[place] = over(page[place], np.array(color))
    for box, colors in parts.bars:
        place = within(box, scale)
        n = page[place].shape[1]
        page[place] = np.insert(colors[np.linspace(0, len(colors) - 1, n).round().astype(int)], 3, 255, axis=1)
    return write(page, parts.texts, (paper.ink, paper.quiet), scale=scale, halo=paper.ground)


def within(box: Box, scale: float) -> tuple[slice, slice]:
    """Return the lines and columns of a box."""
    x0, y0, x1, y1 = (max(round(edge * scale), 0) for edge in box)
    return slice(y0, y1), slice(x0, x1)


_LINES = 256
"""Lines per step: temporary arrays take twenty times the memory of the pixels."""


def over(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    """Composite an image or a color over an image; red, green, blue and opacity from 0 to 255."""
    found, upper = np.empty_like(image), np.broadcast_to(above, image.shape)
    for first in range(0, len(image), _LINES):
        part = slice(first, first + _LINES)
        found[part] = _mixed(image[part], upper[part])
    return found


def _mixed(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    """Mix only pixels that are partly transparent: most are opaque or empty."""
    alpha = above[..., 3]
    found = image.copy()
    # Viewing the four channels as one uint32 takes one step per pixel.
    found.view(np.uint32)[found[..., 3] == 0] = 0
    solid = alpha == 255
    found[solid] = above[solid]
    pale = (alpha > 0) & ~solid
    found[pale] = _mixed_all(image[pale], above[pale])
    return found


def _mixed_all(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    share, alpha = above[..., 3:] / 255, image[..., 3:] / 255
    covered = share + alpha * (1 - share)
    mixed = (above[..., :3] * share + image[..., :3] * alpha * (1 - share)) / np.maximum(covered, 1 / 255)
    found = np.concatenate([mixed, 255 * np.broadcast_to(covered, (*mixed.shape[:-1], 1))], axis=-1)
    return np.asarray(np.rint(np.clip(found, 0, 255)), dtype=np.uint8)
