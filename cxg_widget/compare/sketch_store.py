"""Stores sketches on disk between sessions, in the folder of the spatial indexes; they are evicted before these.

::

    edges    uint32             (n_tiles,)
    sums     float32            (n_tiles, n_genes)
    squares  float32            (n_tiles, n_genes)
    above    uint16 or uint32   (n_tiles, n_genes)
    missing  as above           (n_tiles, n_genes), or nothing
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import numpy as np

from cxg_widget.compare.matrix_statistics import Kind, ValueKind
from cxg_widget.compare.sketch import Sketch
from cxg_widget.compare.sketch_tiles import Tiles
from cxg_widget.compare.sketch_values import ValueOrder
from cxg_widget.spatial.array_file import Parts, file_bytes, read_arrays, write_arrays
from cxg_widget.spatial.array_store import ArrayStore
from cxg_widget.spatial.index import SpatialIndex

VERSION = 1
_MAGIC = b"CXGSKTCH"
_COUNTS = ("<u2", "<u4")


def sketch_key(
    identity: str, n_obs: int, embedding: str | tuple[str, ...], axes: tuple[int, ...], layer: str | None
) -> str:
    """Return the name of a sketch: hexadecimal digits that depend on all parameters and on the file format.

    identity : as for `index_key`
    embedding : or a column, as "obs" or "var", name and layer, without axes
    """
    named = json.dumps([VERSION, identity, int(n_obs), embedding, [int(axis) for axis in axes], layer])
    return sha256(named.encode()).hexdigest()[:40]


class SketchStore(ArrayStore):
    """A folder of sketches."""

    suffix = ".cxgsketch"

    def load(self, key: str, index: SpatialIndex | ValueOrder, n_genes: int) -> tuple[Tiles, Sketch] | None:
        """Return a sketch of the cells of an index or a column, mapped from disk; None if there is none."""
        return self._load(key, lambda path: _read(path, key, index, n_genes))

    def save(self, key: str, tiles: Tiles, sketch: Sketch) -> bool:
        """Store a sketch, and delete old ones to make room; return whether it was stored."""
        counts = sketch.above.dtype.newbyteorder("<").str
        n_genes, has_missing = sketch.sums.shape[1], bool(sketch.missing.size)
        header: dict[str, Any] = {
            **_wanted(key, tiles.index, n_genes),
            "n_tiles": len(tiles),
            "counts": counts,
            "has_missing": has_missing,
            "kind": sketch.kind.kind,
            "reason": sketch.kind.reason,
            "scaled": sketch.kind.scaled,
            "is_normalized": sketch.is_normalized,
        }
        arrays = [tiles.edges.astype("<u4"), sketch.sums, sketch.squares, sketch.above, sketch.missing]
        size = file_bytes(_parts(len(tiles), n_genes, counts, has_missing=has_missing))
        return self._save(key, size, lambda file: write_arrays(file, _MAGIC, header, arrays))


def _read(path: Path, key: str, index: SpatialIndex | ValueOrder, n_genes: int) -> tuple[Tiles, Sketch]:
    def parts_of(header: dict[str, Any]) -> Parts:
        if header["counts"] not in _COUNTS or header["kind"] not in get_args(Kind):
            raise ValueError
        _scaled(header)
        return _parts(int(header["n_tiles"]), n_genes, header["counts"], has_missing=bool(header["has_missing"]))

    wanted = _wanted(key, index, n_genes)
    header, (edges, *arrays) = read_arrays(path, _MAGIC, wanted, "a sketch", parts_of)
    tiles = Tiles(index, edges.astype(np.int64))
    sums, squares, above, missing = (
        one.reshape(len(tiles) if one.size else 0, -1 if one.size else 0) for one in arrays
    )
    kind = ValueKind(header["kind"], str(header["reason"]), _scaled(header))
    return tiles, Sketch(tiles.n_cells, sums, squares, above, missing, kind, bool(header["is_normalized"]))


def _wanted(key: str, index: SpatialIndex | ValueOrder, n_genes: int) -> dict[str, Any]:
    return {"version": VERSION, "key": key, "fingerprint": index.fingerprint, "n_obs": index.n_obs, "n_genes": n_genes}


def _scaled(header: dict[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple((int(start), int(stop)) for start, stop in header["scaled"])


def _parts(n_tiles: int, n_genes: int, counts: str, *, has_missing: bool) -> Parts:
    n = n_tiles * n_genes
    return [("<u4", n_tiles), ("<f4", n), ("<f4", n), (counts, n), (counts, n if has_missing else 0)]
