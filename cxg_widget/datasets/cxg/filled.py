"""Tells an empty matrix from a damaged one: TileDB reads zeros of a sparse array that lost all of its files."""

from __future__ import annotations

import re

from cxg_widget.datasets.cxg.layouts import Layout
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore

_FOLDERS = ("__fragments", "__commits")
_FRAGMENT = re.compile(r"__\d+_\d+_[0-9a-f]{32}")


def never_written(arrays: Arrays, layout: Layout) -> str:
    """Check that the matrix holds values.

    Returns
    -------
    "", or a sentence where neither it nor its twin was ever written, as in stores that carry annotations alone
    """
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
    """Say whether an array has fragments, and whether it has the records that TileDB finds them by.

    Of a write of no cells at all TileDB leaves a fragment's folder with nothing in it, on a disk, and no record. Before
    version 12 of its format both lie next to the schema, and before version 5 there are no records.
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
