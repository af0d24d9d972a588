"""Times of drawing, selecting and picking by number of cells, compared with datashader and NumPy on the same cells.

``python -m benchmarks.large --cells 10000000`` measures, and writes `large.md` and a plot in `docs/`.
For cxg-widget a session responds to a request of the front-end, with a PNG. datashader is `Canvas.points` and `shade`
on a DataFrame of the cells in the order of the file; its PNG is counted separately.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import data, footprint, growth, machine, report
from benchmarks.aggregate import views
from benchmarks.data import CLUSTERS, FIRST_CATEGORY, HERE, RAW, SHAPES, Store
from benchmarks.spatial import lasso
from cxg_widget import open_dataset
from cxg_widget.color.palettes import default_palette
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.spatial import IndexStore, SpatialIndex, index_key
from cxg_widget.spatial.polygon import in_polygon
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame

SIZES = ("1m", "10m", "100m")
SIZE_PX = (800, 600)
REPEATS = 7
CATEGORIES = {"category": CLUSTERS, "few categories": FIRST_CATEGORY}
LASSOS = (0.01, 0.1, 0.5)
SPOTS = 20
MANY = 50_000_000
"""From this number of cells on, measurements that take seconds run once or twice."""
View = tuple[float, float, float, float]
Found = dict[str, dict[str, list[float]]]


class Cells:
    """Input of the other contenders: plain arrays in the order of the file."""

    def __init__(self, store: Store) -> None:
        self.xy = data.read_xy(store.path)
        self.columns = {kind: data.read_codes(store.path, name) for kind, name in CATEGORIES.items()}
        self._gene = data.read_gene(store.path, store.genes[0])

    def gene(self) -> NDArray[np.float32]:
        rows, values = self._gene
        dense = np.zeros(len(self.xy), dtype=np.float32)
        dense[rows] = values
        return dense


class Ours:
    """A session that gets requests as from the front-end."""

    def __init__(self, store: Store) -> None:
        self.session = Session(open_dataset(str(store.path)), Settings(embedding="umap"))
        self.colors: dict[str, str | None] = {"count": None, "gene": f"var:{store.genes[0]}"}
        self.colors |= {kind: f"obs:{name}" for kind, name in CATEGORIES.items()}
        self.session.prepare()
        self.session.prepare_index()

    def show(self, kind: str, render: str = "raster") -> None:
        self.session.settings = replace(self.session.settings, color=self.colors[kind], render=render)
        self.session.coloring()

    def image(self, view: View) -> list[Frame]:
        return list(self.session.answer(protocol.Aggregate(list(view), *SIZE_PX, 1.0, -1, False)))

    def lasso(self, corners: NDArray[np.float64]) -> None:
        list(self.session.answer(protocol.Lasso(corners.ravel().tolist(), "replace")))

    def hover(self, x: float, y: float, radius: float) -> None:
        list(self.session.answer(protocol.Hover(x, y, radius, radius)))


class Datashader:
    """datashader on a DataFrame."""

    def __init__(self, cells: Cells) -> None:
        import datashader
        import pandas as pd
        from datashader import transfer_functions

        self._datashader, self._shade = datashader, transfer_functions.shade
        columns = {
            "x": np.ascontiguousarray(cells.xy[:, 0]),
            "y": np.ascontiguousarray(cells.xy[:, 1]),
            "gene": cells.gene(),
        }
        columns |= {kind: pd.Categorical.from_codes(*column) for kind, column in cells.columns.items()}
        self._frame = pd.DataFrame(columns, copy=False)
        self._keys = {kind: default_palette(len(labels)) for kind, (_, labels) in cells.columns.items()}

    def image(self, kind: str, view: View) -> Any:
        left, right, bottom, top = view
        canvas = self._datashader.Canvas(*SIZE_PX, x_range=(left, right), y_range=(bottom, top))
        if kind in self._keys:
            by_category = self._datashader.by(kind, self._datashader.count())
            return self._shade(canvas.points(self._frame, "x", "y", by_category), color_key=self._keys[kind])
        reduction = self._datashader.count() if kind == "count" else self._datashader.mean("gene")
        return self._shade(canvas.points(self._frame, "x", "y", reduction))


def measure_all(store: Store) -> dict[str, Any]:
    """Measure a store: {"facts", "store", "n_obs", "measures": Found, "inside": {view: cells}, "stages"}."""
    stages = footprint.measure_all(store)
    found: Found = {}
    cells = Cells(store)
    n_clusters, share = len(cells.columns["category"][1]), store.shares[store.genes[0]]
    with tempfile.TemporaryDirectory(prefix="cxg-bench-") as folder:
        os.environ["CXG_WIDGET_CACHE_DIR"] = folder
        try:
            seen = _measure_index(cells.xy, Path(folder), found)
            ours = Ours(store)
            inside = {name: _count(cells.xy, view) for name, view in seen.items()}
            _measure_images(ours, Datashader(cells), seen, found, 2 if store.n_obs > MANY else REPEATS)
            _measure_gestures(ours, cells.xy, found)
        finally:
            del os.environ["CXG_WIDGET_CACHE_DIR"]
    return {
        "facts": machine.facts(),
        "store": f"{store.n_obs:,} cells in {n_clusters} clusters; the gene is not zero in {share:.0%} of them",
        "n_obs": store.n_obs,
        "measures": found,
        "inside": inside,
        "stages": stages,
    }


def _measure_index(xy: NDArray[np.float32], folder: Path, found: Found) -> dict[str, View]:
    keep, key = IndexStore(folder), index_key("benchmark", len(xy), "umap", (0, 1))
    for _ in range(1 if len(xy) > MANY else 3):
        index = _timed(found, report.OURS, "index build, ms", lambda: SpatialIndex.build(xy))
    keep.save(key, index)
    for _ in range(3):
        _timed(found, report.OURS, "index reload, ms", lambda: keep.load(key, xy))
    spots, radius = _spots(xy)
    for x, y in spots:
        _timed(found, report.OURS, "nearest, ms", lambda x=x, y=y: index.nearest(x, y, radius))
    for x, y in spots[: 1 if len(xy) > MANY else 3]:
        _timed(found, report.NUMPY, "nearest, ms", lambda x=x, y=y: np.nanargmin(np.hypot(xy[:, 0] - x, xy[:, 1] - y)))
    return dict(views(index))


def _measure_images(ours: Ours, theirs: Datashader, seen: dict[str, View], found: Found, repeats: int) -> None:
    for name, view in seen.items():
        for kind in ours.colors:
            ours.show(kind)
            # The first turn is discarded.
            _measure_image(ours, theirs, (kind, name, view), {}, 0)
            for turn in range(1, repeats + 1):
                _measure_image(ours, theirs, (kind, name, view), found, turn)
        ours.show("few categories", "auto")
        if ours.image(view)[0].message.kind == "cells":
            for _ in range(repeats):
                _timed(found, report.OURS, f"cells themselves, {name}, ms", lambda view=view: ours.image(view))


def _measure_image(ours: Ours, theirs: Datashader, drawn: tuple[str, str, View], found: Found, turn: int) -> None:
    """Draw once each; ours caches a view only for genes, so these are measured with and without the cache."""
    kind, name, view = drawn
    key = f"{kind}, {name}, ms"
    if kind in ("count", "gene"):
        _timed(
            found,
            report.OURS,
            f"{kind}{' moved' if kind == 'gene' else ''}, {name}, ms",
            lambda: ours.image(_moved(view, turn + 1)),
        )
        ours.image(view)
    if kind != "count":
        _timed(found, report.OURS, key, lambda: ours.image(view))
    began = time.perf_counter()
    image = _timed(found, report.PLAIN_IMAGE, key, lambda: theirs.image(kind, view))
    image.to_bytesio()
    found.setdefault(report.PLAIN_PNG, {}).setdefault(key, []).append((time.perf_counter() - began) * 1000)
    for others in (report.PLAIN_IMAGE, report.PLAIN_PNG) if kind == "gene" else ():
        found[others][f"gene moved, {name}, ms"] = found[others][key]


def _moved(view: View, turn: int) -> View:
    """Return a view that was not shown in an earlier turn."""
    by = (view[1] - view[0]) * turn / 997
    return view[0] + by, view[1] + by, view[2], view[3]


def _measure_gestures(ours: Ours, xy: NDArray[np.float32], found: Found) -> None:
    repeats = 1 if len(xy) > MANY else 3
    ours.show("few categories")
    for share in LASSOS:
        corners, key = lasso(xy, share), f"lasso {share:.0%}, ms"
        for _ in range(REPEATS):
            _timed(found, report.OURS, key, lambda corners=corners: ours.lasso(corners))
        for _ in range(repeats):
            inside = _timed(found, report.NUMPY, key, lambda corners=corners: in_polygon(xy, corners))
        if not np.array_equal(inside, ours.session.mask):
            raise AssertionError(f"the lasso of {share:.0%} and NumPy differ")
    spots, radius = _spots(xy)
    ours.hover(*spots[0], radius)
    for x, y in spots:
        _timed(found, report.OURS, "hover, ms", lambda x=x, y=y: ours.hover(x, y, radius))
    ours.session.pointer.prepare()
    for x, y in spots:
        _timed(found, report.OURS, "later hover, ms", lambda x=x, y=y: ours.hover(x, y, radius))


def _spots(xy: NDArray[np.float32]) -> tuple[list[tuple[float, float]], float]:
    """Return places near cells, and a hundredth of the extent."""
    finite = xy[:: max(len(xy) // 100_000, 1)]
    finite = finite[np.isfinite(finite).all(axis=1)]
    radius = float(np.ptp(finite[:, 0])) / 100
    return [(float(x), float(y)) for x, y in finite[:: len(finite) // SPOTS][:SPOTS] + np.float32(radius / 9)], radius


def _count(xy: NDArray[np.float32], view: View) -> int:
    left, right, bottom, top = view
    x, y = xy[:, 0], xy[:, 1]
    return int(np.count_nonzero((x >= left) & (x <= right) & (y >= bottom) & (y <= top)))


def _timed(found: Found, name: str, key: str, act: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    result = act()
    found.setdefault(name, {}).setdefault(key, []).append((time.perf_counter() - began) * 1000)
    return result


def save(size: str, measured: dict[str, Any]) -> None:
    """Store the measurements of a size, and rewrite the section and the plot."""
    (RAW / f"large_{size}.json").write_text(json.dumps(measured))
    write()
    (HERE.parent / "docs" / "large_n.svg").write_text(growth.draw(list(load().values())))


def write() -> None:
    """Rewrite the section from the last measurements here."""
    (HERE / "large.md").write_text(report.write_large(load(), load_opened()))


def load() -> dict[str, Any]:
    """Return the last measurements of each size."""
    paths = {size: RAW / f"large_{size}.json" for size in SIZES}
    return {size: json.loads(path.read_text()) for size, path in paths.items() if path.exists()}


def load_opened() -> dict[str, Any] | None:
    """Return the last measurements of `opening`, if there are any."""
    path = RAW / "opening.json"
    return json.loads(path.read_text()) if path.exists() else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one number of cells."""
    sizes = {SHAPES[size][0]: size for size in SIZES}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--cells", type=int, choices=list(sizes), default=10_000_000)
    size = sizes[parser.parse_args(arguments).cells]
    save(size, measure_all(data.open_store(size)))
    print((HERE / "large.md").read_text())


if __name__ == "__main__":
    main()
