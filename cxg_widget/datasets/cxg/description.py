"""Describes a CXG for `cxg-widget inspect`: version, layout of the matrix, bytes on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cxg_widget.datasets.cxg.layouts import PARTS
from cxg_widget.datasets.cxg.matrix import CxgMatrix
from cxg_widget.datasets.cxg.metadata import GroupMetadata
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import CxgWidgetError


def describe(children: Mapping[str, str], metadata: GroupMetadata, matrix: CxgMatrix) -> dict[str, Any]:
    """Return version, schema version and layout, for JSON; None if the store does not declare one."""
    found: dict[str, Any] = {
        "version": metadata.version,
        "schema_version": metadata.schema_version,
        "about": metadata.about,
    }
    try:
        found |= matrix.describe()
    except CxgWidgetError as error:
        found["layout"] = f"cannot be read: {error}"
    known = {*PARTS, "emb", "uns"}
    found["other"] = sorted(name for name in children if name not in known and not name.startswith("__"))
    return found


def measure(arrays: Arrays, children: Mapping[str, str], embeddings: Iterable[str]) -> dict[str, int]:
    """Return the stored bytes of each array and of every other part."""
    names = [name for name in children if name != "emb" and not name.startswith("__")]
    found: dict[str, int] = {}
    for path in [*names, *(f"emb/{name}" for name in embeddings)]:
        with suppress(OSError):
            found[path] = _size(arrays, path)
    return found


def _size(arrays: Arrays, path: str) -> int:
    if arrays.is_remote:
        return arrays.sizes([path])[0]
    folders = os.walk(Path(arrays.root.removeprefix("file://")) / path)
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in folders for name in names)
