"""AnnData on disk: h5ad as most of them are published (gzip), zarr 3; read with h5py, zarr and anndata alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.cells import make_cells
from benchmarks.stores.contender import scatter

CHUNK = 100_000
BLOCK = 8_000_000
"""Entries looked through at a time."""


def packed_writer(path: Path) -> Any:
    """Return a writer of HDF5, gzip with the chunks that h5py chooses."""
    from tests.datasets.make_anndata import H5Writer

    class Packed(H5Writer):
        def array(self, path: str, values: Any, attrs: Any = None, **options: Any) -> None:
            packed = {"compression": "gzip", "chunks": True} if np.size(values) > CHUNK else {}
            super().array(path, values, attrs, **options | packed)

    return Packed(path)


def write_h5ad(path: Path, n_obs: int, layout: str) -> None:
    """Write an .h5ad, compressed."""
    from tests.datasets.make_anndata import write_part

    _write(packed_writer(path), n_obs, layout, write_part)


def write_zarr(path: Path, n_obs: int, layout: str) -> None:
    """Write zarr 3, Zstd, two chunks of 100,000 a shard."""
    from tests.datasets.make_anndata import ZarrWriter, write_part

    _write(ZarrWriter(path, 3), n_obs, layout, write_part, chunks=CHUNK)


def _write(out: Any, n_obs: int, layout: str, write_part: Callable[..., None], **options: Any) -> None:
    cells = make_cells(n_obs)
    X = cells.X if layout == "csc" else cells.X.tocsr()
    write_part(out, "", replace(cells, X=X), "0.8", layout, **options)
    out.close()


class Plain(ABC):
    """The least reading, through anything that hands out arrays by their paths."""

    libraries: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def open(self) -> None:
        self._root = self._open_root()
        X = self._root["X"]
        self._layout, (self._n_obs, _) = X.attrs["encoding-type"].removesuffix("_matrix"), X.attrs["shape"]
        names = self._texts(f"var/{self._root['var'].attrs['_index']}")
        self._positions = {name: at for at, name in enumerate(names)}

    def gene(self, name: str) -> NDArray[np.float32]:
        position = self._positions[name]
        if self._layout == "csr":
            return self._search(position)
        start, stop = self._root["X/indptr"][position : position + 2]
        return scatter(self._n_obs, self._root["X/indices"][start:stop], self._root["X/data"][start:stop])

    def _search(self, position: int) -> NDArray[np.float32]:
        """Look through all indices; values are read where there is a hit."""
        indices, data, indptr = (self._root[f"X/{part}"] for part in ("indices", "data", "indptr"))
        hits, values = [], []
        for start in range(0, indices.shape[0], BLOCK):
            found = np.flatnonzero(indices[start : start + BLOCK] == position)
            if len(found):
                values.append(data[start : start + BLOCK][found])
                hits.append(found + start)
        rows = np.searchsorted(indptr[:], np.concatenate(hits), side="right") - 1
        return scatter(self._n_obs, rows, np.concatenate(values))

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._root[f"obs/{column}/codes"][:]
        return codes

    def frame(self, column: str) -> Any:
        import pandas as pd

        values = pd.Categorical.from_codes(self.codes(column), self._texts(f"obs/{column}/categories"))
        return pd.DataFrame({column: values}, index=self._texts(f"obs/{self._root['obs'].attrs['_index']}"))

    @abstractmethod
    def _open_root(self) -> Any:
        """Open the store."""

    @abstractmethod
    def _texts(self, path: str) -> Any:
        """Read strings."""


class H5py(Plain):
    """h5py."""

    libraries = ("h5py",)

    def prepare(self) -> None:
        import h5py
        import pandas  # noqa: F401

        self._h5py = h5py

    def _open_root(self) -> Any:
        return self._h5py.File(self._path, "r", locking=False)

    def _texts(self, path: str) -> Any:
        return self._root[path].asstr()[:]


class Zarr(Plain):
    """zarr-python."""

    libraries = ("zarr",)

    def prepare(self) -> None:
        import pandas  # noqa: F401
        import zarr

        self._zarr = zarr

    def _open_root(self) -> Any:
        return self._zarr.open_group(self._path, mode="r")

    def _texts(self, path: str) -> Any:
        return self._root[path][:]


class Backed:
    """anndata, X left on disk: obs and obsm are read when the file is opened."""

    libraries: ClassVar[tuple[str, ...]] = ("anndata",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self) -> None:
        import anndata

        self._anndata = anndata

    def open(self) -> None:
        self._adata = self._anndata.read_h5ad(self._path, backed="r")

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._adata[:, [name]].X.toarray().ravel()
        return values

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._adata.obs[column].cat.codes.to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._adata.obs[[column]]


class Lazy(Backed):
    """anndata.experimental.read_lazy: what backed="r" is for zarr; all parts stay on disk."""

    libraries = ("anndata", "dask", "xarray")

    def open(self) -> None:
        self._adata = self._anndata.experimental.read_lazy(self._path)

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._adata[:, [name]].X.compute().toarray().ravel()
        return values

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self.frame(column)[column].cat.codes.to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._adata.obs[[column]].to_memory()
