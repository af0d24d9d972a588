"""Arguments that name cells: rules as the shortest values that the public methods turn into the same rules."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.code.statement import Expression, Group, call, corners, literal, prefixed, quoted
from cxg_widget.compute.bits import unpack_mask
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.forms import Rule, form_of
from cxg_widget.rules.grammar import is_like_a_query
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.spatial.polygon import as_polygon, in_polygon

if TYPE_CHECKING:
    from cxg_widget.code.script import Script
    from cxg_widget.datasets.base.dataset import Dataset

FEW_ROWS = 12
"""Up to this many cells are written by their labels."""
_MOST_LABELS = 1_000_000
_FEW_CORNERS = 4
_FEWEST_DIGITS, _MOST_DIGITS = 2, 12
_WORDS = ("selection", "filter", "rest", "neighborhood")


def cells(rule: Rule, script: Script) -> Expression:
    """Return an argument that means the cells of a rule, and has that rule."""
    name = next((name for name, known in script.sets.items() if known == rule), None)
    if name is not None:
        return quoted(name) if is_plain_name(name) else f"w.sets[{quoted(name)}]"
    if "rows" in rule:
        return rows(rule, script)
    columns = _columns(rule)
    if columns is not None:
        return literal(columns)
    if "query" in rule and rule.get("layer") == script.now.layer and _is_plain_query(rule["query"], script):
        return quoted(rule["query"])
    if "polygon" in rule and is_of_place(rule, script):
        return polygon(rule, script)
    return nested(rule, script)


def is_plain_name(name: str) -> bool:
    """Return whether a text means the set of that name wherever cells are named."""
    return name not in _WORDS and "@" not in name


def _is_plain_query(text: str, script: Script) -> bool:
    return "@" not in text and text not in (*script.sets, *_WORDS) and is_like_a_query(text)


def _columns(rule: Rule) -> dict[str, Any] | None:
    """Return {column: values} of a rule that lists values; None if it is another one."""
    rules = rule.get("and", [rule])
    if not rules or not all("obs" in one and "in" in one for one in rules):
        return None
    found = {one["obs"]: one["in"][0] if len(one["in"]) == 1 else list(one["in"]) for one in rules}
    return found if len(found) == len(rules) and (len(rules) > 1 or "and" not in rule) else None


def is_of_place(rule: Rule, script: Script) -> bool:
    """Return whether a polygon lies in the embedding that the plot shows."""
    place = script.now.embedding
    shown = list(place) if isinstance(place, tuple) else place
    return bool(rule["embedding"] == shown and list(rule.get("axes", (0, 1))) == list(script.now.axes))


def polygon(rule: Rule, script: Script) -> Expression:
    """Return the corners of a polygon with the fewest digits that give the same cells, named if there are many."""
    found = fewest_digits(rule, script.dataset)
    if len(found) <= _FEW_CORNERS:
        return literal([tuple(one) for one in found])
    return script.named("polygon", lambda name: corners(name, found))


def fewest_digits(rule: Rule, dataset: Dataset) -> Sequence[Sequence[float]]:
    """Return the corners of a polygon, rounded as far as the same cells lie in it."""
    exact = as_polygon(rule["polygon"])
    x, y = rule.get("axes", (0, 1))
    try:
        xy = dataset.embedding(rule["embedding"], (x, y))
    except CxgWidgetError:
        return list(exact.tolist())
    inside = in_polygon(xy, exact)
    extent = float(np.ptp(exact, axis=0).max()) or 1.0
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        rounded = np.round(exact, digits - math.ceil(math.log10(extent))) + 0.0
        if np.array_equal(in_polygon(xy, rounded), inside):
            return list(rounded.tolist())
    return list(exact.tolist())


def nested(rule: Rule, script: Script) -> Expression:
    """Return a rule as it is, except that its polygons are rounded and its rows packed."""
    if isinstance(rule, PackedRows) or "rows" in rule:
        return literal(dict(rule))
    if "polygon" in rule:
        inner = fewest_digits(rule, script.dataset)
        many = len(inner) > _FEW_CORNERS
        corners_of: Expression = (
            script.named("polygon", lambda name: corners(name, inner))
            if many
            else literal([list(one) for one in inner])
        )
        rest = [prefixed(f"{quoted(key)}: ", literal(one)) for key, one in rule.items() if key != "polygon"]
        return Group("{", (prefixed('"polygon": ', corners_of), *rest), "}")
    if form_of(rule).holds_rules:
        ((word, value),) = rule.items()
        is_list = isinstance(value, list)
        inside = Group("[", tuple(nested(one, script) for one in value), "]") if is_list else nested(value, script)
        return Group("{", (prefixed(f"{quoted(word)}: ", inside),), "}")
    return literal(rule)


def rows(rule: Rule, script: Script) -> Expression:
    """Return rows: by labels of the obs index if they are few, else as a compressed mask."""
    packed = rule if isinstance(rule, PackedRows) else PackedRows.of(rule)
    mask = unpack_mask(packed.bits, packed.n_obs)
    if not script.dataset.has_rows_of(packed.n_obs, packed.identity):
        return literal(dict(packed))  # of other data: kept as it is, found nowhere
    labels = labels_of_rows(mask, script.dataset)
    return literal(labels) if labels is not None else unpacked(packed, script)


def unpacked(packed: PackedRows, script: Script) -> Expression:
    """Return the call that gives the mask of rows."""
    script.needs_rows = True
    return call("unpack", quoted(base64.b85encode(zlib.compress(packed.bits.tobytes(), 9)).decode()))


def labels_of_rows(mask: NDArray[np.bool_], dataset: Dataset) -> list[str] | None:
    """Return the labels of a few cells; None if they are many, or a label is that of several cells."""
    found = np.flatnonzero(mask)
    if not 0 < found.size <= FEW_ROWS or dataset.n_obs > _MOST_LABELS or dataset.obs_index is None:
        return None
    names = dataset.obs_names()
    labels = [str(one) for one in names[found].tolist()]
    is_plain = all(isinstance(one, str) for one in names[found].tolist()) and len({*labels}) == len(labels)
    return labels if is_plain and int(np.isin(names.astype(object), labels).sum()) == len(labels) else None
