"""The parts of an analysis that one panel of the page shows: some settings, and the newest results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cxg_widget.display.settings import Settings
from cxg_widget.rules.forms import Rule, within
from cxg_widget.rules.grammar import parse

if TYPE_CHECKING:
    from cxg_widget.code.records import MadeCall, Records

_PLACE = ("embedding", "axes", "layer")
_NOTHING: Rule = {"or": []}


class Shown(NamedTuple):
    """What to write.

    settings : those that are not needed are as in an untouched widget
    selected : rule of the selection; that of no cells if it is not needed
    last : a last statement, "" = none
    """

    settings: Settings
    selected: Rule
    calls: tuple[MadeCall, ...]
    last: str = ""


class _Part(NamedTuple):
    """Settings and methods of a panel, and how many of the newest calls it shows, of each method or of all."""

    settings: tuple[str, ...]
    methods: tuple[str, ...] = ()
    is_newest_of_all: bool = False


PARTS: Mapping[str, _Part] = {
    "columns": _Part(("filters", "hidden")),
    "genes": _Part(("gene_sets", "pinned_genes")),
    "sets": _Part(("sets",)),
    "annotations": _Part(("annotations",)),
    "table": _Part(("filters", "table")),
    "compare": _Part(_PLACE, ("compare", "markers", "quick_markers", "study.compare"), is_newest_of_all=True),
    "study": _Part(
        ("filters", "study_design"), ("study.composition", "study.expression", "study.differences", "study.compare")
    ),
}
"""By the name of the panel, as in `PANELS`."""


def everything(records: Records) -> Shown:
    """Return the present state with all results."""
    return Shown(records.settings, records.selection.rule if records.selection.n else _NOTHING, records.calls)


def part(records: Records, panel: str) -> Shown:
    """Return what a panel shows, with the sets, labels and filters that it needs."""
    wanted, settings = PARTS[panel], records.settings
    calls, selected = _newest(records.calls, wanted), records.selection.rule
    kept = {name: getattr(settings, name) for name in wanted.settings}
    meant = [one for made in calls for one in made.cells.values()]
    has_selected = any(one.rule == selected for one in meant)
    names = {one.name for one in meant} | {made.call.options.get("by") for made in calls}
    last = ""
    if panel == "table":
        kept["table"] = table = {"columns": records.table_columns(), **(settings.table or {})}
        has_selected, last = table.get("of") == "selection", "rows = w.table.frame(n=None)"
        names |= {one.partition(":")[2] for one in table["columns"]}
    elif panel == "study":
        names |= {one for one in (settings.study_design or {}).values() if isinstance(one, str)}
    if any(one.rule == records.filter_rule for one in meant):
        kept["filters"] = settings.filters
    selected = selected if has_selected and records.selection.n else _NOTHING
    for rule in (*kept.get("filters", ()), selected, *(one["rule"] for one in kept.get("sets", ()))):
        names |= _names(rule)
    needed = _needed(settings, names)
    for name in ("sets", "annotations", "gene_sets"):
        if name not in wanted.settings:
            kept[name] = tuple(one for one in getattr(settings, name) if one["name"] in needed)
    return Shown(records.first.having(kept), selected, calls, last)


def _newest(calls: Iterable[MadeCall], wanted: _Part) -> tuple[MadeCall, ...]:
    found: dict[str, MadeCall] = {}
    for one in calls:
        if one.call.method in wanted.methods:
            key = "" if wanted.is_newest_of_all else one.call.method
            found.pop(key, None)
            found[key] = one
    return tuple(found.values())


def _names(rule: Rule) -> set[str]:
    """Return the names of columns and sets in a rule."""
    found: set[str] = set()
    for one, _ in within(rule):
        found |= {one[key] for key in ("obs", "set") if key in one}
        found |= set(parse(one["query"]).names.values()) if "query" in one else set()
    return found | {name.partition(":")[2] for name in found}


def _needed(settings: Settings, names: set[Any]) -> set[Any]:
    """Return names with those of sets and annotations that their rules need."""
    uses: dict[str, set[str]] = {}
    for one in settings.sets:
        uses[one["name"]] = _names(one["rule"]) | {one.get("within", "")}
    for one in settings.annotations:
        rules = [step["rule"] for step in one["log"] if "rule" in step]
        above = {step["of"].removeprefix("obs:") for step in one["log"] if "of" in step}
        uses[one["name"]] = uses.get(one["name"], set()).union(above, *map(_names, rules))
    found: set[Any] = set()
    while names - found:
        name = (names - found).pop()
        found.add(name)
        names = names | uses.get(name, set())
    return found
