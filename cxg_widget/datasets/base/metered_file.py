"""A file on disk whose reads are counted as the system answers them."""

from __future__ import annotations

import io
import os
from typing import Any

from cxg_widget.datasets.base.lifetime import Meter


class MeteredFile(io.FileIO):
    """A file on disk, open for reading; `io.BufferedReader` over it counts what is read ahead as well.

    Parameters
    ----------
    path : of the file
    meter : counts each read
    """

    def __init__(self, path: str | os.PathLike[str], meter: Meter) -> None:
        super().__init__(path, "r")
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int | None:
        """Read into a buffer, at most as much as it holds."""
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
