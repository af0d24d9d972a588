"""Looks up objects at a URI: the kind of object, a group's metadata and members, a schema, an array's fragments.

The bindings would hold the GIL during each request; these functions release it, so that other threads continue. An open
array keeps the metadata and tile locations that are loaded here, so that the bindings request nothing later.
"""

from __future__ import annotations

import ctypes
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import tiledb
from numpy.typing import NDArray
from tiledb.datatypes import DataType

from cxg_widget.datasets.tiledb_access.c_library import READ, Calls, Handle, calls_in, capsule, handle_of

_KINDS = {1: "group", 2: "array"}
_TEXT = tiledb.libtiledb.DataType.STRING_UTF8
_BYTES = (tiledb.libtiledb.DataType.STRING_ASCII, tiledb.libtiledb.DataType.CHAR, tiledb.libtiledb.DataType.BLOB)
_FLAT, _SHAPE = "__np_flat_", "__np_shape_"
_SCHEMA = b"schema"


@dataclass(frozen=True)
class StoredGroup:
    """Metadata and members of a TileDB group.

    metadata : {key: str, bytes, number, tuple of numbers or array}
    members : name (None if it has none), URI and kind of each: "group", "array" or None
    """

    metadata: dict[str, Any]
    members: list[tuple[str | None, str, str | None]]


@dataclass(frozen=True)
class Fragment:
    """One write to an array.

    domain : first and last index per dimension; none unless all are integers
    tiles : int64 (n_tiles, 2), first and last index of each tile, in the order of the file; None unless requested, and
        unless the array is sparse with one dimension of integers
    """

    n_cells: int
    domain: tuple[tuple[int, int], ...]
    tiles: NDArray[np.int64] | None = None


def kind_at(uri: str, ctx: tiledb.Ctx) -> str | None:
    """Return "group" or "array", None if there is no TileDB object.

    Raises `tiledb.TileDBError` if the request fails.
    """
    calls = calls_in(ctx)
    if calls is None:
        found: str | None = tiledb.object_type(uri, ctx=ctx)
        return found
    kind = ctypes.c_int()
    calls("object_type", uri.encode(), ctypes.byref(kind))
    return _KINDS.get(kind.value)


def load_schema(uri: str, ctx: tiledb.Ctx) -> tiledb.ArraySchema:
    """Load the schema of an array that is not open; raises `tiledb.TileDBError` if it cannot be read."""
    calls = calls_in(ctx)
    if calls is None:
        return tiledb.ArraySchema.load(uri, ctx=ctx)
    schema = Handle()
    calls("array_schema_load", uri.encode(), ctypes.byref(schema))
    return tiledb.ArraySchema.from_capsule(ctx, capsule(schema, _SCHEMA))


def read_fragments(
    uri: str, schema: tiledb.ArraySchema, ctx: tiledb.Ctx, *, with_tiles: bool = False
) -> list[Fragment]:
    """Return the fragments of an array with this schema, in the order in which they were written.

    with_tiles : whether to read the bounds of their tiles, which takes a request more for each fragment

    Raises `tiledb.TileDBError` if they cannot be read.
    """
    calls = calls_in(ctx)
    if calls is None:
        stored = tiledb.array_fragments(uri, ctx=ctx)
        is_whole = all(schema.domain.dim(place).dtype.kind in "iu" for place in range(schema.ndim))
        domains = [tuple((int(a), int(b)) for a, b in one) if is_whole else () for one in stored.nonempty_domain]
        return [Fragment(int(n), domain) for n, domain in zip(stored.cell_num, domains, strict=True)]
    dtypes = [schema.domain.dim(place).dtype for place in range(schema.ndim)]
    if any(dtype.kind not in "iu" for dtype in dtypes):
        dtypes = []
    with_tiles = with_tiles and bool(schema.sparse) and len(dtypes) == 1
    with calls.made("fragment_info", uri.encode()) as info:
        calls("fragment_info_load", info)
        n = calls.count("fragment_info_get_fragment_num", info, ctypes.c_uint32)
        return [_fragment(calls, info, place, dtypes, with_tiles=with_tiles) for place in range(n)]


def read_stored_group(uri: str, ctx: tiledb.Ctx) -> StoredGroup:
    """Read the metadata and the list of members of a group.

    Raises `tiledb.TileDBError` if there is no group or it cannot be read, `UnicodeDecodeError` if text in it is not
    UTF-8.
    """
    calls = calls_in(ctx)
    if calls is None:
        return _by_the_bindings(uri, ctx)
    with calls.made("group", uri.encode()) as group:
        calls("group_open", group, READ)
        raw = dict(_entry(calls, group, place) for place in range(calls.count("group_get_metadata_num", group)))
        members = [_member(calls, group, place) for place in range(calls.count("group_get_member_count", group))]
        calls("group_close", group)
    return StoredGroup(_as_written(raw), members)


