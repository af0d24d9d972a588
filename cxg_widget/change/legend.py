"""What the legend hides and the filter of the column that it lists: one fact, and two settings that show it."""

from __future__ import annotations

from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.display.settings import Settings
from cxg_widget.rules.filters import hidden_by, hiding, is_of_values
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.named import names_after
from cxg_widget.wire.protocol import MISSING_LABEL


def hide_and_filter(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Keep `hidden` and `filters` one fact: a filter of the legend's column counts, else what was hidden."""
    column = known.legend_column(now)
    if column is None:
        return {} if "hidden" in requested else {"hidden": _hidden_sets(before, now, known)}
    rule = next((one for one in now.filters if is_of_values(one, column)), None)
    if "hidden" in requested and (rule is None or "filters" not in requested):
        return {"filters": _filters(now, column, rule, known)}
    return {"hidden": _hidden(now, rule, known)}


def _hidden(now: Settings, rule: Rule | None, known: Known) -> list[str]:
    """Return the labels that the filter of the legend's column leaves out."""
    if rule is None:
        return []
    return hidden_by(rule, [] if "not" in rule else known.labels(now))


def _filters(now: Settings, column: str, rule: Rule | None, known: Known) -> list[Rule]:
    """Return the filters, that of the legend's column in its place, as what is hidden has it."""
    if list(now.hidden) == _hidden(now, rule, known):
        return list(now.filters)
    hides = [hiding(column, now.hidden)] if now.hidden else []
    at = list(now.filters).index(rule) if rule is not None else len(now.filters)
    return [*now.filters[:at], *hides, *now.filters[at + (rule is not None) :]]


def _hidden_sets(before: Settings, now: Settings, known: Known) -> list[str]:
    """Return what a legend of no column still hides: of sets those that it lists, by their new names."""
    is_of_sets = now.sets != before.sets and bool(now.hidden) and known.target(now).source == "sets"
    if not is_of_sets:
        return list(now.hidden) if now.color == before.color else []
    labels, sets = {*known.labels(now), MISSING_LABEL}, {one["name"] for one in before.sets}
    names = [names_after([one], before.sets, now.sets) if one in sets else [one] for one in now.hidden]
    return [one for listed in names for one in listed if one in labels]
