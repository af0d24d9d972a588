"""Requests in, frames out: everything the widget can do, without a comm and without traitlets.

A `Session` holds one dataset, what was read of it, the selection and the settings on show. It may be called from
several threads; a newer request for points or colour ends the older one between two chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.indexed import InView, Shown, spread_of
from cxg_widget.cells.preview import are_stated
from cxg_widget.color.paper import PAPERS, Paper
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import Describer, circle_of, nearest_row, text_of
from cxg_widget.display.settings import Settings, is_tissue
from cxg_widget.draw.crowding import BASIS, Crowd, Shared, few_of, shared
from cxg_widget.draw.key import Key, key_of
from cxg_widget.draw.picture import Paint, paint, pixels_as_points, point_diameter
from cxg_widget.draw.pixel_scale import PixelScale
from cxg_widget.draw.png import encode_png
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session import streams
from cxg_widget.session.aggregated import aggregated
from cxg_widget.session.on_show import Seqs
from cxg_widget.session.showing import Showing
from cxg_widget.session.view_request import pixel_frames, view_frames, view_of
from cxg_widget.spatial.polygon import as_polygon, in_polygon
from cxg_widget.spatial.view import View, contain, fit_view, within, zoom_of
from cxg_widget.wire import protocol as p
from cxg_widget.wire.bounds import check_size, check_version, check_view
from cxg_widget.wire.encoding import wire_values
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.quantise import LEVELS, Bounds, quantise_positions

if TYPE_CHECKING:
    import xarray as xr

_FEW_CELLS = 200_000
"""Of no more cells is read what hovering tells of before the first answer, not after it."""


class Session(Showing):
    """One dataset on show, with its selection; see `Showing` for the parameters."""

    # --- selecting -------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> SelectedCells:
        """The selection as it is now."""
        return SelectedCells(self.dataset, self.mask, self.settings.layer)

    def select(self, mask: NDArray[np.bool_], mode: p.Mode = "replace") -> None:
        """Combine a mask, bool (n_obs,), with the selection."""
        self._on_show.select(mask, mode)

    def aggregate(self, reduction: Any = None, **asked: Any) -> xr.DataArray | xr.Dataset:
        """Reduce all cells to planes; parameters and errors as those of `CxgWidget.aggregate`."""
        return aggregated(self._held, self.mask, reduction, **asked)

    def polygon_mask(self, corners: Any, *, hidden: bool = True) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2) in data units of the embedding and axes on show.

        hidden : whether those count too that the legend hides
        """
        polygon = as_polygon(corners)
        indexed = self._held.at_hand()
        if indexed is not None:
            return indexed.polygon_mask(polygon, None if hidden else self._shown())
        mask = in_polygon(self.xy(), polygon)
        visible = None if hidden else self._visible()
        return mask if visible is None else mask & visible

    def _visible(self) -> NDArray[np.bool_] | None:
        """Return which cells are not hidden by the legend; None when all are shown, and then nothing is read."""
        return self.coloring().visible(self.settings.hidden) if self.settings.hidden else None

    def gesture(self, message: p.Lasso | p.Category) -> None:
        """Select by a gesture."""
        self.select(self._mask_of(message), message.mode)

    def _mask_of(self, message: p.Lasso | p.Category) -> NDArray[np.bool_]:
        """Return which cells a gesture means: those of a category, or in a lasso, where none counts that is hidden."""
        if isinstance(message, p.Category):
            return self._category_mask(message)
        if len(message.polygon) % 2:
            raise InvalidValue(f"a lasso must list x and y of each corner; found {len(message.polygon)} numbers")
        return self.polygon_mask(np.reshape(message.polygon, (-1, 2)), hidden=False)

    def _category_mask(self, message: p.Category) -> NDArray[np.bool_]:
        coloring = self.coloring()
        if coloring.target.spec != message.color or not -1 <= message.code < len(coloring.labels):
            raise SelectionError("the category was chosen in a legend that is no longer on show; choose it again.")
        return self._held.category_mask(message.code)

    @property
    def is_prompt(self) -> bool:
        """Whether a lasso or a category can be answered at once, without reading anything first."""
        return self._held.is_prompt

    def later(self, message: p.Lasso | p.Category) -> Callable[[], Iterator[Frame]]:
        """Take note of a lasso or a category, and return its answer, to be asked for in its turn.

        The answer raises `Overtaken` where a newer selection has replaced all before it, or other cells are on show.
        """
        key = attrgetter("place_key" if isinstance(message, p.Lasso) else "color_key")
        select = self._on_show.select_later(message.mode, lambda: self._mask_of(message), key)

        def answer() -> Iterator[Frame]:
            select()
            yield from self.selection()

        return answer

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
                if not self._on_show.is_early:  # of that something may have been drawn
                    self._first_paint.ask()
                yield from self._first_paint.hold(self.show())
            case p.Begun():
                self._first_paint.begin()
            case p.Lasso() | p.Category():
                self.gesture(message)
                yield from self.selection()
            case p.Count():
                yield self._counts()
            case p.Clear():
                self.select(np.zeros_like(self.mask))
                yield from self.selection()
            case p.Hover():
                yield self._hover(message)
            case p.Search():
                catalogue = self.catalogue
                found, n_more = catalogue.find(message.query, min(max(message.limit, 1), 200))
                yield Frame(p.Matches(message.query, [catalogue.told(match) for match in found], n_more))
            case p.Zoom():
                check_view(message.view)
                yield from streams.detail_frames(message.view, self.xy(), self._loader.order())
            case p.Aggregate():
                check_view(message.view)
                check_size(message.width, message.height)
                yield from self._view(message)

    def _counts(self) -> Frame:
        settings, mask, seqs = self._on_show.now()
        n_missing, *counts = self._loader.of(settings).count_selected(mask).tolist()
        return Frame(p.Counts(seqs.color, seqs.selection, n_missing), {"counts": np.array(counts, dtype=np.uint32)})

    def _shown(self) -> Shown:
        return self._shown_by(self.settings, self.mask)

    def _shown_by(
        self, settings: Settings, mask: NDArray[np.bool_], highlighted: int = -1, coloring: Coloring | None = None
    ) -> Shown:
        coloring = coloring or self.coloring(settings)
        colors = streams.category_colors(coloring, settings, self.dataset)
        return Shown(coloring, colors, settings, mask, highlighted)

    def _waits_for_datashader(self, settings: Settings) -> bool:
        from cxg_widget.draw.aggregate import is_at_hand

        return (settings.aggregator == "datashader" or self._loader.is_of_pixels(settings)) and not is_at_hand()

    @property
    def can_draw_soon(self) -> bool:
        """Whether a picture needs no library that has yet to be imported and to compile."""
        return not (self._loader.is_of_pixels(self.settings) and self._waits_for_datashader(self.settings))

    def _view(self, message: p.Aggregate) -> Iterator[Frame]:
        waits = self._waits_for_datashader(self.settings)
        if waits:
            self._announce(Frame(p.Progress("datashader", 0.0)))
        try:
            yield from self._image(message)
        finally:
            if waits:
                self._announce(Frame(p.Progress("datashader", 1.0)))

    def _image(self, message: p.Aggregate) -> Iterator[Frame]:
        is_overtaken = self._on_show.begin_view()
        settings, mask, seqs = self._on_show.now()
        settings = settings.as_asked(message)
        if self._loader.is_of_pixels(settings):
            yield from self._pixels(settings, mask, message, seqs, is_overtaken)
            return
        held = self._loader.of(settings)
        coloring = held.preview() or held.coloring()
        indexed: InView | None = held.near(view_of(message), (message.width, message.height), coloring)
        if indexed is None:
            indexed, coloring = held.awaited(is_overtaken), held.coloring()
        shown = replace(self._shown_by(settings, mask, message.highlighted, coloring), weight=message.weight)
        few = -1 if settings.render == "raster" else few_of(settings)
        yield from view_frames(indexed, shown, message, seqs, few)

    def _pixels(
        self,
        settings: Settings,
        mask: NDArray[np.bool_],
        message: p.Aggregate,
        seqs: Seqs,
        is_overtaken: Callable[[], bool],
    ) -> Iterator[Frame]:
        indexed = self._loader.of(settings).awaited(is_overtaken)
        shown = replace(self._shown_by(settings, mask), columns=self._columns_of(settings))
        level = round(2 * np.log2(abs(message.view[1] - message.view[0]) / message.width))
        key = settings.color_key, settings.place_key, settings.statistic, level

        def scale_of(numbers: NDArray[np.float64]) -> PixelScale:
            found = PixelScale.of(numbers)
            kept: PixelScale = self._loader.memo.keep("scale", key, lambda: found)
            return kept.holding(found)

        yield from pixel_frames(indexed, shown, message, seqs, scale_of)

    def _columns_of(self, settings: Settings) -> dict[str, Coloring]:
        """Return what a statistic of pixels is reduced from."""
        if isinstance(settings.statistic, str):
            return {"value": self.coloring(settings)}
        from cxg_widget.draw.aggregate import columns_of

        return self._loader.of(settings).columns(columns_of(settings.statistic))

    def prepare_hover(self) -> None:
        """Read once what hovering tells of, which then takes no reading; asked for when somebody has begun to hover."""
        self._describer.hold(self.settings)

    @property
    def _describer(self) -> Describer:
        describer: Describer = self._loader.memo.keep("describer", None, lambda: Describer(self.dataset))
        return describer

    def _hover(self, message: p.Hover) -> Frame:
        found = self._nearest(message)
        if self.dataset.n_obs <= _FEW_CELLS:
            self.prepare_hover()
        if found is None:
            return Frame(p.Cell(-1, 0.0, 0.0, "", "", []))
        (row, x, y), coloring = found, self.coloring()
        told = coloring.target.name if coloring.target.source == "obs" else ""
        value = self._describer.value(row, coloring, self.settings.layer)
        fields = self._describer.fields(row, self.settings, without=told)
        return Frame(p.Cell(row, x, y, self._describer.name(row), value, fields))

    def _nearest(self, at: p.Hover) -> tuple[int, float, float] | None:
        """Return row and place of the visible cell at a place."""
        if not self._held.can_be_asked:
            return None
        indexed, (radius, stretch) = self._held.at_hand(), circle_of(at.radius_x, at.radius_y)
        if indexed is not None:
            return indexed.nearest(at.x, at.y, radius, self._shown(), stretch=stretch)
        xy = self.xy()
        row = nearest_row(xy, at.x, at.y, radius, self._visible(), stretch=stretch)
        return None if row is None else (row, float(xy[row, 0]), float(xy[row, 1]))

    # --- pictures --------------------------------------------------------------------------------------------------

    def png(
        self, view: View | None, size: tuple[int, int], *, dark: bool = False, max_points: int | None = None
    ) -> bytes:
        """Draw the points of the settings in the kernel, as a PNG file; see `drawn`."""
        paper = PAPERS["dark" if dark else "white"]
        return encode_png(self.drawn(view, size, paper=paper, max_points=max_points)[0][:, :, :3])

    def drawn(
        self, view: View | None, size: tuple[int, int], *, paper: Paper, max_points: int | None = None
    ) -> tuple[NDArray[np.uint8], Key]:
        """Draw the points of the settings in the kernel, and say what the picture means.

        Parameters
        ----------
        view : x left, x right, y bottom, y top, data units; None = everything
        size : width and height, px
        max_points : draw no more of those in view: a prefix of the display order, a fair sample

        Returns
        -------
        uint8 (height, width, 4), and its key
        """
        extent, y_down = self._extent(), is_tissue(self.settings.embedding)
        equal_units = self.dataset.axis_labels(self.settings.embedding, self.settings.axes) is None
        whole = fit_view(extent, size, y_down=y_down, equal_units=equal_units)
        seen = whole if view is None else contain(view, size, y_down=y_down, equal_units=equal_units)
        zoom = zoom_of(seen, whole)
        if self._held.is_of_pixels:
            pixels = self._paint_pixels(seen, size, zoom)
            return paint(pixels, seen, size, zoom=zoom, paper=paper), self._key(pixels, dark=paper.is_dark)
        job = None if view is None else self._paint_near(max_points, seen, size)
        job = job or self._paint(max_points, None if view is None else seen)
        job = replace(job, shared=self._shared(job, seen, size, zoom))
        return paint(job, seen, size, zoom=zoom, paper=paper), self._key(job, dark=paper.is_dark)

    def _shared(self, job: Paint, seen: View, size: tuple[int, int], zoom: float) -> Shared | None:
        """Return what numbers a picture shows where cells share its pixels."""
        settings, held, is_small = self.settings, self._held, self.dataset.n_obs <= few_of(self.settings)
        if job.coloring.scale != "continuous" or (is_small and settings.statistic != "mean"):
            return None
        if held.preview() is not None:  # nothing has been read but these cells
            return None
        x0, x1, y0, y1 = extent = held.bounds().extent
        first = np.arange(min(BASIS, held.point_rows.size))
        coloring, xy = held.coloring_at(first), held.coordinates(held.point_rows[first])
        bounds = Bounds(extent, 1)
        crowd = Crowd(quantise_positions(xy, bounds), self.dataset.n_obs)
        sides = abs(seen[1] - seen[0]) * LEVELS / (x1 - x0 or 1), abs(seen[3] - seen[2]) * LEVELS / (y1 - y0 or 1)
        points = quantise_positions(job.xy, bounds), wire_values(job.coloring.numbers)
        view = sides, size, point_diameter(job.n_like, size, zoom)
        found = shared(crowd, wire_values(coloring.numbers), points, view, (settings.statistic, few_of(settings)))
        return replace(found, limits=None) if found is not None and are_stated(job.coloring, self.dataset) else found

    def _key(self, job: Paint, *, dark: bool) -> Key:
        """Say what a picture of the settings means, in words."""
        settings, dataset, held = self.settings, self.dataset, self._held
        coloring = job.coloring if held.is_of_pixels else held.preview() or held.coloring()
        legend = streams.legend_frame(coloring, settings, dataset, 0, 0).message
        assert isinstance(legend, p.Color)
        n_selected = int(np.count_nonzero(self.mask))
        return key_of(
            legend, coloring.numbers.quantiles, settings,
            title=dataset.title, noun=dataset.obs_noun, n_selected=n_selected,
            statistic=job.shared.statistic if job.shared else "", automatic=job.shared.limits if job.shared else None,
            dark=dark,
        )  # fmt: skip

    def axes_told(self) -> str:
        """Say what the axes measure, and from where to where there are points; "" where they have no names."""
        labels = self.dataset.axis_names(self.settings.embedding, self.settings.axes)
        if labels is None:
            return ""
        x0, x1, y0, y1 = map(text_of, self._extent())
        return f"Horizontal: {labels[0]}, {x0} to {x1}. Vertical: {labels[1]}, {y0} to {y1}."

    def _extent(self) -> View:
        return self._held.outline() or self._held.bounds().extent

    def _paint_near(self, most: int | None, seen: View, size: tuple[int, int]) -> Paint | None:
        """Gather some of the cells in view that are not hidden, where nothing has been read; None = that would last."""
        settings, held = self.settings, self._held
        coloring = held.preview() if held.outline() is not None else None
        near = None if coloring is None else held.near(seen, size, coloring)
        if coloring is None or near is None:
            return None
        shown = self._shown_by(settings, self.mask, coloring=coloring)
        n_inside, cells = near.count(seen), near.some(seen, shown, most)
        n_like = self.dataset.n_obs * len(cells.xy) // max(n_inside, 1)
        visible = cells.coloring.visible(settings.hidden)
        kept = np.arange(len(cells.xy)) if visible is None else np.flatnonzero(visible)
        selected = cells.selected[kept] if self.mask.any() else None
        return Paint(cells.xy[kept], cells.coloring.take(kept), shown.colors, settings, selected, n_like)

    def _paint_pixels(self, seen: View, size: tuple[int, int], zoom: float) -> Paint:
        """Reduce the cells in view to numbers of pixels."""
        settings, shown = self.settings, self._shown()
        indexed = self._held.indexed()
        spread = spread_of(indexed.count(seen), size, point_diameter(self.dataset.n_obs, size, zoom))
        shown = replace(shown, columns=self._columns_of(settings))
        numbers, cells = indexed.numbers(shown, seen, size, spread).finished()
        none = np.empty((0, 2), dtype=np.float32)
        return pixels_as_points(numbers, cells, seen, Paint(none, shown.coloring, [], settings, None, 0))

    def _paint(self, most: int | None, seen: View | None) -> Paint:
        """Gather the first points in view that are not hidden."""
        held, settings = self._held, self.settings
        rows = held.point_rows
        places = None if seen is None else np.flatnonzero(within(held.coordinates(rows), seen))
        n_in_view = rows.size if places is None else places.size
        places = np.arange(rows[:most].size) if places is None else places[:most]
        n_like = rows.size * places.size // max(n_in_view, 1)
        rows = rows[places]
        coloring = held.coloring_at(places)
        visible = coloring.visible(settings.hidden)
        if visible is not None:
            kept = np.flatnonzero(visible)
            rows, coloring = rows[kept], coloring.take(kept)
        colors = streams.category_colors(coloring, settings, self.dataset)
        selected = self.mask[rows] if self.mask.any() else None
        return Paint(held.coordinates(rows), coloring, colors, settings, selected, n_like)
