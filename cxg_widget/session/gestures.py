"""From gestures to cells: a lasso, a category of the legend, or rows of the table."""

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
    """Return the cells of a gesture that pass the filters, bool (n_obs,); hidden cells are not in a lasso.

    selected : the previous selection
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
    """Return the rule of the cells of a gesture, including filters; None if it cannot be expressed."""
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
    """Return the rule of the cells in a polygon (k, 2) in data units of the current embedding and axes."""
    polygon = as_polygon(corners).tolist()
    place = settings.embedding
    of = list(place) if isinstance(place, tuple) else place
    return {"polygon": polygon, "embedding": of, "axes": list(settings.axes)}


def polygon_mask(corners: Any, held: Holder, selected: NDArray[np.bool_], *, hidden: bool) -> NDArray[np.bool_]:
    """Return which cells are in a polygon (k, 2) in data units.

    hidden : whether cells hidden by the legend count too
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
