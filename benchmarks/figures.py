"""Saving plots of a CXG as figures and pages: seconds, memory and file size.

``python -m benchmarks.figures`` writes `figures.md`. Each row is a separate process that opens the store, colors it by
cell type and saves it. Seconds are those of `w.save`, including reading, building an index and loading compiled loops.
"Again" is a second save. "MB before" and "peak MB" are the peak memory of the process before saving and at the end.
Figures are 1,000 px wide at 300 dpi. Pages contain the cell types, the columns of the tooltip and three pinned genes.
Cells are synthetic, and their names are barcodes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cxg_widget import CxgWidget
from cxg_widget.datasets.cxg.demo import write_demo

HERE = Path(__file__).parent
N_VAR = 4
STATUS = Path("/proc/self/status")
ROWS = ((10_000_000, "png"), (10_000_000, "pdf"), (100_000, "html"), (1_000_000, "html"), (10_000_000, "html"))
_MB = 1e6


def measure(path: Path, suffix: str) -> dict[str, float]:
    """Save once and again in this process; return s, bytes held and bytes written."""
    widget = CxgWidget(path, color="cell_type")
    widget.genes.pin(*[str(name) for name in widget.dataset.var_names[:3]])
    widget._session.prepare()
    before, options = _most_held(), {} if suffix == "html" else {"width": 1000}
    target, taken = path.with_name(f"saved.{suffix}"), []
    for _ in range(2):
        began = time.perf_counter()
        widget.save(target, **options)
        taken.append(time.perf_counter() - began)
    found = {"s": taken[0], "again": taken[1], "before": before, "most": _most_held(), "bytes": target.stat().st_size}
    widget.close()
    return found


def _most_held() -> float:
    """Return bytes; `getrusage` would count those of the process that started this one."""
    line = next(one for one in STATUS.read_text(encoding="ascii").splitlines() if one.startswith("VmHWM"))
    return float(line.split()[1]) * 1024


def _in_a_process(path: Path, suffix: str) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.figures", str(path), suffix]
    done = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and write."""
    heads = ("s", "again, s", "MB before", "peak MB", "file size, MB")
    lines = [f"| cells | file | {' | '.join(heads)} |", f"| --: | --- |{' --: |' * len(heads)}"]
    with tempfile.TemporaryDirectory(prefix="cxg-figures-") as folder:
        stores: dict[int, Path] = {}
        for n_obs, suffix in ROWS:
            if n_obs not in stores:
                stores[n_obs] = write_demo(Path(folder) / f"{n_obs}.cxg", n_obs, N_VAR)
            row = _in_a_process(stores[n_obs], suffix)
            sizes = " | ".join(f"{row[name] / _MB:,.0f}" for name in ("before", "most"))
            size = f"{row['bytes'] / _MB:.1f}"
            lines.append(f"| {n_obs:,} | {suffix} | {row['s']:.1f} | {row['again']:.1f} | {sizes} | {size} |")
    text = "\n".join(["# Figures and pages", "", (__doc__ or "").partition("\n\n")[2].strip(), "", *lines, ""])
    (HERE / "figures.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2])))
    else:
        main()
