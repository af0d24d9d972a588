"""Calls TileDB's C API through ctypes, which releases the GIL during calls for which the bindings hold it.

Otherwise a server that does not answer would block every thread of the process. Callers use the bindings if the C API
is not found.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import tiledb

READ = 0
Handle = ctypes.c_void_p
_P, _TEXT, _INT, _UINT32, _UINT64 = Handle, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64
_ARGUMENTS: dict[str, list[Any]] = {
    "array_get_metadata_num": [_P, _P, _P],
    "array_load_all_enumerations": [_P, _P],
    "array_schema_load": [_P, _TEXT, _P],
    "query_alloc": [_P, _P, _INT, _P],
    "query_get_est_result_size": [_P, _P, _TEXT, _P],
    "query_get_est_result_size_var": [_P, _P, _TEXT, _P, _P],
    "query_free": [_P],
    "fragment_info_alloc": [_P, _TEXT, _P],
    "fragment_info_load": [_P, _P],
    "fragment_info_get_fragment_num": [_P, _P, _P],
    "fragment_info_get_cell_num": [_P, _P, _UINT32, _P],
    "fragment_info_get_non_empty_domain_from_index": [_P, _P, _UINT32, _UINT32, _P],
    "fragment_info_get_mbr_num": [_P, _P, _UINT32, _P],
    "fragment_info_get_mbr_from_index": [_P, _P, _UINT32, _UINT32, _UINT32, _P],
    "fragment_info_free": [_P],
    "object_type": [_P, _TEXT, _P],
    "group_alloc": [_P, _TEXT, _P],
    "group_open": [_P, _P, _INT],
    "group_get_metadata_num": [_P, _P, _P],
    "group_get_metadata_from_index": [_P, _P, _UINT64, _P, _P, _P, _P, _P],
    "group_get_member_count": [_P, _P, _P],
    "group_get_member_by_index_v2": [_P, _P, _UINT64, _P, _P, _P],
    "group_close": [_P, _P],
    "group_free": [_P],
    "string_view": [_P, _P, _P],
    "string_free": [_P],
    "ctx_get_last_error": [_P, _P],
    "error_message": [_P, _P],
    "error_free": [_P],
}


class Calls:
    """Functions of the C API in one context.

    calls("group_open", group, READ) calls `tiledb_group_open(ctx, group, TILEDB_READ)`, and raises its error.
    """

    def __init__(self, library: Any, ctx: tiledb.Ctx) -> None:
        self._library = library
        # The bindings' object frees the handle, so it must live as long.
        self._owner = ctx  # a reference, to keep it alive
        self._ctx = handle_of(ctx, b"ctx")

    def __call__(self, name: str, *arguments: Any) -> None:
        """Call a function; raises `tiledb.TileDBError` if it fails."""
        if getattr(self._library, f"tiledb_{name}")(self._ctx, *arguments) != 0:
            raise tiledb.TileDBError(self._last_error())

    def count(self, name: str, handle: Handle, type_: Any = _UINT64) -> int:
        """Return the number that a function reports for a handle."""
        found = type_()
        self(name, handle, ctypes.byref(found))
        return int(found.value)

    def text(self, string: Handle) -> str | None:
        """Return the text of a TileDB string, None if there is none, and free the string."""
        if not string:
            return None
        data, length = Handle(), ctypes.c_size_t()
        self._library.tiledb_string_view(string, ctypes.byref(data), ctypes.byref(length))
        found = ctypes.string_at(data, length.value)
        self.free("string", string)
        return found.decode()

    @contextmanager
    def made(self, kind: str, *arguments: Any) -> Iterator[Handle]:
        """Allocate a "group", a "query", ..., and free it at the end."""
        handle = Handle()
        self(f"{kind}_alloc", *arguments, ctypes.byref(handle))
        try:
            yield handle
        finally:
            self.free(kind, handle)

    def free(self, kind: str, handle: Handle) -> None:
        """Free a handle that a call allocated: a "group", a "query", ..."""
        getattr(self._library, f"tiledb_{kind}_free")(ctypes.byref(handle))

    def _last_error(self) -> str:
        error, text = Handle(), ctypes.c_char_p()
        if self._library.tiledb_ctx_get_last_error(self._ctx, ctypes.byref(error)) != 0 or not error:
            return "no reason is given"
        try:
            self._library.tiledb_error_message(error, ctypes.byref(text))
            return (text.value or b"no reason is given").decode(errors="replace")
        finally:
            self.free("error", error)


def calls_in(ctx: tiledb.Ctx) -> Calls | None:
    """Return the functions of the C API, None if the library or the handle of the context is not available."""
    library = _library()
    return Calls(library, ctx) if library is not None and hasattr(ctx, "__capsule__") else None


def handle_of(owner: Any, kind: bytes) -> Handle:
    """Return the handle in an object of the bindings, such as an "array"."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    return Handle(get(owner.__capsule__(), kind))


def capsule(handle: Handle, kind: bytes) -> Any:
    """Wrap a handle for the bindings, whose object then frees it; `kind` is not copied, and must stay alive."""
    make = ctypes.pythonapi.PyCapsule_New
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
    return make(handle, kind, None)


@cache
def _library() -> Any:
    """Return the library that the bindings have loaded, None if it is not found."""
    bindings = Path(tiledb.libtiledb.__file__)
    for path in (bindings, *sorted(bindings.parents[1].glob("tiledb*/*tiledb.*"))):
        try:
            # CDLL releases the GIL during a call, which `PyDLL` and the bindings do not (decision 12).
            found = ctypes.CDLL(str(path))
            for name, argtypes in _ARGUMENTS.items():
                getattr(found, f"tiledb_{name}").argtypes = argtypes
        except (OSError, AttributeError):
            continue
        return found
    return None
