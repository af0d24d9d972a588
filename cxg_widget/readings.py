"""What has been read of a dataset for the look on show: each part at first use, kept until its key changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.coloring import read, resolve
from cxg_widget.datasets.base import Codes, Dataset
from cxg_widget.encoding import describe
from cxg_widget.errors import Cancelled, Overtaken
from cxg_widget.field import AnyField, Field
from cxg_widget.look import Coloring, Look
from cxg_widget.order import DisplayOrder
from cxg_widget.protocol import MISSING_LABEL
from cxg_widget.quantise import Bounds, bounds_of
from cxg_widget.sample import SAMPLE_POINTS, Sample

if TYPE_CHECKING:
    from cxg_widget.spatial import SpatialIndex

_KEPT_FROM = 1_000_000
"""Indexes of fewer cells are built anew: that takes no longer than to read them."""


class Readings:
    """What is known of one dataset.

    Parameters
    ----------
    seed : of the display order and of samples
    tell_progress : called with 0 to 1 while an index is built
    """

    def __init__(self, dataset: Dataset, seed: int, tell_progress: Callable[[float], None]) -> None:
        self._dataset = dataset
        self._seed = seed
        self._tell_progress = tell_progress
        self._lock = threading.RLock()
        self._made: dict[str, tuple[Any, Any]] = {}
        self._making: dict[tuple[str, Any], threading.RLock] = {}
        self._place_wanted: Any = None
        self._is_closed = False

    def keep(self, slot: str, key: Any, make: Callable[[], Any]) -> Any:
        """Return what the slot holds for a key; two threads that miss the same key at once make it once."""
        with self._lock:
            making = self._making.setdefault((slot, key), threading.RLock())
        with making:
            held = self._made.get(slot)
            try:
                if held is None or held[0] != key:
                    held = (key, make())
                    if not self._is_closed:
                        self._made[slot] = held
            finally:
                with self._lock:
                    self._making.pop((slot, key), None)
        return held[1]

    def _held(self, slot: str, key: Any) -> Any:
        held = self._made.get(slot)
        return held[1] if held is not None and held[0] == key else None

    # --- which cells are points ------------------------------------------------------------------------------------

    def is_aggregated(self, look: Look) -> bool:
        """Say whether pictures are aggregated from all cells, of which only a sample is sent as points."""
        many = self._dataset.n_obs > look.max_points
        return look.render == "raster" or (look.render == "auto" and many)

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

    # --- where they are --------------------------------------------------------------------------------------------

    def xy(self, look: Look) -> NDArray[np.float32]:
        """Return the coordinates at full precision, float32 (n_obs, 2), row order."""
        xy: NDArray[np.float32] = self.keep(
            "xy", look.place_key, lambda: self._dataset.embedding(look.embedding, look.axes)
        )
        return xy

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
        for slot, key in (("xy", look.place_key), ("order", None)):
            if self._held(slot, key) is not None:
                self._made.pop(slot, None)
        return field

    def field_at_hand(self, look: Look) -> AnyField | None:
        """Return the field if it has been made."""
        field: AnyField | None = self._held("field", look.place_key)
        return field

    def prepare_field(self, look: Look) -> None:
        """Do what the first aggregated picture would wait for."""
        from cxg_widget.aggregate import warm_up

        warm_up()
        self.field(look)

    def close(self) -> None:
        """Let go of everything, and give up an index that is being built; Jupyter holds a closed widget for good."""
        self._is_closed = True
        self._made.clear()

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

    # --- how they are coloured -------------------------------------------------------------------------------------

    def coloring(self, look: Look) -> Coloring:
        """Read what the cells are coloured by.

        Raises
        ------
        CxgWidgetError
            If the name is unknown or the data cannot be read; the colouring on show stays.
        """
        made: Coloring = self.keep("coloring", look.color_key, lambda: self._read_coloring(look))
        return made

    def _read_coloring(self, look: Look) -> Coloring:
        target = resolve(look.color, self._dataset, look.layer)
        if target.source == "none":
            return Coloring(target)
        data = read(target, self._dataset, look.layer)
        return Coloring(target, data if isinstance(data, Codes) else describe(data, self._dataset.n_obs))

    def point_coloring(self, look: Look) -> Coloring:
        """Return what colours the points: all rows, or the sample in its own order."""
        coloring = self.coloring(look)
        return coloring.take(self.sample(look).rows) if self.is_aggregated(look) else coloring

    def visible_categories(self, look: Look) -> NDArray[np.bool_] | None:
        """Return which categories the legend does not hide, bool (k + 1,), missing last; None when all are shown."""
        if not look.hidden:
            return None
        coloring = self.coloring(look)
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
