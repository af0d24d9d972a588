"""Six panels compared with one of the same size and with jupyter-scatter's `compose`, and their cost in the kernel.

``python -m benchmarks.panels`` writes `panels.md`. In the browser: JupyterLab and Chromium without a graphics card, a
million cells, a widget 600 px high, each contender in a fresh page and kernel. A frame is complete when all panels show
it. The floor is the bare widget of `floor.py`, which has only one plot. In the kernel: ten million cells as images. One
move redraws all panels, of a split into six parts or of a grid of six colors. The other rows are their memory.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contenders, data
from benchmarks.contenders import HEIGHT_PX, Contender
from benchmarks.data import FIRST_CATEGORY, HERE, Store

N_PANELS = 6
N_CELLS = 10_000_000
MOVES = 5
SIZE_PX = (300, 280)
SMALL_PLOTS = "globalThis.cxgBigCanvas = 20000;"
"""Size in px from which canvases in memory count: one of six plots is as small as the legends of other widgets."""
BY_GRAPHICS = "globalThis.__CXG_DRAWN_BY__ = 'gpu';"
"""Chromium emulates the graphics card, as for the peer."""


def colors(store: Store) -> list[str]:
    """Return the colors of the panels: a gene (also that of the single plot), a category, and more genes."""
    return [store.genes[0], FIRST_CATEGORY, *store.genes[1 : N_PANELS - 2], store.dense_gene]


def ours(store: Store, n: int) -> Contender:
    """Return one plot, or a grid of panels."""
    base = contenders.cxg_widget(store)
    grid = f"w.grid({colors(store)[:n]!r})\n" if n > 1 else ""
    show = base.show.replace(repr(FIRST_CATEGORY), repr(colors(store)[0])).removesuffix("w")
    return replace(base, name=f"cxg-widget-{n}", show=show + grid + "w")


def peers(store: Store, n: int) -> Contender:
    """Return one scatter plot, or several composed, with one view."""
    base = contenders.jupyter_scatter(store)
    rows, high = (1, HEIGHT_PX) if n == 1 else (2, HEIGHT_PX // 2)
    show = f"""all = [jscatter.Scatter(data=frame, x='x', y='y', color_by=one, size=2, height={high})
       for one in {colors(store)[:n]!r}]
