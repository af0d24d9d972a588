"""Counts reads of files: of one file, or, on Linux, of a thread."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize

from cxg_widget.datasets.base.lifetime import Meter

_PATH = "/proc/thread-self/io"
_MOST = 4_096


class MeteredFile(io.FileIO):
    """A file open for reading; `io.BufferedReader` over it also counts read-ahead."""

    def __init__(self, path: str | os.PathLike[str], meter: Meter) -> None:
        super().__init__(path, "r")
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int | None:
        """Read into a buffer."""
        n = super().readinto(buffer)
        self._meter.add(n or 0)
        return n

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most `size` bytes, by default all to the end."""
        found = super().read(size)
        self._meter.add(len(found))
        return found

    def readall(self) -> bytes:
        """Return all bytes to the end."""
        return self.read()


class _ReadCounts(threading.local):
    """The statistics file of each thread, closed when the thread ends; a forked process has its own."""

    def __init__(self) -> None:
        self._pid = self._file = -1

    def look(self) -> bytes:
        if self._pid != os.getpid():
            self._file, self._pid = os.open(_PATH, os.O_RDONLY), os.getpid()
            finalize(threading.current_thread(), os.close, self._file)
        return os.pread(self._file, _MOST, 0)


_read_counts = _ReadCounts()


def can_count_reads() -> bool:
    """Return whether the system reports the reads of a thread."""
    return os.access(_PATH, os.R_OK)


@contextmanager
def counted(meter: Meter) -> Iterator[None]:
    """Count the reads of files by this thread within the block: system calls, and bytes."""
    before = _read_counts.look()
    try:
        yield
    finally:
        after = _read_counts.look()
        # The first look is itself a read that the second one sees.
        n_bytes = _number(after, b"rchar") - _number(before, b"rchar") - len(before)
        meter.add(n_bytes, _number(after, b"syscr") - _number(before, b"syscr") - 1)


def _number(text: bytes, name: bytes) -> int:
    return int(text.split(name + b": ", 1)[1].split(b"\n", 1)[0])
