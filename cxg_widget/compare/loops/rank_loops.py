"""Compiled loops that sort and rank the entries of genes.

Parameters are those of `sum_loops.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

_SIGN, _TOP, _GROUP_BITS = np.uint32(31), np.uint32(0x80000000), np.uint64(16)
_ONE, _DIGIT_BITS, _DIGITS = np.uint64(1), 11, 2048
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
def count_transposed(entries: Any, cells: Any, left_out: Any, first: Any, counts: Any) -> None:
    """Count the entries of each gene to rank: all except NaN and those that tie with unlisted cells.

    cells : codes, and two int32 (n_rows,): number of entries of each row of genes before `first`, -1 = unknown; the
        same of genes before the last, to write, -1 = genes do not ascend
    left_out : float32 (n_var,), value of unlisted cells in each gene
    first : first gene to count
    counts : int32 (n_genes,), zeros
    """
    starts, genes, values = entries
    codes, done, ends = cells
    last = first + counts.size
    for row in range(codes.size):
        if codes[row] < 0:
            continue
        # Each pass goes on in a row where the one before ended, so that all passes visit an entry about once.
        if done[row] >= 0:
            entry = starts[row] + done[row]
            while entry < starts[row + 1] and genes[entry] < last:
                gene = np.int64(genes[entry])
                if values[entry] != left_out[gene] and not np.isnan(values[entry]):
                    counts[gene - first] += 1
                entry += 1
            ends[row] = entry - starts[row]
            continue
        n_before, n_falls, before = np.int64(0), np.int64(0), np.int64(-1)
        for entry in range(starts[row], starts[row + 1]):
            gene = np.int64(genes[entry])
            n_falls += gene <= before
            before = gene
            n_before += gene < last
            if first <= gene < last and values[entry] != left_out[gene] and not np.isnan(values[entry]):
                counts[gene - first] += 1
        ends[row] = -1 if n_falls else n_before


@compiled
def put_transposed(entries: Any, cells: Any, fill: Any, ends: Any, transposed: Any) -> None:
    """Write the ranked entries gene by gene, as `count_transposed` counted them.

    Scaled values are rounded to float32, as in `put_columns`.

    cells : codes, scale, and the numbers of entries of `count_transposed`
    fill : first and left_out, as in `count_transposed`
    ends : int32 (n_genes,), where the next entry of each gene goes
    transposed : float32 and unsigned integers (n_entries,), value and group of each entry
    """
    starts, genes, values = entries
    codes, scale, done, until = cells
    first, left_out = fill
    kept, groups = transposed
    last = first + ends.size
    for row in range(codes.size):
        group = codes[row]
        if group < 0:
            continue
        stop = starts[row] + until[row] if until[row] >= 0 else starts[row + 1]
        for entry in range(starts[row] + max(done[row], 0), stop):
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
def _insert(keys: Any) -> None:
    """Sort a few keys by insertion."""
    for at in range(1, keys.size):
        key, to = keys[at], at
        while to > 0 and keys[to - 1] > key:
            keys[to] = keys[to - 1]
            to -= 1
        keys[to] = key


@compiled
def _bits_that_differ(keys: Any) -> Any:
    """Return the bits in which the values of keys differ: the first, their number, and the lowest value from there."""
    lowest = highest = keys[0]
    differ = np.uint64(0)
    for key in keys:
        lowest, highest = min(lowest, key), max(highest, key)
        differ |= key ^ keys[0]
    differ >>= _GROUP_BITS
    low, n_bits = _GROUP_BITS, 0
    while differ and not differ & _ONE:
        differ >>= _ONE
        low += _ONE
    lowest >>= low
    while ((highest >> low) - lowest) >> np.uint64(n_bits):
        n_bits += 1
    return low, n_bits, lowest


@compiled
def sort_keys(keys: Any, starts: Any, ends: Any, spare: Any) -> None:
    """Sort the keys of each gene by value, with a radix sort of up to 3 digits; equal values are in any order.

    keys, starts, ends : as in `add_ranks`
    spare : uint64, as many as the longest of them
    """
    n = np.empty((3, _DIGITS), dtype=np.int32)
    for gene in range(starts.size):
        first, last = starts[gene], ends[gene]
        here, there = keys[first:last], spare[: last - first]
        if here.size < _FEW:
            _insert(here)
            continue
        # Only bits in which values of a gene differ are sorted: 9 for counts, 25 for their logarithms (decision 57).
        low, n_bits, lowest = _bits_that_differ(here)
        n_digits = -(-n_bits // _DIGIT_BITS)
        width = np.uint64(-(-n_bits // max(n_digits, 1)))
        size = 1 << np.int64(width)
        mask = np.uint64(size - 1)
        # 5 ns an entry on any processor. NumPy's sort takes 3 with AVX-512 of one vendor, else 37 (decision 57).
        for place in range(size):
            n[0, place] = n[1, place] = n[2, place] = 0
        for at in range(here.size):
            key = (here[at] >> low) - lowest
            n[0, key & mask] += 1
            n[1, (key >> width) & mask] += 1
            n[2, (key >> (width + width)) & mask] += 1
        for digit in range(n_digits):
            before = 0
            for place in range(size):
                more = n[digit, place]
                n[digit, place] = before
                before += more
            shift = np.uint64(digit) * width
            for at in range(here.size):
                place = (((here[at] >> low) - lowest) >> shift) & mask
                there[n[digit, place]] = here[at]
                n[digit, place] += 1
            here, there = there, here
        if n_digits % 2:
            # As an assignment of slices, this line would take 2 s to compile.
            for at in range(here.size):
                keys[first + at] = here[at]


@compiled
def _leave_out(listed: Any, n: Any, fill: Any, left_out: Any) -> Any:
    """Write the number of cells of each group without a key; return that of all, and the place of their value."""
    total = -listed.size
    for group in range(left_out.size):
        left_out[group] = n[group]
        total += n[group]
    for at in range(listed.size):
        left_out[np.int64(listed[at] & np.uint64(0xFFFF))] -= 1
    return total, _ascending(fill + np.float32(0))


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
        n_left_out, fill_key = _leave_out(sorted_[starts[gene] : ends[gene]], n[gene], fill[gene], left_out)
        is_waiting, below, tied = n_left_out > 0, 0.0, 0.0
        at = starts[gene]
        while at < ends[gene] or is_waiting:
            # Unlisted cells are one tie, at the place of their value in the order.
            if is_waiting and (at == ends[gene] or sorted_[at] >> _GROUP_BITS > fill_key):
                is_waiting, t = False, float(n_left_out)
                for group in range(left_out.size):
                    sums[gene, group] += left_out[group] * (below + (t + 1) / 2)
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
        n_left_out, fill_key = _leave_out(sorted_[starts[gene] : ends[gene]], n[gene], fill[gene], left_out)
        is_waiting, below, tied = n_left_out > 0, 0.0, 0.0
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
