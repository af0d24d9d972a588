"""The embeddings in `obsm`: arrays, tables of numbers, or columns of one array of records as before version 0.7."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.frame import StoredFrame
from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.errors import DamagedStore, InvalidStore

_KEPT_BYTES = 2**25
Read = Callable[[int, int, int], NDArray[np.generic]]
"""Reads one axis of the rows start <= row < stop."""


class Embedding:
    """One embedding: its number of axes, and a method that reads two of them."""

    def __init__(self, node: Array | StoredFrame, width: int, names: tuple[str, ...] = ()) -> None:
        self._node, self.width, self._names = node, width, names
        self._last: tuple[tuple[int, int], int, NDArray[np.generic] | None] = ((0, 0), 0, None)

    def read(self, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.generic]:
        """Return two axes of the rows start <= row < stop; errors as in `Array.read`."""
        one, other = axes
        kept = self._all_axes(axes, start, stop)
        if kept is not None:
            return kept[:, [one, other]]
        if isinstance(self._node, Array) and other == one + 1:
            return self._node.read(slice(start, stop), slice(one, other + 1))
        return np.column_stack([self._axis(axis, start, stop) for axis in axes])

    def _all_axes(self, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.generic] | None:
        """Return all axes of rows if the caller reads pair after pair, as a conversion does; else None.

        A chunk contains many axes: reading 50 of them in pairs took 25 times their bytes from a remote store.
        """
        rows, before, kept = self._last
        if rows != (start, stop):
            kept = None
        elif kept is None and axes[0] == before + 1 and isinstance(self._node, Array):
            n_bytes = (stop - start) * self.width * self._node.dtype.itemsize
            kept = self._node.read(slice(start, stop)) if n_bytes <= _KEPT_BYTES else None
        self._last = (start, stop), axes[1], kept
        return kept

    def _axis(self, axis: int, start: int, stop: int) -> NDArray[np.generic]:
        if isinstance(self._node, Array):
            return self._node.read(slice(start, stop), slice(axis, axis + 1))[:, 0]
        return np.asarray(self._node.read_block(self._names[axis], start, stop))


def find_embeddings(node: Node | None, n_obs: int) -> tuple[dict[str, Embedding], dict[str, str]]:
    """Return the embeddings by name without "X_", and for each unusable one a message that says why."""
    found: dict[str, Embedding] = {}
    unusable: dict[str, str] = {}
    for name in _names(node):
        try:
            embedding = _embedding(_child(node, name), name, n_obs)
        except (InvalidStore, DamagedStore) as error:
            unusable[name] = str(error)
            continue
        if isinstance(embedding, str):
            unusable[name] = embedding
        else:
            found[name] = embedding
    return {_short(name, found): one for name, one in found.items()}, unusable


def _short(name: str, names: Mapping[str, object]) -> str:
    short = name.removeprefix("X_")
    return name if not short or (short != name and short in names) else short


def _names(node: Node | None) -> list[str]:
    if isinstance(node, Group):
        return node.names()
    return sorted(node.fields) if isinstance(node, Array) else []


def _child(node: Node | None, name: str) -> Node | None:
    if isinstance(node, Array):
        return node.field(name)
    return node.get(name) if isinstance(node, Group) else None


def _embedding(node: Node | None, name: str, n_obs: int) -> Embedding | str:
    what = f"obsm/{name}"
    if isinstance(node, Group) and (node.encoding == "dataframe" or "column-order" in node.attrs):
        return _of_frame(StoredFrame(node, what, None, lambda _: None), what, n_obs)
    if not isinstance(node, Array):
        return f"{what} is {node.encoding if node and node.encoding else 'a group'}, not an array of numbers."
    if len(node.shape) != 2 or node.dtype.kind not in "iuf":
        return f"{what} has {len(node.shape)} dimensions and dtype {node.dtype}; a scatterplot needs 2, of numbers."
    if node.shape[0] != n_obs:
        return f"{what} has {node.shape[0]:,} rows but obs has {n_obs:,}."
    return Embedding(node, node.shape[1]) if node.shape[1] >= 2 else f"{what} has {_axes(node.shape[1])}."


def _of_frame(frame: StoredFrame, what: str, n_obs: int) -> Embedding | str:
    if frame.n != n_obs:
        return f"{what} has {frame.n:,} rows but obs has {n_obs:,}."
    names = tuple(name for name, column in frame.columns.items() if column.kind in ("int", "float"))
    return Embedding(frame, len(names), names) if len(names) >= 2 else f"{what} has {_axes(len(names))} of numbers."


def _axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}; a scatterplot needs 2"
