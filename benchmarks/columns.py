"""Counts of open columns after each change of a filter, compared with pandas and DuckDB on a table in memory.

``python -m benchmarks.columns`` writes `columns.md`: ms of processor time, the median of seven changes after one that
compiles. A million cells have 30 open columns, ten million have 8: categories, numbers, integers and booleans in turn.
Three columns have a filter, and a fifth of the cells is selected. DuckDB, which embedding-atlas uses to count, runs one
query per column. The kernel prepares a brush at pointer-down. The front-end then computes its frames (elapsed ms, in
Node) for up to two million points. Names and contours are those of the first column.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cxg_widget.cells.landmarks import find_contours, find_names
from cxg_widget.cells.loader import Loader
from cxg_widget.counts.brush import Brush
from cxg_widget.counts.counter import Column, Counter, GroupCodes
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.settings import Settings
from cxg_widget.rules.crossfilter import Crossfilter
from cxg_widget.session.analysis.composition import chosen_of
from tests.memory import MemoryDataset

if TYPE_CHECKING:
    import duckdb

HERE = Path(__file__).parent
OPEN = {1_000_000: 30, 10_000_000: 8}
CHANGES = 7
DRAWN = 22
"""Rows of a list of categories on the screen, or next to it."""
MAX_POINTS = 2_000_000


def dataset_of(n: int, n_columns: int) -> MemoryDataset:
    """Return cells with columns c0, c1, ..."""
    rng = np.random.default_rng(0)
    kinds: list[Callable[[], Any]] = [
        lambda: Codes(rng.integers(-1, 30, n).astype(np.int8), tuple(f"type {i}" for i in range(30))),
        lambda: rng.exponential(10, n).astype(np.float32),
        lambda: rng.integers(0, 5000, n),
        lambda: rng.random(n) < 0.1,
        lambda: Codes(rng.integers(-1, 1000, n).astype(np.int16), tuple(f"cluster {i}" for i in range(1000))),
    ]
    obs = {f"c{i}": kinds[i % len(kinds)]() for i in range(n_columns)}
    centres = rng.uniform(-10, 10, (31, 2)).astype(np.float32)
    places = centres[obs["c0"].codes] + rng.standard_normal((n, 2), dtype=np.float32)
    return MemoryDataset(obs, np.zeros((n, 1), np.float32), ["gene"], {"umap": places})


def timed(act: Callable[[int], object]) -> float:
    """Return ms of processor time, the median of changes 1, 2, ...; the first, 0, compiles."""
    taken = []
    for change in range(CHANGES + 1):
        began = time.process_time()
        act(change)
        taken.append(1e3 * (time.process_time() - began))
    return statistics.median(taken[1:])


def measure(n: int, n_columns: int) -> dict[str, float]:
    """Return ms of each step."""
    dataset = dataset_of(n, n_columns)
    crossfilter = Crossfilter(dataset)
    names: list[Column] = [("obs", name, None) for name in dataset.obs_columns]
    selected = np.random.default_rng(1).random(n) < 0.2
    groups = GroupCodes(
        np.where(dataset.codes("c0").codes < 12, dataset.codes("c0").codes + 1, 13).astype(np.uint8), 14
    )
    everybody = np.zeros(n, dtype=bool)

    def open_one(name: Column) -> float:
        dataset.values_block(name[1], 0, 0)
        return timed(lambda _: Counter(dataset, crossfilter).count(name, [], everybody))

    counter = Counter(dataset, crossfilter)

    def rules_of(change: int) -> list[dict[str, Any]]:
        return [
            {"obs": "c1", "range": [change / 10, 20.0]},
            {"obs": "c2", "range": [100, 4000]},
            {"not": {"obs": "c0", "in": ["type 1"]}},
        ]

    def change(number: int) -> None:
        rules = rules_of(number)
        crossfilter.keep(rules)
        for name in names:
            counter.count(name, rules, selected, lambda: groups, is_kept=True)

    points = np.random.default_rng(2).permutation(n)[:MAX_POINTS]

    def take_brush(number: int) -> None:
        brush = Brush(counter, crossfilter, names[1], rules_of(number))
        for name in (one for one in names if one is not names[1]):
            categories = counter.coded(name).categories
            brush.sums(name, range(min(DRAWN, len(categories))) if categories else [], lambda: groups)
        brush.bins(points, brush.other_rules)

    frame = pd.DataFrame({name: _pandas(dataset, name) for name in dataset.obs_columns})
    bins = {name: np.linspace(0, frame[name].max(), 65) for name in frame if frame[name].dtype.kind in "iuf"}

    def by_pandas(number: int) -> None:
        masks = {
            "c1": frame["c1"].between(number / 10, 20.0),
            "c2": frame["c2"].between(100, 4000),
            "c0": frame["c0"] != "type 1",
        }
        for name in frame:
            others = np.logical_and.reduce([mask for column, mask in masks.items() if column != name])
            for which in (others, selected):
                values = frame[name][which]
                if name in bins:
                    np.histogram(values, bins[name])
                else:
                    values.value_counts()

    import duckdb  # of the extra `bench`, while tests import this module

    with duckdb.connect() as table:
        table.register("frame", frame.assign(chosen=selected))
        table.execute("CREATE TABLE cells AS SELECT * FROM frame")
        by_duckdb = timed(lambda number: _by_duckdb(table, frame, bins, number))

    return {
        "open one column (slowest kind)": max(open_one(name) for name in names[:5]),
        "counts of all columns after a change": timed(change),
        "prepare a brush": timed(take_brush),
        **_frames(n_columns, points.size),
        "counts after a change, by pandas": timed(by_pandas),
        "counts after a change, by DuckDB": by_duckdb,
        **_enriched(counter, names, selected),
        **_landmarks(dataset),
    }


def _enriched(counter: Counter, names: list[Column], selected: Any) -> dict[str, float]:
    """Return the ms of an enrichment test of the selected cells in five columns, of 30, 1,000 and few categories."""
    from scipy.stats import hypergeom

    tallies = [(name, counter.count(name, [], selected, is_kept=True)) for name in names[:5]]
    drawn, held = tallies[0][1].chosen, tallies[0][1].filtered

    def by_scipy() -> float:
        began = time.process_time()
        hypergeom.logsf(drawn - 1, held.sum(), held, drawn.sum())
        return 1e3 * (time.process_time() - began)

    return {
        "enrichment in 5 counted columns": timed(
            lambda _: [chosen_of(counter, name, [], selected, tally).arrays([]) for name, tally in tallies]
        ),
        "enrichment in a column of 30 categories, scipy.stats.hypergeom.logsf": by_scipy(),
    }


def _landmarks(dataset: MemoryDataset) -> dict[str, float]:
    """Return the ms of finding the places of 30 category names, and their contours, of all cells."""
    held = Loader(dataset, 0, lambda _: None).of(Settings(embedding="umap", render="points"))
    return {
        "names of 30 categories": timed(lambda _: find_names(held, "c0", lambda: None)),
        "contours of 30 categories": timed(lambda _: find_contours(held, "c0", lambda: None)),
    }


def _frames(n_columns: int, n_points: int) -> dict[str, float]:
    """Return the front-end's ms for one frame of a brush."""
    script = ["node", str(HERE / "brush_frame.js"), str(n_columns), str(n_points)]
    taken = json.loads(subprocess.run(script, check=True, capture_output=True, text=True).stdout)
    return {"one frame of the brush: counts": taken["counts"], "one frame of the brush: points": taken["points"]}


