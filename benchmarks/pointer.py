"""The tooltip over a crowd of cells, compared with NumPy on coordinates and codes in memory.

``python -m benchmarks.pointer`` writes `pointer.md`: ms of processor time from a request of the page to the response,
median and maximum of 60 positions. The budget is 10 ms for ten million cells. Half of the cells form 30 clusters, the
others are all at one point. The circle around the pointer has a radius of 8 px, in a plot of 800 px that shows all
cells. NumPy tests the coordinates of all cells and counts the categories of those inside, as a tool without an index
must.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sets import SIZES, TYPES
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset

HERE = Path(__file__).parent
PLACES, NUMPY_PLACES = 60, 5
_SHARE_OF_VIEW = 8 / 800


def cells(n: int) -> tuple[MemoryDataset, Any, Any]:
    """Return a dataset, its coordinates, float32 (n, 2), and its codes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, len(TYPES), n).astype(np.int8)
    middles = rng.uniform(-10, 10, (len(TYPES), 2))
    xy = (middles[codes] + rng.standard_normal((n, 2))).astype(np.float32)
    xy[rng.random(n) < 0.5] = middles[0]
    gene = np.where(rng.random(n) < 0.1, rng.random(n), 0).astype(np.float32)[:, None]
    obs = {"type": Codes(codes, TYPES), "number": rng.random(n, dtype=np.float32)}
    return MemoryDataset(obs, gene, ["gene"], {"umap": xy}, sparse=True), xy, codes


def measure(n: int) -> dict[str, list[float]]:
    """Return the ms of each position by coloring, and by NumPy."""
    dataset, xy, codes = cells(n)
    rng = np.random.default_rng(1)
    radius = float(np.ptp(xy[:, 0])) * _SHARE_OF_VIEW
    at = xy[rng.integers(0, n, PLACES)]
    found = {}
    for color in ("type", "number", "gene"):
        session = Session(dataset, Settings(embedding="umap", render="raster", color=color))
        session.prepare_index()
        requests = [p.Hover(x, y, radius, radius) for x, y in at.tolist()]
        found[color] = timed([lambda one=one, s=session: list(s.answer(one)) for one in requests])
        session.close()

    def by_numpy(x: float, y: float) -> Any:
        inside = (xy[:, 0] - x) ** 2 + (xy[:, 1] - y) ** 2 <= radius**2
        return np.bincount(codes[inside], minlength=len(TYPES))

    found["NumPy, type"] = timed([lambda x=x, y=y: by_numpy(x, y) for x, y in at[:NUMPY_PLACES].tolist()])
    return found


def timed(acts: list[Callable[[], object]]) -> list[float]:
    """Return the ms of processor time of each; the first runs once before as a warm-up."""
    acts[0]()
    taken = []
    for act in acts:
        began = time.process_time()
        act()
        taken.append(1e3 * (time.process_time() - began))
    return taken


def write(measured: dict[int, dict[str, list[float]]]) -> str:
    """Return the table as Markdown."""
    heads = [f"{n:,} cells, {what}" for n in measured for what in ("median", "maximum")]
    lines = [f"| colored by | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    for row in next(iter(measured.values())):
        ms = [value for found in measured.values() for value in (statistics.median(found[row]), max(found[row]))]
        lines.append(f"| {row} | {' | '.join(f'{one:,.1f}' for one in ms)} |")
    return "\n".join(["# Cells under the pointer", "", __doc__.partition("\n\n")[2].strip(), "", *lines, ""])


def main() -> None:
    """Measure and write."""
    (HERE / "pointer.md").write_text(write({n: measure(n) for n in SIZES}), encoding="utf-8")


if __name__ == "__main__":
    main()
