"""Writes measurements as `results.md`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OURS, FLOOR, PEER = "cxg-widget", "floor", "jupyter-scatter"
PLAIN, IN_MEMORY = "tiledb-py", "in memory"
PLAIN_IMAGE, PLAIN_PNG, NUMPY = "datashader", "datashader and its PNG", "NumPy"
Measures = Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Aim:
    """The limit of our median: a number, or a multiple of a measure of another contender."""

    most: float
    of: str = ""
    key: str = ""

    def check(self, measured: Measures, key: str) -> tuple[str, bool] | None:
        """Return the aim in words, and whether it is met; None if a measure is missing."""
        ours = _median(measured, OURS, key)
        against = _median(measured, self.of, self.key or key) if self.of else 1.0
        if ours is None or against is None:
            return None
        text = f"<= {self.most:g} x {self.of}" if self.of else f"<= {self.most:g}"
        return text, ours <= self.most * against


@dataclass(frozen=True)
class Row:
    """One line of a table; `digits` after the point; `spread` computes the numbers in brackets."""

    title: str
    key: str
    aim: Aim | None = None
    digits: int = 0
    spread: Callable[[Sequence[float]], tuple[float, float]] = lambda values: (min(values), max(values))


def _p95(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95th percentile twice, so that it is shown once."""
    ranked = sorted(values)
    at = ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))]
    return at, at


BROWSER = (
    Row("first picture, ms", "first picture, ms", Aim(0.65, FLOOR, "complete picture, ms")),
    Row("complete picture, ms", "complete picture, ms", Aim(1.3, FLOOR)),
    Row("its processor time, ms", "complete picture, processor ms"),
    Row("its bytes received, MB", "bytes received, MB", digits=2),
    Row("recolor by a category, ms", "category, ms"),
    Row("its processor time, ms", "category, processor ms"),
    Row("its bytes received, MB", "category, MB", digits=2),
    Row("recolor by a gene, 5 % non-zero, ms", "sparse gene, ms", Aim(1.2, FLOOR)),
    Row("its processor time, ms", "sparse gene, processor ms"),
    Row("its bytes received, MB", "sparse gene, MB", Aim(0.25), digits=2),
    Row("recolor by the densest gene, ms", "dense gene, ms"),
    Row("its processor time, ms", "dense gene, processor ms"),
    Row("its bytes received, MB", "dense gene, MB", digits=2),
    Row("memory of the kernel afterwards, MB", "kernel memory, MB"),
    Row("frame time while zooming, ms", "zoom frame, ms", Aim(50)),
    Row("interval between these frames, ms (95th percentile)", "zoom interval, ms", spread=_p95),
    Row("points drawn per frame while zooming", "points a zoom frame"),
    Row("last wheel event to complete picture, ms", "at rest after, ms"),
    Row("end of lasso to DataFrame, ms", "lasso to DataFrame, ms", Aim(150)),
    Row("cells in the lasso", "lasso cells"),
    Row("in Python: select a polygon, ms", "select polygon first, ms", digits=1),
    Row("again, ms", "select polygon again, ms", digits=1),
    Row("one column of the selection as DataFrame, ms", "one column first, ms", digits=1),
    Row("again, ms", "one column again, ms", digits=1),
    Row("all columns of the selection, ms", "all columns first, ms", digits=1),
    Row("again, ms", "all columns again, ms", digits=1),
    Row("size of the plot, Mpx", "plot, Mpx", digits=2),
)
KERNEL = (
    Row("open the dataset, ms", "open, ms", Aim(200), digits=1),
    Row("create the widget, ms", "widget, ms", Aim(200), digits=1),
    Row("first gene, ms", "first gene, ms", digits=1),
    Row("next gene, ms", "next gene, ms", Aim(1.5, PLAIN), digits=1),
    Row("one category, ms", "category, ms", digits=1),
    Row("one column as DataFrame, ms", "column as DataFrame, ms", digits=1),
    Row("peak memory, MB", "peak memory, MB"),
    Row("memory after the imports, MB", "after imports, MB"),
)
VIEWS = ("all", "1/10", "1/100")
KINDS = {
    "count": ("number of cells", None),
    "category": ("clusters", Aim(0.125, PLAIN_IMAGE)),
    "few categories": ("16 categories", None),
    "gene": ("gene, in a view shown before", Aim(0.1, PLAIN_IMAGE)),
    "gene moved": ("gene, in a new view", None),
    "cells themselves": ("16 categories, as points", None),
}
IMAGES = tuple(
    Row(f"{title}: {'all cells' if view == 'all' else view}", f"{kind}, {view}, ms", aim if view == "all" else None, 1)
    for kind, (title, aim) in KINDS.items()
    for view in VIEWS
)
GESTURES = (
    Row("lasso of 1 % of the cells", "lasso 1%, ms", digits=1),
    Row("lasso of 10 %", "lasso 10%, ms", Aim(60), digits=1),
    Row("lasso of 50 %", "lasso 50%, ms", digits=1),
    Row("nearest cell", "nearest, ms", Aim(5), digits=1),
    Row("hover: nearest cell and its fields, read from the file", "hover, ms", digits=1),
    Row("later hover, with cached columns", "later hover, ms", digits=1),
    Row("build the spatial index", "index build, ms"),
    Row("load a saved index", "index reload, ms", digits=1),
)
OPENED = (
    "The contenders take turns, each in a fresh page and a fresh kernel, which has imported the package but drawn "
    "nothing. cxg-widget first draws the points of a sample, and is complete with the first image of all cells, "
    "colored by 16 categories; the floor sends and draws every cell. Images are summed by compiled loops "
    '(`aggregator="auto"`), or by datashader where the row says so.'
)
AIMED_SIZE = "1m"
AIMED_LARGE_SIZE = "10m"


