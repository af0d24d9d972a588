"""Compiled loops over blocks of points: a block whose box lies in one pixel, or in 2 x 2, needs no pixel per point.

The loops of `pixel_loops.py` take the other points. Imported at first use, since numba is slow to import. The argument
`blocks` is: boxes float32 (m, 4), x0, x1, y0, y1 of each block; edges float32 (width + 1,) and (height + 1,), see
`PixelGrid.edges`. `pixel_loops.py` describes `points` and `grid`.
"""

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled
from cxg_widget.draw.aggregate.task import BLOCK

COLOR_BITS = 13
"""Bits of the sum of one color channel of a block, whose 32 points have at most 255 each."""
KNOWN, MISSING = np.uint64(1 << 40), np.uint64(1 << 48)
"""A point with a value and one without, in a word: above the sums, which take at most 39 bits."""


@compiled
def enclose(first: Any, last: Any, xy: Any, boxes: Any) -> None:
    """Write the boxes of blocks first to last."""
    for block in range(first, last):
        start = block * BLOCK
        x0 = x1 = xy[start, 0]
        y0 = y1 = xy[start, 1]
        for place in range(start + 1, min(start + BLOCK, xy.shape[0])):
            x0, x1 = min(x0, xy[place, 0]), max(x1, xy[place, 0])
            y0, y1 = min(y0, xy[place, 1]), max(y1, xy[place, 1])
        boxes[block, 0], boxes[block, 1], boxes[block, 2], boxes[block, 3] = x0, x1, y0, y1


@compiled
def corner_of(block: Any, grid: Any, blocks: Any) -> Any:
    """Return where a block begins: its first pixel, and the x and y from which the next pixels begin.

    The pixel is -1 if the block is not inside of the view or lies in more than 2 x 2 pixels. Then come the number of
    further columns and lines, 0 or 1.
    """
    boxes, edges_x, edges_y = blocks
    (low_x, high_x, low_y, high_y, scale_x, shift_x, scale_y, shift_y), steps = grid
    width, height, origin, step_x, step_y = steps
    nowhere = (np.int64(-1), np.float32(0), np.float32(0), np.int64(0), np.int64(0))
    x0, x1, y0, y1 = boxes[block, 0], boxes[block, 1], boxes[block, 2], boxes[block, 3]
    if not (low_x <= x0 and x1 <= high_x and low_y <= y0 and y1 <= high_y):
        return nowhere
    # As in `pixel_of`, which is monotone in x and in y: between two corners in one pixel no point is in another.
    column, line = min(int(x0 * scale_x + shift_x), width - 1), min(int(y0 * scale_y + shift_y), height - 1)
    right = min(int(x1 * scale_x + shift_x), width - 1) - column
    up = min(int(y1 * scale_y + shift_y), height - 1) - line
    if right > 1 or up > 1:
        return nowhere
    return origin + line * step_y + column * step_x, edges_x[column + 1], edges_y[line + 1], right, up


@compiled
def count_block(start: Any, stop: Any, xy: Any, corner: Any, steps: Any, counts: Any) -> None:
    """Add the number of places start to stop, of a block with a corner, to counts."""
    pixel, edge_x, edge_y, right, up = corner
    n_right = n_up = n_both = np.int64(0)
    if right or up:
        for place in range(start, stop):
            is_right, is_up = np.int32(xy[place, 0] >= edge_x), np.int32(xy[place, 1] >= edge_y)
            n_right += is_right
            n_up += is_up
            n_both += is_right & is_up
    counts[pixel] += np.uint32(stop - start - n_right - n_up + n_both)
    if right:
        counts[pixel + steps[3]] += np.uint32(n_right - n_both)
    if up:
        counts[pixel + steps[4]] += np.uint32(n_up - n_both)
    if right and up:
        counts[pixel + steps[3] + steps[4]] += np.uint32(n_both)


@compiled
def word_of(code: Any, packed: Any, missing_code: Any) -> Any:
    """Return what a code adds, in one word: of `packed` or, without it, the code and 1, or a 1 for missing.

    In a block no sum of a field overflows into the next field.
    """
    if packed is not None:
        return packed[code]
    return MISSING if code == missing_code else np.uint64(code) | KNOWN


