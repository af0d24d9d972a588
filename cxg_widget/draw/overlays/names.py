"""Places category labels on a picture: largest first, without overlaps.

As in js/src/panels/overlays/name_places.js.
"""
# Changes with js/src/panels/overlays/name_places.js: places of names on the plot.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.lettering import DrawnText, fitted, width_of
from cxg_widget.text.names import EMPTY_LABEL

NAME_PX, HIGH_PX, WIDEST_PX = 12, 16, 220
_FREE_PX = 3
"""Free px at either end of a label."""
_BASELINE_PX = 4.5
"""Px from the middle of a line to its baseline."""
"""What is written for a category whose name is empty, as in the legend."""
Placed = tuple[int, float, float]
"""Index of a label, and its center, px."""


def place(at: NDArray[np.float64], size: tuple[int, int], widths: Sequence[float]) -> list[Placed]:
    """Place labels: each at its position, or a line above or below if that is taken, entirely inside the picture.

    at : (k, 2), px from the top left, the largest category first
    size : width and height, px
    widths : of the labels, px
    """
    width, height = size
    placed: list[tuple[Placed, float]] = []
    for i, ((px, py), text) in enumerate(zip(at.tolist(), widths, strict=True)):
        wide = text + 2 * _FREE_PX
        if not (0 <= px <= width and 0 <= py <= height) or wide > width or height < HIGH_PX:
            continue
        x = min(max(px, wide / 2), width - wide / 2)
        # Greedy, the largest category first: the largest in view always has its label (decision 37).
        for off in (0, -HIGH_PX, HIGH_PX):
            y = min(max(py + off, HIGH_PX / 2), height - HIGH_PX / 2)
            if all(abs(ny - y) >= HIGH_PX or abs(nx - x) >= (other + wide) / 2 for (_, nx, ny), other in placed):
                placed.append(((i, x, y), wide))
                break
    return [one for one, _ in placed]


def written(labels: Sequence[str], at: NDArray[np.float64], size: tuple[int, int]) -> list[DrawnText]:
    """Return the labels that fit into a picture, as drawn; see `place`."""
    room = min(WIDEST_PX, size[0] - 2 * NAME_PX)
    texts = [fitted(label or EMPTY_LABEL, NAME_PX, room, bold=True) for label in labels]
    widths = [width_of(text, NAME_PX, bold=True) for text in texts]
    return [
        DrawnText(texts[i], x, y + _BASELINE_PX, NAME_PX, bold=True, centered=True, has_halo=True)
        for i, x, y in place(at, size, widths)
    ]
