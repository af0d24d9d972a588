"""Compiled loops that sort and rank the entries of genes.

Parameters are those of `sum_loops.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

_SIGN, _TOP, _GROUP_BITS = np.uint32(31), np.uint32(0x80000000), np.uint64(16)
_LOW, _HIGH, _DIGITS, _DIGIT = np.uint64(11), np.uint64(22), 2048, np.uint64(2047)
_FEW = 48
"""Up to this many keys are sorted by insertion, without counting digits."""


@compiled
def _ascending(value: Any) -> Any:
    """Return a uint64 that sorts as the float32 does."""
    bits = np.float32(value).view(np.uint32)
    # Unsigned integers sort so if negative floats are inverted bitwise, and positive ones get the sign bit set.
    return np.uint64(~bits if bits >> _SIGN else bits | _TOP)


@compiled
def put_columns(entries: Any, cells: Any, keys: Any, ends: Any) -> None:
    """Write the keys of the ranked entries of columns: all except NaN, which has no rank, and 0.

    A key is a uint64 that sorts as the float32 value does, with the group, below 65,536, in its lowest 16 bits. Entries
    of 0 count as unlisted cells, with which they tie. Scaled values are rounded to float32, so that values that differ
    only in the last bits tie too.

    keys : uint64, as many as entries
    ends : int64 (n_columns,), end of the keys of each column, which start where its entries start
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
                keys[at] = (_ascending(value) << _GROUP_BITS) | np.uint64(group)
                at += 1
        ends[column] = at


@compiled
def count_transposed(entries: Any, codes: Any, left_out: Any, first: Any, counts: Any) -> None:
    """Count the entries of each gene to rank: all except NaN and those that tie with unlisted cells.

    left_out : float32 (n_var,), value of unlisted cells in each gene
    first : first gene to count
    counts : int32 (n_genes,), zeros
    """
    starts, genes, values = entries
    last = first + counts.size
    for row in range(codes.size):
        if codes[row] < 0:
            continue
        for entry in range(starts[row], starts[row + 1]):
            gene = np.int64(genes[entry])
            if first <= gene < last and values[entry] != left_out[gene] and not np.isnan(values[entry]):
                counts[gene - first] += 1


@compiled
def put_transposed(entries: Any, cells: Any, fill: Any, ends: Any, transposed: Any) -> None:
    """Write the ranked entries gene by gene, as `count_transposed` counted them.

    Scaled values are rounded to float32, as in `put_columns`.

    fill : first and left_out, as in `count_transposed`
    ends : int32 (n_genes,), where the next entry of each gene goes
    transposed : float32 and unsigned integers (n_entries,), value and group of each entry
    """
    starts, genes, values = entries
    codes, scale = cells
    first, left_out = fill
    kept, groups = transposed
    last = first + ends.size
    for row in range(codes.size):
        group = codes[row]
        if group < 0:
            continue
        for entry in range(starts[row], starts[row + 1]):
            gene = np.int64(genes[entry])
            value = values[entry]
            if gene < first or gene >= last or value == left_out[gene] or np.isnan(value):
                continue
            if scale.size:
                value = np.float32(np.log1p(np.float64(value) * scale[row]))
                if value == left_out[gene] or np.isnan(value):
                    continue
            at = ends[gene - first]
            kept[at] = value
            groups[at] = group
            ends[gene - first] = at + 1


@compiled
def put_keys(transposed: Any, starts: Any, stops: Any, keys: Any, ends: Any) -> None:
    """Append the keys of transposed entries of some genes; as `put_columns`.

    transposed : float32 and unsigned integers, value and group of each entry
    starts, stops : int32 (n_genes,), start and end of the entries of each gene
    ends : int64 (n_genes,), where the next key of each gene goes
    """
    kept, groups = transposed
    for gene in range(ends.size):
        at = ends[gene]
        for entry in range(starts[gene], stops[gene]):
            up = _ascending(kept[entry] + np.float32(0))  # turns -0.0 into 0.0
            keys[at] = (up << _GROUP_BITS) | np.uint64(groups[entry])
            at += 1
        ends[gene] = at


