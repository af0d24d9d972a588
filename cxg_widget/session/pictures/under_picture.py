"""The image of the section beneath the cells on pictures that the kernel draws, and a scale bar."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.color.paper import Paper
from cxg_widget.display.tissue import has_section
from cxg_widget.draw.overlays.scale_bar import lay_out_scale_bar
from cxg_widget.draw.parts import Parts, over
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.streams.tissue import part_for
from cxg_widget.spatial.view import View


def shows_tissue(held: Holder) -> bool:
    """Say whether an image of the section lies under the cells."""
    return held.settings.tissue is not None and has_section(held.dataset, held.settings)


def on_paper(points: NDArray[np.uint8], held: Holder, seen: View, paper: Paper) -> NDArray[np.uint8]:
    """Return points, uint8 (height, width, 4) without a ground, on their paper and the image of the section, if any.

    An image that cannot be read is left out, as the page has said of it already.

    Parameters
    ----------
    seen : x left, x right, y bottom, y top, data units
    """
    height, width = points.shape[:2]
    page = np.empty_like(points)
    page[:] = (*paper.ground, 0 if paper.is_clear else 255)
    if shows_tissue(held):
        with suppress(CxgWidgetError):
            page = over(page, _layer(held, seen, (width, height)))
    return over(page, points)


def scale_bar_of(held: Holder, seen: View, size: tuple[float, float], paper: Paper) -> Parts:
    """Return the scale bar of a plot of so many px, where an image of the section lies under the cells."""
    image = held.dataset.sections().images.get(str(held.settings.tissue)) if shows_tissue(held) else None
    um = None if image is None else image.um
    return Parts() if um is None else lay_out_scale_bar(um * abs(seen[1] - seen[0]) / size[0], size, paper)


def _layer(held: Holder, seen: View, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return what of the image lies at each px, with its opacity, (height, width, 4)."""
    settings, dataset = held.settings, held.dataset
    name = str(settings.tissue)
    image = dataset.find_image(name)
    part = part_for(image, seen, size)
    pixels = dataset.section_image(name, part.lines, part.columns, part.step)
    left, right, bottom, top = seen
    ends = ((left, right, part.columns, pixels.shape[1]), (top, bottom, part.lines, pixels.shape[0]))
    found = np.zeros((size[1], size[0], 4))
    if pixels.size == 0:
        return found
    places = []
    for (first, last, (start, _), n), px in zip(ends, size, strict=True):
        at = first + (np.arange(px) + 0.5) * (last - first) / px
        place = np.floor((at * image.scale + 0.5 - start) / part.step).astype(np.int64)
        places.append((np.clip(place, 0, n - 1), (place >= 0) & (place < n)))
    (columns, is_along), (lines, is_down) = places
    found[..., :3] = pixels[lines[:, None], columns[None, :]]
    found[..., 3] = 255 * settings.tissue_opacity * (is_down[:, None] & is_along[None, :])
    return found
