"""Counts what was read of a store: bytes, and the number of reads."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple


class Traffic(NamedTuple):
    """Bytes and reads, since some moment.

    Attributes
    ----------
    n_bytes : as they are stored, compressed
    n_reads : each of some bytes of one file, or a request to storage far away
    """

    n_bytes: int = 0
    n_reads: int = 0

    def since(self, before: Traffic) -> Traffic:
        """Return the traffic since an earlier moment."""
        return Traffic(max(0, self.n_bytes - before.n_bytes), max(0, self.n_reads - before.n_reads))

    def with_(self, other: Traffic) -> Traffic:
        """Return both together."""
        return Traffic(self.n_bytes + other.n_bytes, self.n_reads + other.n_reads)


class Meter:
    """Counts reads as they are made, by several threads."""

    def __init__(self) -> None:
        self._so_far = Traffic()
        self._lock = Lock()

    def add(self, n_bytes: int, n_reads: int = 1) -> None:
        """Count one read, or several."""
        with self._lock:
            self._so_far = self._so_far.with_(Traffic(n_bytes, n_reads))

    @property
    def so_far(self) -> Traffic:
        """Traffic since this meter was made."""
        # No lock is needed: the tuple is replaced as a whole.
        return self._so_far
