"""Compares both engines that sum images, in fresh and in warm kernels, with datashader alone.

``python -m benchmarks.engines --sizes 5m 10m`` measures each contender in a separate process, and writes `engines.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import data, machine
from benchmarks.data import CLUSTERS, HERE

SIZE_PX = (800, 600)
REPEATS = 5
CONTENDERS = {"auto": "compiled loops", "datashader": "by datashader", "plain": "datashader alone"}
COLORS = {"count": None, "clusters": f"obs:{CLUSTERS}", "mean": "obs:n_counts"}
STATISTICS = {"maximum": "max", "standard deviation": "std"}
Measures = dict[str, float]


def measure_ours(path: str, aggregator: str) -> Measures:
    """Open a store, show the first points and the first image of clusters; then images of all cells, ms."""
    began = time.perf_counter()
    from cxg_widget import open_dataset
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.session import Session
    from cxg_widget.wire import protocol

    settings = Settings(embedding="umap", color=COLORS["clusters"], aggregator=aggregator)
    session = Session(open_dataset(path), settings)
    for stream in (session.streams.points(), session.streams.color()):
        list(stream)
    found = {"first points": _since(began)}
    extent = list(session.held.place().extent)

    def image() -> None:
        list(session.answer(protocol.Aggregate(extent, *SIZE_PX, 1.0, -1, False)))

    image()
    found["first image"] = _since(began)
    for kind, color in COLORS.items():
        session.settings = Settings(embedding="umap", color=color, aggregator=aggregator, render="raster")
        found[f"later, {kind}"] = _median(image)
    for title, statistic in STATISTICS.items():
        session.settings = Settings(
            embedding="umap", color=COLORS["mean"], statistic=statistic, aggregator=aggregator, render="raster"
        )
        found[f"later, {title}"] = _median(image)
    return found


def measure_plain(path: str, _: str) -> Measures:
    """Read with tiledb, reduce and shade with datashader, all cells in one DataFrame, without a PNG, ms."""
    began = time.perf_counter()
    import datashader as ds
    import pandas as pd
    from datashader import transfer_functions as tf

    from cxg_widget.color.palettes import default_palette

    xy = data.read_xy(Path(path))
    codes, labels = data.read_codes(Path(path), CLUSTERS)
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], "clusters": pd.Categorical.from_codes(codes, labels)})
    frame["n_counts"] = data.read_numbers(Path(path), "n_counts")
    ends = {axis: (float(frame[axis].min()), float(frame[axis].max())) for axis in "xy"}
    canvas = ds.Canvas(*SIZE_PX, x_range=ends["x"], y_range=ends["y"])
    reductions = {
        "count": ds.count(), "clusters": ds.by("clusters", ds.count()), "mean": ds.mean("n_counts"),
        "maximum": ds.max("n_counts"), "standard deviation": ds.std("n_counts"),
    }  # fmt: skip

    def image(kind: str) -> None:
        tf.shade(canvas.points(frame, "x", "y", reductions[kind]), color_key=default_palette(len(labels)))

    image("clusters")
    found = {"first image": _since(began)}
    return found | {f"later, {kind}": _median(lambda kind=kind: image(kind)) for kind in reductions}  # type: ignore[misc]


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _median(act: Callable[[], None]) -> float:
    act()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        act()
        taken.append(_since(began))
    return statistics.median(taken)


def measure_all(path: Path, repeats: int = 3) -> dict[str, Measures]:
    """Return contender -> measure -> median ms, each repetition in a separate process, in turns."""
    found: dict[str, list[Measures]] = {}
    for _ in range(repeats):
        for contender in CONTENDERS:
            with tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder:
                found.setdefault(contender, []).append(_once(path, contender, folder))
    return {
        contender: {title: statistics.median(one[title] for one in measured) for title in measured[0]}
        for contender, measured in found.items()
    }


def _once(path: Path, contender: str, folder: str) -> Measures:
    command = [sys.executable, "-m", "benchmarks.engines", "--measure", contender, str(path)]
    environment = os.environ | {"CXG_WIDGET_CACHE_DIR": folder}
    done = subprocess.run(command, cwd=HERE.parent, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    measured: Measures = json.loads(done.stdout)
    return measured


def write(measured: dict[str, dict[str, Measures]]) -> str:
    """Return the page, Markdown."""
    parts = ["# Engines for images of many cells", "", "Written by `python -m benchmarks.engines`; do not edit.", ""]
    parts += [f"- {title}: {text}" for title, text in machine.facts().items()]
    for store, found in measured.items():
        parts += ["", f"## {store}", "", f"| ms | {' | '.join(CONTENDERS.values())} | loops / datashader alone |"]
        parts.append("| --- | --: | --: | --: | --: |")
        for title in found["auto"]:
            cells = [found[contender].get(title) for contender in CONTENDERS]
            ours, plain = cells[0], cells[-1]
            ratio = f"{ours / plain:.2f}" if ours is not None and plain is not None else "-"
            texts = ["-" if cell is None else f"{cell:,.0f}" for cell in cells]
            parts.append(f"| {title} | {' | '.join(texts)} | {ratio} |")
    note = (
        "Images are 800 x 600. Those of cxg-widget include the PNG, and the session makes them as for a request of the "
        "front-end, from a store without a saved index. First points and first image count from the start of the "
        "process, including imports and compilation; numba caches the loops on disk, while datashader compiles in each "
        "process. Mean, maximum and standard deviation are those of one number per cell. datashader computes the "
        "standard deviation in every column."
    )
    return "\n".join([*parts, "", note, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["5m", "10m"], choices=list(data.SHAPES))
    parser.add_argument("--measure", nargs=2, metavar=("CONTENDER", "PATH"), help=argparse.SUPPRESS)
    wanted = parser.parse_args(arguments)
    if wanted.measure:
        contender, path = wanted.measure
        measure: Any = measure_plain if contender == "plain" else measure_ours
        print(json.dumps(measure(path, contender)))
        return
    stores = [data.open_store(size) for size in wanted.sizes]
    page = write({f"{store.n_obs:,} cells": measure_all(store.path) for store in stores})
    (HERE / "engines.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
