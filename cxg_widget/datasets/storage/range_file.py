"""A remote file read by ranges: in cached blocks, and in parallel if the ranges are known."""

from __future__ import annotations

import gc
import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.storage.hdf5_places import places_in
from cxg_widget.datasets.storage.objects import Objects, Part
from cxg_widget.errors import DamagedStore, DatasetNotFound

BLOCK_BYTES = 2**16
KEPT_BYTES = 2**26
"""Size of the cache of blocks; HDF5 reads the same parts of a file repeatedly."""
_FIRST_BYTES = 2**18
_MOST_AHEAD = 32
_LARGE_BYTES = 2**20
_REQUEST_BYTES = 2**23
_MOST_NODES = 2**8
_NEAR_BYTES = 2**15
"""Largest gap within a request: it takes 2.6 ms at 100 Mbit/s, while another request takes a round trip."""

Range = tuple[int, int]


class RangeFile(io.RawIOBase):
    """A file in remote storage, open for reading; one thread reads at a time.

    Parameters
    ----------
    objects : storage with the file
    key : key of the file below the address; "" = the object at the address itself

    Attributes
    ----------
    size : size in bytes
    stamp : text that changes with the file
    failed : exception of a read, which HDF5 does not pass on

    Raises
    ------
    DatasetNotFound
        If there is no such file.
    StorageError
        If the storage refuses or does not answer.
    """

    def __init__(self, objects: Objects, key: str = "") -> None:
        super().__init__()
        self._objects, self._key, self._what, self._place = objects, key, key or "the file", 0
        found = objects.begin(key, _FIRST_BYTES, self._what)
        if found is None:
            raise DatasetNotFound(f"'{objects.uri}': there is no such file; check the address.")
        self.size, self.stamp, self._tag = found.size, found.stamp, found.tag
        self.failed: BaseException | None = None
        self._kept: ByteCache = ByteCache(KEPT_BYTES, len)
        self._fetched: list[tuple[int, bytes]] = []
        self._last, self._ahead = -1, 1
        for start in range(0, len(found.content), BLOCK_BYTES):
            self._kept.put(start // BLOCK_BYTES, found.content[start : start + BLOCK_BYTES])

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position at which the next read begins."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a position, and return it."""
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        return self._place

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer from the current position; return the number of bytes, fewer at the end of the file."""
        view = memoryview(buffer).cast("B")
        start, stop = self._place, min(self._place + len(view), self.size)
        try:
            with _uncollected():
                found = self._bytes(start, stop) if stop > start else b""
                self._follow(places_in(found))
        except BaseException as error:
            self.failed = error
            raise
        view[: len(found)] = found
        self._place += len(found)
        return len(found)

    @contextmanager
    def fetched(self, ranges: Iterable[Range]) -> Iterator[None]:
        """Prefetch ranges in parallel, and serve the reads within the block from them."""
        if self._fetched:  # a caller that reads several parts together has fetched them
            yield
            return
        wanted = _merged(sorted(ranges))
        cut = [part for start, stop in wanted for part in _cut(start, min(stop, self.size))]
        self._fetched = list(zip((start for start, _ in cut), self._get(cut), strict=True))
        try:
            yield
        finally:
            self._fetched = []

    def _bytes(self, start: int, stop: int) -> bytes:
        if self._fetched:
            place = bisect_right(self._fetched, start, key=lambda one: one[0]) - 1
            begin, content = self._fetched[place] if place >= 0 else (0, b"")
            if begin <= start and stop <= begin + len(content):
                return content[start - begin : stop - begin]
        node: bytes | None = self._kept.get((start, stop))
        if node is not None:
            return node
        if stop - start >= _LARGE_BYTES:
            return b"".join(self._get(list(_cut(start, stop))))
        first, last = start // BLOCK_BYTES, (stop - 1) // BLOCK_BYTES
        blocks = self._blocks(range(first, last + 1))
        return b"".join(blocks)[start - first * BLOCK_BYTES : stop - first * BLOCK_BYTES]

    def _blocks(self, numbers: Sequence[int]) -> list[bytes]:
        """Return neighboring blocks; successive calls for successive blocks read ever more blocks ahead."""
        found: dict[int, bytes | None] = {number: self._kept.get(number) for number in numbers}
        missing = [number for number, block in found.items() if block is None]
        if missing:
            self._ahead = min(2 * self._ahead, _MOST_AHEAD) if missing[0] == self._last + 1 else 1
            self._last = max(missing[-1], missing[0] + self._ahead - 1)
            found |= self._load(range(missing[0], self._last + 1))
        return [found[number] or b"" for number in numbers]

    def _load(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Read the blocks that are not cached, in parallel; neighbors share a request."""
        n_blocks = -(-self.size // BLOCK_BYTES)
        wanted = [one for one in sorted(set(numbers)) if 0 <= one < n_blocks and self._kept.get(one) is None]
        ranges = [(one * BLOCK_BYTES, min((one + 1) * BLOCK_BYTES, self.size)) for one in wanted]
        found: dict[int, bytes] = {}
        runs = _merged(ranges, 0)
        for (start, _), content in zip(runs, self._get(runs), strict=True):
            for place in range(0, len(content), BLOCK_BYTES):
                number = (start + place) // BLOCK_BYTES
                found[number] = content[place : place + BLOCK_BYTES]
                self._kept.put(number, found[number])
        return found

    def _follow(self, places: Sequence[Range]) -> None:
        """Prefetch the ranges that an HDF5 node refers to, in parallel; HDF5 would read them one by one."""
        self._load(start // BLOCK_BYTES for start, stop in places if start == stop)
        while nodes := [one for one in places if one[0] < one[1] <= self.size and self._kept.get(one) is None]:
            found = dict(zip(nodes, self._get(nodes), strict=True))
            for place, content in found.items():
                self._kept.put(place, content)
            places = [one for content in found.values() for one in places_in(content)]
            if len(places) > _MOST_NODES:
                break  # in a very large index, each lookup reads only the nodes on its path

    def _get(self, ranges: Sequence[Range]) -> list[bytes]:
        """Return ranges, requested in parallel."""
        parts = [Part("", start, stop, self._tag) for start, stop in ranges]
        return self._checked(ranges, self._objects.get_all(parts, "the file"))

    def _checked(self, ranges: Sequence[Range], found: Sequence[bytes | None]) -> list[bytes]:
        content = [one for one in found if one is not None]
        if [len(one) for one in content] != [stop - start for start, stop in ranges]:
            raise DamagedStore(
                f"{self._objects.uri}: the server sent a different number of bytes than requested; it is faulty, or "
                "the file was changed after it was opened. Open it again."
            )
        return content


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disable garbage collection while HDF5 waits for requests, which run in other threads because of Ctrl-C.

    A thread that collects garbage may find objects of h5py, and wait for the lock that h5py holds during the read.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _merged(ranges: Iterable[Range], near: int = _NEAR_BYTES) -> list[Range]:
    """Return ascending ranges, with those near each other merged."""
    found: list[Range] = []
    for start, stop in ranges:
        if found and start <= found[-1][1] + near:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found


def _cut(start: int, stop: int) -> Iterator[Range]:
    while start < stop:
        yield start, min(start + _REQUEST_BYTES, stop)
        start += _REQUEST_BYTES
