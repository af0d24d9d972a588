"""What is on show as streams of frames: points, colour and selection, each with the number of its stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.held import Held
from cxg_widget.cells.loader import Loader
from cxg_widget.cells.preview import is_close
from cxg_widget.color.limits import check_order
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.search import Catalogue
from cxg_widget.display.settings import Settings, is_tissue
from cxg_widget.display.target import Target, is_number, resolve
from cxg_widget.draw.crowding import few_of
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.session import streams
from cxg_widget.session.exchange import error_frame
from cxg_widget.session.first_paint import FirstPaint, are_many
from cxg_widget.session.on_show import OnShow
from cxg_widget.spatial.view import Extent
from cxg_widget.text.names import shown
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds


class Showing:
    """What is known of a dataset and sent of it.

    Parameters
    ----------
    dataset : the open dataset; the session does not close it
    settings : what to show first
    seed : of the display order
    announce : takes a frame that nobody asked for, from any thread
    read_with : makes the `Loader` of a dataset, a seed and a function that is told progress
    """

    def __init__(
        self, dataset: Dataset, settings: Settings | None = None, *, seed: int = 0,
        announce: Callable[[Frame], object] | None = None,
        read_with: Callable[..., Loader] = Loader,
    ) -> None:  # fmt: skip
        self.dataset = dataset
        self._announce = announce or (lambda _: None)
        self._loader = read_with(dataset, seed, self._tell_progress)
        first = settings or Settings(embedding=dataset.default_embedding)
        self._on_show = OnShow(first, dataset.n_obs, self._way_of)
        self._stop_listening = dataset.tell_progress_to(self._tell_progress)
        self._first_paint = FirstPaint()

    def _tell_progress(self, done: float) -> None:
        self._announce(Frame(p.Progress("index", done)))

    @property
    def settings(self) -> Settings:
        """What is asked to be on show."""
        return self._on_show.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._on_show.change(settings)

    @property
    def way(self) -> object:
        """In which way cells are drawn; where it changes, all is sent anew."""
        return self._on_show.way

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which cells are selected, bool (n_obs,)."""
        return self._on_show.mask

    def _way_of(self, settings: Settings) -> tuple[object, ...]:
        return settings.render, settings.max_points, self._loader.is_of_pixels(settings)

    # --- what is known ---------------------------------------------------------------------------------------------

    @property
    def catalogue(self) -> Catalogue:
        """Everything one can colour by."""
        catalogue: Catalogue = self._loader.memo.keep("catalogue", None, lambda: Catalogue(self.dataset))
        return catalogue

    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates on show at full precision, float32 (n_obs, 2), row order."""
        return self._held.xy()

    def place(self, settings: Settings | None = None) -> Bounds:
        """Read where the cells are, and return within which bounds that is."""
        held = self._loader.of(settings or self.settings)
        held.point_xy()
        return held.bounds()

    def target(self, settings: Settings) -> Target:
        """Find what some settings colour by; raises as `target.resolve`."""
        return self._loader.target(settings)

    def coloring(self, settings: Settings | None = None) -> Coloring:
        """Read and return what the cells are coloured by; raises as `Held.coloring`."""
        return self._loader.of(settings or self.settings).coloring()

    def check_limits(self, settings: Settings) -> None:
        """Check the colour limits of some settings against each other, with its numbers where they have been read.

        Raises
        ------
        InvalidValue
            If the lower one lies above the upper one.
        """
        known: Coloring | None = self._loader.memo.held("coloring", settings.color_key)
        are_numbers = known is not None and known.scale == "continuous" and not self._loader.is_of_pixels(settings)
        check_order(settings.vmin, settings.vmax, known.numbers.quantile if known and are_numbers else None)

    def check_statistic(self, settings: Settings) -> None:
        """Check that a reduction of datashader gives one number for each pixel, of numbers that there are.

        Raises
        ------
        InvalidValue, UnknownName
            If it does not.
        """
        if isinstance(settings.statistic, str):
            return
        from cxg_widget.draw.aggregate import reduction_of

        plan = reduction_of(settings.statistic)
        if not plan.is_plane:
            raise InvalidValue(
                f"statistic must give one number for each pixel; {shown(settings.statistic)} gives several"
            )
        for column in plan.columns:
            if not is_number(resolve(column, self.dataset, settings.layer), self.dataset):
                raise InvalidValue(
                    f"statistic must be of numbers; {shown(column)} of {shown(settings.statistic)} holds none"
                )

    def prepare(self) -> None:
        """Read what the first picture needs."""
        self.coloring()
        self.place()
        self.prepare_order()

    def prepare_order(self) -> None:
        """Make the order of the points; beside `prepare`, which mostly waits for the store."""
        if not self._held.is_aggregated:
            self._loader.order()

    def prepare_index(self) -> None:
        """Build or load what views are aggregated from, where they are; the first of them then comes sooner."""
        if self._held.is_aggregated:
            self._held.prepare()

    def close(self) -> None:
        """Let go of what is held elsewhere; the dataset stays open."""
        self._first_paint.begin()
        self._stop_listening()
        self._loader.close()

    @property
    def _held(self) -> Held:
        """The cells as they are on show."""
        return self._loader.of(self.settings)

    @property
    def order(self) -> DisplayOrder:
        """The order in which the points are sent."""
        return self._held.order

    # --- frames ----------------------------------------------------------------------------------------------------

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates on show, in chunks; ends early when a newer call begins.

        Where the store states in which bounds they lie, a frame without points says so before they are read.
        """
        return self._points(self._on_show.take_up("points"))

    def _points(self, seq: int) -> Iterator[Frame]:
        outline = self._held.outline()
        if outline is not None:
            yield from self._on_show.until_newer("points", seq, partial(self._outline_frames, outline))
            bounds = self.place()
            is_kept = is_close(outline, bounds.extent)
            outline = outline if is_kept else None
            seq = seq if is_kept else self._on_show.renumber("points", seq)
        yield from self._on_show.until_newer("points", seq, partial(self._point_frames, outline))

    def _outline_frames(self, outline: Extent, seq: int) -> Iterator[Frame]:
        about = {**self._about_points(seq), "n_points": self._held.n_points}
        message = p.Points(start=0, stop=0, extent=list(outline), n_missing=0, **about)
        yield Frame(message, {"xy": np.empty((0, 2), dtype=np.uint16)})

    def _point_frames(self, outline: Extent | None, seq: int) -> Iterator[Frame]:
        held = self._held
        bounds = held.bounds()
        if outline is not None:
            bounds = Bounds(outline, bounds.n_missing)
        return streams.point_frames(held.point_xy(), bounds, held.order, self._about_points(seq))

    def _about_points(self, seq: int) -> dict[str, Any]:
        settings, name = self.settings, self.dataset.find_embedding(self.settings.embedding)
        equal_units = self.dataset.axis_labels(name, settings.axes) is None
        return {
            "seq": seq, "embedding": name, "axes": list(settings.axes), "n_obs": self.dataset.n_obs,
            "y_down": is_tissue(name), "aggregated": self._held.is_aggregated,
            "equal_units": equal_units, "axis_labels": list(self.dataset.axis_names(name, settings.axes) or ()),
            "few": few_of(settings),
        }  # fmt: skip

    def color(self) -> Iterator[Frame]:
        """Yield the legend and the values of the colouring on show, in chunks; ends early as `points`.

        Where the store states limits or categories, a legend with these alone comes before the values are read.
        """
        return self._color(self._on_show.take_up("color"))

    def _color(self, seq: int) -> Iterator[Frame]:
        preview = self._held.preview()
        if preview is not None and preview.is_preview:
            yield from self._on_show.until_newer("color", seq, partial(self._preview_frames, preview))
            self.coloring()
            seq = self._on_show.renumber("color", seq)
        yield from self._on_show.until_newer("color", seq, self._color_frames)

    def _preview_frames(self, preview: Coloring, seq: int) -> Iterator[Frame]:
        yield streams.legend_frame(preview, self.settings, self.dataset, self._held.n_points, seq)

    def _color_frames(self, seq: int) -> Iterator[Frame]:
        settings = self.settings
        held = self._loader.of(settings)
        order = held.order
        yield streams.legend_frame(held.coloring(), settings, self.dataset, order.rows.size, seq)
        yield from held.point_coloring().frames(order, seq)

    def recolor(self) -> Iterator[Frame]:
        """Yield the colours of the categories on show, after the palette changed."""
        colors = streams.category_colors(self.coloring(), self.settings, self.dataset)
        yield Frame(p.Palette(self._on_show.number("color"), colors))

    def selection(self) -> Iterator[Frame]:
        """Yield which points are selected, as packed bits."""
        seq, mask = self._on_show.next_selection()
        n_selected = int(np.count_nonzero(mask))
        yield streams.selection_frame(mask[self._held.point_rows] if n_selected else mask, n_selected, seq)

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
                    yield error_frame(slot, error, self.dataset.uri)
        if self.mask.any():
            yield from self.selection()

    def early(self) -> Iterator[Frame]:
        """Yield the first of many points for a front-end that has not asked yet; `show` then begins with the same.

        A kernel hears nothing before the cell has run that shows the widget.
        """
        if not are_many(self._held.n_points):
            return
        is_preview = self._held.outline() is not None and self._held.preview() is not None
        seqs = self._on_show.begin_early(can_take_up=not is_preview)
        yield streams.dataset_frame(self.dataset)
        color, points = self._color(seqs["color"]), self._points(seqs["points"])
        with suppress(CxgWidgetError):  # whoever asks is told
            for stream in (color, points) if is_preview else (color, points, color):
                yield from islice(stream, 1)
