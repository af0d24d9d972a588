"""The folder of files that are kept between sessions, and their limit in bytes; none without a usable disk."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, ClassVar, TypeVar

from cxg_widget.errors import InvalidStore
from cxg_widget.files.workplace import sweep
from cxg_widget.files.writing import writing
from cxg_widget.spatial.cache_folder import cache_bytes, cache_folder

_LOG = logging.getLogger("cxg_widget")
_Read = TypeVar("_Read")
SUFFIXES = (".cxgsums", ".cxgsketch", ".cxgindex")
"""Suffixes of all kinds, in the order in which they are evicted: an index is smaller, and needed by more."""


class ArrayStore:
    """A folder of files of arrays; evicts the least recently used ones.

    Several processes may use one folder: files appear atomically, and an evicted file remains readable for a process
    that has it open. Disk errors are logged once; then nothing is stored.

    folder : default `CXG_WIDGET_CACHE_DIR`, or the cache folder of the platform
    limit_bytes : of all kinds of files together; default `CXG_WIDGET_CACHE_BYTES`, or 4 GiB; 0 stores nothing
    """

    suffix: ClassVar[str]

    def __init__(self, folder: Path | None = None, limit_bytes: int | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder
        self.limit_bytes = cache_bytes() if limit_bytes is None else limit_bytes
        # The file has the memory layout of the arrays.
        if sys.byteorder != "little":
            self.limit_bytes = 0
        self._has_complained = False

    def has(self, key: str) -> bool:
        """Return whether there is a file of this name, valid or not."""
        path = self._path(key)
        return path is not None and path.is_file()

    def _load(self, key: str, read: Callable[[Path], _Read]) -> _Read | None:
        """Return what a function reads from a file; None if there is no such file, or it is not valid."""
        path = self._path(key)
        if path is None or not self.has(key):
            return None
        try:
            found = read(path)
        except (InvalidStore, OSError) as error:
            self._complain(error)
            return None
        with contextlib.suppress(OSError):
            # `_make_room` uses this time; access times are off on many disks.
            os.utime(path)
        return found

    def _save(self, key: str, size: int, write: Callable[[BinaryIO], object]) -> bool:
        """Store a file of a size, and delete old ones to make room; return whether it was stored."""
        path = self._path(key)
        if path is None or size > self.limit_bytes:
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self._make_room(size, path):
                return False
            # A file that was truncated by a crash is detected by its checksums, and made again.
            with writing(path, replaces=True, durable=False, private=True) as place, place.partial.open("wb") as file:
                write(file)
        except OSError as error:
            self._complain(error)
            return False
        return True

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None or self.limit_bytes <= 0 else self.folder / f"{key}{self.suffix}"

    def _make_room(self, size: int, path: Path) -> bool:
        """Delete the least recently used until `size` bytes fit, and leftovers of killed writers.

        Files of the kinds that are evicted later stay; return whether there is room.
        """
        sweep(path.parent)
        kept = []
        for file in path.parent.iterdir():
            with contextlib.suppress(OSError):  # another process may be deleting it
                found = file.stat()
                if file.suffix in SUFFIXES and file != path:
                    kept.append((SUFFIXES.index(file.suffix), found.st_mtime, found.st_size, file))
        used, own = sum(size for _, _, size, _ in kept), SUFFIXES.index(self.suffix)
        for kind, _, freed, file in sorted(kept):
            if used + size <= self.limit_bytes or kind > own:
                break
            with contextlib.suppress(OSError):
                file.unlink()
            used -= freed
        return used + size <= self.limit_bytes

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            _LOG.info("cannot store or load a %s in %s: %s", self.suffix, self.folder, error)
        self._has_complained = True
