"""Lists the objects below a URI, in as few requests as the storage allows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tiledb

from cxg_widget.datasets.base.location import is_remote


def absolute(uri: str) -> str:
    """Return an absolute path or URI, since TileDB does not notice `os.chdir`."""
    return uri.rstrip("/") if "://" in uri else str(Path(uri).absolute())


def name_of(uri: str) -> str:
    """Return the last part of a path or URI."""
    return Path(uri).name if "://" not in uri else uri.rstrip("/").rpartition("/")[2]


def lists_in_one(uri: str) -> bool:
    """Return whether one request lists the names below a URI, but the type of each takes up to four requests."""
    return is_remote(uri) and not uri.startswith("tiledb://")


def child_names(uri: str, ctx: tiledb.Ctx) -> list[str]:
    """Return the names below a URI, including TileDB's own; empty if there is nothing."""
    return [child.rstrip("/").rsplit("/", 1)[-1] for child in tiledb.VFS(ctx=ctx).ls(uri)]


def list_children(uri: str, ctx: tiledb.Ctx, kind_of: Callable[[str], str] = lambda _: "unknown") -> dict[str, str]:
    """Return the names below a URI, each with its TileDB type.

    A directory listing also finds members that are not registered with their group, as in a CXG. In an object store
    `kind_of` derives the type from the name, since requesting a type takes one to four requests.
    """
    found: dict[str, str] = {}
    if not lists_in_one(uri):
        listed = f"{uri}/" if "://" in uri else uri
        tiledb.ls(listed, lambda child, kind: found.update({child.rstrip("/").rsplit("/", 1)[-1]: kind}), ctx=ctx)
        return found
    return {name: kind_of(name) for name in child_names(uri, ctx) if not name.startswith("__")}
