"""RGB colors: light and dark pages, color ramps, and dimming."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RGB = tuple[int, int, int]
RGBA = tuple[int, int, int, int]
LIGHT: RGB = (255, 255, 255)
DARK: RGB = (17, 17, 17)
MISSING_LIGHT: RGB = (205, 205, 205)
MISSING_DARK: RGB = (72, 72, 72)
ZERO_LIGHT: RGB = (217, 217, 217)
ZERO_DARK: RGB = (56, 56, 56)
"""Color of zeros drawn gray, closer to the page than missing values."""
LEFT_OUT_LIGHT: RGB = (228, 228, 228)
LEFT_OUT_DARK: RGB = (40, 40, 40)
"""Color of filtered-out cells, closer to the page than missing values, and drawn flat below dimmed cells."""
PLAIN_LIGHT: RGB = (70, 110, 160)
PLAIN_DARK: RGB = (120, 165, 215)
GREYED_LIGHT, GREYED_DARK = 0.07, 0.11
"""Dimmed colors fade into a gray this far from the page color, to remain visible."""
_SEEN_IN_THE_DARK = 0.0612
"""Least relative luminance with a contrast of 2 on a dark page."""
DIMMED = 0.16
"""Share of color that a cell outside the selection keeps; the rest is background."""


def seen_in_the_dark(stops: list[str]) -> list[str]:
    """Remove stops of a colormap that are too dark for a dark page, by luminance as in WCAG 2.2."""
    channels = np.array([hex_rgb(stop) for stop in stops]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = linear @ (0.2126, 0.7152, 0.0722) >= _SEEN_IN_THE_DARK
    return [stop for stop, is_seen in zip(stops, seen, strict=True) if is_seen]


def ramp(stops: list[str]) -> NDArray[np.uint8]:
    """Turn evenly spaced "#rrggbb" stops into a table, uint8 (256, 3), linear between stops."""
    table = np.array([hex_rgb(stop) for stop in stops], dtype=np.float64)
    at = np.linspace(0, len(stops) - 1, 256)
    channels: list[Any] = [np.interp(at, np.arange(len(stops)), table[:, channel]) for channel in range(3)]
    return np.array(np.rint(np.column_stack(channels)), dtype=np.uint8)


def rgb_hex(color: RGB) -> str:
    """Return "#rrggbb"."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def hex_rgb(color: str) -> RGB:
    """Return the channels of "#rrggbb"."""
    digits = color.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
