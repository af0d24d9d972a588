"""Writes a synthetic CXG of any size, for the demo, the tests and the benchmarks.

The cells were never measured, which the title and the description of the store state. Each block of cells has its own
random stream, so the same seed gives the same store for any memory size and number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.cxg import demo_obs, writer
from cxg_widget.datasets.cxg.demo_genes import GROUPS, Genes, gene_sets, make_genes
from cxg_widget.datasets.cxg.demo_obs import BLOCK, CellStates
from cxg_widget.datasets.cxg.demo_types import CELL_TYPES
from cxg_widget.errors import InvalidValue
from cxg_widget.files.target import check_replaceable, local_path
from cxg_widget.files.writing import writing

T = TypeVar("T")
Progress = Callable[[str, float], None]
Triple = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]

_LEVEL = 3  # Zstd: level 9 makes the file 7 % smaller in 1.3 times the time
_BATCH_NNZ = 12_000_000  # values in memory before a fragment is written: about 150 MB, twice that while sorting
_ABOUT = (
    "SYNTHETIC data drawn from a random number generator to try cxg-widget with. No cell, donor or gene in it was "
    "measured, and nothing can be learnt from it about biology."
)


@dataclass(frozen=True)
class _Draw:
    """Parameters of every block: the cells' states and depths, the genes, and the seed."""

    cells: CellStates
    genes: Genes
    seed: int