def write(results: Mapping[str, Any], notes: str) -> str:
    """Return the report.

    Parameters
    ----------
    results : {"facts": {title: text}, "sizes": {size: {"store": text, "browser": Measures, "kernel": Measures}},
        "large": {size: what `large.measure_all` returns}, "opening": as `write_large` takes it}; the last two
        are optional
    notes : Markdown about the method

    Returns
    -------
    Markdown
    """
    parts = ["# Results", "", "Written by `make bench`; do not edit.", ""]
    parts += [f"- {title}: {text}" for title, text in results["facts"].items()]
    for size, found in results["sizes"].items():
        parts += ["", f"## {found['store']}"]
        for name, rows, columns in (("browser", BROWSER, (FLOOR, PEER)), ("kernel", KERNEL, (PLAIN, IN_MEMORY))):
            if found.get(name):
                parts += ["", *table(found[name], rows, columns, has_aims=size == AIMED_SIZE)]
    if results.get("large"):
        parts += ["", write_large(results["large"], results.get("opening")).strip()]
    return "\n".join([*parts, "", notes.strip(), ""])


_SINCE = (
    "Each section has its date. Images of all cells take less since "
    "[decision 90](../docs/decisions/0090-blocks-in-one-pixel.md), which has the figures."
)


def write_large(measured: Mapping[str, Any], opened: Mapping[str, Any] | None = None) -> str:
    """Return the section on large numbers of cells, Markdown.

    Parameters
    ----------
    measured : size -> what `large.measure_all` returns
    opened : {"facts": {title: text}, "stores": {store: what `opening.measure_all` returns}}
    """
    parts = ["## Large n", "", "![How the time of an image grows](../docs/large_n.svg)", "", _SINCE]
    for size, found in measured.items():
        has_aims = size == AIMED_LARGE_SIZE
        parts += ["", f"### {found['store']}", ""]
        parts += [f"- {title}: {text}" for title, text in found["facts"].items() if title != "packages"]
        parts += ["", "An image of a view, 800 x 600 px, ms:", ""]
        parts += table(found["measures"], IMAGES, (PLAIN_IMAGE, PLAIN_PNG), has_aims=has_aims)
        parts += ["", "Gestures and the spatial index, ms:", ""]
        parts += table(found["measures"], GESTURES, (NUMPY,), has_aims=has_aims)
        for start, stages in found["stages"].items():
            parts += ["", *_stages(start, stages, found["n_obs"])]
    return "\n".join([*parts, *(write_opened(opened) if opened else []), ""])


