"""Composites one image over another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LINES = 256
"""So many lines at once: what is on the way to a pixel takes twenty times as much as that."""


def over(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an image under another, or under one colour: red, green, blue and opacity, all 0 to 255."""
    found, upper = np.empty_like(image), np.broadcast_to(above, image.shape)
    for first in range(0, len(image), _LINES):
        part = slice(first, first + _LINES)
        found[part] = _mixed(image[part], upper[part])
    return found


def _mixed(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    share, alpha = above[..., 3:] / 255, image[..., 3:] / 255
    covered = share + alpha * (1 - share)
    mixed = (above[..., :3] * share + image[..., :3] * alpha * (1 - share)) / np.maximum(covered, 1 / 255)
    found = np.concatenate([mixed, 255 * np.broadcast_to(covered, (*mixed.shape[:2], 1))], axis=2)
    return np.asarray(np.rint(np.clip(found, 0, 255)), dtype=np.uint8)
