"""Presents a 10x matrix, which is stored by barcode, to the AnnData readers as CSR of cells by genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxg_widget.datasets.anndata.memory_nodes import SparseGroup
from cxg_widget.datasets.anndata.node import Group, Node

if TYPE_CHECKING:
    import pandas as pd

EXPRESSION = "Gene Expression"


@dataclass(frozen=True)
class Matrix:
    """A matrix with the names of its cells and features.

    Attributes
    ----------
    node : entries
    barcodes : index of the cells
    features : table by id; columns feature_name, feature_type and genome, if the file has them
    is_whole : whether the values are integers
    """

    node: Group
    barcodes: pd.Index
    features: pd.DataFrame
    is_whole: bool


def by_cell(parts: Mapping[str, Node], shape: tuple[int, int], path: str, uri: str) -> SparseGroup:
    """Return the parts of a CSC matrix, features by barcodes, as CSR, cells by features.

    parts : data, indices and indptr; both layouts have the same
    """
    return SparseGroup(parts, {"encoding-type": "csr_matrix", "shape": list(shape)}, path, uri)


def features_table(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the features by id; feature_type and genome, which have few distinct values, are categorical."""
    import pandas as pd

    known = {name: columns[old] for name, old in (("feature_name", "name"),) if old in columns}
    groups = {name: pd.Categorical(columns[name]) for name in ("feature_type", "genome") if name in columns}
    return pd.DataFrame(known | groups, index=pd.Index(columns["id"], name="gene_ids"))
