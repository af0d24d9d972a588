"""A table of annotations, obs or var: a group of columns, or one array of records as before version 0.7."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.datasets.anndata.stored_columns import Coded, Element, element_of
from cxg_widget.datasets.base.column_values import as_strings, row_blocks
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import Column, Values, array_of, as_plain, in_place_of, take_rows
from cxg_widget.errors import DamagedStore, InvalidStore

_FEW_SPANS = 64
_NEAR = 4_096


class StoredFrame:
    """The columns of obs or var; opening them reads their descriptions, not their values.

    Parameters
    ----------
    node : node of the table
    name : "obs" or "var"
    uns : has the categories of tables written before version 0.7
    note : called with a sentence for each column that is left out

    Attributes
    ----------
    n : number of rows
    index : name of the index column, None if there is none
    columns : in the store's order, without the index
    """

    def __init__(self, node: Node, name: str, uns: Group | None, note: Callable[[str], None]) -> None:
        self.node, self._name, self._uns = node, name, uns
        self._elements: dict[str, Element] = {}
        names, label = _listed(node)
        index = self._open_index(label, note)
        self.index = None if index is None else label
        self.n = self._count(index, names)
        found: dict[str, Column] = {}
        for one in names:
            if one != label and self._open_column(one, note):
                element = self._elements[one]
                found[one] = Column(one, element.kind, element.n_categories)
        self.columns: Mapping[str, Column] = found

    def read(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read a column in the order of `rows` (None = all); for a few rows, reads only those near them."""
        if rows is None:
            return self.read_block(name, 0, self.n)
        if not len(rows):
            return take_rows(self.read_block(name, 0, 0), np.empty(0, dtype=np.int64))
        wanted, place = np.unique(rows, return_inverse=True)
        parts = [take_rows(self.read_block(name, *span), part - span[0]) for span, part in _spans(wanted, self.n)]
        return take_rows(parts[0] if len(parts) == 1 else _joined(parts), place.reshape(-1))

    def read_block(self, name: str, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop of a column; names in the index are always strings."""
        values = self._elements[name].read(start, stop)
        if name != self.index or isinstance(values, PackedStrings):
            return values
        return as_strings(as_plain(values).tolist())

    def labels(self, name: str) -> list[Any]:
        """Return the categories of a column as stored; empty if it has none."""
        element = self._elements.get(name)
        return element.labels() if isinstance(element, Coded) else []

    def _child(self, name: str) -> Node | None:
        if isinstance(self.node, Group):
            return self.node.get(name)
        return self.node.field(name) if isinstance(self.node, Array) and name in self.node.fields else None

    def _open_index(self, label: str | None, note: Callable[[str], None]) -> Element | None:
        what = f"{self._name} index {label!r}"
        try:
            node = None if label is None else self._child(label)
            if node is None or label is None:
                note(f"{self._name} has no index; its rows are named by their positions.")
                return None
            self._elements[label] = element_of(node, what)
            return self._elements[label]
        except (InvalidStore, DamagedStore) as error:
            note(f"{what} cannot be read: {error}")
            return None

    def _count(self, index: Element | None, names: list[str]) -> int:
        if isinstance(self.node, Array):
            self.node.check_plausible()
            return self.node.shape[0]
        if index is not None:
            index.check_plausible()
            return index.n
        for name in names:
            try:
                node = self._child(name)
                if node is not None:
                    element = element_of(node, name)
                    element.check_plausible()
                    return element.n
            except (InvalidStore, DamagedStore):
                continue
        raise InvalidStore(f"{self.node.uri}: {self._name} has neither an index nor a column that can be read.")

    def _open_column(self, name: str, note: Callable[[str], None]) -> bool:
        what = f"{self._name} column {name!r}"
        try:
            node = self._child(name)
            if node is None:
                note(f"{what} is left out: the store lists it but does not contain it.")
                return False
            uns = self._uns if isinstance(self.node, Array) else None
            element = element_of(node, what, None if uns is None else uns.get(f"{name}_categories"))
        except (InvalidStore, DamagedStore) as error:
            note(f"{what} is left out: {error}")
            return False
        if element.n != self.n:
            note(f"{what} is left out: it has {element.n:,} values but {self._name} has {self.n:,} rows.")
            return False
        self._elements[name] = element
        return True


def _listed(node: Node) -> tuple[list[str], str | None]:
    """Return the names of the columns, which may include the index, and the name of the index."""
    if isinstance(node, Array):
        if not node.fields or len(node.shape) != 1:
            raise InvalidStore(f"{node.uri}: {node.path} is an array of type {node.dtype}, not a table.")
        names = list(node.fields)
        return names, next((name for name in ("index", "_index") if name in names), None)
    assert isinstance(node, Group)
    index, order = node.attrs.get("_index"), node.attrs.get("column-order")
    stored = None
    if not isinstance(index, str):
        stored = node.names()
        index = next((name for name in ("_index", "index") if name in stored), None)
    if not isinstance(order, list):
        order = [name for name in (stored or node.names()) if name != "__categories"]
    return list(dict.fromkeys(str(name) for name in order if name != index)), index


def _spans(wanted: NDArray[np.int64], n: int) -> list[tuple[tuple[int, int], NDArray[np.int64]]]:
    """Split ascending rows into a few spans (start, stop) to read, each with its rows."""
    cuts = np.flatnonzero(np.diff(wanted) > _NEAR) + 1
    if len(cuts) < _FEW_SPANS:
        parts = np.split(wanted, cuts)
        whole = [((int(part[0]), int(part[-1]) + 1), part) for part in parts]
        return [one for span, part in whole for one in _cut(span, part)]
    return _cut((0, n), wanted)


def _cut(span: tuple[int, int], part: NDArray[np.int64]) -> list[tuple[tuple[int, int], NDArray[np.int64]]]:
    found = []
    for start, stop in row_blocks(span[1] - span[0]):
        block = (span[0] + start, span[0] + stop)
        low, high = np.searchsorted(part, block)
        if high > low:
            found.append((block, part[low:high]))
    return found


def _joined(parts: list[Values]) -> Values:
    return in_place_of(parts[0], np.concatenate([array_of(one) for one in parts]))
