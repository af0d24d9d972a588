"""What is asked to be on show, and a colouring once it has been read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cxg_widget.coloring import ColorTrait, Target
from cxg_widget.datasets.base import Codes
from cxg_widget.encoding import Numbers, label_of

_TISSUE = ("spatial", "spatial_fullres", "spatial_hires", "spatial_lowres")


@dataclass(frozen=True)
class Look:
    """The traits of the widget that the kernel needs to know to send or draw a picture."""

    embedding: str | None = None
    axes: tuple[int, int] = (0, 1)
    color: ColorTrait = None
    layer: str | None = None
    palette: Any = None
    hidden: tuple[str, ...] = ()
    cmap: str = "viridis"
    vmin: float | str | None = None
    vmax: float | str | None = None

    @property
    def color_key(self) -> tuple[Any, str | None]:
        """What a colouring is read for; two looks with the same key share it."""
        color = self.color if self.color is None or isinstance(self.color, str) else tuple(self.color)
        return color, self.layer


@dataclass(frozen=True)
class Coloring:
    """A colouring that has been read: its target and its codes or numbers, in row order."""

    target: Target
    data: Codes | Numbers | None = None

    @property
    def labels(self) -> list[str]:
        """The categories as text; empty unless categorical."""
        return [label_of(one) for one in self.data.categories] if isinstance(self.data, Codes) else []


def is_tissue(embedding: str | None) -> bool:
    """Say whether an embedding holds pixel positions of an image, whose y axis points down."""
    return embedding is not None and embedding.removeprefix("X_").casefold() in _TISSUE
