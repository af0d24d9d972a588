"""Converts colors in common notations to "#rrggbb"."""

from __future__ import annotations

import re
from typing import Any

_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")


def to_hex(color: Any) -> str | None:
    """Return a color as "#rrggbb", or None if it is invalid.

    color : a hex string of 3, 4, 6 or 8 digits (opacity is dropped), a CSS name, or a list of 3 or 4 numbers: floats
        up to 1.0 are fractions, all others range to 255

    >>> to_hex("Tomato"), to_hex("#abc"), to_hex([1.0, 0.5, 0.0]), to_hex([255, 128, 0]), to_hex("no")
    ('#ff6347', '#aabbcc', '#ff8000', '#ff8000', None)
    """
    if isinstance(color, str):
        return _from_text(color.strip().lower())
    if isinstance(color, list | tuple) and len(color) in (3, 4):
        return _from_numbers(list(color[:3]))
    return None


def _from_text(text: str) -> str | None:
    if not _HEX.fullmatch(text):
        from PIL import ImageColor  # the 148 names of CSS

        # Pillow replaces a text in this table by a tuple at its first use.
        named = ImageColor.getrgb(text) if text in ImageColor.colormap else None
        return named and f"#{named[0]:02x}{named[1]:02x}{named[2]:02x}"
    digits = text[1:]
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    return f"#{digits[:6]}"


def _from_numbers(channels: list[Any]) -> str | None:
    if not all(isinstance(channel, int | float) and not isinstance(channel, bool) for channel in channels):
        return None
    fractions = any(isinstance(channel, float) for channel in channels) and max(channels) <= 1
    levels = [channel * 255 if fractions else channel for channel in channels]
    if not all(0 <= level <= 255 for level in levels):  # false for NaN
        return None
    return "#" + "".join(f"{int(level + 0.5):02x}" for level in levels)
