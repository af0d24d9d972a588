"""Whether opacity follows density, and says nothing else."""
# Changes with js/src/style/style.js: when opacity follows density.

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings


def is_by_density(settings: Settings, coloring: Coloring, mask: NDArray[np.bool_]) -> bool:
    """Say whether points are the paler the more share a pixel, as `isByDensity` in js/src/style/style.js does.

    Colours of numbers already say what a pixel's cells have in common, and what is dimmed is shown by its paleness.
    """
    is_number = coloring.scale == "continuous" or isinstance(coloring, BlendColoring)
    is_greying = settings.filtered == "grey" and bool(settings.filters or settings.hidden)
    return settings.opacity is None and not is_number and not is_greying and not mask.any()
