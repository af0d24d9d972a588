"""Columns as AnnData stores them: plain, text, masked or as codes into categories; each read in blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.datasets.base.column_values import as_strings, row_blocks, smallest_codes, tidy_categories
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import KIND_OF_TYPE, Codes, Kind, Values, as_plain
from cxg_widget.errors import InvalidStore

MAX_CATEGORY_BYTES = 2**26
"""Limit for all categories of a column as text; their labels go to the page and into files."""
_MANY_CATEGORIES = 1 << 16
_USUAL_PER_ROW = 16
_AT_ONCE = 1 << 10


class Element(ABC):
    """One column, with a row for each entry of an array.

    Attributes
    ----------
    kind : kind of the values that `read` returns
    n : number of rows
    n_categories : as declared, None if it has none
    """

    kind: Kind
    n_categories: int | None = None

    def __init__(self, array: Array) -> None:
        self._array, self.n = array, array.shape[0]

    @abstractmethod
    def read(self, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop; errors as in `Array.read`."""

    def check_plausible(self) -> None:
        """Raise `InvalidStore` if the bytes on disk are too few for the length; see `Array.check_plausible`."""
        self._array.check_plausible()


class Plain(Element):
    """Booleans or numbers."""

    def __init__(self, array: Array) -> None:
        super().__init__(array)
        self.kind = KIND_OF_TYPE[array.dtype.kind]

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Read rows in their own dtype, of at most 8 bytes, in the byte order of this machine."""
        found = self._array.read(slice(start, stop))
        dtype = np.dtype(np.float64) if found.dtype.itemsize > 8 else found.dtype.newbyteorder("=")
        return found.astype(dtype, copy=False)


class Text(Element):
    """Strings in any encoding."""

    kind = "string"

    def read(self, start: int, stop: int) -> PackedStrings:
        """Read rows as packed strings."""
        return pack(self._array.read(slice(start, stop)))


class Masked(Element):
    """Values with a mask of the missing ones.

    If no value of the column is missing, numbers and booleans keep their dtype. If one is, `read` returns numbers as
    floats with NaN, and booleans as codes.
    """

    def __init__(self, values: Element, mask: Array) -> None:
        super().__init__(values._array)
        self._values, self._mask, self.kind = values, mask, values.kind
        self._lock = RLock()
        self._any: bool | None = None

    def read(self, start: int, stop: int) -> Values:
        """Read rows; their dtype is the same for all blocks."""
        values = self._values.read(start, stop)
        if not self._has_missing():
            return values
        missing = self._mask.read(slice(start, stop)).astype(bool)
        if self.kind == "string":
            texts = as_plain(values)
            texts[missing] = None
            return texts
        plain = np.asarray(values)
        if self.kind == "boolean":
            return Codes(np.where(missing, -1, plain).astype(np.int8), (False, True))
        numbers = plain.astype(np.float64 if plain.dtype.kind in "iu" else plain.dtype)
        numbers[missing] = np.nan
        return numbers

    def _has_missing(self) -> bool:
        with self._lock:
            if self._any is None:
                self._any = any(bool(self._mask.read(slice(*block)).any()) for block in row_blocks(self.n))
            return self._any


class Coded(Element):
    """Codes into categories."""

    kind = "categorical"

    def __init__(self, name: str, codes: Array, categories: Element, *, ordered: bool) -> None:
        super().__init__(codes)
        self._name, self._stored, self.n_categories = name, categories, categories.n
        self._ordered = ordered
        self._lock = RLock()
        self._known: tuple[NDArray[np.int64], tuple[Any, ...]] | None = None

    def read(self, start: int, stop: int) -> Codes:
        """Read rows."""
        if self._array.reads_in_parallel and self._known is None:
            calls: list[Callable[[], Any]] = [self._categories, partial(self._array.read, slice(start, stop))]
            (target, categories), codes = gather(calls)
        else:
            target, categories = self._categories()
            codes = self._array.read(slice(start, stop))
        low, high = (int(codes.min()), int(codes.max())) if codes.size else (-1, -1)
        declared = len(target) - 1
        if low < -1 or high >= declared:
            wrong = low if low < -1 else high
            raise InvalidStore(
                f"{self._array.uri}: {self._name} holds code {wrong} but only {declared:,} categories are declared."
            )
        as_is = np.array_equal(target[:-1], np.arange(declared))
        meant = codes if as_is else target[codes.astype(np.int64)]
        return Codes(smallest_codes(meant, len(categories)), categories, self._ordered)

    def labels(self) -> list[Any]:
        """Return all categories as stored, in order; raises `InvalidStore` for too much text."""
        if not isinstance(self._stored, Text):
            return labels_of(self._stored)
        found: list[Any] = []
        size = 0
        # Many strings may share one place of an HDF5 file.
        step = _MANY_CATEGORIES if self._array.reads_in_parallel else _AT_ONCE
        for start in range(0, self._stored.n, step):
            block = self._stored.read(start, min(start + step, self._stored.n))
            size += block.text.nbytes
            if size > MAX_CATEGORY_BYTES:
                raise _too_long(self._array.uri, self._name)
            found += as_plain(block).tolist()
        return found

    def _categories(self) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
        with self._lock:
            if self._known is None:
                self._known = tidy_categories(self.labels())
            return self._known


def element_of(node: Node, name: str, legacy_categories: Node | None = None) -> Element:
    """Return the reader of a column.

    Parameters
    ----------
    node : node of the column
    name : name in messages, such as "obs column 'louvain'"
    legacy_categories : categories in `uns` of a column of codes, in the layout before version 0.7
    """
    if isinstance(node, Group):
        return _of_group(node, name)
    assert isinstance(node, Array)
    if len(node.shape) != 1:
        raise InvalidStore(f"{node.uri}: {name} has {len(node.shape)} dimensions; a column has one.")
    if node.dtype.kind in "iu":
        categories = legacy_categories or node.target("categories")
        if categories is not None:
            return _coded(name, node, categories, ordered=bool(categories.attrs.get("ordered", False)))
    if node.is_text:
        if node.dtype.kind in "SU":
            node.check_plausible()
        return Text(node)
    if node.dtype.kind not in KIND_OF_TYPE:
        raise InvalidStore(f"{node.uri}: {name} is of type {node.dtype}, which is not supported.")
    return Plain(node)


def labels_of(element: Element) -> list[Any]:
    """Return all values as Python scalars, None = missing."""
    return list(as_plain(element.read(0, element.n)).tolist())


def pack(values: NDArray[Any]) -> PackedStrings:
    """Pack bytes, str or fixed-width text into two buffers; missing values become ""."""
    pieces = values.reshape(-1).tolist()
    if pieces and not (values.dtype.kind == "S" or all(type(piece) is bytes for piece in pieces)):
        texts = pieces if values.dtype.kind in "TU" else as_strings(pieces).tolist()
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
    starts = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces)), out=starts[1:])
    return PackedStrings(np.frombuffer(b"".join(pieces), dtype=np.uint8), starts)


def _of_group(group: Group, name: str) -> Element:
    encoding = group.encoding
    if encoding == "categorical" or (not encoding and "codes" in group and "categories" in group):
        codes, categories = _part(group, "codes", name), group.get("categories")
        if categories is None:
            raise InvalidStore(f"{group.uri}: {name} has no categories.")
        return _coded(name, codes, categories, ordered=bool(group.attrs.get("ordered", False)))
    if encoding.startswith("nullable-") or (not encoding and "values" in group and "mask" in group):
        values = element_of(_part(group, "values", name), name)
        mask = _part(group, "mask", name)
        if mask.shape != (values.n,):
            raise InvalidStore(f"{group.uri}: {name} has {values.n:,} values but a mask of shape {mask.shape}.")
        return Masked(values, mask)
    raise InvalidStore(f"{group.uri}: {name} is encoded as {encoding or 'a group'!r}, which is not supported.")


def _coded(name: str, codes: Array, categories: Node, *, ordered: bool) -> Coded:
    if codes.dtype.kind not in "iu" or len(codes.shape) != 1:
        raise InvalidStore(f"{codes.uri}: {name} has codes of type {codes.dtype}, not integers.")
    if isinstance(categories, Array):
        _check_categories(name, categories, codes.shape[0])
    return Coded(name, codes, element_of(categories, f"the categories of {name}"), ordered=ordered)


def _check_categories(name: str, categories: Array, n: int) -> None:
    """Raise `InvalidStore` for categories that need an absurd amount of memory, before any is read."""
    categories.check_plausible()
    if categories.size > max(_MANY_CATEGORIES, _USUAL_PER_ROW * n) and categories.least_bytes() < categories.size:
        raise InvalidStore(f"{categories.uri}: {name} declares {categories.size:,} categories for {n:,} values.")
    if categories.dtype.kind in "SU" and categories.size * categories.dtype.itemsize > MAX_CATEGORY_BYTES:
        raise _too_long(categories.uri, name)


def _too_long(uri: str, name: str) -> InvalidStore:
    return InvalidStore(f"{uri}: the categories of {name} take more than {MAX_CATEGORY_BYTES:,} bytes of text.")


def _part(group: Group, part: str, name: str) -> Array:
    found = group.get(part)
    if not isinstance(found, Array):
        raise InvalidStore(f"{group.uri}: {name} has no {part}.")
    return found
