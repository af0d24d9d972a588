"""What a session reads where a Dask cluster holds the cells: a sample and counts here, all else there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.indexed import AllCells, Shown, SomeCells, rgb_of
from cxg_widget.cells.loader import Loader
from cxg_widget.datasets import Dataset
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import resolve
from cxg_widget.draw.aggregate import PixelNumbers, Planes
from cxg_widget.draw.aggregate.by_rows import Wanted
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.errors import ClosedDataset
from cxg_widget.spatial.view import View
from cxg_widget.wire.quantise import Bounds


class ClusterLoader(Loader):
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

    def is_aggregated(self, settings: Settings) -> bool:
        """Say whether pictures are aggregated: always, unless points are asked for."""
        return settings.render != "points" or self.is_of_pixels(settings)

    def outline(self, settings: Settings) -> None:
        """Return None: the workers are asked."""

    def preview(self, settings: Settings) -> None:
        """Return None: the workers are asked."""

    def bounds(self, settings: Settings) -> Bounds:
        """Return where the cells lie, and how many lie nowhere."""
        if not self.is_aggregated(settings):
            return super().bounds(settings)
        cluster = self._shared(settings).cluster
        return Bounds(cluster.extent, cluster.n_missing)

    def coloring(self, settings: Settings) -> Coloring:
        """Return the colouring of the sample, with counts and range of all cells."""
        key = (*settings.color_key, settings.max_points, settings.place_key)
        if not self.is_aggregated(settings):
            return super().coloring(settings)
        made: Coloring = self.keep("sample coloring", key, lambda: self._sample_coloring(settings))
        return made

    def columns(self, settings: Settings, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return what columns by name mean; the workers read them."""
        if not self.is_aggregated(settings):
            return super().columns(settings, names)
        return {name: Coloring(resolve(name, self._dataset, settings.layer)) for name in names}

    def _sample_coloring(self, settings: Settings) -> Coloring:
        target = self.target(settings)
        if target.source == "none":
            return Coloring(target)
        cluster, rows = self._shared(settings).cluster, self.sample(settings).rows
        summary = cluster.summary(target, settings.layer)
        _, values = cluster.take(rows, target, settings.layer)
        return summary if values is None else summary.holding(values)

    def point_coloring(self, settings: Settings) -> Coloring:
        """Return what colours the sample, in its own order."""
        return self.coloring(settings) if self.is_aggregated(settings) else super().point_coloring(settings)

    def category_mask(self, settings: Settings, code: int) -> NDArray[np.bool_]:
        """Return which cells have a category of the colouring, those without a place too; the workers read it anew."""
        if not self.is_aggregated(settings):
            return super().category_mask(settings, code)
        return self._shared(settings).cluster.category_mask(self.coloring(settings).target, code)

    def count_selected(self, settings: Settings, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all of them; the workers read the column anew."""
        coloring = self.coloring(settings)
        if not self.is_aggregated(settings) or coloring.data is None:
            return super().count_selected(settings, mask)
        cluster = self._shared(settings).cluster
        return cluster.count_selected(coloring.target, mask, coloring.limits, layer=settings.layer)

    def extent(self, settings: Settings) -> View:
        """Return within which bounds all cells lie: x0, x1, y0, y1."""
        return self.bounds(settings).extent if self.is_aggregated(settings) else super().extent(settings)

    def sums(
        self, settings: Settings, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None
    ) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), where they are."""
        if not self.is_aggregated(settings):
            return super().sums(settings, wanted, view, size, mask)
        return self._shared(settings).cluster.sums(wanted, view, size, mask)

    def prepare_index(self, settings: Settings) -> None:
        """Do nothing: the workers have been asked already."""

    def indexed_at_hand(self, settings: Settings) -> AllCells | None:
        """Return the cells under their indexes; the first picture needs them too."""
        return self._shared(settings) if self.is_aggregated(settings) else super().indexed_at_hand(settings)

    def has_cells(self, settings: Settings) -> bool:
        """Say whether the workers have been heard of; until then every hover would hold a thread."""
        return not self.is_aggregated(settings) or self.held("indexed", settings.place_key) is not None

    def is_prompt(self, settings: Settings) -> bool:
        """Say whether a lasso needs neither reading nor the workers, who may have gone or be busy."""
        return not self.is_aggregated(settings) and super().is_prompt(settings)

    def _shared(self, settings: Settings) -> SharedField:
        indexed = self.indexed(settings)
        assert isinstance(indexed, SharedField)
        return indexed

    def _make_indexed(self, settings: Settings) -> AllCells:
        n_obs = self._dataset.n_obs
        indexed = SharedField(ClusterCells(self._client, self._source, n_obs, settings.embedding, settings.axes))
        self._let_go()  # not before: where the new cells cannot be had, those on show stay
        if self._is_closed:
            indexed.cluster.close()
            raise ClosedDataset(f"the widget of {self._dataset.uri} was closed while its cells were being read.")
        return indexed

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._let_go()
        super().close()

    def _let_go(self) -> None:
        held = self.in_slot("indexed")
        if held is not None:
            held.cluster.close()


class SharedField:
    """A `ClusterCells` with the methods of `IndexedCells`."""

    def __init__(self, cluster: ClusterCells) -> None:
        self.cluster = cluster

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate the cells of a view."""
        return self.cluster.planes(
            shown.coloring.target,
            view,
            size,
            layer=shown.settings.layer,
            colors=rgb_of(shown.colors),
            visible=shown.visible,
            selected=shown.mask,
            highlighted=shown.highlighted if shown.colors else -1,
            spread=spread,
            statistic=shown.statistic,
            aggregator=shown.aggregator,
        )

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view to numbers of pixels by the statistic."""
        targets = {name: coloring.target for name, coloring in shown.columns.items()}
        return self.cluster.numbers(
            targets,
            shown.settings.statistic,
            view,
            size,
            layer=shown.settings.layer,
            selected=shown.mask,
            spread=spread,
        )

    def count(self, view: View) -> int:
        """Count the cells of a view, exactly."""
        return self.cluster.count(view)

    def cells(self, extent: View, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        rows = np.random.default_rng(0).permutation(self.cluster.rows_in(extent))
        xy, values = self.cluster.take(rows, shown.coloring.target, shown.settings.layer)
        return SomeCells(xy, shown.coloring if values is None else shown.coloring.holding(values), shown.mask[rows])

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2); NaN where they are not finite."""
        return self.cluster.take(rows)[0]

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2), bool (n_obs,); those that `shown` hides are left out."""
        if shown is None:
            return self.cluster.polygon_mask(polygon)
        target, layer = shown.coloring.target, shown.settings.layer
        return self.cluster.polygon_mask(polygon, target=target, layer=layer, visible=shown.visible)

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and place of the cell nearest to (x, y), hidden ones left out; see `SpatialIndex.nearest`."""
        target, layer = shown.coloring.target, shown.settings.layer
        row = self.cluster.nearest(x, y, radius, stretch=stretch, target=target, layer=layer, visible=shown.visible)
        if row is None:
            return None
        at_x, at_y = self.coordinates(np.array([row]))[0]
        return row, float(at_x), float(at_y)
