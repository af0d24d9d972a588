"""Requests in, frames out: everything the widget can do, without a comm and without traitlets.

A `Session` holds one dataset, the display order, the selection and the colouring on show. It may be called from
several threads; a newer request for points or colour ends the older one between two chunks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget import protocol as p
from cxg_widget.coloring import ColorTrait, Target, detail_of, read, resolve
from cxg_widget.colormaps import COLORMAPS
from cxg_widget.datasets.base import Codes, Dataset
from cxg_widget.encoding import Numbers, category_counts, code_frames, describe, label_of, number_frames
from cxg_widget.errors import InvalidValue
from cxg_widget.frames import Frame, spans
from cxg_widget.hover import Describer, nearest_row
from cxg_widget.order import DisplayOrder
from cxg_widget.palettes import category_palette
from cxg_widget.picture import Paint, paint
from cxg_widget.polygon import as_polygon, in_polygon
from cxg_widget.quantise import Positions, quantise_positions
from cxg_widget.search import Catalogue
from cxg_widget.selection import SelectedCells, combine, pack_mask

_NOTHING = np.empty(0, dtype=np.uint32)


@dataclass(frozen=True)
class Look:
    """What is asked to be on show; the traits of the widget that need data from the kernel."""

    embedding: str | None = None
    axes: tuple[int, int] = (0, 1)
    color: ColorTrait = None
    layer: str | None = None
    palette: Any = None
    hidden: tuple[str, ...] = ()
    cmap: str = "viridis"
    vmin: float | str | None = None
    vmax: float | str | None = None


@dataclass(frozen=True)
class Coloring:
    """A colouring that has been read: its target and its codes or numbers, in row order."""

    target: Target
    data: Codes | Numbers | None = None

    @property
    def labels(self) -> list[str]:
        """The categories as text; empty unless categorical."""
        return [label_of(one) for one in self.data.categories] if isinstance(self.data, Codes) else []


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
        self._seq = {"points": 0, "color": 0, "selection": 0}

    # --- what is known, each part made at first use and kept until its key changes ---------------------------------

    def _keep(self, slot: str, key: Any, make: Any) -> Any:
        with self._lock:
            held = self._made.get(slot)
        if held is not None and held[0] == key:
            return held[1]
        made = make()
        with self._lock:
            self._made[slot] = (key, made)
        return made

    @property
    def order(self) -> DisplayOrder:
        """The display order of the rows."""
        with self._lock:
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
        if look.embedding is None:
            return np.full((self.dataset.n_obs, 2), np.nan, dtype=np.float32)
        return self.dataset.embedding(look.embedding, look.axes)

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
        color = look.color if look.color is None or isinstance(look.color, str) else tuple(look.color)
        made: Coloring = self._keep("coloring", (color, look.layer), lambda: self._read_coloring(look))
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
        return shown[coloring.data.codes]

    # --- frames ----------------------------------------------------------------------------------------------------

    def _next(self, slot: str) -> int:
        with self._lock:
            self._seq[slot] += 1
            return self._seq[slot]

    def _until_newer(self, slot: str, seq: int, frames: Iterator[Frame]) -> Iterator[Frame]:
        for frame in frames:
            if self._seq[slot] != seq:
                return
            yield frame

    def info(self) -> Frame:
        """Describe the dataset."""
        dataset = self.dataset
        embeddings = [{"name": name, "axes": axes} for name, axes in dataset.embeddings.items()]
        columns = [{"name": column.name, "kind": column.kind} for column in dataset.obs_columns.values()]
        maps, notes = list(COLORMAPS), list(dataset.notes)
        return Frame(p.DatasetInfo(dataset.title, dataset.n_obs, dataset.n_var, embeddings, columns, maps, notes))

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates on show, in chunks."""
        seq, look = self._next("points"), self.look
        return self._until_newer("points", seq, self._point_frames(seq, look))

    def _point_frames(self, seq: int, look: Look) -> Iterator[Frame]:
        if look.embedding is None:
            raise InvalidValue(f"{self.dataset.title!r} has no embedding to show")
        positions, order = self.positions(look), self.order
        n_obs, y_down = self.dataset.n_obs, is_tissue(look.embedding)
        for start, stop in spans(n_obs, positions.xy.itemsize * 2):
            message = p.Points(
                seq, look.embedding, list(look.axes), start, stop, n_obs, list(positions.extent), positions.n_missing, y_down
            )
            yield Frame(message, {"xy": positions.xy[order.rows[start:stop]]})

    def color(self) -> Iterator[Frame]:
        """Yield the legend and the values of the colouring on show, in chunks."""
        seq, look = self._next("color"), self.look
        return self._until_newer("color", seq, self._color_frames(seq, look))

    def _color_frames(self, seq: int, look: Look) -> Iterator[Frame]:
        coloring = self.coloring(look)
        yield self._legend(seq, coloring, look)
        if isinstance(coloring.data, Codes):
            yield from code_frames(coloring.data, self.order, seq)
        elif isinstance(coloring.data, Numbers):
            yield from number_frames(coloring.data, self.order, seq)

    def _legend(self, seq: int, coloring: Coloring, look: Look) -> Frame:
        target, data, n_obs = coloring.target, coloring.data, self.dataset.n_obs
        detail = detail_of(target, self.dataset, look.layer)
        empty = {"histogram": _NOTHING, "quantiles": _NOTHING.astype(np.float32)}
        legend = p.Color(seq, target.spec, target.name, detail, "none", n_obs, 0, [], [], [], 0.0, 0.0, "none")
        if isinstance(data, Codes):
            counts, n_missing = category_counts(data)
            colors = self._category_colors(coloring, look)
            legend = replace(
                legend, scale="categorical", n_missing=n_missing, categories=coloring.labels, counts=counts,
                colors=colors, encoding="dense",
            )  # fmt: skip
        elif isinstance(data, Numbers):
            encoding = "sparse" if data.is_sparse else "dense"
            legend = replace(
                legend, scale="continuous", n_missing=data.n_missing, lo=data.lo, hi=data.hi, encoding=encoding
            )
            empty = {"histogram": data.histogram, "quantiles": data.quantiles}
        return Frame(legend, empty)

    def _category_colors(self, coloring: Coloring, look: Look) -> list[str]:
        stored = self.dataset.category_colors(coloring.target.name) if coloring.target.source == "obs" else {}
        return category_palette(coloring.labels, stored, look.palette)

    def recolor(self) -> Iterator[Frame]:
        """Yield the colours of the categories on show, after the palette changed."""
        coloring = self.coloring()
        if isinstance(coloring.data, Codes):
            yield Frame(p.Palette(self._seq["color"], self._category_colors(coloring, self.look)))

    def selection(self) -> Iterator[Frame]:
        """Yield the selection as packed bits in display order."""
        with self._lock:
            seq, mask = self._next("selection"), self.mask
        n_selected = int(np.count_nonzero(mask))
        bits = pack_mask(self.order.arrange(mask)) if n_selected else np.empty(0, dtype=np.uint8)
        yield Frame(p.Selection(seq, n_selected, mask.size), {"bits": bits})

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
                yield self.info()
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
                yield from self._zoom(message)
            case p.Draw():
                yield Frame(p.Picture(message.view, message.width, message.height), {"png": self._draw(message)})

    def show(self) -> Iterator[Frame]:
        """Yield points and colour chunk by chunk in turn, so that the first picture has both; then the selection."""
        streams = [self.color(), self.points()]
        while streams:
            for stream in list(streams):
                frame = next(stream, None)
                if frame is None:
                    streams.remove(stream)
                else:
                    yield frame
        if self.mask.any():
            yield from self.selection()

    def _hover(self, message: p.Hover) -> Frame:
        row = nearest_row(self.xy(), message.x, message.y, message.radius, self.visible())
        if row is None:
            return Frame(p.Cell(-1, 0.0, 0.0, "", "", []))
        x, y = (float(value) for value in self.xy()[row])
        coloring = self.coloring()
        describer: Describer = self._keep("describer", None, lambda: Describer(self.dataset))
        return Frame(p.Cell(row, x, y, describer.name(row), describer.value(row, coloring.data), describer.fields(row)))

    def _zoom(self, message: p.Zoom) -> Iterator[Frame]:
        x0, x1 = sorted(message.view[:2])
        y0, y1 = sorted(message.view[2:4])
        xy = self.xy()
        inside = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)
        index = np.sort(self.order.points[inside])
        near = xy[self.order.rows[index]].astype(np.float64)
        codes = np.rint((near - (x0, y0)) / (x1 - x0 or 1, y1 - y0 or 1) * (p.MISSING_U16 - 1)).astype(np.uint16)
        cuts = list(spans(index.size, 8))
        for part, (start, stop) in enumerate(cuts):
            arrays = {"index": index[start:stop], "xy": codes[start:stop]}
            yield Frame(p.Detail(part, len(cuts), [x0, x1, y0, y1]), arrays)

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
        colors = self._category_colors(coloring, self.look) if isinstance(coloring.data, Codes) else []
        rows = self.order.rows if max_points is None else self.order.rows[:max_points]
        tissue = self.look.embedding is not None and is_tissue(self.look.embedding)
        job = Paint(
            rows, self.xy(), positions.extent, coloring, colors, self.look, self.mask, self.visible(), y_down=tissue
        )
        return paint(job, view, size, dark=dark)


def is_tissue(embedding: str) -> bool:
    """Say whether an embedding holds pixel positions of an image, whose y axis points down."""
    return embedding.removeprefix("X_").casefold() in ("spatial", "spatial_fullres", "spatial_lowres", "spatial_hires")
