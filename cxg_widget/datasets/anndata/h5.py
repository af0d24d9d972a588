"""HDF5 as nodes, read with h5py.

Follows only links within the file, and checks each link first: an external link, a virtual dataset or external storage
would read any other file that its author names.
"""

from __future__ import annotations

import importlib
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from importlib.util import find_spec
from threading import RLock
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array, Group, Node, Store, StoredArray, reading, reason
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.datasets.base.metered_file import MeteredFile, can_count_reads, counted
from cxg_widget.errors import DamagedStore, InvalidStore, MissingDependency

Wanted = tuple[Any, tuple[slice, ...]]
"""A dataset of h5py, and a part of it."""
_MOST_HOPS = 8
_DEEPEST = 64


class H5Store(Store):
    """An HDF5 file, open for reading; others, in this process or another, can still open it.

    HDF5 shares the state of a file among all who open it with the same driver, and they must agree on locks and on
    writing. If this class used the default driver, "sec2", `anndata.read_h5ad` could not open the file. It uses
    "stdio", which is as fast. If the system does not report the bytes that a thread reads, it uses a Python file
    instead, which counts them.
    """

    def __init__(self, path: str, uri: str) -> None:
        self.uri = uri
        self.lock = RLock()
        self._path = os.path.abspath(path)
        self._meter = Meter()
        self._counts_threads, self._is_counted = can_count_reads(), False
        self._below: MeteredFile | None = None
        self.bytes: BinaryIO | None = None
        """The same file, to read bytes at an offset; None where that is not possible."""
        try:
            self.file = self._open()
            self._opened = self._stamp()
            self.bytes = self._open_bytes()
        except OSError as error:
            self._close_below()
            raise DamagedStore(f"{uri}: the file is truncated, damaged or not HDF5 ({reason(error)}).") from error

    def _open(self) -> h5py.File:
        if self._counts_threads:
            with self._counted():
                return h5py.File(self._path, "r", driver="stdio", locking=False)
        self._below = MeteredFile(self._path, self._meter)
        return h5py.File(self._below, "r")

    def _open_bytes(self) -> BinaryIO | None:
        if not (self._counts_threads and hasattr(os, "pread")):
            return None
        found = open(self._path, "rb", buffering=0)  # noqa: SIM115 - `close` closes it
        held = os.fstat(found.fileno())
        if (held.st_dev, held.st_ino) == self._opened[0]:
            # If nobody closes the dataset, this does, as h5py does for its own file: without a ResourceWarning.
            weakref.finalize(self, found.close)
            return found
        found.close()  # another file has replaced it at its path
        return None

    @property
    def root(self) -> H5Group:
        """The root group."""
        with self.reading("the root group"):
            return H5Group(self, self.file["/"], "")

    def state(self) -> str:
        """Return path, size and time of the last write."""
        found = os.stat(self._path)
        return f"{self._path}#{found.st_size}#{found.st_mtime_ns}"

    @property
    def traffic(self) -> Traffic:
        """Bytes and reads since the file was opened."""
        return self._meter.so_far

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.file.close()
            self._close_below()

    def _close_below(self) -> None:
        if self.bytes is not None:
            self.bytes.close()
        if self._below is not None:
            self._below.close()

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Admit one thread at a time to the library, and translate its errors."""
        with self.lock, reading(self.uri, what):
            if self._is_changed():
                raise DamagedStore(f"{self.uri}: the file was changed after it was opened; open it again.")
            with self._counted():
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count the bytes read; nested calls count nothing twice."""
        if not self._counts_threads or self._is_counted:
            yield
            return
        self._is_counted = True  # of this thread only, which has the lock
        try:
            with counted(self._meter):
                yield
        finally:
            self._is_counted = False

    def fetched(self, wanted: Sequence[Wanted]) -> AbstractContextManager[None]:  # noqa: ARG002 - for remote files
        """Prefetch parts of datasets for the reads in the `with` block; does nothing for a local file."""
        return nullcontext()

    def _stamp(self) -> tuple[Any, Any]:
        """Return the identity of the file at the path, and a stamp that changes with each write."""
        found = os.stat(self._path)
        return (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)

    def _is_changed(self) -> bool:
        try:
            file, state = self._stamp()
        except OSError:
            return False
        # A new file at the path has another identity; the open one is unchanged.
        return bool(file == self._opened[0] and state != self._opened[1])

    def wrap(self, found: Any, path: str) -> Node | None:
        """Return an object of h5py as a node; None if it is neither a group nor a dataset."""
        if isinstance(found, h5py.Group):
            return H5Group(self, found, path)
        return H5Array(self, found, path) if isinstance(found, h5py.Dataset) else None


