"""Cost of `w.aggregate` over all cells of a store, compared with datashader on a DataFrame in memory.

``python -m benchmarks.exact --size 10m`` prints a table: time (median of some turns after the compilation) and
peak memory, each contender in a fresh process. Ours reads the file in every turn; the DataFrame is read once, which is
a separate line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.data import FIRST_CATEGORY, open_store
from benchmarks.footprint import forget_peak, memory

SIZE = {"width": 800, "height": 600}
TURNS = 5
Found = dict[str, tuple[float, float]]


def reductions(gene: str) -> dict[str, tuple[str, str | None]]:
    """Return the reductions: title -> name, column."""
    return {
        "count": ("count", None),
        "count of each type": ("count", FIRST_CATEGORY),
        "mean of a number": ("mean", "n_counts"),
        "std of a number": ("std", "n_counts"),
        "mean of a gene": ("mean", gene),
    }


def timed(act: Callable[[], Any], turns: int = TURNS) -> tuple[float, float]:
    """Return seconds and the peak memory, MB."""
    taken, start = [], memory()["VmRSS"]
    forget_peak()
    for _ in range(turns):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken), memory()["VmHWM"] - start


def ours(path: str, gene: str) -> Found:
    from cxg_widget import open_dataset
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.session import Session

    def act(name: str, column: str | None) -> None:
        with open_dataset(path, cache_bytes=0) as dataset:
            Session(dataset, Settings(embedding="umap")).aggregate(name, color=column, **SIZE)

    found = {}
    for title, wanted in reductions(gene).items():
        act(*wanted)
        found[title] = timed(lambda wanted=wanted: act(*wanted))
    return found


def plain(path: str, gene: str) -> Found:
    import datashader as ds
    import pandas as pd
    from datashader import reductions as rd

    from cxg_widget import open_dataset

    def read() -> None:
        with open_dataset(path, cache_bytes=0) as dataset:
            xy, codes = dataset.embedding("umap"), dataset.codes(FIRST_CATEGORY)
            columns = {"x": xy[:, 0], "y": xy[:, 1], "n_counts": dataset.numbers("n_counts")}
            frame[gene] = pd.DataFrame(columns | {gene: dataset.values(gene)})
            frame[gene][FIRST_CATEGORY] = pd.Categorical.from_codes(codes.codes, codes.categories)

    frame: dict[str, pd.DataFrame] = {}
    found = {"read all columns": timed(read, turns=1)}
    for title, (name, column) in reductions(gene).items():
        what = rd.by(column, rd.count()) if column == FIRST_CATEGORY else getattr(rd, name)(column)

        def act(what: Any = what) -> None:
            ds.Canvas(800, 600).points(frame[gene], "x", "y", what)

        act()
        found[title] = timed(act)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="10m")
    parser.add_argument("--one", nargs=3, metavar=("WHO", "PATH", "GENE"), help="measure one contender, print JSON")
    chosen = parser.parse_args()
    if chosen.one:
        who, path, gene = chosen.one
        print(json.dumps({"ours": ours, "plain": plain}[who](path, gene)))
        return
    store = open_store(chosen.size)
    tables = {}
    for who in ("ours", "plain"):
        command = [sys.executable, "-m", "benchmarks.exact", "--one", who, str(store.path), store.genes[0]]
        done = subprocess.run(command, cwd=Path(__file__).parent.parent, check=True, stdout=subprocess.PIPE, text=True)
        tables[who] = json.loads(done.stdout)
    print(f"{store.n_obs:,} cells, 800 x 600 px\n")
    print("| | w.aggregate, s | MB | datashader, s | MB |\n| --- | --: | --: | --: | --: |")
    for title in tables["plain"]:
        cells = [f"{value:,.2f} | {mb:,.0f}" for value, mb in (tables[who].get(title, (0, 0)) for who in tables)]
        print(f"| {title} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
