"""Requests in, frames out: everything the widget can do, without a comm and without traitlets.

A `Session` holds one dataset, what was read of it, the selection and the look on show. It may be called from
several threads; a newer request for points or colour ends the older one between two chunks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget import protocol as p
from cxg_widget import raster, streams
from cxg_widget.bounds import check_size, check_version, check_view
from cxg_widget.datasets.base import Codes, Dataset
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.field import Shown, View
from cxg_widget.frames import Frame
from cxg_widget.hover import Describer, circle_of, nearest_row
from cxg_widget.look import Coloring, Look, is_tissue
from cxg_widget.opening import Opening, are_many
from cxg_widget.order import DisplayOrder
from cxg_widget.picture import Paint, paint
from cxg_widget.polygon import as_polygon, in_polygon
from cxg_widget.quantise import Bounds
from cxg_widget.readings import Readings
from cxg_widget.sample import SAMPLE_POINTS
from cxg_widget.search import Catalogue
from cxg_widget.selection import SelectedCells, combine
from cxg_widget.survey import CLOSE_CELLS, Seqs, survey_frames


class Session:
    """One dataset on show.

    Parameters
    ----------
    dataset : the open dataset; the session does not close it
    look : what to show first
    seed : of the display order
    announce : takes a frame that nobody asked for, from any thread
    read_with : makes the `Readings` of a dataset, a seed and a function that is told progress
    """

    def __init__(
        self, dataset: Dataset, look: Look | None = None, *, seed: int = 0,
        announce: Callable[[Frame], object] | None = None,
        read_with: Callable[..., Readings] = Readings,
    ) -> None:  # fmt: skip
        self.dataset = dataset
        self._look = look or Look(embedding=dataset.default_embedding)
        self.mask: NDArray[np.bool_] = np.zeros(dataset.n_obs, dtype=np.bool_)
        self._announce = announce or (lambda _: None)
        self._readings = read_with(dataset, seed, self._tell_progress)
        self._stop_listening = dataset.tell_progress_to(self._tell_progress)
        self._lock = threading.RLock()
        self._opening = Opening()
        self._seq = {"points": 0, "color": 0, "selection": 0}

    def _tell_progress(self, done: float) -> None:
        self._announce(Frame(p.Progress("index", done)))

    @property
    def look(self) -> Look:
        """What is asked to be on show; from the moment it is set, what is sent for another one counts as older."""
        return self._look

    @look.setter
    def look(self, look: Look) -> None:
        with self._lock:
            before, self._look = self._look, look
            are_others = (look.render, look.max_points) != (before.render, before.max_points)
            self._seq["points"] += are_others or look.place_key != before.place_key
            self._seq["color"] += are_others or look.color_key != before.color_key

    # --- what is known ---------------------------------------------------------------------------------------------

    @property
    def catalogue(self) -> Catalogue:
        """Everything one can colour by."""
        catalogue: Catalogue = self._readings.keep("catalogue", None, lambda: Catalogue(self.dataset))
        return catalogue

    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates on show at full precision, float32 (n_obs, 2), row order."""
        return self._readings.xy(self.look)

    def place(self, look: Look | None = None) -> Bounds:
        """Read where the cells are, and return within which bounds that is."""
        self._readings.point_xy(look or self.look)
        return self._readings.bounds(look or self.look)

    def coloring(self, look: Look | None = None) -> Coloring:
        """Read and return what the cells are coloured by; raises as `Readings.coloring`."""
        return self._readings.coloring(look or self.look)

    def prepare(self) -> None:
        """Read what the first picture needs."""
        self.coloring()
        self.place()
        self.prepare_order()

    def prepare_order(self) -> None:
        """Make the order of the points; beside `prepare`, which mostly waits for the store."""
        if not self._is_aggregated:
            self._readings.order()

    def prepare_field(self) -> None:
        """Build or load what views are aggregated from, where they are; the first of them then comes sooner."""
        if self._is_aggregated:
            self._readings.prepare_field(self.look)

    def close(self) -> None:
        """Let go of what is held elsewhere; the dataset stays open."""
        self._opening.begin()
        self._stop_listening()
        self._readings.close()

    @property
    def _is_aggregated(self) -> bool:
        return self._readings.is_aggregated(self.look)

    @property
    def _n_points(self) -> int:
        n_obs = self.dataset.n_obs
        return min(n_obs, self.look.max_points, SAMPLE_POINTS) if self._is_aggregated else n_obs

    @property
    def order(self) -> DisplayOrder:
        """The order in which the points are sent."""
        return self._readings.sample(self.look).order if self._is_aggregated else self._readings.order()

    @property
    def _point_rows(self) -> NDArray[Any]:
        """The row of each point."""
        return self._readings.sample(self.look).rows if self._is_aggregated else self._readings.order().rows

    # --- frames ----------------------------------------------------------------------------------------------------

    def _next(self, slot: str) -> int:
        with self._lock:
            self._seq[slot] += 1
            return self._seq[slot]

    def _take_up(self, slot: str) -> int:
        """Return the number of a stream: that of the one begun early, if it is still what is on show, or the next."""
        with self._lock:
            early = self._opening.early.pop(slot, None)
            return self._next(slot) if early is None or early != self._seq[slot] else early

    def _until_newer(self, slot: str, seq: int, stream: Callable[[int], Iterator[Frame]]) -> Iterator[Frame]:
        for frame in stream(seq):
            if self._seq[slot] != seq:
                return
            yield frame

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates on show, in chunks; ends early when a newer call begins."""
        return self._until_newer("points", self._take_up("points"), self._point_frames)

    def _point_frames(self, seq: int) -> Iterator[Frame]:
        look, name = self.look, self.dataset.find_embedding(self.look.embedding)
        labels = self.dataset.axis_labels(name, look.axes)
        about: dict[str, Any] = {
            "seq": seq, "embedding": name, "axes": list(look.axes), "n_obs": self.dataset.n_obs,
            "y_down": is_tissue(name), "aggregated": self._is_aggregated,
            "equal_units": labels is None, "axis_labels": list(labels or ()),
        }  # fmt: skip
        bounds = self._readings.bounds(look)
        return streams.point_frames(self._readings.point_xy(look), bounds, self.order, about)

    def color(self) -> Iterator[Frame]:
        """Yield the legend and the values of the colouring on show, in chunks; ends early as `points`."""
        return self._until_newer("color", self._take_up("color"), self._color_frames)

    def _color_frames(self, seq: int) -> Iterator[Frame]:
        look, order = self.look, self.order
        yield streams.legend_frame(self.coloring(look), look, self.dataset, order.rows.size, seq)
        yield from streams.value_frames(self._readings.point_coloring(look), order, seq)

    def recolor(self) -> Iterator[Frame]:
        """Yield the colours of the categories on show, after the palette changed."""
        colors = streams.category_colors(self.coloring(), self.look, self.dataset)
        yield Frame(p.Palette(self._seq["color"], colors))

    def selection(self) -> Iterator[Frame]:
        """Yield which points are selected, as packed bits."""
        with self._lock:
            seq, mask = self._next("selection"), self.mask
        n_selected = int(np.count_nonzero(mask))
        yield streams.selection_frame(mask[self._point_rows] if n_selected else mask, n_selected, seq)

    # --- selecting -------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> SelectedCells:
        """The selection as it is now."""
        return SelectedCells(self.dataset, self.mask)

    def select(self, mask: NDArray[np.bool_], mode: p.Mode = "replace") -> None:
        """Combine a mask, bool (n_obs,), with the selection."""
        with self._lock:
            self.mask = combine(self.mask, mask, mode)

    def polygon_mask(self, corners: Any, *, hidden: bool = True) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2) in data units of the embedding and axes on show.

        hidden : whether those count too that the legend hides
        """
        polygon = as_polygon(corners)
        field = self._readings.field_at_hand(self.look)
        if field is not None:
            return field.polygon_mask(polygon, None if hidden else self._shown())
        mask = in_polygon(self.xy(), polygon)
        visible = None if hidden else self._readings.visible(self.look)
        return mask if visible is None else mask & visible

    def lasso(self, message: p.Lasso) -> None:
        """Select by a gesture: only cells that are not hidden, since nobody points at what is not there."""
        if len(message.polygon) % 2:
            raise InvalidValue(f"a lasso must list x and y of each corner; found {len(message.polygon)} numbers")
        self.select(self.polygon_mask(np.reshape(message.polygon, (-1, 2)), hidden=False), message.mode)

    # --- answers ---------------------------------------------------------------------------------------------------

    def answer(self, message: p.Message) -> Iterator[Frame]:
        """Turn a request into its frames.

        Raises
        ------
        CxgWidgetError
            With the sentence for the user.
        """
        match message:
            case p.Ready():
                check_version(message.version)
                yield streams.dataset_frame(self.dataset)
                self._opening.ask()
                yield from self._opening.hold(self.show())
            case p.Begun():
                self._opening.begin()
            case p.Lasso():
                self.lasso(message)
                yield from self.selection()
            case p.Clear():
                self.select(np.zeros_like(self.mask))
                yield from self.selection()
            case p.Hover():
                yield self._hover(message)
            case p.Search():
                found, n_more = self.catalogue.find(message.query, min(max(message.limit, 1), 200))
                yield Frame(p.Matches(message.query, [vars(match) for match in found], n_more))
            case p.Zoom():
                check_view(message.view)
                yield from streams.detail_frames(message.view, self.xy(), self._readings.order())
            case p.Aggregate():
                check_view(message.view)
                check_size(message.width, message.height)
                yield from self._survey(message)

    def show(self) -> Iterator[Frame]:
        """Yield points and colour chunk by chunk in turn, so that the first picture has both; then the selection."""
        running = {"color": self.color(), "points": self.points()}
        while running:
            for slot, stream in list(running.items()):
                try:
                    yield next(stream)
                except StopIteration:
                    del running[slot]
                except CxgWidgetError as error:
                    del running[slot]
                    yield Frame(p.Error(slot, type(error).__name__, str(error)))
        if self.mask.any():
            yield from self.selection()

    def early(self) -> Iterator[Frame]:
        """Yield the first of many points for a front-end that has not asked yet; `show` then begins with the same.

        A kernel hears nothing before the cell has run that shows the widget.
        """
        if not are_many(self._n_points):
            return
        with self._lock:
            self._opening.early = {slot: self._next(slot) for slot in ("color", "points")}
            seqs = dict(self._opening.early)
        yield streams.dataset_frame(self.dataset)
        color = self._until_newer("color", seqs["color"], self._color_frames)
        points = self._until_newer("points", seqs["points"], self._point_frames)
        with suppress(CxgWidgetError):  # whoever asks is told
            for stream in (color, points, color):
                yield from islice(stream, 1)

    def _shown(self) -> Shown:
        return self._shown_by(self.look, self.mask)

    def _shown_by(self, look: Look, mask: NDArray[np.bool_], highlighted: int = -1) -> Shown:
        coloring = self.coloring(look)
        colors = streams.category_colors(coloring, look, self.dataset)
        return Shown(coloring, colors, look, mask, self._readings.visible_categories(look), highlighted)

    def _survey(self, message: p.Aggregate) -> Iterator[Frame]:
        with self._lock:  # no longer than this: reading a colouring may last, and a lasso must not wait for it
            look, mask, seqs = self.look, self.mask, Seqs(**self._seq)
        look = replace(look, hidden=tuple(message.hidden), density=message.density, statistic=message.statistic)
        shown = self._shown_by(look, mask, message.highlighted)
        few = -1 if look.render == "raster" else min(look.max_points, CLOSE_CELLS)
        yield from survey_frames(self._readings.field(look), shown, message, seqs, few)

    def _hover(self, message: p.Hover) -> Frame:
        found = self._nearest(message)
        if found is None:
            return Frame(p.Cell(-1, 0.0, 0.0, "", "", []))
        (row, x, y), coloring = found, self.coloring()
        describer: Describer = self._readings.keep("describer", None, lambda: Describer(self.dataset))
        told = coloring.target.name if coloring.target.source == "obs" else ""
        value = describer.value(row, coloring, self.look.layer)
        return Frame(p.Cell(row, x, y, describer.name(row), value, describer.fields(row, without=told)))

    def _nearest(self, at: p.Hover) -> tuple[int, float, float] | None:
        """Return row and place of the visible cell at a place."""
        field, (radius, stretch) = self._readings.field_at_hand(self.look), circle_of(at.radius_x, at.radius_y)
        if field is not None:
            return field.nearest(at.x, at.y, radius, self._shown(), stretch=stretch)
        xy = self.xy()
        row = nearest_row(xy, at.x, at.y, radius, self._readings.visible(self.look), stretch=stretch)
        return None if row is None else (row, float(xy[row, 0]), float(xy[row, 1]))

    # --- pictures --------------------------------------------------------------------------------------------------

    def png(
        self, view: View | None, size: tuple[int, int], *, dark: bool = False, max_points: int | None = None
    ) -> bytes:
        """Draw the points of the look in the kernel.

        Parameters
        ----------
        view : x left, x right, y bottom, y top, data units; None = everything
        size : width and height, px
        max_points : draw no more of those in view: a prefix of the display order, a fair sample

        Returns
        -------
        a PNG file
        """
        extent, y_down = self._readings.bounds(self.look).extent, is_tissue(self.look.embedding)
        equal_units = self.dataset.axis_labels(self.look.embedding, self.look.axes) is None
        whole = raster.fit_view(extent, size, y_down=y_down, equal_units=equal_units)
        seen = whole if view is None else raster.contain(view, size, y_down=y_down, equal_units=equal_units)
        zoom = raster.zoom_of(seen, whole)
        return paint(self._paint(max_points, None if view is None else seen), seen, size, zoom=zoom, dark=dark)

    def _paint(self, most: int | None, seen: View | None) -> Paint:
        """Gather the first points in view that are not hidden."""
        rows, look = self._point_rows, self.look
        places = None if seen is None else np.flatnonzero(raster.within(self._readings.coordinates(rows, look), seen))
        n_in_view = rows.size if places is None else places.size
        places = np.arange(rows[:most].size) if places is None else places[:most]
        n_like = rows.size * places.size // max(n_in_view, 1)
        rows = rows[places]
        coloring = self._readings.point_coloring(look)
        coloring = coloring.take(places if self._is_aggregated else rows)
        visible = self._readings.visible_categories(look)
        if visible is not None and isinstance(coloring.data, Codes):
            kept = np.flatnonzero(visible[coloring.data.codes])
            rows, coloring = rows[kept], coloring.take(kept)
        colors = streams.category_colors(coloring, look, self.dataset)
        selected = self.mask[rows] if self.mask.any() else None
        return Paint(self._readings.coordinates(rows, look), coloring, colors, look, selected, n_like)
