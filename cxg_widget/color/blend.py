"""Blends two or three numbers into one color: corners of a square or cube, and levels between them."""
# Changes with js/src/style/point_style.js and cxg_widget/display/blend_coloring.py: hues of several genes.
# Changes with cxg_widget/session/analysis/blend_fields.py: hues of several genes.
# Changes with js/src/panels/genes/blend_legend.js and js/src/panels/genes/blend_fields.js: hues of several genes.

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.rgb import RGB, ZERO_DARK, ZERO_LIGHT, rgb_hex

LEVELS_OF = {2: 24, 3: 10}
"""Levels of each of two or three numbers."""
MOST_BLENDED = max(LEVELS_OF)
"""Most genes with a hue each."""
BLENDED = "two or three"
"""The allowed numbers of genes in words."""
CORNERS: dict[int, dict[str, tuple[RGB, ...]]] = {
    2: {
        "light": (ZERO_LIGHT, (230, 120, 0), (0, 120, 210), (40, 20, 60)),
        "dark": (ZERO_DARK, (235, 135, 20), (40, 140, 235), (255, 240, 250)),
    },
    3: {
        "light": (
            ZERO_LIGHT, (0, 150, 190), (205, 50, 140), (60, 50, 150),
            (215, 175, 0), (30, 125, 50), (200, 50, 30), (35, 30, 35),
        ),
        "dark": (
            ZERO_DARK, (235, 60, 50), (50, 190, 70), (240, 215, 60),
            (70, 110, 255), (225, 90, 235), (70, 220, 235), (255, 255, 255),
        ),
    },
}  # fmt: skip
"""Corner colors by number of genes and paper; index bits say which genes are high."""


@cache
def _mixes(k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the levels of each mix, sorted by sum, (n, k), and the code of each in plain order."""
    levels = LEVELS_OF[k]
    steps = np.stack([grid.ravel() for grid in np.meshgrid(*[np.arange(levels)] * k, indexing="ij")], axis=1)
    order = np.argsort(steps.sum(axis=1), kind="stable")
    code_of = np.empty(len(order), dtype=np.int64)
    code_of[order] = np.arange(len(order))
    return steps[order], code_of


@cache
def blend_colors(k: int, *, dark: bool) -> tuple[str, ...]:
    """Return the color of each code of `blend_codes`, "#rrggbb": linear between the corners for each number."""
    steps, corners = _mixes(k)[0], CORNERS[k]["dark" if dark else "light"]
    share = steps / (LEVELS_OF[k] - 1)
    mixed = np.zeros((len(steps), 3))
    for bits, corner in enumerate(corners):
        along = [share[:, i] if bits >> i & 1 else 1 - share[:, i] for i in range(k)]
        mixed += np.prod(along, axis=0)[:, None] * np.array(corner)
    return tuple(rgb_hex((int(red), int(green), int(blue))) for red, green, blue in np.floor(mixed + 0.5))


def blend_codes(places: list[NDArray[np.float64]]) -> NDArray[np.int16]:
    """Return the codes of mixes, int16 (n,), sorted by sum; -1 if any place is NaN.

    places : of each number on its scale, 0 to 1, (n,)
    """
    k, levels = len(places), LEVELS_OF[len(places)]
    at, known = np.zeros(places[0].shape, dtype=np.int64), np.ones(places[0].shape, dtype=np.bool_)
    for place in places:
        known &= np.isfinite(place)
        at = at * levels + np.floor(np.nan_to_num(place) * (levels - 1) + 0.5).astype(np.int64)
    return np.where(known, _mixes(k)[1][at], -1).astype(np.int16)


def mix_codes(k: int) -> NDArray[np.int64]:
    """Return the code of each mix, (levels ** k,), with the levels of the first number slowest."""
    return _mixes(k)[1]


def corner_code(k: int, bits: int) -> int:
    """Return the code of a corner, given which numbers are high."""
    top = LEVELS_OF[k] - 1
    at = 0
    for i in range(k):
        at = at * LEVELS_OF[k] + (top if bits >> i & 1 else 0)
    return int(_mixes(k)[1][at])
