"""Compiled loops that decode chunks; `chunks.py` prepares their arguments.

Import this module at first use only, since numba takes a while to load. All loops release the interpreter lock. None of
them writes beyond the arrays of its caller, even on damaged bytes.

Source: Teleman et al., Numerical compression schemes for proteomics mass spectrometry data, 2014,
doi:10.1074/mcp.O114.037879; the mzPeak specification, chunked layout.
"""

# ruff: noqa: PLR0911, PLR0917 (compiled loops take no keywords)

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

NONE, DELTA, LINEAR = 0, 1, 2
OK, LENGTHS_DIFFER, CORRUPT, OUT_OF_BOUNDS, TOO_SHORT = 0, 1, 2, 3, 4


@compiled
def half_byte(data: Any, at: Any) -> Any:
    """Return the half byte at a position in half bytes; the upper half of each byte comes first."""
    byte = np.int64(data[at >> 1])
    return byte & 15 if at & 1 else byte >> 4


@compiled
def next_integer(data: Any, at: Any, stop: Any) -> Any:
    """Read one truncated integer; return it and the position after it, -1 if the bytes end before the integer.

    The first half byte counts the leading half bytes that are 0 (0 to 8) or, minus 8, those that are 15 (9 to 15). The
    other half bytes follow, lowest first.
    """
    head = half_byte(data, at)
    n_left = head if head <= 8 else head - 8
    if at + 9 - n_left > stop:
        return np.int64(0), np.int64(-1)
    found = np.int64(0)
    if head > 8:
        for k in range(8 - n_left, 8):
            found |= np.int64(15) << (4 * k)
    for k in range(8 - n_left):
        found |= half_byte(data, at + 1 + k) << (4 * k)
    # Convert the 32 bits, collected in 64, to a signed number.
    if found >= np.int64(1) << 31:
        found -= np.int64(1) << 32
    return found, at + 9 - n_left


@compiled
def ends_here(data: Any, at: Any, stop: Any) -> Any:
    """Say whether no integer begins at a position: at the end, or at a last half byte that is padding, so not 8 (0)."""
    return at >= stop or (at == stop - 1 and (at & 1) == 1 and half_byte(data, at) != 8)


@compiled
def fixed_point(data: Any, begin: Any) -> Any:
    """Return the scale in the first eight bytes, and whether it is valid; big-endian, unlike all other numbers."""
    raw = np.empty(8, dtype=np.uint8)
    for k in range(8):
        raw[7 - k if sys.byteorder == "little" else k] = data[begin + k]
    scale = raw.view(np.float64)[0]
    return scale, np.isfinite(scale) and scale > 0


@compiled
def four_bytes(data: Any, begin: Any) -> Any:
    """Return four bytes, lowest first, as an unsigned integer."""
    found = np.int64(0)
    for k in range(4):
        found |= np.int64(data[begin + k]) << (8 * k)
    return found


@compiled
def decode_linear(data: Any, begin: Any, end: Any, out: Any, first: Any, last: Any) -> Any:
    """Decode one Numpress linear buffer into out[first:last], which it must fill."""
    n_bytes, room = end - begin, last - first
    if n_bytes in (0, 8):
        return OK if room == 0 else LENGTHS_DIFFER
    if n_bytes < 12 or 12 < n_bytes < 16:
        return TOO_SHORT
    scale, is_one = fixed_point(data, begin)
    if not is_one:
        return CORRUPT
    if room < (1 if n_bytes == 12 else 2):
        return LENGTHS_DIFFER
    before = four_bytes(data, begin + 8)
    out[first] = before / scale
    if n_bytes == 12:
        return OK if room == 1 else LENGTHS_DIFFER
    now = four_bytes(data, begin + 12)
    out[first + 1] = now / scale
    at, stop, place = (begin + 16) * 2, end * 2, first + 2
    while not ends_here(data, at, stop):
        residual, at = next_integer(data, at, stop)
        if at < 0:
            return TOO_SHORT
        if place == last:
            return LENGTHS_DIFFER
        # A value is stored as its difference from the line through the two values before it.
        before, now = now, 2 * now - before + residual
        out[place] = now / scale
        place += 1
    return OK if place == last else LENGTHS_DIFFER


