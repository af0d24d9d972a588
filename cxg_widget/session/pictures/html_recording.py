"""Records the frames that a page would get, for a file without a kernel."""
# Changes with js/src/file/pieces.js: pieces of a saved page.

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import at_zero
from cxg_widget.cells.loader import Loader
from cxg_widget.cells.sample import Sample
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import CategoryColoring, Coloring, NumberColoring
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.streams import chunks
from cxg_widget.session.streams.display_streams import DisplayStreams
from cxg_widget.session.streams.landmarks import Landmarks
from cxg_widget.session.streams.tissue import MOST_PX, TissueParts
from cxg_widget.text.names import shortened
from cxg_widget.wire import protocol as p
from cxg_widget.wire.encoding import LEGEND_BINS
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds

NAMES_AT_ONCE = 65_536


class Recording:
    """Frames of the cells of a file: all, those that pass the filters if the others are not drawn, or a sample.

    Parameters
    ----------
    mask : the selection, bool (n_obs,)
    most : most cells

    Attributes
    ----------
    settings : the current ones, with statistics of pixels replaced by values of cells
    rows : of the cells, int64 (n,), in draw order
    n_cells : number of cells before sampling
    """

    def __init__(self, loader: Loader, settings: Settings, mask: NDArray[np.bool_], most: int) -> None:
        self.loader, self._dataset, self._mask = loader, loader.dataset, mask
        statistic = "auto" if loader.is_of_pixels(settings) else settings.statistic
        render = settings.render if loader.is_elsewhere else "points"
        self.settings = replace(settings, statistic=statistic, render=render)
        self._streams = DisplayStreams(loader, display := DisplayState(self.settings, self._dataset.n_obs))
        self._landmarks = Landmarks(loader, display)
        self._passing = loader.of(self.settings).passing()
        self.rows, self._points, self.n_cells = self._choose(most)
        self._order = DisplayOrder(self.rows.size, None)

    @property
    def n(self) -> int:
        """Number of recorded cells."""
        return self.rows.size

    @property
    def is_part(self) -> bool:
        """Whether some cells are not recorded."""
        return self.n < self._dataset.n_obs

    @property
    def leaves_out(self) -> bool:
        """Whether filtered-out cells are not recorded."""
        return self._passing is not None and self.settings.filtered == "hide"

    def _choose(self, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return rows, their points, and the number of cells before sampling."""
        held, passing = self.loader.of(self.settings), self._passing if self.leaves_out else None
        n_cells = self._dataset.n_obs if passing is None else int(np.count_nonzero(passing))
        if held.is_aggregated:  # workers hold the cells, but the coloring of a sample is here
            every = held.point_rows.astype(np.int64)
            points = np.arange(every.size) if passing is None else np.flatnonzero(passing[every])
            return every[points[:most]], points[:most], n_cells
        if n_cells > most:
            picked = Sample(n_cells, most).rows
            rows = picked if passing is None else np.flatnonzero(passing)[picked]
        else:
            every = held.point_rows
            rows = (every if passing is None else every[passing[every]]).astype(np.int64)
        return rows, rows, n_cells

    @property
    def filters(self) -> tuple[Any, ...]:
        """The filters except that of the legend, whose categories can be shown again."""
        return self.loader.filters_except_legend(self.settings)

    def dataset(self) -> Frame:
        """Describe the dataset of the file: these cells, and the overlays."""
        frame, now = chunks.dataset_frame(self._dataset), self.settings
        message = frame.message
        assert isinstance(message, p.DatasetInfo)
        named = {now.labels, now.contours if isinstance(now.contours, str) else None}
        columns = [one for one in message.columns if one["name"] in named]
        places = {now.embedding, *(embedding for embedding, _ in now.places)}
        embeddings = [one for one in message.embeddings if one["name"] in places]
        return Frame(replace(message, n_obs=self.n, columns=columns, embeddings=embeddings, notes=[]))

    def points(self, panel: int) -> Iterator[Frame]:
        """Yield coordinates in the embedding of a panel, 0 = the plot, over the extent of all cells."""
        own = self.settings.of_panel(panel)
        held = self.loader.of(replace(self.settings, embedding=own.embedding, axes=own.axes))
        xy = held.coordinates(self.rows)
        n_missing = self.n - int(np.count_nonzero(np.isfinite(xy).all(axis=1)))
        about = {**self._streams.about_points(0, held), "n_obs": self.n, "aggregated": False}
        about["n_at_zero"] = at_zero(xy) if isinstance(own.embedding, tuple) else []
        every, bounds = held.sizes(), Bounds(held.bounds().extent, n_missing)
        sizes = None if every is None else every[self.rows]
        for frame in chunks.point_frames(xy, bounds, self._order, about, sizes):
            yield chunks.of_panel(frame, panel)

    def color(self, settings: Settings) -> Iterator[Frame]:
        """Yield a legend, the values of the cells, and the counts of the selected ones."""
        coloring = self.loader.of(settings).coloring()
        coloring = coloring.take(self._points if coloring.is_sample else self.rows)
        coloring = _of_these(coloring) if self.is_part else coloring
        legend = chunks.legend_frame(coloring, settings, self._dataset, self.n, 0)
        assert isinstance(legend.message, p.Color)
        yield Frame(replace(legend.message, n_obs=self.n), legend.arrays)
        yield from coloring.frames(self._order, 0)
        if (chosen := self._mask[self.rows]).any():
            n_missing, *counts = coloring.count_selected(chosen).tolist()
            yield Frame(
                p.Counts(0, 0, n_missing),
                {"counts": np.array(counts, dtype=np.uint32), "passing": np.empty(0, dtype=np.uint32)},
            )

    def start(self) -> Iterator[Frame]:
        """Yield the dataset, the selected and the passing cells, and the cells of each panel."""
        yield self.dataset()
        selected = self._mask[self.rows]
        yield chunks.selection_frame(selected, int(np.count_nonzero(selected)), 0)
        passing = None if self.leaves_out else self._passing
        yield self._filter_frame(passing, 0)
        for panel in self.settings.panel_numbers:
            yield self._filter_frame(self._streams.passing_of(panel), panel)

    def _filter_frame(self, passing: NDArray[np.bool_] | None, panel: int) -> Frame:
        n = self.n if passing is None else int(np.count_nonzero(passing[self.rows]))
        return chunks.of_panel(chunks.filter_frame(passing, (n, n), self.rows, 0), panel)

    def answers(self) -> Iterator[Frame]:
        """Yield overlays and tissue images of the plot and its panels, without those that fail."""
        now, others = self.settings, list(self.filters)
        requested: list[p.AskLabels | p.AskContours | p.AskDifference] = []
        for panel in (0, *now.places.values()):
            more: dict[str, Any] = {"filters": list(now.filters), "panel": panel}
            if now.labels is not None:
                requested.append(p.AskLabels(now.labels, filters=others, panel=panel))
            if now.contours:
                names = list(now.contours) if isinstance(now.contours, tuple) else []
                requested.append(
                    p.AskContours(now.contours if isinstance(now.contours, str) else "", sets=names, **more)
                )
            if now.difference:
                requested.append(p.AskDifference(list(now.difference), **more))
        for one in requested:
            with suppress(CxgWidgetError):
                frame = getattr(self._landmarks, one.kind)(one)
                yield chunks.of_panel(frame, one.panel)
        if now.tissue:
            with suppress(CxgWidgetError):
                yield self._tissue(now.tissue)

    def _tissue(self, name: str) -> Frame:
        view = list(self._dataset.find_image(name).extent)
        frame = TissueParts(self._dataset).frame(p.AskTissue(name, view, MOST_PX, MOST_PX))
        message = frame.message
        assert isinstance(message, p.Tissue)
        return Frame(replace(message, whole=message.extent, per_px=1), frame.arrays)  # there is nothing finer

    def names(self) -> Iterator[bytes]:
        """Yield the names of the cells in parts, as JSON."""
        names = self._names()
        for start in range(0, self.n, NAMES_AT_ONCE):
            yield json.dumps([shortened(str(one)) for one in names[start : start + NAMES_AT_ONCE]]).encode()

    def _names(self) -> Any:
        try:
            if 2 * self.n >= self._dataset.n_obs:
                return self._dataset.obs_names()[self.rows]
            order = np.argsort(self.rows)
            names = np.empty(self.n, dtype=object)
            names[order] = self._dataset.obs_names(self.rows[order])
        except CxgWidgetError:
            return [f"row {row:,}" for row in self.rows.tolist()]
        return names


def _of_these(coloring: Coloring) -> Coloring:
    """Return a coloring of some cells whose legend counts these; limits stay those of all."""
    if isinstance(coloring, CategoryColoring) and not isinstance(coloring, BlendColoring):
        return replace(coloring, counted=None)
    if not isinstance(coloring, NumberColoring):
        return coloring
    numbers, values = coloring.numbers, coloring.numbers.dense()
    counts = coloring.count_selected(np.ones(numbers.n_obs, dtype=np.bool_))
    counted = replace(
        numbers, n_missing=int(counts[0]), histogram=counts[1 : 1 + LEGEND_BINS].astype(np.uint32),
        log_histogram=counts[1 + LEGEND_BINS :].astype(np.uint32), n_negative=int(np.count_nonzero(values < 0)),
        n_zero=int(np.count_nonzero(values == 0)),
    )  # fmt: skip
    return replace(coloring, data=counted)


def packed(frames: Iterable[Frame]) -> bytes:
    """Return frames as bytes: length of a JSON list, the list, and buffers aligned to four bytes."""
    contents, buffers = [], []
    for frame in frames:
        content, arrays = frame.pack()
        contents.append(content)
        buffers += [bytes(one) for one in arrays]
    described = json.dumps(contents, allow_nan=False).encode()
    pieces = [np.uint32(len(described)).astype("<u4").tobytes(), described, *buffers]
    return b"".join(piece + bytes(-len(piece) % 4) for piece in pieces)
