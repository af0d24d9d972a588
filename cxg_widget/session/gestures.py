"""From a gesture to the cells it means: those in a lasso, of a category in the legend, or of rows of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.selection import mask_of_rows
from cxg_widget.session.streams.view_request import shown_of
from cxg_widget.spatial.polygon import as_polygon, in_polygon
from cxg_widget.wire import protocol as p
from cxg_widget.wire.parsing import MAX_ROWS


def mask_of(gesture: p.Lasso | p.Category | p.Pick, held: Holder, selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells that pass the filters a gesture means, bool (n_obs,); in a lasso none counts that is hidden.

    selected : the selection before
    """
    if isinstance(gesture, p.Category):
        mask = _of_category(gesture, held)
    elif isinstance(gesture, p.Pick):
        mask, filtered = _of_rows(gesture.rows, held.dataset.n_obs), held.filtered()
        return mask if filtered is None else mask & filtered
    elif len(gesture.polygon) % 2:
        raise InvalidValue(f"a lasso must list x and y of each corner; found {len(gesture.polygon)} numbers")
    else:
        mask = polygon_mask(np.reshape(gesture.polygon, (-1, 2)), held, selected, hidden=False)
    passing = held.passing()
    return mask if passing is None else mask & passing


def rule_of(gesture: p.Lasso | p.Category | p.Pick, held: Holder) -> Rule | None:
    """Return the rule of the cells that a gesture means, filters and all; None where it has none that can be said."""
    settings = held.settings
    if isinstance(gesture, p.Lasso):
        rule = polygon_rule(np.reshape(gesture.polygon, (-1, 2)), settings)
    elif isinstance(gesture, p.Pick):
        return None
    else:
        known = held.coloring().rule_of(gesture.code, settings.layer)
        if known is None:
            return None
        rule = known
    return fitting({"and": [rule, *settings.filter_rules]}) if settings.filters else rule


def polygon_rule(corners: Any, settings: Settings) -> Rule:
    """Return the rule of the cells in a polygon (k, 2) in data units of the embedding and axes on show."""
    polygon = as_polygon(corners).tolist()
    place = settings.embedding
    of = list(place) if isinstance(place, tuple) else place
    return {"polygon": polygon, "embedding": of, "axes": list(settings.axes)}


def polygon_mask(corners: Any, held: Holder, selected: NDArray[np.bool_], *, hidden: bool) -> NDArray[np.bool_]:
    """Return which cells lie in a polygon (k, 2) in data units.

    hidden : whether those count too that the legend hides
    """
    polygon, indexed = as_polygon(corners), held.index_if_built()
    if indexed is not None:
        return indexed.polygon_mask(polygon, None if hidden else shown_of(held, selected))
    mask = in_polygon(held.xy(), polygon)
    visible = None if hidden else held.visible()
    return mask if visible is None else mask & visible


def _of_rows(rows: list[int], n_obs: int) -> NDArray[np.bool_]:
    if len(rows) > MAX_ROWS:
        raise SelectionError(f"up to {MAX_ROWS:,} rows can be picked at once; found {len(rows):,}")
    return mask_of_rows(np.array(rows), n_obs) if rows else np.zeros(n_obs, dtype=np.bool_)


def _of_category(gesture: p.Category, held: Holder) -> NDArray[np.bool_]:
    coloring = held.coloring()
    is_there = coloring.scale == "categorical" and -1 <= gesture.code < len(coloring.listed.categories)
    if coloring.target.spec != gesture.color or not is_there:
        raise SelectionError("the legend has changed since; choose the category again.")
    return held.category_mask(gesture.code)
