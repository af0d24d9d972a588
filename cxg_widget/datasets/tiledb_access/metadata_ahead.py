"""Loads what TileDB's bindings would ask for with the interpreter's lock in hand: metadata, and where tiles lie.

The C interface below them is called through ctypes, which lets go of the lock. What has been loaded stays with the
array, so that the bindings ask for nothing then. Where the C interface cannot be found, it is left to them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import tiledb

_READ = 0
_P = ctypes.c_void_p
_ARGUMENTS: dict[str, list[Any]] = {
    "tiledb_array_get_metadata_num": [_P, _P, _P],
    "tiledb_query_alloc": [_P, _P, ctypes.c_int, _P],
    "tiledb_query_get_est_result_size": [_P, _P, ctypes.c_char_p, _P],
    "tiledb_query_get_est_result_size_var": [_P, _P, ctypes.c_char_p, _P, _P],
    "tiledb_query_free": [_P],
    "tiledb_ctx_get_last_error": [_P, _P],
    "tiledb_error_message": [_P, _P],
    "tiledb_error_free": [_P],
}


def load_metadata(array: Any) -> None:
    """Load the metadata of an open array.

    Raises
    ------
    tiledb.TileDBError
        If they cannot be read.
    """
    library = _library()
    if library is None or not hasattr(array, "__capsule__"):
        return
    ctx, handle = _handles(array)
    count = ctypes.c_uint64()
    if library.tiledb_array_get_metadata_num(ctx, handle, ctypes.byref(count)) != 0:
        raise tiledb.TileDBError(_last_error(library, ctx))


def load_places(array: Any, name: str, *, has_offsets: bool) -> None:
    """Load where the tiles of an attribute or a dimension lie, by asking how much a read of all of it would return.

    has_offsets : whether its values are of any length; null must not be among them

    Raises
    ------
    tiledb.TileDBError
        If that cannot be read.
    """
    library = _library()
    if library is None or not hasattr(array, "__capsule__"):
        return
    ctx, handle = _handles(array)
    query, sizes = ctypes.c_void_p(), (ctypes.c_uint64(), ctypes.c_uint64())
    status = library.tiledb_query_alloc(ctx, handle, _READ, ctypes.byref(query))
    try:
        if status == 0 and has_offsets:
            ends = [ctypes.byref(size) for size in sizes]
            status = library.tiledb_query_get_est_result_size_var(ctx, query, name.encode(), *ends)
        elif status == 0:
            status = library.tiledb_query_get_est_result_size(ctx, query, name.encode(), ctypes.byref(sizes[0]))
        if status != 0:
            raise tiledb.TileDBError(_last_error(library, ctx))
    finally:
        library.tiledb_query_free(ctypes.byref(query))


@cache
def _library() -> Any:
    """Return the library that the bindings have loaded, None where it cannot be found."""
    bindings = Path(tiledb.libtiledb.__file__)
    for path in (bindings, *sorted(bindings.parents[1].glob("tiledb*/*tiledb.*"))):
        try:
            library = ctypes.CDLL(str(path))
            for name, argtypes in _ARGUMENTS.items():
                getattr(library, name).argtypes = argtypes
        except (OSError, AttributeError):
            continue
        return library
    return None


def _handles(array: Any) -> tuple[int | None, int | None]:
    return _pointer(array.ctx.__capsule__(), b"ctx"), _pointer(array.__capsule__(), b"array")


def _pointer(capsule: Any, name: bytes) -> int | None:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    found: int | None = get(capsule, name)
    return found


def _last_error(library: Any, ctx: int | None) -> str:
    error, text = ctypes.c_void_p(), ctypes.c_char_p()
    if library.tiledb_ctx_get_last_error(ctx, ctypes.byref(error)) != 0 or not error:
        return "no reason is given"
    try:
        library.tiledb_error_message(error, ctypes.byref(text))
        return (text.value or b"no reason is given").decode(errors="replace")
    finally:
        library.tiledb_error_free(ctypes.byref(error))
