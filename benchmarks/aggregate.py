"""Time of an image of a view, compared with plain datashader on the same cells, in turns.

``python -m benchmarks.aggregate --cells 10000000`` prints a table. Ours is aggregate, shade and encode as PNG;
datashader is `Canvas.points` and `shade` on a DataFrame of the cells in the order of the file;
its PNG is listed separately.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.palettes import default_palette
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.draw.aggregate.canvas import CountImages, aggregate
from cxg_widget.draw.aggregate.image_columns import (
    NumberColumn,
    SparseColumn,
    ViewColumn,
    arrange_codes,
    arrange_vector,
)
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.shading import number_image, shade
from cxg_widget.draw.aggregate.warming import warm_up
from cxg_widget.draw.image_files import encode_lines, encode_png
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.levels import Levels

CATEGORIES = 30
SIZE = (800, 600)
GENE_SHARE = 0.05
View = tuple[float, float, float, float]
T = TypeVar("T")


@dataclass(frozen=True)
class Cells:
    """Synthetic cells in the order of a file: clusters in random order, one of each kind of column."""

    xy: NDArray[np.float32]
    cluster: NDArray[np.int8]
    gene: Vector
    number: NDArray[np.float32]

    @classmethod
    def make(cls, n: int, seed: int = 0) -> Cells:
        rng = np.random.default_rng(seed)
        centres = rng.normal(0, 6, (CATEGORIES, 2)).astype(np.float32)
        cluster = rng.integers(0, CATEGORIES, n, dtype=np.int8)
        xy = rng.standard_normal((n, 2), dtype=np.float32)
        for start in range(0, n, 1 << 22):
            xy[start : start + (1 << 22)] += centres[cluster[start : start + (1 << 22)]]
        rows = np.flatnonzero(rng.random(n, dtype=np.float32) < GENE_SHARE)
        values = rng.standard_exponential(rows.size, dtype=np.float32)
        return cls(xy, cluster, Vector(values, rows), rng.random(n, dtype=np.float32))


@dataclass
class Times:
    """Milliseconds of one kind of image in one view."""

    aggregate: list[float] = field(default_factory=list)
    shade: list[float] = field(default_factory=list)
    encode: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    plain_encode: list[float] = field(default_factory=list)
    n_bytes: int = 0

    @property
    def ours(self) -> float:
        return sum(statistics.median(step) for step in (self.aggregate, self.shade, self.encode))


class Ours:
    """cxg-widget: an index and columns in its order."""

    def __init__(self, cells: Cells) -> None:
        self.index = SpatialIndex.build(cells.xy)
        self.counts = CountImages()
        labels = tuple(str(i) for i in range(CATEGORIES))
        self.colors = np.array([hex_rgb(color) for color in default_palette(CATEGORIES)], dtype=np.uint8)
        self.columns: dict[str, ViewColumn | None] = {
            "count": None,
            "category": arrange_codes(self.index, Codes(cells.cluster, labels)),
            "gene": arrange_vector(self.index, cells.gene, Levels(0, float(cells.gene.values.max()))),
            "number": arrange_vector(self.index, Vector(cells.number), Levels(0, 1)),
        }

    def draw(self, kind: str, view: View, times: Times) -> None:
        column = self.columns[kind]
        # A user who colors by a gene has seen the view before.
        counts = self.counts if isinstance(column, SparseColumn) else None
        planes = _timed(
            times.aggregate, lambda: aggregate(self.index, column, view, SIZE, colors=self.colors, counts=counts)
        )
        times.n_bytes = len(self._encode(column, planes, times))

    def _encode(self, column: ViewColumn | None, planes: Planes, times: Times) -> bytes:
        if isinstance(column, NumberColumn | SparseColumn):
            image = _timed(times.shade, lambda: number_image(planes))
            return _timed(times.encode, lambda: encode_lines(image.lines, 3))
        rgba = _timed(times.shade, lambda: shade(planes))
        return _timed(times.encode, lambda: encode_png(rgba))


class Plain:
    """datashader on a DataFrame."""

    def __init__(self, cells: Cells) -> None:
        import datashader
        import pandas as pd
        from datashader import transfer_functions

        self._datashader, self._shade = datashader, transfer_functions.shade
        n = len(cells.xy)
        labels = [str(i) for i in range(CATEGORIES)]
        self._frame = pd.DataFrame(
            {
                "x": np.ascontiguousarray(cells.xy[:, 0]),
                "y": np.ascontiguousarray(cells.xy[:, 1]),
                "category": pd.Categorical.from_codes(cells.cluster, labels),
                "gene": cells.gene.dense(n),
                "number": cells.number,
            },
            copy=False,
        )
        self._key = default_palette(CATEGORIES)

    def draw(self, kind: str, view: View, times: Times) -> None:
        image = _timed(times.plain, lambda: self._image(kind, view))
        _timed(times.plain_encode, lambda: image.to_bytesio().getvalue())

    def _image(self, kind: str, view: View) -> Any:
        left, right, bottom, top = view
        canvas = self._datashader.Canvas(*SIZE, x_range=(left, right), y_range=(bottom, top))
        reductions = {
            "count": self._datashader.count(),
            "category": self._datashader.by("category", self._datashader.count()),
        }
        reduction = reductions.get(kind) or self._datashader.mean(kind)
        pixels = canvas.points(self._frame, "x", "y", reduction)
        return self._shade(pixels, color_key=self._key) if kind == "category" else self._shade(pixels)


def views(index: SpatialIndex) -> Iterator[tuple[str, View]]:
    """Yield the view of all cells, and views around the densest place with a tenth and a hundredth of the cells."""
    x0, x1, y0, y1 = index.extent
    yield "all", (x0, x1, y0, y1)
    x, y = (float(value) for value in np.median(index.xy[:: max(1, len(index.xy) // 100_000)], axis=0))
    for name, share in (("1/10", 0.1), ("1/100", 0.01)):
        low, high = 0.0, max(x1 - x0, y1 - y0)
        for _ in range(24):
            half = (low + high) / 2
            view = (x - half, x + half, y - half * 0.75, y + half * 0.75)
            low, high = (half, high) if index.count(view) < share * len(index.xy) else (low, half)
        yield name, view


def measure(n: int, repeats: int = 7, *, plain: bool = True) -> dict[tuple[str, str], Times]:
    """Time each kind of image in each view, in turns; the first time of each is discarded."""
    cells = Cells.make(n)
    warm_up().join()
    ours, theirs = Ours(cells), Plain(cells) if plain else None
    found = {}
    for name, view in views(ours.index):
        for kind in ours.columns:
            times = Times()
            for repeat in range(repeats + 1):
                ours.draw(kind, view, times)
                if theirs is not None:
                    theirs.draw(kind, view, times)
                if repeat == 0:
                    times = Times()
            found[name, kind] = times
    return found


def table(found: dict[tuple[str, str], Times]) -> str:
    """Return medians in ms as a Markdown table."""
    lines = [
        "| view | image | aggregate | shade | encode | all | kB | datashader | its PNG | times faster | with its PNG |",
        "|---|---" + "|---:" * 9 + "|",
    ]
    for (view, kind), times in found.items():
        steps = [statistics.median(step) for step in (times.aggregate, times.shade, times.encode)]
        plain, encode = (statistics.median(step) if step else np.nan for step in (times.plain, times.plain_encode))
        numbers = [*(f"{step:.1f}" for step in (*steps, times.ours)), f"{times.n_bytes / 1000:.0f}"]
        theirs = [f"{plain:.0f}", f"{encode:.0f}", f"{plain / times.ours:.1f}", f"{(plain + encode) / times.ours:.1f}"]
        lines.append(f"| {view} | {kind} | {' | '.join([*numbers, *theirs])} |")
    return "\n".join(lines)


def _timed(times: list[float], step: Callable[[], T]) -> T:
    start = time.perf_counter()
    result = step()
    times.append((time.perf_counter() - start) * 1000)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--ours-only", action="store_true", help="for more cells than a DataFrame of them has room")
    options = parser.parse_args()
    print(table(measure(options.cells, options.repeats, plain=not options.ours_only)))
