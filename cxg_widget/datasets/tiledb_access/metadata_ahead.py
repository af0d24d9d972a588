"""Loads the metadata of an array while Python goes on: TileDB's bindings hold the interpreter's lock for that request.

The C interface below them is called through ctypes, which lets go of the lock. What has been loaded stays with the
array, so that a look through the bindings asks for nothing.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import tiledb


def load_metadata(array: Any) -> None:
    """Load the metadata of an open array; where the C interface cannot be found, leave it to the first look.

    Raises
    ------
    tiledb.TileDBError
        If they cannot be read.
    """
    library = _library()
    if library is None or not hasattr(array, "__capsule__"):
        return
    ctx, handle = _pointer(array.ctx.__capsule__(), b"ctx"), _pointer(array.__capsule__(), b"array")
    count = ctypes.c_uint64()
    if library.tiledb_array_get_metadata_num(ctx, handle, ctypes.byref(count)) != 0:
        raise tiledb.TileDBError(_last_error(library, ctx))


@cache
def _library() -> Any:
    """Return the library that the bindings have loaded, None where it cannot be found."""
    bindings = Path(tiledb.libtiledb.__file__)
    for path in (bindings, *sorted(bindings.parents[1].glob("tiledb*/*tiledb.*"))):
        try:
            library = ctypes.CDLL(str(path))
            library.tiledb_array_get_metadata_num.argtypes = [ctypes.c_void_p] * 3
            library.tiledb_ctx_get_last_error.argtypes = [ctypes.c_void_p] * 2
            library.tiledb_error_message.argtypes = [ctypes.c_void_p] * 2
            library.tiledb_error_free.argtypes = [ctypes.c_void_p]
        except (OSError, AttributeError):
            continue
        return library
    return None


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
