"""Vars over all obs or some rows of them: one by itself, or several that are read together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.columns import check_block
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import UnknownName
from cxg_widget.text.names import not_found

_Wanted = TypeVar("_Wanted")

TOGETHER_BYTES = 2**28
"""What vars that are read together may take before they are handed on; of more, some wait for another read."""


class Vectors(VarNames):
    """The part of a `Dataset` that reads vars.

    Where a store keeps cells together, one var costs a look at all of the matrix. Such a store implements
    `_read_vectors` and `_read_vectors_block` too, so that one look serves all vars that are asked for at once.
    """

    n_obs: int
    layers: tuple[str, ...] = ()

    def _read_vector(self, position: int, layer: str | None) -> Vector:
        """Read the var at `position`. A store with vars implements this or `_read_vectors`."""
        return next(self._read_vectors([position], layer))

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        """Yield distinct vars in their order, each as `_read_vector` returns it."""
        return (self._read_vector(position, layer) for position in positions)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:
        """Read rows of the var at `position`, counted from `start`."""
        return self._whole_vector(position, layer).block(start, stop)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        """Yield rows of distinct vars in their order, each as `_read_vector_block` returns it."""
        return (self._read_vector_block(position, layer, start, stop) for position in positions)

    def vector(self, name: str, layer: str | None = None) -> Vector:
        """Return one var over all obs, sparse where the store is; cached and read-only.

        Raises
        ------
        UnknownName
            If there is no such var or layer.
        InvalidStore, DamagedStore
            If the store has no such data, or they cannot be read.
        """
        return self._whole_vector(self._find_vector(name, layer), layer)

    def vectors(self, names: Sequence[str], layer: str | None = None) -> Iterator[Vector]:
        """Yield several vars over all obs, in the order of `names`: what `vector` returns of each, cached as there.

        A store that would look at all of its matrix for each var looks once for all of them, or once for each
        256 MiB of their values. No more than that is in memory beside the cache.

        Raises
        ------
        UnknownName
            If there is no such var or layer; before anything is read.
        InvalidStore, DamagedStore
            If the store has no such data, or they cannot be read; while iterating.
        """
        positions = [self._find_vector(name, layer) for name in names]
        kept = {position: self._cache.get(("var", position, layer)) for position in positions}

        def whole(vector: Vector, position: int) -> Vector:
            found: Vector = self._cached(("var", position, layer), lambda: vector)
            return found

        return self._together(positions, kept, lambda missing: self._read_vectors(missing, layer), whole)

    def values(self, name: str, layer: str | None = None) -> NDArray[np.float32]:
        """Return one var over all obs as float32 (n_obs,), a new array; errors as `vector`."""
        return self.vector(name, layer).dense(self.n_obs)

    def vector_block(self, name: str, layer: str | None, start: int, stop: int) -> Vector:
        """Return rows of one var; `rows` of the result count from `start`. Errors as `vector`.

        Where the store keeps all cells of a var together (`Xc`), it is read whole and kept in the cache.
        """
        return next(self.vectors_block([name], layer, start, stop))

    def vectors_block(self, names: Sequence[str], layer: str | None, start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of several vars, in the order of `names`, as `vector_block` returns each; errors as `vectors`."""
        positions = [self._find_vector(name, layer) for name in names]
        check_block(start, stop, self.n_obs)
        wholes = {position: self._cache.get(("var", position, layer)) for position in positions}
        kept = {position: whole and whole.block(start, stop) for position, whole in wholes.items()}
        return self._together(
            positions,
            kept,
            lambda missing: self._read_vectors_block(missing, layer, start, stop),
            lambda vector, _: vector,
        )

    def _together(
        self,
        positions: Sequence[int],
        kept: dict[int, Vector | None],
        read: Callable[[Sequence[int]], Iterator[Vector]],
        keep: Callable[[Vector, int], Vector],
    ) -> Iterator[Vector]:
        """Yield vars in the order of `positions`; those not kept are read together, each once.

        Between two of them nothing is held open, so that whoever iterates may stop anywhere.
        """
        last = {position: turn for turn, position in enumerate(positions)}
        coming = read([position for position, vector in kept.items() if vector is None])
        for turn, position in enumerate(positions):
            with self._reading():
                vector = kept[position] or keep(next(coming), position)
            kept[position] = vector if turn < last[position] else None
            yield vector

    def _whole_vector(self, position: int, layer: str | None) -> Vector:
        found: Vector = self._cached(("var", position, layer), lambda: self._read_vector(position, layer))
        return found

    def _find_vector(self, name: str, layer: str | None) -> int:
        self._check_layer(layer)
        return self.find_var(name)

    def _check_layer(self, layer: str | None) -> None:
        if layer is not None and layer not in self.layers:
            raise UnknownName(not_found("layer", layer, self.layers, self.title))


def together(wanted: Sequence[_Wanted], bytes_each: int) -> Iterator[list[_Wanted]]:
    """Cut what is wanted into parts that are read together, where it is known how much memory each takes at most."""
    step = max(TOGETHER_BYTES // max(bytes_each, 1), 1)
    for first in range(0, len(wanted), step):
        yield list(wanted[first : first + step])
