"""What a session reads where a Dask cluster holds the cells: a sample and counts here, all else there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster.field import ClusterField
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.indexed import AnyField, Cells, Shown, View, rgb_of
from cxg_widget.cells.loader import Readings
from cxg_widget.datasets import Codes, Dataset, Vector
from cxg_widget.display.coloring import resolve
from cxg_widget.display.look import Coloring, Look
from cxg_widget.draw.aggregate import PixelNumbers, Planes
from cxg_widget.draw.aggregate.by_rows import Wanted
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.errors import ClosedDataset
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.quantise import Bounds


class ClusterReadings(Readings):
    """Reads of a dataset only what the rows of a sample need; unless `render="points"` asks for all of it here.

    Parameters
    ----------
    client : a `distributed.Client`
    source : what its workers open
    """

    def __init__(
        self, dataset: Dataset, seed: int, tell_progress: Callable[[float], None], *, client: Any, source: Source
    ) -> None:
        super().__init__(dataset, seed, tell_progress)
        self._client = client
        self._source = source

    def is_aggregated(self, look: Look) -> bool:
        """Say whether pictures are aggregated: always, unless points are asked for."""
        return look.render != "points" or self.is_of_pixels(look)

    def outline(self, look: Look) -> None:
        """Return None: the workers are asked."""

    def sketch(self, look: Look) -> None:
        """Return None: the workers are asked."""

    def bounds(self, look: Look) -> Bounds:
        """Return where the cells lie, and how many lie nowhere."""
        if not self.is_aggregated(look):
            return super().bounds(look)
        cluster = self._shared(look).cluster
        return Bounds(cluster.extent, cluster.n_missing)

    def coloring(self, look: Look) -> Coloring:
        """Return the colouring of the sample, with counts and range of all cells."""
        key = (*look.color_key, look.max_points, look.place_key)
        if not self.is_aggregated(look):
            return super().coloring(look)
        made: Coloring = self.keep("sample coloring", key, lambda: self._sample_coloring(look))
        return made

    def columns(self, look: Look, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return what columns by name mean; the workers read them."""
        if not self.is_aggregated(look):
            return super().columns(look, names)
        return {name: Coloring(resolve(name, self._dataset, look.layer)) for name in names}

    def _sample_coloring(self, look: Look) -> Coloring:
        target = resolve(look.color, self._dataset, look.layer)
        if target.source == "none":
            return Coloring(target)
        cluster, rows = self._shared(look).cluster, self.sample(look).rows
        summary = cluster.summary(target, look.layer)
        _, values = cluster.take(rows, target, look.layer)
        assert values is not None
        if summary.categories is not None:
            counted = (summary.counts or [], summary.n_missing)
            return Coloring(target, Codes(values.astype(np.int32), summary.categories), counted, is_sample=True)
        assert summary.histogram is not None
        assert summary.quantiles is not None
        measured = (summary.lo, summary.hi, summary.n_missing, summary.histogram, summary.quantiles)
        numbers = Numbers(Vector(values), rows.size, *measured)
        return Coloring(target, numbers, is_sample=True)

    def point_coloring(self, look: Look) -> Coloring:
        """Return what colours the sample, in its own order."""
        return self.coloring(look) if self.is_aggregated(look) else super().point_coloring(look)

    def category_mask(self, look: Look, code: int) -> NDArray[np.bool_]:
        """Return which cells have a category of the colouring, those without a place too; the workers read it anew."""
        if not self.is_aggregated(look):
            return super().category_mask(look, code)
        return self._shared(look).cluster.category_mask(self.coloring(look).target, code, layer=look.layer)

    def count_selected(self, look: Look, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all of them; the workers read the column anew."""
        coloring = self.coloring(look)
        if not self.is_aggregated(look) or coloring.data is None:
            return super().count_selected(look, mask)
        limits = (coloring.data.lo, coloring.data.hi) if isinstance(coloring.data, Numbers) else (0.0, 0.0)
        return self._shared(look).cluster.count_selected(coloring.target, mask, limits, layer=look.layer)

    def extent(self, look: Look) -> View:
        """Return within which bounds all cells lie: x0, x1, y0, y1."""
        return self.bounds(look).extent if self.is_aggregated(look) else super().extent(look)

    def sums(
        self, look: Look, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None
    ) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), where they are."""
        if not self.is_aggregated(look):
            return super().sums(look, wanted, view, size, mask)
        return self._shared(look).cluster.sums(wanted, view, size, mask)

    def prepare_field(self, look: Look) -> None:
        """Do nothing: the workers have been asked already."""

    def field_at_hand(self, look: Look) -> AnyField | None:
        """Return the field; the first picture needs it too."""
        return self._shared(look) if self.is_aggregated(look) else super().field_at_hand(look)

    def has_cells(self, look: Look) -> bool:
        """Say whether the workers have been heard of; until then every hover would hold a thread."""
        return not self.is_aggregated(look) or self.held("field", look.place_key) is not None

    def is_prompt(self, look: Look) -> bool:
        """Say whether a lasso needs neither reading nor the workers, who may have gone or be busy."""
        return not self.is_aggregated(look) and super().is_prompt(look)

    def _shared(self, look: Look) -> SharedField:
        field = self.field(look)
        assert isinstance(field, SharedField)
        return field

    def _make_field(self, look: Look) -> AnyField:
        n_obs = self._dataset.n_obs
        field = SharedField(ClusterField(self._client, self._source, n_obs, look.embedding, look.axes))
        self._let_go()  # not before: where the new cells cannot be had, those on show stay
        if self._is_closed:
            field.cluster.close()
            raise ClosedDataset(f"the widget of {self._dataset.uri} was closed while its cells were being read.")
        return field

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._let_go()
        super().close()

    def _let_go(self) -> None:
        held = self.in_slot("field")
        if held is not None:
            held.cluster.close()


class SharedField:
    """A `ClusterField` with the methods of `Field`."""

    def __init__(self, cluster: ClusterField) -> None:
        self.cluster = cluster

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view."""
        is_categorical = isinstance(shown.coloring.data, Codes)
        return self.cluster.planes(
            shown.coloring.target,
            view,
            size,
            layer=shown.look.layer,
            colors=rgb_of(shown.colors) if is_categorical else None,
            visible=shown.visible if is_categorical else None,
            selected=shown.mask,
            highlighted=shown.highlighted if is_categorical else -1,
            spread=spread,
            statistic=shown.statistic,
            aggregator=shown.aggregator,
        )

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic."""
        targets = {name: coloring.target for name, coloring in shown.columns.items()}
        return self.cluster.numbers(
            targets, shown.look.statistic, view, size, layer=shown.look.layer, selected=shown.mask, spread=spread
        )

    def count(self, view: View) -> int:
        """Count the cells of a view, exactly."""
        return self.cluster.count(view)

    def cells(self, extent: View, shown: Shown) -> Cells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        rows = np.random.default_rng(0).permutation(self.cluster.rows_in(extent))
        target, data = shown.coloring.target, shown.coloring.data
        xy, values = self.cluster.take(rows, target, shown.look.layer)
        if isinstance(data, Codes) and values is not None:
            data = replace(data, codes=values)
        elif isinstance(data, Numbers) and values is not None:
            data = replace(data, vector=Vector(values), n_obs=rows.size)
        return Cells(xy, Coloring(target, data, is_sample=True), shown.mask[rows])

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2); NaN where they are not finite."""
        return self.cluster.take(rows)[0]

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2), bool (n_obs,); those that `shown` hides are left out."""
        if shown is None:
            return self.cluster.polygon_mask(polygon)
        target, layer = shown.coloring.target, shown.look.layer
        return self.cluster.polygon_mask(polygon, target=target, layer=layer, visible=shown.visible)

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and place of the cell nearest to (x, y), hidden ones left out; see `SpatialIndex.nearest`."""
        target, layer = shown.coloring.target, shown.look.layer
        row = self.cluster.nearest(x, y, radius, stretch=stretch, target=target, layer=layer, visible=shown.visible)
        if row is None:
            return None
        at_x, at_y = self.coordinates(np.array([row]))[0]
        return row, float(at_x), float(at_y)
