"""Some cells of a dataset as an AnnData object; the only importer of anndata."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.memory import AnnDataInMemory
from cxg_widget.datasets.base.columns import is_placeholder
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import MissingDependency


def subset(dataset: Dataset, mask: NDArray[np.bool_]) -> Any:
    """Return the cells of a mask, bool (n_obs,), as AnnData: a view of a dataset's own object, else a new one.

    A new one has obs, var, the embeddings in obsm, and X as CSR of float32.

    Raises
    ------
    MissingDependency
        If a new one is needed, and anndata is not installed.
    InvalidStore, DamagedStore
        If the dataset cannot be read.
    """
    if isinstance(dataset, AnnDataInMemory):
        return dataset.cut(mask)
    if find_spec("anndata") is None:
        raise MissingDependency(
            f"{dataset.uri} is a store on disk, of which to_anndata() makes an AnnData with: pip install anndata"
        )
    from anndata import AnnData

    rows = np.flatnonzero(mask)
    obs, var = dataset.obs(rows=rows), dataset.var()
    obs.index, var.index = obs.index.astype(str), var.index.astype(str)
    for frame, stored in ((obs, dataset.obs_index), (var, dataset.var_index)):
        if is_placeholder(stored) and frame.index.name != stored:
            frame.index.name = None
    embeddings = {name: _embedding(dataset, name, rows) for name in dataset.embeddings}
    obsm = {name if name == "spatial" else f"X_{name}": xy for name, xy in embeddings.items()}
    return AnnData(X=_matrix(dataset, rows), obs=obs, var=var, obsm=obsm)


def _embedding(dataset: Dataset, name: str, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    width = dataset.embeddings[name]
    pairs = [(axis, min(axis + 1, width - 1)) for axis in range(0, width, 2)]
    return np.concatenate([dataset.embedding(name, pair)[rows] for pair in pairs], axis=1)[:, :width]


def _matrix(dataset: Dataset, rows: NDArray[np.int64]) -> Any:
    """Return the rows of X as CSR."""
    from scipy.sparse import csr_matrix

    found = dataset.gather(rows)
    shape = len(rows), dataset.n_var
    return csr_matrix((found.values, found.positions, found.starts), shape=shape, copy=False)
