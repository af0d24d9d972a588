"""Plots of genes by groups from a CXG, compared with pandas on the same genes in memory.

``python -m benchmarks.plots`` writes `plots.md`: wall time in seconds, the best of three calls. 20 genes of a million
cells, by the 16 cell types, and by the 32 pairs of cell type and condition. "Read" opens the store first, so that genes
and columns are read from `Xc` and obs; "again" finds them in the cache of the dataset. The figure is rendered as in a
notebook, as a PNG at 144 dpi. pandas has the genes as dense float32 columns; it computes the mean, and the mean of
`> 0`, per group.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cxg_widget import CxgWidget
from cxg_widget.datasets.cxg.demo import write_demo

HERE = Path(__file__).parent
N_OBS, N_VAR, N_GENES, CALLS = 1_000_000, 40, 20, 3
GROUPS: dict[str, dict[str, Any]] = {"16": {"by": "cell_type"}, "32": {"by": "cell_type", "by2": "condition"}}


def measure(path: Path) -> dict[str, list[float]]:
    """Return the seconds of each measure for each number of groups."""
    with_page = CxgWidget(path)
    genes = [str(name) for name in with_page.dataset.var_names[:N_GENES]]
    found: dict[str, list[float]] = {}
    for by in GROUPS.values():
        first = [_read(path, lambda w, by=by: w.dotplot(genes, **by)) for _ in range(CALLS)]
        for name, seconds in {
            "dotplot, read": min(first),
            "dotplot, again": best(lambda by=by: with_page.dotplot(genes, **by)),
            "violin of a gene, again": best(lambda by=by: with_page.violin(genes[0], **by)),
            "figure of the dotplot": best(lambda by=by: with_page.dotplot(genes, **by)._repr_png_()),
            "pandas": of_pandas(with_page, genes, by),
        }.items():
            found.setdefault(name, []).append(seconds)
    with_page.close()
    return found


def _read(path: Path, act: Callable[[CxgWidget], object]) -> float:
    """Return the seconds of plots in a widget that was just opened and shows its first picture."""
    widget = CxgWidget(path, color=None)
    widget._session.prepare()
    began = time.perf_counter()
    act(widget)
    seconds = time.perf_counter() - began
    widget.close()
    return seconds


def of_pandas(widget: CxgWidget, genes: list[str], by: dict[str, str]) -> float:
    """Return the seconds of the same means and shares by pandas."""
    import pandas as pd

    obs = widget.dataset.obs(list(by.values()))
    table = pd.DataFrame({name: widget.dataset.values(name) for name in genes}, index=obs.index)
    keys = [obs[column] for column in by.values()]

    def act() -> None:
        table.groupby(keys, observed=True).mean()
        (table > 0).groupby(keys, observed=True).mean()

    return best(act)


def best(act: Callable[[], object]) -> float:
    """Return wall time in seconds, the minimum of some calls."""
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory(prefix="cxg-plots-") as folder:
        path = Path(folder) / "cells.cxg"
        write_demo(path, N_OBS, N_VAR)
        found = measure(path)
    lines = [f"| s | {' | '.join(f'{n} groups' for n in GROUPS)} |", f"| --- |{' --: |' * len(GROUPS)}"]
    lines += [f"| {name} | {' | '.join(f'{one:.3f}' for one in row)} |" for name, row in found.items()]
    text = "\n".join(["# Plots of groups", "", (__doc__ or "").partition("\n\n")[2].strip(), "", *lines, ""])
    (HERE / "plots.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
