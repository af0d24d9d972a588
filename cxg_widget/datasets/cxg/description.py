"""What a CXG says of itself for `cxg-widget inspect`: version, layout of the matrix, bytes on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cxg_widget.datasets.cxg.matrix import Matrix
from cxg_widget.datasets.cxg.metadata import GroupMetadata
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import CxgWidgetError, DamagedStore


def describe(arrays: Arrays, children: Mapping[str, str], metadata: GroupMetadata, matrix: Matrix) -> dict[str, Any]:
    """Return version, schema version and layout; fit for JSON, None where the store does not say."""
    found: dict[str, Any] = {
        "version": metadata.version,
        "schema_version": metadata.schema_version,
        "about": metadata.about,
    }
    try:
        path = matrix.path
        found |= _matrix(arrays, path, children) if path else {"layout": None}
    except CxgWidgetError as error:
        found["layout"] = f"cannot be read: {error}"
    known = {"obs", "var", "emb", "X", "Xr", "Xc", "X_col_shift", "cxg_group_metadata", "uns"}
    found["other"] = sorted(name for name in children if name not in known and not name.startswith("__"))
    return found


def measure(arrays: Arrays, children: Mapping[str, str], embeddings: Iterable[str]) -> dict[str, int]:
    """Return the bytes on disk of each array, and of what else lies beside them."""
    names = [name for name in children if name != "emb" and not name.startswith("__")]
    found: dict[str, int] = {}
    for path in [*names, *(f"emb/{name}" for name in embeddings)]:
        with suppress(OSError):
            found[path] = _size(arrays, path)
    return found


def _matrix(arrays: Arrays, path: str, children: Mapping[str, str]) -> dict[str, Any]:
    schema = arrays.schema(path)
    attr = next(
        one for one in (schema.attr(number) for number in range(schema.nattr)) if one.name not in ("obs", "var")
    )
    found: dict[str, Any] = {"matrix_type": str(attr.dtype), "column_shift": "X_col_shift" in children}
    if path == "Xc":
        both = "Xr and Xc" if "Xr" in children else "Xc without Xr"
        found |= {"layout": f"{both}: sparse, by rows and by columns", "capacity": int(schema.capacity)}
    else:
        tiles = [int(schema.domain.dim(number).tile) for number in (0, 1)]
        found |= {"layout": f"X: {'sparse' if schema.sparse else 'dense'}", "tiles": tiles}
    if schema.sparse:
        found["stored_values"] = _stored(arrays, path)
    return found


def _stored(arrays: Arrays, path: str) -> int | None:
    """Return how many cells the fragments of a sparse array hold, by their metadata; None where these are lost."""
    try:
        return sum(fragment.n_cells for fragment in arrays.fragments(path))
    except DamagedStore:
        return None


def _size(arrays: Arrays, path: str) -> int:
    if arrays.is_remote:
        return arrays.sizes([path])[0]
    folders = os.walk(Path(arrays.root.removeprefix("file://")) / path)
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in folders for name in names)
