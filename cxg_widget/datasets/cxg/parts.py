"""Which parts of a CXG can be used: its embeddings, arrays that are lost, rows that were never written."""

from __future__ import annotations

from collections.abc import Mapping

from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore


def find_embeddings(arrays: Arrays, members: Mapping[str, str], n_obs: int) -> tuple[dict[str, int], dict[str, str]]:
    """Return the number of axes of each usable embedding, and a sentence for each other one.

    members : what lies under emb/, name to kind
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
    """Return which folders stand where arrays do and are none: TileDB does not list what lost its schema."""
    root, emb = arrays.names(["", "emb"])
    lost = [name for name in root if name == "cxg_group_metadata" and name not in children]
    return [*lost, *(f"emb/{name}" for name in emb if not name.startswith(("_", ".")) and name not in members)]


def check_written(arrays: Arrays, path: str, n_rows: int) -> None:
    """Refuse a table that declares rows which were never written: arrays of them all may be of any size."""
    written = arrays.n_written(path)
    if written is not None and written < n_rows:
        declared = f"{path} declares {n_rows:,} rows, but {written:,} were written"
        raise DamagedStore(f"{arrays.uri}: {declared}; its files are missing or damaged.")
