"""`CxgWidget.aggregate`: all cells of a view reduced to planes of a given size, with exact values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.display.by_sets import resolve_sets
from cxg_widget.display.checks import check_view
from cxg_widget.display.color_target import is_number, resolve
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial.view import View
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import xarray as xr

    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.color_target import ColorTrait

MAX_PX = 100_000_000


def aggregated(
    held: Holder,
    mask: NDArray[np.bool_] | None,
    reduction: Any = None,
    *,
    color: ColorTrait = None,
    view: Any = None,
    width: int = 800,
    height: int = 600,
) -> xr.DataArray | xr.Dataset:
    """Reduce the cells of a mask, bool (n_obs,), None = all, to planes; see `CxgWidget.aggregate`."""
    from cxg_widget.draw.aggregate.by_rows import wanted_of
    from cxg_widget.draw.aggregate.grid import PixelGrid

    dataset, settings = held.dataset, held.settings
    size = _checked_size(width, height)
    edges = check_view(view)
    if reduction is None:
        reduction, color = _as_shown(dataset, settings, color)
    wanted = wanted_of(
        reduction, color, dataset, shown_color=settings.color, layer=settings.layer, sets=settings.own_gene_sets
    )
    dataset.find_embedding(settings.embedding)
    seen = _with_room(held.extent()) if edges is None else _ascending(edges)
    PixelGrid.of(seen, size)
    return held.sums(wanted, seen, size, mask).finished(wanted.name).rename(wanted.dims)


def _as_shown(dataset: Dataset, settings: Settings, color: ColorTrait) -> tuple[Any, ColorTrait]:
    """Return the reduction that the widget shows, or would show with another color."""
    target, statistic = settings.color if color is None else color, settings.statistic
    names = [one["name"] for one in settings.sets]
    if color is None and resolve_sets(target, names, dataset, settings.layer, settings.own_gene_sets) is not None:
        raise InvalidValue("aggregate() cannot count by sets; give a column or gene as color=, or a set as within=.")
    if statistic == "auto" or not is_number(resolve(target, dataset, settings.layer, settings.own_gene_sets), dataset):
        return None, target
    if isinstance(statistic, str):
        return statistic, target
    return (statistic, None) if color is None else (None, target)


def _checked_size(width: Any, height: Any) -> tuple[int, int]:
    sides = [int(side) for side in (width, height) if isinstance(side, int | np.integer) and not isinstance(side, bool)]
    if len(sides) < 2 or min(sides) < 1 or sides[0] * sides[1] > MAX_PX:
        wanted = f"whole numbers from 1 whose product is {MAX_PX:,} at most"
        raise InvalidValue(f"width and height must be {wanted}; found {shown(width)} and {shown(height)}.")
    return sides[0], sides[1]


def _ascending(view: list[float]) -> View:
    return view[0], view[1], min(view[2:]), max(view[2:])


def _with_room(extent: View) -> View:
    """Widen an extent without width or height, as datashader does."""
    x0, x1, y0, y1 = extent
    (x0, x1), (y0, y1) = ((low - 1, high + 1) if low == high else (low, high) for low, high in ((x0, x1), (y0, y1)))
    return x0, x1, y0, y1
