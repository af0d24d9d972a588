"""A view as frames: an image of all its cells, or the cells themselves if they are few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import AllCells, InView, Shown
from cxg_widget.cells.holder import Holder
from cxg_widget.cells.image import left_out_of, numbers_of, rgba_of, spread_of
from cxg_widget.cells.loader import Loader
from cxg_widget.compute.bits import pack_mask
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import describe_statistic
from cxg_widget.draw.image_files import encode_lines, encode_png
from cxg_widget.draw.points.crowding import few_of, opacity_of, solidity_of
from cxg_widget.draw.points.pixel_scale import PixelScale
from cxg_widget.session.display_state import DisplayState, Seqs
from cxg_widget.session.streams.chunks import category_colors, of_panel
from cxg_widget.spatial.view import View
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, cut_file, spans
from cxg_widget.wire.quantise import quantise_within

_AROUND = 1.4
_MOST_AROUND = 2
"""Cells sent with a margin around the view, as a multiple of the few; dense regions may be near sparse ones."""
_CELL_BYTES = 4


class Views:
    """Answers `aggregate`.

    announce : called while a library is imported that compiles first
    """

    def __init__(self, loader: Loader, display: DisplayState, announce: Callable[[Frame], object]) -> None:
        self._loader = loader
        self._display = display
        self._announce = announce

    def frames(self, ask: p.Aggregate) -> Iterator[Frame]:
        """Yield the requested view of the current cells."""
        if not self._waits_for_datashader():
            yield from self._frames(ask)
            return
        self._announce(Frame(p.Progress("datashader", 0.0, "", "Starting datashader")))
        try:
            yield from self._frames(ask)
        finally:
            self._announce(Frame(p.Progress("datashader", 1.0)))

    def cancel(self, panel: int) -> None:
        """End the wait for a view, and drop the index that is being built for it."""
        self._display.begin_view(panel)
        self._loader.give_up_index()

    def _waits_for_datashader(self) -> bool:
        from cxg_widget.draw.aggregate.by_datashader import is_at_hand

        settings = self._display.settings
        return (settings.aggregator == "datashader" or self._loader.is_of_pixels(settings)) and not is_at_hand()

    def _frames(self, ask: p.Aggregate) -> Iterator[Frame]:
        is_overtaken = self._display.begin_view(ask.panel)
        settings, mask, seqs = self._display.now(ask.panel)
        held = self._loader.of(settings.with_question(ask))
        for frame in self._of(held, mask, seqs, ask, is_overtaken):
            yield of_panel(frame, ask.panel)

    def _of(
        self, held: Holder, mask: NDArray[np.bool_], seqs: Seqs, ask: p.Aggregate, is_overtaken: Callable[[], bool]
    ) -> Iterator[Frame]:
        if held.is_of_pixels:
            indexed, shown = held.wait_for_index(is_overtaken), pixels_shown(held, mask)
            yield from pixel_frames(indexed, shown, ask, seqs, partial(self._scale, held.settings, ask))
            return
        coloring = held.preview() or held.coloring()
        cells: InView | None = held.read_view_only(view_of(ask), (ask.width, ask.height), coloring)
        if cells is None:
            cells, coloring = held.wait_for_index(is_overtaken), held.coloring()
        shown = replace(shown_of(held, mask, coloring), highlighted=ask.highlighted, weight=ask.weight)
        if isinstance(coloring, BlendColoring):
            shown = replace(shown, colors=coloring.colors_on(dark=ask.dark))
        few = -1 if held.settings.render == "raster" else few_of(held.settings)
        yield from view_frames(cells, shown, ask, seqs, few)

    def _scale(self, settings: Settings, ask: p.Aggregate, numbers: NDArray[np.float64]) -> PixelScale:
        """Return the scale of numbers of pixels: its limits stay if only the view moves."""
        key, found = scale_key(settings, abs(ask.view[1] - ask.view[0]) / ask.width), PixelScale.of(numbers)
        kept: PixelScale = self._loader.memo.keep("scale", key, lambda: found)
        return kept.holding(found).at(settings.color_rule)


def scale_key(settings: Settings, units: float) -> tuple[object, ...]:
    """Return the key of the scale of numbers of pixels; units: data units per px."""
    return settings.color_key, settings.place_key, settings.statistic, round(2 * np.log2(units))


def shown_of(held: Holder, mask: NDArray[np.bool_], coloring: Coloring | None = None) -> Shown:
    """Return the coloring of the cells and which of them count; `coloring` is theirs if known."""
    coloring = coloring or held.coloring()
    colors = category_colors(coloring, held.settings, held.dataset)
    return Shown(coloring, colors, held.settings, mask, held.passing(), sizes=held.sizes())


def pixels_shown(held: Holder, mask: NDArray[np.bool_]) -> Shown:
    """Return the columns that numbers of pixels are reduced from, and which cells count."""
    shown, statistic = shown_of(held, mask), held.settings.statistic
    if isinstance(statistic, str):
        return replace(shown, columns={"value": shown.coloring})
    from cxg_widget.draw.aggregate.reductions import columns_of

    return replace(shown, columns=held.columns(columns_of(statistic)))


def view_of(ask: p.Aggregate) -> View:
    """Return x at the left, x at the right, y at the bottom, y at the top edge."""
    return ask.view[0], ask.view[1], ask.view[2], ask.view[3]


def view_frames(cells: InView, shown: Shown, ask: p.Aggregate, seqs: Seqs, few: int) -> Iterator[Frame]:
    """Answer `aggregate`: with the cells if at most `few` of the view are drawn, else with an image.

    cells : all, whether they pass the filters or not
    """
    view, passing = view_of(ask), cells.only(shown.passing)
    drawn = cells if shown.draws_all else passing
    n_inside = drawn.count(view)
    if n_inside <= few:
        yield from _cell_frames(drawn, shown, around(drawn, view, few), seqs)
    else:
        size = (ask.width, ask.height)
        spread = spread_of(n_inside, size, ask.diameter)
        planes = passing.image(shown, view, size, spread)
        left_out = left_out_of(cells, shown, planes.counts, view, size, spread=spread)
        if shown.coloring.scale == "continuous":
            numbers = numbers_of(planes, shown, left_out, n_inside=n_inside, spread=spread)
            png = encode_lines(numbers.lines, 3)
        else:
            solidity = solidity_of(n_inside if drawn is passing else passing.count(view), few)
            solid = solidity, opacity_of(ask.layers * spread**2)
            png = encode_png(rgba_of(planes, shown, left_out, dark=ask.dark, solid=solid))
        content: Literal["colors", "numbers"] = "numbers" if shown.coloring.scale == "continuous" else "colors"
        message = p.Image(seqs.points, seqs.color, seqs.selection, ask.view, content, n_inside)
        yield from _image_frames(message, png)


def pixel_frames(
    cells: AllCells, shown: Shown, ask: p.Aggregate, seqs: Seqs, scale_of: Callable[[NDArray[np.float64]], PixelScale]
) -> Iterator[Frame]:
    """Answer `aggregate` with numbers of pixels; `scale_of` returns the range of their codes."""
    from cxg_widget.draw.aggregate.shading import pixel_image

    view, size = view_of(ask), (ask.width, ask.height)
    passing = cells.only(shown.passing)
    n_inside = (cells if shown.draws_all else passing).count(view)
    spread = spread_of(n_inside, size, ask.diameter)
    numbers, counts = passing.numbers(shown, view, size, spread).finished()
    left_out = left_out_of(cells, shown, counts, view, size, spread=spread)
    scale = scale_of(numbers)
    png = encode_lines(pixel_image(numbers, counts, scale.data.levels, left_out).lines, 3)
    message = p.Image(
        seqs.points,
        seqs.color,
        seqs.selection,
        ask.view,
        "numbers",
        n_inside,
        describe_statistic(shown.settings.statistic),
        scale.as_numbers,
        scale.data.levels.as_numbers,
    )
    yield from _image_frames(message, png, scale.arrays)


def _image_frames(
    message: p.Image, png: bytes, arrays: Mapping[str, NDArray[Any]] = MappingProxyType({})
) -> Iterator[Frame]:
    """Yield an image in parts: for a large screen it can have 15 MB."""
    bins = np.empty(0, np.uint32)
    none = {"histogram": bins, "quantiles": np.empty(0, np.float32), "log_histogram": bins}
    parts = cut_file(png)
    for at, part in enumerate(parts):
        yield Frame(replace(message, part=at, parts=len(parts)), {**none, **(arrays if at == 0 else {}), "png": part})


def _cell_frames(drawn: InView, shown: Shown, extent: View, seqs: Seqs) -> Iterator[Frame]:
    cells = drawn.cells(extent, shown)
    xy, codes = quantise_within(cells.xy, extent), cells.coloring.wire()
    none = np.empty(0, dtype=np.uint8)
    has_selection, passing = shown.mask.any(), cells.passing if shown.draws_all else None
    cuts = list(spans(len(xy), _CELL_BYTES))
    for part, (start, stop) in enumerate(cuts):
        arrays: dict[str, NDArray[Any]] = {
            "xy": xy[start:stop],
            "codes": codes[start:stop],
            "bits": pack_mask(cells.selected[start:stop]) if has_selection else none,
            "passing": none if passing is None else pack_mask(passing[start:stop]),
        }
        if cells.sizes is not None:
            arrays["sizes"] = cells.sizes[start:stop]
        yield Frame(p.Cells(seqs.points, seqs.color, seqs.selection, part, len(cuts), list(extent)), arrays)


def around(drawn: InView, view: View, few: int) -> View:
    """Return x0 < x1, y0 < y1: the view with a margin that has not many more cells than few, or the view alone.

    With a margin, a small move needs no request.
    """
    x0, x1, y0, y1 = *sorted(view[:2]), *sorted(view[2:])
    dx, dy = (x1 - x0) * (_AROUND - 1) / 2, (y1 - y0) * (_AROUND - 1) / 2
    wide = x0 - dx, x1 + dx, y0 - dy, y1 + dy
    return wide if drawn.count(wide) <= _MOST_AROUND * few else (x0, x1, y0, y1)
