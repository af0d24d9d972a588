"""A dataset whose genes lie in X, in layers and in raw, wherever those are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cxg_widget.datasets.anndata.matrices import AnyMatrix
from cxg_widget.datasets.anndata.raw import RAW, Raw
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.var_names import Table, VarNames
from cxg_widget.errors import InvalidStore, UnknownName


class WithMatrices(Dataset):
    """What AnnData on disk and in memory have in common; a subclass sets `_matrix`, `_layers` and `_raw`."""

    _matrix: AnyMatrix
    _layers: Mapping[str, AnyMatrix]
    _raw: Raw | None

    def _name_layers(self) -> None:
        self.layers = (*self._layers, *((RAW,) if self._raw is not None else ()))
        self.major_axis = self._matrix.axis

    def names_in(self, layer: str | None) -> VarNames:
        """Return what knows the vars of a layer: raw has vars of its own."""
        return self._raw if layer == RAW and self._raw is not None else self

    def _find_vector(self, name: str, layer: str | None) -> int:
        if layer == RAW and self._raw is not None:
            with self._reading():
                return self._raw.find_var(name)
        try:
            return super()._find_vector(name, layer)
        except UnknownName as error:
            if layer is None and self._raw is not None and self._raw.has_var(name):
                raise UnknownName(f"{name!r} is in raw only, not in var; read it with layer='raw'.") from error
            raise

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        yield from self._matrix_of(layer).vectors(positions)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        matrix = self._matrix_of(layer)
        if matrix.axis == "var":
            yield from super()._read_vectors_block(positions, layer, start, stop)
        else:
            yield from matrix.parts(positions, start, stop)

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        if layer == RAW and self._raw is not None:
            return self._raw.block(self.major_axis, start, stop, self.var_labels)
        return self._matrix_of(layer).lines(self.major_axis, start, stop)

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
        """Return the name of the index as it is stored; "_index" is what AnnData writes for none."""
        name = super().index_name(table)
        return None if name == "_index" else name

    def _read_details(self) -> dict[str, Any]:
        found: dict[str, Any] = {"X": self._matrix.describe()}
        if self._layers:
            found["layers"] = {name: matrix.describe() for name, matrix in self._layers.items()}
        if self._raw is not None:
            found["raw"] = {"n_var": self._raw.n_var} | self._raw.matrix.describe()
        return found