@compiled
def sort_keys(keys: Any, starts: Any, ends: Any, spare: Any) -> None:
    """Sort the keys of each gene by value, with a radix sort of 11-bit digits; equal values are in any order.

    keys, starts, ends : as in `add_ranks`
    spare : uint64, as many as the longest of them
    """
    n = np.empty((3, _DIGITS), dtype=np.int64)
    for gene in range(starts.size):
        first, last = starts[gene], ends[gene]
        if last - first < _FEW:
            for at in range(first + 1, last):
                key, to = keys[at], at
                while to > first and keys[to - 1] > key:
                    keys[to] = keys[to - 1]
                    to -= 1
                keys[to] = key
            continue
        # 7 ns an entry on any processor. NumPy's sort takes 3 with AVX-512 of one vendor, else 37 (decision 57).
        n[:] = 0
        for at in range(first, last):
            key = keys[at] >> _GROUP_BITS
            n[0, key & _DIGIT] += 1
            n[1, (key >> _LOW) & _DIGIT] += 1
            n[2, key >> _HIGH] += 1
        for digit in range(3):
            before = 0
            for place in range(_DIGITS):
                here = n[digit, place]
                n[digit, place] = before
                before += here
        for at in range(first, last):
            place = (keys[at] >> _GROUP_BITS) & _DIGIT
            spare[n[0, place]] = keys[at]
            n[0, place] += 1
        for at in range(last - first):
            place = (spare[at] >> (_GROUP_BITS + _LOW)) & _DIGIT
            keys[first + n[1, place]] = spare[at]
            n[1, place] += 1
        for at in range(first, last):
            place = keys[at] >> (_GROUP_BITS + _HIGH)
            spare[n[2, place]] = keys[at]
            n[2, place] += 1
        # Three passes are odd: the result is in `spare`.
        keys[first:last] = spare[: last - first]


@compiled
def _leave_out(listed: Any, n: Any, fill: Any, left_out: Any) -> Any:
    """Write the number of cells of each group without a key, and return the place of their value among the keys."""
    left_out[:] = n
    for at in range(listed.size):
        left_out[np.int64(listed[at] & np.uint64(0xFFFF))] -= 1
    return _ascending(fill + np.float32(0))


@compiled
def add_ranks(keys: Any, n: Any, fill: Any, sums: Any, ties: Any) -> None:
    """Write the sums of the mean ranks of each group, and the sum of t^3 - t over ties of t values, of some genes.

    keys : uint64, sorted per gene; int64 (n_genes,), their starts; int64 (n_genes,), their ends
    n : int64 (n_genes, n_groups), number of cells of each group in which each was measured
    fill : float32 (n_genes,), value of the cells without a key; no key has it
    sums : float64 (n_genes, n_groups), zeros; ties : float64 (n_genes,)
    """
    sorted_, starts, ends = keys
    low = np.uint64(0xFFFF)
    left_out = np.empty(sums.shape[1], dtype=np.int64)
    for gene in range(starts.size):
        fill_key = _leave_out(sorted_[starts[gene] : ends[gene]], n[gene], fill[gene], left_out)
        is_waiting, below, tied = left_out.sum() > 0, 0.0, 0.0
        at = starts[gene]
        while at < ends[gene] or is_waiting:
            # Unlisted cells are one tie, at the place of their value in the order.
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


@compiled
def add_ranks_against(keys: Any, n: Any, fill: Any, reference: Any, found: Any) -> None:
    """Write the same as `add_ranks`, with each group ranked only among its own cells and those of a reference group.

    reference : group that each other one is ranked with
    found : sums and ties, float64 (n_genes, n_groups) each, zeros; the others as in `add_ranks`
    """
    sorted_, starts, ends = keys
    sums, ties = found
    low = np.uint64(0xFFFF)
    n_groups = sums.shape[1]
    left_out = np.empty(n_groups, dtype=np.int64)
    here = np.zeros(n_groups, dtype=np.int64)
    for gene in range(starts.size):
        fill_key = _leave_out(sorted_[starts[gene] : ends[gene]], n[gene], fill[gene], left_out)
        is_waiting, below, tied = left_out.sum() > 0, 0.0, 0.0
        at = starts[gene]
        while at < ends[gene] or is_waiting:
            if is_waiting and (at == ends[gene] or sorted_[at] >> _GROUP_BITS > fill_key):
                is_waiting = False
                same = float(left_out[reference])
                alone = same * same * same - same
                for group in range(n_groups):
                    t = left_out[group] + same
                    sums[gene, group] += left_out[group] * (below + same / 2)
                    ties[gene, group] += t * t * t - t - alone
            else:
                end = at
                while end < ends[gene] and sorted_[end] >> _GROUP_BITS == sorted_[at] >> _GROUP_BITS:
                    here[np.int64(sorted_[end] & low)] += 1
                    end += 1
                same = float(here[reference])
                alone = same * same * same - same
                # Groups with this value are found among its entries: of thousands of groups most have none.
                for place in range(at, end):
                    own = np.int64(sorted_[place] & low)
                    if here[own] > 0:
                        t = here[own] + same
                        sums[gene, own] += here[own] * (below + same / 2)
                        ties[gene, own] += t * t * t - t - alone
                        here[own] = 0
                at = end
            tied += alone
            below += same
        for group in range(n_groups):
            # Until here these are pairs in which the cell of the group is higher, ties half.
            sums[gene, group] += n[gene, group] * (n[gene, group] + 1) / 2
            ties[gene, group] += tied
