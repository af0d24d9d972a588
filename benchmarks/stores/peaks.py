"""The map of all peaks of an mzPeak: how soon a view of it is drawn, and how soon all of it."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stores.mzpeak import describe
from cxg_widget.wire import protocol

CHUNKS, POINTS = 100, 50
"""Chunks of a spectrum, and points of a chunk."""
CHUNKS_PER_GROUP = 3_600
DELTA = "MS:1003089"
VIEW = (20.0, 21.0, 500.0, 518.0)
"""Minutes and m/z, of 60 minutes and 200 to 1,200 m/z."""
SIZE = (800, 600)


def write_peaks(path: Path, n_spectra: int = 3_000) -> None:
    """Write spectra of 5,000 points as chunks of differences, 36 spectra to a row group."""
    import pyarrow as pa

    from tests.datasets import make_mzpeak as made

    rng = np.random.default_rng(0)
    mz = np.sort(np.round(rng.uniform(200, 1_200, (n_spectra, CHUNKS * POINTS)), 4), axis=1)
    intensity = rng.lognormal(7, 2, mz.shape).astype(np.float32)
    chunks = mz.reshape(-1, POINTS)
    ends = pa.array(np.arange(len(chunks) + 1) * (POINTS - 1)), pa.array(np.arange(len(chunks) + 1) * POINTS)
    columns = {
        "spectrum_index": pa.array(np.repeat(np.arange(n_spectra, dtype=np.uint64), CHUNKS)),
        "mz_chunk_start": pa.array(chunks[:, 0]),
        "mz_chunk_end": pa.array(chunks[:, -1]),
        "mz_chunk_values": pa.LargeListArray.from_arrays(ends[0], pa.array(np.diff(chunks, axis=1).ravel())),
        "chunk_encoding": pa.array([DELTA] * len(chunks)),
        "intensity": pa.LargeListArray.from_arrays(ends[1], pa.array(intensity.ravel())),
    }
    kinds = ("chunk_start", "chunk_end", "chunk_values", "chunk_encoding")
    names = ("mz_chunk_start", "mz_chunk_end", "mz_chunk_values", "chunk_encoding")
    formats: dict[str, tuple[str, ...]] = {name: ("MS:1000514", kind) for name, kind in zip(names, kinds, strict=True)}
    table = made.with_array_index("chunk", columns, {**formats, "intensity": ("MS:1000515", "chunk_secondary")})
    run = made.Run([], describe(rng, mz, intensity, minutes=60))
    made.make_mzpeak(path, run, data=table, rows_per_group=CHUNKS_PER_GROUP)


class FrontEnd:
    """Asks as the page does: for everything, and for a picture once points and color are described."""

    def __init__(self, path: Path, view: tuple[float, ...] | None) -> None:
        from cxg_widget import CxgWidget

        self._began = time.perf_counter()
        self._is_asked = False
        self._seen: dict[str, Any] = {}
        self._answered = threading.Event()
        self.widget = CxgWidget(path, observations="peaks", view=None if view is None else list(view))
        self.widget._exchange._send = self._take
        self._whole = view is None
        self._view = view
        self.widget._receive(None, {"kind": "ready", "id": 1, "version": protocol.VERSION}, [])

    def _take(self, content: dict[str, Any], buffers: list[Any]) -> None:  # noqa: ARG002
        kind = content["kind"]
        if kind == "error":
            raise RuntimeError(content["message"])
        if kind in ("points", "color"):
            self._seen[kind] = content
        if kind in ("image", "cells"):
            seqs = content["points_seq"], content["seq"]
            if seqs == (self._seen["points"]["seq"], self._seen["color"]["seq"]):
                self._answered.set()
            else:
                self._is_asked = False
        if len(self._seen) == 2 and not self._is_asked:
            self._is_asked = True
            self._ask()

    def _ask(self) -> None:
        view = self._view or self._seen["points"]["extent"]
        question = protocol.Aggregate(list(view), *SIZE, 2.0, -1, False, [], "eq_hist", 0.0)
        self.widget._receive(None, {"kind": "aggregate", "id": 2, **vars(question)}, [])

    def wait(self) -> float:
        """Return after how many seconds the picture was there."""
        if not self._answered.wait(600):
            raise RuntimeError("no picture in ten minutes")
        return time.perf_counter() - self._began


def main(path: Path) -> None:
    """Measure in this process, which has read nothing yet: "view", "whole" or "still" as the second argument says."""
    what = sys.argv[2]
    began = time.perf_counter()
    if what == "still":
        from cxg_widget import CxgWidget

        widget = CxgWidget(path, observations="peaks", view=list(VIEW))
        assert widget._picture.drawn()
        took = time.perf_counter() - began
    else:
        front = FrontEnd(path, VIEW if what == "view" else None)
        took, widget = front.wait(), front.widget
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"{what}: {took:.2f} s, {time.process_time():.2f} s of processor time, {memory} MiB\n")
    sys.stdout.flush()
    widget.close()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
