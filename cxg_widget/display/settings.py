"""What is asked to be on show, and a colouring once it has been read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cxg_widget.display.target import ColorTrait

MAX_POINTS = 2_000_000
"""Cells of a dataset that are all sent as points; of more, a sample is sent and views are aggregated."""
_TISSUE = ("spatial", "spatial_fullres", "spatial_hires", "spatial_lowres")


@dataclass(frozen=True)
class Settings:
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
    render: str = "auto"
    max_points: int = MAX_POINTS
    density: str = "eq_hist"
    statistic: Any = "auto"
    aggregator: str = "auto"
    hover: tuple[str, ...] | None = None

    @property
    def place_key(self) -> tuple[str | None, tuple[int, int]]:
        """What coordinates are read for."""
        return self.embedding, self.axes

    @property
    def color_key(self) -> tuple[Any, str | None]:
        """What a colouring is read for; two settings with the same key share it."""
        color = self.color if self.color is None or isinstance(self.color, str) else tuple(self.color)
        return color, self.layer


def is_tissue(embedding: str | None) -> bool:
    """Say whether an embedding holds pixel positions of an image, whose y axis points down."""
    return embedding is not None and embedding.removeprefix("X_").casefold() in _TISSUE
