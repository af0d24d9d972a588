"""A file of arrays that is mapped into memory: a header of 4096 bytes, then the arrays in their memory layout.

::

    0      8 bytes of the format, then JSON, padded with spaces to 4096 bytes
    4096   the arrays, each at a multiple of 64 bytes; all little-endian

The header has checksums of each array and of itself, so that a corrupted file is never used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore

_HEADER_BYTES = 4096
_ALIGNMENT = 64

Parts = Sequence[tuple[str, int]]
"""Dtype and number of elements of each array."""


def file_bytes(parts: Parts) -> int:
    """Return the size of a file of such arrays."""
    return _layout(parts)[-1]


def write_arrays(file: BinaryIO, magic: bytes, header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
    """Write arrays, little-endian, to an empty file; raises `OSError` if the disk refuses it."""
    flat = [np.ascontiguousarray(array).ravel() for array in arrays]
    whole = {**header, "checksums": [_checksum(array) for array in flat]}
    whole["checksum"] = _checksum_of(whole)
    head = magic + json.dumps(whole, allow_nan=False).encode()
    if len(head) > _HEADER_BYTES:
        raise OSError(f"the header takes {len(head):,} bytes; it has room for {_HEADER_BYTES:,}")
    starts = _layout([(array.dtype.str, array.size) for array in flat])
    file.write(head.ljust(_HEADER_BYTES))
    for start, array in zip(starts, flat, strict=False):
        file.seek(start)
        file.write(array.view(np.uint8).data)
    file.truncate(starts[-1])


def read_arrays(
    path: Path, magic: bytes, wanted: dict[str, Any], what: str, parts_of: Callable[[dict[str, Any]], Parts]
) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Map the arrays of a file into memory, flat and read-only, and return them after its header.

    wanted : entries that the header must have
    what : the kind of file, such as "a spatial index", for errors
    parts_of : returns the arrays that a header describes; it raises `KeyError`, `TypeError` or `ValueError` if it does
        not describe any

    Raises `InvalidStore` if the file is none of these, was changed, or belongs to something else, `OSError` if it
    cannot be read.
    """
    header = _read_header(path, magic, what)
    try:
        found = {name: header[name] for name in wanted}
        parts = parts_of(header)
        checksum, checksums = header.pop("checksum"), list(header["checksums"])
    except (KeyError, TypeError, ValueError):
        raise InvalidStore(f"{path} was opened as {what}; its header lacks a part") from None
    if found != wanted:
        raise InvalidStore(f"{path} was opened as {what} of one embedding; it belongs to another one")
    starts = _layout(parts)
    # Before mapping: reading beyond the end of a mapped file crashes the process.
    if any(count < 0 for _, count in parts) or path.stat().st_size != starts[-1]:
        raise InvalidStore(f"{path} was opened as {what}; it is not as long as its header says")
    # A plain array over the map, since each slice of a `memmap` object runs Python code.
    whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    arrays: list[NDArray[Any]] = [
        whole[start : start + np.dtype(dtype).itemsize * count].view(dtype)
        for start, (dtype, count) in zip(starts, parts, strict=False)
    ]
    if checksum != _checksum_of(header) or checksums != [_checksum(array) for array in arrays]:
        raise InvalidStore(f"{path} was opened as {what}; it was changed since it was written")
    return header, arrays


def _checksum(array: NDArray[Any]) -> int:
    """CRC-32 at about 10 GB/s, faster than the fingerprint of an embedding."""
    return isal_zlib.crc32(array.view(np.uint8).data) if array.size else 0


def _checksum_of(header: dict[str, Any]) -> int:
    """CRC-32 of all other parts of a header."""
    return isal_zlib.crc32(json.dumps({name: header[name] for name in sorted(header)}, allow_nan=False).encode())


def _read_header(path: Path, magic: bytes, what: str) -> dict[str, Any]:
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    try:
        header = json.loads(head.removeprefix(magic)) if head.startswith(magic) else None
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise InvalidStore(f"{path} was opened as {what}; it does not begin as one")
    return header


def _layout(parts: Parts) -> list[int]:
    """Return the offset of each array, and the length of the file."""
    starts, end = [], _HEADER_BYTES
    for dtype, count in parts:
        starts.append(-(-end // _ALIGNMENT) * _ALIGNMENT)
        end = starts[-1] + np.dtype(dtype).itemsize * count
    return [*starts, end]
