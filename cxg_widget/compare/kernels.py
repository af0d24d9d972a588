"""The compiled loops over entries of the matrix; imported at first use only, since numba takes a while.

`entries` are starts int64 (n_lines + 1,), positions int32 and values float32 of a `MatrixBlock`. `cells` are int32
codes, the group of each row or -1, and float64 scales, which values of a row are multiplied by before log1p; none =
values as they are. Bodies stand where they are used: calling a function for each entry takes ten times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

LISTED, SHIFT, SUM, SQUARES, LINEAR = 0, 1, 2, 3, 4
"""What a place of `state` holds of the entries of a gene in a group: how many; the first of them; the sums of their
distances from that one, and of the squares of these; the sum of their expm1. Distances are short where all values are
high: at most as many digits are lost as n times the last bit of a float64."""
MISSING, LOW = 0, 1
"""Indices into `rare`: the number of NaN entries, and of entries of 0 or less."""


@compiled
def add_rows(entries: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Take in entries of rows.

    cells : codes, scales, and int64 rows in the order to take them in: group by group, as what is known of one is small
    linear : whether to sum up expm1 too
    state : float64 (n_var, n_groups, 5); rare : int32 (n_var, n_groups, 2)
    """
    starts, genes, values = entries
    codes, scale, order = cells
    for row in order:
        group = codes[row]
        if group < 0:
            continue
        for entry in range(starts[row], starts[row + 1]):
            value, gene = np.float64(values[entry]), genes[entry]
            if scale.size:
                value = np.log1p(value * scale[row])
            if np.isnan(value):
                rare[gene, group, MISSING] += 1
                continue
            if value <= 0:
                rare[gene, group, LOW] += 1
            if state[gene, group, LISTED] == 0:
                state[gene, group, SHIFT] = value
            # Sums about the first value: Welford's update divides, 3.7 ns an entry for 3.0, and misses 1e-9 in t for
            # counts near 1e6. Plain sums of squares lose all digits there (decision 56).
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_dense_rows(lines: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Take in rows that hold every value, float32 (n_rows, n_var); as `add_rows`, in half the time."""
    codes, scale, order = cells
    for row in order:
        group = codes[row]
        if group < 0:
            continue
        for gene in range(lines.shape[1]):
            value = np.float64(lines[row, gene])
            if scale.size:
                value = np.log1p(value * scale[row])
            if np.isnan(value):
                rare[gene, group, MISSING] += 1
                continue
            rare[gene, group, LOW] += value <= 0
            if state[gene, group, LISTED] == 0:
                state[gene, group, SHIFT] = value
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_columns(entries: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Take in entries of columns; as `add_rows`, of these genes alone."""
    starts, rows, values = entries
    codes, scale = cells
    for gene in range(starts.size - 1):
        for entry in range(starts[gene], starts[gene + 1]):
            row = rows[entry]
            group = codes[row]
            if group < 0:
                continue
            value = np.float64(values[entry])
            if scale.size:
                value = np.log1p(value * scale[row])
            if np.isnan(value):
                rare[gene, group, MISSING] += 1
                continue
            if value <= 0:
                rare[gene, group, LOW] += 1
            if state[gene, group, LISTED] == 0:
                state[gene, group, SHIFT] = value
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_totals(entries: Any, totals: Any) -> int:
    """Add the values of columns to the totals of their rows, float64 (n_obs,); NaN counts as nothing.

    Return how many values are no counts of anything: below 0, or infinite.
    """
    starts, rows, values = entries
    n_wrong = 0
    for entry in range(starts[0], starts[-1]):
        value = values[entry]
        if not np.isnan(value):
            n_wrong += value < 0 or np.isinf(value)
            totals[rows[entry]] += value
    return n_wrong


@compiled
def put_totals(entries: Any, totals: Any) -> int:
    """Write the total of each row, float64 (n_rows,); NaN counts as nothing. Return the same as `add_totals`."""
    starts, _, values = entries
    n_wrong = 0
    for row in range(totals.size):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            value = values[entry]
            if not np.isnan(value):
                n_wrong += value < 0 or np.isinf(value)
                total += value
        totals[row] = total
    return n_wrong
