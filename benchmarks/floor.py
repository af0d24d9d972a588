"""The floor: a bare anywidget that only sends and draws bytes that are ready; no widget can be faster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from benchmarks.data import read_codes, read_gene, read_xy

SCRIPT = Path(__file__).with_name("floor.js")
CHUNK_BYTES = 1 << 20
CONTAINER = 65_536
LEVELS = 65_534


class Arrays:
    """The bytes of the floor, in one random order, made before the clock starts."""

    def __init__(self, path: Path, columns: tuple[str, ...], genes: tuple[str, ...]) -> None:
        xy = read_xy(path)
        order = np.random.default_rng(0).permutation(len(xy))
        place = np.empty(len(xy), np.uint32)
        place[order] = np.arange(len(xy), dtype=np.uint32)
        self.xy = quantise(xy)[order]
        self.codes = {name: read_codes(path, name)[0].astype(np.uint8)[order] for name in columns}
        self.genes = {name: sparse_buffers(*read_gene(path, name), place) for name in genes}


def quantise(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Spread each column of values over 0..65534."""
    lo, hi = values.min(axis=0), values.max(axis=0)
    return np.rint((values - lo) / (hi - lo) * LEVELS).astype(np.uint16)


def sparse_buffers(
    rows: NDArray[np.uint32], values: NDArray[np.float32], place: NDArray[np.uint32]
) -> list[NDArray[Any]]:
    """Return counts per container of 65,536 points (uint32), offsets (uint16) and values (uint16) of the non-zeros."""
    at = place[rows]
    order = np.argsort(at)
    at, codes = at[order], np.rint(values[order] / values.max() * LEVELS).astype(np.uint16)
    counts = np.bincount(at // CONTAINER, minlength=-(-len(place) // CONTAINER)).astype(np.uint32)
    return [counts, (at % CONTAINER).astype(np.uint16), codes]


class Floor(anywidget.AnyWidget):
    """Sends positions and the codes of a column when the front-end is ready, then codes or genes on request."""

    _esm = SCRIPT
    n = traitlets.Int().tag(sync=True)
    width = traitlets.Int(800).tag(sync=True)
    height = traitlets.Int(600).tag(sync=True)

    def __init__(self, arrays: Arrays, column: str, **traits: int) -> None:
        self._arrays, self._first = arrays, column
        super().__init__(n=len(arrays.xy), **traits)
        self.on_msg(self._start)

    def show_codes(self, column: str) -> None:
        """Color by a category: one byte per point."""
        self._push("codes", self._arrays.codes[column], is_last=True)

    def show_gene(self, gene: str) -> None:
        """Color by a gene: four bytes per non-zero."""
        self.send({"kind": "gene", "last": True}, [buffer.data for buffer in self._arrays.genes[gene]])

    def _start(self, _: Any, content: Mapping[str, Any], __: Any) -> None:
        if content["kind"] == "ready":
            self._push("xy", self._arrays.xy, is_last=False)
            self.show_codes(self._first)

    def _push(self, kind: str, array: NDArray[Any], *, is_last: bool) -> None:
        raw = array.reshape(-1).view(np.uint8)
        for at in range(0, len(raw), CHUNK_BYTES):
            chunk = raw[at : at + CHUNK_BYTES]
            self.send({"kind": kind, "at": at, "last": is_last and at + len(chunk) == len(raw)}, [chunk.data])
