"""First points and first image of many cells in JupyterLab, in fresh kernels and pages, by both engines.

``python -m benchmarks.opening --sizes 5m 10m`` measures cxg-widget and the floor in turns, with and without a saved
index of the file, and writes the section in `large.md`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from benchmarks import browser, contenders, data, large, machine
from benchmarks.browser import Measures
from benchmarks.contenders import Contender
from benchmarks.data import HERE, RAW, Store
from tools.lab import JupyterLab, launch_browser

SIZES = ("5m", "10m")
ROUNDS = 3
PAUSE_MS = 8_000
"""Longest pause between pictures: nothing is drawn while datashader is imported and compiles."""
BY_DATASHADER = ", by datashader"
SEEN = {"without a saved index": False, "with a saved index": True}


def contending(store: Store) -> Iterator[tuple[str, bool, Contender]]:
    """Yield the runs: title, whether the index is stored, what to run."""
    yield "floor", True, contenders.floor(store)
    ours = contenders.cxg_widget(store)
    others = replace(ours, show=ours.show.replace(", color=", ", aggregator='datashader', color="))
    for title, is_kept in SEEN.items():
        yield title, is_kept, ours
        yield title + BY_DATASHADER, is_kept, others


def measure_all(lab: JupyterLab, chromium: Browser, store: Store, cache: Path) -> dict[str, Measures]:
    """Return title -> measure -> one value per round."""
    found: dict[str, Measures] = {}
    for at in range(ROUNDS):
        for title, is_kept, contender in contending(store):
            if not is_kept:
                shutil.rmtree(cache, ignore_errors=True)
            with browser.staged(lab, chromium, store, contender) as stage:
                measured = stage.first_picture(PAUSE_MS)
            for measure, values in measured.items():
                found.setdefault(title, {}).setdefault(measure, []).extend(values)
            took = measured["complete picture, ms"][0]
            print(f"  {store.path.stem} round {at + 1}: {title}, {took:,.0f} ms", flush=True)
    return found


def save(stores: Sequence[Store]) -> None:
    """Measure, store the results, and rewrite the section."""
    with tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder:
        cache = Path(folder) / "cache"
        environment = {"PYTHONPATH": str(HERE.parent), "CXG_WIDGET_CACHE_DIR": str(cache)}
        with JupyterLab(folder, env=environment) as lab, launch_browser() as chromium:
            found: dict[str, Any] = {"facts": machine.facts() | machine.browser_facts(chromium), "stores": {}}
            for store in stores:
                found["stores"][f"{store.n_obs:,} cells"] = measure_all(lab, chromium, store, cache)
    (RAW / "opening.json").write_text(json.dumps(found))
    large.write()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.opening", description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=SIZES, choices=list(data.SHAPES))
    save([data.open_store(size) for size in parser.parse_args(arguments).sizes])


if __name__ == "__main__":
    main()
