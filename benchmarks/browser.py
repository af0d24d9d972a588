"""Measurements in a browser: one JupyterLab, one Chromium, a fresh page and kernel for each repetition."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, Page

from benchmarks import contenders
from benchmarks.contenders import Contender
from benchmarks.data import CATEGORIES, Store, polygon_around, read_xy
from tools.lab import JupyterLab, Notebook, new_page, open_notebook, write_notebook

PROBE = (Path(__file__).with_name("probe.js")).read_text()
ZOOM_MS = 2000
QUIET_MS = 700
LONG_QUIET_MS = 2200
"""Time after which everything that belongs to a picture has been sent, such as the notebook's copy."""
_SETTLE = "([ms, longMs]) => cxgProbe.settled(ms, longMs)"
WAIT_S = 120
SETTLE_S = 2.5
"""Time for the startup work of a page that was just opened."""
LASSO_SHARE = 0.1
LASSO_AIMS = 2
LASSO_TURNS = 2
TEXT = "Before the clock starts JupyterLab has loaded what it shows text with, as in any notebook that has some."
Measures = dict[str, list[float]]


def measure_all(lab: JupyterLab, browser: Browser, store: Store, repeats: int) -> dict[str, Measures]:
    """Measure each contender in turn, `repeats` times; return contender -> measure -> one value per repetition."""
    found: dict[str, Measures] = {}
    for repeat in range(repeats):
        for make in contenders.ALL:
            contender = make(store)
            began = time.monotonic()
            for measure, values in _measure_once(lab, browser, store, contender).items():
                found.setdefault(contender.name, {}).setdefault(measure, []).extend(values)
            seconds = time.monotonic() - began
            print(f"  {store.path.stem} round {repeat + 1}: {contender.name} ({seconds:.0f} s)", flush=True)
    return found


def _measure_once(lab: JupyterLab, browser: Browser, store: Store, contender: Contender) -> Measures:
    with staged(lab, browser, store, contender) as stage:
        return stage.measure(contender)


@contextmanager
def staged(lab: JupyterLab, browser: Browser, store: Store, contender: Contender, script: str = "") -> Iterator[Stage]:
    """Open a notebook in a fresh page and kernel, and run the contender's preparation; `script` runs before it."""
    name = f"{contender.name}.ipynb"
    write_notebook(lab.root / name, contender.prepare, contender.show, text=TEXT)
    page = new_page(browser, width=1280, height=1000, init_script=PROBE + script)
    try:
        notebook = open_notebook(page, lab, name)
        notebook.run(0, WAIT_S)
        time.sleep(SETTLE_S)
        store.read_files()
        yield Stage(page, notebook, store)
    finally:
        _shut_down(page)
        page.context.close()