def write_demo(
    path: str | os.PathLike[str],
    n_obs: int = 100_000,
    n_var: int = 300,
    seed: int = 0,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write synthetic blood cells as a CXG 0.3.0, with the matrix stored by cells and by genes.

    A million cells by 300 genes take about 35 s on two cores and 1.2 GB of memory; ten million take about ten minutes
    and hardly more memory. The matrix is always stored both ways, as the format requires.

    Parameters
    ----------
    path : path of the new store, usually ending in ".cxg"
    n_obs : number of cells, 1 or more
    n_var : number of genes, 1 or more; the first are well-known markers, and about 450 have real symbols
    seed : the same seed, n_obs and n_var give the same data
    force : replace the CXG that is at `path`
    progress : called at intervals with the name of the current part and the fraction that is done, 0 to 1

    Returns
    -------
    `path`, once the store is complete

    Raises
    ------
    InvalidValue
        If n_obs or n_var is less than 1, or n_obs more than 2**32 - 2.
    FileExistsError
        If `path` exists, and `force` is not set or it is not a CXG.
    TargetNotWritten
        If the disk is full, or the store to replace is a link or contains links.
    """
    target = local_path(path)
    if not 1 <= n_obs < 2**32 - 1 or n_var < 1:
        raise InvalidValue(f"cannot write {n_obs} cells by {n_var} genes; both must be 1 or more.")
    _check_free(target, force)
    with writing(target, replaces=os.path.lexists(target), is_folder=True) as place:
        _write(place.partial, n_obs, n_var, seed, progress or (lambda _what, _part: None))
    return target


def _write(path: Path, n_obs: int, n_var: int, seed: int, progress: Progress) -> None:
    """Write every part of the store, each in slabs."""
    genes = make_genes(n_var, seed)
    writer.create_group(path, _group_metadata(n_obs, n_var))
    writer.create_table(path / "obs", n_obs, demo_obs.COLUMNS, "name_0", _LEVEL, genesets=gene_sets(genes.symbols))
    for name, width in demo_obs.EMBEDDINGS.items():
        writer.create_embedding(path / "emb" / name, n_obs, width, _LEVEL)
    cells = demo_obs.write_cells(path, n_obs, seed, lambda part: progress("cells", 0.2 * part))
    draw = _Draw(cells, genes, seed)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        counts, sums = _write_by_gene(path / "Xc", draw, pool, lambda part: progress("genes", 0.2 + 0.4 * part))
        _write_by_cell(path / "Xr", draw, pool, lambda part: progress("rows", 0.6 + 0.4 * part))
    _write_var(path / "var", genes, counts, sums / n_obs)


def _write_by_gene(
    path: Path, draw: _Draw, pool: ThreadPoolExecutor, progress: Callable[[float], None]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Write `Xc` in bands of genes; return per gene the number of cells and the sum of values."""
    n_obs, n_var = len(draw.cells.depth), len(draw.genes.symbols)
    writer.create_matrix(path, n_var, "var", "obs", _LEVEL)
    counts, sums = np.zeros(n_var, np.int32), np.zeros(n_var)

    def gene(number: int) -> list[Triple]:
        return [_express(draw, block, number) for block in range(-(-n_obs // BLOCK))]

    batch: list[Triple] = []
    for number, triples in enumerate(_in_order(pool, gene, n_var)):
        counts[number] = sum(len(values) for _, _, values in triples)
        sums[number] = sum(float(values.sum(dtype=np.float64)) for _, _, values in triples)
        batch += triples
        if sum(len(values) for _, _, values in batch) > _BATCH_NNZ or number == n_var - 1:
            rows, columns, values = _join(batch)
            writer.write_cells(path, columns, "obs", rows, values)
            batch = []
            progress((number + 1) / n_var)
    return counts, sums


def _write_by_cell(path: Path, draw: _Draw, pool: ThreadPoolExecutor, progress: Callable[[float], None]) -> None:
    """Write `Xr` in bands of cells."""
    n_obs, n_var = len(draw.cells.depth), len(draw.genes.symbols)
    n_blocks = -(-n_obs // BLOCK)
    writer.create_matrix(path, n_obs, "obs", "var", _LEVEL)

    def rows_of(block: int) -> Triple:
        return _join([_express(draw, block, number) for number in range(n_var)])

    batch: list[Triple] = []
    for block, triple in enumerate(_in_order(pool, rows_of, n_blocks)):
        batch.append(triple)
        if sum(len(values) for _, _, values in batch) > _BATCH_NNZ or block == n_blocks - 1:
            rows, columns, values = _join(batch)
            batch = []
            writer.write_cells(path, rows, "var", columns, values)
            progress((block + 1) / n_blocks)


def _express(draw: _Draw, block: int, gene: int) -> Triple:
    """Draw one gene's non-zero values in one block of cells, as log(1 + transcripts per 10,000).

    Returns
    -------
    rows : uint32 (k,) ascending
    columns : uint32 (k,), all `gene`
    values : float32 (k,)
    """
    rng = demo_obs.stream(draw.seed, 3, block, gene)
    part = slice(block * BLOCK, (block + 1) * BLOCK)
    rate = draw.genes.rates[gene][draw.cells.state[part]] * draw.cells.depth[part]
    detected = 1 - np.exp(-rate)
    rows = np.flatnonzero(rng.random(len(rate), dtype=np.float32) < detected)
    mean = rate[rows] / detected[rows]
    transcripts = np.maximum(np.rint(mean * np.exp(0.45 * rng.standard_normal(len(rows), dtype=np.float32) - 0.1)), 1)
    values = np.log1p(transcripts * (1e4 / draw.cells.n_counts[part][rows]))
    return (rows + block * BLOCK).astype(np.uint32), np.full(len(rows), gene, np.uint32), values.astype(np.float32)


def _in_order(pool: ThreadPoolExecutor, make: Callable[[int], T], count: int) -> Iterator[T]:
    """Run `make` for 0 to count - 1 on the pool, a few ahead, and yield the results in order."""
    ahead = 2 * (os.cpu_count() or 1)
    waiting = [pool.submit(make, number) for number in range(min(ahead, count))]
    for number in range(count):
        result = waiting.pop(0).result()
        if number + ahead < count:
            waiting.append(pool.submit(make, number + ahead))
        yield result


def _join(triples: list[Triple]) -> Triple:
    rows, columns, values = zip(*triples, strict=True)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)


def _write_var(path: Path, genes: Genes, counts: NDArray[np.int32], means: NDArray[np.float64]) -> None:
    columns = {
        "name_0": (writer.STRING, np.array(genes.ids, dtype=object)),
        "feature_name": (writer.STRING, np.array(genes.symbols, dtype=object)),
        "feature_group": (writer.categorical(GROUPS), np.array([GROUPS.index(one) for one in genes.groups], np.int8)),
        "n_cells": (writer.INT, counts),
        "mean": (writer.FLOAT, means.astype(np.float32)),
        "highly_variable": (writer.BOOLEAN, np.array([one == "marker" for one in genes.groups], np.uint8)),
    }
    writer.create_table(path, len(genes.ids), {name: one for name, (one, _) in columns.items()}, "name_0", _LEVEL)
    writer.write_rows(path, 0, {name: values for name, (_, values) in columns.items()})


def _check_free(target: Path, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if not force:
        raise FileExistsError(
            f"'{target}' already exists; choose another path, or replace it with force=True (--force)."
        )
    if not writer.is_store(target):
        raise FileExistsError(
            f"'{target}' is not a CXG, so it is not replaced; choose another path or remove it yourself."
        )
    check_replaceable(target, is_folder=True)


def _group_metadata(n_obs: int, n_var: int) -> dict[str, object]:
    title = f"SYNTHETIC blood cells ({n_obs:,} cells, {n_var:,} genes)"
    return {
        "cxg_version": "0.3.0",
        # `about` is for a link; `description` is not in the specification, and readers ignore it.
        "cxg_properties": {"title": title, "about": None, "description": _ABOUT},
        "corpora": {"title": title, "default_embedding": "X_umap", "X_approximate_distribution": "normal"},
        "cxg_category_colors": {"cell_type": {one.name: one.color for one in CELL_TYPES}},
    }
