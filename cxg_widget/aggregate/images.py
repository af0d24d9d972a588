"""Images of a view as PNG files for the wire."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget import raster


def encode_rgba(image: NDArray[np.uint8]) -> bytes:
    """Encode uint8 (h, w, 4), straight alpha, as a PNG file."""
    return raster.png(image)


def encode_values(codes: NDArray[np.uint16], alpha: NDArray[np.uint8]) -> bytes:
    """Encode a `NumberImage` as a PNG file without transparency, whose channels are no colours.

    Red and green hold the high and the low byte of the code, blue the opacity: an alpha channel would make browsers
    multiply the codes by it.
    """
    height, width = codes.shape
    lines, page = raster.blank(height, width, 3)
    low_byte_first = codes.astype("<u2", copy=False).view(np.uint8).reshape(height, width, 2)
    page[..., 0], page[..., 1], page[..., 2] = low_byte_first[..., 1], low_byte_first[..., 0], alpha
    return raster.png_of(lines, 3)
