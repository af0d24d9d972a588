"""Requests in, frames out: everything the widget can do, without a comm and without traitlets.

A `Session` holds one dataset, the display order, the selection and the colouring on show. It may be called from
several threads; a newer request for points or colour ends the older one between two chunks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget import protocol as p
from cxg_widget import streams
from cxg_widget.bounds import check_size, check_version, check_view
from cxg_widget.coloring import read, resolve
from cxg_widget.datasets.base import Codes, Dataset
from cxg_widget.encoding import describe
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.frames import Frame
from cxg_widget.hover import Describer, nearest_row
from cxg_widget.look import Coloring, Look, is_tissue
from cxg_widget.order import DisplayOrder
from cxg_widget.picture import Paint, paint
from cxg_widget.polygon import as_polygon, in_polygon
from cxg_widget.quantise import Positions, quantise_positions
from cxg_widget.search import Catalogue
from cxg_widget.selection import SelectedCells, combine


class Session:
    """One dataset on show.

    Parameters
    ----------
    dataset : the open dataset; the session does not close it
    look : what to show first
    seed : of the display order
    """

    def __init__(self, dataset: Dataset, look: Look | None = None, *, seed: int = 0) -> None:
        self.dataset = dataset
        self.look = look or Look(embedding=dataset.default_embedding)
        self.mask: NDArray[np.bool_] = np.zeros(dataset.n_obs, dtype=np.bool_)
        self._seed = seed
        self._lock = threading.RLock()
        self._made: dict[str, tuple[Any, Any]] = {}
        self._making: dict[tuple[str, Any], threading.RLock] = {}
        self._seq = {"points": 0, "color": 0, "selection": 0}

    # --- what is known, each part made at first use and kept until its key changes ---------------------------------

    def _keep(self, slot: str, key: Any, make: Any) -> Any:
        """Return what the slot holds for a key; two threads that miss the same key at once make it once."""
        with self._lock:
            making = self._making.setdefault((slot, key), threading.RLock())
        with making:
            held = self._made.get(slot)
            try:
                if held is None or held[0] != key:
                    held = self._made[slot] = (key, make())
            finally:
                with self._lock:
                    self._making.pop((slot, key), None)
        return held[1]

    @property
    def order(self) -> DisplayOrder:
        """The display order of the rows."""
        order: DisplayOrder = self._keep("order", None, lambda: DisplayOrder(self.dataset.n_obs, self._seed))
        return order

    @property
    def catalogue(self) -> Catalogue:
        """Everything one can colour by."""
        catalogue: Catalogue = self._keep("catalogue", None, lambda: Catalogue(self.dataset))
        return catalogue

    def xy(self, look: Look | None = None) -> NDArray[np.float32]:
        """Return the coordinates on show at full precision, float32 (n_obs, 2), row order."""
        look = look or self.look
        xy: NDArray[np.float32] = self._keep(
            "xy", (look.embedding, look.axes), lambda: self.dataset.embedding(look.embedding, look.axes)
        )
        return xy

    def positions(self, look: Look | None = None) -> Positions:
        """Return the quantised coordinates on show, in row order."""
        look = look or self.look
        key = (look.embedding, look.axes)
        positions: Positions = self._keep("positions", key, lambda: quantise_positions(self.xy(look)))
        return positions

    def coloring(self, look: Look | None = None) -> Coloring:
        """Read what the points are coloured by.

        Raises
        ------
        CxgWidgetError
            If the name is unknown or the data cannot be read; the colouring on show stays.
        """
        look = look or self.look
        made: Coloring = self._keep("coloring", look.color_key, lambda: self._read_coloring(look))
        return made

    def _read_coloring(self, look: Look) -> Coloring:
        target = resolve(look.color, self.dataset)
        if target.source == "none":
            return Coloring(target)
        data = read(target, self.dataset, look.layer)
        return Coloring(target, data if isinstance(data, Codes) else describe(data, self.dataset.n_obs))

    def visible(self) -> NDArray[np.bool_] | None:
        """Return which cells are not hidden by the legend, bool (n_obs,); None when all are shown."""
        if not self.look.hidden:
            return None
        coloring = self.coloring()
        if not isinstance(coloring.data, Codes):
            return None
        hidden = set(self.look.hidden)
        shown = np.array([label not in hidden for label in [*coloring.labels, p.MISSING_LABEL]], dtype=np.bool_)
        visible: NDArray[np.bool_] = shown[coloring.data.codes]
        return visible

    # --- frames ----------------------------------------------------------------------------------------------------

    def _next(self, slot: str) -> int:
        with self._lock:
            self._seq[slot] += 1
            return self._seq[slot]

    def _until_newer(self, slot: str, seq: int, stream: Callable[[int], Iterator[Frame]]) -> Iterator[Frame]:
        for frame in stream(seq):
            if self._seq[slot] != seq:
                return
            yield frame

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates on show, in chunks; ends early when a newer call begins."""
        return self._until_newer("points", self._next("points"), self._point_frames)

    def _point_frames(self, seq: int) -> Iterator[Frame]:
        look = self.look
        name = self.dataset.find_embedding(look.embedding)
        return streams.point_frames(name, look.axes, self.positions(look), self.order, seq)

    def color(self) -> Iterator[Frame]:
        """Yield the legend and the values of the colouring on show, in chunks; ends early as `points`."""
        return self._until_newer("color", self._next("color"), self._color_frames)

    def _color_frames(self, seq: int) -> Iterator[Frame]:
        look = self.look
        return streams.color_frames(self.coloring(look), look, self.dataset, self.order, seq)

    def recolor(self) -> Iterator[Frame]:
        """Yield the colours of the categories on show, after the palette changed."""
        colors = streams.category_colors(self.coloring(), self.look, self.dataset)
        yield Frame(p.Palette(self._seq["color"], colors))

    def selection(self) -> Iterator[Frame]:
        """Yield the selection as packed bits in display order."""
        with self._lock:
            seq, mask = self._next("selection"), self.mask
        yield streams.selection_frame(mask, self.order, seq)

    # --- selecting -------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> SelectedCells:
        """The selection as it is now."""
        return SelectedCells(self.dataset, self.mask)

    def select(self, mask: NDArray[np.bool_], mode: p.Mode = "replace") -> None:
        """Combine a mask, bool (n_obs,), with the selection."""
        with self._lock:
            self.mask = combine(self.mask, mask, mode)

    def polygon_mask(self, corners: Any) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2) in data units of the embedding and axes on show."""
        return in_polygon(self.xy(), as_polygon(corners))

    def lasso(self, message: p.Lasso) -> None:
        """Select by a gesture: only cells that are not hidden, since nobody points at what is not there."""
        if len(message.polygon) % 2:
            raise InvalidValue(f"a lasso must list x and y of each corner; found {len(message.polygon)} numbers")
        mask = self.polygon_mask(np.reshape(message.polygon, (-1, 2)))
        visible = self.visible()
        self.select(mask if visible is None else mask & visible, message.mode)

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
                yield from self.show()
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
                yield from streams.detail_frames(message.view, self.xy(), self.order)
            case p.Draw():
                check_view(message.view)
                check_size(message.width, message.height)
                yield Frame(p.Picture(message.view, message.width, message.height), {"png": self._draw(message)})

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

    def _hover(self, message: p.Hover) -> Frame:
        row = nearest_row(self.xy(), message.x, message.y, message.radius, self.visible())
        if row is None:
            return Frame(p.Cell(-1, 0.0, 0.0, "", "", []))
        x, y = (float(value) for value in self.xy()[row])
        coloring = self.coloring()
        describer: Describer = self._keep("describer", None, lambda: Describer(self.dataset))
        told = coloring.target.name if coloring.target.source == "obs" else ""
        value = describer.value(row, coloring.data)
        return Frame(p.Cell(row, x, y, describer.name(row), value, describer.fields(row, without=told)))

    def _draw(self, message: p.Draw) -> NDArray[np.uint8]:
        view = (message.view[0], message.view[1], message.view[2], message.view[3])
        return np.frombuffer(self.png(view, (message.width, message.height), dark=message.dark), dtype=np.uint8)

    def png(
        self, view: tuple[float, float, float, float] | None, size: tuple[int, int], *,
        dark: bool = False, max_points: int | None = None,
    ) -> bytes:  # fmt: skip
        """Draw the look in the kernel.

        Parameters
        ----------
        view : x left, x right, y bottom, y top, data units; None = everything
        size : width and height, px
        max_points : draw only a prefix of the display order, a fair sample

        Returns
        -------
        a PNG file
        """
        positions, coloring = self.positions(), self.coloring()
        colors = streams.category_colors(coloring, self.look, self.dataset)
        rows = self.order.rows if max_points is None else self.order.rows[:max_points]
        job = Paint(
            rows,
            self.xy(),
            positions.extent,
            coloring,
            colors,
            self.look,
            self.mask,
            self.visible(),
            y_down=is_tissue(self.look.embedding),
        )
        return paint(job, view, size, dark=dark)
