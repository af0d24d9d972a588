"""Metadata of a remote zarr store: consolidated in one request, else group by group in parallel."""

from __future__ import annotations

import json
from functools import partial

from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.storage.objects import Objects, Part
from cxg_widget.errors import DatasetNotFound, InvalidStore, StorageDenied

_ROOT = ("zarr.json", ".zgroup", ".zattrs", ".zmetadata")
_OF_NODE = {3: ("zarr.json",), 2: (".zgroup", ".zarray", ".zattrs")}
_MOST_NODES = 20_000


class Documents:
    """All metadata documents of a store by key, and the names of the nodes below each group.

    Attributes
    ----------
    content : bytes of each document
    stamp : stamp of the documents at the root, which changes when they are written
    """

    def __init__(self, content: dict[str, bytes], stamp: str) -> None:
        self.content, self.stamp = content, stamp
        self._below: dict[str, list[str]] = {}
        self._known: dict[str, bool] = {}
        self._root = next(iter(content))

    def names_below(self, path: str) -> list[str]:
        """Return the names of the nodes below a group."""
        return self._below.get(path, [])

    def is_readable(self, objects: Objects) -> bool:
        """Return whether the storage still returns a document that it returned before."""
        try:
            return objects.get(Part(self._root), "the metadata") is not None
        except StorageDenied:
            return False

    def has_array(self, objects: Objects, path: str) -> bool:
        """Return whether an array has its own metadata; requests them once."""
        if path not in self._known:
            keys = [f"{path}/{name}" for name in ("zarr.json", ".zarray")]
            self._known[path] = any(key in self.content or _has(objects, key) for key in keys)
        return self._known[path]

    def walk(self, objects: Objects, zarr_format: int) -> None:
        """Read the metadata of all nodes, with two round trips per level."""
        groups = [""]
        while groups and len(self.content) < _MOST_NODES:
            listed = gather([partial(objects.names, path, path or "the root group") for path in groups])
            self._below |= {path: names.folders for path, names in zip(groups, listed, strict=True)}
            nodes = [_join(path, name) for path in groups for name in self._below[path]]
            keys = [_join(path, name) for path in nodes for name in _OF_NODE[zarr_format]]
            found = gather([partial(objects.get, Part(key), key.rpartition("/")[0]) for key in keys])
            self.content |= {key: one for key, one in zip(keys, found, strict=True) if one is not None}
            groups = [path for path in nodes if self._is_group(path)]

    def _is_group(self, path: str) -> bool:
        if f"{path}/.zgroup" in self.content:
            return True
        try:
            return bool(json.loads(self.content.get(f"{path}/zarr.json", b"{}")).get("node_type") == "group")
        except (ValueError, AttributeError):
            return False


def read_documents(objects: Objects) -> Documents:
    """Read the metadata of a zarr store.

    Raises
    ------
    DatasetNotFound
        If there is no store.
    InvalidStore
        If the metadata are not consolidated, and the server lists no names.
    StorageError
        If the storage refuses or does not answer.
    """
    found = objects.begin_all(_ROOT, {}, "the metadata")
    content = {key: one.content for key, one in zip(_ROOT, found, strict=True) if one is not None}
    if not content:
        raise DatasetNotFound(f"'{objects.uri}': there is no zarr store; check the address.")
    documents = Documents(content, " ".join("" if one is None else one.stamp for one in found))
    zarr_format = 3 if "zarr.json" in content else 2
    if _is_whole(content, zarr_format):
        return documents
    if not objects.lists:
        raise _unknown(objects.uri, "this server does not list names")
    try:
        documents.walk(objects, zarr_format)
    except StorageDenied as error:
        raise _unknown(objects.uri, "names may not be listed here") from error
    return documents


def _unknown(uri: str, why: str) -> InvalidStore:
    return InvalidStore(
        f"'{uri}' has no consolidated metadata, and {why}, so its contents are unknown; "
        "consolidate them where the store is: zarr.consolidate_metadata('the.zarr')."
    )


def _has(objects: Objects, key: str) -> bool:
    try:
        return objects.get(Part(key), key.rpartition("/")[0]) is not None
    except StorageDenied:
        return False


def _is_whole(content: dict[str, bytes], zarr_format: int) -> bool:
    """Return whether the metadata are complete: consolidated, or a single array, which is refused later."""
    if zarr_format == 2:
        return ".zmetadata" in content
    try:
        root = json.loads(content["zarr.json"])
        return root.get("consolidated_metadata") is not None or root.get("node_type") == "array"
    except (ValueError, AttributeError):
        return True  # zarr reports the fault


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name
