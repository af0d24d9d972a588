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
    image = np.empty((*codes.shape, 3), dtype=np.uint8)
    image[..., 0] = codes >> 8
    image[..., 1] = codes & 0xFF
    image[..., 2] = alpha
    return raster.png(image)
