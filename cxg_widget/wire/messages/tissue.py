"""The image of the section that the cells lie on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from cxg_widget.wire.messages.message import Array, Message, OfPanel


@dataclass(frozen=True)
class AskSections(Message):
    """Ask which images there are of the sections that the cells lie on. Answered by `sections`; no image is read."""

    kind: ClassVar[str] = "sections"


@dataclass(frozen=True)
class AskTissue(OfPanel):
    """Ask for an image of the section, or what of it lies in a view and around it. Answered by `tissue`.

    name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
    """

    kind: ClassVar[str] = "tissue"
    name: str
    view: list[float]
    width: int
    height: int


@dataclass(frozen=True)
class SectionList(Message):
    """The names of images of the sections that the cells lie on, the best first; those that can be shown."""

    kind: ClassVar[str] = "sections"
    names: list[str]


@dataclass(frozen=True)
class Tissue(OfPanel):
    """An image of the section, or a part of it, as a JPEG file.

    extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of all of the image
    per_px : how many px of the stored image one px is, 1 = it has no more to show; um : micrometres of a data unit,
        0 = that is not known; spot : how wide a spot of its library is, data units, 0 = that is not known
    """

    kind: ClassVar[str] = "tissue"
    arrays: ClassVar[Mapping[str, Array]] = {"jpeg": Array(("uint8",), ("n_bytes",), "the file")}
    name: str
    extent: list[float]
    whole: list[float]
    per_px: int
    um: float
    spot: float
