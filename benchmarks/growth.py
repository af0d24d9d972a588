"""Growth of measurements with the number of cells: the fitted line, deviations from it, and an SVG plot of images."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import OURS, PLAIN_IMAGE

PANELS = {"category": "clusters", "gene moved": "a gene"}
COLORS = {OURS: "#12a37c", PLAIN_IMAGE: "#d9701f"}
GREY = "#7a828b"
"""Legible on white and on black: an SVG in a page cannot know the background."""
WIDTH, HEIGHT = 380, 300
LEFT, RIGHT, TOP, BOTTOM = 54, 26, 30, 44
CELLS = (1e4, 1e8)
MS = (1.0, 1e4)
DASHES = {1_000_000: "2,3", 10_000_000: "8,3", 100_000_000: "none"}


class Line(NamedTuple):
    """A fixed cost and a cost per cell."""

    start: float
    slope: float

    def at(self, cells: float) -> float:
        """Return the cost of this number of cells."""
        return self.start + self.slope * cells


def fitted(cells: Sequence[int], values: Sequence[float]) -> Line:
    """Return the line of least squares, with an intercept of at least 0."""
    slope, start = np.polyfit(np.array(cells, dtype=np.float64), values, 1)
    return Line(max(float(start), 0.0), float(slope))


def slopes(cells: Sequence[int], values: Sequence[float]) -> list[float]:
    """Return the cost per cell between neighboring numbers of cells; differences show deviations from a line."""
    return [
        (later - earlier) / (more - fewer)
        for (fewer, more), (earlier, later) in zip(pairwise(cells), pairwise(values), strict=True)
    ]


def draw(measured: Sequence[Mapping[str, Any]]) -> str:
    """Return an SVG file of the results of `large.measure_all` for each number of cells."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(PANELS)} {HEIGHT + 30}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        "<title>Time of an image by the number of cells in view, for cxg-widget and datashader</title>",
    ]
    for at, (kind, title) in enumerate(PANELS.items()):
        parts += [f'<g transform="translate({at * WIDTH} 0)">', *_axes(title), *_lines(measured, kind), "</g>"]
    return "\n".join([*parts, *_key(measured), "</svg>", ""])


def _axes(title: str) -> Iterator[str]:
    yield _text(WIDTH / 2, 16, f"colored by {title}, 800 x 600 px", "middle")
    for power in range(round(math.log10(CELLS[0])), round(math.log10(CELLS[1])) + 1):
        x = _x(10**power)
        yield f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GREY}" stroke-opacity=".25"/>'
        yield _text(x, HEIGHT - BOTTOM + 16, _short(10**power), "middle")
    yield _text(WIDTH / 2, HEIGHT - BOTTOM + 34, "cells in view", "middle")
    for power in range(round(math.log10(MS[0])), round(math.log10(MS[1])) + 1):
        y = _y(10**power)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GREY}" stroke-opacity=".25"/>'
        yield _text(LEFT - 6, y + 4, f"{10**power:,} ms" if power < 3 else f"{10 ** (power - 3)} s", "end")


def _lines(measured: Sequence[Mapping[str, Any]], kind: str) -> Iterator[str]:
    for one in measured:
        for name, color in COLORS.items():
            found = one["measures"].get(name, {})
            points = [
                (_x(inside), _y(statistics.median(times)))
                for view, inside in one["inside"].items()
                if (times := found.get(f"{kind}, {view}, ms"))
            ]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            yield (
                f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" '
                f'stroke-dasharray="{_dash(one["n_obs"])}"/>'
            )
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points)


def _key(measured: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    x, y = float(LEFT), HEIGHT + 16
    for name, color in COLORS.items():
        yield f'<circle cx="{x + 5}" cy="{y - 4}" r="4" fill="{color}"/>'
        yield _text(x + 14, y, name)
        x += 40 + 7 * len(name)
    for one in measured:
        yield f'<path d="M{x} {y - 4}h28" stroke="{GREY}" stroke-width="2" stroke-dasharray="{_dash(one["n_obs"])}"/>'
        yield _text(x + 34, y, f"of {_short(one['n_obs'])} cells")
        x += 130


def _dash(n_obs: int) -> str:
    return DASHES.get(n_obs, "none")


def _x(cells: float) -> float:
    share = math.log(cells / CELLS[0]) / math.log(CELLS[1] / CELLS[0])
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(ms: float) -> float:
    share = math.log(ms / MS[0]) / math.log(MS[1] / MS[0])
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _short(n: int) -> str:
    return f"{n // 1_000_000} M" if n >= 1_000_000 else f"{n // 1000} k"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{GREY}" text-anchor="{anchor}">{escape(text)}</text>'
