"""Lists the arrays and metadata of a TileDB-CF group; the arrays are its members, or those in its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore, InvalidStore

METADATA_ARRAY = "__tiledb_group"
Note = Callable[[str], None]


@dataclass(frozen=True)
class Group:
    """Members of one group.

    arrays : path below the root to the registered name; None if the array is not registered
    groups : names of the groups in it, which are separate dataspaces
    metadata : metadata of the group
    layout : location of the metadata: "group metadata", or "metadata array" in format 0.1
    """

    arrays: Mapping[str, str | None]
    groups: tuple[str, ...]
    metadata: Mapping[str, Any]
    layout: str


def read_group(arrays: Arrays, note: Note) -> Group:
    """Return the members of the group at the root, except those outside of it."""
    kind = arrays.kind()
    if kind != "group":
        raise InvalidStore(f"{arrays.uri}: not a TileDB group (it is {kind or 'not a TileDB object'}).")
    stored = arrays.groups("")[0]
    metadata, members = dict(stored.metadata), stored.members
    children = arrays.children("")[0] if not members or METADATA_ARRAY in (name for name, *_ in members) else {}
    legacy = METADATA_ARRAY in children
    if legacy:
        of_array = arrays.metadata(METADATA_ARRAY)
        with arrays.reading(f"the metadata of {METADATA_ARRAY}"):
            metadata |= dict(of_array.items())
    if members:
        found, groups = _registered(arrays, members, note)
        if not arrays.is_remote:  # listing a remote folder takes time
            _tell_of_others(arrays, found, note)
    else:
        found = {name: None for name, type_ in sorted(children.items()) if type_ in ("array", "unknown")}
        groups = [name for name, type_ in sorted(children.items()) if type_ == "group"]
    found.pop(METADATA_ARRAY, None)
    return Group(found, tuple(groups), metadata, "metadata array" if legacy else "group metadata")


def _registered(
    arrays: Arrays, members: list[tuple[str | None, str, str | None]], note: Note
) -> tuple[dict[str, str | None], list[str]]:
    found: dict[str, str | None] = {}
    groups = []
    for name, uri, kind in sorted(members, key=lambda one: str(one[1])):
        path = arrays.path_of(uri) or _moved(arrays, uri)
        if path is None:
            note(f"member {name or uri!r} lies outside the store ({uri}) and is not followed.")
        elif kind == "group":
            groups.append(path)
        else:
            found[path] = name
    return found, groups


def _tell_of_others(arrays: Arrays, found: Mapping[str, str | None], note: Note) -> None:
    """Note the arrays in the folder that are not members; the group's file that adds them may be lost."""
    with suppress(DamagedStore):
        listed = arrays.children("")[0]
        others = sorted(name for name, kind in listed.items() if kind == "array" and name not in found)
        others = [name for name in others if name != METADATA_ARRAY]
        if others:
            note(f"{', '.join(map(repr, others[:5]))} is in the folder but not a member of the group; it is left out.")


def _moved(arrays: Arrays, uri: str) -> str | None:
    """Return the name of an array that was registered by an absolute URI before the store was moved, else None."""
    name = uri.rstrip("/").rpartition("/")[2]
    if name in ("", ".", "..") or arrays.path_of(f"{arrays.root}/{name}") is None:
        return None
    return name if arrays.kind(name) == "array" else None
