"""The first page of the sorted table of cells, compared with `sort_values` and `head` of pandas in memory.

``python -m benchmarks.table`` writes `table.md`: ms of processor time, the median of five calls (pandas: one or
three) after one that compiles. The columns are already read; "sort keys, once" computes their sort keys. Half of the
cells pass a filter. "Middle page" is the page in the middle of the table. pandas sorts all rows for any page.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import Codes
from cxg_widget.table.keys import Keys, of_codes, of_numbers, of_text
from cxg_widget.table.order import Ordered

HERE = Path(__file__).parent
SIZES = (1_000_000, 10_000_000)
PAGE = 60
CALLS = 5


def columns_of(n: int) -> dict[str, tuple[Callable[[], Keys], Callable[[], pd.Series[Any]]]]:
    """Return by column the functions that make its keys and a Series."""
    rng = np.random.default_rng(0)
    numbers = rng.exponential(10, n).astype(np.float32)
    gene = np.where(rng.random(n) < 0.9, 0, rng.exponential(2, n)).astype(np.float32)
    codes = Codes(rng.integers(-1, 30, n).astype(np.int8), tuple(f"type {i}" for i in range(30)))
    letters = rng.choice(np.frombuffer(b"ACGT", dtype=np.uint8), n * 16)
    text = PackedStrings(letters, np.arange(n + 1) * 16)
    barcodes = lambda: pd.Series(text.objects(), dtype="str")  # noqa: E731
    return {
        "numbers (float32)": (lambda: of_numbers(numbers), lambda: pd.Series(numbers)),
        "a gene, 90 % zeros": (lambda: of_numbers(gene), lambda: pd.Series(gene)),
        "30 categories": (
            lambda: of_codes(codes),
            lambda: pd.Series(pd.Categorical.from_codes(codes.codes, list(codes.categories))),
        ),
        "barcodes (text)": (lambda: of_text(text), barcodes),
    }


def timed(act: Callable[[], object], calls: int = CALLS) -> float:
    """Return ms of processor time, the median of some calls after a first one."""
    taken = []
    for call in range(calls + 1):
        began = time.process_time()
        act()
        if call:
            taken.append(1e3 * (time.process_time() - began))
    return statistics.median(taken)


def measure(n: int) -> dict[str, list[float]]:
    """Return by column the ms of each step: keys, the first page, the middle page, and pandas."""
    mask = np.random.default_rng(1).random(n) < 0.5
    found = {}
    for name, (make_keys, make_series) in columns_of(n).items():
        keys = make_keys()

        def page(start: float, keys: Keys = keys) -> None:
            ordered = Ordered(keys, mask, n)
            ordered.rows(int(start * ordered.total), PAGE)

        series = make_series()
        calls = 1 if name.startswith("barcodes") else 3

        def by_pandas(series: pd.Series[Any] = series) -> None:
            series[mask].sort_values(kind="stable", na_position="last").head(PAGE)

        steps = [timed(make_keys), timed(lambda: page(0)), timed(lambda: page(0.5)), timed(by_pandas, calls)]
        found[name] = steps
        print(n, name, [round(one) for one in steps], flush=True)
    return found


def write(measured: dict[int, dict[str, list[float]]]) -> str:
    """Return the tables as Markdown."""
    lines = ["# A page of the sorted table", "", (__doc__ or "").partition("\n\n")[2].strip()]
    for n, found in measured.items():
        lines += ["", f"## {n:,} cells", ""]
        lines += ["| ms of processor time | sort keys, once | first page | middle page | pandas, any page |"]
        lines += ["| --- | --: | --: | --: | --: |"]
        lines += [f"| {name} | {' | '.join(f'{one:,.0f}' for one in steps)} |" for name, steps in found.items()]
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write."""
    (HERE / "table.md").write_text(write({n: measure(n) for n in SIZES}), encoding="utf-8")


if __name__ == "__main__":
    main()