def _by_duckdb(table: duckdb.DuckDBPyConnection, frame: pd.DataFrame, bins: dict[str, Any], number: int) -> None:
    """Count every column of the table `cells` by one query."""
    rules = {
        "c1": f"c1 BETWEEN {number / 10} AND 20",
        "c2": "c2 BETWEEN 100 AND 4000",
        "c0": "c0 IS DISTINCT FROM 'type 1'",
    }
    for name in frame:
        others = " AND ".join(rule for column, rule in rules.items() if column != name)
        value = f"floor({name} / {bins[name][1]})" if name in bins else name
        counts = f"count(*) FILTER ({others}), count(*) FILTER (chosen)"
        table.execute(f"SELECT {value} AS value, {counts} FROM cells GROUP BY value").fetchall()


def _pandas(dataset: MemoryDataset, name: str) -> Any:
    values = dataset.values_block(name, 0, dataset.n_obs)
    return pd.Categorical.from_codes(values.codes, values.categories) if isinstance(values, Codes) else values


def write(measured: dict[int, dict[str, float]]) -> str:
    """Return the table as Markdown."""
    rows = list(next(iter(measured.values())))
    heads = [f"{n:,} cells, {OPEN[n]} open" for n in measured]
    lines = [f"| ms of processor time | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    lines += [f"| {row} | {' | '.join(f'{_shown(found[row])}' for found in measured.values())} |" for row in rows]
    return "\n".join(["# Counts of open columns", "", __doc__.partition("\n\n")[2].strip(), "", *lines, ""])


def _shown(ms: float) -> str:
    return f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}"


def main() -> None:
    """Measure and write."""
    measured = {n: measure(n, n_columns) for n, n_columns in OPEN.items()}
    (HERE / "columns.md").write_text(write(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
