"""The headline figures of two versions of this project as a table: now, then, ratio."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST = 1.1
FRAME_MS, TICKS_MS, CLOCK_MS = 17, 50, 2


@dataclass(frozen=True)
class Figure:
    """One line of the table; differences of `grain` or less are ignored."""

    title: str
    key: str
    grain: float = 0
    digits: int = 0

    def middle(self, measures: Mapping[str, Sequence[float]]) -> float | None:
        """Return the median of all rounds; None = not measured."""
        values = measures.get(self.key)
        return statistics.median(values) if values else None

    def is_worse(self, now: float, then: float) -> bool:
        """Return whether the figure has grown by more than is allowed."""
        return now > MOST * then and now - then > self.grain


FIGURES = (
    Figure("open the dataset, ms", "reader: open, ms", CLOCK_MS, 1),
    Figure("create the widget, ms", "reader: widget, ms", CLOCK_MS, 1),
    Figure("read a gene, ms", "reader: next gene, ms", CLOCK_MS, 1),
    Figure("peak memory of a reader, MB", "reader: peak memory, MB"),
    Figure("first picture, ms", "first picture, ms", FRAME_MS),
    Figure("complete picture, ms", "complete picture, ms", FRAME_MS),
    Figure("complete picture, processor ms", "complete picture, processor ms", TICKS_MS),
    Figure("complete picture, MB received", "bytes received, MB", digits=2),
    Figure("recolor by a category, ms", "category, ms", FRAME_MS),
    Figure("recolor by a category, processor ms", "category, processor ms", TICKS_MS),
    Figure("recolor by a category, MB received", "category, MB", digits=2),
    Figure("recolor by a gene, ms", "sparse gene, ms", FRAME_MS),
    Figure("recolor by a gene, processor ms", "sparse gene, processor ms", TICKS_MS),
    Figure("recolor by a gene, MB received", "sparse gene, MB", digits=2),
    Figure("recolor by the densest gene, ms", "dense gene, ms", FRAME_MS),
    Figure("recolor by the densest gene, MB received", "dense gene, MB", digits=2),
    Figure("memory of the kernel afterwards, MB", "kernel memory, MB"),
    Figure("frame time while zooming, ms", "zoom frame, ms", FRAME_MS),
    Figure("last wheel event to complete picture, ms", "at rest after, ms", FRAME_MS),
    Figure("end of lasso to DataFrame, ms", "lasso to DataFrame, ms", FRAME_MS),
    Figure("select a polygon in Python, ms", "select polygon again, ms", CLOCK_MS, 1),
    Figure("frame time while brushing, ms", "brush frame, ms", FRAME_MS),
    Figure("compare the selection with the rest, ms", "compare, ms", CLOCK_MS),
)

Measures = Mapping[str, Sequence[float]]


def write(
    found: Mapping[str, Mapping[str, Measures]],
    facts: Mapping[str, str],
    about: str,
    then: str,
    figures: Sequence[Figure] = FIGURES,
) -> tuple[str, list[str]]:
    """Return the report as Markdown, and the figures that are worse.

    Parameters
    ----------
    found : name of a store -> "now" and the title of the earlier tree -> measure -> one value per round
    about : a title, an empty line, and the method
    """
    lines = ["# This version and an earlier one", "", about.partition("\n\n")[2].strip(), ""]
    lines += [f"- {title}: {text}" for title, text in facts.items()]
    worse = []
    for name, measured in found.items():
        lines += ["", f"## {name}", "", "|  | now | then | ratio |", "| --- | --: | --: | --: |"]
        for figure in figures:
            ours, theirs = (figure.middle(measured[title]) for title in ("now", then))
            if ours is None:
                continue
            ratio = "-" if not theirs else f"{ours / theirs:.2f}"
            if theirs is not None and figure.is_worse(ours, theirs):
                worse.append(f"{figure.title}, {name}: {ratio}")
                ratio = f"**{ratio}**"
            before = "-" if theirs is None else f"{theirs:,.{figure.digits}f}"
            lines.append(f"| {figure.title} | {ours:,.{figure.digits}f} | {before} | {ratio} |")
    return "\n".join([*lines, ""]), worse
