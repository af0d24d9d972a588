"""Tissue images next to a matrix of Space Ranger: PNG files with scale factors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.sections import Library, Sections, sections_of
from cxg_widget.datasets.tenx.files import RunFiles
from cxg_widget.errors import DamagedStore


def find_sections(files: RunFiles, title: str, note: Callable[[str], None]) -> Sections:
    """Return the images of a run without reading their pixels; a note reports each image that cannot be shown."""
    from PIL import Image

    images: dict[str, tuple[tuple[int, ...], str]] = {}
    for resolution, path in files.images.items():
        try:
            with Image.open(path) as image:
                images[resolution] = ((image.height, image.width, 3), "u")
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            note(f"the image {path.name} is left out: it cannot be read ({error}).")
    found = sections_of([Library(title, images, _factors(files.scalefactors, note))]) if images else Sections()
    for sentence in found.faults.values():
        note(sentence)
    return found


def _factors(path: Path | None, note: Callable[[str], None]) -> Mapping[str, float]:
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError) as error:
        note(f"scalefactors_json.json is left out: it cannot be read ({error}).")
        return {}
    numbers = found.items() if isinstance(found, dict) else ()
    return {key: float(one) for key, one in numbers if isinstance(one, int | float) and not isinstance(one, bool)}


def read_image(path: Path, uri: str, meter: Meter) -> NDArray[np.uint8]:
    """Return the pixels of an image, uint8 (height, width, 3)."""
    from PIL import Image

    try:
        meter.add(path.stat().st_size)
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise DamagedStore(f"{uri}: the image {path.name} cannot be read ({error}).") from error