@compiled
def decode_steps(values: Any, valid: Any, begin: Any, end: Any, start: Any, is_delta: Any, out: Any, out_valid: Any,
                 first: Any, last: Any) -> Any:  # fmt: skip
    """Decode values[begin:end] into out[first:last]; a delta after a null is an absolute value.

    If the output is longer by one, the start of the chunk precedes the values. If the lengths are equal, the values
    must be empty or begin with a null. Other lengths are an error.
    """
    n, room = end - begin, last - first
    if room == n + 1:
        out[first] = start
        out_valid[first] = True
        first += 1
        latest, is_known = start, True
    elif room == n and (n == 0 or not valid[begin]):
        latest, is_known = 0.0, False
    else:
        return LENGTHS_DIFFER
    for k in range(n):
        if not valid[begin + k]:
            is_known = False
            continue
        value = values[begin + k]
        latest = latest + value if is_delta and is_known else value
        is_known = True
        out[first + k] = latest
        out_valid[first + k] = True
    return OK


@compiled
def decode_axis(
    encodings: Any, starts: Any, ends: Any, values: Any, valid: Any, value_offsets: Any, data: Any, data_offsets: Any,
    offsets: Any, is_silent: Any, slack: Any, out: Any, out_valid: Any, status: Any,
) -> None:  # fmt: skip
    """Decode the m/z of chunks; chunk i goes to out[offsets[i]:offsets[i + 1]].

    is_silent : bool (n_points,), whether the intensity of a point is 0
    """
    for i in range(encodings.size):
        first, last = offsets[i], offsets[i + 1]
        if encodings[i] == LINEAR:
            status[i] = decode_linear(data, data_offsets[i], data_offsets[i + 1], out, first, last)
            for k in range(first, last):
                out_valid[k] = out[k] != 0
        else:
            begin, end = value_offsets[i], value_offsets[i + 1]
            is_delta = encodings[i] == DELTA
            status[i] = decode_steps(values, valid, begin, end, starts[i], is_delta, out, out_valid, first, last)
        if status[i] != OK:
            continue
        for k in range(first, last):
            if out_valid[k] and not np.isfinite(out[k]):
                status[i] = CORRUPT
            elif out_valid[k] and not (starts[i] - slack <= out[k] <= ends[i] + slack) and status[i] == OK:
                # The format's writer closes a profile with a point of intensity 0 on either side, outside the bounds of
                # the chunk (by up to 0.09 Th in its own sample). Treat it as the nulls of other encodings.
                if is_silent[k] and (k == first or k == last - 1):
                    out_valid[k] = False
                else:
                    status[i] = OUT_OF_BOUNDS


@compiled
def count_slof(offsets: Any, counts: Any, status: Any) -> None:
    """Count the values of SLOF buffers: eight bytes of scale, then two bytes per value."""
    for i in range(counts.size):
        n_bytes = offsets[i + 1] - offsets[i]
        counts[i] = max(n_bytes - 8, 0) // 2
        if 0 < n_bytes < 8 or n_bytes % 2:
            status[i] = TOO_SHORT


@compiled
def decode_slof(data: Any, data_offsets: Any, offsets: Any, out: Any, status: Any) -> None:
    """Decode SLOF buffers: exp(x / scale) - 1."""
    for i in range(status.size):
        begin = data_offsets[i]
        if status[i] != OK or data_offsets[i + 1] - begin < 8:
            continue
        scale, is_one = fixed_point(data, begin)
        if not is_one and offsets[i + 1] > offsets[i]:
            status[i] = CORRUPT
            continue
        for k in range(offsets[i + 1] - offsets[i]):
            at = begin + 8 + 2 * k
            value = np.exp((np.int64(data[at]) | (np.int64(data[at + 1]) << 8)) / scale) - 1
            out[offsets[i] + k] = value
            if not np.isfinite(value):
                status[i] = CORRUPT


@compiled
def count_pic(data: Any, offsets: Any, counts: Any, status: Any) -> None:
    """Count the integers of PIC buffers."""
    for i in range(counts.size):
        at, stop = offsets[i] * 2, offsets[i + 1] * 2
        counts[i] = 0
        while not ends_here(data, at, stop):
            _, at = next_integer(data, at, stop)
            if at < 0:
                status[i] = TOO_SHORT
                break
            counts[i] += 1


@compiled
def decode_pic(data: Any, data_offsets: Any, offsets: Any, out: Any, status: Any) -> None:
    """Decode PIC buffers: non-negative integers."""
    for i in range(status.size):
        at, stop = data_offsets[i] * 2, data_offsets[i + 1] * 2
        if status[i] != OK:
            continue
        for k in range(offsets[i], offsets[i + 1]):
            # This never reads beyond the end: `count_pic` counted the integers in the same bytes.
            value, at = next_integer(data, at, stop)
            out[k] = value
            if value < 0:
                status[i] = CORRUPT
