"""Zarr, versions 2 and 3, in a folder or a zip archive, as nodes.

Reads nothing outside the store: refuses links that lead out of a folder, and reads members of an archive without
unpacking it to disk. Refuses arrays of pickled objects too, since reading them would run code.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from io import BytesIO, FileIO
from typing import Any, BinaryIO, Protocol, cast
from zipfile import ZipInfo

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype
from zarr.core.sync import sync
from zarr.storage import LocalStore, ZipStore

from cxg_widget.datasets.anndata.node import MAX_CHUNK_BYTES, Group, Node, Store, StoredArray, reading
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.errors import DamagedStore, InvalidStore
from cxg_widget.text.half_characters import load_json

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
_MOST_FILES = 20_000
_BLOSC_HEADER = 16


class Files(Protocol):
    """Storage of a zarr store: files, members of an archive, or remote objects.

    Attributes
    ----------
    uri : URI of the store, for messages
    blosc : paths of the arrays with chunks compressed by Blosc
    meter : counts the bytes read
    """

    uri: str
    blosc: set[str]
    meter: Meter


class _Folder(LocalStore):
    """A folder; refuses links that lead out of it."""

    def __init__(self, root: str, uri: str) -> None:
        super().__init__(root, read_only=True)
        self._real = os.path.realpath(root)
        self.uri = uri
        self.blosc: set[str] = set()
        self.meter = Meter()

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        self.check(key)
        return whole(_metered(await super().get(key, prototype, byte_range), self), key, self)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        wanted = list(key_ranges)
        for key, _ in wanted:
            self.check(key)
        found = await super().get_partial_values(prototype, wanted)
        return [_metered(one, self) for one in found]

    def check(self, key: str) -> None:
        """Raise `InvalidStore` for a key that a link leads out of the folder."""
        real = os.path.realpath(os.path.join(self._real, key))
        if real != self._real and not real.startswith(self._real + os.sep):
            raise InvalidStore(f"{self.uri}: {key} is a link out of the store; such links are not followed.")


class _MeteredFile(FileIO):
    """A file that counts the bytes read."""

    def __init__(self, path: str, meter: Meter) -> None:
        super().__init__(path)
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer."""
        found = super().readinto(buffer)
        self._meter.add(found)
        return found

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        found = super().read(size)
        self._meter.add(len(found))
        return found


class _Archive(ZipStore):
    """A zip archive; refuses members that unpack to absurd sizes."""

    def __init__(self, path: str, uri: str) -> None:
        super().__init__(path, mode="r", read_only=True)
        self.uri = uri
        self.blosc: set[str] = set()
        self.meter = Meter()

    def _get(self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None) -> Buffer | None:
        found = self._members().get(key)
        if found is not None and found.file_size > MAX_CHUNK_BYTES and byte_range is None:
            raise InvalidStore(f"{self.uri}: member {key} unpacks to {found.file_size:,} bytes, which is too large.")
        return whole(_metered(super()._get(key, prototype, byte_range), self), key, self)

    def has(self, name: str) -> bool:
        """Return whether there is a member of that name."""
        return name in self._members()

    def bytes_below(self, prefix: str) -> int:
        """Return the unpacked size in bytes of the members with that prefix."""
        return sum(info.file_size for name, info in self._members().items() if name.startswith(prefix))

    def _members(self) -> dict[str, ZipInfo]:
        if not self._is_open:
            self._sync_open()
        return self._zf.NameToInfo


def _metered(found: Buffer | None, files: _Folder | _Archive) -> Buffer | None:
    if found is not None:
        files.meter.add(len(found))
    return found


def whole(found: Buffer | None, key: str, files: Files) -> Buffer | None:
    """Raise `DamagedStore` for a Blosc chunk shorter than it declares: the decoder would read beyond its memory."""
    path, _, name = key.rpartition("/")
    while path and path not in files.blosc:
        path = path.rpartition("/")[0]
    if found is None or not path or name in METADATA:
        return found
    says = int.from_bytes(found[12:_BLOSC_HEADER].to_bytes(), "little") if len(found) >= _BLOSC_HEADER else None
    if says is None or says > len(found):
        raise DamagedStore(f"{files.uri}: cannot read {path}: a chunk is cut off after {len(found):,} bytes.")
    return found


