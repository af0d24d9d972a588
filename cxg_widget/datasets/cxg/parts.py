"""Finds the usable parts of a CXG: its embeddings, lost arrays, and arrays that were never written.

TileDB reads zeros from a sparse array that lost all of its files, so this module distinguishes an empty matrix from a
damaged one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cxg_widget.datasets.cxg.layouts import Layout
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore

_FOLDERS = ("__fragments", "__commits")
_FRAGMENT = re.compile(r"__\d+_\d+_[0-9a-f]{32}")


def find_embeddings(arrays: Arrays, members: Mapping[str, str], n_obs: int) -> tuple[dict[str, int], dict[str, str]]:
    """Return the number of axes of each usable embedding, and a sentence for each unusable one.

    members : {name under emb/: kind}
    """
    found = {name: _width_of(arrays, name, kind, n_obs) for name, kind in members.items()}
    usable = {name: width for name, width in found.items() if isinstance(width, int)}
    return usable, {name: problem for name, problem in found.items() if isinstance(problem, str)}


def _width_of(arrays: Arrays, name: str, kind: str, n_obs: int) -> int | str:
    if kind != "array":
        return f"emb/{name} is not an array."
    try:
        schema = arrays.schema(f"emb/{name}")
    except DamagedStore as error:
        return str(error)
    if schema.ndim != 2 or schema.sparse or schema.attr(0).dtype.kind not in "iuf":
        return f"emb/{name} is not a dense array of numbers with two dimensions."
    if schema.shape[0] != n_obs:
        return f"emb/{name} has {schema.shape[0]} rows but obs has {n_obs}."
    if schema.shape[1] < 2:
        return f"emb/{name} has {schema.shape[1]} axis; a scatterplot needs 2."
    return int(schema.shape[1])


def lost_arrays(arrays: Arrays, children: Mapping[str, str], members: Mapping[str, str]) -> list[str]:
    """Return the folders that should be arrays: TileDB does not list an array that lost its schema."""
    root, emb = arrays.names(["", "emb"])
    lost = [name for name in root if name == "cxg_group_metadata" and name not in children]
    return [*lost, *(f"emb/{name}" for name in emb if not name.startswith(("_", ".")) and name not in members)]


def check_written(arrays: Arrays, path: str, n_rows: int) -> None:
    """Raise if a table declares rows that were never written: reading them could take any amount of memory."""
    written = arrays.n_written(path)
    if written is not None and written < n_rows:
        declared = f"{path} declares {n_rows:,} rows, but {written:,} were written"
        raise DamagedStore(f"{arrays.uri}: {declared}; its files are missing or damaged.")


def never_written(arrays: Arrays, layout: Layout) -> str:
    """Return "", or a sentence if neither matrix nor twin was ever written, as in stores with annotations only."""
    path = layout.path
    if not arrays.is_remote and all(_files(arrays, path)):
        return ""
    array = arrays.array(path)
    with arrays.reading(path):
        if array.nonempty_domain() is not None:
            return ""
    twin = layout.twin
    if twin is None or any(_files(arrays, path)) or any(_files(arrays, twin)):
        raise DamagedStore(f"{arrays.uri}: {path} holds no data; its files are missing.")
    return f"{twin} and {path} hold no values: the store has annotations only, and every gene is 0."


def _files(arrays: Arrays, path: str) -> tuple[bool, bool]:
    """Return whether an array has fragments, and whether it has the records by which TileDB finds them.

    On a disk, a write of no cells leaves an empty fragment folder and no record. Before version 12 of TileDB's format,
    fragments and records are next to the schema. Before version 5 there are no records.
    """
    (names,) = arrays.names([path])
    folders = [name for name in _FOLDERS if name in names]
    inside = dict(zip(folders, arrays.names([f"{path}/{name}" for name in folders]), strict=True))
    in_array = [name for name in names if _FRAGMENT.match(name)]
    records = [name for name in in_array if name.endswith(".ok")] + inside.get("__commits", [])
    fragments = [f"{path}/__fragments/{name}" for name in inside.get("__fragments", [])]
    if fragments and not records:
        fragments = [name for names in arrays.names(fragments) for name in names]
    return bool(fragments) or any(not name.endswith(".ok") for name in in_array), bool(records)
