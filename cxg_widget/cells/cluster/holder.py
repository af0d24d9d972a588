"""Holder of cells on Dask workers; a sample and counts are in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.cells.local import LocalHolder
from cxg_widget.counts.counter import Counter
from cxg_widget.counts.on_grid import Grid
from cxg_widget.display.color_target import Target, resolve
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.draw.aggregate.by_rows import Wanted
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.errors import ClosedDataset, InvalidValue, Overtaken
from cxg_widget.spatial.view import Extent, View
from cxg_widget.wire.quantise import Bounds

if TYPE_CHECKING:
    from cxg_widget.compare.compared_groups import Tell
    from cxg_widget.compare.matrix_statistics import MatrixStats

_SLOT = "shared"


def cluster_holder(client: Any, source: Source) -> Callable[[Loader, Settings], Holder]:
    """Return a function that chooses the holder of the cells: the workers, unless all cells are sent as points."""

    def holder(loader: Loader, settings: Settings) -> Holder:
        if settings.render == "points" and not loader.is_of_pixels(settings):
            return LocalHolder(loader, settings)
        return ClusterHolder(loader, settings, client, source)

    return holder


class ClusterHolder(Holder):
    """The cells of a dataset on the workers of a client; only the data of the sample are read here."""

    is_aggregated = True

    def __init__(self, loader: Loader, settings: Settings, client: Any, source: Source) -> None:
        super().__init__(loader, settings)
        self._client = client
        self._source = source

    def outline(self) -> None:
        """Return None: the workers compute it."""

    def preview(self) -> None:
        """Return None: the workers compute it."""

    def read_view_only(self, view: View, size: tuple[int, int], coloring: Coloring) -> None:
        """Return None: the workers have all cells."""

    @property
    def counter(self) -> Counter:
        """Counts columns on the workers, with states of cells made here."""
        key = self.settings.place_key
        return self._memo.keep(
            "counter", key, lambda: Counter(self.dataset, self._loader.crossfilter, self.indexed().coded)
        )

    # Coordinates.

    def xy(self) -> NDArray[np.float32]:
        """Read the coordinates into this process."""
        return LocalHolder(self._loader, self.settings).xy()

    def bounds(self) -> Bounds:
        """Return the bounds of the cells, and the number of cells without coordinates."""
        cells = self.indexed()
        return Bounds(cells.extent, cells.n_missing)

    def extent(self) -> Extent:
        """Return the bounds of all cells."""
        return self.indexed().extent

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""
        return self.indexed().coordinates(rows)

    def indexed(self) -> ClusterCells:
        """Return the indexed cells on the workers, which load them at first use."""
        # Current cells are closed once the new ones are shown; if these fail, they stay.
        self._check_on_show()
        cells = self._memo.keep(_SLOT, self.settings.place_key, self._make_indexed, ClusterCells.close)
        self._check_on_show()
        return cells

    def _check_on_show(self) -> None:
        if self._memo.is_closed:
            raise ClosedDataset(f"the widget of {self.dataset.uri} was closed while its cells were being read.")
        if not self._memo.wants(self.settings.place_key):
            raise Overtaken("other cells are shown than those that were requested.")

    def _make_indexed(self) -> ClusterCells:
        dataset = self.dataset
        own = partial(getattr, dataset, "own_columns")
        return ClusterCells(
            self._client, self._source, dataset.n_obs, *self.settings.place_key, own=own, read=self._loader.elsewhere
        )

    def index_if_built(self) -> ClusterCells:
        """Return all cells; the first picture needs them too."""
        return self.indexed()

    def wait_for_index(self, is_stale: Callable[[], bool]) -> ClusterCells:  # noqa: ARG002
        """Return all cells; the first picture has waited for them."""
        return self.indexed()

    def prepare(self) -> None:
        """Do nothing: the workers have the request already."""

    @property
    def can_hover(self) -> bool:
        """Whether the workers have responded; until then every hover would block a thread."""
        return self._memo.held(_SLOT, self.settings.place_key) is not None

    has_places = False
    needs_no_reading = False
    """The workers may have gone, or be busy."""

    # Coloring and sums.

    def coloring(self) -> Coloring:
        """Return the coloring of the sample, with counts and range of all cells."""
        settings = self.settings
        target = self._loader.target(settings)
        if target.source == "sets":
            codes = self._loader.labels(settings, target)
            if codes is not None:
                self.indexed().know_sets(target, codes)
        of_all: Coloring = self._memo.keep("summary", self._color_key, self._summary)
        coloring = of_all.resolving(settings.color_rule)
        key = (*self._color_key, settings.max_points, coloring.numbers.levels)
        return self._memo.keep("sample coloring", key, lambda: self._sample_of(coloring))

    @property
    def _color_key(self) -> tuple[Any, ...]:
        settings = self.settings
        return (*settings.color_key, settings.place_key)

    def known_coloring(self) -> Coloring | None:
        """Return the coloring with counts and range of all cells, if these are known."""
        found: Coloring | None = self._memo.held("summary", self._color_key)
        return found and found.resolving(self.settings.color_rule)

    def _sample_of(self, coloring: Coloring) -> Coloring:
        if coloring.target.source == "none":
            return coloring
        return self.indexed().take(self.sample().rows, coloring, self.settings.layer)[1]

    def _summary(self) -> Coloring:
        target, layer = self._loader.target(self.settings), self.settings.layer
        if target.source == "none":
            return Coloring(target)
        labels = None if target.source == "sets" else self._loader.labels(self.settings, target)
        if labels is not None and labels is not self.dataset.own_columns.get(target.name):
            raise Overtaken("the cells have other labels by now.")
        if target.source == "blend":
            many = self.dataset.obs_noun.many
            raise InvalidValue(f"blend='colors' is not for {many} that Dask's workers hold; set blend='mean'.")
        return self.indexed().summary(target, layer, self.settings.color_rule)

    def columns(self, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name; the workers read them."""
        return {
            name: Coloring(resolve(name, self.dataset, self.settings.layer, self.settings.own_gene_sets))
            for name in names
        }

    def category_mask(self, code: int) -> NDArray[np.bool_]:
        """Return the cells of a category, including those without coordinates; the workers read it again."""
        return self.indexed().category_mask(self.coloring().target, code)

    def column_held(self, column: str) -> None:
        """Return None: the workers read it."""

    def category_counts(self, column: str, mask: NDArray[np.bool_] | None) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the categories of an obs column, and the cells of a mask, bool (n_obs,), in each, int64 (k,)."""
        return self.indexed().category_counts(Target("obs", column), mask)

    def category_planes(
        self, column: str | None, slots: NDArray[np.int32], grid: Grid, mask: NDArray[np.bool_] | None,
        check: Callable[[], object],
    ) -> NDArray[np.uint32]:  # fmt: skip
        """Count cells on a grid on the workers, as `count_on_grid`; column None = all in plane 0."""
        check()
        return self.indexed().category_planes(None if column is None else Target("obs", column), slots, grid, mask)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all; the workers read the column again."""
        coloring = self.coloring()
        if coloring.data is None:
            return coloring.count_selected(mask)
        return self.indexed().count_selected(coloring, mask, self.settings.layer)

    def matrix(self, tell: Tell, cancelled: Callable[[], bool]) -> MatrixStats:
        """Return the statistics of the matrix on the workers."""
        return self.indexed().matrix(self.dataset, tell, cancelled)

    def sums(self, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), on the workers."""
        return self.indexed().sums(wanted, view, size, mask)
