"""The stores of `compare.py`: the same cells as CSR and CSC in .h5ad, and as a CXG; made band by band."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SHARE = 0.07
GROUPS = 30
STORES = {"CXG": "cells.cxg", "h5ad, CSR": "csr.h5ad", "h5ad, CSC": "csc.h5ad"}
_BAND_CELLS = 2**26
"""Cells of the matrix generated at a time."""
_LOOKS = 4
"""Passes over CSR to write CSC; each holds one such part of the matrix twice."""


def groups(n: int) -> Any:
    """Return the group of each cell, int8: 30 groups of many sizes."""
    sizes = np.random.default_rng(4).gamma(1.0, 1.0, GROUPS) + 0.02
    return np.random.default_rng(5).choice(GROUPS, n, p=sizes / sizes.sum()).astype(np.int8)


def write(folder: Path, n_obs: int, n_var: int, *, stores: tuple[str, ...] = tuple(STORES)) -> None:
    """Write stores of `STORES`: .h5ad as anndata writes by default, not compressed, and a CXG with `convert`."""
    from cxg_widget.convert import convert

    folder.mkdir(parents=True, exist_ok=True)
    _write_h5ad(folder / "csr.h5ad", "csr", (n_obs, n_var), _rows(n_obs, n_var))
    if "h5ad, CSC" in stores:
        _write_h5ad(folder / "csc.h5ad", "csc", (n_obs, n_var), _columns(folder / "csr.h5ad", n_obs, n_var))
    if "CXG" in stores:
        convert(folder / "csr.h5ad", folder / "cells.cxg", progress=False)


def _rows(n_obs: int, n_var: int) -> Iterator[Any]:
    """Yield bands of rows: genes in few cells and in most cells, log1p of normalized counts."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(1)
    shares = rng.gamma(0.5, 1.0, n_var).astype(np.float32)
    shares = (shares * (SHARE / shares.mean())).clip(0.001, 0.95)
    step = max(_BAND_CELLS // n_var, 1)
    for start in range(0, n_obs, step):
        n = min(step, n_obs - start)
        row, gene = np.nonzero(rng.random((n, n_var), dtype=np.float32) < shares)
        depth = rng.lognormal(0, 0.3, n).astype(np.float32)[row]
        values = np.log1p((1 + rng.poisson(1.0, len(gene))) / depth).astype(np.float32)
        starts = np.searchsorted(row, np.arange(n + 1))
        yield csr_array((values, gene.astype(np.int32), starts), shape=(n, n_var))


def _columns(path: Path, n_obs: int, n_var: int) -> Iterator[Any]:
    """Yield bands of columns of a file of rows, in one pass each."""
    import h5py
    from scipy.sparse import csr_array, vstack

    step, rows = -(-n_var // _LOOKS), max(_BAND_CELLS // n_var, 1)
    with h5py.File(path) as file:
        x, starts = file["X"], file["X/indptr"][:]
        for first in range(0, n_var, step):
            parts = []
            for low in range(0, n_obs, rows):
                high = min(low + rows, n_obs)
                span = slice(starts[low], starts[high])
                band = csr_array(
                    (x["data"][span], x["indices"][span], starts[low : high + 1] - starts[low]),
                    shape=(high - low, n_var),
                )
                parts.append(band[:, first : first + step])
            yield vstack(parts, format="csc")


def _write_h5ad(path: Path, layout: str, shape: tuple[int, int], bands: Iterator[Any]) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        x = file.create_group("X")
        x.attrs.update({"encoding-type": f"{layout}_matrix", "encoding-version": "0.1.0", "shape": shape})
        _write_matrix(x, bands)
        for table, n in zip(("obs", "var"), shape, strict=True):
            _write_table(file.create_group(table), table, n)
        places = np.random.default_rng(2).standard_normal((shape[0], 2)).astype(np.float32)
        file.create_group("obsm")["X_umap"] = places


def _write_matrix(x: Any, bands: Iterator[Any]) -> None:
    """Write bands one after another as contiguous data sets, by temporary files of their contents."""
    starts, n = [np.zeros(1, dtype=np.int64)], 0
    folder = Path(x.file.filename).parent
    kinds = {"data": np.dtype(np.float32), "indices": np.dtype(np.int32)}
    raw = {name: folder / f"{name}.raw" for name in kinds}
    with raw["data"].open("wb") as data, raw["indices"].open("wb") as indices:
        for band in bands:
            band.data.tofile(data)
            band.indices.astype(np.int32).tofile(indices)
            starts.append(band.indptr[1:].astype(np.int64) + n)
            n += len(band.data)
    for name, kind in kinds.items():
        held, out = np.memmap(raw[name], kind, "r"), x.create_dataset(name, (n,), kind)
        for start in range(0, n, _BAND_CELLS):
            out[start : start + _BAND_CELLS] = held[start : start + _BAND_CELLS]
        raw[name].unlink()
    x["indptr"] = np.concatenate(starts).astype(np.int32 if n < 2**31 else np.int64)  # as that of the indices


def _write_table(group: Any, table: str, n: int) -> None:
    import h5py

    group.attrs.update(
        {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index", "column-order": []}
    )
    index = group.create_dataset("_index", (n,), h5py.string_dtype())
    for start in range(0, n, 2**18):
        index[start : start + 2**18] = np.array(
            [f"{table} {at}" for at in range(start, min(start + 2**18, n))], dtype=object
        )
    if table == "obs":
        group.attrs["column-order"] = ["type"]
        kind = group.create_group("type")
        kind.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": False})
        kind["codes"] = groups(n)
        kind["categories"] = np.array([f"type {at}" for at in range(GROUPS)], dtype=object)
