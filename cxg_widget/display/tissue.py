"""Tissue image, and diameters of spots and cells, under a spatial embedding."""
# Changes with js/src/style/point_style.js: how wide spots are drawn.

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.wire.protocol import SPOT_PARTS

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

WIDEST_SPOT_PX = 100
"""Graphics cards limit the size of points."""


def has_section(dataset: Dataset, settings: Settings) -> bool:
    """Return whether the current embedding has the coordinates of tissue images."""
    return settings.axes == (0, 1) and is_tissue(dataset.find_embedding(settings.embedding))


def spot_of(dataset: Dataset, settings: Settings) -> float:
    """Return the diameter of a spot, data units; 0 if unknown, or if cells are no spots here."""
    return (dataset.sections().spot_on(settings.tissue) or 0.0) if has_section(dataset, settings) else 0.0


def sizes_of(dataset: Dataset, settings: Settings) -> NDArray[np.uint16] | None:
    """Return how wide each cell is, uint16 (n_obs,), as `Points` sends it; None = as wide as a spot."""
    widths = dataset.spot_widths() if has_section(dataset, settings) else None
    spot = dataset.sections().spot
    if widths is None or not spot:
        return None
    parts = np.clip(np.rint(widths.astype(np.float64) * (SPOT_PARTS / spot)), 0, 65_535)
    return np.where(np.isnan(parts), SPOT_PARTS, parts).astype(np.uint16)


def spot_px(spot: float, px_per_unit: float) -> float | None:
    """Return the drawn diameter of a spot, px; None if unknown."""
    return min(max(spot * px_per_unit, 1.0), WIDEST_SPOT_PX) if spot else None


def sizes_px(sizes: NDArray[np.uint16], spot: float, px_per_unit: float) -> NDArray[np.float64]:
    """Return how wide cells are drawn, by the limits of `spot_px`."""
    return np.clip(sizes * (spot / SPOT_PARTS * px_per_unit), 1.0, WIDEST_SPOT_PX)
