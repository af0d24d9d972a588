"""MuData .h5mu: the genes in two modalities of the same cells; read with h5py and mudata alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.stores.anndata_files import Backed, H5py, packed_writer
from benchmarks.stores.cells import N_VAR, make_cells
from benchmarks.stores.contender import scatter

RNA = N_VAR * 9 // 10
"""Genes of the first modality; the others are those of the second."""


def write_h5mu(path: Path, n_obs: int) -> None:
    """Write two modalities by gene, gzip, and the tables and maps of all cells and genes."""
    from tests.datasets.make_anndata import write_frame, write_part

    cells = make_cells(n_obs)
    out = packed_writer(path)
    out.group("", {"encoding-type": "MuData", "encoding-version": "0.1.0", "axis": 0})
    write_frame(out, "obs", cells.obs, "0.8")
    write_frame(out, "var", pd.DataFrame(index=pd.Index(cells.var_labels)), "0.8")
    out.group("mod", {"mod-order": ["rna", "adt"]})
    for name, genes in (("rna", slice(RNA)), ("adt", slice(RNA, None))):
        labels, aliases = cells.var_labels[genes], cells.aliases[genes]
        part = replace(cells, X=cells.X[:, genes], obs=cells.obs[[]], var_labels=labels, aliases=aliases)
        out.group(f"mod/{name}", {})
        write_part(out, f"mod/{name}", part, "0.8", "csc")
        places = np.zeros(N_VAR, np.uint32)
        places[genes] = np.arange(1, len(labels) + 1)
        out.array(f"obsmap/{name}", np.arange(1, n_obs + 1, dtype=np.uint32))
        out.array(f"varmap/{name}", places)
    out.close()


class H5pyOfModalities(H5py):
    """h5py."""

    def open(self) -> None:
        self._root = self._open_root()
        self._n_obs = len(self._root["obs/cell_type/codes"])
        self._genes = {
            name: (part, at)
            for part in self._root["mod"]
            for at, name in enumerate(self._texts(f"mod/{part}/var/{self._root[f'mod/{part}/var'].attrs['_index']}"))
        }

    def gene(self, name: str) -> NDArray[np.float32]:
        part, at = self._genes[name]
        X = self._root[f"mod/{part}/X"]
        start, stop = X["indptr"][at : at + 2]
        return scatter(self._n_obs, X["indices"][start:stop], X["data"][start:stop])


class MuData(Backed):
    """mudata, X left on disk: tables are read when the file is opened."""

    libraries = ("mudata",)

    def prepare(self) -> None:
        import mudata

        self._mudata = mudata

    def open(self) -> None:
        self._adata = self._mudata.read_h5mu(self._path, backed="r")

    def gene(self, name: str) -> NDArray[np.float32]:
        part = next(part for part in self._adata.mod.values() if name in part.var_names)
        values: NDArray[np.float32] = part[:, [name]].X.toarray().ravel()
        return values