class H5Group(Group):
    """A group of an HDF5 file."""

    def __init__(self, store: H5Store, group: Any, path: str) -> None:
        self._store, self._group = store, group
        self.path, self.uri = path, store.uri

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes."""
        return _attributes(self._store, self._group, self.path)

    def names(self) -> list[str]:
        """Return the names of the links, without following any; skips names that are not UTF-8."""
        with self._store.reading(self.path or "the root group"):
            found: list[str | bytes] = list(self._group)  # bytes if not UTF-8, which a page cannot show
            return sorted(one for one in found if isinstance(one, str))

    def get(self, name: str) -> Node | None:
        """Return a node below this group."""
        return self._walk(name, _MOST_HOPS)

    def _walk(self, name: str, hops: int) -> Node | None:
        parts = [part for part in name.split("/") if part not in ("", ".")]
        node: Node | None = self
        for part in parts[:_DEEPEST]:
            node = node._child(part, hops) if isinstance(node, H5Group) and part != ".." else None
        return node if len(parts) <= _DEEPEST else None

    def _child(self, name: str, hops: int) -> Node | None:
        path = f"{self.path}/{name}" if self.path else name
        with self._store.reading(path):
            # h5py follows any link to its object, so the type of the link is checked first.
            links, key = self._group.id.links, name.encode("utf-8", "surrogateescape")
            if not links.exists(key):
                return None
            kind = links.get_info(key).type
            if kind == h5py.h5l.TYPE_HARD:
                return self._store.wrap(self._group[name], path)
            if kind != h5py.h5l.TYPE_SOFT:
                raise InvalidStore(
                    f"{self.uri}: {path} is a link to another file; links to other files are not followed."
                )
            target = links.get_val(key).decode("utf-8", "replace")
        if hops == 0:
            raise InvalidStore(f"{self.uri}: {path} is a link that leads back to itself.")
        start = self._store.root if target.startswith("/") else self
        return start._walk(target, hops - 1)


class H5Array(StoredArray):
    """A dataset of an HDF5 file, or one column of a table of records."""

    _store: H5Store

    def __init__(self, store: H5Store, dataset: Any, path: str, column: str = "") -> None:
        with store.reading(path):
            super().__init__(store, dataset, path, column, dataset.shape)
            self._plan = dataset.id.get_create_plist()
            self.chunks = dataset.chunks
        # Checked when values are first read, so that an array that cannot be read can still be listed.
        self._checked = False
        self.is_text = h5py.check_string_dtype(self.dtype) is not None or self.dtype.kind == "S"

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes."""
        return _attributes(self._store, self._found, self.path)

    def read(self, *keys: slice) -> NDArray[Any]:
        """Return a part; see `Array.read`."""
        with self._store.reading(self.path):
            self._check()
            if self._found.shape is None:
                return np.empty(0, dtype=self.dtype)
            with self._store.fetched([(self._found, keys)]):
                return self._read(keys)

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[NDArray[Any]]:
        """Return ranges along the first axis, fetched together."""
        with self._store.reading(self.path):
            self._check()
            if self.is_plain:
                return [self._read_bytes(*one) for one in ranges]
            with self._store.fetched([(self._found, (slice(*one),)) for one in ranges]):
                return [self._read((slice(*one),)) for one in ranges]

    def read_beside(self, other: Array, key: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the same part of this array and of another of the same file."""
        assert isinstance(other, H5Array)
        with self._store.reading(self.path), self._store.fetched([(self._found, (key,)), (other._found, (key,))]):
            return super().read_beside(other, key)

    @property
    def is_plain(self) -> bool:  # type: ignore[override]
        """Whether ranges are bytes of the file; h5py takes 40 us for each, and reads all of its chunk."""
        return self._places is not None

    @cached_property
    def _places(self) -> list[int] | None:
        """Offset of each chunk in the file, or of the only part; None if values are not plain numbers there."""
        is_number = self.dtype.kind in "iuf" and self.dtype.isnative and not self._column
        if self._store.bytes is None or len(self.shape) != 1 or not is_number or not self.shape[0]:
            return None
        with self._store.reading(self.path):
            layout = self._plan.get_layout()
            if self._plan.get_nfilters() or self._plan.get_external_count():
                return None
            if layout == h5py.h5d.CONTIGUOUS:
                place = self._found.id.get_offset()
                return None if place is None else [int(place)]
            # Where HDF5 is too old for it: `get_chunk_info` walks the index of chunks for each chunk.
            if layout != h5py.h5d.CHUNKED or not hasattr(self._found.id, "chunk_iter"):
                return None
            found: dict[int, int] = {}
            self._found.id.chunk_iter(lambda one: found.__setitem__(one.chunk_offset[0], one.byte_offset))
        wanted = range(0, self.shape[0], (self.chunks or self.shape)[0])
        return [found[start] for start in wanted] if all(start in found for start in wanted) else None

    def _read_bytes(self, start: int, stop: int) -> NDArray[Any]:
        """Return values of a plain array."""
        assert self._places is not None
        assert self._store.bytes is not None
        file, size, parts = self._store.bytes.fileno(), self.dtype.itemsize, []
        chunk = (self.chunks or self.shape)[0]
        while start < stop:
            at, within = divmod(start, chunk)
            n = min(chunk - within, stop - start)
            found = os.pread(file, n * size, self._places[at] + within * size)
            if len(found) < n * size:
                raise OSError(f"{self.path} ends within its values")
            parts.append(found)
            start += n
        return np.frombuffer(parts[0] if len(parts) == 1 else b"".join(parts), dtype=self.dtype)

    def locate(self) -> None:
        """Load the index of the chunks: HDF5 walks all of it to add up their sizes."""
        self.stored_bytes()

    def stored_bytes(self) -> int:
        """Return the size of its chunks in bytes, without variable-length strings, which are stored elsewhere."""
        with self._store.reading(self.path):
            return int(self._found.id.get_storage_size())

    def field(self, name: str) -> H5Array:
        """Return one column of a table."""
        return H5Array(self._store, self._found, self.path, name)

    def _read_column(self, keys: tuple[slice, ...]) -> NDArray[Any]:
        return np.asarray(self._found.fields(self._column)[keys or ()])

    def target(self, attribute: str) -> Node | None:
        """Return the node that an object reference, or a path relative to this array, points at."""
        with self._store.reading(self.path):
            value = self._found.attrs.get(attribute)
            if not isinstance(value, h5py.Reference):
                return super().target(attribute)
            if not value:
                return None
            found = self._store.file[value]
            return self._store.wrap(found, str(found.name).lstrip("/"))

    def _check(self) -> None:
        if self._checked:
            return
        if self._plan.get_layout() == h5py.h5d.VIRTUAL or self._plan.get_external_count() > 0:
            raise InvalidStore(
                f"{self.uri}: the values of {self.path} lie in other files; only the file itself is read."
            )
        self.check_chunks()
        missing = [one for one in map(self._plan.get_filter, range(self._plan.get_nfilters())) if not _is_known(one[0])]
        if missing:
            raise MissingDependency(
                f"{self.uri}: {self.path} is compressed with {_filter_name(missing[0])}, which plain h5py cannot read: "
                "pip install hdf5plugin"
            )
        self._checked = True


def _is_known(code: int) -> bool:
    """Return whether HDF5 can decode a filter; loads hdf5plugin for it, if installed."""
    if not h5py.h5z.filter_avail(code) and find_spec("hdf5plugin") is not None:
        importlib.import_module("hdf5plugin")
    return bool(h5py.h5z.filter_avail(code))


def _filter_name(found: tuple[Any, ...]) -> str:
    return found[3].decode("utf-8", "replace").split(";")[0].strip() or f"HDF5 filter {found[0]}"


def _attributes(store: H5Store, found: Any, path: str) -> dict[str, Any]:
    with store.reading(f"the attributes of {path or 'the root group'}"):
        known: dict[str, Any] = {}
        for name in found.attrs:
            try:
                known[name] = _plain(found.attrs[name])
            except (OSError, TypeError, ValueError, KeyError, RuntimeError):
                # An attribute that h5py cannot read must not hide the others.
                continue
        return known


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        return [_plain(one) for one in value.tolist()]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value
