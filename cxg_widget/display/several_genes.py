"""Mean of several genes or a gene set: its label and its values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cxg_widget.datasets.base.dataset import Vector


def mean_label(of: str) -> str:
    """Return the label of the mean of several genes."""
    return f"mean of {of}"


def mean_value(values: Sequence[float]) -> float:
    """Average the genes of one cell."""
    return float(np.mean(values, dtype=np.float64))


def mean_vector(vectors: Iterable[Vector], count: int, n_obs: int) -> Vector:
    """Average `count` genes per cell, holding one at a time; sparse if few cells differ from the mean fill."""
    if count == 1:
        return next(iter(vectors))
    total = np.zeros(n_obs, dtype=np.float64)
    fill = 0.0
    touched = np.zeros(n_obs, dtype=np.bool_)
    for vector in vectors:
        if vector.rows is None:
            total += vector.values
            touched[:] = True
        else:
            fill += vector.fill
            total += vector.fill
            total[vector.rows] += vector.values.astype(np.float64) - vector.fill
            touched[vector.rows] = True
    total /= count
    if touched.all():
        return Vector(total.astype(np.float32))
    rows = np.flatnonzero(touched).astype(np.int64, copy=False)
    return Vector(total[rows].astype(np.float32), rows, fill / count)
