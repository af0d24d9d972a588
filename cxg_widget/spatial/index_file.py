"""An index as one file: a header of 4096 bytes, then the arrays as they lie in memory, ready to be mapped.

::

    0      8 bytes "CXGINDEX", then JSON, padded with spaces to 4096 bytes
    4096   rows     uint32  (n,)
    ...    xy       float32 (n, 2)            each array begins at a multiple of 64 bytes; all little-endian
    ...    offsets  uint32  (4**level + 1,)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.morton import DEPTH, Axis, Grid
from cxg_widget.spatial.quadtree import Quadtree

VERSION = 1
_MAGIC = b"CXGINDEX"
_HEADER_BYTES = 4096
_ALIGNMENT = 64
_CHECKED = 4096


def size_bytes(index: SpatialIndex) -> int:
    """Return how large the file of an index is."""
    return _layout(index.n, index.tree.offsets.size)[-1]


def write_index(file: BinaryIO, key: str, index: SpatialIndex) -> None:
    """Write an index to an empty file.

    Raises
    ------
    OSError
        If the file cannot take it.
    """
    header = {
        "version": VERSION,
        "key": key,
        "fingerprint": index.fingerprint,
        "n_obs": index.n_obs,
        "n": index.n,
        "n_offsets": index.tree.offsets.size,
        "extent": index.extent,
        "axes": [[axis.origin, axis.scale, axis.low, axis.high] for axis in (index.tree.grid.x, index.tree.grid.y)],
    }
    file.write((_MAGIC + json.dumps(header, allow_nan=False).encode()).ljust(_HEADER_BYTES))
    starts = _layout(index.n, index.tree.offsets.size)
    for start, array, dtype in zip(starts, (index.rows, index.xy, index.tree.offsets), _DTYPES, strict=False):
        file.seek(start)
        file.write(np.ascontiguousarray(array, dtype=dtype).ravel().view(np.uint8).data)
    file.truncate(starts[-1])


_DTYPES = ("<u4", "<f4", "<u4")


def read_index(path: Path, key: str, fingerprint: str, xy: NDArray[np.float32]) -> SpatialIndex:
    """Map the file of an index into memory, after checking that it belongs to an embedding.

    Parameters
    ----------
    key, fingerprint : what the file must have been written for
    xy : float32 (n_obs, 2), the embedding; some points are compared with those of the file

    Raises
    ------
    InvalidStore
        If the file is no index, is cut short, or belongs to something else.
    OSError
        If it cannot be read.
    """
    header = _read_header(path)
    try:
        wanted = {"version": VERSION, "key": key, "fingerprint": fingerprint, "n_obs": len(xy)}
        found = {name: header[name] for name in wanted}
        n, n_offsets = int(header["n"]), int(header["n_offsets"])
        x_axis, y_axis = (Axis(*(float(v) for v in axis)) for axis in header["axes"])
        x0, x1, y0, y1 = (float(v) for v in header["extent"])
    except (KeyError, TypeError, ValueError):
        raise InvalidStore(f"{path} was opened as a spatial index; its header lacks a part") from None
    if found != wanted:
        raise InvalidStore(f"{path} was opened as a spatial index of one embedding; it belongs to another one")
    rows, points, offsets = _map(path, n, n_offsets)
    tree = Quadtree(Grid(x_axis, y_axis), points.reshape(n, 2), offsets)
    index = SpatialIndex(len(xy), rows, tree, (x0, x1, y0, y1), fingerprint)
    if not _agrees(index, xy):
        raise InvalidStore(f"{path} was opened as a spatial index; its arrays contradict the embedding")
    return index


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
    """Return where rows, coordinates and offsets begin, and where the file ends."""
    rows = _HEADER_BYTES
    xy = _aligned(rows + 4 * n)
    offsets = _aligned(xy + 8 * n)
    return rows, xy, offsets, offsets + 4 * n_offsets


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _map(path: Path, n: int, n_offsets: int) -> list[NDArray[Any]]:
    level = (n_offsets - 1).bit_length() // 2
    starts = _layout(n, n_offsets)
    if n < 0 or not 0 <= level <= DEPTH or n_offsets != 4**level + 1 or path.stat().st_size != starts[-1]:
        raise InvalidStore(f"{path} was opened as a spatial index; it is not as long as its header says")
    whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    counts = (n, 2 * n, n_offsets)
    return [
        whole[start : start + 4 * count].view(dtype)
        for start, count, dtype in zip(starts, counts, _DTYPES, strict=False)
    ]


def _agrees(index: SpatialIndex, xy: NDArray[np.float32]) -> bool:
    """Compare some points and tiles: what a damaged disk would most likely change."""
    if index.n > len(xy) or not _are_tiles(index.tree):
        return False
    rows = index.rows[:: max(index.n // _CHECKED, 1)]
    if rows.size and int(rows.max()) >= len(xy):
        return False
    return np.array_equal(index.xy[:: max(index.n // _CHECKED, 1)], xy[rows])


def _are_tiles(tree: Quadtree) -> bool:
    """Say whether the offsets ascend from the first place to the last, some of them between the right points."""
    offsets, n = tree.offsets, len(tree.xy)
    if int(offsets[0]) != 0 or int(offsets[-1]) != n or bool((offsets[1:] < offsets[:-1]).any()):
        return False
    tiles = np.arange(0, offsets.size, max(offsets.size // _CHECKED, 1))
    at = offsets[tiles].astype(np.int64)

    def tile_of(places: NDArray[np.int64]) -> NDArray[np.int64]:
        return tree.grid.codes(tree.xy[places]).astype(np.int64) >> 2 * (DEPTH - tree.level)

    after, before = at < n, at > 0
    return bool((tile_of(at[after]) >= tiles[after]).all() and (tile_of(at[before] - 1) < tiles[before]).all())
