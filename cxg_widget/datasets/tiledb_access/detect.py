"""Detects the format at a TileDB URI, by object types, names and the keys of a group's metadata."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import tiledb

from cxg_widget.compute.parallel import run_parallel
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.tiledb_access.contexts import make_context, timeout_s
from cxg_widget.datasets.tiledb_access.failures import failure, reason_of, too_late
from cxg_widget.datasets.tiledb_access.listing import absolute, child_names, list_children, lists_in_one
from cxg_widget.datasets.tiledb_access.lookups import kind_at, read_stored_group
from cxg_widget.errors import DamagedStore, DatasetNotFound

_CONTEXT = ("ctx", "config", "storage_options")


def identify(uri: str, options: Mapping[str, Any]) -> str | None:
    """Return "cxg", "soma", "tiledb-cf" or "tiledb-array"; None if there is no TileDB object.

    A group with most parts of a CXG counts as a CXG, so that its reader can report the missing parts.
    """
    ctx = make_context(uri, **{name: options[name] for name in _CONTEXT if name in options})
    root = absolute(uri)
    try:
        return _within_patience(uri, root, ctx) if lists_in_one(uri) else _identify_type(root, ctx)
    except tiledb.TileDBError as error:
        found = failure(error, uri, "the store")
        if isinstance(found, DamagedStore):
            hint = "; check the name and storage_options=" if is_remote(uri) else ""
            found = DatasetNotFound(f"'{uri}' cannot be read ({reason_of(error)}){hint}.")
        raise found from error


def _within_patience(uri: str, root: str, ctx: tiledb.Ctx) -> str | None:
    seconds = timeout_s(ctx)
    found = run_parallel([lambda: _identify_names(root, ctx)], seconds)[0]
    if type(found) is TimeoutError:
        raise too_late(uri, "the store", seconds)
    if isinstance(found, Exception):
        raise found
    return found


def _identify_names(root: str, ctx: tiledb.Ctx) -> str | None:
    """Detect by the names below a URI, which take one request; types take four."""
    # Opening a store in a bucket took 105 requests with types, and takes 51 without (decision 12).
    names = set(child_names(root, ctx))
    if {"__schema", "__array_schema.tdb"} & names:
        return "tiledb-array"
    if not {"__tiledb_group.tdb", "__group"} & names:
        return None
    return _of_group(names, root, ctx)


def _identify_type(root: str, ctx: tiledb.Ctx) -> str | None:
    kind = kind_at(root, ctx)
    if kind != "group":
        return "tiledb-array" if kind == "array" else None
    return _of_group(set(list_children(root, ctx)), root, ctx)


def _of_group(names: Set[str], root: str, ctx: tiledb.Ctx) -> str:
    parts = len({"obs", "var", "emb"} & names)
    if "cxg_group_metadata" in names or parts == 3:
        return "cxg"
    group = read_stored_group(root, ctx)
    if "soma_object_type" in group.metadata:
        return "soma"
    # A CXG does not register its members with its group; current TileDB-CF dataspaces do.
    return "cxg" if parts == 2 and not group.members else "tiledb-cf"
