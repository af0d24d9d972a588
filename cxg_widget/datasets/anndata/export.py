"""Exports some cells of a dataset as an AnnData object; the only importer of anndata."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.memory import AnnDataInMemory
from cxg_widget.datasets.base.contract import PLACEHOLDER, RAW
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidValue, MissingDependency, UnknownName
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    import pandas as pd


def subset(dataset: Dataset, mask: NDArray[np.bool_], layers: bool | Sequence[str] | None = None) -> Any:
    """Return the cells of a mask, bool (n_obs,), as AnnData: a view if the dataset is an object in memory, else a copy.

    A copy has obs, var, the embeddings in obsm, and X as CSR of float32.

    Parameters
    ----------
    layers : layers to copy: True = all, with raw as `.raw`; names of some; False = none; None = none, with a warning
        that names them
    """
    taken = _layers(dataset, layers)
    if isinstance(dataset, AnnDataInMemory):
        return dataset.cut(mask)
    if find_spec("anndata") is None:
        raise MissingDependency(
            f"{dataset.uri} is a store on disk; to_anndata() needs the package anndata to read it: pip install anndata"
        )
    from anndata import AnnData

    rows = np.flatnonzero(mask)
    obs, var = dataset.obs(rows=rows), dataset.var()
    obs.index, var.index = obs.index.astype(str), var.index.astype(str)
    for frame, stored in ((obs, dataset.obs_index), (var, dataset.var_index)):
        if stored and PLACEHOLDER.fullmatch(stored) and frame.index.name != stored:
            frame.index.name = None
    embeddings = {name: _embedding(dataset, name, rows) for name in dataset.embeddings}
    obsm = {name if name == "spatial" else f"X_{name}": xy for name, xy in embeddings.items()}
    # raw has its own genes, so AnnData stores it apart from the layers.
    in_layers = {name: _matrix(dataset, rows, name) for name in taken if name != RAW}
    raw = {"raw": {"X": _matrix(dataset, rows, RAW), "var": _vars_of(dataset, RAW)}} if RAW in taken else {}
    left = [name for name in _layers(dataset, True) if name not in taken]
    if layers is None and left:
        warn_caller(f"to_anndata() leaves out {_listed(left)}; to_anndata(layers=True) includes them")
    return AnnData(X=_matrix(dataset, rows), obs=obs, var=var, obsm=obsm, layers=in_layers, **raw)


def _layers(dataset: Dataset, layers: bool | Sequence[str] | None) -> list[str]:
    """Return the names of the layers to copy."""
    own = dataset.names_in(None)
    usable = [name for name in dataset.layers if name == RAW or dataset.names_in(name) is own]
    if layers is None or isinstance(layers, bool):
        return usable if layers else []
    if isinstance(layers, str) or not isinstance(layers, Sequence):
        raise InvalidValue(f"layers must be True, False or a list of names; found {shown(layers)}")
    for name in layers:
        if name not in usable and name in dataset.layers:
            what = f"layer {shown(name)} has its own {dataset.var_noun.many}"
            raise InvalidValue(f"{what}, so it cannot be exported with X; open its modality alone with key=.")
        if name not in usable:
            raise UnknownName(not_found("layer", name, usable))
    return list(layers)


def _vars_of(dataset: Dataset, layer: str) -> pd.DataFrame:
    """Return the names of the vars of a layer that has its own, as a table without columns."""
    import pandas as pd

    return pd.DataFrame(index=pd.Index(list(dataset.names_in(layer).var_labels), dtype=object).astype(str))


def _listed(names: Sequence[str]) -> str:
    return f"layer{'s' if len(names) > 1 else ''} {', '.join(map(shown, names))}"


def _embedding(dataset: Dataset, name: str, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    width = dataset.embeddings[name]
    pairs = [(axis, min(axis + 1, width - 1)) for axis in range(0, width, 2)]
    return np.concatenate([dataset.embedding(name, pair)[rows] for pair in pairs], axis=1)[:, :width]


def _matrix(dataset: Dataset, rows: NDArray[np.int64], layer: str | None = None) -> Any:
    """Return rows of X or a layer as CSR."""
    from scipy.sparse import csr_matrix

    found = dataset.gather(rows, layer)
    shape = len(rows), len(dataset.names_in(layer).var_labels) if layer == RAW else dataset.n_var
    return csr_matrix((found.values, found.positions, found.starts), shape=shape, copy=False)
