"""Previews from what the store states, before anything is read."""

from __future__ import annotations

from contextlib import suppress

from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import CategoryColoring, Coloring, NumberColoring
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError
from cxg_widget.spatial.view import Extent
from cxg_widget.wire.encoding import Numbers

_CLOSE = 0.002
"""Extents that differ by less than this share of their sides look the same: by less than two pixels."""


def preview_extent(dataset: Dataset, settings: Settings) -> Extent | None:
    """Return the stated bounds of the cells; None if the store states none."""
    with suppress(CxgWidgetError):  # reading the cells raises it again
        return dataset.stated_extent(settings.embedding, settings.axes)
    return None


def is_close(stated: Extent, found: Extent) -> bool:
    """Return whether points can be shown within stated bounds although the true ones differ."""
    for (low, high), (first, last) in ((stated[:2], found[:2]), (stated[2:], found[2:])):
        slack = _CLOSE * (high - low)
        if not (low <= first <= low + slack and high - slack <= last <= high):
            return False
    return True


def preview_coloring(target: Target, dataset: Dataset, settings: Settings) -> Coloring | None:
    """Return a coloring without values, with the stated limits or categories.

    None if the store states none, or if limits are percentiles, which need the values.
    """
    if target.source == "none":
        return Coloring(target)
    with suppress(CxgWidgetError):
        if target.source == "obs" and not any(isinstance(limit, str) for limit in (settings.vmin, settings.vmax)):
            return _previewed(target, dataset.stated_values(target.name))
    return None


def are_stated(coloring: Coloring, dataset: Dataset) -> bool:
    """Return whether the store states the limits of the colored numbers; the colors then always span these."""
    with suppress(CxgWidgetError):
        target = coloring.target
        return target.source == "obs" and dataset.stated_values(target.name) == coloring.limits
    return False


def colored_column(target: Target, dataset: Dataset) -> str | None:
    """Return the obs column whose codes or numbers color directly; None = another kind of color."""
    is_plain = target.source == "obs" and dataset.obs_columns[target.name].kind in ("categorical", "int", "float")
    return target.name if is_plain else None


def _previewed(target: Target, stated: Codes | tuple[float, float] | None) -> Coloring | None:
    if isinstance(stated, Codes):
        return CategoryColoring(target, stated, counted=([], 0), is_preview=True)
    return None if stated is None else NumberColoring(target, Numbers.stated(*stated), is_preview=True)
