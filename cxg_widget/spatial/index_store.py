"""Stores indexes on disk between sessions and evicts old ones; stores none without a usable disk.

An index is one file: a header of 4096 bytes, then the arrays in their memory layout, ready to be mapped.

::

    0      8 bytes "CXGINDEX", then JSON, padded with spaces to 4096 bytes
    4096   rows     uint32  (n,)
    ...    xy       float32 (n, 2)            each array begins at a multiple of 64 bytes; all little-endian
    ...    offsets  uint32  (4**level + 1,)

The header has checksums of each array and of itself, so that a corrupted file is never used.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore
from cxg_widget.files.workplace import sweep
from cxg_widget.files.writing import writing
from cxg_widget.spatial.cache_folder import cache_bytes, cache_folder
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.morton import DEPTH, Axis, TileGrid
from cxg_widget.spatial.quadtree import Quadtree

_SUFFIX = ".cxgindex"
_LOG = logging.getLogger("cxg_widget")
VERSION = 2
_MAGIC = b"CXGINDEX"
_HEADER_BYTES = 4096
_ALIGNMENT = 64


def index_key(identity: str, n_obs: int, embedding: str | tuple[str, ...], axes: tuple[int, int]) -> str:
    """Return the name of an index: hexadecimal digits that depend on all parameters and on the file format.

    identity : identifies a dataset and its state: its URI and the time of its last change
    """
    named = json.dumps([VERSION, identity, int(n_obs), embedding, [int(axis) for axis in axes]])
    return sha256(named.encode()).hexdigest()[:40]


class IndexStore:
    """A folder of indexes; evicts the least recently used ones.

    Several processes may use one folder: files appear atomically, and an evicted file remains readable for a process
    that has it open. Disk errors are logged once; then nothing is stored.

    folder : default `CXG_WIDGET_CACHE_DIR`, or the cache folder of the platform
    limit_bytes : default `CXG_WIDGET_CACHE_BYTES`, or 4 GiB; 0 stores nothing
    """

    def __init__(self, folder: Path | None = None, limit_bytes: int | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder
        self.limit_bytes = cache_bytes() if limit_bytes is None else limit_bytes
        # The file has the memory layout of the arrays.
        if sys.byteorder != "little":
            self.limit_bytes = 0
        self._has_complained = False

    def load(self, key: str, xy: NDArray[np.float32]) -> SpatialIndex | None:
        """Return the index of an embedding, float32 (n_obs, 2), mapped from disk; None if there is none.

        An index is not used if any coordinate of the embedding has changed.
        """
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            # The fingerprint reads all coordinates, 10 ms for 10 M (decision 10): a changed embedding never gets an old
            # index.
            index = read_index(path, key, fingerprint(xy), len(xy))
        except (InvalidStore, OSError) as error:
            self._complain(error)
            return None
        with contextlib.suppress(OSError):
            # `_make_room` uses this time; access times are off on many disks.
            os.utime(path)
        return index

    def save(self, key: str, index: SpatialIndex) -> bool:
        """Store an index, and delete old ones to make room; return whether it was stored."""
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
        # A file that was truncated by a crash is detected by its checksums, and rebuilt.
        with writing(path, replaces=True, durable=False, private=True) as place, place.partial.open("wb") as file:
            write_index(file, key, index)

    def _make_room(self, size: int, path: Path) -> None:
        """Delete the least recently used until `size` bytes fit, and leftovers of killed writers."""
        sweep(path.parent)
        kept = []
        for file in path.parent.iterdir():
            with contextlib.suppress(OSError):  # another process may be deleting it
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
            _LOG.info("cannot store or load a spatial index in %s: %s", self.folder, error)
        self._has_complained = True


def size_bytes(index: SpatialIndex) -> int:
    """Return the size of the file of an index."""
    return _layout(index.n, index.tree.offsets.size)[-1]


def write_index(file: BinaryIO, key: str, index: SpatialIndex) -> None:
    """Write an index to an empty file; raises `OSError` if the disk refuses it."""
    header: dict[str, Any] = {
        "version": VERSION,
        "key": key,
        "fingerprint": index.fingerprint,
        "n_obs": index.n_obs,
        "n": index.n,
        "n_offsets": index.tree.offsets.size,
        "extent": index.extent,
        "axes": [[axis.origin, axis.scale, axis.low, axis.high] for axis in (index.tree.grid.x, index.tree.grid.y)],
    }
    starts = _layout(index.n, index.tree.offsets.size)
    given = zip((index.rows, index.xy, index.tree.offsets), _DTYPES, strict=True)
    arrays = [np.ascontiguousarray(array, dtype=dtype).ravel() for array, dtype in given]
    header["checksums"] = [_checksum(array) for array in arrays]
    header["checksum"] = _checksum_of(header)
    file.write((_MAGIC + json.dumps(header, allow_nan=False).encode()).ljust(_HEADER_BYTES))
    for start, array in zip(starts, arrays, strict=False):
        file.seek(start)
        file.write(array.view(np.uint8).data)
    file.truncate(starts[-1])


_DTYPES = ("<u4", "<f4", "<u4")


def read_index(path: Path, key: str, fingerprint: str, n_obs: int) -> SpatialIndex:
    """Map the file of an index into memory, after checking that it belongs to an embedding.

    Raises `InvalidStore` if the file is not an index, was changed, or belongs to something else, `OSError` if it cannot
    be read.
    """
    header = _read_header(path)
    try:
        wanted = {"version": VERSION, "key": key, "fingerprint": fingerprint, "n_obs": n_obs}
        found = {name: header[name] for name in wanted}
        n, n_offsets = int(header["n"]), int(header["n_offsets"])
        x_axis, y_axis = (Axis(*(float(v) for v in axis)) for axis in header["axes"])
        x0, x1, y0, y1 = (float(v) for v in header["extent"])
        checksum, checksums = header.pop("checksum"), list(header["checksums"])
    except (KeyError, TypeError, ValueError):
        raise InvalidStore(f"{path} was opened as a spatial index; its header lacks a part") from None
    if found != wanted:
        raise InvalidStore(f"{path} was opened as a spatial index of one embedding; it belongs to another one")
    rows, points, offsets = arrays = _map(path, n, n_offsets)
    if checksum != _checksum_of(header) or checksums != [_checksum(array) for array in arrays]:
        raise InvalidStore(f"{path} was opened as a spatial index; it was changed since it was written")
    tree = Quadtree(TileGrid(x_axis, y_axis), points.reshape(n, 2), offsets)
    return SpatialIndex(n_obs, rows, tree, (x0, x1, y0, y1), fingerprint)


def _checksum(array: NDArray[Any]) -> int:
    """CRC-32 at about 10 GB/s, faster than the fingerprint of the embedding before it."""
    return isal_zlib.crc32(array.view(np.uint8).data) if array.size else 0


def _checksum_of(header: dict[str, Any]) -> int:
    """CRC-32 of all other parts of a header."""
    return isal_zlib.crc32(json.dumps({name: header[name] for name in sorted(header)}, allow_nan=False).encode())


def _read_header(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    try:
        header = json.loads(head.removeprefix(_MAGIC)) if head.startswith(_MAGIC) else None
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise InvalidStore(f"{path} was opened as a spatial index; it does not begin as one")
    return header


def _layout(n: int, n_offsets: int) -> tuple[int, int, int, int]:
    """Return the offsets of rows, coordinates and tile offsets, and the length of the file."""
    rows = _HEADER_BYTES
    xy = _aligned(rows + 4 * n)
    offsets = _aligned(xy + 8 * n)
    return rows, xy, offsets, offsets + 4 * n_offsets


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _map(path: Path, n: int, n_offsets: int) -> list[NDArray[Any]]:
    level = (n_offsets - 1).bit_length() // 2
    starts = _layout(n, n_offsets)
    # Before mapping: reading beyond the end of a mapped file crashes the process.
    if n < 0 or not 0 <= level <= DEPTH or n_offsets != 4**level + 1 or path.stat().st_size != starts[-1]:
        raise InvalidStore(f"{path} was opened as a spatial index; it is not as long as its header says")
    # A plain array over the map, since each slice of a `memmap` object runs Python code.
    whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    counts = (n, 2 * n, n_offsets)
    return [
        whole[start : start + 4 * count].view(dtype)
        for start, count, dtype in zip(starts, counts, _DTYPES, strict=False)
    ]
