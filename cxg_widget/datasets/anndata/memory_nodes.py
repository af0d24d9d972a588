"""Matrices in memory as nodes, so that the readers of stores on disk can read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.matrices import Axis, StoredMatrix
from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, exactly
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.vectors import together

_WHERE = "AnnData in memory"


class MemoryArray(Array):
    """An array, or something that is sliced like one."""

    is_text = False
    chunks = None

    def __init__(self, values: Any, path: str) -> None:
        self._values = values
        self.path, self.uri = path, _WHERE
        self.shape, self.dtype = tuple(values.shape), np.dtype(values.dtype)

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Empty: an array in memory has no attributes."""
        return {}

    def read(self, *keys: slice) -> NDArray[Any]:
        """Return a part, as a view if possible; makes a part of a Dask array of sparse blocks dense."""
        found = self._values[keys or ...]
        if hasattr(found, "compute"):
            found = found.compute()
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found)

    def stored_bytes(self) -> int:
        """Return its size in memory, bytes."""
        return self.size * self.dtype.itemsize

    def field(self, name: str) -> Array:
        """Return one column of a table of records."""
        return MemoryArray(self._values[name], f"{self.path}[{name!r}]")

    def target(self, attribute: str) -> Node | None:  # noqa: ARG002 - it has no attributes
        """Return None: there are no references."""
        return None


class SparseGroup(Group):
    """A sparse matrix made of data, indices and indptr, which are arrays or nodes."""

    def __init__(self, parts: Mapping[str, Any], about: Mapping[str, Any], path: str, uri: str = _WHERE) -> None:
        self._parts, self._about = parts, about
        self.path, self.uri = path, uri

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Encoding and shape, as a store on disk has them."""
        return self._about

    def names(self) -> list[str]:
        """Return the names of the parts."""
        return sorted(self._parts)

    def get(self, name: str) -> Node | None:
        """Return one part."""
        found = self._parts.get(name)
        return found if found is None or isinstance(found, Node) else MemoryArray(found, f"{self.path}/{name}")


class MatrixOfView:
    """A matrix of a view of an AnnData; reads lines from narrower views, since reading X or a layer copies all of it.

    It has the methods of `StoredMatrix`.
    """

    def __init__(self, source: Any, layer: str | None) -> None:
        self._source, self._layer = source, layer

    @property
    def is_missing(self) -> bool:
        """Whether the view's parent has no such matrix."""
        return self._values(self._source[:1, :1]) is None

    @property
    def axis(self) -> Axis:
        """Rows, which most matrices slice fast."""
        return "obs"

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct columns, sliced several at a time."""
        return self.parts(positions, 0, self._source.n_obs)

    def parts(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of distinct columns, counted from `start`."""
        for some in together(positions, 4 * (stop - start)):
            cut = _dense(self._values(self._source[start:stop, some]))
            for number in range(len(some)):
                yield Vector(cut[:, number].copy())

    def lines(self, axis: Axis, start: int, stop: int) -> MatrixBlock:
        """Return neighboring rows or columns."""
        if axis == "obs":
            return MatrixBlock.of_dense(_dense(self._values(self._source[start:stop])))
        return MatrixBlock.of_dense(_dense(self._values(self._source[:, start:stop])).T)

    def grain(self) -> Grain:
        """Return its portions: single rows and columns; the number of entries is unknown, so it counts all values."""
        shape = len(self._source.obs), len(self._source.var)
        return Grain(shape, shape[0] * shape[1], 4, 1, 1, cuts=True)

    def rows(self, rows: NDArray[np.int64]) -> MatrixBlock:
        """Return some rows."""
        return _block_of(self._values(self._source[rows]))

    def columns(self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None) -> MatrixBlock:
        """Return some columns, cut to some rows."""
        return _block_of(self._values(self._source[:, positions] if rows is None else self._source[rows, positions]).T)

    def describe(self) -> dict[str, Any]:
        """Return that it is a view."""
        return {"layout": "view"}

    def _values(self, cut: Any) -> Any:
        return x_of(cut) if self._layer is None else cut.layers[self._layer]


AnyMatrix = StoredMatrix | MatrixOfView


def x_of(source: Any) -> Any:
    """Return X of an AnnData, None if it has none; an object backed by a file looks for it only now."""
    try:
        return source.X
    except KeyError:
        return None


def is_in_memory(values: Any) -> bool:
    """Return whether a table or matrix is entirely in memory: not mapped, not in a file, not lazy."""
    if hasattr(values, "iloc"):
        return True
    parts = [getattr(values, name, None) for name in _PARTS] if hasattr(values, "indptr") else [values]
    return all(isinstance(one, np.ndarray) and not _is_mapped(one) for one in parts)


def _is_mapped(values: Any) -> bool:
    """Return whether an array, or an array that it is a view of, is a memory map."""
    while isinstance(values, np.ndarray | memoryview):
        values = values.obj if isinstance(values, memoryview) else values.base
    return isinstance(values, mmap)


def node_of(values: Any, path: str) -> Node:
    """Return a matrix of NumPy, SciPy or of an AnnData backed by a file as a node; anything else as an empty group."""
    layout = getattr(values, "format", "")
    if layout in ("csr", "csc"):
        about = {"encoding-type": f"{layout}_matrix", "shape": list(values.shape)}
        stored = getattr(values, "group", None)
        parts = {name: getattr(values, name) if stored is None else stored[name] for name in _PARTS}
        return SparseGroup(parts, about, path)
    if hasattr(values, "iloc"):
        values = values.to_numpy()
    if hasattr(values, "shape") and hasattr(values, "dtype") and not layout:
        return MemoryArray(values, path)
    return SparseGroup({}, {"encoding-type": f"{type(values).__module__}.{type(values).__name__}"}, path)


_PARTS = ("data", "indices", "indptr")


def _block_of(values: Any) -> MatrixBlock:
    """Return the rows of a matrix as a block, which is sparse if the matrix is."""
    if not hasattr(values, "tocsr"):
        return DenseBlock(np.ascontiguousarray(exactly(np.asarray(values))))
    found = values.tocsr()
    return MatrixBlock(found.indptr, found.indices, exactly(found.data)).distinct(found.shape[1])


def _dense(values: Any) -> NDArray[np.float32]:
    plain = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    return np.asarray(plain).astype(np.float32, copy=False)
