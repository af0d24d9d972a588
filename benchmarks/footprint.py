"""Cost in the kernel of showing a large store: time, peak memory and memory afterwards, by stage.

``python -m benchmarks.footprint PATH COLUMN GENE`` goes through the stages once and prints JSON.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.data import FIRST_CATEGORY, Store

Stages = dict[str, dict[str, float]]
CORNERS = 300
STARTS = ("first opening", "second opening")
STATUS = Path("/proc/self/status")


def measure_all(store: Store) -> dict[str, Stages]:
    """Run the stages in two fresh processes; the second finds the index of the first on disk.

    Returns nothing if the system does not report the memory of a process.
    """
    if not STATUS.exists():
        return {}
    command = [sys.executable, "-m", "benchmarks.footprint", str(store.path), FIRST_CATEGORY, store.genes[0]]
    found = {}
    with tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder:
        environment = os.environ | {"CXG_WIDGET_CACHE_DIR": folder}
        for start in STARTS:
            done = subprocess.run(
                command,
                cwd=Path(__file__).parent.parent,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            found[start] = json.loads(done.stdout)
    return found


class Kernel:
    """A session that gets requests as from the front-end."""

    def __init__(self, path: str, column: str) -> None:
        from cxg_widget import open_dataset
        from cxg_widget.display.settings import Settings
        from cxg_widget.session.session import Session

        self._session = Session(open_dataset(path), Settings(embedding="umap", color=f"obs:{column}", render="raster"))
        self._session.prepare()
        for stream in (self._session.streams.points(), self._session.streams.color()):
            next(stream)

    def index(self) -> None:
        self._session.prepare_index()

    def image(self) -> None:
        from cxg_widget.wire import protocol

        list(self._session.answer(protocol.Aggregate(list(self._extent), 800, 600, 1.0, -1, False)))

    def color(self, name: str) -> None:
        self._session.settings = replace(self._session.settings, color=name)
        self._session.coloring()
        self.image()

    def lasso(self) -> None:
        from cxg_widget.wire import protocol

        x0, x1, y0, y1 = self._extent
        turns = [k * math.tau / CORNERS for k in range(CORNERS)]
        x, y, across = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 4
        corners = [at for turn in turns for at in (x + across * math.cos(turn), y + across * math.sin(turn))]
        list(self._session.answer(protocol.Lasso(corners, "replace")))

    @property
    def _extent(self) -> tuple[float, float, float, float]:
        return self._session.held.place().extent


def measure(path: str, column: str, gene: str) -> Stages:
    """Return stage -> ms, peak_mb, held_mb and its part mapped_mb, which the system can reclaim.

    Memory is that above the state after the imports.
    """
    import pandas  # noqa: F401

    from cxg_widget import CxgWidget, open_dataset  # noqa: F401
    from cxg_widget.draw.aggregate.warming import compile_loops

    compile_loops()
    start, stages = memory(), {}

    def stage(title: str, act: Callable[..., Any], *arguments: str) -> Any:
        forget_peak()
        began = time.perf_counter()
        made = act(*arguments)
        taken, now = (time.perf_counter() - began) * 1000, memory()
        stages[title] = {
            "ms": taken,
            "peak_mb": now["VmHWM"] - start["VmRSS"],
            "held_mb": now["VmRSS"] - start["VmRSS"],
            "mapped_mb": now["RssFile"] - start["RssFile"],
        }
        return made

    kernel = stage("open, first points sent", Kernel, path, column)
    stage("spatial index", kernel.index)
    stage("first image", kernel.image)
    stage("a gene and its image", kernel.color, f"var:{gene}")
    stage("a lasso", kernel.lasso)
    stage("an image with the selection", kernel.image)
    stage("the category and its image again", kernel.color, f"obs:{column}")
    return stages


def memory() -> dict[str, float]:
    """Return the lines of /proc/self/status that count memory, MB."""
    lines = (line.split() for line in STATUS.read_text().splitlines())
    return {line[0].rstrip(":"): int(line[1]) * 1024 / 1e6 for line in lines if line[-1] == "kB"}


def forget_peak() -> None:
    """Reset VmHWM (Linux, proc(5): clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
