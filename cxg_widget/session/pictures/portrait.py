"""Draws the canvas of a plot in the kernel at any resolution: the same points, the same images of cells.

The plans are those of js/src/picture/plan.js: points if all cells are points; else an image of all cells, or the cells
of a small view.
"""
# Changes with js/src/picture/plan.js: which points and images a picture is made of.
# Changes with js/src/draw/cpu/image.js: colors of an image of numbers.
# Changes with cxg_widget/draw/points/crowding.py: words for what a pixel shows.

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import InView, Shown, SomeCells
from cxg_widget.cells.holder import Holder
from cxg_widget.cells.image import left_out_of, numbers_of, rgba_of, spread_of
from cxg_widget.cells.preview import are_stated
from cxg_widget.color.paper import Paper
from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring, NumberColoring
from cxg_widget.display.statistic import describe_statistic
from cxg_widget.display.tissue import sizes_px, spot_of, spot_px
from cxg_widget.draw.points.crowding import (
    BASIS,
    Crowd,
    Crowding,
    Look,
    crowded_size,
    crowding_of,
    few_of,
    is_by_density,
    opacity_of,
    point_diameter,
    shared_codes,
    solidity_of,
    statistic_of,
    stepped,
)
from cxg_widget.draw.points.dots import Dots, Sight, draw_dots
from cxg_widget.draw.points.inks import N_CODES, Inks, inks_of
from cxg_widget.draw.points.pixel_scale import PixelScale
from cxg_widget.session.streams.view_request import around, pixels_shown, scale_key, shown_of
from cxg_widget.spatial.view import Extent, View, contain, fit_view, within, zoom_of
from cxg_widget.wire.protocol import LEFT_OUT_ALPHA
from cxg_widget.wire.quantise import LEVELS, quantise_positions, quantise_within

COARSE_PX = 0.5
"""Px per code of position above which the cells of a view get precise coordinates."""
DETAIL = 1.5
"""Size of the part with precise coordinates, as a multiple of the view's sides."""


@dataclass(frozen=True)
class Portrait:
    """A drawn picture and its description.

    image : uint8 (height, width, 4), straight alpha, without a background
    statistic : name of the numbers of shared pixels; "" = values of cells
    limits : codes of the ends of the colors; None = all values
    pixels : coloring by numbers of pixels; None = the numbers are of cells
    """

    image: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((1, 1, 4), dtype=np.uint8))
    statistic: str = ""
    limits: tuple[float, float] | None = None
    pixels: Coloring | None = None


def sight_of(held: Holder, view: View | None, size: tuple[float, float], scale: float = 1.0) -> Sight:
    """Return the sight of a picture of some CSS px on a view, data units; None = everything."""
    settings = held.settings
    y_down = is_tissue(settings.embedding)
    equal_units = held.dataset.axis_labels(settings.embedding, settings.axes) is None
    whole = fit_view(held.outline() or held.bounds().extent, size, y_down=y_down, equal_units=equal_units)
    seen = whole if view is None else contain(view, size, y_down=y_down, equal_units=equal_units)
    return Sight(seen, whole, size, scale)


