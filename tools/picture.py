"""Check by its pixels that a scatterplot was drawn."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image
from playwright.sync_api import Locator


@dataclass(frozen=True)
class Picture:
    """Measurements of the pixels of a screenshot.

    Attributes
    ----------
    drawn : part of the pixels, 0 to 1, that differ from the background
    colored : part of the pixels that are neither grey, black nor white
    n_colors : number of distinct hues (of 24) that each cover at least one pixel in two thousand
    """

    drawn: float
    colored: float
    n_colors: int

    @property
    def is_scatterplot(self) -> bool:
        """Whether this can be a categorical scatterplot: points of several colors on an empty background."""
        return self.colored > 0.02 and self.drawn < 0.9 and self.n_colors >= 4


def judge(png: bytes) -> Picture:
    """Measure a screenshot given as the bytes of a PNG."""
    rgb = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(np.int16)
    values, counts = np.unique(rgb.reshape(-1, 3), axis=0, return_counts=True)
    background = values[counts.argmax()]
    colored = np.ptp(rgb, axis=2) > 40
    hue = np.asarray(Image.fromarray(rgb.astype(np.uint8)).convert("HSV"))[..., 0]
    hues = np.bincount(hue[colored].astype(np.int64) * 24 // 256, minlength=24)
    drawn = (np.abs(rgb - background).max(axis=2) > 12).mean()
    return Picture(float(drawn), float(colored.mean()), int((hues * 2000 > hue.size).sum()))


def largest_canvas(scope: Locator) -> Locator:
    """Return the largest canvas under an element; this is the plot, since legends and histograms have smaller ones."""
    canvases = scope.locator("canvas").all()
    areas = [(box["width"] * box["height"]) if (box := one.bounding_box()) else 0 for one in canvases]
    return canvases[areas.index(max(areas))]
