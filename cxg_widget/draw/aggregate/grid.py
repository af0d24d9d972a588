"""The pixel grid of a view: one rule for all loops on which points belong to which pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.spatial.view import View

_MAX_PX = 2.0**53
_NEAR = 4


@dataclass(frozen=True)
class PixelGrid:
    """A view divided into pixels.

    x0, x1, y0, y1 : limits in data units, ascending, inclusive
    width, height : px
    leftward, downward : whether x grows to the left, y downwards
    """

    x0: float
    x1: float
    y0: float
    y1: float
    width: int
    height: int
    leftward: bool = False
    downward: bool = False

    @classmethod
    def of(cls, view: View, size: tuple[int, int], margin: int = 0) -> PixelGrid:
        """Divide a view (left, right, bottom, top) into width x height pixels and `margin` more on each side."""
        left, right, bottom, top = (float(end) for end in view)
        width, height = (int(side) for side in size)
        x0, x1, y0, y1 = min(left, right), max(left, right), min(bottom, top), max(bottom, top)
        if not (x0 < x1 and y0 < y1 and width > 0 and height > 0):
            raise InvalidValue(f"a view must have room and pixels; found {view} on {width} x {height} px")
        if margin:
            dx, dy = (x1 - x0) / width * margin, (y1 - y0) / height * margin
            x0, x1, y0, y1 = x0 - dx, x1 + dx, y0 - dy, y1 + dy
            width, height = width + 2 * margin, height + 2 * margin
        for low, high, side in ((x0, x1, width), (y0, y1, height)):
            span = high - low
            # Beyond 2**53 px from zero a float cannot distinguish two pixels, and at 2**63 an integer overflows.
            if not (0 < span < float("inf") and max(abs(low), abs(high)) < _MAX_PX / side * span):
                raise InvalidValue(f"the view {view} is too narrow or too wide to be cut into {width} x {height} px")
        return cls(x0, x1, y0, y1, width, height, right < left, top < bottom)

    @property
    def view(self) -> View:
        """The limits in data units: x0, x1, y0, y1, ascending."""
        return self.x0, self.x1, self.y0, self.y1

    @property
    def n_pixels(self) -> int:
        """Total number of pixels."""
        return self.width * self.height

    @property
    def arguments(self) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Parameters of the compiled loops: limits, scales and shifts; width, height, first pixel and pixel steps.

        Source: datashader's `Axis.compute_scale_and_translate`. As the shift is exactly minus the scaled limit, no
        point of the view is before the first pixel.
        """
        scale_x, scale_y = self.width / (self.x1 - self.x0), self.height / (self.y1 - self.y0)
        geometry = (*self.view, scale_x, -self.x0 * scale_x, scale_y, -self.y0 * scale_y)
        origin = (self.width - 1 if self.leftward else 0) + (0 if self.downward else (self.height - 1) * self.width)
        steps = (
            self.width,
            self.height,
            origin,
            -1 if self.leftward else 1,
            self.width if self.downward else -self.width,
        )
        return geometry, steps

    @cached_property
    def edges(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The least x of each column and y of each line, counted from x0 and y0, then infinity, as float32."""
        _, _, _, _, scale_x, shift_x, scale_y, shift_y = self.arguments[0]
        return _edges(self.width, scale_x, shift_x), _edges(self.height, scale_y, shift_y)


def _edges(n: int, scale: float, shift: float) -> NDArray[np.float32]:
    """Return the least float32 of each of n pixels, and infinity: `x >= edge` decides as `int(x * scale + shift)`."""
    pixels = np.arange(n, dtype=np.float64)

    def is_before(ordinals: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(_floats(ordinals).astype(np.float64) * scale + shift < pixels)

    with np.errstate(over="ignore", invalid="ignore"):
        guess = _ordinals(((pixels - shift) / scale).astype(np.float32))
        least, most = _ordinals(np.array([-np.inf, np.inf], dtype=np.float32))
        low, high = np.maximum(guess - _NEAR, least), np.minimum(guess + _NEAR, most)
        low, high = np.where(is_before(low), low, least), np.where(is_before(high), most, high)
        # Bisection over the order of floats: near 0 they are so dense that single steps would not end.
        while (low + 1 < high).any():
            middle = (low + high) >> 1
            before = is_before(middle)
            low, high = np.where(before, middle, low), np.where(before, high, middle)
    edges = _floats(high)
    edges = np.append(edges, np.float32(np.inf))  # the end of the view belongs to the last pixel
    edges.flags.writeable = False
    return edges


def _ordinals(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the places of float32 in the order of all of them."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits >= 0, bits, bits ^ 0x7FFFFFFF)


def _floats(ordinals: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the float32 at places in the order of all of them."""
    return np.where(ordinals >= 0, ordinals, ordinals ^ 0x7FFFFFFF).astype(np.int32).view(np.float32)


def disc(diameter: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets in x and in y of the pixels of a disc, int64 (k,) each; at least one pixel."""
    side = max(1, round(diameter))
    offset = np.arange(side) - (side - 1) / 2
    x, y = np.meshgrid(offset, offset)
    inside = x * x + y * y <= (side / 2) ** 2 + 0.25
    shift = (side - 1) // 2
    grid_x, grid_y = np.meshgrid(np.arange(side) - shift, np.arange(side) - shift)
    return grid_x[inside], grid_y[inside]