class Painter:
    """Draws one view of one moment.

    mask : bool (n_obs,), the selection
    """

    def __init__(self, held: Holder, mask: NDArray[np.bool_], sight: Sight, paper: Paper) -> None:
        self._held, self._mask, self._sight, self._paper = held, mask, sight, paper
        self._settings, self._dataset = held.settings, held.dataset
        self.seen, self._px = sight.seen, sight.px
        self._is_soon, self._n_like = False, held.n_points

    def draw(self) -> Portrait:
        """Draw all cells; raises as `Holder.coloring` and `Holder.xy`."""
        if self._held.is_of_pixels:
            return self._of_pixels()
        return self._of_view() if self._held.is_aggregated else self._of_points()

    def draw_soon(self, most: int | None) -> Portrait:
        """Draw a fair sample of the cells of the view as points, without waiting for loops to compile."""
        if self._held.is_of_pixels:
            return self._of_pixels()
        self._is_soon = True
        dots, coloring = self._near_dots(most) or self._sample_dots(most)
        return self._painted(dots, coloring, self._diameter)

    @property
    def _diameter(self) -> float:
        return self._diameter_of(self.seen) * self._sight.scale

    # --- points ------------------------------------------------------------------------------------------------------

    def _of_points(self) -> Portrait:
        held, coloring = self._held, self._held.coloring()
        rows, bounds = held.order.rows, held.bounds()
        xy, codes = held.xy(), _wire(coloring, self._dataset.n_obs)
        dots = self._dots_at(rows, xy[rows], codes[rows])
        if self._is_shared:
            crowd = replace(self._crowding, tile=stepped(self._crowding.tile))
            dots = dots.colored(self._shared(dots, crowd, coloring))
        if self._is_coarse(bounds.extent):
            near = self._sight.grown(DETAIL)
            is_near = within(xy[rows], near)
            sizes = None if dots.sizes is None else dots.sizes[is_near]
            places = quantise_within(xy[rows[is_near]], near)
            dots = Dots(places, near, dots.codes[is_near], dots.flags[is_near], sizes)
        return self._painted(dots, coloring, self._diameter)

    def _sample_dots(self, most: int | None) -> tuple[Dots, Coloring]:
        """Return the first points in view, up to a limit, and their coloring."""
        held, bounds, places = self._held, self._held.bounds(), self._first(most)
        rows, coloring = held.point_rows[places], held.coloring_at(places)
        xy, codes = held.coordinates(rows), _wire(coloring, rows.size)
        dots = self._dots_at(rows, xy, codes)
        if self._is_shared and rows.size:
            # For fewer cells than the crowding describes, tiles are wider so that they hold as many.
            sample = Crowd(dots.xy[:BASIS], self._dataset.n_obs * rows.size // max(self._n_like, 1))
            crowd = replace(self._crowding, tile=stepped(sample.tile(self._crowding.tile)))
            dots = dots.colored(self._shared(dots, crowd, coloring, BASIS))
        if self._is_coarse(bounds.extent):
            near = self._sight.grown(DETAIL)
            dots = replace(dots, xy=quantise_within(xy, near), extent=near)
        return dots, coloring

    def _first(self, most: int | None) -> NDArray[np.int64]:
        """Return the first points in view that pass the filters; if the others are drawn too, the first of all."""
        held, rows, passing = self._held, self._held.point_rows, self._held.passing()
        is_whole = self.seen == self._sight.whole
        if is_whole and passing is None:
            n = rows.size if most is None else min(most, rows.size)
            self._n_like = held.n_points * n // max(rows.size, 1)
            return np.arange(n)
        places = np.arange(rows.size) if is_whole else np.flatnonzero(within(held.coordinates(rows), self.seen))
        shown = places if passing is None else places[passing[rows[places]]]
        draws_all = self._settings.filtered == "grey"
        n = len(places if draws_all else shown)
        self._n_like = held.n_points * min(n, n if most is None else most) // max(n, 1)
        return np.union1d(places[:most], shown[:most]) if draws_all else shown[:most]

    def _near_dots(self, most: int | None) -> tuple[Dots, Coloring] | None:
        """Return cells of the view that are read alone, and their coloring; None = not possible."""
        held = self._held
        coloring = held.preview() if held.outline() is not None and self.seen != self._sight.whole else None
        near = None if coloring is None else held.read_view_only(self.seen, self._px, coloring)
        if coloring is None or near is None:
            return None
        shown = shown_of(held, self._mask, coloring)
        drawn = near if shown.draws_all else near.only(shown.passing)
        n_inside, cells = drawn.count(self.seen), drawn.some(self.seen, shown, most)
        self._n_like = self._dataset.n_obs * len(cells.xy) // max(n_inside, 1)
        return self._dots_of(cells, shown, self._sight.grown(DETAIL)), coloring

    def _dots_at(self, rows: NDArray[Any], xy: NDArray[np.float32], codes: NDArray[np.uint16]) -> Dots:
        """Return some rows by their places and colors, over the extent of all."""
        bounds, sizes = self._held.bounds(), self._held.sizes()
        own = None if sizes is None else sizes[rows]
        return Dots(quantise_positions(xy, bounds), bounds.extent, codes, self._flags(rows), own)

    def _flags(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        flags = self._mask[rows].astype(np.uint8) if self._mask.any() else np.ones(rows.size, dtype=np.uint8)
        passing = self._held.passing()
        if passing is not None:
            flags[~passing[rows]] |= 2
        return flags

    def _is_coarse(self, extent: Extent) -> bool:
        per_x, per_y = self._sight.units
        return max((extent[1] - extent[0]) / per_x, (extent[3] - extent[2]) / per_y) / LEVELS > COARSE_PX

    def _painted(self, dots: Dots, coloring: Coloring, diameter: float) -> Portrait:
        inks, opacity = self._inks(coloring), self._settings.opacity
        if opacity is None:
            opacity = opacity_of(self._layers(coloring, diameter))
        wide: float | NDArray[np.float64] = diameter
        spot = spot_of(self._dataset, self._settings)
        if dots.sizes is not None and spot and self._settings.point_size is None:
            wide = sizes_px(dots.sizes, spot, _px_per_unit(self._sight, self.seen)) * self._sight.scale
        image = draw_dots(dots, inks, self._sight, wide, opacity, soon=self._is_soon)
        return self._described(image, coloring)

    def _layers(self, coloring: Coloring, diameter: float) -> float:
        """Return the mean number of other cells on a cell of some px; 0 = opacity does not depend on density."""
        if self._sample is None or not is_by_density(self._settings, coloring, self._mask):
            return 0.0
        across, down = self._sight.units
        sample = replace(self._sample, n_cells=self._n_like) if self._is_soon else self._sample
        return sample.layers((across * diameter, down * diameter), self._held.bounds().extent)

    def _inks(self, coloring: Coloring, limits: tuple[float, float] | None = None) -> Inks:
        colors = shown_of(self._held, self._mask, coloring).colors
        is_number = coloring.scale == "continuous"
        return inks_of(
            coloring, self._settings, colors, self._paper,
            limits=limits or (self._crowding.limits if is_number else None),
            is_ranked=(is_number or isinstance(coloring, BlendColoring)) and self._crowding.weight == 1,
            is_selecting=bool(self._mask.any()), draws_all=self._settings.filtered == "grey",
        )  # fmt: skip

    # --- numbers of shared pixels ------------------------------------------------------------------------------------

    @cached_property
    def _sample(self) -> Crowd | None:
        """The first points as a sample of all cells; None if nothing is known of them."""
        return self._held.crowd(self._dataset.n_obs) if self._held.outline() is None else None

    @cached_property
    def _crowding(self) -> Crowding:
        held, settings, sample = self._held, self._settings, self._sample
        if sample is None:
            return Crowding(1.0, 1.0, 1.0, (1.0, 1.0), None)
        first, extent = np.arange(len(sample.xy)), held.bounds().extent
        is_read = not held.is_of_pixels and held.preview() is None
        is_number = is_read and held.coloring().scale == "continuous" and not are_stated(held.coloring(), self._dataset)
        basis = _wire(held.coloring_at(first), first.size) if is_number else None
        rule = settings.statistic, few_of(settings)
        sight = self._sight
        look = self._look(sight.seen, extent)
        limits_at = look if settings.limits == "follow" else self._look(sight.whole, extent)
        levels = held.coloring().numbers.levels if is_number else None
        return crowding_of(sample, basis, look, rule, limits_at, levels=levels)

    def _look(self, view: View, extent: Extent) -> Look:
        """Return the crowding of a view, as `lookOf` in js/src/style/crowding.js."""
        x0, x1, y0, y1 = extent
        sides = abs(view[1] - view[0]) * LEVELS / (x1 - x0 or 1), abs(view[3] - view[2]) * LEVELS / (y1 - y0 or 1)
        return Look(sides, self._px, round(self._diameter_of(view) * self._sight.scale))

    @property
    def _is_shared(self) -> bool:
        is_number = self._held.coloring().scale == "continuous"
        return is_number and self._crowding.weight < 1

    def _shared(self, dots: Dots, crowd: Crowding, coloring: Coloring, basis: int | None = None) -> NDArray[np.uint16]:
        """Return the numbers that points show where they share pixels, by some of them; None = by all."""
        flags = dots.flags & np.uint8(3 if self._mask.any() else 2)
        return shared_codes(
            dots.xy, dots.codes, (dots.xy[:basis], dots.codes[:basis]), crowd.tile, crowd.weight,
            behind=crowd.behind, levels=coloring.numbers.levels, flags=(flags, flags[:basis]),
        )  # fmt: skip

    # --- images, and the cells of a view -----------------------------------------------------------------------------

    def _of_view(self) -> Portrait:
        held, settings = self._held, self._settings
        coloring = held.preview() or held.coloring()
        near: InView | None = held.read_view_only(self.seen, self._px, coloring)
        if near is None:
            cells: InView = held.wait_for_index(lambda: False)
            coloring = held.coloring()
        else:
            cells = near
        few = -1 if settings.render == "raster" else few_of(settings)
        weight = round(100 * self._crowding.weight) / 100 if coloring.scale == "continuous" else 0
        shown = replace(shown_of(held, self._mask, coloring), weight=weight)
        if isinstance(coloring, BlendColoring):
            shown = replace(shown, colors=coloring.colors_on(dark=self._paper.is_dark))
        passing = cells.only(shown.passing)
        drawn = cells if shown.draws_all else passing
        n_inside = drawn.count(self.seen)
        if n_inside <= few:
            return self._of_cells(drawn, shown, few, n_inside)
        spread = spread_of(n_inside, self._px, round(self._diameter))
        planes = passing.image(shown, self.seen, self._px, spread)
        left_out = left_out_of(cells, shown, planes.counts, self.seen, self._px, spread=spread)
        if coloring.scale == "continuous":
            numbers = numbers_of(planes, shown, left_out, n_inside=n_inside, spread=spread)
            return self._described(self._shaded(numbers.codes, numbers.alpha, self._inks(coloring)), coloring)
        solidity = solidity_of(n_inside if drawn is passing else passing.count(self.seen), few)
        solid = solidity, opacity_of(self._layers(coloring, 1) * spread**2)
        image = rgba_of(planes, shown, left_out, dark=self._paper.is_dark, solid=solid)
        return Portrait(self._faded(self._grounded(image) if self._mask.any() else image))

    def _of_cells(self, drawn: InView, shown: Shown, few: int, n_inside: int) -> Portrait:
        """Draw the cells of a view, at most a few, as points."""
        extent, coloring = around(drawn, self.seen, few), shown.coloring
        dots = self._dots_of(drawn.cells(extent, shown), shown, extent)
        if coloring.scale == "continuous" and self._crowding.weight < 1:
            whole, tile = self._held.bounds().extent, self._crowding.tile
            zoom = [(extent[i + 1] - extent[i]) / (whole[i + 1] - whole[i] or 1) for i in (0, 2)]
            crowd = replace(self._crowding, tile=stepped((tile[0] / zoom[0], tile[1] / zoom[1])))
            dots = dots.colored(self._shared(dots, crowd, coloring))
        is_given = self._settings.point_size is not None or spot_of(self._dataset, self._settings)
        diameter = self._diameter if is_given else min(self._diameter, crowded_size(n_inside, self._px))
        return self._painted(dots, coloring, diameter)

    def _dots_of(self, cells: SomeCells, shown: Shown, extent: Extent) -> Dots:
        flags = cells.selected.astype(np.uint8) if self._mask.any() else np.ones(len(cells.xy), dtype=np.uint8)
        if cells.passing is not None and shown.draws_all:
            flags[~cells.passing] |= 2
        codes = _wire(cells.coloring, len(cells.xy))
        return Dots(quantise_within(cells.xy, extent), extent, codes, flags, cells.sizes)

    def _of_pixels(self) -> Portrait:
        """Draw numbers of pixels, reduced from all cells."""
        from cxg_widget.draw.aggregate.shading import pixel_image

        shown, cells = pixels_shown(self._held, self._mask), self._held.wait_for_index(lambda: False)
        passing = cells.only(shown.passing)
        n_inside = (cells if shown.draws_all else passing).count(self.seen)
        spread = spread_of(n_inside, self._px, round(self._diameter))
        numbers, counts = passing.numbers(shown, self.seen, self._px, spread).finished()
        left_out = left_out_of(cells, shown, counts, self.seen, self._px, spread=spread)
        scale, kept = PixelScale.of(numbers), self._held.scale_on_show(scale_key(self._settings, self._sight.units[0]))
        scale = (scale if kept is None else kept.holding(scale)).at(self._settings.color_rule)
        image = pixel_image(numbers, counts, scale.data.levels, left_out)
        pixels = NumberColoring(shown.coloring.target, scale.data)
        page = self._shaded(image.codes, image.alpha, self._inks(pixels, scale.limits))
        return replace(self.describe_before_drawing(), image=page, limits=scale.limits, pixels=pixels)

    def _shaded(self, codes: NDArray[np.uint16], alpha: NDArray[np.uint8], inks: Inks) -> NDArray[np.uint8]:
        """Color an image of numbers, as `shade` in js/src/draw/cpu/image.js does."""
        image = inks.rgba[codes]
        image[..., 3] = alpha
        if self._mask.any():
            is_dimmed = (alpha > 0) & (alpha < 255)
            image[is_dimmed] = inks.rgba[N_CODES + codes[is_dimmed].astype(np.int64)]
        image[alpha == LEFT_OUT_ALPHA] = inks.rgba[-1]
        return self._faded(image)

    def _grounded(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Add the background that dimmed points fade into."""
        ground = self._paper.grey
        share = image[..., 3:] / 255
        page = np.concatenate([image[..., :3] * share + ground * (1 - share), np.full_like(share, 255)], axis=2)
        return np.where(share > 0, np.floor(page + 0.5), image).astype(np.uint8)

    def _faded(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        opacity = self._settings.opacity
        if opacity is not None and opacity < 1:
            image = image.copy()
            image[..., 3] = np.floor(image[..., 3] * opacity + 0.5)
        return image

    def _described(self, image: NDArray[np.uint8], coloring: Coloring) -> Portrait:
        return replace(self.describe_before_drawing(coloring), image=image)

    def describe(self) -> Portrait:
        """Return the description of the picture; numbers of pixels must be drawn for it."""
        if self._held.is_of_pixels:
            return self._of_pixels()
        if self._held.preview() is None:
            self._held.bounds()  # limits for crowded cells depend on the coordinates
        return self.describe_before_drawing()

    def describe_before_drawing(self, coloring: Coloring | None = None) -> Portrait:
        """Return the description of the picture before it is drawn, without limits of numbers of pixels."""
        if self._held.is_of_pixels:
            return Portrait(statistic=f"{describe_statistic(self._settings.statistic)} per pixel")
        coloring = coloring or self._held.preview() or self._held.coloring()
        if coloring.scale != "continuous":
            return Portrait()
        known = self._crowding
        is_small = self._dataset.n_obs <= few_of(self._settings) and known.weight == 1
        statistic = "" if is_small else statistic_of(known.weight, known.behind)
        return Portrait(statistic=statistic, limits=known.limits)

    def _diameter_of(self, view: View) -> float:
        """Return the diameter of a point of a view, CSS px, as `diameterOf` in js/src/style/point_style.js does."""
        spot = spot_px(spot_of(self._dataset, self._settings), _px_per_unit(self._sight, view))
        zoom = zoom_of(view, self._sight.whole)
        return self._settings.point_size or spot or point_diameter(self._n_like, self._sight.size, zoom)


def _wire(coloring: Coloring, n: int) -> NDArray[np.uint16]:
    """Return the codes of n cells; `MISSING_U16` = without a value."""
    if coloring.scale == "none":
        return np.zeros(n, dtype=np.uint16)
    if coloring.scale == "categorical":
        return coloring.codes.codes.astype(np.uint16)  # -1 becomes the maximum of an unsigned dtype
    return coloring.wire().astype(np.uint16, copy=False)


def _px_per_unit(sight: Sight, view: View) -> float:
    """Return how many CSS px a data unit is long."""
    return sight.size[0] / abs(view[1] - view[0])
