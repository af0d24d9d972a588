"""Pictures of what is on show that the kernel draws: of its points or, where numbers are of pixels, of all cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.image import left_out_of, spread_of
from cxg_widget.cells.preview import are_stated
from cxg_widget.color.paper import PAPERS, Paper
from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.display.by_density import is_by_density
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import text_of
from cxg_widget.display.settings import PlaceKey
from cxg_widget.display.tissue import spot_of, spot_px
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.overlays.legend_line import PlotLegend
from cxg_widget.draw.pages.key import Key
from cxg_widget.draw.pages.summary import summary_of
from cxg_widget.draw.parts import draw_parts
from cxg_widget.draw.points.crowding import Look, Shared, few_of, opacity_of, shared
from cxg_widget.draw.points.picture import Paint, paint, pixels_as_points, point_diameter
from cxg_widget.session.pictures.key import key_now, legend_now
from cxg_widget.session.pictures.over_picture import legend_of, with_landmarks
from cxg_widget.session.pictures.under_picture import on_tissue, scale_bar_of, shows_tissue
from cxg_widget.session.streams import chunks
from cxg_widget.session.streams.view_request import pixels_shown, shown_of
from cxg_widget.spatial.view import View, contain, fit_view, within, zoom_of
from cxg_widget.wire.encoding import wire_values
from cxg_widget.wire.protocol import Color
from cxg_widget.wire.quantise import LEVELS, Bounds, quantise_positions

_TOLD_OF = 20_000
"""Points that tell how crowded a picture is which is not drawn."""


class Pictures:
    """Pictures of one moment.

    Parameters
    ----------
    held : the cells as they are on show
    mask : bool (n_obs,), the selection
    """

    def __init__(self, held: Holder, mask: NDArray[np.bool_]) -> None:
        self._held = held
        self._mask = mask
        self._dataset = held.dataset
        self._settings = held.settings

    @property
    def _draws_all(self) -> bool:
        """Whether cells that the filters leave out are drawn too."""
        return self._settings.filtered == "grey"

    def are_all(self, max_points: int) -> bool:
        """Say whether pictures of at most so many points show all cells."""
        return self._held.is_of_pixels or (not self._held.is_aggregated and self._dataset.n_obs <= max_points)

    @property
    def place(self) -> PlaceKey:
        """The embedding and the axes that they show."""
        return self._settings.place_key

    @property
    def view(self) -> View | None:
        """Where one looks, data units; None = everything."""
        view = self._settings.view
        return None if view is None else (view[0], view[1], view[2], view[3])

    @property
    def place_told(self) -> str:
        """What that embedding is called; "" = there is none."""
        place = self._settings.embedding
        return "" if place is None else self._dataset.describe_embedding(place)

    def plot_legends(self, place: str = "") -> list[tuple[str, PlotLegend]]:
        """Return what is said below the picture of what lies over the points, as `lay_out_lines` takes it."""
        legend = legend_of(self._held)
        return [] if legend is None else [(place, legend)]

    @property
    def can_be_soon(self) -> bool:
        """Whether none needs a library that has yet to be imported and to compile."""
        from cxg_widget.draw.aggregate import is_at_hand

        return not self._held.is_of_pixels or is_at_hand()

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
        job, seen, zoom = self._job(view, size, max_points)
        job = self._as_spots(job, seen, size)
        job = replace(job, opacity=self._opacity(job, seen, size, zoom))
        if shows_tissue(self._held):
            points = paint(job, seen, size, zoom=zoom, paper=replace(paper, is_clear=True))
            image = on_tissue(points, self._held, seen, paper)
            image = draw_parts(image, scale_bar_of(self._held, seen, size, paper), paper)
        else:
            image = paint(job, seen, size, zoom=zoom, paper=paper)
        image = with_landmarks(image, self._held, seen, paper)
        return image, self._key(job, dark=paper.is_dark)

    def key(self, *, dark: bool) -> Key:
        """Say what is on show, whatever part of it a picture shows."""
        return self._key(None, dark=dark)

    def _as_spots(self, job: Paint, seen: View, size: tuple[int, int]) -> Paint:
        """Draw points as wide as their spots, where the store states that and nobody wants them otherwise."""
        spot = spot_of(self._dataset, self._settings)
        if not spot or self._settings.point_size is not None or job.diameter is not None:
            return job
        return replace(job, diameter=spot_px(spot, size[0] / abs(seen[1] - seen[0])))

    def _opacity(self, job: Paint, seen: View, size: tuple[int, int], zoom: float) -> float:
        """Return how opaque points are, as `styleOf` in js/src/style/style.js does."""
        settings, held = self._settings, self._held
        if settings.opacity is not None:
            return settings.opacity
        if not is_by_density(settings, job.coloring, self._mask) or held.is_of_pixels or held.outline() is not None:
            return 1.0
        diameter = job.diameter or point_diameter(job.n_like, size, zoom)
        spot = abs(seen[1] - seen[0]) * diameter / size[0], abs(seen[3] - seen[2]) * diameter / size[1]
        return opacity_of(held.crowd(job.n_like).layers(spot, held.bounds().extent))

    def summary(self, view: View | None, size: tuple[int, int]) -> str:
        """Say in words what a picture shows; see `summary_of`, and `drawn` for the parameters."""
        settings, job = self._settings, None
        if settings.embedding is not None:
            job, _, _ = self._job(view, size, _TOLD_OF)
        known = legend_now(self._held, self._pixels(job))
        axis_names = self._dataset.axis_names(settings.embedding, settings.axes) if job else None
        return summary_of(self._key(job, dark=False, known=known), known[0], settings, axis_names or ())

    def _job(self, view: View | None, size: tuple[int, int], max_points: int | None) -> tuple[Paint, View, float]:
        """Gather what a picture is painted of, and say which view it shows, how far zoomed in."""
        extent, y_down = self._extent(), is_tissue(self._settings.embedding)
        equal_units = self._dataset.axis_labels(self._settings.embedding, self._settings.axes) is None
        whole = fit_view(extent, size, y_down=y_down, equal_units=equal_units)
        seen = whole if view is None else contain(view, size, y_down=y_down, equal_units=equal_units)
        zoom = zoom_of(seen, whole)
        if self._held.is_of_pixels:
            return self._paint_pixels(seen, size, zoom), seen, zoom
        job = None if view is None else self._paint_near(max_points, seen, size)
        job = job or self._paint(max_points, None if view is None else seen)
        return replace(job, shared=self._shared(job, seen, whole, size)), seen, zoom

    def _shared(self, job: Paint, seen: View, whole: View, size: tuple[int, int]) -> Shared | None:
        """Return what numbers a picture shows where cells share its pixels."""
        settings, held, is_small = self._settings, self._held, self._dataset.n_obs <= few_of(self._settings)
        if job.coloring.scale != "continuous" or (is_small and settings.statistic != "mean"):
            return None
        if held.preview() is not None:  # nothing has been read but these cells
            return None
        x0, x1, y0, y1 = extent = held.bounds().extent
        crowd = held.crowd(self._dataset.n_obs)
        coloring = held.coloring_at(np.arange(len(crowd.xy)))
        points = quantise_positions(job.xy, Bounds(extent, 1)), wire_values(job.coloring.numbers)

        def look_at(view: View) -> Look:
            sides = abs(view[1] - view[0]) * LEVELS / (x1 - x0 or 1), abs(view[3] - view[2]) * LEVELS / (y1 - y0 or 1)
            return Look(sides, size, point_diameter(job.n_like, size, zoom_of(view, whole)))

        look = look_at(seen)
        limits_at = look if settings.limits == "follow" else look_at(whole)
        rule, levels = (settings.statistic, few_of(settings)), coloring.numbers.levels
        found = shared(crowd, wire_values(coloring.numbers), points, look, rule, limits_at=limits_at, levels=levels)
        return replace(found, limits=None) if found is not None and are_stated(job.coloring, self._dataset) else found

    def _pixels(self, job: Paint | None) -> Coloring | None:
        return job.coloring if job and self._held.is_of_pixels else None

    def _key(self, job: Paint | None, *, dark: bool, known: tuple[Color, Coloring] | None = None) -> Key:
        """Say what a picture of the settings means, in words."""
        shared = job.shared if job else None
        return key_now(
            self._held, self._mask, dark=dark, pixels=self._pixels(job),
            statistic=shared.statistic if shared else "", limits=shared.limits if shared else None,
            known=known,
        )  # fmt: skip

    def axes_told(self) -> str:
        """Say what the axes measure, and from where to where there are points; "" where they have no names."""
        labels = self._dataset.axis_names(self._settings.embedding, self._settings.axes)
        if labels is None:
            return ""
        x0, x1, y0, y1 = map(text_of, self._extent())
        return f"Horizontal: {labels[0]}, {x0} to {x1}. Vertical: {labels[1]}, {y0} to {y1}."

    def _extent(self) -> View:
        return self._held.outline() or self._held.bounds().extent

    def _paint_near(self, most: int | None, seen: View, size: tuple[int, int]) -> Paint | None:
        """Gather some of the cells in view that are drawn, where nothing has been read; None = that would last."""
        settings, held = self._settings, self._held
        coloring = held.preview() if held.outline() is not None else None
        near = None if coloring is None else held.read_view_only(seen, size, coloring)
        if coloring is None or near is None:
            return None
        shown = shown_of(held, self._mask, coloring)
        near = near if shown.draws_all else near.only(shown.passing)
        n_inside, cells = near.count(seen), near.some(seen, shown, most)
        n_like = self._dataset.n_obs * len(cells.xy) // max(n_inside, 1)
        kept, left_out = self._drawn(len(cells.xy), cells.coloring, cells.passing)
        selected = cells.selected[kept] if self._mask.any() else None
        coloring = cells.coloring.take(kept)
        return Paint(cells.xy[kept], coloring, shown.colors, settings, selected, n_like, left_out=left_out)

    def _drawn(
        self, n: int, coloring: Coloring, passing: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
        """Return which of n points are drawn, and which of these the filters leave out, bool; None = none.

        coloring, passing : of the points; `passing` leaves out what the legend hides, None = all
        """
        masks = [one for one in (coloring.visible(self._settings.hidden), passing) if one is not None]
        if not masks:
            return np.arange(n), None
        counts = np.logical_and.reduce(masks)
        return (np.arange(n), ~counts) if self._draws_all else (np.flatnonzero(counts), None)

    def _paint_pixels(self, seen: View, size: tuple[int, int], zoom: float) -> Paint:
        """Reduce the cells in view to numbers of pixels."""
        shown, everything = pixels_shown(self._held, self._mask), self._held.indexed()
        passing = everything.only(shown.passing)
        n_inside = (everything if self._draws_all else passing).count(seen)
        spread = spread_of(n_inside, size, point_diameter(self._dataset.n_obs, size, zoom))
        numbers, counts = passing.numbers(shown, seen, size, spread).finished()
        left_out = left_out_of(everything, shown, counts, seen, size, spread=spread)
        none = Paint(np.empty((0, 2), dtype=np.float32), shown.coloring, [], self._settings, None, 0)
        return pixels_as_points(numbers, counts, seen, none, left_out)

    def _paint(self, most: int | None, seen: View | None) -> Paint:
        """Gather the first points in view that are drawn."""
        held, settings, passing = self._held, self._settings, self._held.passing()
        places, n_like = self._first(most, seen, passing)
        rows, coloring = held.point_rows[places], held.coloring_at(places)
        kept, left_out = self._drawn(rows.size, coloring, None if passing is None else passing[rows])
        rows, coloring = rows[kept], coloring.take(kept)
        colors = chunks.category_colors(coloring, settings, self._dataset)
        selected = self._mask[rows] if self._mask.any() else None
        return Paint(held.coordinates(rows), coloring, colors, settings, selected, n_like, left_out=left_out)

    def _first(
        self, most: int | None, seen: View | None, passing: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], int]:
        """Return the first points in view that pass, and how many there would be in the whole as dense a picture.

        Where the others are drawn too, the first of all points lie beneath, and say how dense it is.
        """
        held, rows = self._held, self._held.point_rows
        places = None if seen is None else np.flatnonzero(within(held.coordinates(rows), seen))
        n_in_view = rows.size if places is None else places.size
        first = np.arange(rows[:most].size) if places is None else places[:most]
        shown = first
        if passing is not None:
            shown = np.flatnonzero(passing[rows]) if places is None else places[passing[rows[places]]]
            shown = shown[:most]
        if self._draws_all:
            return np.union1d(first, shown), rows.size * first.size // max(n_in_view, 1)
        return shown, rows.size * shown.size // max(n_in_view, 1)
