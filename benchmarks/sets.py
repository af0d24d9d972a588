"""Algebra of two sets of cells and a rule of three nodes, compared with NumPy on masks and columns in memory.

``python -m benchmarks.sets`` writes `sets.md`: ms of processor time, the median of 15 calls. The columns of the rule
are already read. The last row moves the range of a filter, which is one undo step, in a widget with ten sets of rows
and without a page; NumPy has no counterpart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cxg_widget import CxgWidget
from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets.base.values import Codes
from cxg_widget.rules.rule import mask_of
from cxg_widget.selection.cell_set import CellSet
from tests.memory import MemoryDataset

HERE = Path(__file__).parent
SIZES = (1_000_000, 10_000_000)
CALLS = 15
TYPES = tuple(f"type {i}" for i in range(30))
RULE = {
    "and": [
        {"obs": "type", "in": ["type 1", "type 5"]},
        {"obs": "number", "range": [0.2, 0.7]},
        {"not": {"obs": "is_doublet", "in": [True]}},
    ]
}


def measure(n: int) -> dict[str, tuple[float, float | None]]:
    """Return the ms of each measure here and by NumPy."""
    rng = np.random.default_rng(0)
    codes, number = rng.integers(0, 30, n).astype(np.int8), rng.random(n, dtype=np.float32)
    flag, one, two = rng.random(n) < 0.1, rng.random(n) < 0.3, rng.random(n) < 0.6
    obs = {"type": Codes(codes, TYPES), "number": number, "is_doublet": flag}
    places = {"umap": rng.standard_normal((n, 2), dtype=np.float32)}
    dataset = MemoryDataset(obs, np.zeros((n, 1), np.float32), ["gene"], places)
    a, b = CellSet(dataset, pack_mask(one)), CellSet(dataset, pack_mask(two))
    found: dict[str, tuple[float, float | None]] = {
        "a \\| b": (timed(lambda: a | b), timed(lambda: one | two)),
        "a & b": (timed(lambda: a & b), timed(lambda: one & two)),
        "a - b": (timed(lambda: a - b), timed(lambda: one & ~two)),
        "~a": (timed(lambda: ~a), timed(lambda: ~one)),
        "len(a)": (timed(lambda: len(a)), timed(lambda: np.count_nonzero(one))),
        "a rule of three nodes": (
            timed(lambda: mask_of(RULE, dataset)),
            timed(lambda: np.isin(codes, [1, 5]) & (number >= 0.2) & (number <= 0.7) & ~flag),
        ),
    }
    widget = CxgWidget(dataset)
    for i in range(10):
        widget.sets[f"set {i}"] = rng.random(n) < 0.3
    ends = iter(np.linspace(0, 0.5, CALLS + 1))
    found["move a filter, with ten sets"] = timed(lambda: widget.filters.update(number=(float(next(ends)), None))), None
    widget.close()
    return found


def timed(act: Callable[[], object]) -> float:
    """Return ms of processor time, the median of some calls; the first is left out."""
    taken = []
    for _ in range(CALLS + 1):
        began = time.process_time()
        act()
        taken.append(1e3 * (time.process_time() - began))
    return statistics.median(taken[1:])


def write(measured: dict[int, dict[str, tuple[float, float | None]]]) -> str:
    """Return the table as Markdown."""
    heads = [head for n in measured for head in (f"{n:,} cells", "NumPy")]
    lines = [f"| ms of processor time | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    for row in next(iter(measured.values())):
        cells = [_shown(ms) for found in measured.values() for ms in found[row]]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(["# Sets of cells", "", __doc__.partition("\n\n")[2].strip(), "", *lines, ""])


def _shown(ms: float | None) -> str:
    return "" if ms is None else f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}"


def main() -> None:
    """Measure and write."""
    (HERE / "sets.md").write_text(write({n: measure(n) for n in SIZES}), encoding="utf-8")


if __name__ == "__main__":
    main()
