"""What has been read of a dataset for the look on show: each part at first use, kept until its key changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.in_view import ViewField
from cxg_widget.cells.indexed import RECENT_BYTES, AnyField, Field, View
from cxg_widget.cells.preview import colored_column, sketch_coloring, sketch_extent
from cxg_widget.cells.sample import SAMPLE_POINTS, Sample
from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.jobs import in_background
from cxg_widget.compute.memo import Slots
from cxg_widget.convert.progress import progress_bar
from cxg_widget.datasets.base.by_view import Extent
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.display.coloring import is_number, of_column, read, resolve
from cxg_widget.display.look import Coloring, Look
from cxg_widget.display.statistic import is_of_pixels
from cxg_widget.errors import Cancelled, Overtaken
from cxg_widget.wire.encoding import count_selected, describe
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import MISSING_LABEL
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


class Readings(Slots):
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
        self._recent = ByteCache(RECENT_BYTES, lambda coloring: coloring.nbytes)
        self._place_wanted: Any = None
        self._reading_near = threading.Lock()
        self._awaiting = threading.RLock()
        self._awaited: tuple[Any, Future[AnyField]] | None = None

    # --- which cells are points ------------------------------------------------------------------------------------

    def is_aggregated(self, look: Look) -> bool:
        """Say whether pictures are aggregated from all cells, of which only a sample is sent as points."""
        many = self._dataset.n_obs > look.max_points
        return look.render == "raster" or (look.render == "auto" and many) or self.is_of_pixels(look)

    def is_of_pixels(self, look: Look) -> bool:
        """Say whether the numbers on show are of pixels, and not of cells."""
        return is_of_pixels(look.statistic) and is_number(look.color, self._dataset, look.layer)

    def n_points(self, look: Look) -> int:
        """Return how many cells are points: all, or those of the sample."""
        n_obs = self._dataset.n_obs
        return min(n_obs, look.max_points, SAMPLE_POINTS) if self.is_aggregated(look) else n_obs

    def order(self) -> DisplayOrder:
        """Return the display order of the rows."""
        order: DisplayOrder = self.keep("order", None, lambda: DisplayOrder(self._dataset.n_obs, self._seed))
        return order

    def sample(self, look: Look) -> Sample:
        """Return the rows that are points where views are aggregated."""
        n_points = self.n_points(look)
        sample: Sample = self.keep("sample", n_points, lambda: Sample(self._dataset.n_obs, n_points, self._seed))
        return sample

    # --- before they have been read --------------------------------------------------------------------------------

    def outline(self, look: Look) -> Extent | None:
        """Return within which bounds the cells lie, where the store states it and they are not known by reading."""
        if not self.is_aggregated(look) or self.held("bounds", look.place_key) is not None:
            return None
        outline: Extent | None = self.keep("outline", look.place_key, lambda: sketch_extent(self._dataset, look))
        return outline

    def sketch(self, look: Look) -> Coloring | None:
        """Return a colouring without values, where the store states what these can be and they have not been read."""
        if not self.is_aggregated(look) or self.held("coloring", look.color_key) is not None:
            return None
        key = (look.color_key, look.vmin, look.vmax)
        sketch: Coloring | None = self.keep("sketch", key, lambda: sketch_coloring(self._dataset, look))
        return sketch

    def near(self, look: Look, view: View, size: tuple[int, int], coloring: Coloring) -> ViewField | None:
        """Return the cells of a view, read alone; None where all are under an index, or as soon will be."""
        if self.field_at_hand(look) is not None:
            return None
        limit = min(int(self._dataset.n_obs * NEAR_SHARE), NEAR_ROWS)
        with self._reading_near:
            near: ViewField | None = self.held("near", look.place_key)
            if near is None or not near.holds(view, size):
                near = ViewField.read(self._dataset, look, view, size, limit)
                self.put("near", look.place_key, near)
        return None if near is None or near.colored(coloring) is None else near

    def _both(self, look: Look, part: Literal["xy", "color"]) -> Any:
        """Take coordinates or the values of the colouring from one pass that read both; None = they are read apart."""
        key = (look.place_key, look.color_key)
        is_place_known = any(self.held(slot, look.place_key) is not None for slot in ("xy", "bounds"))
        is_alone = self.held("coloring", look.color_key) is not None if part == "xy" else is_place_known
        if self.held("both", key) is None and is_alone:
            return None
        made: dict[str, Any] = self.keep("both", key, lambda: self._read_both(look))
        with self._lock:
            found = made.pop(part, None)
            if not made:
                self.drop("both")
        return found

    def _read_both(self, look: Look) -> dict[str, Any]:
        column = colored_column(self._dataset, look)
        name, axes = look.embedding, look.axes
        found = None if column is None else self._dataset.embedding_with(column, name, axes)
        return {} if found is None else dict(zip(("xy", "color"), found, strict=True))

    # --- where they are --------------------------------------------------------------------------------------------

    def xy(self, look: Look) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""
        xy: NDArray[np.float32] = self.keep("xy", look.place_key, lambda: self._read_xy(look))
        return xy

    def _read_xy(self, look: Look) -> NDArray[np.float32]:
        found = self._both(look, "xy")
        return self._dataset.embedding(look.embedding, look.axes) if found is None else found

    def bounds(self, look: Look) -> Bounds:
        """Return where the cells lie, and how many lie nowhere."""
        bounds: Bounds = self.keep("bounds", look.place_key, lambda: bounds_of(self.xy(look)))
        return bounds

    def point_xy(self, look: Look) -> NDArray[np.float32]:
        """Return the coordinates of the points, float32 (n, 2): of all rows, or of the sample in its own order."""
        if not self.is_aggregated(look):
            return self.xy(look)
        key = (*look.place_key, look.max_points)
        xy: NDArray[np.float32] = self.keep("point_xy", key, lambda: self.coordinates(self.sample(look).rows, look))
        return xy

    def coordinates(self, rows: NDArray[np.integer[Any]], look: Look) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2)."""
        field = self.field_at_hand(look)
        return self.xy(look)[rows] if field is None else field.coordinates(rows)

    def field(self, look: Look) -> AnyField:
        """Return all cells under an index, which is built or loaded at first use."""
        field: AnyField = self.keep("field", look.place_key, lambda: self._make_field(look))
        # What sending all points took, 16 bytes a cell, is of no use now: the index holds the coordinates too.
        for slot, key in (("xy", look.place_key), ("near", look.place_key), ("order", None)):
            if self.held(slot, key) is not None:
                self.drop(slot)
        return field

    def field_at_hand(self, look: Look) -> AnyField | None:
        """Return the field if it has been made."""
        field: AnyField | None = self.held("field", look.place_key)
        return field

    def awaited_field(self, look: Look, is_overtaken: Callable[[], bool]) -> AnyField:
        """Return the field once it has been made, which goes on though nobody may wait for it any more.

        Raises
        ------
        Overtaken
            When `is_overtaken()` returned True meanwhile.
        """
        held = self.field_at_hand(look)
        if held is not None:
            return held
        with self._awaiting:
            if self._awaited is None or self._awaited[0] != look.place_key:
                self._awaited = look.place_key, in_background(lambda: self.field(look))
            future = self._awaited[1]
            future.add_done_callback(self._forget_awaited)  # it would hold the cells
        while not wait([future], _LOOK_S).done:
            if is_overtaken():
                raise Overtaken("a newer request took the place of this one.")
        return future.result()

    def _forget_awaited(self, done: Future[AnyField]) -> None:
        with self._awaiting:
            if self._awaited is not None and self._awaited[1] is done:
                self._awaited = None

    def has_cells(self, look: Look) -> bool:  # noqa: ARG002
        """Say whether there can be cells under the pointer: not where nothing has been drawn yet."""
        return True

    def is_prompt(self, look: Look) -> bool:
        """Say whether a lasso can be answered without reading anything first."""
        has_places = self.field_at_hand(look) is not None or self.held("xy", look.place_key) is not None
        return has_places and self.held("coloring", look.color_key) is not None

    def prepare_field(self, look: Look) -> None:
        """Do what the first aggregated picture would wait for."""
        from cxg_widget.draw.aggregate import warm_up

        warm_up()
        self.field(look)

    def close(self) -> None:
        """Let go of everything, and give up an index that is being built; Jupyter holds a closed widget for good."""
        super().close()
        self._recent.limit_bytes = 0  # a reading that ends later is not kept either
        self._recent.clear()

    def _make_field(self, look: Look) -> AnyField:
        self._place_wanted = look.place_key
        self.bounds(look)
        try:
            field = Field(self._index(look))
        except Cancelled:
            raise Overtaken("other cells are on show than those of the index that was being built.") from None
        return field

    def _index(self, look: Look) -> SpatialIndex:
        """Load the index that an earlier session kept, or build it and keep it."""
        from cxg_widget.spatial import IndexStore, SpatialIndex, index_key

        xy, identity = self.xy(look), self._dataset.identity

        def is_unwanted() -> bool:
            return self._is_closed or self._place_wanted != look.place_key

        if not identity or self._dataset.n_obs < _KEPT_FROM:
            return SpatialIndex.build(xy, progress=self._tell_progress, cancelled=is_unwanted)
        store = IndexStore()
        name = self._dataset.find_embedding(look.embedding)
        key = index_key(identity, self._dataset.n_obs, name, look.axes)
        index = store.load(key, xy)
        if index is None:
            index = SpatialIndex.build(xy, progress=self._tell_progress, cancelled=is_unwanted)
            store.save(key, index)
        return index

    # --- what they sum up to ---------------------------------------------------------------------------------------

    def extent(self, look: Look) -> View:
        """Return within which bounds all cells lie: x0, x1, y0, y1; read in blocks where they are not known."""
        from cxg_widget.draw.aggregate.by_rows import bounds_by_rows

        bounds: Bounds = self.keep("bounds", look.place_key, lambda: bounds_by_rows(self._dataset, *look.place_key))
        return bounds.extent

    def sums(
        self, look: Look, wanted: Wanted, view: View, size: tuple[int, int], mask: NDArray[np.bool_] | None
    ) -> Sums:
        """Reduce all cells, or those of a mask, bool (n_obs,), reading in blocks what is not held."""
        from cxg_widget.draw.aggregate.by_rows import sums_over

        def xy_block(start: int, stop: int) -> NDArray[np.float32]:
            if self.field_at_hand(look) is None and self.held("xy", look.place_key) is None:
                return self._dataset.embedding_block(*look.place_key, start, stop)
            return self.coordinates(np.arange(start, stop), look)

        with progress_bar(None, delay_s=2.0) as tell:
            return sums_over(self._dataset, wanted, view, size, mask=mask, xy_block=xy_block, tell=tell)

    # --- how they are coloured -------------------------------------------------------------------------------------

    def coloring(self, look: Look) -> Coloring:
        """Read what the cells are coloured by.

        Raises
        ------
        CxgWidgetError
            If the name is unknown or the data cannot be read; the colouring on show stays.
        """
        key = look.color_key
        read = self._recent.get_or_load
        made: Coloring = self.keep("coloring", key, lambda: read(key, lambda: self._read_coloring(look)))
        return made

    def _read_coloring(self, look: Look) -> Coloring:
        target = resolve(look.color, self._dataset, look.layer)
        if target.source == "none":
            return Coloring(target)
        values = self._both(look, "color") if target.source == "obs" else None
        data = read(target, self._dataset, look.layer) if values is None else of_column(target.name, values)
        return Coloring(target, data if isinstance(data, Codes) else describe(data, self._dataset.n_obs))

    def columns(self, look: Look, names: tuple[str, ...]) -> dict[str, Coloring]:
        """Return columns by name, each as a colouring by it would be."""
        key = (names, look.layer)
        made: dict[str, Coloring] = self.keep(
            "columns", key, lambda: {name: self._read_coloring(replace(look, color=name)) for name in names}
        )
        return made

    def point_coloring(self, look: Look) -> Coloring:
        """Return what colours the points: all rows, or the sample in its own order."""
        coloring = self.coloring(look)
        return coloring.take(self.sample(look).rows) if self.is_aggregated(look) else coloring

    def category_mask(self, look: Look, code: int) -> NDArray[np.bool_]:
        """Return which cells have a category of the colouring, bool (n_obs,); code -1 = those without one."""
        data = self.coloring(look).data
        assert isinstance(data, Codes)
        return np.asarray(data.codes == code)

    def count_selected(self, look: Look, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count selected cells as the legend counts all of them, see `encoding.count_selected`."""
        data = self.coloring(look).data
        if data is None:
            return np.zeros(1, dtype=np.int64)
        if isinstance(data, Codes):
            return count_selected(data, mask, 0.0, 0.0)
        return count_selected(data.vector, mask, data.lo, data.hi)

    def visible_categories(self, look: Look, coloring: Coloring | None = None) -> NDArray[np.bool_] | None:
        """Return which categories the legend does not hide, bool (k + 1,), missing last; None when all are shown.

        coloring : of the look; None = it is read
        """
        if not look.hidden:
            return None
        coloring = coloring or self.coloring(look)
        if not isinstance(coloring.data, Codes):
            return None
        hidden = set(look.hidden)
        return np.array([label not in hidden for label in [*coloring.labels, MISSING_LABEL]], dtype=np.bool_)

    def visible(self, look: Look) -> NDArray[np.bool_] | None:
        """Return which cells are not hidden by the legend, bool (n_obs,); None when all are shown."""
        shown, data = self.visible_categories(look), self.coloring(look).data if look.hidden else None
        if shown is None or not isinstance(data, Codes):
            return None
        visible: NDArray[np.bool_] = shown[data.codes]
        return visible
