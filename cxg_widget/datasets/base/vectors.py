"""Reads vars over all obs or some rows, one or several together, and lines of the matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import check_block
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import DamagedStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found

_Wanted = TypeVar("_Wanted")

TOGETHER_BYTES = 2**28
"""Memory for vars that are read together; beyond it, the rest waits for another read."""


class Vectors:
    """The vars of a store by name.

    Parameters
    ----------
    names_in : returns the names of the vars of a layer
    """

    def __init__(self, store: Contract, names_in: Callable[[str | None], VarNames]) -> None:
        self._store, self._lifetime, self._names_in = store, store._lifetime, names_in

    def vector(self, name: str, layer: str | None = None) -> Vector:
        """Return one var over all obs, sparse if the store is; cached and read-only.

        Parameters
        ----------
        name : index label, alias or identifier of the var, as for `find_var`
        layer : None = the main matrix; "raw" has its own vars

        Raises
        ------
        UnknownName
            If there is no such var or layer.
        InvalidStore, DamagedStore
            If the store has no such data, or they cannot be read.

        Examples
        --------
        >>> dataset.vector("CD3E").fill
        0.0
        """
        return next(self.vectors([name], layer))

    def vectors(self, names: Sequence[str], layer: str | None = None) -> Iterator[Vector]:
        """Yield several vars over all obs, in the order of `names`, as `vector` returns each, cached in the same way.

        A store that scans its whole matrix for a var scans it once for all of them, or once per 256 MiB of values.
        Memory is limited to that and the cache.

        Raises
        ------
        UnknownName
            If there is no such var or layer; before anything is read.
        InvalidStore, DamagedStore
            If the store has no such data, or they cannot be read; while iterating.

        Examples
        --------
        >>> [gene.dense(dataset.n_obs).shape for gene in dataset.vectors(["CD3E", "NKG7"])]
        [(1000,), (1000,)]
        """
        return self._together(self._find(names, layer), layer)

    def values(self, name: str, layer: str | None = None) -> NDArray[np.float32]:
        """Return one var over all obs as float32 (n_obs,), a new array; parameters and errors as `vector`.

        Examples
        --------
        >>> dataset.values("CD3E").dtype
        dtype('float32')
        """
        return self.vector(name, layer).dense(self._store.n_obs)

    def vector_block(self, name: str, layer: str | None, start: int, stop: int) -> Vector:
        """Return the rows `start` to `stop` of one var; parameters and errors as `vector`.

        `rows` of the result are relative to `start`. If the store keeps all cells of a var together (`Xc`), the var is
        read whole and cached.

        Examples
        --------
        >>> block = dataset.vector_block("CD3E", None, 0, 100)
        >>> np.array_equal(block.dense(100), dataset.values("CD3E")[:100])
        True
        """
        return next(self.vectors_block([name], layer, start, stop))

    def vectors_block(self, names: Sequence[str], layer: str | None, start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of several vars, in the order of `names`; parameters and errors as `vector_block`.

        Examples
        --------
        >>> [block.dense(100).shape for block in dataset.vectors_block(["CD3E", "NKG7"], None, 0, 100)]
        [(100,), (100,)]
        """
        positions = self._find(names, layer)
        check_block(start, stop, self._store.n_obs)
        return self._together(positions, layer, (start, stop))

    def matrix_block(self, start: int, stop: int, layer: str | None = None) -> MatrixBlock:
        """Return the lines `start` to `stop` of the matrix, rows or columns by `major_axis`; not cached.

        Raises
        ------
        UnknownName
            If there is no such layer.
        InvalidValue
            If there are no such lines.
        InvalidStore, DamagedStore
            If the store has no matrix, or it cannot be read.

        Examples
        --------
        >>> block = dataset.matrix_block(0, 10)
        >>> len(block.starts) - 1
        10
        """
        store, axis = self._store, self._store.major_axis
        n, length = (store.n_obs, store.n_var) if axis == "obs" else (store.n_var, store.n_obs)
        if not 0 <= start <= stop <= n:
            raise InvalidValue(f"{axis} {start} to {stop} are not a block of this dataset, which has {n:,}.")
        self._check_layer(layer)
        with self._lifetime.reading():
            block = store._read_matrix_block(start, stop, layer)
        if not block.holds(stop - start, length):
            lines = f"{axis} {start} to {stop} of {'the matrix' if layer is None else layer}"
            raise DamagedStore(f"{store.uri}: {lines} refer to cells that do not exist; the files are damaged.")
        return block

    def _together(
        self, positions: Sequence[int], layer: str | None, rows: tuple[int, int] | None = None
    ) -> Iterator[Vector]:
        """Yield vars, or rows of them, in the order of `positions`; those not cached are read together, each once.

        Nothing is held open between two of them, so the iteration may stop anywhere.
        """
        kept = {position: self._held(position, layer, rows) for position in positions}
        coming = self._read([position for position, vector in kept.items() if vector is None], layer, rows)
        last = {position: turn for turn, position in enumerate(positions)}
        for turn, position in enumerate(positions):
            with self._lifetime.reading():
                vector = kept[position] or self._kept(next(coming), position, layer, rows)
            # Drop a gene after its last use: a name may occur twice, and at most 256 MiB are held.
            kept[position] = vector if turn < last[position] else None
            yield vector

    def _held(self, position: int, layer: str | None, rows: tuple[int, int] | None) -> Vector | None:
        whole: Vector | None = self._lifetime.cache.get(("var", position, layer))
        return whole.block(*rows) if whole and rows else whole

    def _read(self, positions: Sequence[int], layer: str | None, rows: tuple[int, int] | None) -> Iterator[Vector]:
        if rows is None:
            yield from self._store._read_vectors(positions, layer)
        else:
            yield from self._store._read_vectors_block(positions, layer, *rows)

    def _kept(self, vector: Vector, position: int, layer: str | None, rows: tuple[int, int] | None) -> Vector:
        if rows is not None:
            return vector
        return self._lifetime.cached(("var", position, layer), lambda: vector)

    def _find(self, names: Sequence[str], layer: str | None) -> list[int]:
        self._check_layer(layer)
        known = self._names_in(layer)
        with self._lifetime.reading():
            return [self._position(name, known, layer) for name in names]

    def _position(self, name: str, known: VarNames, layer: str | None) -> int:
        try:
            return known.find_var(name)
        except UnknownName as error:
            why = known.explain_name(name) if layer is None else None
            if why is None:
                raise
            raise UnknownName(why) from error

    def _check_layer(self, layer: str | None) -> None:
        if layer is not None and layer not in self._store.layers:
            raise UnknownName(not_found("layer", layer, self._store.layers, self._store.title))


def together(wanted: Sequence[_Wanted], bytes_each: int) -> Iterator[list[_Wanted]]:
    """Split positions into parts to read together, given the memory that each takes at most."""
    step = max(TOGETHER_BYTES // max(bytes_each, 1), 1)
    for first in range(0, len(wanted), step):
        yield list(wanted[first : first + step])
