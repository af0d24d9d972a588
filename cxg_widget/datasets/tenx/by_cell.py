"""A matrix that 10x keeps by barcode, as AnnData's readers take it: CSR of cells by genes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxg_widget.datasets.anndata.node import Group, Node
from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import not_found

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


class ByCell(Group):
    """The entries of a matrix: data, indices and indptr.

    Those of 10x are columns of barcodes in features by barcodes: the same numbers are rows of cells by features.
    """

    def __init__(self, parts: Mapping[str, Node], shape: tuple[int, int], path: str, uri: str) -> None:
        self._parts, self._shape = parts, shape
        self.path, self.uri = path, uri

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Encoding and shape, as AnnData has them."""
        return {"encoding-type": "csr_matrix", "shape": list(self._shape)}

    def names(self) -> list[str]:
        """Return the names of the parts."""
        return sorted(self._parts)

    def get(self, name: str) -> Node | None:
        """Return one part."""
        return self._parts.get(name)


def one_of(names: Sequence[str], key: str | None, uri: str) -> str:
    """Return the matrix that `key` names; of a single one also without it.

    Raises
    ------
    InvalidOption
        If there is none of that name, or several and no name.
    """
    if key is None and len(names) == 1:
        return names[0]
    if key is None:
        raise InvalidOption(f"{uri} holds several matrices: {', '.join(names)}; name one, such as key={names[0]!r}.")
    if key not in names:
        raise InvalidOption(not_found("matrix", key, names, uri))
    return key


def features_table(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table of features by their ids; what few values repeat in is a category."""
    import pandas as pd

    known = {name: columns[old] for name, old in (("feature_name", "name"),) if old in columns}
    groups = {name: pd.Categorical(columns[name]) for name in ("feature_type", "genome") if name in columns}
    return pd.DataFrame(known | groups, index=pd.Index(columns["id"], name="gene_ids"))
