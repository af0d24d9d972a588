"""Stores indexes on disk between sessions, as files of three arrays.

::

    rows     uint32  (n,)
    xy       float32 (n, 2)
    offsets  uint32  (4**level + 1,)
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore
from cxg_widget.spatial.array_file import Parts, file_bytes, read_arrays, write_arrays
from cxg_widget.spatial.array_store import ArrayStore
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.morton import DEPTH, Axis, TileGrid
from cxg_widget.spatial.quadtree import Quadtree

VERSION = 2
_MAGIC = b"CXGINDEX"


def index_key(identity: str, n_obs: int, embedding: str | tuple[str, ...], axes: tuple[int, int]) -> str:
    """Return the name of an index: hexadecimal digits that depend on all parameters and on the file format.

    identity : identifies a dataset and its state: its URI and the time of its last change
    """
    named = json.dumps([VERSION, identity, int(n_obs), embedding, [int(axis) for axis in axes]])
    return sha256(named.encode()).hexdigest()[:40]


class IndexStore(ArrayStore):
    """A folder of indexes."""

    suffix = ".cxgindex"

    def load(self, key: str, xy: NDArray[np.float32]) -> SpatialIndex | None:
        """Return the index of an embedding, float32 (n_obs, 2), mapped from disk; None if there is none.

        An index is not used if any coordinate of the embedding has changed.
        """
        # The fingerprint reads all coordinates, 10 ms for 10 M (decision 10): a changed embedding never gets an old
        # index.
        return self._load(key, lambda path: read_index(path, key, fingerprint(xy), len(xy)))

    def save(self, key: str, index: SpatialIndex) -> bool:
        """Store an index, and delete old ones to make room; return whether it was stored."""
        return self._save(key, size_bytes(index), lambda file: write_index(file, key, index))


def size_bytes(index: SpatialIndex) -> int:
    """Return the size of the file of an index."""
    return file_bytes(_parts(index.n, index.tree.offsets.size))


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
    given = zip((index.rows, index.xy, index.tree.offsets), _DTYPES, strict=True)
    write_arrays(file, _MAGIC, header, [np.asarray(array, dtype=dtype) for array, dtype in given])


_DTYPES = ("<u4", "<f4", "<u4")


def read_index(path: Path, key: str, fingerprint: str, n_obs: int) -> SpatialIndex:
    """Map the file of an index into memory, after checking that it belongs to an embedding.

    Raises `InvalidStore` if the file is not an index, was changed, or belongs to something else, `OSError` if it cannot
    be read.
    """
    wanted = {"version": VERSION, "key": key, "fingerprint": fingerprint, "n_obs": n_obs}

    def parts_of(header: dict[str, Any]) -> Parts:
        n, n_offsets = int(header["n"]), int(header["n_offsets"])
        level = (n_offsets - 1).bit_length() // 2
        if not 0 <= level <= DEPTH or n_offsets != 4**level + 1:
            raise InvalidStore(f"{path} was opened as a spatial index; it is not as long as its header says")
        _placed(header)
        return _parts(n, n_offsets)

    header, (rows, points, offsets) = read_arrays(path, _MAGIC, wanted, "a spatial index", parts_of)
    grid, extent = _placed(header)
    tree = Quadtree(grid, points.reshape(-1, 2), offsets)
    return SpatialIndex(n_obs, rows, tree, extent, fingerprint)


def _placed(header: dict[str, Any]) -> tuple[TileGrid, tuple[float, float, float, float]]:
    """Return the grid and the extent that a header describes."""
    x_axis, y_axis = (Axis(*(float(v) for v in axis)) for axis in header["axes"])
    x0, x1, y0, y1 = (float(v) for v in header["extent"])
    return TileGrid(x_axis, y_axis), (x0, x1, y0, y1)


def _parts(n: int, n_offsets: int) -> Parts:
    return list(zip(_DTYPES, (n, 2 * n, n_offsets), strict=True))
