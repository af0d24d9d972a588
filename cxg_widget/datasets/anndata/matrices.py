"""The matrices of a dataset (X, layers, raw), with their layouts detected at first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import RLock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.anndata.dense import Dense
from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.datasets.anndata.sparse import Sparse
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Vector
from cxg_widget.errors import InvalidStore
from cxg_widget.text.numbers import byte_size

Axis = Literal["obs", "var"]


class StoredMatrix:
    """One matrix of any layout; read lazily.

    Parameters
    ----------
    node : node of the matrix, None if the store has none
    name : name in messages
    shape : (n_obs, n_var) according to obs and var
    """

    def __init__(
        self,
        node: Node | None,
        name: str,
        shape: tuple[int, int],
        *,
        budget: ByteCache,
        note: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> None:
        self.node, self._name, self.shape = node, name, shape
        self._budget, self._note, self._progress = budget, note, progress
        self._lock = RLock()
        self._opened: Dense | Sparse | None = None

    @property
    def is_missing(self) -> bool:
        """Whether the store has no such matrix."""
        return self.node is None or self.node.encoding == "null"

    @property
    def axis(self) -> Axis:
        """Axis along which neighboring lines are fast to read; known without reading."""
        return "var" if layout_of(self.node) == "csc" else "obs"

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct columns; if the whole matrix has to be scanned, a scan serves many columns."""
        found = self._open()
        if isinstance(found, Dense):
            yield from found.columns(positions, 0, self.shape[0])
        elif found.axis == "obs":
            yield from (lines.vector() for lines in found.lines_across(positions))
        else:
            yield from (found.lines("var", position, position + 1).vector() for position in positions)

    def parts(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of distinct columns, counted from `start`."""
        found = self._open()
        if isinstance(found, Dense):
            yield from found.columns(positions, start, stop)
        else:
            yield from (lines.vector() for lines in found.parts_across(positions, start, stop))

    def lines(self, axis: Axis, start: int, stop: int) -> MatrixBlock:
        """Return neighboring rows or columns; errors as in `vectors`."""
        return self._open().lines(axis, start, stop)

    def cost_of_gene(self) -> str:
        """Locate the lines of a remote matrix, and return a sentence on what a gene costs; errors as in `vectors`.

        "" if a gene reads little.
        """
        if self.is_missing:
            return ""
        found = self._open()
        n_bytes = found.locate()
        if not n_bytes:
            return ""
        size, convert = byte_size(n_bytes), "`cxg-widget convert` makes a store that reads one gene"
        if isinstance(found, Dense):
            return f"{self._name} is dense, and its chunks hold many genes: each gene reads about {size}; {convert}."
        is_kept = found.fits()
        reads = (
            f"the first gene reads all of it, about {size}" if is_kept else f"each gene reads all of it, about {size}"
        )
        return f"{self._name} is stored by cell: {reads}{', and is kept in memory' if is_kept else ''}; {convert}."

    def grain(self) -> Grain:
        """Return the portions in which the matrix is read; errors as in `vectors`."""
        return self._open().grain()

    def rows(self, rows: NDArray[np.int64]) -> MatrixBlock:
        """Return some rows, ascending, of a matrix whose grain has rows. Errors as `vectors`."""
        return self._open().rows(rows)

    def columns(self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None) -> MatrixBlock | None:
        """Return some columns, ascending, cut to some rows; None if `vectors` is as fast. Errors as in `vectors`."""
        return self._open().cut_columns(positions, rows)

    def describe(self) -> dict[str, Any]:
        """Return layout, dtype and chunks, JSON-compatible; empty if there is no matrix."""
        layout = layout_of(self.node)
        values = self.node.get("data") if isinstance(self.node, Group) else self.node
        if layout is None or not isinstance(values, Array) or not values.shape:
            return {}
        chunks = None if values.chunks is None else list(values.chunks)
        found = {"layout": layout, "dtype": str(values.dtype), "chunks": chunks}
        return found if layout == "dense" else {**found, "n_entries": values.shape[0]}

    def _open(self) -> Dense | Sparse:
        with self._lock:
            if self._opened is None:
                self._opened = self._look()
            return self._opened

    def _look(self) -> Dense | Sparse:
        node, layout = self.node, layout_of(self.node)
        assert node is not None, "the dataset raises for a missing matrix"
        if layout is None:
            raise InvalidStore(f"{node.uri}: {self._name} has an unsupported encoding: {_describe_node(node)}.")
        shape = _shape_of(node)
        if shape != self.shape:
            sizes = "x".join(str(length) for length in shape)
            raise InvalidStore(
                f"{node.uri}: {self._name} is {sizes} but obs has {self.shape[0]} rows and var {self.shape[1]}."
            )
        if isinstance(node, Array):
            return Dense(node)
        assert isinstance(node, Group)
        axis: Axis = "obs" if layout == "csr" else "var"
        return Sparse(node, self.shape, axis, budget=self._budget, note=self._note, progress=self._progress)


def layout_of(node: Node | None) -> Literal["csr", "csc", "dense"] | None:
    """Return the layout of a matrix; None if it is not a readable matrix."""
    if isinstance(node, Array):
        return "dense" if len(node.shape) == 2 and node.dtype.kind in "biuf" else None
    if not isinstance(node, Group):
        return None
    encoding = node.encoding or str(node.attrs.get("h5sparse_format", ""))
    return "csr" if encoding.startswith("csr") else "csc" if encoding.startswith("csc") else None


def is_matrix(node: Node | None) -> bool:
    """Return whether a node can be a layer."""
    return layout_of(node) is not None


def same_positions(labels: list[str], others: list[str]) -> NDArray[np.int64]:
    """Return the first position of each of `labels` in `others`, -1 = none."""
    if labels == others:
        return np.arange(len(labels))
    first: dict[str, int] = {}
    for position, label in enumerate(others):
        first.setdefault(label, position)
    return np.array([first.get(label, -1) for label in labels], dtype=np.int64)


def _shape_of(node: Node) -> tuple[int, ...]:
    if isinstance(node, Array):
        return node.shape
    shape = node.attrs.get("shape", node.attrs.get("h5sparse_shape"))
    try:
        return tuple(int(length) for length in shape or ())
    except (TypeError, ValueError):
        return ()


def _describe_node(node: Node) -> str:
    if isinstance(node, Array):
        return f"an array of {len(node.shape)} dimensions of {node.dtype}"
    return node.encoding or f"a group of {', '.join(node.names()[:6]) if isinstance(node, Group) else 'nothing'}"
