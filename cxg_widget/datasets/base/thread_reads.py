"""Counts what this thread reads of files, which Linux reports and other systems do not."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import finalize

from cxg_widget.datasets.base.lifetime import Meter

_PATH = "/proc/thread-self/io"
_MOST = 4_096


class _ReadCounts(threading.local):
    """The file of each thread, which is closed when the thread ends; a process that was forked has another."""

    def __init__(self) -> None:
        self._pid = self._file = -1

    def look(self) -> bytes:
        if self._pid != os.getpid():
            self._file, self._pid = os.open(_PATH, os.O_RDONLY), os.getpid()
            finalize(threading.current_thread(), os.close, self._file)
        return os.pread(self._file, _MOST, 0)


_read_counts = _ReadCounts()


def can_count_reads() -> bool:
    """Say whether the system tells what a thread reads."""
    return os.access(_PATH, os.R_OK)


@contextmanager
def counted(meter: Meter) -> Iterator[None]:
    """Count what is read of files within, by this thread: system calls, and what they gave."""
    before = _read_counts.look()
    try:
        yield
    finally:
        after = _read_counts.look()
        # Looking before is the first read that is seen after.
        n_bytes = _number(after, b"rchar") - _number(before, b"rchar") - len(before)
        meter.add(n_bytes, _number(after, b"syscr") - _number(before, b"syscr") - 1)


def _number(text: bytes, name: bytes) -> int:
    return int(text.split(name + b": ", 1)[1].split(b"\n", 1)[0])
