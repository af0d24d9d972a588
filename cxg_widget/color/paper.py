"""Backgrounds of pictures: white, dark or transparent."""
# Changes with cxg_widget/session/pictures/html_document.py: backgrounds of saved pictures.
# Changes with cxg_widget/display/settings.py and js/src/panels/pictures/figure.js: backgrounds of saved pictures.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.rgb import (
    DARK,
    DIMMED,
    GREYED_DARK,
    GREYED_LIGHT,
    LEFT_OUT_DARK,
    LEFT_OUT_LIGHT,
    LIGHT,
    MISSING_DARK,
    MISSING_LIGHT,
    PLAIN_DARK,
    PLAIN_LIGHT,
    RGB,
    ZERO_DARK,
    ZERO_LIGHT,
)

QUIET, FAINT = 0.7, 0.5
"""Share of ink in quiet text and faint lines; the rest is background."""


@dataclass(frozen=True)
class Paper:
    """Background of a picture, and the colors that show on it.

    ground : the background; if `is_clear`, only used to mix colors
    missing, zero, plain : colors of points without a value, of zeros, and without a coloring
    left_out : color of filtered-out points
    """

    ground: RGB
    ink: RGB
    missing: RGB
    zero: RGB
    plain: RGB
    left_out: RGB
    is_clear: bool = False

    @property
    def is_dark(self) -> bool:
        """Whether light colors show on it."""
        return self.ground == DARK

    @property
    def grey(self) -> NDArray[np.float64]:
        """The gray near the background that dimmed colors fade into, float64 (3,)."""
        end, share = (255, GREYED_DARK) if self.is_dark else (0, GREYED_LIGHT)
        return np.array(self.ground) * (1 - share) + end * share

    def dim(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Mix colors with the gray, as for cells that are not selected."""
        return np.rint(rgb * DIMMED + self.grey * (1 - DIMMED)).astype(np.uint8)

    @property
    def quiet(self) -> RGB:
        """Color of secondary text."""
        return self._mixed(QUIET)

    @property
    def faint(self) -> RGB:
        """Color of unobtrusive lines."""
        return self._mixed(FAINT)

    def _mixed(self, share: float) -> RGB:
        pairs = zip(self.ink, self.ground, strict=True)
        red, green, blue = (round(share * ink + (1 - share) * ground) for ink, ground in pairs)
        return red, green, blue


_ON_LIGHT = LIGHT, (31, 35, 40), MISSING_LIGHT, ZERO_LIGHT, PLAIN_LIGHT, LEFT_OUT_LIGHT
_ON_DARK = DARK, (226, 229, 233), MISSING_DARK, ZERO_DARK, PLAIN_DARK, LEFT_OUT_DARK
PAPERS = {"white": Paper(*_ON_LIGHT), "dark": Paper(*_ON_DARK), "transparent": Paper(*_ON_LIGHT, is_clear=True)}
