"""Write a matrix alone, scipy.sparse or an array, as .h5ad by h5py and as a CXG: of cells and genes only names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import tiledb

from cxg_widget.datasets.cxg import writer

_TILE = (256, 2_048)


def bare_h5ad(path: Path, matrix: Any, *, chunks: Any = None, **stored: Any) -> Path:
    """Write CSR, CSC or dense.

    Parameters
    ----------
    chunks, stored : of the arrays with a value for each entry, see `h5py.Group.create_dataset`
    """
    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        for name, n in zip(("obs", "var"), matrix.shape, strict=True):
            table = file.create_group(name)
            table.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
            table.attrs["column-order"] = np.zeros(0)
            names = table.create_dataset("_index", data=np.array([f"{name}{i}" for i in range(n)], dtype="S"))
            names.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
        if isinstance(matrix, np.ndarray):
            file.create_dataset("X", data=matrix, chunks=chunks, **stored)
            return path
        group = file.create_group("X")
        about = {"encoding-type": f"{matrix.format}_matrix", "encoding-version": "0.1.0", "shape": matrix.shape}
        group.attrs.update(about)
        for name in ("data", "indices"):
            group.create_dataset(name, data=getattr(matrix, name), chunks=chunks, **stored)
        group.create_dataset("indptr", data=matrix.indptr)
    return path


def bare_cxg(path: Path, matrix: Any, level: int) -> Path:
    """Write Xr and Xc of a sparse matrix, X of an array, and an embedding in which all cells lie at 0.

    Parameters
    ----------
    level : of compression
    """
    shape = matrix.shape
    writer.create_group(path, {"cxg_version": "0.3.0", "cxg_properties": {"title": path.name}})
    for name, n in zip(("obs", "var"), shape, strict=True):
        domain = tiledb.Domain(tiledb.Dim("", domain=(0, n - 1), tile=n, dtype=np.uint32))
        tiledb.Array.create(str(path / name), tiledb.ArraySchema(domain, [tiledb.Attr("name_0", dtype="U", var=True)]))
        with tiledb.open(str(path / name), "w") as array:
            array[:] = {"name_0": np.array([f"{name}{i}" for i in range(n)], dtype=object)}
            array.meta["cxg_schema"] = '{"index": "name_0"}'
    writer.create_embedding(path / "emb" / "umap", shape[0], 2, 1)
    writer.write_rows(path / "emb" / "umap", 0, np.zeros((shape[0], 2), dtype=np.float32))
    if isinstance(matrix, np.ndarray):
        writer.create_dense_matrix(path / "X", shape, _TILE, level)
        writer.write_dense(path / "X", slice(0, shape[0]), slice(0, shape[1]), matrix)
        return path
    entries = matrix.tocoo()
    for name, dim, other in (("Xr", "obs", "var"), ("Xc", "var", "obs")):
        at, across = (entries.row, entries.col) if name == "Xr" else (entries.col, entries.row)
        writer.create_matrix(path / name, shape[name == "Xc"], dim, other, level)
        writer.write_cells(path / name, at.astype(np.uint32), other, across.astype(np.uint32), entries.data)
    return path