jscatter.compose(all, sync_view=True, rows={rows}, row_height={high})"""
    return replace(base, name=f"jupyter-scatter-{n}", show=show)


def in_browser(repeats: int) -> dict[str, dict[str, float]]:
    """Return contender -> measure -> median, of a million cells."""
    from benchmarks.browser import LONG_QUIET_MS, ZOOM_MS, staged
    from tools.lab import JupyterLab, launch_browser

    store = data.open_store("1m")
    wanted: list[tuple[str, Contender, str]] = [("floor", contenders.floor(store), SMALL_PLOTS)]
    for n in (1, N_PANELS):
        wanted.append((f"cxg-widget, {n}", ours(store, n), SMALL_PLOTS))
        wanted.append((f"cxg-widget by WebGL, {n}", ours(store, n), SMALL_PLOTS + BY_GRAPHICS))
        wanted.append((f"jupyter-scatter, {n}", peers(store, n), SMALL_PLOTS))
    found: dict[str, dict[str, list[float]]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder,
        JupyterLab(folder, env={"PYTHONPATH": str(HERE.parent)}) as lab,
        launch_browser() as chromium,
    ):
        for _ in range(repeats):
            for name, contender, script in wanted:
                with staged(lab, chromium, store, contender, script) as stage:
                    first = stage.first_picture(LONG_QUIET_MS)
                    x, y = stage._middle()
                    seen = stage.page.evaluate(
                        "([x, y, n, ms]) => cxgProbe.zoom(x, y, n, ms)", [x, y, store.n_obs, ZOOM_MS]
                    )
                values = {
                    "frame time while zooming, ms": seen["caughtUp"] / max(seen["frames"] or 1, 1),
                    **{measure: one[0] for measure, one in first.items()},
                }
                print(name, {measure: round(one, 1) for measure, one in values.items()}, flush=True)
                for measure, one in values.items():
                    found.setdefault(name, {}).setdefault(measure, []).append(one)
    return {name: {measure: statistics.median(one) for measure, one in of.items()} for name, of in found.items()}


def in_kernel(n: int = N_CELLS) -> dict[str, float]:
    """Return the ms of a move, and the bytes per cell of a panel, for images of n cells."""
    from cxg_widget import CxgWidget
    from cxg_widget.datasets.base.values import Codes
    from cxg_widget.wire import protocol as p
    from tests.memory import MemoryDataset

    rng = np.random.default_rng(0)
    parts = tuple(f"part {i}" for i in range(N_PANELS))
    obs: dict[str, Any] = {
        "type": Codes(rng.integers(0, 30, n).astype(np.int8), tuple(f"type {i}" for i in range(30))),
        "part": Codes(rng.integers(0, N_PANELS, n).astype(np.int8), parts),
    }
    obs |= {f"number {i}": rng.random(n, dtype=np.float32) for i in range(N_PANELS)}
    places = {"umap": rng.standard_normal((n, 2), dtype=np.float32)}
    widget = CxgWidget(
        MemoryDataset(obs, np.zeros((n, 1), np.float32), ["gene"], places), color="type", render="raster"
    )
    session = widget._session

    def move(panels: list[int], width: float) -> None:
        for panel in panels:
            view = [-4 * width, 4 * width, -4 * width, 4 * width]
            ask = p.Aggregate(
                panel=panel, view=view, width=SIZE_PX[0], height=SIZE_PX[1], diameter=2.0, highlighted=-1, dark=False
            )
            for _ in session.answer(ask):
                pass

    found = {"one plot": _timed(lambda width: move([0], width))}
    widget.split("part")
    found["a split of six parts"] = _timed(lambda width: move([one["id"] for one in widget.panels.looks], width))
    cells = session.loader.memo.in_slot("indexed")
    bits = cells._parts.used_bytes  # with the code that counts them
    masks = sum(mask.nbytes for mask in session.loader.crossfilter.masks.values())
    found["bytes per cell for each part"] = (bits + masks) / n / N_PANELS
    widget.grid(["type", *(f"number {i}" for i in range(N_PANELS - 1))])
    numbers = [0, *(one["id"] for one in widget.panels.looks if len(one) > 1)]
    found["a grid of six colors"] = _timed(lambda width: move(numbers, width))
    held = [one.nbytes for one in session.loader.memo._made["coloring"].values()]
    found["bytes per cell for each color, at most"] = max(held) / n
    widget.close()
    return found


def _timed(move: Callable[[float], None]) -> float:
    move(1.0)
    taken = []
    for width in np.linspace(0.6, 0.9, MOVES):
        began = time.process_time()
        move(float(width))
        taken.append(1000 * (time.process_time() - began))
    return statistics.median(taken)


def write(browser: dict[str, dict[str, float]], kernel: dict[str, float]) -> str:
    """Return the measurements as Markdown."""
    lines = ["# Panels side by side", "", *(__doc__ or "").splitlines()[2:], ""]
    lines += ["| 1,000,000 cells in the browser | one plot | six panels | six / one | aim | x floor's one plot |"]
    lines += ["| --- | --: | --: | --: | --: | --: |"]
    measures = [one for one in browser["floor"] if one in browser["cxg-widget, 1"]]
    for measure in measures:
        for who in ("cxg-widget", "cxg-widget by WebGL", "jupyter-scatter"):
            one, six = (browser[f"{who}, {n}"][measure] for n in (1, N_PANELS))
            is_aimed = who != "jupyter-scatter" and "frame" in measure
            aim = f"<= 1.5: {'yes' if six <= 1.5 * one else 'no'}" if is_aimed else ""
            floor = six / browser["floor"][measure]
            lines.append(f"| {who}: {measure} | {one:,.1f} | {six:,.1f} | {six / one:.2f} | {aim} | {floor:.2f} |")
    lines += ["", "| 10,000,000 cells in the kernel, images of all panels | |", "| --- | --: |"]
    for name, one in kernel.items():
        unit = "" if "bytes" in name else "one move, ms of processor time: "
        lines.append(f"| {unit}{name} | {one:,.2f} |")
    return "\n".join(lines) + "\n"


def main(repeats: int = 3) -> None:
    """Measure and write."""
    kernel = in_kernel()
    (Path(HERE) / "panels.md").write_text(write(in_browser(repeats), kernel), encoding="utf-8")


if __name__ == "__main__":
    main()
