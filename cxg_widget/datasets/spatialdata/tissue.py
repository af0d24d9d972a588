"""Tissue images of a SpatialData store, and each of their channels, in one coordinate system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.sections import MOST_PX, SectionImage, Sections
from cxg_widget.datasets.spatialdata.elements import Elements, quoted
from cxg_widget.datasets.spatialdata.picture import Limits, Picture
from cxg_widget.datasets.spatialdata.resampled import Resampled
from cxg_widget.datasets.spatialdata.transforms import plane_of, scale_of
from cxg_widget.errors import InvalidStore

_UM = {"micrometer": 1.0, "micron": 1.0, "um": 1.0, "µm": 1.0, "millimeter": 1e3, "nanometer": 1e-3}
"""Micrometers per unit."""


class Tissue:
    """Images of a SpatialData store in one coordinate system.

    Parameters
    ----------
    channels, limits : as for `Picture`
    note : receives a sentence about each image that is not drawn
    """

    def __init__(
        self, elements: Elements, system: str, channels: list[str] | None, limits: Limits, note: Callable[[str], None]
    ) -> None:
        self._elements, self._system, self._note = elements, system, note
        self._channels, self._limits = channels, limits
        self._drawn: dict[str, Picture | Resampled] = {}

    def read(self, name: str, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        """Return a part of a level of an image."""
        return self._drawn[name].read(factor, lines, columns)

    def sections(self, spot: float | None) -> Sections:
        """Return the images, then the single channels of images with several; pixels are read later.

        spot : diameter of a spot
        """
        um = _UM.get(self._elements.units.get(self._system, ""))
        whole, single, faults = {}, {}, {}
        elsewhere = []
        for name in self._elements.images:
            if self._system not in self._elements.systems[name]:
                elsewhere.append(name)
                faults[name] = f"the image {name!r} has no place in the coordinate system {self._system!r}."
                continue
            try:
                pictures = dict(self._pictures(name))
                found = {key: self._place(key, picture, spot, um) for key, picture in pictures.items()}
            except InvalidStore as error:
                faults[name] = f"the image {name!r} is not drawn in {self._system!r}: {error}."
                self._note(faults[name])
                continue
            whole[name] = found.pop(name)
            single.update(found)
        if elsewhere:
            many = f"{len(elsewhere)} images have" if len(elsewhere) > 1 else "an image has"
            self._note(f"{many} no place in the coordinate system {self._system!r}: {quoted(elsewhere)}.")
        return Sections(whole | single, faults, spot, um)

    def _pictures(self, name: str) -> Iterator[tuple[str, Picture]]:
        raster = self._elements.images[name]
        picture = Picture(raster, self._channels, self._limits)
        yield name, picture
        if raster.planes > 1:
            self._note(f"only the middle one of the {raster.planes} planes of {name!r} is drawn.")
        if len(raster.channels) > 1 and not picture.is_rgb:
            for channel in raster.channels:
                yield f"{name}/{channel}", Picture(raster, [channel], self._limits)

    def _place(self, name: str, picture: Picture, spot: float | None, um: float | None) -> SectionImage:
        """Return the position of a picture in the coordinate system; a rotated or sheared one is resampled.

        Raises
        ------
        InvalidStore
            If it would have too many pixels, or the transformation flattens it.
        """
        raster = picture.raster
        plane = plane_of(self._elements.systems[raster.name][self._system], raster.middle + 0.5)
        scale = scale_of(plane)
        if scale is None:
            resampled = Resampled(picture, plane)
            found, self._drawn[name] = resampled.section(spot, um), resampled
        else:
            x, y = plane @ [0.5, 0.5, 1.0]
            levels = tuple(sorted(raster.levels))
            found = SectionImage(raster.shape, 1 / scale, spot, um, (float(x), float(y)), levels)
            self._drawn[name] = picture
        if np.prod(found.shape, dtype=np.float64) > MOST_PX:
            raise InvalidStore(f"it would have {found.shape[0]:,} x {found.shape[1]:,} px, more than {MOST_PX:,}")
        return found