def write_opened(opened: Mapping[str, Any]) -> list[str]:
    """Return the lines of the section on first pictures in fresh kernels."""
    parts = ["", "### In JupyterLab, in a fresh kernel", ""]
    parts += [f"- {title}: {text}" for title, text in opened["facts"].items() if title != "packages"]
    heads = ["", "first points, ms", "x floor", "complete picture, ms", "x floor", "processor time, ms"]
    rows = [Row("", key) for key in ("first picture, ms", "complete picture, ms", "complete picture, processor ms")]
    for store, measured in opened["stores"].items():
        parts += ["", f"| {store}{' | '.join(heads)} |", f"| --- |{' --: |' * (len(heads) - 1)}"]
        base = _median(measured, FLOOR, "complete picture, ms")
        for title in measured:
            first, complete, processor = (_cell(measured, title, row) for row in rows)
            ratios = [_ratio(_median(measured, title, row.key), base) for row in rows]
            parts.append(f"| {title} | {first} | {ratios[0]} | {complete} | {ratios[1]} | {processor} |")
    return [*parts, "", OPENED]


def _stages(start: str, stages: Mapping[str, Mapping[str, float]], n_obs: int) -> list[str]:
    head = f"| {start} | ms | peak MB | bytes per cell | MB afterwards | bytes per cell | mapped bytes per cell |"
    lines = [head, "| --- | --: | --: | --: | --: | --: | --: |"]
    for title, found in stages.items():
        peak, held, mapped = (found[key] for key in ("peak_mb", "held_mb", "mapped_mb"))
        memory = f"{peak:,.0f} | {peak * 1e6 / n_obs:.1f} | {held:,.0f} | {held * 1e6 / n_obs:.1f}"
        lines.append(f"| {title} | {found['ms']:,.0f} | {memory} | {mapped * 1e6 / n_obs:.1f} |")
    return lines


def table(measured: Measures, rows: Sequence[Row], others: Sequence[str], *, has_aims: bool) -> list[str]:
    """Return the lines of a Markdown table: ours, the one or two others, ratios, aims."""
    near, *far = others
    heads = ["", OURS, near, f"x {near}"]
    heads += [head for name in far for head in (name, f"{name} / ours")]
    heads += ["aim", "met"] if has_aims else []
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' --: |' * (len(heads) - 1)}"]
    return lines + [_line(measured, row, others, has_aims=has_aims) for row in rows if _has(measured, row.key)]


def _line(measured: Measures, row: Row, others: Sequence[str], *, has_aims: bool) -> str:
    near, *far = others
    ours = _median(measured, OURS, row.key)
    cells = [row.title, _cell(measured, OURS, row), _cell(measured, near, row)]
    cells.append(_ratio(ours, _median(measured, near, row.key)))
    for name in far:
        cells += [_cell(measured, name, row), _ratio(_median(measured, name, row.key), ours)]
    if has_aims:
        checked = row.aim.check(measured, row.key) if row.aim else None
        cells += [checked[0], "yes" if checked[1] else "**no**"] if checked else ["", ""]
    return f"| {' | '.join(cells)} |"


def _has(measured: Measures, key: str) -> bool:
    return any(key in found for found in measured.values())


def _median(measured: Measures, name: str, key: str) -> float | None:
    values = measured.get(name, {}).get(key)
    return statistics.median(values) if values else None


def _cell(measured: Measures, name: str, row: Row) -> str:
    values = measured.get(name, {}).get(row.key)
    if not values:
        return "-"
    middle, low, high = (f"{value:,.{row.digits}f}" for value in (statistics.median(values), *row.spread(values)))
    inside = low if low == high else f"{low} - {high}"
    return middle if inside == middle else f"{middle} ({inside})"


def _ratio(above: float | None, below: float | None) -> str:
    return f"{above / below:.2f}" if above is not None and below else "-"
