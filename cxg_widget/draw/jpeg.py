"""A picture as a JPEG file; it imports Pillow at first use."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray

# A photograph takes a tenth of the bytes of a PNG; data of cells never travel so (decision 51).
_QUALITY = 88


def encode_jpeg(image: NDArray[np.uint8]) -> bytes:
    """Return an image, uint8 (height, width, 3), as a file, its colours as fine as its lightness."""
    from PIL import Image

    file = BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=_QUALITY, subsampling=0)
    return file.getvalue()
