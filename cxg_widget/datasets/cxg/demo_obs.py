"""Writes the cells of the synthetic demo data, their `obs` table and embeddings, slab by slab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.cxg import writer
from cxg_widget.datasets.cxg.demo_genes import state_of
from cxg_widget.datasets.cxg.demo_shape import Shape, make_shape, place
from cxg_widget.datasets.cxg.demo_types import CELL_TYPES, NAMES

BLOCK = 2 * writer.ROWS_PER_TILE  # rows made from one random stream
_SLAB = 8 * BLOCK  # rows in one fragment of a table

EMBEDDINGS = {"umap": 2, "pca": 10}

_N_DONORS = 8
_DONOR_SHARES = (21, 17, 15, 14, 11, 10, 8, 4)
_SAMPLES = [f"D{donor + 1}_{condition}" for donor in range(_N_DONORS) for condition in ("control", "IFN")]
_EXPANSION = ["single", "small", "medium", "large", "nan"]
_T_CELLS = np.array(["T cell" in name for name in NAMES])

COLUMNS: dict[str, writer.ColumnType] = {
    "name_0": writer.STRING,
    "cell_type": writer.categorical(list(NAMES)),
    "leiden": writer.NUMERIC_CATEGORY,
    "donor": writer.categorical([f"D{donor + 1}" for donor in range(_N_DONORS)]),
    "sample": writer.categorical(_SAMPLES),
    "condition": writer.categorical(["control", "IFN-beta"]),
    "batch": writer.categorical(["batch 1", "batch 2", "batch 3"]),
    "sex": writer.categorical(["female", "male"]),
    "tcr_expansion": writer.categorical(_EXPANSION),
    "n_counts": writer.FLOAT,
    "n_genes": writer.INT,
    "pct_mito": writer.FLOAT,
    "doublet_score": writer.FLOAT,
    "is_doublet": writer.BOOLEAN,
}


@dataclass(frozen=True)
class CellStates:
    """State of each cell that its expression depends on.

    state : uint16 (n_obs,), column of `Genes.rates`
    depth : float32 (n_obs,), relative sequencing depth; 1 is the median
    n_counts : float32 (n_obs,), transcripts of the cell
    """

    state: NDArray[np.uint16]
    depth: NDArray[np.float32]
    n_counts: NDArray[np.float32]


def stream(*key: int) -> np.random.Generator:
    """Return the random stream of a key; streams of different keys are independent."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))


