"""Sixteen small clumps in two embeddings, in a page: what panels side by side are tested with."""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget import CxgWidget
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

SIDE = 4
LABELS = ("d0", "d1")
WHITE = (255, 255, 255)
LOOK = {"color": "donor", "height": 560, "point_size": 6}
_N_EACH = 40


def clumps() -> MemoryDataset:
    """Return them: a gene that is high in the left ones, one and a category that tell the lower from the upper.

    A PCA has them ten times as far apart, and turned by a quarter.
    """
    rng = np.random.default_rng(2)
    clump = np.repeat(np.arange(SIDE * SIDE), _N_EACH)
    place = np.stack([clump % SIDE, clump // SIDE], axis=1)
    xy = (place + rng.normal(scale=0.03, size=place.shape)).astype(np.float32)
    pca = np.stack([10 * xy[:, 1], -10 * xy[:, 0], xy[:, 0]], axis=1)
    genes = np.stack([place[:, 0] < 2, place[:, 1] < 2], axis=1).astype(np.float32)
    donor = np.array([LABELS[int(one >= 2)] for one in place[:, 1]], dtype=object)
    return MemoryDataset({"donor": donor}, genes, ["LEFT", "LOW"], {"X_umap": xy, "X_pca": pca})


def serve_clumps(chromium: Any) -> ServedWidget:
    """Show them in a page."""
    return ServedWidget(chromium, CxgWidget(clumps(), **LOOK), width=1000, height=620)


def near(one: tuple[int, ...], other: tuple[int, ...], by: int = 40) -> bool:
    """Say whether two colors are alike."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= by
