"""Say what a TileDB URI holds, by looking at object types, names and the keys of a group's metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tiledb

from cxg_widget.datasets.cxg.arrays import absolute, list_children, reason_of
from cxg_widget.datasets.cxg.dataset import make_context
from cxg_widget.errors import DatasetNotFound


def identify(uri: str, options: Mapping[str, Any]) -> str | None:
    """Return "cxg", "soma", "tiledb-cf" or "tiledb-array"; None where there is no TileDB object.

    A group with most parts of a CXG counts as one, so that its reader can say what is missing.

    Raises
    ------
    DatasetNotFound
        If a remote URI cannot be asked.
    """
    ctx = make_context(options.get("ctx"), options.get("config"))
    root = absolute(uri)
    try:
        kind = tiledb.object_type(root, ctx=ctx)
        if kind != "group":
            return "tiledb-array" if kind == "array" else None
        children = list_children(root, ctx)
        if "cxg_group_metadata" in children or len({"obs", "var", "emb"} & set(children)) == 3:
            return "cxg"
        if _is_soma(root, ctx):
            return "soma"
        return "cxg" if len({"obs", "var", "emb"} & set(children)) == 2 else "tiledb-cf"
    except tiledb.TileDBError as error:
        hint = "; check the name, and region and credentials in config=" if "://" in uri else ""
        raise DatasetNotFound(f"'{uri}' cannot be read ({reason_of(error)}){hint}.") from error


def _is_soma(uri: str, ctx: tiledb.Ctx) -> bool:
    with tiledb.Group(uri, "r", ctx=ctx) as group:
        return "soma_object_type" in group.meta
