"""Keeps indexes on disk between sessions and evicts old ones; without a usable disk it keeps none."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore
from cxg_widget.files.workplace import sweep
from cxg_widget.files.writing import writing
from cxg_widget.spatial.cache_folder import cache_bytes, cache_folder
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.index_file import VERSION, read_index, size_bytes, write_index

_SUFFIX = ".cxgindex"

_LOG = logging.getLogger("cxg_widget")


def index_key(identity: str, n_obs: int, embedding: str | tuple[str, ...], axes: tuple[int, int]) -> str:
    """Return the name of an index: hexadecimal digits that differ when any of these, or the file format, does.

    Parameters
    ----------
    identity : tells a dataset and its state apart from all others: its URI and when it was changed last
    """
    named = json.dumps([VERSION, identity, int(n_obs), embedding, [int(axis) for axis in axes]])
    return sha256(named.encode()).hexdigest()[:40]


class IndexStore:
    """A folder of indexes; the least recently used go first.

    Several processes may use one folder: files appear whole or not at all, and one that was removed stays readable
    to who has it open. What goes wrong with the disk is logged once and otherwise means that nothing is kept.

    Parameters
    ----------
    folder : by default `CXG_WIDGET_CACHE_DIR`, or that of the platform for caches
    limit_bytes : by default `CXG_WIDGET_CACHE_BYTES`, or 4 GiB; 0 keeps nothing
    """

    def __init__(self, folder: Path | None = None, limit_bytes: int | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder
        self.limit_bytes = cache_bytes() if limit_bytes is None else limit_bytes
        # The file holds arrays as they lie in memory.
        if sys.byteorder != "little":
            self.limit_bytes = 0
        self._has_complained = False

    def load(self, key: str, xy: NDArray[np.float32]) -> SpatialIndex | None:
        """Return the index kept for an embedding, float32 (n_obs, 2), mapped from disk; None if there is none.

        One whose embedding has changed in any coordinate is not returned.
        """
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            # The fingerprint costs a look at all coordinates, 10 ms for 10 M (decision 10): a changed embedding never
            # gets an old index.
            index = read_index(path, key, fingerprint(xy), len(xy))
        except (InvalidStore, OSError) as error:
            self._complain(error)
            return None
        with contextlib.suppress(OSError):
            # `_make_room` goes by this time; access times are off on many disks.
            os.utime(path)
        return index

    def save(self, key: str, index: SpatialIndex) -> bool:
        """Keep an index, and remove old ones for it; say whether it is kept."""
        path, size = self._path(key), size_bytes(index)
        if path is None or size > self.limit_bytes:
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(size, path)
            self._write(path, key, index)
        except OSError as error:
            self._complain(error)
            return False
        return True

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None or self.limit_bytes <= 0 else self.folder / f"{key}{_SUFFIX}"

    def _write(self, path: Path, key: str, index: SpatialIndex) -> None:
        # One that a lost disk cache cut off is found by its checksums, and built anew.
        with writing(path, replaces=True, durable=False, private=True) as place, place.partial.open("wb") as file:
            write_index(file, key, index)

    def _make_room(self, size: int, path: Path) -> None:
        """Remove the least recently used until `size` bytes more fit, and what killed writers left."""
        sweep(path.parent)
        kept = []
        for file in path.parent.iterdir():
            with contextlib.suppress(OSError):  # another process may be removing it
                found = file.stat()
                if file.suffix == _SUFFIX and file != path:
                    kept.append((found.st_mtime, found.st_size, file))
        used = sum(size for _, size, _ in kept)
        for _, freed, file in sorted(kept):
            if used + size <= self.limit_bytes:
                return
            with contextlib.suppress(OSError):
                file.unlink()
            used -= freed

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            _LOG.info("no spatial index is kept in or taken from %s: %s", self.folder, error)
        self._has_complained = True
