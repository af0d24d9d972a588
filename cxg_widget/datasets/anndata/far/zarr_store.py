"""Zarr in remote storage: metadata in few requests, chunks in parallel."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from threading import Thread
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype

from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.anndata.far.metadata import Documents, read_documents
from cxg_widget.datasets.anndata.node import Array
from cxg_widget.datasets.anndata.zarr_store import METADATA, ZarrArray, ZarrGroup, ZarrStore, whole
from cxg_widget.datasets.base.location import without_signature
from cxg_widget.datasets.storage.objects import Objects, Part
from cxg_widget.datasets.storage.range_file import RangeFile
from cxg_widget.errors import DamagedStore, DatasetNotFound, StorageDenied

_KEPT_BYTES = 2**24
"""Cache for the indexes of shards, so that a line of a matrix takes one round trip, not two, and for small shards."""
_SMALL_BYTES = 2**20
"""A shard that decodes to at most this size is read whole: its index and its chunks would take two round trips."""
_MOST_PARTS = 32
_Found = TypeVar("_Found")


class _Far(Store):
    """Remote objects as a store of zarr; knows all metadata from the start."""

    supports_writes = supports_deletes = supports_partial_writes = False
    supports_listing = True

    def __init__(self, objects: Objects, documents: Documents) -> None:
        super().__init__(read_only=True)
        self._objects, self._documents = objects, documents
        self.uri, self.meter = objects.uri, objects.meter
        self.blosc: set[str] = set()
        self.arrays: set[str] = set()
        self.small: set[str] = set()
        self._kept = ByteCache(_KEPT_BYTES, len)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = Store.__hash__

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        if key.rpartition("/")[2] in METADATA:
            found = self._documents.content.get(key)
        else:
            found = await _in_thread(partial(self._read, key, byte_range))
        buffer = (prototype or default_buffer_prototype()).buffer
        made = None if found is None else buffer.from_bytes(found)
        return made if byte_range is not None else whole(made, key, self)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        return list(await asyncio.gather(*(self.get(key, prototype, one) for key, one in key_ranges)))

    async def exists(self, key: str) -> bool:
        return await self.get(key) is not None

    async def set(self, key: str, value: Buffer) -> None:  # noqa: ARG002 - zarr asks for it
        raise PermissionError(self.uri)

    async def delete(self, key: str) -> None:
        raise PermissionError(f"{self.uri}: {key}")

    async def list(self) -> AsyncIterator[str]:
        for key in self._documents.content:
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        for key in self._documents.content:
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        for name in self._documents.names_below(prefix.strip("/")):
            yield name

    def size(self, key: str) -> int:
        """Return the size of an object in bytes, 0 if there is none."""
        try:
            return self._objects.size(key, self._array_of(key)) or 0
        except StorageDenied:
            return 0  # reading the object raises a real denial

    def _read(self, key: str, byte_range: ByteRequest | None) -> bytes | None:
        path = self._array_of(key)
        if path in self.small and byte_range is not None:
            found = self._kept_or_read(key, None, path)
            return None if found is None else found[_slice_of(byte_range, len(found))]
        is_index = isinstance(byte_range, SuffixByteRequest)
        return self._kept_or_read(key, byte_range, path) if is_index else self._get(key, byte_range, path)

    def _kept_or_read(self, key: str, byte_range: ByteRequest | None, path: str) -> bytes | None:
        found: bytes | None = self._kept.get((key, byte_range))
        if found is None:
            found = self._get(key, byte_range, path)
            if found is not None:
                self._kept.put((key, byte_range), found)
        return found

    def _get(self, key: str, byte_range: ByteRequest | None, path: str) -> bytes | None:
        try:
            found = self._objects.get(_part(key, byte_range), path)
        except StorageDenied:
            # Without the right to list, S3 denies missing objects too: this is one if a known document is readable.
            if self._documents.is_readable(self._objects):
                found = None
            else:
                raise
        if found is None and not self._documents.has_array(self._objects, path):
            raise DamagedStore(
                f"{self.uri}: {path} is missing: the consolidated metadata list it, but it has no metadata of its own."
            )
        return found

    def _array_of(self, key: str) -> str:
        path = key.rpartition("/")[0]
        while path and path not in self.arrays:
            path = path.rpartition("/")[0]
        return path or key


class FarZarrStore(ZarrStore):
    """A zarr store in remote storage, open for reading.

    Parameters
    ----------
    uri : its address
    storage_options : see `storage.options.translate`

    Raises
    ------
    StorageError, DatasetNotFound
        If the store cannot be reached, or does not exist.
    InvalidStore
        If it has no consolidated metadata, and the server lists no names.
    """

    def __init__(self, uri: str, storage_options: Mapping[str, Any] | None) -> None:
        self.uri = uri
        self._objects = Objects(uri, storage_options)
        self._documents = read_documents(self._objects)
        with self.reading("the root group"):
            self._open(_Far(self._objects, self._documents))

    @property
    def tells_sizes(self) -> bool:
        """Whether the server can list the sizes of arrays."""
        return self._objects.lists

    def state(self) -> str:
        """Return the address, and a digest of the metadata and their stamp at the root, which a rewrite changes."""
        digest = hashlib.sha256(repr((self._documents.stamp, sorted(self._documents.content.items()))).encode())
        return f"{without_signature(self.uri)}#{digest.hexdigest()[:32]}"

    def has_document(self, path: str) -> bool:  # noqa: ARG002 - checked when a chunk is missing
        """Return True: the check is made when a chunk is missing."""
        return True

    def bytes_below(self, path: str) -> int:
        """Return the size in bytes of the objects below a path."""
        return sum(self._objects.sizes(path, path).values()) if self.tells_sizes else 0

    def file(self, path: str) -> BinaryIO | None:
        """Open an object that is not part of an array, to read ranges of it; None if there is none."""
        try:
            return cast(BinaryIO, RangeFile(self._objects, path))
        except DatasetNotFound:
            return None

    def least_bytes(self, array: Any) -> int:
        """Return the size in bytes of all chunks, estimated from three: listing them takes many requests."""
        lengths = [-(-n // chunk) for n, chunk in zip(array.shape, array.shards or array.chunks, strict=True)]
        some = [tuple(int(share * (length - 1)) for length in lengths) for share in (0, 0.5, 1)]
        keys = [f"{array.path}/{array.metadata.encode_chunk_key(one)}" for one in some]
        sizes: list[int] = gather([partial(self.files.size, key) for key in keys])
        n_chunks: int = math.prod(lengths)
        return (n_chunks - 1) * (sizes[0] + sizes[1]) // 2 + sizes[2]  # the last chunk is smaller

    def wrap(self, found: Any, path: str) -> ZarrArray | ZarrGroup:
        """Return an object of zarr as a node."""
        return FarZarrArray(self, found, path) if isinstance(found, zarr.Array) else ZarrGroup(self, found, path)

    def know(self, array: Any) -> None:
        """Record how the chunks of an array are stored."""
        super().know(array)
        self.files.arrays.add(array.path)
        if array.shards is not None and math.prod(array.shards) * array.dtype.itemsize <= _SMALL_BYTES:
            self.files.small.add(array.path)


class FarZarrArray(ZarrArray):
    """A remote zarr array, read in parallel."""

    reads_in_parallel = True

    def read(self, *keys: slice) -> NDArray[Any]:
        """Return a part, read in parallel; zarr itself reads the chunks of a shard one after the other."""
        parts = self._cut(keys)
        if len(parts) < 2:
            return super().read(*keys)
        read = super().read
        return np.concatenate(gather([partial(read, part, *keys[1:]) for part in parts]))

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[NDArray[Any]]:
        """Return ranges along the first axis."""
        return gather([partial(self.read, slice(*one)) for one in ranges])

    def read_beside(self, other: Array, key: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the same part of this array and of another."""
        mine, others = gather([partial(array.read, key) for array in (self, other)])
        return mine, others

    def _cut(self, keys: tuple[slice, ...]) -> list[slice]:
        """Split a part along its first axis where chunks end; not a whole sharded array: zarr reads it in parallel."""
        if not keys or not self.shape or self.chunks is None:
            return []
        start, stop, _ = keys[0].indices(self.shape[0])
        if stop - start == self.shape[0] and self._found.shards is not None:
            return []
        # A small shard is read whole (`_SMALL_BYTES`): two parts of it would read it twice.
        is_whole = self._found.path in self._store.files.small
        chunk = self._found.shards[0] if is_whole else self.chunks[0]
        first, last = start // chunk, -(-stop // chunk)
        step = chunk * -(-(last - first) // _MOST_PARTS)
        edges = [start, *range(first * chunk + step, stop, step), stop] if stop > start and step else []
        return [slice(low, high) for low, high in pairwise(edges)]


def _part(key: str, byte_range: ByteRequest | None) -> Part:
    if isinstance(byte_range, RangeByteRequest):
        return Part(key, byte_range.start, byte_range.end)
    if isinstance(byte_range, OffsetByteRequest):
        return Part(key, byte_range.offset)
    return Part(key, -byte_range.suffix) if isinstance(byte_range, SuffixByteRequest) else Part(key)


def _slice_of(byte_range: ByteRequest, size: int) -> slice:
    _, start, stop, _ = _part("", byte_range)
    start = start or 0
    return slice(max(size + start, 0) if start < 0 else start, stop)


async def _in_thread(call: Callable[[], _Found]) -> _Found:
    """Await a call in its own daemon thread, so that the end of the program does not wait for it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Found] = loop.create_future()

    def tell(take: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():
            take(outcome)

    def run() -> None:
        take: Callable[[Any], None]
        try:
            outcome, take = call(), future.set_result
        except Exception as error:
            outcome, take = error, future.set_exception  # type: ignore[assignment]
        with suppress(RuntimeError):  # the loop has ended, and nobody waits
            loop.call_soon_threadsafe(tell, take, outcome)

    Thread(target=run, daemon=True).start()
    return await future
