"""What has been read of a dataset for the settings on show: each part at first use, kept until its key changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.in_view import CellsOfView
from cxg_widget.cells.indexed import RECENT_BYTES, AllCells, IndexedCells
from cxg_widget.cells.preview import colored_column, preview_coloring, preview_extent
from cxg_widget.cells.sample import SAMPLE_POINTS, Sample
from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.jobs import in_background
from cxg_widget.compute.memo import Memo
from cxg_widget.convert.progress import progress_bar
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import is_of_pixels
from cxg_widget.display.target import Target, is_number, of_column, read, resolve
from cxg_widget.errors import Cancelled, CxgWidgetError, Overtaken
from cxg_widget.spatial.view import Extent, View
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds, bounds_of

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.by_rows import Wanted
    from cxg_widget.draw.aggregate.reductions import Sums
    from cxg_widget.spatial import SpatialIndex

_KEPT_FROM = 1_000_000
"""Indexes of fewer cells are built anew: that takes no longer than to read them."""
NEAR_SHARE = 0.2
NEAR_ROWS = 8_000_000
"""The most rows, of all and at all, that may be decoded for one view: more take as long as all, or much memory."""
_LOOK_S = 0.05


class Loader(Memo):
    """What is known of one dataset.

    Parameters
    ----------
    seed : of the display order and of samples
    tell_progress : called with 0 to 1 while an index is built
    """

    def __init__(self, dataset: Dataset, seed: int, tell_progress: Callable[[float], None]) -> None:
        super().__init__()
        self._dataset = dataset
        self._seed = seed
        self._tell_progress = tell_progress
        self._resolved = lru_cache(maxsize=4)(lambda color, layer: resolve(color, dataset, layer))
        self._recent = ByteCache(RECENT_BYTES, lambda coloring: coloring.nbytes)
        self._place_wanted: Any = None
        self._reading_near = threading.Lock()
        self._awaiting = threading.RLock()
        self._awaited: tuple[Any, Future[AllCells]] | None = None

    # --- which cells are points ------------------------------------------------------------------------------------

    def is_aggregated(self, settings: Settings) -> bool:
        """Say whether pictures are aggregated from all cells, of which only a sample is sent as points."""
        many = self._dataset.n_obs > settings.max_points
        return settings.render == "raster" or (settings.render == "auto" and many) or self.is_of_pixels(settings)

    def is_of_pixels(self, settings: Settings) -> bool:
        """Say whether the numbers on show are of pixels, and not of cells."""
        return is_of_pixels(settings.statistic) and is_number(self.target(settings), self._dataset)

    def target(self, settings: Settings) -> Target:
        """Return what the cells are coloured by; the names of the last few settings are not looked up again.

        Raises
        ------
        CxgWidgetError
            As `target.resolve`.
        """
        return self._resolved(*settings.color_key)

    def _known_target(self, settings: Settings) -> Target | None:
        with suppress(CxgWidgetError):  # whoever reads the colouring is told
            return self.target(settings)
        return None

    def n_points(self, settings: Settings) -> int:
        """Return how many cells are points: all, or those of the sample."""
        n_obs = self._dataset.n_obs
        return min(n_obs, settings.max_points, SAMPLE_POINTS) if self.is_aggregated(settings) else n_obs

    def order(self) -> DisplayOrder:
        """Return the display order of the rows."""
        order: DisplayOrder = self.keep("order", None, lambda: DisplayOrder(self._dataset.n_obs, self._seed))
        return order

    def sample(self, settings: Settings) -> Sample:
        """Return the rows that are points where views are aggregated."""
        n_points = self.n_points(settings)
        sample: Sample = self.keep("sample", n_points, lambda: Sample(self._dataset.n_obs, n_points, self._seed))
        return sample

    # --- before they have been read --------------------------------------------------------------------------------

    def outline(self, settings: Settings) -> Extent | None:
        """Return within which bounds the cells lie, where the store states it and they are not known by reading."""
        if not self.is_aggregated(settings) or self.held("bounds", settings.place_key) is not None:
            return None
        outline: Extent | None = self.keep(
            "outline", settings.place_key, lambda: preview_extent(self._dataset, settings)
        )
        return outline

    def preview(self, settings: Settings) -> Coloring | None:
        """Return a colouring without values, where the store states what these can be and they have not been read."""
        if not self.is_aggregated(settings) or self.held("coloring", settings.color_key) is not None:
            return None
        key = (settings.color_key, settings.vmin, settings.vmax)
        preview: Coloring | None = self.keep("preview", key, lambda: self._preview(settings))
        return preview

    def _preview(self, settings: Settings) -> Coloring | None:
        target = self._known_target(settings)
        return None if target is None else preview_coloring(target, self._dataset, settings)

    def near(self, settings: Settings, view: View, size: tuple[int, int], coloring: Coloring) -> CellsOfView | None:
        """Return the cells of a view, read alone; None where all are under an index, or as soon will be."""
        if self.indexed_at_hand(settings) is not None:
            return None
        limit = min(int(self._dataset.n_obs * NEAR_SHARE), NEAR_ROWS)
        with self._reading_near:
            near: CellsOfView | None = self.held("near", settings.place_key)
            if near is None or not near.holds(view, size):
                near = CellsOfView.read(self._dataset, settings, view, size, limit)
                self.put("near", settings.place_key, near)
        return None if near is None or near.colored(coloring) is None else near

    def _both(self, settings: Settings, part: Literal["xy", "color"]) -> Any:
        """Take coordinates or the values of the colouring from one pass that read both; None = they are read apart."""
        key = (settings.place_key, settings.color_key)
        is_place_known = any(self.held(slot, settings.place_key) is not None for slot in ("xy", "bounds"))
        is_alone = self.held("coloring", settings.color_key) is not None if part == "xy" else is_place_known
        if self.held("both", key) is None and is_alone:
            return None
        made: dict[str, Any] = self.keep("both", key, lambda: self._read_both(settings))
        with self._lock:
            found = made.pop(part, None)
            if not made:
                self.drop("both")
        return found

    def _read_both(self, settings: Settings) -> dict[str, Any]:
        target = self._known_target(settings)
        column = None if target is None else colored_column(target, self._dataset)
        name, axes = settings.embedding, settings.axes
        found = None if column is None else self._dataset.embedding_with(column, name, axes)
        return {} if found is None else dict(zip(("xy", "color"), found, strict=True))

    # --- where they are --------------------------------------------------------------------------------------------

    def xy(self, settings: Settings) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""
        xy: NDArray[np.float32] = self.keep("xy", settings.place_key, lambda: self._read_xy(settings))
        return xy

    def _read_xy(self, settings: Settings) -> NDArray[np.float32]:
        found = self._both(settings, "xy")
        return self._dataset.embedding(settings.embedding, settings.axes) if found is None else found

    def bounds(self, settings: Settings) -> Bounds:
        """Return where the cells lie, and how many lie nowhere."""
        bounds: Bounds = self.keep("bounds", settings.place_key, lambda: bounds_of(self.xy(settings)))
        return bounds

    def point_xy(self, settings: Settings) -> NDArray[np.float32]:
        """Return the coordinates of the points, float32 (n, 2): of all rows, or of the sample in its own order."""
        if not self.is_aggregated(settings):
            return self.xy(settings)
        key = (*settings.place_key, settings.max_points)
        xy: NDArray[np.float32] = self.keep(
            "point_xy", key, lambda: self.coordinates(self.sample(settings).rows, settings)
        )
        return xy

    def coordinates(self, rows: NDArray[np.integer[Any]], settings: Settings) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""
        indexed = self.indexed_at_hand(settings)
        return self.xy(settings)[rows] if indexed is None else indexed.coordinates(rows)

    def indexed(self, settings: Settings) -> AllCells:
        """Return all cells under an index, which is built or loaded at first use."""
        indexed: AllCells = self.keep("indexed", settings.place_key, lambda: self._make_indexed(settings))
        # What sending all points took, 16 bytes a cell, is of no use now: the index holds the coordinates too.
        for slot, key in (("xy", settings.place_key), ("near", settings.place_key), ("order", None)):
            if self.held(slot, key) is not None:
                self.drop(slot)
        return indexed

    def indexed_at_hand(self, settings: Settings) -> AllCells | None:
        """Return all cells under an index, if it has been made."""
        indexed: AllCells | None = self.held("indexed", settings.place_key)
        return indexed

    def awaited(self, settings: Settings, is_overtaken: Callable[[], bool]) -> AllCells:
        """Return all cells once their index has been made, which goes on though nobody may wait for it any more.

        Raises
        ------
        Overtaken
            When `is_overtaken()` returned True meanwhile.
        """
        held = self.indexed_at_hand(settings)
        if held is not None:
            return held
        with self._awaiting:
            if self._awaited is None or self._awaited[0] != settings.place_key:
                self._awaited = settings.place_key, in_background(lambda: self.indexed(settings))
            future = self._awaited[1]
            future.add_done_callback(self._forget_awaited)  # it would hold the cells
        while not wait([future], _LOOK_S).done:
            if is_overtaken():
                raise Overtaken("a newer request took the place of this one.")
        return future.result()

    def _forget_awaited(self, done: Future[AllCells]) -> None:
        with self._awaiting:
            if self._awaited is not None and self._awaited[1] is done:
                self._awaited = None

    def has_cells(self, settings: Settings) -> bool:  # noqa: ARG002
        """Say whether there can be cells under the pointer: not where nothing has been drawn yet."""
        return True

    def is_prompt(self, settings: Settings) -> bool:
        """Say whether a lasso can be answered without reading anything first."""
        has_places = self.indexed_at_hand(settings) is not None or self.held("xy", settings.place_key) is not None
        return has_places and self.held("coloring", settings.color_key) is not None

    def prepare_index(self, settings: Settings) -> None:
        """Do what the first aggregated picture would wait for."""
        from cxg_widget.draw.aggregate import warm_up

        warm_up()
        self.indexed(settings)

    def close(self) -> None:
        """Let go of everything, and give up an index that is being built; Jupyter holds a closed widget for good."""
        super().close()
        self._recent.limit_bytes = 0  # a reading that ends later is not kept either
        self._recent.clear()

    def _make_indexed(self, settings: Settings) -> AllCells:
        self._place_wanted = settings.place_key
        self.bounds(settings)
        try:
            indexed = IndexedCells(self._index(settings))
        except Cancelled:
            raise Overtaken("other cells are on show than those of the index that was being built.") from None
        return indexed

    def _index(self, settings: Settings) -> SpatialIndex:
        """Load the index that an earlier session kept, or build it and keep it."""
        from cxg_widget.spatial import IndexStore, SpatialIndex, index_key

        xy, identity = self.xy(settings), self._dataset.identity

        def is_unwanted() -> bool:
            return self._is_closed or self._place_wanted != settings.place_key

        if not identity or self._dataset.n_obs < _KEPT_FROM:
            return SpatialIndex.build(xy, progress=self._tell_progress, cancelled=is_unwanted)
        store = IndexStore()
        name = self._dataset.find_embedding(settings.embedding)
        key = index_key(identity, self._dataset.n_obs, name, settings.axes)
        index = store.load(key, xy)
        if index is None:
            index = SpatialIndex.build(xy, progress=self._tell_progress, cancelled=is_unwanted)
            store.save(key, index)
        return index

    # --- what they sum up to ---------------------------------------------------------------------------------------

    def extent(self, settings: Settings) -> View:
        """Return within which bounds all cells lie: x0, x1, y0, y1; read in blocks where they are not known."""
        from cxg_widget.draw.aggregate.by_rows import bounds_by_rows

        bounds: Bounds = self.keep(
            "bounds", settings.place_key, lambda: bounds_by_rows(self._dataset, *settings.place_key)
        )
        return bounds.extent

    def sums(
        self, settings: Settings, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None
    ) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), reading in blocks what is not held."""
        from cxg_widget.draw.aggregate.by_rows import sums_over

        def xy_block(start: int, stop: int) -> NDArray[np.float32]:
            if self.indexed_at_hand(settings) is None and self.held("xy", settings.place_key) is None:
                return self._dataset.embedding_block(*settings.place_key, start, stop)
            return self.coordinates(np.arange(start, stop), settings)

        with progress_bar(None, delay_s=2.0) as tell:
            return sums_over(self._dataset, wanted, view, size, mask=mask, xy_block=xy_block, tell=tell)

    # --- how they are coloured -------------------------------------------------------------------------------------

    def coloring(self, settings: Settings) -> Coloring:
        """Read what the cells are coloured by.

        Raises
        ------
        CxgWidgetError
            If the name is unknown or the data cannot be read; the colouring on show stays.
        """
        key = settings.color_key
        read = self._recent.get_or_load
        made: Coloring = self.keep("coloring", key, lambda: read(key, lambda: self._read_coloring(settings)))
        return made

    def _read_coloring(self, settings: Settings) -> Coloring:
        target = self.target(settings)
        if target.source == "none":
            return Coloring(target)
        values = self._both(settings, "color") if target.source == "obs" else None
        data = read(target, self._dataset, settings.layer) if values is None else of_column(target.name, values)
        return Coloring.of(target, data, self._dataset.n_obs)

    def columns(self, settings: Settings, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name, each as a colouring by it would be."""
        key = (names, settings.layer)
        made: dict[str, Coloring] = self.keep(
            "columns", key, lambda: {name: self._read_coloring(replace(settings, color=name)) for name in names}
        )
        return made

    def point_coloring(self, settings: Settings) -> Coloring:
        """Return what colours the points: all rows, or the sample in its own order."""
        coloring = self.coloring(settings)
        return coloring.take(self.sample(settings).rows) if self.is_aggregated(settings) else coloring

    def category_mask(self, settings: Settings, code: int) -> NDArray[np.bool_]:
        """Return which cells have a category of the colouring, bool (n_obs,); code -1 = those without one."""
        return np.asarray(self.coloring(settings).codes.codes == code)

    def count_selected(self, settings: Settings, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all of them, see `encoding.count_selected`."""
        return self.coloring(settings).count_selected(mask)
