"""Compiled loops over pixels; `canvas.py` and `shading.py` define their arguments.

Imported at first use, since numba is slow to import.
"""

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def spread(source: Any, lines: Any, columns: Any, combine_highest: Any, margin: Any, target: Any) -> None:
    """Add each pixel of source (layers, H, W, lanes) to target at all offsets, without a margin, or take the maximum.

    A pixel whose last lane is 0 is empty.
    """
    n_layers, height, width, n_lanes = target.shape
    for layer in range(n_layers):
        for line in range(source.shape[1]):
            for column in range(source.shape[2]):
                if source[layer, line, column, n_lanes - 1] == 0:
                    continue
                for offset in range(lines.size):
                    y = line - margin + lines[offset]
                    x = column - margin + columns[offset]
                    if 0 <= y < height and 0 <= x < width:
                        for lane in range(n_lanes):
                            if combine_highest:
                                target[layer, y, x, lane] = max(
                                    target[layer, y, x, lane], source[layer, line, column, lane]
                                )
                            else:
                                target[layer, y, x, lane] += source[layer, line, column, lane]


@compiled
def frequencies(counts: Any, found: Any) -> None:
    """Count in found how often each count occurs in counts (h, w), without zeros."""
    height, width = counts.shape
    for line in range(height):
        for column in range(width):
            count = counts[line, column]
            if count:
                found[count] += 1


@compiled
def look_up(first: Any, last: Any, counts: Any, table: Any, alpha: Any) -> None:
    """Write lines first to last of alpha (h, w): table[count]."""
    for line in range(first, last):
        for column in range(counts.shape[1]):
            alpha[line, column] = table[counts[line, column]]


@compiled
def paint(first: Any, last: Any, totals: Any, missing: Any, alpha: Any, colors: Any, image: Any) -> None:
    """Paint lines first to last of image (h, w, 4): later layers on top, each with its alpha (layers, h, w).

    colors: float64 (2, 3), of pixels without weights (if totals has only one lane), and of missing cells.
    """
    n_layers, _, width, n_lanes = totals.shape
    for line in range(first, last):
        for column in range(width):
            red = green = blue = opacity = 0.0
            for layer in range(n_layers):
                if alpha[layer, line, column] == 0:
                    continue
                known = totals[layer, line, column, n_lanes - 1]
                own_red, own_green, own_blue = colors[0]
                if known == 0 and missing.size:
                    own_red, own_green, own_blue = colors[1]
                elif n_lanes == 4:
                    share = 1 / known
                    own_red = totals[layer, line, column, 0] * share
                    own_green = totals[layer, line, column, 1] * share
                    own_blue = totals[layer, line, column, 2] * share
                above = alpha[layer, line, column] / 255
                below = opacity * (1 - above)
                opacity = above + below
                weight = above / opacity if below else 1.0
                red += (own_red - red) * weight
                green += (own_green - green) * weight
                blue += (own_blue - blue) * weight
            image[line, column, 0] = np.uint8(red + 0.5)
            image[line, column, 1] = np.uint8(green + 0.5)
            image[line, column, 2] = np.uint8(blue + 0.5)
            image[line, column, 3] = np.uint8(opacity * 255 + 0.5)


@compiled
def ground(first: Any, last: Any, is_there: Any, color: Any, is_blended: Any, image: Any) -> None:
    """Paint an opaque color (3,) below lines first to last of image (h, w, 4), straight alpha, where is_there is set.

    is_blended : also below partly transparent pixels, not only below empty ones
    """
    for line in range(first, last):
        for column in range(image.shape[1]):
            share = image[line, column, 3] / 255
            if not is_there[line, column] or (share > 0 and not is_blended):
                continue
            for channel in range(3):
                image[line, column, channel] = np.uint8(
                    image[line, column, channel] * share + color[channel] * (1 - share) + 0.5
                )
            image[line, column, 3] = np.uint8(255)


@compiled
def add_up(totals: Any, sums: Any) -> None:
    """Write to sums (layers, h + 1, w + 1, 2) the cumulative sums of pixels above and to the left, of both lanes."""
    n_layers, height, width, _ = totals.shape
    for layer in range(n_layers):
        for line in range(height):
            code, known = np.int64(0), np.int64(0)
            for column in range(width):
                code += np.int64(totals[layer, line, column, 0])
                known += np.int64(totals[layer, line, column, 1])
                sums[layer, line + 1, column + 1, 0] = sums[layer, line, column + 1, 0] + code
                sums[layer, line + 1, column + 1, 1] = sums[layer, line, column + 1, 1] + known


@compiled
def lean(first: Any, last: Any, totals: Any, sums: Any, behind: Any, around: Any, means: Any) -> None:
    """Write lines first to last of means (layers, h, w): the mean of a pixel, with few cells drawn to that around it.

    Otherwise a lone cell among cells near 0 has the highest mean, so that every cluster would have a rim of the top
    color, made of noise. Sums over squares take four look-ups at any size, and only pixels with few cells need them.
    """
    n_layers, height, width, _ = totals.shape
    for layer in range(n_layers):
        for line in range(first, last):
            for column in range(width):
                known = totals[layer, line, column, 1]
                if known == 0:
                    continue
                mean = totals[layer, line, column, 0] / known
                reach = 1
                while known < behind:
                    top, bottom = max(line - reach, 0), min(line + reach + 1, height)
                    left, right = max(column - reach, 0), min(column + reach + 1, width)
                    above, below = sums[layer, top], sums[layer, bottom]
                    # Cumulative sums: four look-ups for any size of the square, 3.4 ms a picture on one thread
                    # (decision 69).
                    cells = below[right, 1] - above[right, 1] - below[left, 1] + above[left, 1]
                    if cells >= around or reach == 32:
                        code = below[right, 0] - above[right, 0] - below[left, 0] + above[left, 0]
                        mean += (1 - known / behind) * (code / cells - mean)
                        break
                    reach *= 2
                means[layer, line, column] = mean


@compiled
def number(
    first: Any, last: Any, totals: Any, missing: Any, peak: Any, means: Any, weight: Any, alpha: Any, codes: Any,
    page: Any,
) -> None:  # fmt: skip
    """Write lines first to last of page (h, w, 3): high and low byte of the code, opacity.

    Of the last layer with a cell: its mean, its peak for a weight of 1, or a value between them.
    means: (layers, h, w), as `lean` writes them; empty = the mean of each pixel itself
    alpha: opacity of each layer (layers,); codes: of missing, and of 0, which no other number has.
    """
    missing_code, zero = codes
    n_layers, _, width, n_lanes = totals.shape
    for line in range(first, last):
        for column in range(width):
            code, opacity = np.uint16(missing_code), np.uint8(0)
            for layer in range(n_layers):
                known = totals[layer, line, column, n_lanes - 1]
                if known == 0 and (missing.size == 0 or missing[layer, line, column] == 0):
                    continue
                opacity = alpha[layer]
                if known == 0:
                    code = np.uint16(missing_code)
                elif n_lanes == 1:
                    code = np.uint16(peak[layer, line, column])
                else:
                    mean = means[layer, line, column] if means.size else totals[layer, line, column, 0] / known
                    if peak.size:
                        mean += weight * (peak[layer, line, column] - mean)
                    # The code of 0 means "not expressed": no other mean may be rounded to it.
                    code = np.uint16(mean + 0.5)
                    if code == zero and mean != zero:
                        code = np.uint16(zero + 1 if mean > zero else zero - 1)
            page[line, column, 0] = np.uint8(code >> np.uint16(8))
            page[line, column, 1] = np.uint8(code & np.uint16(255))
            page[line, column, 2] = opacity