class ZarrStore(Store):
    """A zarr store, open for reading."""

    def __init__(self, path: str, uri: str) -> None:
        self.uri = uri
        self._path = os.path.abspath(path)
        self._is_archive = os.path.isfile(self._path)
        with self.reading("the root group"):
            self._open(_Archive(self._path, uri) if self._is_archive else _Folder(self._path, uri))

    def _open(self, files: _Folder | _Archive | Any) -> None:
        self.files: Any = files
        try:
            self._root = zarr.open_group(files, mode="r")
        except zarr.errors.ContainsArrayError:
            raise InvalidStore(
                f"'{self.uri}' is a single array, not AnnData; pass the group that holds obs and var."
            ) from None
        except zarr.errors.GroupNotFoundError:
            raise InvalidStore(f"'{self.uri}': no zarr group found.") from None

    @property
    def root(self) -> ZarrGroup:
        """The root group."""
        return ZarrGroup(self, self._root, "")

    def state(self) -> str:
        """Return a string of the path, and the sizes and times of files; beyond 20,000 files, of their folders."""
        if self._is_archive:
            found = os.stat(self._path)
            return f"{self._path}#{found.st_size}#{found.st_mtime_ns}"
        return f"{self._path}#{_state_of_folder(self._path)}"

    def has_document(self, path: str) -> bool:
        """Return whether an array has its own metadata; if it lost all of its files, zarr returns fill values."""
        names = [f"{path}/{name}" for name in ("zarr.json", ".zarray")]
        if isinstance(self.files, _Archive):
            return any(self.files.has(name) for name in names)
        return any(os.path.exists(os.path.join(self._path, name)) for name in names)

    def bytes_below(self, path: str) -> int:
        """Return the size in bytes of the files below a path; zarr itself takes a hundred times as long."""
        if isinstance(self.files, _Archive):
            return self.files.bytes_below(f"{path}/")
        found = os.walk(os.path.join(self._path, path))
        return sum(os.stat(os.path.join(folder, name)).st_size for folder, _, names in found for name in names)

    def file(self, path: str) -> BinaryIO | None:
        """Open a file of the store that is not part of an array; None if there is none."""
        with self.reading(path):
            if isinstance(self.files, _Archive):
                found = sync(self.files.get(path, default_buffer_prototype()))
                return None if found is None else BytesIO(found.to_bytes())
            self.files.check(path)
        place = os.path.join(self._path, path)
        return cast(BinaryIO, _MeteredFile(place, self.files.meter)) if os.path.isfile(place) else None

    def least_bytes(self, array: Any) -> int:
        """Return the approximate size of the chunks of an array in bytes, to detect an absurd length."""
        return self.bytes_below(array.path)

    def wrap(self, found: Any, path: str) -> ZarrArray | ZarrGroup:
        """Return an object of zarr as a node."""
        return ZarrArray(self, found, path) if isinstance(found, zarr.Array) else ZarrGroup(self, found, path)

    def know(self, array: Any) -> None:
        """Record how the chunks of an array are stored."""
        if array.shards is None and array.compressors and type(array.compressors[-1]).__name__.startswith("Blosc"):
            self.files.blosc.add(array.path)

    @property
    def traffic(self) -> Traffic:
        """Bytes and reads since the store was opened; for members of an archive, unpacked bytes."""
        traffic: Traffic = self.files.meter.so_far
        return traffic

    def close(self) -> None:
        """Close the archive."""
        self.files.close()

    def reading(self, what: str) -> AbstractContextManager[None]:
        """Translate the errors of the library."""
        return reading(self.uri, what)


