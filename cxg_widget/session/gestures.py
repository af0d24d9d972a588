"""From a gesture to the cells it means: those in a lasso, or of a category in the legend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.session.view_request import shown_of
from cxg_widget.spatial.polygon import as_polygon, in_polygon
from cxg_widget.wire import protocol as p


def mask_of(gesture: p.Lasso | p.Category, held: Holder, selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells that pass the filters a gesture means, bool (n_obs,); in a lasso none counts that is hidden.

    selected : the selection before
    """
    if isinstance(gesture, p.Category):
        mask = _of_category(gesture, held)
    elif len(gesture.polygon) % 2:
        raise InvalidValue(f"a lasso must list x and y of each corner; found {len(gesture.polygon)} numbers")
    else:
        mask = polygon_mask(np.reshape(gesture.polygon, (-1, 2)), held, selected, hidden=False)
    passing = held.passing()
    return mask if passing is None else mask & passing


def polygon_mask(corners: Any, held: Holder, selected: NDArray[np.bool_], *, hidden: bool) -> NDArray[np.bool_]:
    """Return which cells lie in a polygon (k, 2) in data units.

    hidden : whether those count too that the legend hides
    """
    polygon, indexed = as_polygon(corners), held.at_hand()
    if indexed is not None:
        return indexed.polygon_mask(polygon, None if hidden else shown_of(held, selected))
    mask = in_polygon(held.xy(), polygon)
    visible = None if hidden else held.visible()
    return mask if visible is None else mask & visible


def _of_category(gesture: p.Category, held: Holder) -> NDArray[np.bool_]:
    coloring = held.coloring()
    is_there = coloring.scale == "categorical" and -1 <= gesture.code < len(coloring.labels)
    if coloring.target.spec != gesture.color or not is_there:
        raise SelectionError("the category was chosen in a legend that is no longer on show; choose it again.")
    return held.category_mask(gesture.code)
