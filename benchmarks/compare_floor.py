"""The floor of `compare.py`: entries read by the library of the store, and added up by NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.compare_stores import SHARE

SCATTERED, CONTIGUOUS = "scattered", "contiguous"
_BLOCK = 8_000_000
"""Entries read at a time."""
Entries = Iterator[tuple[Any, Any, Any]]


@cache
def codes(n: int, where: str) -> Any:
    """Return the set of each cell, int8: 0 = a, 1 = b, 2 = neither; a quarter of the cells in each of a and b."""
    found = np.full(n, 2, dtype=np.int8)
    rows = np.arange(n) if where == CONTIGUOUS else np.random.default_rng(3).permutation(n)
    found[rows[: n // 4]], found[rows[n // 4 : n // 2]] = 0, 1
    return found


def floor(path: str, where: str) -> None:
    """Read the entries of the rows of both sets, and add up values and squares of each."""
    n_obs, n_var, blocks = (_of_cxg if path.endswith(".cxg") else _of_h5ad)(path, where)
    of, sums = codes(n_obs, where), np.zeros((2, 2 * n_var))
    for cells, genes, found in blocks:
        sets = of[cells]
        is_in = slice(None) if where == CONTIGUOUS and path.endswith((".cxg", "csr.h5ad")) else sets < 2
        places, values = genes[is_in] + np.int32(n_var) * sets[is_in], found[is_in]
        for moment, weights in enumerate((values, values * values)):
            sums[moment] += np.bincount(places, weights, minlength=2 * n_var)
    assert np.isfinite(sums).all()


def _of_cxg(path: str, where: str) -> tuple[int, int, Entries]:
    import tiledb

    with tiledb.open(f"{path}/Xr") as rows, tiledb.open(f"{path}/Xc") as columns:
        n_obs, n_var = rows.shape[0], columns.shape[0]

    def blocks() -> Entries:
        step = max(int(_BLOCK / (n_var * SHARE)), 1)
        with tiledb.open(f"{path}/Xr") as array:
            last = _last(n_obs, where)
            for start in range(0, last, step):
                stop = min(start + step, last)
                found = array.query(order="U", attrs=["", "var"], dims=["obs"])[start:stop]
                yield found["obs"], found["var"].astype(np.int32), found[""]

    return n_obs, n_var, blocks()


def _of_h5ad(path: str, where: str) -> tuple[int, int, Entries]:
    import h5py

    with h5py.File(path) as file:
        n_obs, n_var = file["X"].attrs["shape"].tolist()
        is_csr = file["X"].attrs["encoding-type"] == "csr_matrix"

    def blocks() -> Entries:
        with h5py.File(path) as file:
            x = file["X"]
            starts = x["indptr"][:]
            stop = int(starts[_last(n_obs, where)]) if is_csr else x["data"].shape[0]
            for start in range(0, stop, _BLOCK):
                end = min(start + _BLOCK, stop)
                first, last = np.searchsorted(starts, (start, end), side="right") - 1
                lengths = np.diff(starts[first : last + 2].clip(start, end))
                lines = np.repeat(np.arange(first, first + len(lengths), dtype=np.int32), lengths)
                across, values = x["indices"][start:end], x["data"][start:end]
                yield (lines, across, values) if is_csr else (across, lines, values)

    return n_obs, n_var, blocks()


def _last(n_obs: int, where: str) -> int:
    """Return the number of rows up to the last cell of a set."""
    return n_obs // 2 if where == CONTIGUOUS else n_obs
