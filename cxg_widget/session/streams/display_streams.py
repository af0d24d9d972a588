"""Streams the current points, colors and selection to the front-end, each with its stream number."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.cells.preview import is_close
from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.looks import hide_from_legend, within
from cxg_widget.display.tissue import spot_of
from cxg_widget.draw.points.crowding import few_of
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import error_frame
from cxg_widget.session.streams import chunks
from cxg_widget.session.streams.first_paint import are_many
from cxg_widget.spatial.view import Extent
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds
from cxg_widget.wire.recoded import recoded_frame

_Sent = tuple[int, Coloring, "weakref.ref[DisplayOrder]"]
"""Number of a sent coloring, the coloring, and its order."""


class DisplayStreams:
    """Streams of the plot; each ends early when a newer one of its kind starts."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader = loader
        self._display = display
        self._dataset = loader.dataset
        self._sent: _Sent | None = None
        self._sending = 0
        self._lock = threading.Lock()

    @property
    def _held(self) -> Holder:
        return self._loader.of(self._display.settings)

    def dataset(self) -> Iterator[Frame]:
        """Yield the description of the dataset, again after its columns have changed."""
        yield chunks.dataset_frame(self._dataset)

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates, in chunks; ends early when a newer call starts.

        If the store states their bounds, a frame without points has them before the points are read.
        """
        return self._points(self._display.take_up("points"))

    def _points(self, seq: int) -> Iterator[Frame]:
        outline = self._held.outline()
        if outline is not None:
            yield from self._display.until_newer("points", seq, partial(self._outline_frames, outline))
            bounds = self._held.place()
            is_kept = is_close(outline, bounds.extent)
            outline = outline if is_kept else None
            seq = seq if is_kept else self._display.renumber("points", seq)
        yield from self._display.until_newer("points", seq, partial(self._point_frames, outline))

    def _outline_frames(self, outline: Extent, seq: int) -> Iterator[Frame]:
        about = {**self.about_points(seq), "n_points": self._held.n_points}
        message = p.Points(start=0, stop=0, extent=list(outline), n_missing=0, **about)
        yield Frame(message, {"xy": np.empty((0, 2), dtype=np.uint16)})

    def _point_frames(self, outline: Extent | None, seq: int) -> Iterator[Frame]:
        held = self._held
        bounds = held.bounds()
        if outline is not None:
            bounds = Bounds(outline, bounds.n_missing)
        return chunks.point_frames(held.point_xy(), bounds, held.order, self.about_points(seq), _sizes_of_points(held))

    def place(self, panel: int) -> Iterator[Frame]:
        """Yield the coordinates of a panel's embedding, which all its panels share; nothing if it is the plot's.

        Ends early as `points`.
        """
        settings, place = self._display.place(panel)
        if place == 0:
            return
        held = self._loader.of(settings)

        def frames(seq: int) -> Iterator[Frame]:
            xy, bounds = held.point_xy(), held.bounds()
            about = self.about_points(seq, held)
            yield from chunks.point_frames(xy, bounds, held.order, about, _sizes_of_points(held))

        seq = self._display.next("points", place)
        for frame in self._display.until_newer("points", seq, frames, place):
            yield chunks.of_panel(frame, panel)

    def about_points(self, seq: int, held: Holder | None = None) -> dict[str, Any]:
        """Return the fields of `Points` that are the same for all chunks."""
        held = held or self._held
        settings, name = held.settings, self._dataset.find_embedding(held.settings.embedding)
        equal_units = self._dataset.axis_labels(name, settings.axes) is None
        return {
            "seq": seq, "embedding": self._dataset.describe_embedding(name), "axes": list(settings.axes),
            "n_obs": self._dataset.n_obs, "n_at_zero": held.n_at_zero(),
            "y_down": is_tissue(name), "aggregated": held.is_aggregated,
            "equal_units": equal_units, "axis_labels": list(self._dataset.axis_names(name, settings.axes) or ()),
            "few": few_of(settings), "spot": spot_of(self._dataset, replace(settings, tissue=None)),
            "place": [name] if isinstance(name, str) else list(name),
        }  # fmt: skip

    def color(self) -> Iterator[Frame]:
        """Yield the legend and the values of the current coloring, in chunks; ends early as `points`.

        If the store states limits or categories, a legend with these alone precedes the values.
        """
        return self._color(self._display.take_up("color"))

    def _color(self, seq: int) -> Iterator[Frame]:
        preview = self._held.preview()
        if preview is not None and preview.is_preview:
            yield from self._display.until_newer("color", seq, partial(self._preview_frames, preview))
            self._held.coloring()
            seq = self._display.renumber("color", seq)
        yield from self._display.until_newer("color", seq, self._color_frames)

    def _preview_frames(self, preview: Coloring, seq: int) -> Iterator[Frame]:
        yield chunks.legend_frame(preview, self._display.settings, self._dataset, self._held.n_points, seq)

    def _color_frames(self, seq: int) -> Iterator[Frame]:
        self._held.coloring()
        settings = self._display.settings  # limits may have changed while it was read
        held = self._loader.of(settings)
        order = held.order
        yield chunks.legend_frame(held.coloring(), settings, self._dataset, order.rows.size, seq)
        coloring, since = held.point_coloring(), None
        sent = self._begin_sending(seq)
        if sent is not None and settings.log_of(coloring.target.name) is not None:
            of, before, known = sent
            if before.target == coloring.target and known() is order:
                since = recoded_frame(before.codes, coloring.codes, order, of, seq)
        yield from coloring.frames(order, seq) if since is None else [since]
        self._end_sending(seq, (seq, coloring, weakref.ref(order)))

    def _begin_sending(self, seq: int) -> _Sent | None:
        """Return the last coloring that was sent completely; None while another is being sent."""
        # If a newer coloring starts before the older one has ended, two threads send. The newer one could be derived
        # from data that the page no longer has, and the page would wait for it forever: so it is sent completely.
        with self._lock:
            if seq < self._sending:  # it was overtaken
                return None
            sent, self._sent, self._sending = self._sent, None, seq
        return sent

    def _end_sending(self, seq: int, sent: _Sent) -> None:
        """Record a completely sent coloring, unless another has started since."""
        with self._lock:
            if self._sending == seq:
                self._sent = sent

    def recolor(self, panel: int = 0) -> Iterator[Frame]:
        """Yield the colors of the categories of a panel, after a change of the palette."""
        settings, _, seqs = self._display.now(panel)
        colors = chunks.category_colors(self._loader.of(settings).coloring(), settings, self._dataset)
        yield Frame(p.Palette(seqs.color, colors, panel=panel))

    def look(self, panel: int) -> Iterator[Frame]:
        """Yield the own color of a panel, if it has one, and which points it shows."""
        if "color" in self._display.settings.look(panel):
            yield from self._panel_color(panel)
        yield from self.panel_cells(panel)

    def _panel_color(self, panel: int) -> Iterator[Frame]:
        """Yield the legend and the values of a panel's own color; ends early as `points`."""
        seq = self._display.next("color", panel)

        def frames(seq: int) -> Iterator[Frame]:
            self._loader.of(self._display.settings.of_panel(panel)).coloring()
            settings = self._display.settings.of_panel(panel)  # limits may have changed while it was read
            held = self._loader.of(settings)
            order = held.order
            yield chunks.legend_frame(held.coloring(), settings, self._dataset, order.rows.size, seq)
            yield from held.point_coloring().frames(order, seq)

        for frame in self._display.until_newer("color", seq, frames, panel):
            yield chunks.of_panel(frame, panel)

    def panel_cells(self, panel: int) -> Iterator[Frame]:
        """Yield which points a panel shows: its cells that the legend of the plot does not hide."""
        settings, seq = self._display.settings, self._display.next("filter", panel)
        held = self._loader.of(settings.of_panel(panel))
        yield chunks.of_panel(self._filter_frame(held, self.passing_of(panel), seq), panel)

    def passing_of(self, panel: int) -> NDArray[np.bool_] | None:
        """Return which cells a panel shows, bool (n_obs,); None = all."""
        settings = self._display.settings
        look = settings.look(panel)
        rules = within(look)
        if "color" in look:
            others = self._loader.filters_except_legend(settings)
            rules = (*(hide_from_legend(one) for one in settings.filters if one not in others), *rules)
        return self._loader.crossfilter.passing(rules)

    def selection(self) -> Iterator[Frame]:
        """Yield which points are selected, as packed bits."""
        seq, mask = self._display.next_selection()
        n_selected = int(np.count_nonzero(mask))
        yield chunks.selection_frame(mask[self._held.point_rows] if n_selected else mask, n_selected, seq)

    def filter(self) -> Iterator[Frame]:
        """Yield which points pass the filters, as packed bits."""
        settings, seq = self._display.next_filter()
        held = self._loader.of(settings)
        yield self._filter_frame(held, held.passing(), seq)

    def _filter_frame(self, held: Holder, passing: NDArray[np.bool_] | None, seq: int) -> Frame:
        n_passing, n_shown = (
            self._dataset.n_obs if mask is None else int(np.count_nonzero(mask))
            for mask in (held.filtered(), held.shown())
        )
        return chunks.filter_frame(passing, (n_passing, n_shown), held.point_rows, seq)

    def color_and_filter(self) -> Iterator[Frame]:
        """Yield color and filter if a column's filter moves to or from the legend, without showing hidden cells."""
        settings, seq = self._display.next_filter()
        held = self._loader.of(settings)
        yield self._filter_frame(held, held.filtered(), seq)
        yield from self.color()
        yield from self.filter()

    def show(self) -> Iterator[Frame]:
        """Yield points and color in alternating chunks, so that the first picture has both; then the selection.

        The filters come first.
        """
        with self._lock:
            self._sent, self._sending = None, 0  # a page may be new, and have nothing
        if self._display.settings.filters:
            try:
                yield from self.filter()
            except CxgWidgetError as error:
                yield error_frame("filter", error, self._dataset.uri)
        running = {"color": self.color(), "points": self.points()}
        while running:
            for slot, stream in list(running.items()):
                try:
                    yield next(stream)
                except StopIteration:
                    del running[slot]
                except CxgWidgetError as error:
                    del running[slot]
                    yield error_frame(slot, error, self._dataset.uri)
        if self._display.mask.any():
            yield from self.selection()

    def early(self) -> Iterator[Frame]:
        """Yield the first of many points before the front-end requests them; `show` then starts with the same.

        A kernel receives no messages while the cell that shows the widget is running.
        """
        if not are_many(self._held.n_points) or self._display.settings.filters:
            return
        is_preview = self._held.outline() is not None and self._held.preview() is not None
        seqs = self._display.begin_early(can_take_up=not is_preview)
        yield from self.dataset()
        color, points = self._color(seqs["color"]), self._points(seqs["points"])
        with suppress(CxgWidgetError):  # the request will report it
            for stream in (color, points) if is_preview else (color, points, color):
                yield from islice(stream, 1)


def _sizes_of_points(held: Holder) -> NDArray[np.uint16] | None:
    """Return how wide the points of `Holder.point_xy` are; None = all alike."""
    sizes = held.sizes()
    return sizes[held.point_rows] if sizes is not None and held.is_aggregated else sizes
