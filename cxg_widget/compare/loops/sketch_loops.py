"""Compiled loops that make and use sketches: sums, sums of squares and counts of genes in tiles of cells.

`entries` and `scale` are as in `sum_loops`. `state` is float32, of a tile and a gene the sum, what rounding took from
it, the sum of squares, and the number of values above 0. `missing` has the number of NaN, uint32; no element = no NaN.
The four numbers share a cache line: most entries miss the cache, and a miss costs more than the sums (decision 92).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

SUM, LOST, SQUARES, ABOVE = 0, 1, 2, 3


@compiled
def _add(here: Any, value: Any) -> None:
    # Kahan's sum: float32 alone would err by the number of cells, float64 take twice the cache.
    step = value - here[LOST]
    total = here[SUM] + step
    here[LOST] = (total - here[SUM]) - step
    here[SUM] = total
    here[SQUARES] += value * value
    here[ABOVE] += np.float32(value > 0)


@compiled
def sketch_rows(entries: Any, cells: Any, state: Any, missing: Any) -> None:
    """Add entries of rows.

    cells : int32 tiles, float64 scales, and int64 rows in processing order: tile by tile, since one tile fits a cache
    state : (n_tiles, n_genes, 4); missing : (n_tiles, n_genes)
    """
    starts, genes, values = entries
    tiles, scale, order = cells
    for row in order:
        tile = tiles[row]
        for entry in range(starts[row], starts[row + 1]):
            value, gene = np.float32(values[entry]), genes[entry]
            if scale.size:
                value = np.float32(np.log1p(values[entry] * scale[row]))
            if missing.size and np.isnan(value):
                missing[tile, gene] += 1
                continue
            _add(state[tile, gene], value)


@compiled
def sketch_columns(entries: Any, cells: Any, state: Any, missing: Any) -> None:
    """Add entries of columns, as `sketch_rows`, to the state of these genes.

    state : (n_genes, n_tiles, 4); missing : (n_genes, n_tiles)
    """
    starts, rows, values = entries
    tiles, scale = cells
    for gene in range(starts.size - 1):
        for entry in range(starts[gene], starts[gene + 1]):
            row = rows[entry]
            tile, value = tiles[row], np.float32(values[entry])
            if scale.size:
                value = np.float32(np.log1p(values[entry] * scale[row]))
            if missing.size and np.isnan(value):
                missing[gene, tile] += 1
                continue
            _add(state[gene, tile], value)


@compiled
def add_weighted(weights: Any, sums: Any, squares: Any, above: Any, found: Any) -> None:
    """Add the tiles times their weights, float64 (n_tiles,), to float64 (3, n_genes)."""
    for tile in range(weights.size):
        weight = weights[tile]
        if weight == 0:
            continue
        for gene in range(sums.shape[1]):
            found[0, gene] += weight * sums[tile, gene]
            found[1, gene] += weight * squares[tile, gene]
            found[2, gene] += weight * above[tile, gene]