class ZarrGroup(Group):
    """A zarr group."""

    def __init__(self, store: ZarrStore, group: Any, path: str) -> None:
        self._store, self._group = store, group
        self.path, self.uri = path, store.uri

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes."""
        return _whole_attributes(self._group)

    def names(self) -> list[str]:
        """Return the names of its nodes."""
        with self._store.reading(self.path or "the root group"):
            return sorted(self._group.keys())

    def get(self, name: str) -> Node | None:
        """Return a node below this group."""
        parts = [part for part in name.split("/") if part]
        if not parts or ".." in parts or "." in parts:
            return None if parts else self
        path = "/".join([self.path, *parts] if self.path else parts)
        with self._store.reading(path):
            try:
                found = self._group["/".join(parts)]
            except KeyError:
                return None
            return self._store.wrap(found, path)


class ZarrArray(StoredArray):
    """A zarr array, or one column of a table of records."""

    _store: ZarrStore

    def __init__(self, store: ZarrStore, array: Any, path: str, column: str = "") -> None:
        super().__init__(store, array, path, column, array.shape)
        store.know(array)
        self.chunks = tuple(array.chunks)
        self.is_text = self.dtype.kind in "TUSO"

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes."""
        return _whole_attributes(self._found)

    def read(self, *keys: slice) -> NDArray[Any]:
        """Return a part; see `Array.read`."""
        self.check_chunks()
        codecs = _codecs(self._found)
        if "pickle" in codecs.lower():
            raise InvalidStore(f"{self.uri}: {self.path} holds pickled objects, which are not decoded.")
        if not self._store.has_document(self._found.path):
            raise DamagedStore(
                f"{self.uri}: {self.path} is missing: the consolidated metadata list it, "
                "but it has no metadata of its own."
            )
        try:
            with self._store.reading(self.path):
                return self._read(keys)
        except MemoryError:
            if math.prod(self.shape) * self.dtype.itemsize > MAX_CHUNK_BYTES:
                raise
            # A chunk of text declares its number of strings, and zarr trusts it.
            raise DamagedStore(
                f"{self.uri}: cannot read {self.path}: a chunk declares more bytes than fit in memory; it is damaged."
            ) from None

    def stored_bytes(self) -> int:
        """Return the size of its chunks in bytes."""
        with self._store.reading(self.path):
            return self._store.bytes_below(self._found.path)

    def least_bytes(self) -> int:
        """Return the approximate size of its chunks in bytes."""
        with self._store.reading(self.path):
            return self._store.least_bytes(self._found)

    def field(self, name: str) -> ZarrArray:
        """Return one column of a table."""
        return type(self)(self._store, self._found, self.path, name)

    def _read_column(self, keys: tuple[slice, ...]) -> NDArray[Any]:
        return np.asarray(self._found[keys or ...])[self._column]


def _whole_attributes(found: Any) -> dict[str, Any]:
    """Return attributes with lone surrogates replaced; JSON can contain such."""
    attributes = dict(found.metadata.attributes)
    try:
        text = json.dumps(attributes)
    except (TypeError, ValueError, RecursionError):
        return attributes
    whole, is_repaired = load_json(text) if "\\ud" in text else (attributes, False)
    return dict(whole) if is_repaired else attributes


def _codecs(array: Any) -> str:
    """Return the codecs of the chunks as text, without the attributes, which can contain any text."""
    described = {
        key: value for key, value in array.metadata.to_dict().items() if key in ("codecs", "filters", "compressor")
    }
    return json.dumps(described, default=str)


def _state_of_folder(root: str) -> str:
    digest = hashlib.sha256()
    left = _MOST_FILES
    folders = [root]
    while folders:
        folder = folders.pop()
        digest.update(f"{folder}\t{os.stat(folder).st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif left > 0 or entry.name in METADATA:
                    left -= 1
                    found = entry.stat()
                    digest.update(
                        f"{entry.name}\t{found.st_size}\t{found.st_mtime_ns}\n".encode("utf-8", "surrogateescape")
                    )
    return digest.hexdigest()[:32]
