"""Holder of cells in this process: read whole, or by view while there is no index of all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import AllCells
from cxg_widget.cells.holder import Holder
from cxg_widget.cells.in_view import CellsOfView
from cxg_widget.cells.indexed import IndexedCells
from cxg_widget.cells.preview import colored_column, preview_coloring, preview_extent
from cxg_widget.convert.progress import progress_bar
from cxg_widget.counts.on_grid import Grid, count_codes, count_on_grid
from cxg_widget.datasets.base.values import freeze
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.color_target import Target, of_column, read
from cxg_widget.display.coloring import Coloring
from cxg_widget.errors import Cancelled, CxgWidgetError, Overtaken
from cxg_widget.spatial import IndexStore, SpatialIndex, index_key
from cxg_widget.spatial.view import Extent, View
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import Bounds, bounds_of

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.by_rows import Wanted
    from cxg_widget.draw.aggregate.reductions import Sums

_KEPT_FROM = 1_000_000
"""Indexes of fewer cells are not stored: building them is as fast as loading."""
# Views with 22 and 45 % of the peaks of a file take 5.7 and 10.6 s if read alone, 6.8 and 6.2 if they wait for the
# index (decision 18).
NEAR_SHARE = 0.2
NEAR_ROWS = 8_000_000
"""Most rows decoded for one view, and most rows of a dataset for it; more take as long as all, or much memory."""


class LocalHolder(Holder):
    """The cells of a dataset in this process; see `Holder` for the parameters."""

    @property
    def is_aggregated(self) -> bool:
        """Whether pictures are aggregated: by the setting `render`, or because there are too many cells to send."""
        settings, many = self.settings, self.dataset.n_obs > self.settings.max_points
        return settings.render == "raster" or (settings.render == "auto" and many) or self.is_of_pixels

    # Before they are read.

    def outline(self) -> Extent | None:
        """Return the bounds of the cells, if the store states them and they were not read yet."""
        settings = self.settings
        if not self.is_aggregated or self._memo.held("bounds", settings.place_key) is not None:
            return None
        return self._memo.keep("outline", settings.place_key, lambda: preview_extent(self.dataset, settings))

    def preview(self) -> Coloring | None:
        """Return a coloring without values, if the store states the possible values and they were not read yet."""
        settings = self.settings
        if not self.is_aggregated or self._memo.held("coloring", settings.color_key) is not None:
            return None
        key = (settings.color_key, settings.vmin, settings.vmax)

        def make() -> Coloring | None:
            target = self._known_target()
            return None if target is None else preview_coloring(target, self.dataset, settings)

        found: Coloring | None = self._memo.keep("preview", key, make)
        return found and found.resolving(settings.color_rule)

    def _known_target(self) -> Target | None:
        with suppress(CxgWidgetError):  # reading the coloring raises it again
            return self._loader.target(self.settings)
        return None

    def read_view_only(self, view: View, size: tuple[int, int], coloring: Coloring) -> CellsOfView | None:
        """Return the cells of a view, read alone; None if an index of all exists or will soon."""
        if self.index_if_built() is not None:
            return None
        limit, key = min(int(self.dataset.n_obs * NEAR_SHARE), NEAR_ROWS), self.settings.place_key
        # One at a time: during a drag, several requests would read nearly the same view.
        with self._loader.reading_near:
            near: CellsOfView | None = self._memo.held("near", key)
            if near is None or not near.holds(view, size):
                near = CellsOfView.read(self.dataset, self.settings, view, size, limit)
                self._memo.put("near", key, near)
        return None if near is None or near.colored(coloring) is None else near

    def _both(self, part: Literal["xy", "color"]) -> Any:
        """Take coordinates or coloring from a pass that reads both; None = they are read separately."""
        memo, place, color = self._memo, self.settings.place_key, self.settings.color_key
        is_place_known = any(memo.held(slot, place) is not None for slot in ("xy", "bounds"))
        is_alone = memo.held("coloring", color) is not None if part == "xy" else is_place_known
        if memo.held("both", (place, color)) is None and is_alone:
            return None
        made: dict[str, Any] = memo.keep("both", (place, color), self._read_both)
        found = made.pop(part, None)
        if not made:
            memo.drop("both")
        return found

    def _read_both(self) -> dict[str, Any]:
        target = self._known_target()
        column = None if target is None else colored_column(target, self.dataset)
        found = None if column is None else self.dataset.embedding_with(column, *self.settings.place_key)
        return {} if found is None else dict(zip(("xy", "color"), found, strict=True))

    # Coordinates.

    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""
        key, share = self.settings.place_key, self._loader.share
        return self._memo.keep("xy", key, lambda: share("xy", key, self._read_xy))

    def _read_xy(self) -> NDArray[np.float32]:
        indexed = self.index_if_built()
        if indexed is not None:  # the index was made, and the coordinates dropped, while this waited
            return freeze(indexed.coordinates(np.arange(self.dataset.n_obs)))
        found = self._both("xy")
        return freeze(self.dataset.embedding(*self.settings.place_key) if found is None else found)

    def bounds(self) -> Bounds:
        """Return the bounds of the cells, and the number of cells without coordinates."""
        return self._memo.keep("bounds", self.settings.place_key, lambda: bounds_of(self.xy()))

    def extent(self) -> Extent:
        """Return the bounds of all cells; read in blocks if unknown."""
        from cxg_widget.draw.aggregate.by_rows import bounds_by_rows

        key = self.settings.place_key
        bounds: Bounds = self._memo.keep("bounds", key, lambda: bounds_by_rows(self.dataset, *key))
        return bounds.extent

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""
        indexed = self.index_if_built()
        return self.xy()[rows] if indexed is None else indexed.coordinates(rows)

    def indexed(self) -> AllCells:
        """Return all cells with an index, which is built or loaded at first use."""
        key = self.settings.place_key
        indexed: AllCells = self._memo.keep("indexed", key, self._make_indexed)
        # Data for sending all points, 16 bytes a cell, are no longer needed: the index has the coordinates too.
        for slot, one in (("xy", key), ("near", key), ("order", None)):
            if self._memo.held(slot, one) is not None:
                self._memo.drop(slot, one)
        return indexed

    def index_if_built(self) -> AllCells | None:
        """Return all cells with an index, if it exists."""
        indexed: AllCells | None = self._memo.held("indexed", self.settings.place_key)
        return indexed

    def wait_for_index(self, is_stale: Callable[[], bool]) -> AllCells:
        """Return all cells once their index exists; its build continues even if nobody waits."""
        held = self.index_if_built()
        if held is not None:
            return held
        indexed: AllCells = self._loader.indexing.result(self.settings.place_key, self.indexed, is_stale)
        return indexed

    def prepare(self) -> None:
        """Do the work that would delay the first aggregated picture."""
        from cxg_widget.draw.aggregate.warming import warm_up

        warm_up()
        self.wait_for_index(lambda: False)

    can_hover = True

    @property
    def has_places(self) -> bool:
        """Whether the coordinates of all cells are in memory."""
        return self.index_if_built() is not None or self._memo.held("xy", self.settings.place_key) is not None

    @property
    def needs_no_reading(self) -> bool:
        """Whether a lasso can be answered without a read."""
        return self.has_places and self._memo.held("coloring", self.settings.color_key) is not None

    def _make_indexed(self) -> AllCells:
        self._loader.want_index(self.settings.place_key)
        # While the coordinates are in memory: later they would have to be restored from the index.
        self.bounds()
        try:
            loader = self._loader
            return IndexedCells(loader.share("index", self.settings.place_key, self._index), lambda: loader.has_parts)
        except Cancelled:
            if not self._loader.indexes_wanted:
                self._loader.tell_progress(1.0)
            raise Overtaken("other cells are on show than those of the index that was being built.") from None

    def _index(self) -> SpatialIndex:
        """Load the stored index, or build and store it."""
        dataset, settings, loader = self.dataset, self.settings, self._loader
        xy = self.xy()

        def is_unwanted() -> bool:
            return self._memo.is_closed or settings.place_key not in loader.indexes_wanted

        if not dataset.identity or dataset.n_obs < _KEPT_FROM:
            return SpatialIndex.build(xy, progress=loader.tell_progress, cancelled=is_unwanted)
        store = IndexStore()
        name = dataset.find_embedding(settings.embedding)
        key = index_key(dataset.identity, dataset.n_obs, name, settings.axes)
        index = store.load(key, xy)
        if index is None:
            index = SpatialIndex.build(xy, progress=loader.tell_progress, cancelled=is_unwanted)
            store.save(key, index)
        return index

    # Coloring and sums.

    def coloring(self) -> Coloring:
        """Read what the cells are colored by."""
        key, read = self.settings.color_key, self._loader.recent.get_or_load
        found: Coloring = self._memo.keep("coloring", key, lambda: read(key, self._read_coloring))
        return found.resolving(self.settings.color_rule)

    def known_coloring(self) -> Coloring | None:
        """Return the coloring, if it was read."""
        found: Coloring | None = self._memo.held("coloring", self.settings.color_key)
        return found and found.resolving(self.settings.color_rule)

    def _read_coloring(self) -> Coloring:
        target, dataset = self._loader.target(self.settings), self.dataset
        if target.source == "none":
            return Coloring(target)
        labels = self._loader.labels(self.settings, target)
        if labels is not None:
            return Coloring.of(target, labels, dataset.n_obs)
        if target.source == "blend":
            vectors = dataset.vectors(target.genes, self.settings.layer)
            return BlendColoring.of_vectors(target, vectors, dataset.n_obs, self.settings.color_rule)
        values = self._both("color") if target.source == "obs" else None
        data = read(target, dataset, self.settings.layer) if values is None else of_column(target.name, values)
        return Coloring.of(target, data, dataset.n_obs)

    def columns(self, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name, each as a coloring."""

        def read(name: str) -> Coloring:
            return LocalHolder(self._loader, replace(self.settings, color=name))._read_coloring()

        key = (names, self.settings.layer)
        return self._memo.keep("columns", key, lambda: {name: read(name) for name in names})

    def category_mask(self, code: int) -> NDArray[np.bool_]:
        """Return the cells of a category, bool (n_obs,); code -1 = those without one."""
        return np.asarray(self.coloring().listed.codes == code)

    def column_held(self, column: str) -> object:
        """Return the cached obs column of categories; another column is another object."""
        return self.dataset.codes(column)

    def category_counts(self, column: str, mask: NDArray[np.bool_] | None) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the categories of an obs column, and the cells of a mask, bool (n_obs,), in each, int64 (k,)."""
        codes = self.dataset.codes(column)
        return codes.categories, count_codes(codes.codes, len(codes.categories), mask)

    def category_planes(
        self, column: str | None, slots: NDArray[np.int32], grid: Grid, mask: NDArray[np.bool_] | None,
        check: Callable[[], object],
    ) -> NDArray[np.uint32]:  # fmt: skip
        """Count cells on a grid, as `count_on_grid`; column None = all in plane 0."""
        codes = None if column is None else self.dataset.codes(column).codes
        indexed = self.index_if_built()
        index = indexed.index if isinstance(indexed, IndexedCells) else None
        xy, rows = (self.xy(), None) if index is None else (index.xy, index.rows)
        return count_on_grid(xy, codes, slots, grid, rows=rows, passing=mask, check=check)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all."""
        return self.coloring().count_selected(mask)

    def sums(self, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,); data not in memory are read in blocks."""
        from cxg_widget.draw.aggregate.by_rows import sums_over
        from cxg_widget.draw.aggregate.reductions import sums_of_counts

        cells, counted = self.index_if_built(), wanted.plan.counted
        if isinstance(cells, IndexedCells) and counted is not None:
            codes = self.dataset.codes(wanted.columns[counted].name) if counted else None
            if codes is None or len(codes.categories) <= MISSING_U16:
                # The exact numbers of cells by the loops of images: 10 M cells of 16 categories take a tenth of the
                # time of rows, whose coordinates lie anywhere in the index.
                count = partial(cells.count_categories, codes, view, size, mask)
                return sums_of_counts(wanted.plan, codes, view, size, count)

        def xy_block(start: int, stop: int) -> NDArray[np.float32]:
            if not self.has_places:
                return self.dataset.embedding_block(*self.settings.place_key, start, stop)
            return self.coordinates(np.arange(start, stop))

        with progress_bar(None, delay_s=2.0) as tell:
            return sums_over(self.dataset, wanted, view, size, mask=mask, xy_block=xy_block, tell=tell)
