"""Memory and time of a Dask cluster by number of cells, extrapolated to a billion.

``python -m benchmarks.cluster --sizes 10m 30m 100m`` starts clusters of one and two workers and writes `cluster.md`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import data, footprint, growth, machine
from benchmarks.data import CLUSTERS, HERE, Store

SIZE_PX = (800, 600)
REPEATS = 5
ROUNDS = 3
WORKERS = (1, 2)
BILLION = 1_000_000_000
SHARES = (1, 8, 32)
"""Numbers of workers for a billion cells."""
VIEWS = {"all cells": 1.0, "a hundredth": 0.1}
"""Side of the view, as a share of the whole."""
Measured = dict[str, float]


def measure(store: Store, n_workers: int) -> Measured:
    """Load a store on the workers and draw views of it: return seconds, and megabytes of all workers."""
    from distributed import Client, LocalCluster

    from cxg_widget import open_dataset
    from cxg_widget.cells.all_cells import Shown
    from cxg_widget.cells.cluster import ClusterCells, Source
    from cxg_widget.color.palettes import named_palette
    from cxg_widget.display.color_target import resolve
    from cxg_widget.display.coloring import Coloring
    from cxg_widget.display.settings import Settings

    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with cluster, Client(cluster) as client:
        client.run(footprint.forget_peak)
        before, found = _memory(client, "VmRSS"), {}
        began = time.perf_counter()
        field = ClusterCells(client, Source.of(str(store.path)), store.n_obs, "umap")
        found["read and index all cells, s"] = time.perf_counter() - began
        with open_dataset(str(store.path)) as dataset:
            clusters = field.summary(resolve(f"obs:{CLUSTERS}", dataset))
            nothing = Coloring(resolve(None, dataset))
        settings, mask = Settings(embedding="umap"), np.zeros(store.n_obs, bool)
        colors = named_palette("glasbey", len(clusters.labels))
        looks = {"count": Shown(nothing, [], settings, mask), "clusters": Shown(clusters, colors, settings, mask)}
        x0, x1, y0, y1 = field.extent
        for kind, shown in looks.items():
            for title, side in VIEWS.items():
                view = _around((x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) * side, (y1 - y0) * side)
                found[f"{kind}, {title}, s"] = _median(
                    lambda view=view, shown=shown: field.image(shown, view, SIZE_PX, 1)
                )
        found["MB of all workers"] = _memory(client, "VmRSS") - before
        found["peak MB of all workers"] = _memory(client, "VmHWM") - before
        field.close()
    return found


def _around(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, x + width / 2, y - height / 2, y + height / 2


def _memory(client: Any, which: str) -> float:
    return float(sum(found[which] for found in client.run(footprint.memory).values()))


def _median(act: Callable[[], Any]) -> float:
    act()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def measure_all(stores: Sequence[Store]) -> dict[int, dict[int, Measured]]:
    """Return number of cells -> number of workers -> medians of some rounds, each on new clusters."""
    found: dict[tuple[int, int], list[Measured]] = {}
    for _ in range(ROUNDS):
        for store in stores:
            store.read_files()
            for n_workers in WORKERS:
                print(f"{store.n_obs:,} cells, {n_workers} workers", flush=True)
                found.setdefault((store.n_obs, n_workers), []).append(measure(store, n_workers))
    medians = {
        key: {title: statistics.median(one[title] for one in rounds) for title in rounds[0]}
        for key, rounds in found.items()
    }
    return {store.n_obs: {n: medians[store.n_obs, n] for n in WORKERS} for store in stores}


def write(measured: dict[int, dict[int, Measured]]) -> str:
    """Return the page, Markdown. measured : as `measure_all` returns it, of two numbers of cells or more."""
    parts = ["# A Dask cluster", "", "Written by `python -m benchmarks.cluster`; do not edit.", ""]
    parts += [f"- {title}: {text}" for title, text in machine.facts().items()]
    for n_workers in WORKERS:
        parts += ["", f"## {n_workers} worker{'s' if n_workers > 1 else ''} of one thread", ""]
        parts += _measured({cells: by_workers[n_workers] for cells, by_workers in measured.items()})
    note = (
        "All workers are processes of one machine with two cores, which also runs the scheduler and the client, so a "
        "second worker gains less than one on another machine would. Planes of 800 x 600 pixels are merged and "
        f"fetched, without a PNG. Medians of {ROUNDS} clusters each. The peak lasts for seconds, while a range of rows "
        "is indexed. The increase per cell is computed between neighboring sizes, so that deviations from a line show."
    )
    parts += ["", note, "", "## A billion cells, extrapolated from one worker", ""]
    parts += _billion({cells: by_workers[1] for cells, by_workers in measured.items()})
    return "\n".join([*parts, ""])


def _measured(found: dict[int, Measured]) -> list[str]:
    """Return the table of some workers: each measure by the number of cells, and the increase per cell."""
    sizes = list(found)
    ends = [f"{few // 1_000_000} to {more // 1_000_000} M" for few, more in pairwise(sizes)]
    heads = [f"{cells:,} cells" for cells in sizes] + [f"each cell adds, {end}" for end in ends]
    lines = [f"|  | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    for title in found[sizes[0]]:
        values = [found[cells][title] for cells in sizes]
        texts = [_short(value) for value in values]
        texts += [_each(title, slope) for slope in growth.slopes(sizes, values)]
        lines.append(f"| {title} | {' | '.join(texts)} |")
    return lines


def _billion(found: dict[int, Measured]) -> list[str]:
    """Return the table extrapolated from the line of one worker; each worker has its share of a billion cells."""
    heads = ["each cell adds", *(f"{n} workers, each" if n > 1 else "one worker" for n in SHARES)]
    lines = [f"|  | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    for title in found[min(found)]:
        line = growth.fitted(list(found), [one[title] for one in found.values()])
        texts = [_each(title, line.slope), *(_short(line.at(BILLION / n)) for n in SHARES)]
        lines.append(f"| {title} | {' | '.join(texts)} |")
    return lines


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _each(title: str, slope: float) -> str:
    return f"{slope * 1e6:.1f} bytes" if "MB" in title else f"{slope * 1e9:.2f} ns"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["10m", "30m", "100m"], choices=list(data.SHAPES))
    stores = [data.open_store(size) for size in parser.parse_args(arguments).sizes]
    page = write(measure_all(stores))
    (HERE / "cluster.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
