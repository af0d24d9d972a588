"""One image over another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def over(image: NDArray[np.uint8], above: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an image under another, or under one colour: red, green, blue and opacity, all 0 to 255."""
    share, alpha = above[..., 3:] / 255, image[..., 3:] / 255
    covered = share + alpha * (1 - share)
    mixed = (above[..., :3] * share + image[..., :3] * alpha * (1 - share)) / np.maximum(covered, 1 / 255)
    found = np.concatenate([mixed, 255 * np.broadcast_to(covered, (*mixed.shape[:2], 1))], axis=2)
    return np.asarray(np.rint(np.clip(found, 0, 255)), dtype=np.uint8)


def fill(image: NDArray[np.uint8], box: tuple[int, int, int, int], rgba: NDArray[Any]) -> None:
    """Lay a colour, or one for each column, over a part of an image: left, top, width, height; px."""
    left, top, width, height = box
    part = image[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
    part[:] = over(part, np.broadcast_to(rgba[..., : part.shape[1], :] if rgba.ndim > 1 else rgba, part.shape))
