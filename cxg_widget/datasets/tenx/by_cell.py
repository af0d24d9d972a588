"""A 10x matrix, stored by barcode, as CSR of cells by genes for the AnnData readers."""

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
    """A matrix and the names along it.

    Attributes
    ----------
    node : its entries
    barcodes : the index of cells
    features : by id: feature_name, feature_type and genome, as far as the file has them
    is_whole : whether its values are whole numbers
    """

    node: Group
    barcodes: pd.Index
    features: pd.DataFrame
    is_whole: bool


def by_cell(parts: Mapping[str, Node], shape: tuple[int, int], path: str, uri: str) -> SparseGroup:
    """Return data, indices and indptr of columns of barcodes in features by barcodes as rows of cells by features."""
    return SparseGroup(parts, {"encoding-type": "csr_matrix", "shape": list(shape)}, path, uri)


def features_table(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table of features by their ids; what few values repeat in is a category."""
    import pandas as pd

    known = {name: columns[old] for name, old in (("feature_name", "name"),) if old in columns}
    groups = {name: pd.Categorical(columns[name]) for name in ("feature_type", "genome") if name in columns}
    return pd.DataFrame(known | groups, index=pd.Index(columns["id"], name="gene_ids"))
