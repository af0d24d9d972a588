"""``python -m benchmarks.spatial --cells 10000000``: the spatial index against NumPy over all points."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial import IndexStore, SpatialIndex, index_key
from cxg_widget.spatial.polygon import in_polygon

CORNERS = 300
SHARES = (0.01, 0.1, 0.5)
REPEATS = 5


@dataclass(frozen=True)
class Line:
    """One measure: the median in ms, the same by NumPy over all points (None: not possible)."""

    title: str
    ours_ms: float
    numpy_ms: float | None = None


def embedding(cells: int, seed: int = 0) -> NDArray[np.float32]:
    """Return clusters of different size and density in random order, as in a UMAP: float32 (cells, 2)."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-12, 12, size=(30, 2))
    spreads = rng.uniform(0.3, 1.5, size=(30, 2))
    chosen = rng.choice(30, size=cells, p=rng.dirichlet(np.ones(30)))
    xy = rng.standard_normal((cells, 2), dtype=np.float32)
    xy *= spreads.astype(np.float32)[chosen]
    xy += centres.astype(np.float32)[chosen]
    return xy


def lasso(xy: NDArray[np.float32], share: float) -> NDArray[np.float64]:
    """Return a line around a share of the points, as if drawn by hand: float64 (300, 2)."""
    sample = xy[:: max(len(xy) // 200_000, 1)]
    angle = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    wobble = 1 + 0.08 * np.sin(5 * angle) + 0.03 * np.sin(23 * angle)
    outline = np.column_stack([np.cos(angle), np.sin(angle)]) * wobble[:, None]
    middle = np.median(sample, axis=0).astype(np.float64)
    low, high = 0.0, 60.0
    for _ in range(30):
        radius = (low + high) / 2
        low, high = (low, radius) if in_polygon(sample, middle + radius * outline).mean() > share else (radius, high)
    return middle + high * outline


def measure(cells: int, folder: Path) -> Iterator[Line]:
    """Yield all measures on an embedding of this number of cells."""
    xy = embedding(cells)
    yield Line("build", _timed(lambda: SpatialIndex.build(xy), 3))
    index = SpatialIndex.build(xy)
    store, key = IndexStore(folder), index_key("benchmark", cells, "X_umap", (0, 1))
    yield Line("save", _timed(lambda: store.save(key, index), 1))
    yield Line("reload", _timed(lambda: store.load(key, xy), REPEATS))
    index = store.load(key, xy) or index
    for share in SHARES:
        yield _lasso_line(f"lasso of {share:.0%}", xy, index, lasso(xy, share))
    for share in (*SHARES, 1.0):
        yield from _view_lines(f"view of {share:.0%}", xy, index, _view(xy, share) if share < 1 else index.extent)
    yield from _picks(xy, index)


def _view(xy: NDArray[np.float32], share: float) -> tuple[float, ...]:
    low, high = (
        np.quantile(xy[:: max(len(xy) // 100_000, 1)], 0.5 + side * share**0.5 / 2, axis=0) for side in (-1, 1)
    )
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def _lasso_line(title: str, xy: NDArray[np.float32], index: SpatialIndex, polygon: NDArray[np.float64]) -> Line:
    return _against(title, lambda: index.polygon_mask(polygon), lambda: in_polygon(xy, polygon), np.array_equal)


def _view_lines(title: str, xy: NDArray[np.float32], index: SpatialIndex, view: Sequence[float]) -> Iterator[Line]:
    yield _against(f"count a {title}", lambda: index.count(view), lambda: int(np.count_nonzero(_inside(xy, view))))
    runs = index.runs(view)
    excess = int(runs.sizes.sum()) / max(index.count(view), 1) - 1
    yield Line(f"runs of a {title}: {len(runs):,}, {excess:.1%} too much", _timed(lambda: index.runs(view), REPEATS))


def _picks(xy: NDArray[np.float32], index: SpatialIndex) -> Iterator[Line]:
    x0, x1, _, _ = index.extent
    radius = (x1 - x0) / 100
    spots = [tuple(map(float, spot)) for spot in xy[:: max(len(xy) // 20, 1)] + np.float32(radius / 9)]
    plain = [_timed(lambda x=x, y=y: _nearest(xy, x, y), 1) for x, y in spots[:3]]
    for title, allowed in (("nearest cell", None), ("nearest of one cell in 100,003", lambda at: at % 100_003 == 0)):
        ours = [_timed(lambda x=x, y=y, by=allowed: index.nearest(x, y, radius, by), 3) for x, y in spots]
        yield Line(f"{title}, slowest of {len(spots)}", max(ours), None if allowed else max(plain))


def _inside(xy: NDArray[np.float32], view: Sequence[float]) -> NDArray[np.bool_]:
    x0, x1, y0, y1 = (np.float64(v) for v in view)
    inside: NDArray[np.bool_] = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)
    return inside


def _nearest(xy: NDArray[np.float32], x: float, y: float) -> int:
    return int(np.argmin(np.hypot(xy[:, 0] - x, xy[:, 1] - y)))


def _against(
    title: str,
    ours: Callable[[], Any],
    plain: Callable[[], Any],
    same: Callable[[Any, Any], bool] = lambda a, b: a == b,
) -> Line:
    if not same(ours(), plain()):
        raise AssertionError(f"{title}: the index and NumPy differ")
    return Line(title, _timed(ours, REPEATS), _timed(plain, 3))


def _timed(act: Callable[[], Any], repeats: int) -> float:
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        act()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def memory(cells: int) -> dict[str, float]:
    """Return bytes per cell in addition to the embedding: peak of the build, later, and with `places`."""
    xy = embedding(cells)
    tracemalloc.start()
    index = SpatialIndex.build(xy)
    kept, peak = tracemalloc.get_traced_memory()
    size = index.places.size
    found = {"peak of the build": peak, "index": kept, "index and places": tracemalloc.get_traced_memory()[0]}
    tracemalloc.stop()
    return {title: value / size for title, value in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spatial", description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000_000)
    cells = parser.parse_args(arguments).cells
    print(f"{cells:,} cells, {os.cpu_count()} cores\n\n| | index, ms | NumPy, ms |\n| --- | --: | --: |")
    with tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder:
        for line in measure(cells, Path(folder)):
            plain = "" if line.numpy_ms is None else f"{line.numpy_ms:,.1f}"
            print(f"| {line.title} | {line.ours_ms:,.2f} | {plain} |", flush=True)
    print()
    for title, size in memory(cells).items():
        print(f"- {title}: {size:.1f} bytes a cell")


if __name__ == "__main__":
    main()
