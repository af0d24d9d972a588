"""Compiled loops over the codes of columns; imported at first use, since numba is slow to import."""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

PASSES, SELECTED, GROUP = 1, 2, 2
"""Lowest bits of a cell's state, and the number of bits below its group."""


@compiled
def put_states(failed: Any, own: Any, selected: Any, groups: Any, states: Any) -> None:
    """Write uint8 (n,): bit 0 = passes all filters except the column's own, bit 1 = selected; above them the group.

    failed : uint8 (n,), number of filters that each cell fails; own, selected : bool (n,); groups : uint8 (n,). Each
        may be empty: without filters, without a filter of its own, without a selection, without groups
    """
    for cell in range(states.size):
        state = np.uint8(1)
        if failed.size:
            # A cell may fail the column's own filter, and no other.
            allowed = np.uint8(0)
            if own.size:
                allowed = np.uint8(not own[cell])
            state = np.uint8(failed[cell] == allowed)
        if selected.size:
            state |= np.uint8(selected[cell]) << np.uint8(1)
        if groups.size:
            state |= groups[cell] << np.uint8(2)
        states[cell] = state


@compiled
def put_keys(bins: Any, n_codes: Any, states: Any, bits: Any, keys: Any) -> None:
    """Write uint16 (n,): the bin of each cell under a brush, and below it the lowest bits of its group.

    bins : uint8 (n,), below n_codes, which is the bin of cells that do not pass; states : as in `put_states`
    """
    lowest = np.uint16((1 << bits) - 1)
    for cell in range(keys.size):
        state = np.uint16(states[cell])
        at = np.uint16(bins[cell]) if state & np.uint16(PASSES) else np.uint16(n_codes)
        keys[cell] = np.uint16(at << bits) | (np.uint16(state >> np.uint16(GROUP)) & lowest)


@compiled
def tally(codes: Any, states: Any, bits: Any, tables: Any) -> None:
    """Count each cell by its code and the lowest bits of its state, in four alternating tables.

    Neighbors often have equal codes, and would stall on the same counter of one table.

    tables : uint32 (4, n_codes << bits)
    """
    lowest = np.uint8((1 << bits) - 1)
    whole = codes.size - codes.size % 4
    for cell in range(0, whole, 4):
        tables[0, (np.int64(codes[cell]) << bits) + (states[cell] & lowest)] += np.uint32(1)
        tables[1, (np.int64(codes[cell + 1]) << bits) + (states[cell + 1] & lowest)] += np.uint32(1)
        tables[2, (np.int64(codes[cell + 2]) << bits) + (states[cell + 2] & lowest)] += np.uint32(1)
        tables[3, (np.int64(codes[cell + 3]) << bits) + (states[cell + 3] & lowest)] += np.uint32(1)
    for cell in range(whole, codes.size):
        tables[0, (np.int64(codes[cell]) << bits) + (states[cell] & lowest)] += np.uint32(1)


@compiled
def tally_runs(codes: Any, starts: Any, stops: Any, tables: Any) -> None:
    """Count each cell of runs start <= cell < stop by its code, in four alternating tables, as `tally`.

    tables : uint32 (4, n_codes)
    """
    for run in range(starts.size):
        start, stop = starts[run], stops[run]
        whole = start + (stop - start) // 4 * 4
        for cell in range(start, whole, 4):
            tables[0, codes[cell]] += np.uint32(1)
            tables[1, codes[cell + 1]] += np.uint32(1)
            tables[2, codes[cell + 2]] += np.uint32(1)
            tables[3, codes[cell + 3]] += np.uint32(1)
        for cell in range(whole, stop):
            tables[0, codes[cell]] += np.uint32(1)


@compiled
def sum_runs(codes: Any, starts: Any, stops: Any, zero: Any, missing: Any) -> Any:
    """Return the number of codes of runs except `missing`, their sum, and how many are above and at zero.

    zero : code of 0; -1 or `missing` if all numbers are on one side of it
    """
    n_valued, total, n_above, n_zero = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for run in range(starts.size):
        for cell in range(starts[run], stops[run]):
            code = np.int64(codes[cell])
            is_valued = np.int64(code != missing)
            n_valued += is_valued
            total += code * is_valued
            n_above += np.int64(code > zero) * is_valued
            n_zero += np.int64(code == zero) * is_valued
    return n_valued, total, n_above, n_zero


