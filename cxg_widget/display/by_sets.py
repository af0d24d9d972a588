"""Coloring by named sets of cells: "sets" for all of them, "sets:NAME" for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.palettes import IN_TURN
from cxg_widget.compute.bits import unpack_mask
from cxg_widget.datasets.base.column_values import smallest_codes
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.color_target import ALL_SETS, OwnSets, Target, is_of_sets, resolve
from cxg_widget.errors import CxgWidgetError, UnknownName
from cxg_widget.rules.named import digest_of, names_after
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.rules.forms import Rule

_SEVERAL_COLOR = "#777777"


def resolve_sets(
    color: Any, names: Iterable[str], dataset: Dataset, layer: str | None, gene_sets: OwnSets
) -> Target | None:
    """Return the meaning of a value of the trait `color` that refers to sets of cells; None for other values.

    Plain "sets" is an obs column, gene or gene set of that name, if there is one; "sets:" always means all sets.
    """
    if not is_of_sets(color):
        return None
    if color == ALL_SETS and _is_known(dataset, layer, gene_sets):
        return None
    known, name = list(names), color.partition(":")[2]
    if not known:
        raise UnknownName(f"there is no set of {dataset.obs_noun.many} to color by; w.sets.add('name') makes one.")
    if name and name not in known:
        raise UnknownName(not_found("set", name, known, "this widget"))
    return Target("sets", name)


def _is_known(dataset: Dataset, layer: str | None, gene_sets: OwnSets) -> bool:
    try:
        resolve(ALL_SETS, dataset, layer, gene_sets)
    except UnknownName:
        return False
    return True


def key_of_sets(sets: Sequence[Rule]) -> tuple[Any, ...]:
    """Return a key that distinguishes the cells of sets."""
    return tuple((one["name"], one.get("within"), digest_of(one["rule"])) for one in sets)


def set_codes(name: str, sets: Sequence[Rule], bits_of: Callable[[Rule], NDArray[np.uint8]], n_obs: int) -> Codes:
    """Return the set of each cell, missing = in none; all sets if `name` is "".

    A cell of nested sets belongs to the innermost. A cell of several sets that are not nested belongs to an extra last
    category. Sets whose cells cannot be found are empty; if one is requested by name, its error is raised.
    """
    if name:
        (rule,) = (one["rule"] for one in sets if one["name"] == name)
        return Codes(unpack_mask(bits_of(rule), n_obs).astype(np.int8) - 1, (name,))
    names = [one["name"] for one in sets]
    own = dict(zip(names, (_bits_or_none(one["rule"], bits_of) for one in sets), strict=True))
    inner: dict[str, list[str]] = {one: [] for one in names}
    above = {one["name"]: one.get("within") for one in sets}
    for one in names:
        upper = above[one]
        while upper is not None:
            inner[upper].append(one)
            upper = above[upper]
    codes = smallest_codes(np.full(n_obs, -1, dtype=np.int64), len(names) + 1)
    are_several = np.zeros(n_obs, dtype=np.bool_)
    for code, one in enumerate(names):
        bits = own[one]
        if bits is None:
            continue
        for other in (own[below] for below in inner[one]):
            bits = bits if other is None else bits & ~other
        mask = unpack_mask(bits, n_obs)
        are_several |= mask & (codes >= 0)
        codes[mask] = code
    if not are_several.any():
        return Codes(codes, tuple(names))
    codes[are_several] = len(names)
    return Codes(codes, (*names, several_of(names)))


def _bits_or_none(rule: Rule, bits_of: Callable[[Rule], NDArray[np.uint8]]) -> NDArray[np.uint8] | None:
    try:
        return bits_of(rule)
    except CxgWidgetError:  # the panel and `w.sets[name]` report it
        return None


def several_of(names: Iterable[str]) -> str:
    """Return the label of cells in several sets."""
    known, label = set(names), "several"
    while label in known:
        label += " sets"
    return label


def set_colors(sets: Sequence[Rule]) -> dict[str, str]:
    """Return the "#rrggbb" of each set, and of cells in several: the given color, else the first free one."""
    given = {one["name"]: one["color"] for one in sets if "color" in one}
    free = iter([color for color in IN_TURN if color not in given.values()] * (1 + len(sets) // len(IN_TURN)))
    colors = {one["name"]: given.get(one["name"]) or next(free, IN_TURN[0]) for one in sets}
    return {**colors, several_of(colors): _SEVERAL_COLOR}


def color_after(color: Any, before: Sequence[Rule], now: Sequence[Rule], dataset: Dataset, gene_sets: OwnSets) -> Any:
    """Return a color after a change of sets: under the new name of its set; None if the set is gone."""
    if isinstance(color, str) and color.startswith(f"{ALL_SETS}:") and color != f"{ALL_SETS}:":
        names = names_after((color.partition(":")[2],), before, now)
        return f"{ALL_SETS}:{names[0]}" if names else None
    try:
        resolve_sets(color, [one["name"] for one in now], dataset, None, gene_sets)
    except UnknownName:
        return None
    return color
