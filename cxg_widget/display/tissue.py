"""What lies under a spatial embedding: which image, and how wide the spots are."""
# Changes with js/src/style/point_style.js: how wide spots are drawn.

from __future__ import annotations

from typing import TYPE_CHECKING

from cxg_widget.datasets.base.embedding_names import is_tissue

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

WIDEST_SPOT_PX = 100
"""Not all graphics cards draw points of any size."""


def has_section(dataset: Dataset, settings: Settings) -> bool:
    """Say whether the embedding on show has the coordinates of images of sections."""
    return settings.axes == (0, 1) and is_tissue(dataset.find_embedding(settings.embedding))


def spot_of(dataset: Dataset, settings: Settings) -> float:
    """Return how wide a spot is, data units; 0 where that is not known, or cells are no spots here."""
    return (dataset.sections().spot_on(settings.tissue) or 0.0) if has_section(dataset, settings) else 0.0


def spot_px(spot: float, px_per_unit: float) -> float | None:
    """Return how wide a spot is drawn; None where it is not known."""
    return min(max(spot * px_per_unit, 1.0), WIDEST_SPOT_PX) if spot else None
