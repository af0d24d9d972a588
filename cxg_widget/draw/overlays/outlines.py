"""Draws closed lines with a halo, to be visible on any color."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.rgb import RGB

_FINER = 3
"""Supersampling factor; smaller if a px of the layout has several px."""
HALO_PX = 1.25
HALO_ALPHA = 191


@dataclass(frozen=True)
class Outline:
    """Rings of one line, float64 (n, 2) px from the top left; its color and width in px."""

    rings: list[NDArray[np.float64]]
    rgb: RGB
    width: float


def draw_outlines(
    image: NDArray[np.uint8], outlines: Iterable[Outline], ground: RGB, scale: float = 1.0
) -> NDArray[np.uint8]:
    """Draw lines on an image, uint8 (height, width, 4).

    ground : color of their halo
    scale : px per px of the lines
    """
    from PIL import Image, ImageDraw

    height, width = image.shape[:2]
    finer = max(round(_FINER / scale), 1)
    times = finer * scale
    layer = Image.new("RGBA", (width * finer, height * finer))
    pen = ImageDraw.Draw(layer)
    for outline in outlines:
        # One more corner after the last: Pillow rounds a joint only between two strokes.
        corners = [(np.concatenate([ring, ring[:2]]) * times).reshape(-1).tolist() for ring in outline.rings]
        inks = ((outline.width + 2 * HALO_PX, (*ground, HALO_ALPHA)), (outline.width, (*outline.rgb, 255)))
        for thick, ink in inks:
            for line in corners:
                pen.line(line, fill=ink, width=round(thick * times), joint="curve")
    return _over(_smaller(np.asarray(layer), finer), image)


def _smaller(layer: NDArray[np.uint8], finer: int) -> NDArray[np.float32]:
    """Return an image of the means of blocks of pixels, its colors multiplied by their opacity, 0 to 1."""
    height, width = layer.shape[0] // finer, layer.shape[1] // finer
    found = np.zeros((height, width, 4), dtype=np.float32)
    for line in range(finer):
        for column in range(finer):
            part = layer[line::finer, column::finer].astype(np.float32) / 255
            part[:, :, :3] *= part[:, :, 3:]
            found += part
    found /= finer**2
    return found


def _over(layer: NDArray[np.float32], image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    under = image.astype(np.float32) / 255
    under[:, :, :3] *= under[:, :, 3:]
    found = layer + under * (1 - layer[:, :, 3:])
    found[:, :, :3] /= np.maximum(found[:, :, 3:], 1 / 255)
    return np.where(layer[:, :, 3:] > 0, np.rint(found * 255).astype(np.uint8), image)
