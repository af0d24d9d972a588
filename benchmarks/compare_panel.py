"""Times of the table and the volcano plot of a comparison, as the page computes them from its numbers.

``python -m benchmarks.compare_panel`` writes `compare_panel.md`: wall time in Node, ms, median and maximum of 30 calls,
including the first. A key, a click or a cut-off takes one of these steps, and then draws the visible rows. The aim is
50 ms to sort 20,000 genes. "load a result" runs once per result. The last row has the bytes of a result, without the
names, which are sent once.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.machine import facts
from cxg_widget.session.analysis.comparison_frames import COLUMNS, ROWS

HERE = Path(__file__).parent
SIZES = (20_000, 60_000, 200_000)


def measure(n: int) -> dict[str, tuple[float, float]]:
    """Return median and slowest ms of each step for n genes."""
    done = subprocess.run(["node", str(HERE / "compare_panel.js"), str(n)], check=True, capture_output=True, text=True)
    found: dict[str, tuple[float, float]] = json.loads(done.stdout)
    return found


def write(measured: dict[int, dict[str, tuple[float, float]]]) -> str:
    """Return the table as Markdown."""
    lines = [f"| ms | {' | '.join(f'{n:,} genes' for n in measured)} |", f"| --- |{' --: |' * len(measured)}"]
    for step in next(iter(measured.values())):
        cells = [f"{found[step][0]:.3g} ({found[step][1]:.3g})" for found in measured.values()]
        lines.append(f"| {step} | {' | '.join(cells)} |")
    sizes = [f"{n * 4 * (len(COLUMNS) + 2) / 1e6:.1f} MB in {-(-n // ROWS)}" for n in measured]
    lines.append(f"| size of the numbers, messages | {' | '.join(sizes)} |")
    about = [f"- {name}: {value}" for name, value in facts(("numpy",)).items()]
    head = ["# Comparison panel", "", __doc__.partition("\n\n")[2].strip(), "", *about, ""]
    return "\n".join([*head, *lines, ""])


def main() -> None:
    """Measure and write."""
    (HERE / "compare_panel.md").write_text(write({n: measure(n) for n in SIZES}), encoding="utf-8")


if __name__ == "__main__":
    main()
