"""A hundred undo steps, compared with the least that NumPy needs to store the selections.

``python -m benchmarks.steps`` writes `steps.md`: mean ms of processor time, in a widget without a page. The steps
alternate between a color, the range of a filter, a selection of a tenth of the cells, and opacity with a colormap. The
history has at most 100 steps and 64 MB. The floor packs each selection to bits and unpacks it again. No other notebook
widget compared here has undo; CELLxGENE Explorer has fifty steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.data import HERE
from cxg_widget import CxgWidget
from cxg_widget.datasets.base.values import Codes
from cxg_widget.widget.history import MOST_STEPS
from tests.memory import MemoryDataset

SIZES = (1_000_000, 10_000_000)
TYPES = tuple(f"type {i}" for i in range(30))


def measure(n: int) -> dict[str, float]:
    """Return the measurements for n cells."""
    rng = np.random.default_rng(0)
    obs = {"type": Codes(rng.integers(0, 30, n).astype(np.int8), TYPES), "number": rng.random(n, dtype=np.float32)}
    places = {"umap": rng.standard_normal((n, 2), dtype=np.float32)}
    widget = CxgWidget(MemoryDataset(obs, np.zeros((n, 1), np.float32), ["gene"], places), color="type")
    masks = [rng.random(n) < 0.1 for _ in range(4)]

    def step(i: int) -> None:
        if i % 4 == 0:
            widget.color = "number" if widget.color == "type" else "type"
        elif i % 4 == 1:
            widget.filters["number"] = (i / 200, None)
        elif i % 4 == 2:
            widget.select(masks[i // 4 % 4])
        else:
            widget.opacity, widget.cmap = 1.0, ("magma" if i % 8 == 3 else "viridis")

    found = {"a step": _each(step, MOST_STEPS)}
    history = widget._history
    found["steps in the history"] = float(len(history._past))
    found["MB of the history"] = sum(one.n_bytes for one in history._past) / 1e6
    kept = len(history._past)
    found["undo"] = _each(lambda _: widget.undo(), kept)
    found["redo"] = _each(lambda _: widget.redo(), kept)
    bits = [np.packbits(one) for one in masks]
    found["floor: pack a selection"] = _each(lambda i: np.packbits(masks[i % 4]), 20)
    found["floor: unpack a selection"] = _each(lambda i: np.unpackbits(bits[i % 4], count=n).astype(bool), 20)
    widget.close()
    return found


def _each(act: Callable[[int], object], times: int) -> float:
    """Return the mean ms of processor time of some calls."""
    began = time.process_time()
    for i in range(times):
        act(i)
    return 1e3 * (time.process_time() - began) / max(times, 1)


def write(measured: dict[int, dict[str, float]]) -> str:
    """Return the table as Markdown."""
    heads = " | ".join(f"{n:,} cells" for n in measured)
    lines = [f"| ms of processor time | {heads} |", f"| --- |{' --: |' * len(measured)}"]
    for row in next(iter(measured.values())):
        lines.append(f"| {row} | {' | '.join(f'{found[row]:,.3g}' for found in measured.values())} |")
    ratios = [found["undo"] / (found["floor: unpack a selection"] or 1) for found in measured.values()]
    lines.append(f"| undo / floor's unpacking | {' | '.join(f'{one:.2f}' for one in ratios)} |")
    return "\n".join(["# Undo steps", "", __doc__.partition("\n\n")[2].strip(), "", *lines, ""])


def main() -> None:
    """Measure and write."""
    (HERE / "steps.md").write_text(write({n: measure(n) for n in SIZES}), encoding="utf-8")


if __name__ == "__main__":
    main()
