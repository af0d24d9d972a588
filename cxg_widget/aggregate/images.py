"""Images of a view as PNG files for the wire."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget import raster
from cxg_widget.aggregate.shading import NumberImage


def encode_rgba(image: NDArray[np.uint8]) -> bytes:
    """Encode uint8 (h, w, 4), straight alpha, as a PNG file."""
    return raster.png(image)


def encode_values(image: NumberImage) -> bytes:
    """Encode a number for each pixel as a PNG file, whose channels are no colours."""
    return raster.png_of(image.lines, 3)
