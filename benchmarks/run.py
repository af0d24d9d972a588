"""``python -m benchmarks.run``: measure, and write `results.md` and `stores.md`."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

from benchmarks import (
    columns,
    compare,
    data,
    figures,
    kernel,
    large,
    machine,
    panels,
    plots,
    pointer,
    report,
    rows,
    sets,
    steps,
)
from benchmarks.data import HERE, RAW, SHAPES, Store
from benchmarks.stores import run as of_stores

KERNEL_REPEATS = 3
BIG = 2_000_000
LARGE = 10_000_000
SMALL = 500_000
SMALL_REPEATS = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line says."""
    wanted = _parse(arguments)
    if wanted.only in (None, "stores"):
        for size in (size for size in wanted.sizes if size in of_stores.SIZES):
            of_stores.measure_size(size)
    alone = {
        "columns": columns.main,
        "compare": lambda: compare.main([]),
        "figures": figures.main,
        "sets": sets.main,
        "steps": steps.main,
        "panels": panels.main,
        "plots": plots.main,
        "pointer": pointer.main,
        "rows": rows.main,
    }
    for measure in [one for name, one in alone.items() if wanted.only in (None, name)]:
        measure()
    if wanted.only in ("stores", *alone):
        return
    stores = {size: data.open_store(size) for size in wanted.sizes}
    # For this number of cells the other contenders need more memory than most machines have.
    all_sent = {size: store for size, store in stores.items() if store.n_obs < LARGE}
    results: dict[str, Any] = {"facts": machine.facts(), "sizes": _kept() if wanted.only else {}}
    for size, store in all_sent.items():
        results["sizes"].setdefault(size, {})["store"] = _describe(store)
        if wanted.only in (None, "kernel"):
            print(f"{size}: without a browser", flush=True)
            repeats = 2 if store.n_obs > BIG else KERNEL_REPEATS
            results["sizes"][size]["kernel"] = kernel.measure_all(store, repeats)
    if all_sent and wanted.only in (None, "browser"):
        _measure_in_browser(all_sent, wanted.repeats, results)
    if wanted.only in (None, "large"):
        for size in (size for size in stores if size in large.SIZES):
            print(f"{size}: as large n", flush=True)
            large.save(size, large.measure_all(stores[size]))
    if wanted.only in (None, "opening"):
        _measure_opening(stores)
    results["large"], results["opening"] = large.load(), large.load_opened()
    results["facts"]["load after"] = f"load average {os.getloadavg()[0]:.1f}; about 2 is expected if nothing else runs"
    (RAW / "results.json").write_text(json.dumps(results))
    (HERE / "results.md").write_text(report.write(results, (HERE / "notes.md").read_text()))
    print(f"wrote {HERE / 'results.md'}")


def _kept() -> dict[str, Any]:
    """Return the measurements of an earlier run here by size, for parts that this run leaves out."""
    try:
        sizes: dict[str, Any] = json.loads((RAW / "results.json").read_text())["sizes"]
    except FileNotFoundError:
        return {}
    return sizes


def _measure_in_browser(stores: dict[str, Store], repeats: int, results: dict[str, Any]) -> None:
    from benchmarks import browser
    from tools.lab import JupyterLab, launch_browser

    with (
        tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder,
        JupyterLab(folder, env={"PYTHONPATH": str(HERE.parent)}) as lab,
        launch_browser() as chromium,
    ):
        results["facts"] |= machine.browser_facts(chromium)
        for size, store in stores.items():
            print(f"{size}: in a browser", flush=True)
            rounds = min(repeats, SMALL_REPEATS) if store.n_obs < SMALL else repeats
            results["sizes"][size]["browser"] = browser.measure_all(lab, chromium, store, rounds)


def _measure_opening(stores: dict[str, Store]) -> None:
    from benchmarks import opening

    wanted = [store for size, store in stores.items() if size in opening.SIZES]
    if wanted:
        opening.save(wanted)


def _describe(store: Store) -> str:
    share = store.shares[store.genes[0]]
    densest = store.shares[store.dense_gene]
    return (
        f"{store.n_obs:,} cells by {store.n_var} genes: {store.genes[0]} is not zero in {share:.1%} of the cells, "
        f"the densest gene in {densest:.0%}"
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "--sizes", type=_sizes, default=["100k", "1m", "10m"], help=f"of {', '.join(SHAPES)}; 100k,1m,10m"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=3,
        help=f"rounds in the browser, at most {SMALL_REPEATS} of a small store; %(default)s",
    )
    parser.add_argument(
        "--only",
        choices=[
            "browser",
            "columns",
            "compare",
            "figures",
            "kernel",
            "large",
            "opening",
            "panels",
            "plots",
            "pointer",
            "rows",
            "sets",
            "steps",
            "stores",
        ],
        help="one part anew; the others stay as they were",
    )
    return parser.parse_args(arguments)


def _sizes(text: str) -> list[str]:
    sizes = text.lower().split(",")
    unknown = [size for size in sizes if size not in SHAPES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no size {unknown[0]!r}; there are {', '.join(SHAPES)}")
    return sizes


if __name__ == "__main__":
    main()
