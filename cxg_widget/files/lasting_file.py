"""A file for HDF5 that accepts every write: HDF5 aborts the process if it cannot flush its cache on close."""

from __future__ import annotations

import io
import os
from pathlib import Path


class LastingFile(io.RawIOBase):
    """A file whose writer learns of a full disk only from `check` and `close`.

    After the first write that the disk refuses, all writes are kept in memory, on top of the disk's content, so that
    HDF5 reads what it wrote until it is closed. The writer calls `check` after each slab, so that only one slab and
    HDF5's caches are ever kept.

    new : whether the file starts empty; else its content is changed
    """

    def __init__(self, path: Path, *, new: bool = True) -> None:
        super().__init__()
        self._file = path.open("w+b" if new else "r+b", buffering=0)
        self._refused: OSError | None = None
        self._kept: list[tuple[int, bytes]] = []
        self._at, self._end = 0, 0 if new else path.stat().st_size

    def check(self) -> None:
        """Raise the `OSError` of the first refused write, if any."""
        if self._refused is not None:
            raise self._refused

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the position of the next read or write."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        return self._at

    def tell(self) -> int:
        """Return the position of the next read or write."""
        return self._at

    def readinto(self, buffer: object) -> int:
        """Read what was written, zeros elsewhere."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        size = max(0, min(len(view), self._end - self._at))
        self._file.seek(self._at)
        read = 0
        while read < size and (more := self._file.readinto(view[read:size])):
            read += more
        view[read:size] = bytes(size - read)
        # In the order of the writes: later ones override earlier ones.
        for start, data in self._kept:
            low, high = max(start, self._at), min(start + len(data), self._at + size)
            if low < high:
                view[low - self._at : high - self._at] = data[low - start : high - start]
        self._at += size
        return size

    def write(self, data: object) -> int:
        """Write all of it, to memory if the disk refuses."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        written = 0
        try:
            if self._refused is None:
                self._file.seek(self._at)
                while written < len(view):
                    written += self._file.write(view[written:])
        except OSError as error:
            self._refused = error
        if written < len(view):
            self._kept.append((self._at + written, bytes(view[written:])))
        self._at += len(view)
        self._end = max(self._end, self._at)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the size."""
        self._end = self._at if size is None else size
        try:
            if self._refused is None:
                self._file.truncate(self._end)
        except OSError as error:
            self._refused = error
        return self._end

    def close(self) -> None:
        """Close it after flushing to the disk; raises `OSError` if the disk refused anything."""
        if self.closed:
            return
        super().close()
        try:
            self.check()
            os.fsync(self._file.fileno())  # some disks only report now that they are full
        finally:
            self._file.close()
            self._kept.clear()
