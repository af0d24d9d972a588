"""The cells of the AnnData stores and the atlas of the benchmarks: random counts, made by NumPy and pandas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

N_VAR = 2_000
MEAN_SHARE = 0.05
COLUMN = "cell_type"
N_GENES = 4


@dataclass(frozen=True)
class Request:
    """What is read from a store: genes, in order, and an obs column of categories."""

    genes: tuple[str, ...]
    column: str


def request() -> Request:
    """Return the genes whose share of non-zeros is nearest to the mean."""
    nearest = np.argsort(np.abs(_shares() - MEAN_SHARE), kind="stable")[:N_GENES]
    return Request(tuple(_labels()[at] for at in nearest.tolist()), COLUMN)


def make_cells(n_obs: int) -> Any:
    """Return a `Truth` whose X is a SciPy CSC array of counts, float32 (n_obs, 2,000), 5 % of it not zero."""
    from tests.datasets.make_cxg import Truth

    return Truth(
        make_matrix(n_obs),
        make_obs(n_obs),
        _labels(),
        [f"SYM{at}" for at in range(N_VAR)],
        {"umap": np.random.default_rng(3).normal(size=(n_obs, 2)).astype(np.float32)},
    )


def make_matrix(n_obs: int) -> sp.csc_array:
    """Return counts, gene by gene."""
    rng = np.random.default_rng(0)
    rows = [np.flatnonzero(rng.random(n_obs, dtype=np.float32) < share).astype(np.int32) for share in _shares()]
    starts = np.cumsum([0, *map(len, rows)])
    return sp.csc_array((_counts(int(starts[-1])), np.concatenate(rows), starts), shape=(n_obs, N_VAR))


def make_obs(n_obs: int) -> pd.DataFrame:
    """Return two columns of categories and two of numbers, named by barcodes."""
    rng = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", dtype=np.uint8)[rng.integers(0, 4, (n_obs, 24), dtype=np.uint8)]
    barcodes = letters.reshape(-1).view("S24").astype(str)
    types, donors = [f"type {at}" for at in range(30)], [f"donor {at:02}" for at in range(50)]
    return pd.DataFrame(
        {
            COLUMN: pd.Categorical.from_codes(rng.integers(0, len(types), n_obs), types),
            "donor": pd.Categorical.from_codes(rng.integers(0, len(donors), n_obs), donors),
            "n_counts": rng.integers(500, 50_000, n_obs, dtype=np.int32),
            "score": rng.normal(size=n_obs).astype(np.float32),
        },
        index=pd.Index(barcodes, name="barcode"),
    )


def _shares() -> NDArray[np.float64]:
    """Return in which share of the cells each gene is not zero: most genes in few, few in most."""
    shares = np.random.default_rng(2).beta(0.6, 11.4, N_VAR)
    return shares * (MEAN_SHARE / shares.mean())


def _labels() -> list[str]:
    return [f"GENE{at:04}" for at in range(N_VAR)]


def _counts(length: int) -> NDArray[np.float32]:
    return np.random.default_rng(4).geometric(0.4, length).astype(np.float32)
