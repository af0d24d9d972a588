"""The map of a density difference: codes, colors and drawing."""
# Changes with js/src/panels/overlays/difference.js: the map of a difference.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import stops_of
from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import ramp
from cxg_widget.draw.parts import over

HIGHEST = 254
"""Code of the highest ratio; the lowest has 0, and no difference the one in the middle."""
NOTHING = 255
VEIL = 0.72
"""Opacity of the veil under the map; without it colors of points could be mistaken for the map's."""
_ON_LIGHT = "RdBu_r"
# fmt: off
_ON_DARK = [
    "#9eb0ff", "#86adf3", "#6ca9e6", "#529fd3", "#3d8fbb", "#307ca0", "#286886", "#21556e",
    "#1a4256", "#14313f", "#11212a", "#111518", "#190c09", "#240c02", "#310f00", "#401201",
    "#501803", "#65220d", "#7c331d", "#924632", "#a75949", "#bc6e61", "#d2827a", "#e89893",
    "#ffadad",
]
# fmt: on
"""Stops of "berlin" of Fabio Crameri's Scientific color maps (MIT, doi:10.5281/zenodo.1243862): its middle is dark."""


def codes_of(ratio: NDArray[np.float64], limit: float) -> NDArray[np.uint8]:
    """Return ratios from -limit to limit as codes, clipped; NaN has `NOTHING`."""
    half = HIGHEST // 2
    shares = np.clip(np.nan_to_num(ratio, nan=0.0, posinf=limit, neginf=-limit) / limit, -1, 1)
    codes = np.rint(half + half * shares)
    return np.where(np.isnan(ratio), NOTHING, codes).astype(np.uint8)


def code_colors(*, dark: bool) -> NDArray[np.uint8]:
    """Return red, green and blue of each code, uint8 (255, 3): blue below, red above, close to the page between."""
    table = ramp(_ON_DARK if dark else stops_of(_ON_LIGHT))
    return table[np.rint(np.linspace(0, len(table) - 1, HIGHEST + 1)).astype(np.int64)]


def draw_map(
    image: NDArray[np.uint8], codes: NDArray[np.uint8], box: tuple[float, float, float, float], paper: Paper
) -> NDArray[np.uint8]:
    """Draw a veil and the map on an image, uint8 (height, width, 4), where the ratio is known.

    codes : uint8 (lines, columns), the first line at the lower edge of the box
    box : left, right, bottom, top of the map on the image, px from its top left
    paper : its color is that of the veil
    """
    height, width = image.shape[:2]
    under = image.copy()  # transparent pixels stay so
    under[..., :3] = np.rint(image[..., :3] * (1 - VEIL) + np.array(paper.ground) * VEIL)
    colors = np.vstack([code_colors(dark=paper.is_dark), np.zeros((1, 3), dtype=np.uint8)])
    alpha = np.where(codes == NOTHING, 0.0, 1.0)[..., None]
    # Premultiplied by opacity: the color of "nothing" must not mix into the edges.
    premultiplied = np.concatenate([colors[codes] * alpha, 255 * alpha], axis=2)
    left, right, bottom, top = box
    lines, columns = codes.shape
    down = _between(lines, (np.arange(height) + 0.5 - bottom) / (top - bottom))
    along = _between(columns, (np.arange(width) + 0.5 - left) / (right - left))
    drawn = np.einsum("yl,lcd,xc->yxd", down, premultiplied, along, optimize=True)
    drawn[..., :3] /= np.maximum(drawn[..., 3:] / 255, 1 / 255)
    return over(under, drawn)


def _between(n: int, shares: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weights (k, n) of n bins at places from 0 to 1, linear between their centers, 0 beyond all of them."""
    weights = np.clip(1 - np.abs(np.subtract.outer(shares * n - 0.5, np.arange(n))), 0, None)
    weights[(shares < 0) | (shares > 1)] = 0
    return np.asarray(weights)
