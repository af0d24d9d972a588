"""Compiled loops that add values to the state of groups, for comparisons and plots.

`entries` are starts int64 (n_lines + 1,), positions int32 and values float32 of a `MatrixBlock`. `cells` are int32
codes, the group of each row or -1, and float64 scales, factors of the values of a row before log1p; none = values as
they are. Loop bodies are repeated inline: calling a function for each entry takes ten times as long.
"""
# Changes with cxg_widget/compare/moments.py: what a share counts.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

LISTED, SHIFT, SUM, SQUARES, LINEAR = 0, 1, 2, 3, 4
"""Places of `state`, per gene and group, as many as it has: number of entries; the first of them; sum of distances from
that one; sum of squared distances; sum of expm1. Distances are small even if all values are high: at most as many
digits are lost as n times the last bit of a float64.
"""
HIGHEST = 2.0**63
"""Counts are below it: more is no int64."""
MISSING, LOW = 0, 1
"""Indices into `rare`: the number of NaN entries, and of entries of 0 or less."""


@compiled
def add_rows(entries: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Add entries of rows.

    cells : codes, scales, and int64 rows in processing order: group by group, since the state of one group is small
    linear : whether to sum up expm1 too
    state : float64 (n_var, n_groups, 3 to 5); rare : int32 (n_var, n_groups, 2)
    """
    starts, genes, values = entries
    codes, scale, order = cells
    squared = state.shape[2] > SQUARES
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
            # Sums about the first value: Welford's update divides, 3.7 ns an entry instead of 3.0, and errs by 1e-9 in
            # t for counts near 1e6. Plain sums of squares lose all digits there (decision 56).
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            if squared:
                state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_dense_rows(lines: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Add rows that hold every value, float32 (n_rows, n_var); as `add_rows`, in half the time."""
    codes, scale, order = cells
    squared = state.shape[2] > SQUARES
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
            if squared:
                state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_columns(entries: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Add entries of columns; as `add_rows`, for these genes only."""
    starts, rows, values = entries
    codes, scale = cells
    squared = state.shape[2] > SQUARES
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
            if squared:
                state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_totals(entries: Any, totals: Any) -> int:
    """Add the values of columns to the totals of their rows, float64 (n_obs,); NaN counts as 0.

    Return the number of values that cannot be counts: negative or infinite.
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
    """Write the total of each row, float64 (n_rows,); NaN counts as 0. Return the same as `add_totals`."""
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


@compiled
def sum_rows(entries: Any, codes: Any, sums: Any) -> int:
    """Add the counts of rows to their groups, uint32 or int64 (n_groups, n_var); NaN counts as 0.

    codes : int32, the group of each row
    Return the number of values that are no counts: fractions, negative or infinite.
    """
    starts, genes, values = entries
    n_other = 0
    for row in range(starts.size - 1):
        line = sums[codes[row]]
        for entry in range(starts[row], starts[row + 1]):
            value = values[entry]
            # 2.7 ns an entry; 3.8 if it is compared with itself as an int64 (decision 96).
            if 0 <= value < HIGHEST and np.floor(value) == value:
                line[genes[entry]] += np.int64(value)
            else:
                n_other += not np.isnan(value)
    return n_other


@compiled
def put_sparse(sums: Any, starts: Any, positions: Any, values: Any) -> None:
    """Write the entries of dense sums, (n_lines, n), that are not 0, as sparse lines.

    starts : int64 (n_lines,), the first entry of each line
    positions, values : of all entries
    """
    for line in range(sums.shape[0]):
        entry = starts[line]
        for at in range(sums.shape[1]):
            value = sums[line, at]
            if value != 0:
                positions[entry] = at
                values[entry] = value
                entry += 1


@compiled
def sum_values_of_rows(entries: Any, codes: Any, sums: Any) -> None:
    """Add the values of rows to their groups, float64 (n_groups, n_var); sums with NaN are NaN."""
    starts, genes, values = entries
    for row in range(starts.size - 1):
        group = codes[row]
        for entry in range(starts[row], starts[row + 1]):
            sums[group, genes[entry]] += values[entry]


@compiled
def sum_values_of_columns(entries: Any, codes: Any, sums: Any) -> None:
    """Add the values of columns to sums, float64 (n_genes, n_groups); as `sum_values_of_rows`."""
    starts, rows, values = entries
    for gene in range(starts.size - 1):
        for entry in range(starts[gene], starts[gene + 1]):
            sums[gene, codes[rows[entry]]] += values[entry]


@compiled
def sum_columns(entries: Any, codes: Any, sums: Any) -> int:
    """Add the counts of columns to sums, int64 (n_genes, n_groups); as `sum_rows`, for these genes only."""
    starts, rows, values = entries
    n_other = 0
    for gene in range(starts.size - 1):
        for entry in range(starts[gene], starts[gene + 1]):
            value = values[entry]
            whole = np.int64(value)
            if whole >= 0 and np.float64(whole) == value:
                sums[gene, codes[rows[entry]]] += whole
            else:
                n_other += not np.isnan(value)
    return n_other


@compiled
def add_values(values: Any, groups: Any, counts: Any, numbers: Any) -> None:
    """Add values to the state of their groups.

    values, groups : (n,); a group of -1 is skipped
    counts : int64 (3, k), of each group: number of values, of NaN, of values above 0
    numbers : float64 (3, k), of each group: sum, lowest and highest value
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
        # The product may round into the neighboring bin.
        if value < edges[at]:
            at -= 1
        elif at < last and value >= edges[at + 1]:
            at += 1
        counts[group, at] += 1
