"""What is on show as frames, cut into chunks; who asked and whether it is still wanted is the session's affair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget import protocol as p
from cxg_widget.coloring import heading
from cxg_widget.colormaps import COLORMAPS
from cxg_widget.datasets.base import Codes
from cxg_widget.encoding import Numbers, category_counts, code_frames, number_frames
from cxg_widget.frames import Frame, spans
from cxg_widget.look import Coloring, Look, is_tissue
from cxg_widget.order import DisplayOrder
from cxg_widget.palettes import category_palette
from cxg_widget.quantise import LEVELS, Positions
from cxg_widget.selection import pack_mask

if TYPE_CHECKING:
    from cxg_widget.datasets.base import Dataset

_DETAIL_BYTES = 8


def dataset_frame(dataset: Dataset) -> Frame:
    """Describe a dataset."""
    embeddings = [{"name": name, "axes": axes} for name, axes in dataset.embeddings.items()]
    columns = [{"name": column.name, "kind": column.kind} for column in dataset.obs_columns.values()]
    maps, notes = list(COLORMAPS), list(dataset.notes)
    return Frame(p.DatasetInfo(dataset.title, dataset.n_obs, dataset.n_var, embeddings, columns, maps, notes))


def point_frames(
    name: str, axes: tuple[int, int], positions: Positions, order: DisplayOrder, seq: int
) -> Iterator[Frame]:
    """Yield quantised coordinates in display order."""
    n_obs = order.rows.size
    for start, stop in spans(n_obs, 4):
        message = p.Points(
            seq, name, list(axes), start, stop, n_obs, list(positions.extent), positions.n_missing, is_tissue(name)
        )
        yield Frame(message, {"xy": positions.xy[order.rows[start:stop]]})


def color_frames(coloring: Coloring, look: Look, dataset: Dataset, order: DisplayOrder, seq: int) -> Iterator[Frame]:
    """Yield the legend of a colouring, then its values in display order."""
    yield legend_frame(coloring, look, dataset, seq)
    if isinstance(coloring.data, Codes):
        yield from code_frames(coloring.data, order, seq)
    elif isinstance(coloring.data, Numbers):
        yield from number_frames(coloring.data, order, seq)


def legend_frame(coloring: Coloring, look: Look, dataset: Dataset, seq: int) -> Frame:
    """Describe a colouring."""
    target, data = coloring.target, coloring.data
    name, detail = heading(target, dataset, look.layer)
    legend = p.Color(seq, target.spec, name, detail, "none", dataset.n_obs, 0, [], [], [], 0.0, 0.0, "none")
    arrays: Mapping[str, NDArray[Any]] = {"histogram": np.empty(0, np.uint32), "quantiles": np.empty(0, np.float32)}
    if isinstance(data, Codes):
        counts, n_missing = category_counts(data)
        legend = replace(
            legend,
            scale="categorical",
            n_missing=n_missing,
            categories=coloring.labels,
            counts=counts,
            colors=category_colors(coloring, look, dataset),
            encoding="dense",
        )
    elif isinstance(data, Numbers):
        legend = replace(
            legend,
            scale="continuous",
            n_missing=data.n_missing,
            lo=data.lo,
            hi=data.hi,
            encoding="sparse" if data.is_sparse else "dense",
        )
        arrays = {"histogram": data.histogram, "quantiles": (data.quantiles - data.lo).astype(np.float32)}
    return Frame(legend, arrays)


def category_colors(coloring: Coloring, look: Look, dataset: Dataset) -> list[str]:
    """Return one "#rrggbb" per category; empty unless categorical."""
    stored = dataset.category_colors(coloring.target.name) if coloring.target.source == "obs" else {}
    return category_palette(coloring.labels, stored, look.palette)


def selection_frame(mask: NDArray[np.bool_], order: DisplayOrder, seq: int) -> Frame:
    """Pack the selection in display order; no bits when nothing is selected."""
    n_selected = int(np.count_nonzero(mask))
    bits = pack_mask(order.arrange(mask)) if n_selected else np.empty(0, dtype=np.uint8)
    return Frame(p.Selection(seq, n_selected, mask.size), {"bits": bits})


def detail_frames(view: list[float], xy: NDArray[np.float32], order: DisplayOrder) -> Iterator[Frame]:
    """Yield the points of a view, quantised over that view instead of the whole embedding."""
    (x0, x1), (y0, y1) = sorted(view[:2]), sorted(view[2:4])
    inside = (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)
    index = np.sort(order.points[inside])
    near = xy[order.rows[index]].astype(np.float64)
    codes = np.rint((near - (x0, y0)) / (x1 - x0 or 1, y1 - y0 or 1) * LEVELS).astype(np.uint16)
    cuts = list(spans(index.size, _DETAIL_BYTES))
    for part, (start, stop) in enumerate(cuts):
        arrays: dict[str, NDArray[Any]] = {"index": index[start:stop], "xy": codes[start:stop]}
        yield Frame(p.Detail(part, len(cuts), [x0, x1, y0, y1]), arrays)
