"""Panels: the settings that each overrides; the rest is inherited from the widget."""
# Changes with js/src/panels/linked/head.js and js/src/panels/linked/look.js: names of panels, and what they override.
# Changes with cxg_widget/widget/panels.py and cxg_widget/change/change.py: what panels override.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cxg_widget.color.colormap_lookup import check_colormap
from cxg_widget.color.limits import check_limit
from cxg_widget.display.checks import color, embedding, layer
from cxg_widget.display.views import view_at
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.rules.column_names import is_column, missing_names
from cxg_widget.rules.filters import check_filters, is_of_values
from cxg_widget.rules.forms import Rule, check_rule, is_form, words_of
from cxg_widget.rules.rule import check_names
from cxg_widget.text.names import not_found, shown
from cxg_widget.wire.parsing import MAX_PANEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

Look = Mapping[str, Any]
"""`id`, the number on the wire, and overridden settings of `NAMES`; with `id` alone it is the plot itself."""
NAMES = ("embedding", "color", "layer", "cmap", "vmin", "vmax", "within")
MOST_PANELS = 12
"""Most panels; more would be too small to read."""
_OF_COLOR = ("layer", "cmap", "vmin", "vmax")


def check_looks(value: Any, dataset: Dataset, settings: Settings) -> list[dict[str, Any]]:
    """Return panels with a number each; () if there is only the plot.

    value : {name of `NAMES`: value} each, or an object with `looks`
    """
    value = getattr(value, "looks", value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidValue(f'panels must be a list of {{"color": name, ...}}; found {shown(value)}')
    if len(value) > MOST_PANELS:
        raise InvalidValue(f"at most {MOST_PANELS} panels fit side by side; found {len(value)}")
    looks = [_check_look(one, dataset, settings) for one in value]
    plain = [one for one in looks if not _own(one)]
    if len(plain) > 1:
        own = "an embedding, a color or a part of its own"
        raise InvalidValue(f"one panel is the plot itself; of the others each needs {own}")
    return _numbered(looks) if looks != plain else []


def _own(look: Look) -> list[str]:
    return [name for name in NAMES if name in look]


def _check_look(look: Any, dataset: Dataset, settings: Settings) -> dict[str, Any]:
    if not isinstance(look, Mapping):
        raise InvalidValue(f'a panel must be {{"color": name, ...}}; found {shown(look)}')
    for name in look:
        if name not in (*NAMES, "id"):
            raise UnknownName(not_found("setting", name, NAMES, "a panel"))
    if "color" not in look and any(name in look for name in _OF_COLOR):
        raise InvalidValue(f"a panel needs a color for {shown([name for name in _OF_COLOR if name in look])}")
    found = {"id": look["id"]} if "id" in look else {}
    if look.get("embedding") is not None:
        found["embedding"] = embedding(look["embedding"], dataset)
    if "color" in look:
        found["color"] = color(look["color"], dataset, settings)
    if look.get("layer") is not None:
        found["layer"] = layer(look["layer"], dataset)
    if look.get("cmap") is not None:
        found["cmap"] = _check_cmap(look["cmap"])
    for name in ("vmin", "vmax"):
        if look.get(name) is not None:
            found[name] = check_limit(name, look[name])
    if look.get("within") is not None:
        found["within"] = _check_within(look["within"], dataset, found.get("layer"))
    return found


def _check_cmap(cmap: Any) -> str:
    name = cmap.get("name") if isinstance(cmap, Mapping) else cmap
    if not isinstance(name, str):
        raise InvalidValue(f"the colormap of a panel must be a name; found {shown(cmap)}")
    check_colormap(name)
    return name


def _check_within(within: Any, dataset: Dataset, in_layer: str | None) -> Rule:
    """Return the rule of {column: kept values}, as filters take it, or a rule unchanged."""
    if isinstance(within, Mapping) and len(within) == 1:
        (name,) = within
        if is_column(name, dataset, in_layer):
            return check_filters(within, dataset, in_layer)[0]
        if not is_form(name) and not str(name).startswith("set:"):
            raise UnknownName(missing_names([str(name)], dataset))
    if isinstance(within, Mapping) and len(within) != 1:
        rule: Rule = check_rule(within)
        check_names(rule, dataset)
        return rule
    raise InvalidValue(f"within must be {{column: what is kept}}; found {shown(within)}")


def _numbered(looks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return panels with distinct numbers from 1; those that have one keep it."""
    taken: set[int] = set()
    for look in looks:
        number = look.pop("id", 0)
        is_free = isinstance(number, int) and not isinstance(number, bool) and 0 < number <= MAX_PANEL
        look["id"] = number if is_free and number not in taken else 0
        taken.add(look["id"])
    for look in looks:
        if look["id"] == 0:
            look["id"] = max(taken) + 1
            taken.add(look["id"])
    return looks


def looks_after(
    looks: Iterable[Look], color_after: Callable[[str], str | None], part_after: Callable[[Rule], Rule | None]
) -> list[dict[str, Any]]:
    """Return panels after names they use were changed or deleted.

    A panel loses a deleted color together with its limits. It is removed if its cells are undefined, or if it no longer
    differs from the plot or from another panel.

    color_after : from the name of a color to its new name; None = deleted
    part_after : from the rule of the cells of a panel to the new rule; None = undefined
    """
    found: list[dict[str, Any]] = []
    for look in looks:
        after = _look_after(look, color_after, part_after)
        is_same = after == look
        is_new = after is not None and bool(_own(after)) and all({**one, "id": after["id"]} != after for one in found)
        if after is not None and (is_same or is_new):
            found.append(after)
    return found if any(map(_own, found)) else []


def _look_after(
    look: Look, color_after: Callable[[str], str | None], part_after: Callable[[Rule], Rule | None]
) -> dict[str, Any] | None:
    """Return one panel as `looks_after` does; None if its cells are undefined."""
    after = dict(look)
    if isinstance(look.get("color"), str):
        after["color"] = color_after(look["color"])
        if after["color"] is None:
            after = {name: value for name, value in after.items() if name not in ("color", *_OF_COLOR)}
    if "within" in look:
        after["within"] = part_after(look["within"])
    return None if after.get("within", look) is None else after


def apply_panel(settings: Settings, look: Look) -> Settings:
    """Return the settings of a panel: its own, else those of the widget."""
    values = {name: look[name] for name in ("layer", "cmap") if name in look}
    filters: tuple[Rule, ...] = settings.filters
    if "embedding" in look:
        place = look["embedding"]
        values |= {"embedding": tuple(place) if isinstance(place, list) else place, "axes": (0, 1)}
        if (values["embedding"], values["axes"]) != settings.place_key:
            values["view"] = view_at(settings.views, (values["embedding"], values["axes"]))
    if "color" in look:
        wanted = look["color"]
        values |= {"color": tuple(wanted) if isinstance(wanted, list) else wanted, "center": None, "hidden": ()}
        values |= {name: look.get(name) for name in ("vmin", "vmax")}
        filters = tuple(hide_from_legend(one) for one in filters)
    return replace(settings, **values, filters=(*filters, *within(look)))


def within(look: Look) -> tuple[Rule, ...]:
    """Return the rule of the cells of a panel; None if it shows all."""
    return (hide_from_legend(look["within"]),) if "within" in look else ()


def hide_from_legend(rule: Rule) -> Rule:
    """Wrap a filter so that the legend does not take it for its own hidden categories."""
    inner = rule.get("not", rule)
    return {"and": [rule]} if is_of_values(rule, inner.get("obs")) else rule


def is_part(look: Look) -> bool:
    """Return whether a panel shows part of the cells, or all in another embedding, in the colors of the plot."""
    return ("within" in look or "embedding" in look) and "color" not in look


def keyed(looks: Sequence[Look], columns: int) -> list[bool]:
    """Return which panels have a legend: those in the plot's colors share one, in the last panel of the first row."""
    parts = [is_part(one) for one in looks]
    has_plot = any(not _own(one) for one in looks)
    shared = min(columns, len(parts)) - 1 if all(parts) else parts.index(True) if any(parts) else -1
    return [not is_one or (not has_plot and at == shared) for at, is_one in enumerate(parts)]


def first_of_each_place(looks: Sequence[Look]) -> list[bool]:
    """Return the panels that report overlays: the first of each embedding, since overlays are equal in the others."""
    places = [one.get("embedding") for one in looks]
    return [place not in places[:at] for at, place in enumerate(places)]


def title_of(look: Look, color: str, cells: str, place: str = "") -> str:
    """Return the title of a panel, as js/src/panels/linked/head.js does.

    color : name of its color; "" = none
    cells : the store's noun for cells
    place : its embedding, if the panels have several
    """
    part = _part_of(look["within"]) if "within" in look else ""
    named = color if part == "" or "color" in look else ""
    return " · ".join(filter(None, (" · ".join(filter(None, (part, named))) or f"All {cells}", place)))


def _part_of(rule: Rule) -> str:
    words = words_of(rule)
    is_bare = words.kept in ("True", "False") or not any(map(str.isalpha, words.kept))
    return f"{words.subject} {words.kept}".strip() if is_bare else words.kept
