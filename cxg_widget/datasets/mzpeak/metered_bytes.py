"""Counts the reads of a memory map."""

from __future__ import annotations

import os

import pyarrow as pa

from cxg_widget.datasets.base.lifetime import Meter


class MeteredBytes:
    """A memory map as a file for Arrow, which gets its bytes without a copy.

    Parameters
    ----------
    mapped : the bytes
    meter : counts each part that is read
    """

    closed = False

    def __init__(self, mapped: pa.Buffer, meter: Meter) -> None:
        self._mapped, self._meter = mapped, meter
        self._at = 0

    def read(self, size: int = -1) -> pa.Buffer:
        """Return at most `size` bytes, by default all to the end."""
        found = self._mapped[self._at : None if size < 0 else self._at + size]
        self._at += found.size
        self._meter.add(found.size)
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, and return it."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._mapped.size}[whence]
        return self._at

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._at

    def close(self) -> None:
        """Let go of the bytes."""
        self._mapped, self.closed = self._mapped[:0], True
