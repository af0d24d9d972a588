"""What a Dask cluster takes for so many cells: bytes a worker, seconds a view, and what they say of a billion.

``python -m benchmarks.cluster --sizes 10m 30m`` starts clusters of one and two workers here, and writes `cluster.md`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil

from benchmarks import data, machine
from benchmarks.data import CLUSTERS, HERE, Store

SIZE_PX = (800, 600)
REPEATS = 5
WORKERS = (1, 2)
BILLION = 1_000_000_000
VIEWS = {"all cells": 1.0, "a hundredth": 0.1}
"""Side of the view, as a share of the whole."""
Measured = dict[str, float]


def measure(store: Store, n_workers: int) -> Measured:
    """Load a store on the workers and draw views of it: seconds, and megabytes that the workers take together."""
    from distributed import Client, LocalCluster

    from cxg_widget import open_dataset
    from cxg_widget.cells.cluster import ClusterCells, Source
    from cxg_widget.display.target import resolve

    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with cluster, Client(cluster) as client:
        pids = list(client.run(_process_id).values())
        before, found = _memory(pids), {}
        began = time.perf_counter()
        field = ClusterCells(client, Source.of(str(store.path)), store.n_obs, "umap")
        found["read and index the cells, s"] = time.perf_counter() - began
        with open_dataset(str(store.path)) as dataset:
            targets = {"count": None, "clusters": resolve(f"obs:{CLUSTERS}", dataset)}
        colors = np.random.default_rng(0).integers(0, 256, (33, 3)).astype(np.uint8)
        x0, x1, y0, y1 = field.extent
        for kind, target in targets.items():
            for title, side in VIEWS.items():
                view = _around((x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) * side, (y1 - y0) * side)
                own = None if target is None else colors[: len(field.summary(target).categories or [])]
                found[f"{kind}, {title}, s"] = _median(
                    lambda view=view, target=target, own=own: field.planes(target, view, SIZE_PX, colors=own)
                )
        found["MB of all workers"] = (_memory(pids) - before) / 1e6
        field.close()
    return found


def _process_id() -> int:
    import os

    return os.getpid()


def _around(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, x + width / 2, y - height / 2, y + height / 2


def _memory(pids: Sequence[int]) -> float:
    return float(sum(psutil.Process(pid).memory_info().rss for pid in pids))


def _median(act: Callable[[], Any]) -> float:
    act()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def fitted(cells: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Return what a measure costs whatever the cells, and what each cell adds: the line of least squares."""
    slope, start = np.polyfit(np.array(cells, dtype=np.float64), values, 1)
    return max(float(start), 0.0), float(slope)


def write(measured: dict[int, dict[int, Measured]]) -> str:
    """Return the page, Markdown. measured : number of cells -> number of workers -> what was found."""
    parts = ["# A Dask cluster", "", "Written by `python -m benchmarks.cluster`; do not edit.", ""]
    parts += [f"- {title}: {text}" for title, text in machine.facts().items()]
    for n_workers in WORKERS:
        found = {cells: by_workers[n_workers] for cells, by_workers in measured.items()}
        sizes = list(found)
        heads = [f"{cells:,} cells" for cells in sizes] + ["a cell adds", "a billion on the same workers"]
        parts += ["", f"## {n_workers} worker{'s' if n_workers > 1 else ''} of one thread", ""]
        parts += [f"|  | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
        for title in found[sizes[0]]:
            values = [found[cells][title] for cells in sizes]
            start, slope = fitted(sizes, values)
            unit = 1e6 if title.startswith("MB") else 1e9
            each = f"{slope * unit:.1f} {'bytes' if unit == 1e6 else 'ns'}"
            texts = [f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values]
            parts.append(f"| {title} | {' | '.join(texts)} | {each} | {start + slope * BILLION:,.1f} |")
    note = (
        "All workers are processes of one machine with two cores, which also runs the scheduler and the client, so a "
        "second worker gains less than one of another machine would. Planes of 800 x 600 pixels are merged and "
        "fetched; no PNG. The last column is the line through the measured sizes."
    )
    return "\n".join([*parts, "", note, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["10m", "30m"], choices=list(data.SHAPES))
    stores = [data.open_store(size) for size in parser.parse_args(arguments).sizes]
    page = write({store.n_obs: {n: measure(store, n) for n in WORKERS} for store in stores})
    (HERE / "cluster.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