@compiled
def add_word(pixel: Any, word: Any, packed: Any, totals: Any, missing: Any) -> None:
    """Add the fields of a word to totals (..., 2) and to missing, unless that is empty."""
    if packed is not None:
        field = np.uint64((1 << COLOR_BITS) - 1)
        red, green = word & field, (word >> np.uint64(COLOR_BITS)) & field
        blue, known = (word >> np.uint64(2 * COLOR_BITS)) & field, (word >> np.uint64(40)) & np.uint64(63)
        # Two channels in a word, as `mix` adds them.
        totals[pixel, 0] += red | (green << np.uint64(32))
        totals[pixel, 1] += blue | (known << np.uint64(32))
    else:
        totals[pixel, 0] += word & np.uint64(0xFFFFFFFF)
        totals[pixel, 1] += (word >> np.uint64(40)) & np.uint64(63)
    if missing.size:
        missing[pixel] += np.uint32(word >> np.uint64(48))


@compiled
def add_block(
    start: Any, stop: Any, xy: Any, corner: Any, steps: Any, codes: Any, packed: Any, missing_code: Any, totals: Any,
    missing: Any,
) -> None:  # fmt: skip
    """Add places start to stop, of a block with a corner, to totals (..., 2) and to missing.

    All sums of a block stay in registers, one word for each of its pixels (decision 90).
    """
    pixel, edge_x, edge_y, right, up = corner
    every = beyond = np.uint64(0)
    if right and up:
        above = both = np.uint64(0)
        for place in range(start, stop):
            word = word_of(codes[place], packed, missing_code)
            # All bits set, or none: no jump that the processor has to guess.
            is_right = np.uint64(0) - np.uint64(xy[place, 0] >= edge_x)
            is_up = np.uint64(0) - np.uint64(xy[place, 1] >= edge_y)
            every += word
            beyond += word & is_right
            above += word & is_up
            both += word & is_right & is_up
        add_word(pixel, every - beyond - above + both, packed, totals, missing)
        add_word(pixel + steps[3], beyond - both, packed, totals, missing)
        add_word(pixel + steps[4], above - both, packed, totals, missing)
        add_word(pixel + steps[3] + steps[4], both, packed, totals, missing)
    elif right or up:
        axis, edge = (0, edge_x) if right else (1, edge_y)
        for place in range(start, stop):
            word = word_of(codes[place], packed, missing_code)
            every += word
            beyond += word & (np.uint64(0) - np.uint64(xy[place, axis] >= edge))
        add_word(pixel, every - beyond, packed, totals, missing)
        add_word(pixel + (steps[3] if right else steps[4]), beyond, packed, totals, missing)
    else:
        for place in range(start, stop):
            every += word_of(codes[place], packed, missing_code)
        add_word(pixel, every, packed, totals, missing)


@compiled
def cover(
    points: Any, grid: Any, blocks: Any, codes: Any, packed: Any, missing_code: Any, totals: Any, missing: Any
) -> Any:
    """Add all blocks with a corner to totals (..., 2) and to missing, and return starts and stops of all other places.

    codes : of the points; None = their number is added to missing, and the other arguments after it are unused
    packed : the word of each code, uint64, see `pack`; None = numbers
    """
    xy, _, starts, stops = points
    rest, n_rest = room_for(starts, stops), 0
    for run in range(starts.size):
        start = starts[run]
        while start < stops[run]:
            stop = min(stops[run], (start // BLOCK + 1) * BLOCK)
            corner = corner_of(start // BLOCK, grid, blocks)
            if corner[0] < 0:
                n_rest = append(start, stop, rest, n_rest)
            # numba compiles this branch for codes too: counts that are rows of totals would take it 2 s.
            elif codes is None:
                count_block(start, stop, xy, corner, grid[1], missing)
            else:
                add_block(start, stop, xy, corner, grid[1], codes, packed, missing_code, totals, missing)
            start = stop
    return rest[0, :n_rest], rest[1, :n_rest]


@compiled
def room_for(starts: Any, stops: Any) -> Any:
    """Return room for the starts and stops of the places that are left: at most every other block, and two a run."""
    n_blocks = np.int64(0)
    for run in range(starts.size):
        n_blocks += (stops[run] - starts[run]) // BLOCK
    return np.empty((2, n_blocks // 2 + 3 * starts.size), dtype=np.int64)


@compiled
def append(start: Any, stop: Any, rest: Any, n_rest: Any) -> Any:
    """Add places start to stop to the rest, joined to the last ones if they follow them."""
    if n_rest and rest[1, n_rest - 1] == start:
        rest[1, n_rest - 1] = stop
        return n_rest
    rest[0, n_rest], rest[1, n_rest] = start, stop
    return n_rest + 1


def pack(weights: Any, missing_code: int) -> Any:
    """Return red, green, blue and 1 or 0 of each code, uint32 (m, 4), as a word for a code; missing codes count too."""
    red, green, blue, known = weights.astype(np.uint64).T
    words = red | green << np.uint64(COLOR_BITS) | blue << np.uint64(2 * COLOR_BITS) | known * KNOWN
    words[missing_code] = MISSING
    return words
