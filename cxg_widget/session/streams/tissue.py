"""Tissue images: small ones as a whole, of large ones the part around a view, at the resolution of the screen."""
# Changes with js/src/panels/overlays/tissue.js: parts of the image of a section.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from cxg_widget.datasets import Dataset
from cxg_widget.datasets.base.sections import MOST_STEP, SectionImage
from cxg_widget.draw.image_files import encode_jpeg
from cxg_widget.session.exchange import Newest
from cxg_widget.spatial.view import View
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, cut_file
from cxg_widget.wire.parsing import check_size, check_view

MOST_PX = 2048
"""Longer side of an image that is sent as a whole, so that panning needs no more requests."""
_AROUND = 0.25
"""Margin on each side of the view of a larger image, as a share of the view."""


@dataclass(frozen=True)
class Part:
    """A part of an image: lines and columns, start and stop, and the factor by which it is downsampled."""

    lines: tuple[int, int]
    columns: tuple[int, int]
    step: int


def part_for(image: SectionImage, view: View, size: tuple[int, int]) -> Part:
    """Return the part for a view of some px, downsampled to the screen by a power of two."""
    (left, right), (low, high) = sorted(view[:2]), sorted(view[2:])
    finest = max((right - left) / size[0], (high - low) / size[1]) * image.scale
    longest = max(image.shape)
    # Memory for one downsampled px grows with the factor, since it is read at once.
    step = 2 ** int(np.clip(np.floor(np.log2(max(finest, 1.0))), 0, np.log2(MOST_STEP)))
    if longest <= MOST_PX * step:
        return Part((0, image.shape[0]), (0, image.shape[1]), step)
    lines, columns = (
        _span((image.px_at(start - around, axis), image.px_at(stop + around, axis)), n, step)
        for start, stop, n, axis in ((low, high, image.shape[0], 1), (left, right, image.shape[1], 0))
        for around in [_AROUND * (stop - start)]
    )
    return Part(lines, columns, step)


def _span(ends: tuple[float, float], n: int, step: int) -> tuple[int, int]:
    low, high = (float(np.clip(end, 0, n)) for end in ends)
    first = int(low) // step * step
    return first, min(-(-int(np.ceil(high)) // step) * step, n)


class TissueParts:
    """Answers `sections` and `tissue`; the newest request ends the read for the one before."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._newest = Newest("another part of the image was requested.")

    def frame(self, request: p.AskSections | p.AskTissue) -> Frame:
        """Return the list of images, or the part of one that a view needs.

        Raises `Overtaken` if another part is requested meanwhile, `CxgWidgetError` if there is no such image, or it
        cannot be read.
        """
        if isinstance(request, p.AskSections):
            return Frame(p.SectionList(list(self._dataset.sections().images)))
        check_view(request.view)
        check_size(request.width, request.height)
        check = self._newest.begin()
        image = self._dataset.find_image(request.name)
        x0, x1, y0, y1 = request.view
        part = part_for(image, (x0, x1, y0, y1), (request.width, request.height))
        pixels = self._dataset.section_image(request.name, part.lines, part.columns, part.step, check)
        if pixels.size == 0:  # the view is outside the image
            pixels, part = np.full((1, 1, 3), 255, dtype=np.uint8), Part((0, 0), (0, 0), part.step)
        # The last px may cover fewer px of the image; it is drawn as large as the others.
        ends = (
            (start, start + n * part.step)
            for (start, _), n in zip((part.lines, part.columns), pixels.shape, strict=False)
        )
        message = p.Tissue(
            request.name, list(image.extent_of(*ends)), list(image.extent), part.step,
            image.um or 0.0, image.spot or 0.0, [edge for corner in image.outline for edge in corner],
        )  # fmt: skip
        return Frame(message, {"jpeg": np.frombuffer(encode_jpeg(pixels), dtype=np.uint8)})

    def frames(self, request: p.AskTissue) -> Iterator[Frame]:
        """Yield what of an image a view needs, its file in parts; raises as `frame`."""
        whole = self.frame(request)
        parts = cut_file(whole.arrays["jpeg"])
        for at, part in enumerate(parts):
            yield Frame(p.Tissue(**(asdict(whole.message) | {"part": at, "parts": len(parts)})), {"jpeg": part})

    def cancel(self) -> None:
        """End the current read."""
        self._newest.end()
