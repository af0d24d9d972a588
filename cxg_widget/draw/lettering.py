"""Text on a picture, in a font of the machine; imports Pillow at first use.

Pillow's own font has little more than ASCII. Letters that the font lacks are replaced: Greek letters by their names,
accented letters by plain ones, others by a question mark.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RGB = tuple[int, int, int]
_FILES = {
    False: ("DejaVuSans.ttf", "arial.ttf", "Arial.ttf"),
    True: ("DejaVuSans-Bold.ttf", "arialbd.ttf", "Arial Bold.ttf"),
}
_PLAIN = {"·": "-", "–": "-", "−": "-", "≤": "<=", "≥": ">=", "×": "x"}
_NO_CHARACTER = "\U0010fffd"
_LONGEST = 200
HALO_PX = 2
"""Px that a halo reaches beyond its letters."""


@dataclass(frozen=True)
class DrawnText:
    """A text on a picture.

    x, y : px of the start of the baseline, of its end if `to_left`, or of its middle if `centered`
    size : px
    is_upright : rotated to read from below, `centered`
    has_halo : has a halo, to be readable on any color
    """

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    quiet: bool = False
    to_left: bool = False
    centered: bool = False
    is_upright: bool = False
    has_halo: bool = False


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text, px."""
    return float(_font(size, bold).getlength(drawable(one_line(text), bold)))


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Cut a text to fit into some px."""
    text = one_line(text)
    if width_of(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = width_of(f"{text[:middle].rstrip()}…", size, bold=bold) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return f"{text[:low].rstrip()}…"


def write(
    image: NDArray[np.uint8],
    texts: Iterable[DrawnText],
    inks: tuple[RGB, RGB],
    *,
    scale: float = 1.0,
    opaque: bool = False,
    halo: RGB | None = None,
) -> NDArray[np.uint8]:
    """Draw texts on an image; return uint8 (height, width, 4 or, if opaque, 3).

    image : uint8 (height, width, 4)
    inks : colors of normal and of quiet texts
    scale : px per px of the places and sizes of the texts
    opaque : drop the opacity
    halo : color of halos; None = no halos
    """
    from PIL import Image

    page = Image.fromarray(image)
    for one in texts:
        if one.is_upright:  # drawn on its side in a rotated picture
            turned = page.transpose(Image.Transpose.ROTATE_270)
            lying = replace(one, x=page.height / scale - one.y, y=one.x, is_upright=False)
            _write_one(turned, lying, inks, scale, halo)
            page = turned.transpose(Image.Transpose.ROTATE_90)
        else:
            _write_one(page, one, inks, scale, halo)
    return np.asarray(page.convert("RGB") if opaque else page)


def _write_one(page: Any, one: DrawnText, inks: tuple[RGB, RGB], scale: float, halo: RGB | None) -> None:
    from PIL import ImageDraw

    font, anchor = _font(one.size * scale, one.bold), "ms" if one.centered else "rs" if one.to_left else "ls"
    at, ink = (one.x * scale, one.y * scale), (*inks[one.quiet], 255)
    has_halo = one.has_halo and halo is not None
    around = round(HALO_PX * scale) if has_halo else 0
    text, stroke = drawable(one.text, one.bold), (*(halo or inks[one.quiet]), 255)
    pen = ImageDraw.Draw(page)
    pen.text(at, text, fill=ink, font=font, anchor=anchor, stroke_width=around, stroke_fill=stroke)


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters, shortened."""
    if text.isprintable() and len(text) <= _LONGEST:
        return text.strip()
    breaks = ("Cc", "Cs", "Zl", "Zp")
    return "".join(" " if unicodedata.category(letter) in breaks else letter for letter in text[:_LONGEST]).strip()


@cache
def drawable(text: str, bold: bool = False) -> str:
    """Return a text in letters that the font has."""
    return "".join(letter if _has(letter, bold) else _instead(letter, bold) for letter in text)


def _instead(letter: str, bold: bool) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    close = [one for one in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(one)]
    if close and all(_has(one, bold) for one in close):
        return "".join(close)
    name = unicodedata.name(close[0] if len(close) == 1 else letter, "")
    if name.startswith("GREEK"):
        return name.split(" WITH ")[0].split()[-1].lower()
    return "" if unicodedata.category(letter).startswith(("C", "M")) else "?"


@cache
def _has(letter: str, bold: bool) -> bool:
    if letter.isascii():
        return letter.isprintable()
    font = _font(16, bold)
    # A font does not report missing letters: it draws the same box for all of them.
    none, drawn = font.getmask(_NO_CHARACTER), font.getmask(letter)
    return bytes(drawn) != bytes(none) or font.getlength(letter) != font.getlength(_NO_CHARACTER)


@cache
def _font(size: float, bold: bool) -> Any:
    from PIL import ImageFont

    for place in _places(bold):
        try:
            # Pillow may be built with another layout engine, whose widths differ.
            return ImageFont.truetype(place, size, layout_engine=ImageFont.Layout.BASIC)
        except OSError:
            continue
    return ImageFont.load_default(size)


@cache
def _places(bold: bool) -> tuple[str, ...]:
    """Return possible paths of a font: of the system, or of matplotlib."""
    found = find_spec("matplotlib")
    own = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / _FILES[bold][0] if found and found.origin else None
    return (*((str(own),) if own else ()), *_FILES[bold])


def load_letters() -> None:
    """Load what writing needs, so that the first picture does not wait for it."""
    for bold in (False, True):
        width_of("ab…", 12, bold=bold)