class Stage:
    """A notebook whose second cell shows a contender."""

    def __init__(self, page: Page, notebook: Notebook, store: Store) -> None:
        self.page, self.notebook, self.store = page, notebook, store

    def measure(self, contender: Contender) -> Measures:
        """Measure all actions that all contenders have."""
        found = self.first_picture()
        found |= self.recolors(contender)
        found["kernel memory, MB"] = [float(self.notebook.ask(_MEMORY))]
        found |= self.zoom()
        if contender.lasso:
            found |= self.lasso(contender) | self.frames(contender)
        return found

    def timed(self, code: str) -> float:
        """Return the time of code in the kernel, ms."""
        took: float = json.loads(self.notebook.ask(_TIMED.format(code=code), WAIT_S))
        return took

    def picture(
        self, run: str, argument: Any, quiet_ms: int = QUIET_MS, long_quiet_ms: int = LONG_QUIET_MS
    ) -> dict[str, Any]:
        """Run JavaScript by which the kernel changes something; wait for the picture."""
        argument = [self.notebook.path, self.store.n_obs, argument]
        before = _processor_ms()
        self.page.evaluate(f"([path, n, argument]) => {{ {_FIND}; {run} }}", argument)
        seen: dict[str, Any] = self.page.evaluate(_SETTLE, [quiet_ms, long_quiet_ms])
        seen["processor"] = _processor_ms() - before
        if not isinstance(seen.get("complete"), int | float):
            raise RuntimeError(f"no complete picture in {self.notebook.path}: {seen['log'][-8:]}")
        return seen

    def first_picture(self, long_quiet_ms: int = LONG_QUIET_MS) -> Measures:
        """Show the widget; the probe gets the longest pause before its picture is complete."""
        seen = self.picture(_RUN_CELL, 1, LONG_QUIET_MS, long_quiet_ms)
        self.notebook.widget(1)
        return {
            "first picture, ms": [seen["first"]],
            "complete picture, ms": [seen["complete"]],
            "complete picture, processor ms": [seen["processor"]],
            "bytes received, MB": [seen["bytes"] / 1e6],
            "plot, Mpx": [self._plot_px() / 1e6],
        }

    def recolors(self, contender: Contender) -> Measures:
        found: Measures = {}
        genes = self.store.genes[: len(CATEGORIES)]
        colors = {"category": CATEGORIES, "sparse gene": genes, "dense gene": (self.store.dense_gene,)}
        for what, names in colors.items():
            code = contender.category if what == "category" else contender.gene
            for name in names:
                quiet_ms = LONG_QUIET_MS if name == names[-1] else QUIET_MS
                seen = self.picture(_EXECUTE, code.replace("NAME", name), quiet_ms)
                found.setdefault(f"{what}, ms", []).append(seen["complete"])
            found[f"{what}, processor ms"] = [seen["processor"]]
            found[f"{what}, MB"] = [seen["bytes"] / 1e6]
        return found

    def zoom(self) -> Measures:
        x, y = self._middle()
        seen = self.page.evaluate("([x, y, n, ms]) => cxgProbe.zoom(x, y, n, ms)", [x, y, self.store.n_obs, ZOOM_MS])
        after = self.page.evaluate(_SETTLE, [QUIET_MS, LONG_QUIET_MS])
        presents = seen["presents"] or [seen["caughtUp"]]
        return {
            "zoom frame, ms": [seen["caughtUp"] / len(presents)],
            "zoom interval, ms": [later - earlier for earlier, later in pairwise(presents)],
            "points a zoom frame": [statistics.median(seen["drawn"] or [0])],
            "at rest after, ms": [after["complete"] - seen["last"]],
        }

    def lasso(self, contender: Contender) -> Measures:
        self.notebook.ask(contender.lasso)
        time.sleep(0.5)
        found: Measures = {"lasso to DataFrame, ms": [], "lasso cells": []}
        radius_px = 100.0
        for turn in range(-LASSO_AIMS, LASSO_TURNS):
            released = self._draw_lasso(radius_px)
            at, count = self._seen_after(released)
            if turn < 0:  # all contenders select equally many cells, whatever their view
                radius_px = min(radius_px * (LASSO_SHARE * self.store.n_obs / count) ** 0.3, 240)
            else:
                radius_px *= 0.97  # selecting the same cells again would change nothing
                found["lasso to DataFrame, ms"].append(at - released)
                found["lasso cells"].append(count)
        return found

    def frames(self, contender: Contender) -> Measures:
        self._make_polygon()
        found: Measures = {}
        for turn in ("first", "again"):
            found[f"select polygon {turn}, ms"] = [self.timed(contender.select)]
            for title, code in contender.frames:
                found[f"{title} {turn}, ms"] = [self.timed(f"made = {code}")]
        return found

    def _plot_px(self) -> float:
        return max(width * height for width, height in self.page.evaluate("() => cxgProbe.canvases()"))

    def _middle(self) -> tuple[float, float]:
        """Return the middle of the first plot, px of the page, after moving the pointer there for the wheel."""
        box = self.notebook.widget(1).locator("canvas:visible").first.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x - 5, y - 5)
        self.page.mouse.move(x, y)
        return x, y

    def _draw_lasso(self, radius_px: float) -> float:
        x, y = self._middle()
        mouse = self.page.mouse
        mouse.move(x + radius_px, y)
        mouse.down()
        for step in range(1, 25):
            mouse.move(x + radius_px * cos(step * pi / 12.2), y + radius_px * sin(step * pi / 12.2))
        time.sleep(0.1)
        mouse.up()
        return float(self.page.evaluate("() => cxgProbe.released"))

    def _seen_after(self, released: float) -> tuple[float, int]:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            times = json.loads(self.notebook.ask("import json; print(json.dumps(seen))"))
            after = [(at, count) for at, count in times if at > released and count]
            if after:
                return after[0]
            time.sleep(0.2)
        raise RuntimeError(f"no selection arrived in {self.notebook.path}")

    def _make_polygon(self) -> None:
        polygon = polygon_around(read_xy(self.store.path)).tolist()
        self.notebook.ask(f"import numpy as np\npolygon = np.array({polygon!r})\n{_INSIDE}")


def _processor_ms() -> float:
    """Return the processor time of browser, server and kernels so far, without the driver of the browser."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "node" not in process.name():
                total += sum(process.cpu_times()[:2]) * 1000
    return total


def _shut_down(page: Page) -> None:
    page.evaluate("""async () => {
      for (const one of window.jupyterapp.shell.widgets("main")) await one.sessionContext?.shutdown();
    }""")


_FIND = """const panel = [...window.jupyterapp.shell.widgets("main")].find((one) => one.context?.path === path);
const kernel = panel.sessionContext.session.kernel"""
_RUN_CELL = """panel.content.activeCellIndex = argument; panel.content.deselectAll();
cxgProbe.begin(n, true);
window.jupyterapp.commands.execute("notebook:run-cell")"""
_EXECUTE = """cxgProbe.begin(n, true);
kernel.requestExecute({ code: argument, store_history: false })"""
_MEMORY = "import os, psutil; print(psutil.Process(os.getpid()).memory_info().rss / 1e6)"
_TIMED = """import time
began = time.perf_counter()
{code}
print((time.perf_counter() - began) * 1000)"""
# The peer selects by position and has no test of its own, so it gets matplotlib's.
_INSIDE = """def inside(polygon):
    from matplotlib.path import Path
    return np.flatnonzero(Path(polygon).contains_points(frame[['x', 'y']].to_numpy()))"""
