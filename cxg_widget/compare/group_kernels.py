"""Compiled loops over the values of a gene in groups of cells; imported at first use, since numba takes a while."""

from __future__ import annotations

import math
from typing import Any

from cxg_widget.compute.compiled import compiled


@compiled
def add_values(values: Any, groups: Any, counts: Any, numbers: Any) -> None:
    """Add values to what is known of their groups.

    values, groups : (n,); a group of -1 is none
    counts : int64 (3, k), of each group: values that are numbers, NaN, above 0
    numbers : float64 (3, k), of each group: their sum, the least and the greatest
    """
    for i in range(values.size):
        group = groups[i]
        if group < 0:
            continue
        value = float(values[i])
        if math.isnan(value):
            counts[1, group] += 1
            continue
        counts[0, group] += 1
        if value > 0:
            counts[2, group] += 1
        numbers[0, group] += value
        numbers[1, group] = min(numbers[1, group], value)
        numbers[2, group] = max(numbers[2, group], value)


@compiled
def add_to_bins(values: Any, groups: Any, edges: Any, counts: Any) -> None:
    """Count the finite values of each group between equidistant edges, as `numpy.histogram` does.

    counts : int64 (k, number of bins)
    """
    last = edges.size - 2
    low, per_unit = edges[0], (last + 1) / (edges[last + 1] - edges[0])
    for i in range(values.size):
        group, value = groups[i], float(values[i])
        if group < 0 or not (edges[0] <= value <= edges[last + 1]):
            continue
        at = min(int((value - low) * per_unit), last)
        # The product may round into the bin beside.
        if value < edges[at]:
            at -= 1
        elif at < last and value >= edges[at + 1]:
            at += 1
        counts[group, at] += 1
