"""Loads what TileDB's bindings would ask for with the interpreter's lock in hand: metadata, and where tiles lie.

What has been loaded stays with the array, so that the bindings ask for nothing then.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cxg_widget.datasets.tiledb_access.c_library import READ, Calls, calls_in, handle_of


def load_metadata(array: Any) -> None:
    """Load the metadata of an open array.

    Raises
    ------
    tiledb.TileDBError
        If they cannot be read.
    """
    calls = _calls_with(array)
    if calls is not None:
        calls.count("array_get_metadata_num", handle_of(array, b"array"))


def load_places(array: Any, name: str, *, has_offsets: bool) -> None:
    """Load where the tiles of an attribute or a dimension lie, by asking how much a read of all of it would return.

    has_offsets : whether its values are of any length; null must not be among them

    Raises
    ------
    tiledb.TileDBError
        If that cannot be read.
    """
    calls = _calls_with(array)
    if calls is None:
        return
    ends = [ctypes.byref(ctypes.c_uint64()) for _ in range(2)]
    with calls.made("query", handle_of(array, b"array"), READ) as query:
        if has_offsets:
            calls("query_get_est_result_size_var", query, name.encode(), *ends)
        else:
            calls("query_get_est_result_size", query, name.encode(), ends[0])


def _calls_with(array: Any) -> Calls | None:
    return calls_in(array.ctx) if hasattr(array, "__capsule__") else None
