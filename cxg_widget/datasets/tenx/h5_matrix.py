"""Reads the matrix of an HDF5 file: the group `matrix` since Cell Ranger 3, before that one group per genome."""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.datasets.anndata.h5 import H5Store
from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.tenx.by_cell import Matrix, by_cell, features_table
from cxg_widget.datasets.tenx.files import one_of
from cxg_widget.errors import CxgWidgetError, InvalidStore
from cxg_widget.text.names import shown

_PARTS = ("data", "indices", "indptr", "shape", "barcodes")


def holds_matrix(path: str) -> bool:
    """Return whether an HDF5 file contains a 10x matrix."""
    try:
        store = H5Store(path, path)
    except CxgWidgetError:
        return False
    try:
        return bool(_matrices(store.root))
    finally:
        store.close()


def read_h5(store: H5Store, key: str | None) -> Matrix:
    """Return the matrix of a file.

    key : the genome, if the file has one matrix per genome
    """
    import pandas as pd

    groups = _matrices(store.root)
    if not groups:
        raise InvalidStore(f"{store.uri}: not a 10x matrix; it has no group with {', '.join(_PARTS)}.")
    group = groups[one_of(list(groups), key, store.uri)]
    n_var, n_obs = _shape_of(group)
    barcodes = _names(group, "barcodes")
    features = group.get("features")
    if isinstance(features, Group):
        columns = {
            name: _names(features, name)
            for name in ("id", "name", "feature_type", "genome")
            if name == "id" or name in features
        }
    else:
        columns = {"id": _names(group, "genes"), "name": _names(group, "gene_names")}
    for what, found, n in (("barcodes", barcodes, n_obs), *((name, one, n_var) for name, one in columns.items())):
        if len(found) != n:
            raise InvalidStore(
                f"{store.uri}: {group.path} has {len(found):,} entries of {what}, but its shape says {n:,}."
            )
    parts = {name: _array(group, name) for name in ("data", "indices", "indptr")}
    node = by_cell(parts, (n_obs, n_var), group.path, store.uri)
    return Matrix(node, pd.Index(barcodes, name="barcode"), features_table(columns), parts["data"].dtype.kind in "iu")


def _matrices(root: Group) -> dict[str, Group]:
    """Return the groups that contain a matrix, by name."""
    found: dict[str, Group] = {}
    for name in root.names():
        node = root.get(name)
        if isinstance(node, Group) and all(part in node.names() for part in _PARTS):
            found[name] = node
    return found


def _shape_of(group: Group) -> tuple[int, int]:
    found = _array(group, "shape").read().tolist()
    try:
        n_var, n_obs = map(int, found)
    except (ValueError, TypeError, OverflowError):
        raise InvalidStore(
            f"{group.uri}: {group.path}/shape is {shown(found)}; it must be the numbers of features and of barcodes."
        ) from None
    return n_var, n_obs


def _names(group: Group, name: str) -> np.ndarray[Any, np.dtype[np.object_]]:
    node = _array(group, name)
    node.check_plausible()
    return as_strings(node.read().tolist())


def _array(group: Group, name: str) -> Array:
    node = group.get(name)
    if not isinstance(node, Array) or len(node.shape) != 1:
        raise InvalidStore(f"{group.uri}: {group.path} has no usable {name}.")
    return node
