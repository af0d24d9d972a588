"""Resamples an image that is rotated, mirrored, sheared or stretched in a coordinate system."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.sections import SectionImage
from cxg_widget.datasets.spatialdata.picture import Picture
from cxg_widget.datasets.spatialdata.transforms import Matrix
from cxg_widget.errors import InvalidStore

_FLAT = 1e-9
"""Largest ratio of the shortest to the longest stretch at which a transformation flattens an image to a line."""


class Resampled:
    """A picture resampled to a grid of the coordinate system, at the finest resolution that its px have there.

    Parameters
    ----------
    plane : (2, 3), from px edges of the picture to the coordinate system

    Raises
    ------
    InvalidStore
        If the transformation flattens the picture to a line.
    """

    def __init__(self, picture: Picture, plane: Matrix) -> None:
        self._picture = picture
        height, width = picture.raster.shape
        self._outline = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ plane[:, :2].T + plane[:, 2]
        longest, shortest = np.linalg.svd(plane[:, :2], compute_uv=False)
        if shortest <= _FLAT * longest:
            raise InvalidStore("the transformation flattens it to a line")
        self._px = float(shortest)
        self._corner = self._outline.min(axis=0)
        columns, lines = np.ceil(np.round(np.ptp(self._outline, axis=0) / self._px, 6))
        self._shape = int(lines), int(columns)
        self._inverse = np.linalg.inv(plane[:, :2])
        self._shift = -self._inverse @ plane[:, 2]

    def section(self, spot: float | None, um: float | None) -> SectionImage:
        """Return the description of the resampled picture as an image of a section.

        spot : diameter of a spot
        um : micrometers per unit of the coordinate system
        """
        x, y = (float(edge) for edge in self._corner + self._px / 2)
        outline = tuple((float(one), float(other)) for one, other in self._outline)
        levels = tuple(sorted(self._picture.raster.levels))
        return SectionImage(self._shape, 1 / self._px, spot, um, (x, y), levels, outline)

    def read(self, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        """Return a part of a level by bilinear interpolation; beyond the outline, the edge px of the picture repeat."""
        size = lines.stop - lines.start, columns.stop - columns.start
        step = self._px * factor
        first = self._corner + (np.array([columns.start, lines.start]) + 0.5) * step
        # The center of px (line, column) is at `start` + `along` @ (column, line), in px edges of the picture.
        start, along = self._inverse @ first + self._shift, self._inverse * step
        whole = np.array(self._picture.raster.shape_of(factor)[::-1])
        ratio = whole / np.array(self._picture.raster.shape[::-1])
        start, along = start * ratio, along * ratio[:, None]
        ends = start + np.array([[0, 0], [size[1] - 1, 0], [0, size[0] - 1], [size[1] - 1, size[0] - 1]]) @ along.T
        low = np.clip(np.floor(ends.min(axis=0)) - 1, 0, whole - 1).astype(int)
        high = np.clip(np.ceil(ends.max(axis=0)) + 1, low + 1, whole).astype(int)
        found = self._picture.read(factor, slice(low[1], high[1]), slice(low[0], high[0]))
        is_grey = found.ndim == 2
        made = self._interpolated(found[..., None] if is_grey else found, along, start - low - 0.5, size)
        return made[..., 0] if is_grey else made

    def _interpolated(
        self, found: NDArray[Any], along: NDArray[np.float64], offset: NDArray[np.float64], size: tuple[int, int]
    ) -> NDArray[Any]:
        from scipy.ndimage import affine_transform

        made = np.empty((*size, found.shape[-1]), np.uint8)
        for channel in range(found.shape[-1]):
            one = affine_transform(
                found[..., channel].astype(np.float32), along[::-1, ::-1], offset[::-1], size, order=1, mode="nearest"
            )
            made[..., channel] = np.rint(one)
        return made
