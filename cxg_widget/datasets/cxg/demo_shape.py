"""Synthetic embeddings that look like a UMAP: bent, filamentous, unevenly dense islands with bridges between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.cxg.demo_types import CELL_TYPES, CellType

Floats = NDArray[np.float64]

_CENTRES_PER_UNIT = 26  # small blobs per square unit of a type's band: enough for texture, too few to see each


@dataclass(frozen=True)
class Shape:
    """A mixture of small compact blobs, in which every type and condition has its own weights.

    xy : (k, 2) centers
    axes : (k, 2, 2) maps the unit disc to the blob
    progress : (k,) position along the type's path, 0 to 1
    edges : (n_types * 2 * k',) cumulative weights; group g = 2 * type + condition has those between g and g + 1
    blob : (n_types * 2 * k',) the blob of each edge
    waves : (m, 5) wave vector x, y, phase, and displacement x, y of the smooth bending of the whole plane
    """

    xy: Floats
    axes: Floats
    progress: Floats
    edges: Floats
    blob: NDArray[np.int64]
    waves: Floats


def make_shape(seed: int) -> Shape:
    """Lay out the blobs of every cell type."""
    rng = np.random.default_rng([seed, 1])
    xy, axes, progress, edges, blob = [], [], [], [], []
    start = 0
    for number, cell_type in enumerate(CELL_TYPES):
        centres, maps, along, across, weight = _blobs(cell_type, rng)
        xy.append(centres)
        axes.append(maps)
        progress.append(along)
        for condition, side in enumerate((-0.8, 0.8)):
            tilted = np.cumsum(weight * np.exp(side * across))
            edges.append(2 * number + condition + tilted / tilted[-1])
            blob.append(np.arange(start, start + len(along)))
        start += len(along)
    return Shape(
        np.concatenate(xy),
        np.concatenate(axes),
        np.concatenate(progress),
        np.concatenate(edges),
        np.concatenate(blob),
        _waves(rng),
    )


def place(
    shape: Shape, types: NDArray[np.uint8], conditions: NDArray[np.uint8], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw the coordinates of each cell in the embedding.

    Parameters
    ----------
    types, conditions : uint8 (n,)

    Returns
    -------
    xy : float32 (n, 2)
    progress : float32 (n,), position of the cell along its type's path, 0 to 1
    """
    n = len(types)
    group = 2.0 * types + conditions
    edge = np.searchsorted(shape.edges, group + rng.random(n) * (1 - 1e-9), side="right")
    blob = shape.blob[np.minimum(edge, len(shape.blob) - 1)]
    radius = np.sqrt(rng.random(n)) * np.where(rng.random(n) < 0.04, rng.exponential(1.1, n), 1.0)
    angle = rng.random(n) * 2 * np.pi
    disc = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    xy = shape.xy[blob] + np.einsum("nij,nj->ni", shape.axes[blob], disc)
    progress = np.clip(shape.progress[blob] + rng.normal(0, 0.05, n), 0, 1)
    return bend(shape, xy).astype(np.float32), progress.astype(np.float32)


def bend(shape: Shape, xy: Floats) -> Floats:
    """Displace (n, 2) points by a smooth field, so that no edge stays straight."""
    bent = xy.copy()
    for wave_x, wave_y, phase, move_x, move_y in shape.waves:
        swing = np.sin(bent[:, 0] * wave_x + bent[:, 1] * wave_y + phase)
        bent[:, 0] += move_x * swing
        bent[:, 1] += move_y * swing
    return bent


def _blobs(cell_type: CellType, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Scatter blobs over the band along a type's path, and a few strands that leave it."""
    path = np.array(cell_type.path)
    length = np.hypot(*np.diff(path[:, :2], axis=0).T).sum()
    n_body = int(12 + _CENTRES_PER_UNIT * length * path[:, 2].mean())
    along = (np.arange(n_body) + rng.random(n_body)) / n_body
    across = rng.uniform(-1, 1, n_body)
    size = rng.uniform(0.14, 0.42, n_body)
    weight = rng.gamma(0.9, 1.0, n_body) + 0.05
    for _ in range(1 + int(length / 4)):
        n_strand = 14
        begin, reach = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.25) * rng.choice([-1, 1])
        along = np.append(along, np.clip(begin + np.linspace(0, reach, n_strand), 0, 1))
        across = np.append(across, np.linspace(0.7, rng.uniform(1.2, 1.7), n_strand) * rng.choice([-1, 1]))
        size = np.append(size, np.linspace(0.2, 0.05, n_strand))
        weight = np.append(weight, np.full(n_strand, 0.35))
    point, tangent = _bezier(path, along), _direction(path, along)
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
    half_width = point[:, 2:]
    centre = point[:, :2] + across[:, None] * half_width * normal
    radius = size[:, None] * half_width
    long = radius * rng.uniform(1.1, 2.4, len(along))[:, None]
    axes = np.stack([tangent * long, normal * radius], axis=2)
    return centre, axes, along, np.clip(across, -1, 1), weight * (radius * long)[:, 0]


def _bezier(control: Floats, t: Floats) -> Floats:
    """Evaluate a Bézier curve of any degree at t, 0 to 1."""
    degree = len(control) - 1
    weights = [comb(degree, k) * t**k * (1 - t) ** (degree - k) for k in range(degree + 1)]
    return np.stack(weights, axis=1) @ control


def _direction(control: Floats, t: Floats) -> Floats:
    """Return the unit tangent of the curve in the plane."""
    step = _bezier(np.diff(control[:, :2], axis=0), t)
    return np.asarray(step / np.maximum(np.hypot(*step.T), 1e-9)[:, None])


def _waves(rng: np.random.Generator) -> Floats:
    """Draw the bending: a few long waves that move far and some short ones that only roughen the edges."""
    waves = []
    for wavelength, reach in ((14, 0.55), (9, 0.4), (5.5, 0.25), (3.2, 0.13), (2.1, 0.08), (1.3, 0.05), (0.8, 0.03)):
        for _ in range(2):
            heading, push = rng.uniform(0, 2 * np.pi, 2)
            turn = 2 * np.pi / wavelength
            waves.append(
                (
                    turn * np.cos(heading),
                    turn * np.sin(heading),
                    rng.uniform(0, 2 * np.pi),
                    reach * np.cos(push),
                    reach * np.sin(push),
                )
            )
    return np.array(waves)
