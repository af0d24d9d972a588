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
MISSING, LOW, ZERO = 0, 1, 2
"""What a place of `rare` counts: entries that are NaN, entries of 0 or less, entries of 0."""
_SIGN, _TOP, _GROUP_BITS = np.uint32(31), np.uint32(0x80000000), np.uint64(16)


@compiled
def add_rows(entries: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Take in entries of rows.

    linear : whether to sum up expm1 too
    state : float64 (n_var, n_groups, 5); rare : int32 (n_var, n_groups, 3)
    """
    starts, genes, values = entries
    codes, scale = cells
    for row in range(codes.size):
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
                rare[gene, group, ZERO] += value == 0
            if state[gene, group, LISTED] == 0:
                state[gene, group, SHIFT] = value
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_dense_rows(lines: Any, cells: Any, linear: Any, state: Any, rare: Any) -> None:
    """Take in rows that hold every value, float32 (n_rows, n_var); as `add_rows`, in half the time."""
    codes, scale = cells
    for row in range(codes.size):
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
            rare[gene, group, ZERO] += value == 0
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
                rare[gene, group, ZERO] += value == 0
            if state[gene, group, LISTED] == 0:
                state[gene, group, SHIFT] = value
            away = value - state[gene, group, SHIFT]
            state[gene, group, LISTED] += 1
            state[gene, group, SUM] += away
            state[gene, group, SQUARES] += away * away
            if linear:
                state[gene, group, LINEAR] += np.expm1(value)


@compiled
def add_totals(entries: Any, totals: Any) -> None:
    """Add the values of columns to the totals of their rows, float64 (n_obs,); NaN counts as nothing."""
    starts, rows, values = entries
    for entry in range(starts[0], starts[-1]):
        if not np.isnan(values[entry]):
            totals[rows[entry]] += values[entry]


@compiled
def put_totals(entries: Any, totals: Any) -> None:
    """Write the total of each row, float64 (n_rows,); NaN counts as nothing."""
    starts, _, values = entries
    for row in range(totals.size):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            if not np.isnan(values[entry]):
                total += values[entry]
        totals[row] = total


@compiled
def put_columns(entries: Any, cells: Any, keys: Any, ends: Any) -> None:
    """Write the keys of the entries of columns that are ranked: all but NaN, which has no rank, and 0.

    A key is a uint64 that sorts as the float32 value does, with the group, below 65,536, in its lowest 16 bits. Entries
    of 0 are left to the cells that are not listed, with which they tie. Scaled values are rounded to float32, so that
    those that are the same but for the last bits tie too.

    keys : uint64, as many as entries
    ends : int64 (n_columns,), after the last key of each column, the first of which lies where its entries begin
    """
    starts, rows, values = entries
    codes, scale = cells
    for column in range(ends.size):
        at = starts[column] - starts[0]
        for entry in range(starts[column], starts[column + 1]):
            row = rows[entry]
            group = codes[row]
            if group < 0:
                continue
            value = values[entry]
            if scale.size:
                value = np.float32(np.log1p(np.float64(value) * scale[row]))
            if not np.isnan(value) and value != 0:
                bits = np.float32(value).view(np.uint32)
                up = ~bits if bits >> _SIGN else bits | _TOP
                keys[at] = (np.uint64(up) << _GROUP_BITS) | np.uint64(group)
                at += 1
        ends[column] = at


@compiled
def put_rows(entries: Any, cells: Any, fill: Any, keys: Any, ends: Any) -> None:
    """Write the keys of entries of rows behind those of the same gene that were written before; as `put_columns`.

    fill : first of the genes that are written; float32 (n_var,), what cells that are not listed have of each gene
    ends : int64 (n_genes,), where the next key of each of these genes goes
    """
    starts, genes, values = entries
    codes, scale = cells
    first, left_out = fill
    last = first + ends.size
    for row in range(codes.size):
        group = codes[row]
        if group < 0:
            continue
        for entry in range(starts[row], starts[row + 1]):
            gene = np.int64(genes[entry])
            if gene < first or gene >= last:
                continue
            value = values[entry]
            if scale.size:
                value = np.float32(np.log1p(np.float64(value) * scale[row]))
            if not np.isnan(value) and value != left_out[gene]:
                bits = np.float32(value + np.float32(0)).view(np.uint32)  # of two zeros one
                up = ~bits if bits >> _SIGN else bits | _TOP
                keys[ends[gene - first]] = (np.uint64(up) << _GROUP_BITS) | np.uint64(group)
                ends[gene - first] += 1


@compiled
def add_ranks(keys: Any, n: Any, fill: Any, sums: Any, ties: Any) -> None:
    """Write the sums of the mean ranks of each group, and the sum of t^3 - t over ties of t values, of some genes.

    keys : uint64, those of each gene sorted; int64 (n_genes,), where they begin; int64 (n_genes,), where they end
    n : int64 (n_genes, n_groups), of how many cells of each group each was measured in
    fill : float32 (n_genes,), what those without a key have, and none with a key has
    sums : float64 (n_genes, n_groups), zeros; ties : float64 (n_genes,)
    """
    sorted_, starts, ends = keys
    low = np.uint64(0xFFFF)
    left_out = np.empty(sums.shape[1], dtype=np.int64)
    for gene in range(starts.size):
        left_out[:] = n[gene]
        for at in range(starts[gene], ends[gene]):
            left_out[np.int64(sorted_[at] & low)] -= 1
        bits = np.float32(fill[gene] + np.float32(0)).view(np.uint32)
        fill_key = np.uint64(~bits if bits >> _SIGN else bits | _TOP)
        is_waiting, below, tied = left_out.sum() > 0, 0.0, 0.0
        at = starts[gene]
        while at < ends[gene] or is_waiting:
            if is_waiting and (at == ends[gene] or sorted_[at] >> _GROUP_BITS > fill_key):
                is_waiting, t = False, float(left_out.sum())
                sums[gene] += left_out * (below + (t + 1) / 2)
            else:
                end = at + 1
                while end < ends[gene] and sorted_[end] >> _GROUP_BITS == sorted_[at] >> _GROUP_BITS:
                    end += 1
                t = float(end - at)
                for place in range(at, end):
                    sums[gene, np.int64(sorted_[place] & low)] += below + (t + 1) / 2
                at = end
            tied += t * t * t - t
            below += t
        ties[gene] = tied
