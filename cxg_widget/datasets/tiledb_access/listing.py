"""Lists the objects below a URI, in as few requests as the storage allows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tiledb

from cxg_widget.datasets.base.location import is_remote


def absolute(uri: str) -> str:
    """Return a URI that still means the same after `os.chdir`, which TileDB takes no notice of."""
    return uri.rstrip("/") if "://" in uri else str(Path(uri).absolute())


def name_of(uri: str) -> str:
    """Return the last part of a path or URI."""
    return Path(uri).name if "://" not in uri else uri.rstrip("/").rpartition("/")[2]


def lists_in_one(uri: str) -> bool:
    """Say whether names below a URI come in one request, but the type of each would take up to four."""
    return is_remote(uri) and not uri.startswith("tiledb://")


def child_names(uri: str, ctx: tiledb.Ctx) -> list[str]:
    """Return the names below a URI, TileDB's own among them; empty where there is nothing."""
    return [child.rstrip("/").rsplit("/", 1)[-1] for child in tiledb.VFS(ctx=ctx).ls(uri)]


def list_children(uri: str, ctx: tiledb.Ctx, kind_of: Callable[[str], str] = lambda _: "unknown") -> dict[str, str]:
    """Return the names below a URI, each with its TileDB type.

    Members that are not registered with their group, as in a CXG, are found by listing a directory. In an object store
    the type is what `kind_of` says of the name: asking for each takes a request or four.
    """
    found: dict[str, str] = {}
    if not lists_in_one(uri):
        listed = f"{uri}/" if "://" in uri else uri
        tiledb.ls(listed, lambda child, kind: found.update({child.rstrip("/").rsplit("/", 1)[-1]: kind}), ctx=ctx)
        return found
    return {name: kind_of(name) for name in child_names(uri, ctx) if not name.startswith("__")}
