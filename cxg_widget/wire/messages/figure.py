"""A figure as a file, to be downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message


@dataclass(frozen=True)
class AskFigure(Message):
    """Ask for what is on show as a file, as `w.save` writes it. Answered by one or more `figure`.

    width, height : of the room that the plots have, CSS px
    dark : whether the page is, which counts where no background is set
    """

    kind: ClassVar[str] = "figure"
    suffix: Literal["svg", "pdf", "png", "html"]
    width: int
    height: int
    dark: bool


@dataclass(frozen=True)
class FigurePart(Message):
    """A part of a file, of a figure or of a comparison, from 0 to before `parts`; they come in any order."""

    kind: ClassVar[str] = "figure"
    arrays: ClassVar[Mapping[str, Array]] = {"file": Array(("uint8",), ("n_bytes",), "the bytes of the part")}
    part: int
    parts: int