@compiled
def sum_numbers(codes: Any, starts: Any, stops: Any, missing: Any, numbers: Any) -> Any:
    """Return the sum of the numbers of the codes of runs, except `missing`."""
    total = 0.0
    for run in range(starts.size):
        for cell in range(starts[run], stops[run]):
            if codes[cell] != missing:
                total += numbers[codes[cell]]
    return total


@compiled
def put_category_codes(codes: Any, missing: Any, out: Any) -> None:
    """Write codes with -1 replaced by `missing`."""
    for cell in range(codes.size):
        code = codes[cell]
        out[cell] = missing if code < 0 else code


@compiled
def finite_ends(values: Any) -> Any:
    """Return the lowest and highest finite value, inf and -inf if there are none."""
    low, high = np.inf, -np.inf
    for cell in range(values.size):
        value = np.float64(values[cell])
        if np.isfinite(value):
            low, high = min(low, value), max(high, value)
    return low, high


@compiled
def put_float_bins(values: Any, edges: Any, scale: Any, out: Any) -> None:
    """Write the bin of each value, as `numpy.histogram`; one past the last bin if it is not finite.

    scale : bins per half unit of the values, which gives the bin or a neighbor
    """
    n_bins = edges.size - 1
    half = edges[0] / 2
    for cell in range(values.size):
        value = np.float64(values[cell])
        if not np.isfinite(value):
            out[cell] = n_bins
            continue
        # The product may round into a neighboring bin; comparing with the edges corrects it, as in `numpy.histogram`.
        at = min(max(int((value / 2 - half) * scale), 0), n_bins - 1)
        while at > 0 and value < edges[at]:
            at -= 1
        while at < n_bins - 1 and value >= edges[at + 1]:
            at += 1
        out[cell] = at


@compiled
def put_integer_bins(values: Any, low: Any, width: Any, out: Any) -> None:
    """Write the number of widths, uint64, between `low`, uint64, and each integer, modulo 2**64."""
    narrow = np.uint32(width)
    for cell in range(values.size):
        above = np.uint64(values[cell]) - low
        if width == np.uint64(1):
            out[cell] = above
        # A 32-bit division takes a fraction of a 64-bit one on many processors.
        elif above < np.uint64(4294967296) and width < np.uint64(4294967296):
            out[cell] = np.uint32(above) // narrow
        else:
            out[cell] = above // width


@compiled
def count_codes(codes: Any, passing: Any, counts: Any) -> None:
    """Count each passing cell by its code, -1 last; passing: bool (n,), empty = all."""
    for cell in range(codes.size):
        if not passing.size or passing[cell]:
            # -1 counts in the last place, by Python's indexing.
            counts[codes[cell]] += 1


@compiled
def count_on_grid(cells: Any, column: Any, passing: Any, geometry: Any, planes: Any) -> None:
    """Count each passing cell in its bin in the plane of its category; cells outside are skipped.

    cells : xy float32 (n, 2); rows uint32 (n,), or empty if in row order; start and stop of the cells to count
    column : codes (n_obs,), empty = all cells in plane 0; slots int32 (k + 1,), plane of each code or -1
    passing : bool (n_obs,), empty = all
    geometry : x0, y0 of the grid, bins per unit of x and of y
    planes : uint32 (n_planes, lines, columns)
    """
    xy, rows, start, stop = cells
    codes, slots = column
    x0, y0, per_x, per_y = geometry
    _, lines, columns = planes.shape
    for place in range(start, stop):
        row = np.int64(rows[place]) if rows.size else place
        if passing.size and not passing[row]:
            continue
        slot = slots[codes[row]] if codes.size else 0
        if slot < 0:
            continue
        x, y = (xy[place, 0] - x0) * per_x, (xy[place, 1] - y0) * per_y
        # False for NaN. From 0 on, truncation equals floor.
        if 0 <= x < columns and 0 <= y < lines:
            planes[slot, int(y), int(x)] += np.uint32(1)
