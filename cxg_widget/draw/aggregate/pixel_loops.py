"""Compiled loops over points; `canvas.py` defines their arguments.

Imported at first use, since numba is slow to import. All loops release the GIL. They share three arguments:

- points: xy float32 (n, 2); bits uint8, the selection by place or empty; starts and stops int64 of the runs
- grid: geometry and steps, see `Grid.arguments`
- column: codes (n,); places uint32 (n,), the place of each point, or empty if all places are present

Output arrays have layers * pixels elements: not selected, then selected.
"""

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def pixel_of(x: Any, y: Any, geometry: Any, steps: Any) -> Any:
    """Return the pixel of a point, -1 outside of the view.

    Source: datashader's `Point` glyph: both limits belong to the view, the upper one to the last pixel. Scales and
    shifts ensure that no point of the view is before the first pixel, see `PixelGrid`.
    """
    x0, x1, y0, y1, scale_x, shift_x, scale_y, shift_y = geometry
    width, height, origin, step_x, step_y = steps
    # Written so that NaN is outside.
    if not (x0 <= x <= x1 and y0 <= y <= y1):
        return -1
    column = min(int(x * scale_x + shift_x), width - 1)
    line = min(int(y * scale_y + shift_y), height - 1)
    return origin + line * step_y + column * step_x


@compiled
def layer_of(place: Any, bits: Any) -> Any:
    """Return 1 for a selected place, else 0."""
    return np.int64((bits[place >> 3] >> np.uint8(place & 7)) & np.uint8(1))


@compiled
def count(points: Any, grid: Any, counts: Any) -> None:
    """Add 1 to counts for each point."""
    xy, bits, starts, stops = points
    geometry, steps = grid
    n_pixels = steps[0] * steps[1]
    for run in range(starts.size):
        for place in range(starts[run], stops[run]):
            pixel = pixel_of(xy[place, 0], xy[place, 1], geometry, steps)
            if pixel < 0:
                continue
            if bits.size:
                pixel += n_pixels * layer_of(place, bits)
            counts[pixel] += np.uint32(1)


@compiled
def count_each(points: Any, grid: Any, codes: Any, counts: Any) -> None:
    """Add 1 to counts (pixels, k + 1) for the code of each selected point; codes from k on count as k.

    Without bits, all points are selected.
    """
    xy, bits, starts, stops = points
    geometry, steps = grid
    last = counts.shape[1] - 1
    for run in range(starts.size):
        for place in range(starts[run], stops[run]):
            if bits.size and not layer_of(place, bits):
                continue
            pixel = pixel_of(xy[place, 0], xy[place, 1], geometry, steps)
            if pixel >= 0:
                code = min(np.int64(codes[place]), last) if codes.size else last
                counts[pixel, code] += np.uint32(1)


@compiled
def mix(points: Any, grid: Any, column: Any, weights: Any, missing_code: Any, totals: Any, missing: Any) -> None:
    """Add the two words of a code's weights to totals (..., 2), or 1 to missing unless that is empty."""
    xy, bits, starts, stops = points
    geometry, steps = grid
    codes, _ = column
    n_pixels = steps[0] * steps[1]
    for run in range(starts.size):
        for place in range(starts[run], stops[run]):
            pixel = pixel_of(xy[place, 0], xy[place, 1], geometry, steps)
            if pixel < 0:
                continue
            if bits.size:
                pixel += n_pixels * layer_of(place, bits)
            # Keeping sums in registers while the pixel stays the same took twice as long (decision 11).
            code = codes[place]
            if code != missing_code:
                totals[pixel, 0] += weights[code, 0]
                totals[pixel, 1] += weights[code, 1]
            elif missing.size:
                missing[pixel] += np.uint32(1)


@compiled
def total(
    points: Any, grid: Any, column: Any, numbers: Any, missing_code: Any, totals: Any, missing: Any, peak: Any
) -> None:
    """Add (number, 1) to totals (..., 2), or 1 to totals (..., 1), and raise peak to the code; or add 1 to missing.

    numbers : of the codes; None = the codes themselves. An empty table instead of None would take a third more time.
    missing, peak : not written if empty
    """
    xy, bits, starts, stops = points
    geometry, steps = grid
    codes, places = column
    n_pixels, has_sums = steps[0] * steps[1], totals.shape[1] == 2
    for run in range(starts.size):
        for entry in range(starts[run], stops[run]):
            pixel = pixel_of(xy[entry, 0], xy[entry, 1], geometry, steps)
            if pixel < 0:
                continue
            if bits.size:
                place = np.int64(places[entry]) if places.size else entry
                pixel += n_pixels * layer_of(place, bits)
            code = codes[entry]
            if code != missing_code:
                if has_sums:
                    totals[pixel, 0] += np.uint64(code) if numbers is None else numbers[code]
                    totals[pixel, 1] += np.uint64(1)
                else:
                    totals[pixel, 0] += np.uint64(1)
                if peak.size:
                    peak[pixel] = max(peak[pixel], code)
            elif missing.size:
                missing[pixel] += np.uint32(1)
