"""Base of datasets with two tables, and genes in X, layers and raw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.css_colors import to_hex
from cxg_widget.datasets.anndata.frame import StoredFrame
from cxg_widget.datasets.anndata.memory_frame import MemoryFrame
from cxg_widget.datasets.anndata.memory_nodes import AnyMatrix
from cxg_widget.datasets.anndata.raw import NamesWithRaw, Raw
from cxg_widget.datasets.base.contract import RAW, Table
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Values
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import InvalidStore


class WithMatrices(Dataset):
    """Base of AnnData on disk and in memory; a subclass sets the five attributes."""

    _no_embedding: ClassVar[str] = "no usable embedding in obsm"

    _obs: StoredFrame | MemoryFrame
    _var: StoredFrame | MemoryFrame
    _matrix: AnyMatrix
    _layers: Mapping[str, AnyMatrix]
    _raw: Raw | None

    def _take_tables(self) -> None:
        self.n_obs, self.n_var = self._obs.n, self._var.n
        self.obs_columns, self.obs_index = self._obs.columns, self._obs.index
        self.var_columns, self.var_index = self._var.columns, self._var.index

    def _choose_embedding(self, wanted: str | None) -> None:
        if not self.embeddings:
            self._note(f"{self._no_embedding}, so there is nothing to draw.")
        self.default_embedding = default_embedding(self.embeddings, wanted) or next(iter(self.embeddings), None)

    def _color_labels(self, column: str, colors: Sequence[Any]) -> dict[str, str]:
        found = zip(self._obs.labels(column), map(to_hex, colors), strict=False)
        return {str(label): color for label, color in found if color is not None}

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._obs.read(name, rows)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._obs.read_block(name, start, stop)

    def _read_var(self, name: str) -> Values:
        return self._var.read(name, None)

    def _name_layers(self) -> None:
        self.layers = tuple(self._layers)
        if self._raw is not None:
            self.layers += (RAW,)
            self._var_part = NamesWithRaw(self, self._raw)
        self.major_axis = self._matrix.axis

    def names_in(self, layer: str | None) -> VarNames:
        """Return the index of the vars of a layer: raw has its own vars."""
        return self._raw.names if layer == RAW and self._raw is not None else super().names_in(layer)

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        return self._matrix_of(layer).vectors(positions)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        matrix = self._matrix_of(layer)
        if matrix.axis == "var":
            return super()._read_vectors_block(positions, layer, start, stop)
        return matrix.parts(positions, start, stop)

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        if layer == RAW and self._raw is not None:
            return self._raw.block(self.major_axis, start, stop, self.var_labels)
        return self._matrix_of(layer).lines(self.major_axis, start, stop)

    def _n_var_in(self, layer: str | None) -> int:
        return self._raw.n_var if layer == RAW and self._raw is not None else self.n_var

    def _read_grain(self, layer: str | None) -> Grain:
        return self._matrix_of(layer).grain()

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        return self._matrix_of(layer).rows(rows)

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        found = self._matrix_of(layer).columns(positions, rows)
        return super()._read_columns(positions, rows, layer) if found is None else found

    def _matrix_of(self, layer: str | None) -> AnyMatrix:
        if layer == RAW and self._raw is not None:
            return self._raw.matrix
        if layer is not None:
            return self._layers[layer]
        if self._matrix.is_missing:
            why = next((note for note in self.notes if note.startswith("X is left out")), "this AnnData has no X")
            raise InvalidStore(f"{self.uri}: {why.rstrip('.')}; layers: {', '.join(self.layers) or 'none'}.")
        return self._matrix

    def index_name(self, table: Table) -> str | None:
        """Return the stored name of the index; None for "_index", which AnnData writes for an unnamed index."""
        name = super().index_name(table)
        return None if name == "_index" else name

    def _read_details(self) -> dict[str, Any]:
        found: dict[str, Any] = {"X": self._matrix.describe()}
        if self._layers:
            found["layers"] = {name: matrix.describe() for name, matrix in self._layers.items()}
        if self._raw is not None:
            found["raw"] = {"n_var": self._raw.n_var} | self._raw.matrix.describe()
        return found
