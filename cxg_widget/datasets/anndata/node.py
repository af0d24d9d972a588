"""Nodes of a store on disk, groups and arrays with attributes, independent of the library that reads them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore

MAX_CHUNK_BYTES = 2**31
"""Largest chunk to decode: chunks are decoded whole, so a file of a few bytes could demand any amount of memory."""
_MANY = 1 << 24
_MOST_PER_BYTE = 1_000


class Node(ABC):
    """A group or an array.

    Attributes
    ----------
    path : path within the store, without a leading slash
    uri : URI of the store, for messages
    """

    path: str
    uri: str

    @property
    @abstractmethod
    def attrs(self) -> Mapping[str, Any]:
        """The attributes as Python values: str, numbers, lists; skips unreadable ones."""

    @property
    def encoding(self) -> str:
        """The encoding that the writer declared, such as "csr_matrix"; "" if none."""
        named = self.attrs.get("encoding-type", "")
        return named if isinstance(named, str) else ""


class Array(Node):
    """An array that is read in slices.

    Attributes
    ----------
    shape : lengths
    dtype : dtype of the values that `read` returns
    is_text : whether it contains strings, which `read` returns as bytes, str or fixed-width text
    chunks : shape of a chunk, which is decoded as a whole; None if the array has no chunks
    fields : names of the columns of a table of records; empty for all others
    reads_in_parallel : whether several reads at once wait for storage about as long as one
    is_plain : whether ranges are read without the rest of their chunks, since nothing is compressed
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_text: bool
    chunks: tuple[int, ...] | None
    fields: tuple[str, ...] = ()
    reads_in_parallel: ClassVar[bool] = False
    is_plain: bool = False

    @abstractmethod
    def read(self, *keys: slice) -> NDArray[Any]:
        """Return a part, one slice for each axis; no slice at all = everything.

        Raises
        ------
        DamagedStore
            If it cannot be read.
        InvalidStore
            If reading it would leave the store, or take absurd amounts of memory.
        MissingDependency
            If the decoder of its compression is not installed.
        """

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[NDArray[Any]]:
        """Return ranges start <= place < stop along the first axis; errors as in `read`."""
        return [self.read(slice(*one)) for one in ranges]

    def read_beside(self, other: Array, key: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the same part of this array and of another; a remote store reads both in parallel."""
        return self.read(key), other.read(key)

    def locate(self) -> None:
        """Locate its chunks, if a remote store needs round trips for that; by default does nothing."""

    @abstractmethod
    def stored_bytes(self) -> int:
        """Return its size on disk, bytes."""

    def least_bytes(self) -> int:
        """Return its approximate size on disk in bytes, to detect an absurd length."""
        return self.stored_bytes()

    @abstractmethod
    def field(self, name: str) -> Array:
        """Return one column of a table of records."""

    @abstractmethod
    def target(self, attribute: str) -> Node | None:
        """Return the node that an attribute refers to, by reference or by path; None if it refers to none."""

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def check_plausible(self) -> None:
        """Raise `InvalidStore` if the bytes on disk are too few for the length; only for elements known to differ."""
        width = self.dtype.itemsize if self.dtype.kind in "SU" else 1  # text is compared by bytes
        if self.size * width <= _MANY:
            return
        stored = self.least_bytes()
        if stored * _MOST_PER_BYTE < self.size * width:
            what = f"{self.size:,} values" if width == 1 else f"{self.size:,} texts of {width:,} bytes"
            raise InvalidStore(f"{self.uri}: {self.path} declares {what} but takes {stored:,} bytes.")

    def check_chunks(self) -> None:
        """Raise `InvalidStore` if chunks are too large to decode."""
        size = math.prod(self.chunks or (0,)) * max(self.dtype.itemsize, 1)
        if size > MAX_CHUNK_BYTES:
            raise InvalidStore(f"{self.uri}: {self.path} has chunks of {size:,} bytes, too large to decode.")


class StoredArray(Array):
    """An array of a library, or one column of a table of records."""

    def __init__(self, store: Any, found: Any, path: str, column: str, shape: tuple[int, ...] | None) -> None:
        self._store, self._found, self._column = store, found, column
        self.path, self.uri = f"{path}[{column!r}]" if column else path, store.uri
        dtype = found.dtype[column] if column else found.dtype
        if dtype.subdtype is not None and shape is not None:
            dtype, inner = dtype.subdtype
            shape = (*shape, *inner)
        self.shape = () if shape is None else tuple(int(length) for length in shape)
        self.dtype, self.fields = dtype, dtype.names or ()

    def target(self, attribute: str) -> Node | None:
        """Return the node at the path that an attribute names, relative to this array."""
        value = self.attrs.get(attribute)
        if not isinstance(value, str):
            return None
        parent = self._store.root.get(self.path.rpartition("/")[0])
        return parent.get(value) if isinstance(parent, Group) else None

    def _read(self, keys: tuple[slice, ...]) -> NDArray[Any]:
        if not self._column:
            return np.asarray(self._found[keys or ...])
        found = self._read_column(keys[:1])
        return found[(slice(None), *keys[1:])] if len(keys) > 1 else found

    @abstractmethod
    def _read_column(self, keys: tuple[slice, ...]) -> NDArray[Any]:
        """Return rows of the column."""


class Group(Node):
    """A group: named nodes."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of its children, sorted."""

    @abstractmethod
    def get(self, name: str) -> Node | None:
        """Return a child by name, or a deeper node by a path with "/"; None if there is no readable node."""

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None


class Store(ABC):
    """An open store: a tree of nodes, read by several threads."""

    @property
    def tells_sizes(self) -> bool:
        """Whether the store can report the size of each array; over plain HTTP, one of many objects cannot."""
        return True

    @property
    @abstractmethod
    def root(self) -> Group:
        """The group that contains all others."""

    @abstractmethod
    def state(self) -> str:
        """Return a string that changes with each write."""

    @property
    @abstractmethod
    def traffic(self) -> Traffic:
        """Bytes and reads since the store was opened."""

    @abstractmethod
    def close(self) -> None:
        """Close the files."""


@contextmanager
def reading(uri: str, what: str) -> Iterator[None]:
    """Translate the errors of a library that reads a part of a store."""
    try:
        yield
    except (CxgWidgetError, MemoryError):
        raise
    except Exception as error:
        raise DamagedStore(f"{uri}: cannot read {what}: data are missing or damaged ({reason(error)}).") from error


def reason(error: Exception) -> str:
    """Return the message of a library's error, in one line of at most 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:297]}..."
