"""An index as one file: a header of 4096 bytes, then the arrays as they lie in memory, ready to be mapped.

::

    0      8 bytes "CXGINDEX", then JSON, padded with spaces to 4096 bytes
    4096   rows     uint32  (n,)
    ...    xy       float32 (n, 2)            each array begins at a multiple of 64 bytes; all little-endian
    ...    offsets  uint32  (4**level + 1,)

The header holds a checksum of each array and one of itself, so that what a disk has changed is never answered from.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.morton import DEPTH, Axis, TileGrid
from cxg_widget.spatial.quadtree import Quadtree

VERSION = 2
_MAGIC = b"CXGINDEX"
_HEADER_BYTES = 4096
_ALIGNMENT = 64


def size_bytes(index: SpatialIndex) -> int:
    """Return the size of the file of an index."""
    return _layout(index.n, index.tree.offsets.size)[-1]


def write_index(file: BinaryIO, key: str, index: SpatialIndex) -> None:
    """Write an index to an empty file; raises `OSError` if the file cannot take it."""
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

    Raises `InvalidStore` if the file is no index, is not as it was written, or belongs to something else, `OSError` if
    it cannot be read.
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
    """CRC-32 at some 10 GB/s, so that it costs less than the look at the embedding that comes before it."""
    return isal_zlib.crc32(array.view(np.uint8).data) if array.size else 0


def _checksum_of(header: dict[str, Any]) -> int:
    """CRC-32 of all parts of a header but this one."""
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
    # Before mapping: reading beyond the end of a mapped file ends the process.
    if n < 0 or not 0 <= level <= DEPTH or n_offsets != 4**level + 1 or path.stat().st_size != starts[-1]:
        raise InvalidStore(f"{path} was opened as a spatial index; it is not as long as its header says")
    # A plain array over the map, since each slice of a `memmap` object runs Python code.
    whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    counts = (n, 2 * n, n_offsets)
    return [
        whole[start : start + 4 * count].view(dtype)
        for start, count, dtype in zip(starts, counts, _DTYPES, strict=False)
    ]
