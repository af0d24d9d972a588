"""10x: `outs/` with the matrix by barcode as HDF5 and the clusters as CSV; read with h5py and pandas, and scanpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.stores.anndata_files import BLOCK
from benchmarks.stores.cells import COLUMN, Request, make_cells
from benchmarks.stores.cells import request as request_of_cells
from benchmarks.stores.contender import scatter

CLUSTERS = "graphclust"
_MATRIX, _LABELS = "filtered_feature_bc_matrix.h5", f"analysis/clustering/gene_expression_{CLUSTERS}/clusters.csv"


def request() -> Request:
    return Request(request_of_cells().genes, CLUSTERS)


def write_outs(path: Path, n_obs: int) -> None:
    """Write the matrix, and a cluster for each cell."""
    from tests.datasets.make_tenx import write_h5

    cells = make_cells(n_obs)
    path.mkdir(parents=True)
    barcodes = [name[:16] + "-1" for name in cells.obs.index]
    features = pd.DataFrame({"id": cells.var_labels, "name": cells.aliases, "feature_type": "Gene Expression"})
    write_h5(path / _MATRIX, cells.X, barcodes, features)
    clusters = pd.DataFrame({"Cluster": cells.obs[COLUMN].cat.codes + 1})
    (path / _LABELS).parent.mkdir(parents=True)
    clusters.set_axis(pd.Index(barcodes, name="Barcode")).to_csv(path / _LABELS)


class H5py:
    """h5py and pandas."""

    libraries: ClassVar[tuple[str, ...]] = ("h5py",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self) -> None:
        import h5py

        self._h5py = h5py

    def open(self) -> None:
        self._matrix = self._h5py.File(self._path / _MATRIX, "r", locking=False)["matrix"]
        self._positions = {name.decode(): at for at, name in enumerate(self._matrix["features/id"][:])}

    def gene(self, name: str) -> NDArray[np.float32]:
        """Look through all indices; values are read where there is a hit."""
        indices, data, indptr = (self._matrix[part] for part in ("indices", "data", "indptr"))
        hits, values = [], []
        for start in range(0, indices.shape[0], BLOCK):
            found = np.flatnonzero(indices[start : start + BLOCK] == self._positions[name])
            values.append(data[start : start + BLOCK][found])
            hits.append(found + start)
        rows = np.searchsorted(indptr[:], np.concatenate(hits), side="right") - 1
        return scatter(len(indptr) - 1, rows, np.concatenate(values))

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self.frame(column)[column].cat.codes.to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        barcodes = self._matrix["barcodes"][:].astype(str)
        clusters = pd.read_csv(self._path / _LABELS, index_col=0)["Cluster"].reindex(barcodes)
        return pd.DataFrame({column: clusters.astype(str).astype("category")})


class Scanpy(H5py):
    """scanpy, which reads all of it."""

    libraries = ("scanpy",)

    def prepare(self) -> None:
        import scanpy

        self._scanpy = scanpy

    def open(self) -> None:
        self._adata = self._scanpy.read_10x_h5(self._path / _MATRIX)
        self._names = self._adata.var["gene_ids"].tolist()

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._adata[:, self._names.index(name)].X.toarray().ravel()
        return values

    def frame(self, column: str) -> Any:
        clusters = pd.read_csv(self._path / _LABELS, index_col=0)["Cluster"].reindex(self._adata.obs_names)
        return pd.DataFrame({column: clusters.astype(str).astype("category")})
