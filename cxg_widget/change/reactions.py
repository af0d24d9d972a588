"""Reactions: functions that return the settings that must change together with others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.color.limits import LIMITS
from cxg_widget.display.annotated import without_deleted_labels, without_sets
from cxg_widget.display.by_sets import color_after
from cxg_widget.display.color_target import coloring_key
from cxg_widget.display.looks import looks_after
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import describe_statistic
from cxg_widget.display.views import views_left
from cxg_widget.errors import CxgWidgetError, UnknownName
from cxg_widget.rules.filters import hidden_by, hiding, is_of_values
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.named import followed, names_after
from cxg_widget.wire.protocol import MISSING_LABEL


def hide_and_filter(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Keep `hidden` and `filters` consistent: a filter of the legend's column wins, else the hidden labels."""
    column = known.legend_column(now)
    if column is None:
        return {} if "hidden" in requested else {"hidden": _hidden_sets(before, now, known)}
    rule = next((one for one in now.filters if is_of_values(one, column)), None)
    if "hidden" in requested and (rule is None or "filters" not in requested):
        return {"filters": _filters(now, column, rule, known)}
    return {"hidden": _hidden(now, rule, known)}


def _hidden(now: Settings, rule: Rule | None, known: Known) -> list[str]:
    """Return the labels that the filter of the legend's column excludes."""
    if rule is None:
        return []
    return hidden_by(rule, [] if "not" in rule else known.labels(now))


def _filters(now: Settings, column: str, rule: Rule | None, known: Known) -> list[Rule]:
    """Return the filters, with that of the legend's column updated to the hidden labels."""
    if list(now.hidden) == _hidden(now, rule, known):
        return list(now.filters)
    hides = [hiding(column, now.hidden)] if now.hidden else []
    at = list(now.filters).index(rule) if rule is not None else len(now.filters)
    return [*now.filters[:at], *hides, *now.filters[at + (rule is not None) :]]


def _hidden_sets(before: Settings, now: Settings, known: Known) -> list[str]:
    """Return the hidden labels of a legend without a column: of sets, those that still exist, by their new names."""
    is_of_sets = now.sets != before.sets and bool(now.hidden) and known.target(now).source == "sets"
    if not is_of_sets:
        return list(now.hidden) if now.color == before.color else []
    labels, sets = {*known.labels(now), MISSING_LABEL}, {one["name"] for one in before.sets}
    names = [names_after([one], before.sets, now.sets) if one in sets else [one] for one in now.hidden]
    return [one for listed in names for one in listed if one in labels]


OF_COLORING = frozenset({*LIMITS, "color", "layer", "statistic"})


@dataclass(frozen=True)
class OwnLimits:
    """Limits of each coloring: a number belongs to the coloring it was set for, a percentile or None to all."""

    shared: Mapping[str, str | None] = field(default_factory=lambda: dict.fromkeys(LIMITS))
    own: Mapping[Hashable, Mapping[str, float]] = field(default_factory=dict)

    def sharing(self, limits: Mapping[str, float | str | None]) -> OwnLimits:
        """Return these with new limits; a percentile or None applies to all colorings."""
        new = {name: value for name, value in limits.items() if not isinstance(value, float)}
        return replace(self, shared={**self.shared, **new}) if new else self

    def leaving(self, coloring: Hashable, limits: Mapping[str, float | str | None]) -> OwnLimits:
        """Return these with the limits of a coloring that is no longer shown."""
        numbers = {name: value for name, value in limits.items() if isinstance(value, float)}
        return replace(self, own={**self.own, coloring: numbers})

    def of(self, coloring: Hashable) -> dict[str, float | str | None]:
        """Return the limits of a coloring: its own, else the shared ones."""
        return {**self.shared, **self.own.get(coloring, {})}


def follow_coloring(
    before: Settings, now: Settings, requested: frozenset[str], known: Known
) -> tuple[dict[str, Any], OwnLimits]:
    """Return the limits of the new coloring, and the updated limits of all colorings.

    Limits that were requested together with the coloring are kept.
    """
    given = {name: getattr(now, name) for name in LIMITS if name in requested}
    if _measured(now) == _measured(before):
        return {}, known.limits.sharing(given)
    limits = known.limits.leaving(_key(before, known), {name: getattr(before, name) for name in LIMITS})
    return {**_uncrossed(now, limits.of(_key(now, known)), given, known), **given}, limits.sharing(given)


def _uncrossed(now: Settings, own: dict[str, Any], given: dict[str, Any], known: Known) -> dict[str, Any]:
    """Drop percentiles that were set for other colorings and cross a number, else keep all."""
    if not any(value is not None for value in (*own.values(), *given.values())):
        return own  # there is nothing to cross
    numbers = {name: None if isinstance(value, str) else value for name, value in own.items()}
    fitting = (limits for limits in (own, numbers) if known.fits(replace(now, **{**limits, **given})))
    return next(fitting, dict.fromkeys(LIMITS))


def _key(settings: Settings, known: Known) -> tuple[Any, ...]:
    color, layer, statistic = _measured(settings)
    try:
        key = coloring_key(known.target(settings), layer, known.dataset)
    except CxgWidgetError:
        key = str(color), layer
    return *key, statistic


def _measured(settings: Settings) -> tuple[Any, str | None, str]:
    """Return the key of limits: the coloring and, if numbers are of pixels, the statistic."""
    statistic = settings.statistic
    return settings.color, settings.layer, describe_statistic(statistic) if settings.is_of_pixels else ""


def follow_annotations(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Update settings to renamed or merged labels, and remove deleted annotations and labels from them."""
    return _unless_requested(without_deleted_labels(before, now, known.annotations(now)), requested)


def follow_gene_sets(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Remove deleted gene sets from settings."""
    return _unless_requested({**_known_color(now, known), **without_sets(before, now, known.dataset)}, requested)


def _known_color(now: Settings, known: Known) -> dict[str, Any]:
    try:
        known.target(now)
    except UnknownName:
        return {"color": None}
    return {}


def follow_sets(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Update settings to renamed or changed sets of cells, and remove deleted ones."""
    gene_sets = now.own_gene_sets
    color = partial(color_after, before=before.sets, now=now.sets, dataset=known.dataset, gene_sets=gene_sets)
    found = {
        "color": color(now.color),
        "filters": followed(now.filters, now.sets, before.sets),
        "contours": _contours_after(before, now),
        "difference": _difference_after(before, now),
        "panels": looks_after(now.panels, color, lambda rule: rule),
    }
    return _unless_requested(found, requested)


def _contours_after(before: Settings, now: Settings) -> Any:
    if not isinstance(now.contours, tuple):
        return now.contours
    return names_after(now.contours, before.sets, now.sets) or None


def _difference_after(before: Settings, now: Settings) -> Any:
    names = names_after(now.difference or (), before.sets, now.sets)
    return names if len(names) == 2 else None  # a difference needs two sets


def _unless_requested(found: dict[str, Any], requested: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in requested}


def follow_embedding(_: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Show all of another embedding, with its first two axes if it lacks the current ones."""
    axes = {} if max(now.axes) < known.dataset.n_axes(now.embedding) else {"axes": (0, 1)}
    return axes if "view" in requested else {**axes, "view": None}


def keep_views(_: Settings, now: Settings, requested: frozenset[str], __: Known) -> dict[str, Any]:
    """Drop views of embeddings that no panel shows."""
    return {} if "views" in requested else {"views": views_left(now.views, now.places)}
