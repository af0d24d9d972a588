"""Tissue images in `uns["spatial"]`, as written by spaceranger, scanpy and squidpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cxg_widget.datasets.anndata.memory_nodes import node_of
from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.datasets.base.sections import Library
from cxg_widget.errors import DamagedStore, InvalidStore

_MOST = 100


def libraries_in(group: Group) -> list[Library]:
    """Return the libraries in a group of a store; skips everything else, and reads no images."""
    found = []
    for name in group.names()[:_MOST]:
        images, factors = (_nodes(group, f"{name}/{part}") for part in ("images", "scalefactors"))
        if images or factors:
            numbers = {key: number for key, one in factors.items() if (number := _number(one)) is not None}
            arrays = {key: (one.shape, one.dtype.kind) for key, one in images.items()}
            faults = {key: fault for key, one in images.items() if (fault := _fault_of(one))}
            found.append(Library(name, arrays, numbers, faults))
    return found


def libraries_of(spatial: Any) -> list[Library]:
    """Return the libraries of an object in memory."""
    found = []
    for name, library in spatial.items() if isinstance(spatial, Mapping) else ():
        parts = [library.get(part) for part in ("images", "scalefactors")] if isinstance(library, Mapping) else []
        images, factors = (one if isinstance(one, Mapping) else {} for one in (*parts, None, None)[:2])
        if images or factors:
            numbers = {str(key): number for key, one in factors.items() if (number := _as_number(one)) is not None}
            nodes = {str(key): node_of(one, f"uns/spatial/{name}/images/{key}") for key, one in images.items()}
            arrays = {key: (one.shape, one.dtype.kind) for key, one in nodes.items() if isinstance(one, Array)}
            found.append(Library(str(name), arrays, numbers))
    return found


def _nodes(group: Group, path: str) -> dict[str, Array]:
    below = _quietly(group, path)
    nodes = {name: _quietly(below, name) for name in below.names()[:_MOST]} if isinstance(below, Group) else {}
    return {name: node for name, node in nodes.items() if isinstance(node, Array)}


def _fault_of(image: Array) -> str:
    """Return why an image cannot be shown, if it declares more px than its bytes can hold; else ""."""
    try:
        image.check_plausible()
    except InvalidStore as error:
        return str(error).rstrip(".").removeprefix(f"{image.uri}: ")
    except DamagedStore:
        return ""  # reading the image raises it
    return ""


def _quietly(group: Group, path: str) -> Node | None:
    try:
        return group.get(path)
    except (InvalidStore, DamagedStore):
        return None


def _number(node: Array) -> float | None:
    """Return a single number; 1 for a larger array, which is present but not a number; None if unreadable."""
    if node.size != 1:
        return 1.0
    try:
        return _as_number(node.read())
    except (InvalidStore, DamagedStore):
        return None


def _as_number(value: Any) -> float | None:
    found = np.asarray(value)
    if found.dtype.kind not in "iuf" or found.size == 0:
        return None
    return float(found.reshape(-1)[0]) if found.size == 1 else 1.0