def write_cells(path: Path, n_obs: int, seed: int, progress: Callable[[float], None]) -> CellStates:
    """Write `obs` and the embeddings of a created store; return what the expression needs."""
    shape = make_shape(seed)
    cells = CellStates(np.empty(n_obs, np.uint16), np.empty(n_obs, np.float32), np.empty(n_obs, np.float32))
    for start in range(0, n_obs, _SLAB):
        stop = min(start + _SLAB, n_obs)
        blocks = [
            _make_block(shape, seed, begin // BLOCK, min(BLOCK, stop - begin), cells)
            for begin in range(start, stop, BLOCK)
        ]
        slab = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
        for name in EMBEDDINGS:
            writer.write_rows(path / "emb" / name, start, slab.pop(f"emb/{name}"))
        writer.write_rows(path / "obs", start, slab)
        progress(stop / n_obs)
    return cells


def _make_block(shape: Shape, seed: int, block: int, n: int, cells: CellStates) -> dict[str, NDArray[Any]]:
    """Make the columns and embeddings of `n` cells, and store their states in `cells`."""
    rng = stream(seed, 4, block)
    sample, types = _draw_samples(seed, n, rng)
    donor, condition = sample // 2, sample % 2
    sex = donor % 2
    xy, progress = place(shape, types, condition, rng)
    doublet_score, is_doublet = _draw_doublets(n, rng)
    _displace(xy, is_doublet, rng)
    depth = rng.lognormal(0, 0.38, n).astype(np.float32)
    n_counts = _of_type("counts")[types] * depth
    part = slice(block * BLOCK, block * BLOCK + n)
    cells.state[part] = state_of(types, progress, condition, sex)
    cells.depth[part] = depth
    cells.n_counts[part] = n_counts
    batch = (donor % 3).astype(np.int8)
    return {
        "name_0": _barcodes(block * BLOCK, n, batch),
        "cell_type": types.astype(np.int8),
        "leiden": _leiden(types, progress),
        "donor": donor.astype(np.int8),
        "sample": sample.astype(np.int8),
        "condition": condition.astype(np.int8),
        "batch": batch,
        "sex": sex.astype(np.int8),
        "tcr_expansion": _expansion(types, progress, rng),
        "n_counts": np.rint(n_counts),
        "n_genes": np.rint(3.1 * n_counts**0.75 * rng.lognormal(0, 0.07, n)).astype(np.int32),
        "pct_mito": _missing(rng.gamma(4, 1.1, n), rng.random(n) < 0.015),
        # The score is missing for one batch, as if it had not been computed.
        "doublet_score": _missing(doublet_score, batch == 2),
        "is_doublet": is_doublet.astype(np.uint8),
        "emb/umap": xy,
        "emb/pca": _principal_components(seed, types, progress, condition, rng),
    }


def _draw_samples(seed: int, n: int, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Draw the sample (two per donor) and type of n cells; every donor mixes the types differently."""
    shared = np.random.default_rng([seed, 5])
    shares = np.array([one.share for one in CELL_TYPES])
    mix = shares * shared.lognormal(0, 0.35, (len(_SAMPLES), len(shares)))
    mix /= mix.sum(axis=1, keepdims=True)
    mix *= np.repeat(_DONOR_SHARES, 2)[:, None] * shared.uniform(0.7, 1.3, (len(_SAMPLES), 1))
    edges = np.cumsum(mix.ravel())
    pair = np.searchsorted(edges[:-1] / edges[-1], rng.random(n), side="right")
    return (pair // len(shares)).astype(np.uint8), (pair % len(shares)).astype(np.uint8)


def _draw_doublets(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    is_doublet = rng.random(n) < 0.03
    return np.where(is_doublet, rng.beta(6, 4, n), rng.beta(1.4, 14, n)), is_doublet


def _displace(xy: NDArray[np.float32], is_doublet: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Move a part of the doublets towards another cell, and a few cells anywhere, in place."""
    n = len(xy)
    moved = np.flatnonzero(is_doublet & (rng.random(n) < 0.12))
    xy[moved] += (xy[rng.integers(0, n, len(moved))] - xy[moved]) * rng.beta(2, 2, (len(moved), 1)).astype(np.float32)
    lost = np.flatnonzero(rng.random(n) < 0.0006)
    xy[lost] = rng.uniform((-9, -10), (15, 9), (len(lost), 2))


def _of_type(field: str) -> NDArray[np.float32]:
    return np.array([getattr(one, field) for one in CELL_TYPES], dtype=np.float32)


def _leiden(types: NDArray[np.uint8], progress: NDArray[np.float32]) -> NDArray[np.int32]:
    """Split the common types along their paths, as a graph clustering would; number the clusters from 0."""
    pieces = np.clip(np.rint(np.sqrt(_of_type("share"))), 1, 3).astype(np.int32)
    first = np.cumsum(pieces) - pieces
    return (first[types] + np.minimum((progress * pieces[types]).astype(np.int32), pieces[types] - 1)).astype(np.int32)


def _expansion(types: NDArray[np.uint8], progress: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int8]:
    """Draw the clone size of T cells; "nan", missing, for other cells and for T cells without a receptor."""
    size = np.minimum((rng.beta(0.8, 2.5, len(types)) * (1 + 3 * progress)).astype(np.int8), len(_EXPANSION) - 2)
    missing = _EXPANSION.index("nan")
    return np.where(_T_CELLS[types] & (rng.random(len(types)) < 0.8), size, missing).astype(np.int8)


def _missing(values: NDArray[np.float64], where: NDArray[np.bool_]) -> NDArray[np.float32]:
    return np.where(where, np.nan, values).astype(np.float32)


def _principal_components(
    seed: int,
    types: NDArray[np.uint8],
    progress: NDArray[np.float32],
    condition: NDArray[np.uint8],
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Draw float32 (n, 10): separate types, a slope along each path, and noise, all decreasing from axis to axis."""
    shared = np.random.default_rng([seed, 6])
    width = EMBEDDINGS["pca"]
    lineage = np.array(["mono" in name or "dendritic" in name for name in NAMES]) * 1.0
    centre = shared.normal(0, 0.55, (len(NAMES), width))
    centre[:, 0] += 2.6 * lineage - 0.8
    centre[:, 1] += 2.2 * np.array(["B cell" in name or "plasma cell" in name for name in NAMES])
    slope = shared.normal(0, 0.9, (len(NAMES), width))
    shift = shared.normal(0, 0.15, width)
    spread = (12 / np.sqrt(1 + np.arange(width))).astype(np.float32)
    noise = rng.standard_normal((len(types), width), dtype=np.float32) * np.float32(0.22)
    along = (progress - 0.5)[:, None] * slope.astype(np.float32)[types]
    shifted = condition[:, None] * shift.astype(np.float32)
    return np.asarray((centre.astype(np.float32)[types] + along + shifted + noise) * spread)


def _barcodes(start: int, n: int, batch: NDArray[np.int8]) -> NDArray[np.str_]:
    """Return n distinct 16-letter barcodes with the batch's suffix, scattered over the 4**16 possible."""
    number = (np.arange(start, start + n, dtype=np.uint64) * 2_654_435_769 + 3_141_592_653) % 2**32
    letters = np.frombuffer(b"ACGT", np.uint8)
    text = np.empty((n, 18), np.uint8)
    for place_ in range(16):
        text[:, place_] = letters[(number >> np.uint64(2 * place_)) & np.uint64(3)]
    text[:, 16] = ord("-")
    text[:, 17] = ord("1") + batch
    return text.view("S18").ravel().astype("U18")
