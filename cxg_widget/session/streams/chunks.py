"""Data as frames in chunks; the session decides who needs them."""
# Changes with js/src/state/receive.js: what arrives at the front-end.
# Changes with js/src/state/state.js: fields of what arrives.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.annotations.colors import label_colors
from cxg_widget.annotations.labels import as_labels
from cxg_widget.cells.preview import are_stated
from cxg_widget.color.colormap_lookup import ON_OFFER
from cxg_widget.color.palettes import category_palette
from cxg_widget.compute.bits import pack_mask
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.by_sets import set_colors
from cxg_widget.display.color_target import blended_names, heading, layer_to_offer
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.spatial.view import within
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, spans
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds, quantise_positions, quantise_within

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_DETAIL_BYTES = 8


def dataset_frame(dataset: Dataset) -> Frame:
    """Describe a dataset."""
    embeddings = [{"name": name, "axes": axes} for name, axes in dataset.embeddings.items()]
    columns = [{"name": column.name, "kind": column.kind} for column in dataset.obs_columns.values()]
    return Frame(
        p.DatasetInfo(
            title=dataset.title,
            n_obs=dataset.n_obs,
            n_var=dataset.n_var,
            obs_noun=list(dataset.obs_noun),
            var_noun=list(dataset.var_noun),
            set_noun=list(dataset.set_noun or ()),
            embeddings=embeddings,
            columns=columns,
            colormaps=list(ON_OFFER),
            notes=list(dataset.notes),
        )
    )


def point_frames(
    xy: NDArray[np.float32],
    bounds: Bounds,
    order: DisplayOrder,
    about: Mapping[str, Any],
    sizes: NDArray[np.uint16] | None = None,
) -> Iterator[Frame]:
    """Yield coordinates in draw order, quantized over the bounds of all cells, each chunk on demand.

    about : the fields of `Points` that are the same for all chunks
    sizes : diameter of each point; None = all equal
    """
    n_points = order.rows.size
    known: dict[str, Any] = {"n_points": n_points, "extent": list(bounds.extent), "n_missing": bounds.n_missing}
    for start, stop in spans(n_points, 4):
        arrays = {"xy": quantise_positions(order.arrange(xy, start, stop), bounds)}
        if sizes is not None:
            arrays["sizes"] = order.arrange(sizes, start, stop)
        yield Frame(p.Points(start=start, stop=stop, **known, **about), arrays)


def legend_frame(coloring: Coloring, settings: Settings, dataset: Dataset, n_points: int, seq: int) -> Frame:
    """Describe a coloring of which n_points values will follow."""
    target, numbers, (lo, hi), (counts, n_missing) = (
        coloring.target,
        coloring.numbers,
        coloring.limits,
        coloring.counts(),
    )
    name, detail = heading(target, dataset, settings.layer)
    low = min((one.lo for one in coloring.numbers_of), default=lo) if isinstance(coloring, BlendColoring) else lo
    unscaled = layer_to_offer(target, dataset, settings.layer) if low < 0 else ""
    if unscaled:
        detail = f"X is scaled · {detail}"
    colors = category_colors(coloring, settings, dataset)
    is_stated = coloring.scale == "continuous" and are_stated(coloring, dataset)
    legend = p.Color(
        seq, target.spec, name, detail, coloring.scale, n_points, dataset.n_obs, n_missing,
        coloring.labels, counts, colors, lo, hi, coloring.encoding, is_stated,
        numbers.n_negative, numbers.n_zero, numbers.least, unscaled=unscaled,
        ordered=coloring.scale == "categorical" and coloring.codes.ordered, levels=numbers.levels.as_numbers,
    )  # fmt: skip
    if isinstance(coloring, BlendColoring):
        names = blended_names(target, dataset, settings.layer)
        legend = replace(
            legend, dark_colors=coloring.colors_on(dark=True), corners=list(map(list, coloring.corners(names)))
        )
    quantiles = numbers.quantile_shares
    bins = {"histogram": numbers.histogram, "log_histogram": numbers.log_histogram}
    return Frame(legend, {**bins, "quantiles": quantiles})


def category_colors(coloring: Coloring, settings: Settings, dataset: Dataset) -> list[str]:
    """Return one "#rrggbb" per category; empty unless categorical."""
    if isinstance(coloring, BlendColoring):
        return coloring.colors_on(dark=False)
    stored: dict[str, str] = {}
    if coloring.target.source == "obs":
        stored = stored_colors(coloring.target.name, settings, dataset)
    elif coloring.target.source == "sets":
        stored = set_colors(settings.sets)
    return category_palette(coloring.labels, stored, settings.palette)


def stored_colors(column: str, settings: Settings, dataset: Dataset) -> dict[str, str]:
    """Return the colors of an obs column that the store states, or of the labels of an annotation."""
    log = settings.log_of(column)
    if log is None:
        return dataset.category_colors(column)
    return label_colors(log, lambda name: (as_labels(dataset.codes(name)).categories, dataset.category_colors(name)))


def of_panel(frame: Frame, panel: int) -> Frame:
    """Return a frame addressed to a panel."""
    assert isinstance(frame.message, p.OfPanel)
    return Frame(replace(frame.message, panel=panel), frame.arrays)


def selection_frame(selected: NDArray[np.bool_], n_selected: int, seq: int) -> Frame:
    """Pack the selected points, bool (n_points,) in draw order; empty if no cell is selected."""
    bits = pack_mask(selected) if n_selected else np.empty(0, dtype=np.uint8)
    return Frame(p.Selection(seq, n_selected, selected.size), {"bits": bits})


def filter_frame(passing: NDArray[np.bool_] | None, counts: tuple[int, int], rows: NDArray[Any], seq: int) -> Frame:
    """Pack the passing points, rows in draw order, empty if all pass; counts: number that pass, number shown."""
    bits = np.empty(0, dtype=np.uint8) if passing is None else pack_mask(passing[rows])
    return Frame(p.Filter(seq, *counts, rows.size), {"bits": bits})


def detail_frames(view: list[float], xy: NDArray[np.float32], order: DisplayOrder) -> Iterator[Frame]:
    """Yield the points of a view, quantized over that view instead of the whole embedding."""
    (x0, x1), (y0, y1) = sorted(view[:2]), sorted(view[2:4])
    index = np.sort(order.points[within(xy, (x0, x1, y0, y1))])
    codes = quantise_within(xy[order.rows[index]], (x0, x1, y0, y1))
    cuts = list(spans(index.size, _DETAIL_BYTES))
    for part, (start, stop) in enumerate(cuts):
        arrays: dict[str, NDArray[Any]] = {"index": index[start:stop], "xy": codes[start:stop]}
        yield Frame(p.Detail(part, len(cuts), [x0, x1, y0, y1]), arrays)
