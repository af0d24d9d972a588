"""What can be said of some settings before anything of it is read, by what the store states of itself."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import RowsInView
from cxg_widget.datasets.base.dataset import Codes, Dataset, Vector
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import Target, of_column, resolve
from cxg_widget.errors import CxgWidgetError
from cxg_widget.wire.encoding import Numbers

if TYPE_CHECKING:
    from cxg_widget.spatial.view import Extent

_CLOSE = 0.002
"""Extents that differ by this share of their sides look the same: by less than two pixels."""


def preview_extent(dataset: Dataset, settings: Settings) -> Extent | None:
    """Return within which bounds the cells lie; None where the store does not state it."""
    with suppress(CxgWidgetError):  # whoever reads the cells is told
        return dataset.stated_extent(settings.embedding, settings.axes)
    return None


def is_close(stated: Extent, found: Extent) -> bool:
    """Say whether points can be shown within stated bounds although others were found."""
    for (low, high), (first, last) in zip(_sides(stated), _sides(found), strict=True):
        slack = _CLOSE * (high - low)
        if not (low <= first <= low + slack and high - slack <= last <= high):
            return False
    return True


def preview_coloring(dataset: Dataset, settings: Settings) -> Coloring | None:
    """Return a colouring without values that has the limits, or the categories, of all of them.

    None where the store does not state these, or where limits are percentiles, which need the values.
    """
    with suppress(CxgWidgetError):
        target = resolve(settings.color, dataset, settings.layer)
        if target.source == "none":
            return Coloring(target)
        if target.source == "obs" and not any(isinstance(limit, str) for limit in (settings.vmin, settings.vmax)):
            return _previewed(target, dataset.stated_values(target.name))
    return None


def are_stated(limits: tuple[float, float], target: Target, dataset: Dataset) -> bool:
    """Say whether the store states these as the least and the most of what colours; its colours always span them."""
    with suppress(CxgWidgetError):
        return target.source == "obs" and dataset.stated_values(target.name) == limits
    return False


def fill_in(preview: Coloring, found: RowsInView) -> Coloring | None:
    """Return a preview with the values of some rows; None where these are not what the store stated."""
    values = found.column(preview.target.name)
    assert isinstance(values, Codes | np.ndarray)
    data, known = of_column(preview.target.name, values), preview.data
    if isinstance(data, Codes):
        return (
            None
            if not isinstance(known, Codes) or known.categories != data.categories
            else Coloring(preview.target, data)
        )
    if not isinstance(known, Numbers) or not _lie_within(data.values, known.lo, known.hi):
        return None
    return Coloring(
        preview.target, Numbers(data, data.values.size, known.lo, known.hi, 0, known.histogram, known.quantiles)
    )


def colored_column(dataset: Dataset, settings: Settings) -> str | None:
    """Return the obs column that colours by its codes or numbers as they are; None = something else does."""
    with suppress(CxgWidgetError):
        target = resolve(settings.color, dataset, settings.layer)
        if target.source == "obs" and dataset.obs_columns[target.name].kind in ("categorical", "int", "float"):
            return target.name
    return None


def _previewed(target: Target, stated: Codes | tuple[float, float] | None) -> Coloring | None:
    if isinstance(stated, Codes):
        return Coloring(target, stated, ([], 0), is_preview=True)
    if stated is None:
        return None
    none = np.empty(0, dtype=np.float32)
    numbers = Numbers(Vector(none), 0, *stated, 0, np.empty(0, dtype=np.uint32), np.empty(0))
    return Coloring(target, numbers, is_preview=True)


def _lie_within(values: NDArray[np.float32], low: float, high: float) -> bool:
    finite = values[np.isfinite(values)]
    return not finite.size or bool(low <= finite.min() and finite.max() <= high)


def _sides(extent: Extent) -> tuple[tuple[float, float], tuple[float, float]]:
    return extent[:2], extent[2:]