def load_metadata(array: Any) -> None:
    """Load the metadata of an open array; raises `tiledb.TileDBError` if they cannot be read."""
    calls = _calls_with(array)
    if calls is not None:
        calls.count("array_get_metadata_num", handle_of(array, b"array"))


def load_categories(array: Any) -> None:
    """Load the enumerations of an open array, which are the categories of its columns.

    Raises `tiledb.TileDBError` if they cannot be read.
    """
    calls = _calls_with(array)
    if calls is not None:
        calls("array_load_all_enumerations", handle_of(array, b"array"))


def load_places(array: Any, name: str, *, has_offsets: bool) -> None:
    """Load the tile locations of an attribute or a dimension, by requesting the estimated size of a full read.

    has_offsets : whether its values have variable length; it must not be nullable

    Raises `tiledb.TileDBError` if they cannot be read.
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


def _by_the_bindings(uri: str, ctx: tiledb.Ctx) -> StoredGroup:
    kinds = {tiledb.Group: "group", tiledb.Array: "array"}
    with tiledb.Group(uri, "r", ctx=ctx) as group:
        # Copied, since the bindings' arrays are views of memory that is freed with the group.
        metadata = {key: deepcopy(group.meta[key]) for key in group.meta.keys()}  # noqa: SIM118 - no mapping
        return StoredGroup(metadata, [(one.name, one.uri, kinds.get(one.type)) for one in group])


def _entry(calls: Calls, group: Handle, place: int) -> tuple[str, np.ndarray[Any, Any] | str | bytes]:
    """Return a key and its value: text, bytes or a 1-D array."""
    key, value = Handle(), Handle()
    length, n, type_ = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_int()
    calls("group_get_metadata_from_index", group, place, *map(ctypes.byref, (key, length, type_, n, value)))
    name, datatype = ctypes.string_at(key, length.value).decode(), tiledb.libtiledb.DataType(type_.value)
    if datatype == _TEXT or datatype in _BYTES:
        text = ctypes.string_at(value, n.value) if value and n.value else b""
        return name, text.decode() if datatype == _TEXT else text
    dtype = DataType.from_tiledb(datatype).np_dtype
    if not value or not n.value:
        return name, np.zeros(0, dtype)
    # `string_at` copies, since the memory is freed with the group.
    return name, np.frombuffer(ctypes.string_at(value, n.value * dtype.itemsize), dtype)


def _as_written(raw: dict[str, Any]) -> dict[str, Any]:
    """Return metadata as the bindings do, which store each array as two entries, values and shape."""
    found: dict[str, Any] = {}
    for key, value in raw.items():
        if key.startswith(_FLAT):
            name = key.removeprefix(_FLAT)
            shape = raw.get(_SHAPE + name)
            fits = isinstance(shape, np.ndarray) and len(value) == np.prod(shape)
            found[name] = value.reshape(shape) if fits else value
        elif not key.startswith(_SHAPE):
            found[key] = _plain(value) if isinstance(value, np.ndarray) else value
    return found


def _plain(values: np.ndarray[Any, Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values.tolist())


def _member(calls: Calls, group: Handle, place: int) -> tuple[str | None, str, str | None]:
    uri, name, kind = Handle(), Handle(), ctypes.c_int()
    calls("group_get_member_by_index_v2", group, place, *map(ctypes.byref, (uri, kind, name)))
    return calls.text(name), calls.text(uri) or "", _KINDS.get(kind.value)


def _fragment(calls: Calls, info: Handle, place: int, dtypes: list[np.dtype[Any]], *, with_tiles: bool) -> Fragment:
    n_cells, domain = ctypes.c_uint64(), []
    calls("fragment_info_get_cell_num", info, place, ctypes.byref(n_cells))
    for dim, dtype in enumerate(dtypes):
        ends = np.zeros(2, dtype)
        calls("fragment_info_get_non_empty_domain_from_index", info, place, dim, ends.ctypes.data)
        domain.append((int(ends[0]), int(ends[1])))
    tiles = _tiles(calls, info, place, dtypes[0]) if with_tiles else None
    return Fragment(n_cells.value, tuple(domain), tiles)


def _tiles(calls: Calls, info: Handle, place: int, dtype: np.dtype[Any]) -> NDArray[np.int64]:
    n = ctypes.c_uint64()
    calls("fragment_info_get_mbr_num", info, place, ctypes.byref(n))
    bounds = np.zeros((n.value, 2), dtype)
    for tile, ends in enumerate(bounds):
        calls("fragment_info_get_mbr_from_index", info, place, tile, 0, ends.ctypes.data)
    return bounds.astype(np.int64)
