"""Updates settings that name deleted annotations, labels or gene sets."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.display.looks import looks_after
from cxg_widget.display.study_design import without_columns
from cxg_widget.display.table_setting import without
from cxg_widget.errors import SelectionError
from cxg_widget.rules.grammar import parse

if TYPE_CHECKING:
    from cxg_widget.annotations.log import Step
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.datasets.base.values import Codes
    from cxg_widget.display.settings import Settings
    from cxg_widget.rules.forms import Rule


def without_deleted_labels(before: Settings, now: Settings, columns: Mapping[str, Codes]) -> dict[str, Any]:
    """Return settings that named deleted labels, updated; a renamed label keeps its place in them."""
    gone = {one["name"] for one in before.annotations} - columns.keys()
    names = gone | {f"obs:{name}" for name in gone}
    steps = {name: _last_step(before, now, name) for name in columns}

    def filter_after(rule: Rule) -> Rule | None:
        return _filter(rule, gone, columns, steps)

    found: dict[str, Any] = {
        "color": None if isinstance(now.color, str) and now.color in names else now.color,
        "filters": [one for rule in now.filters if (one := filter_after(rule)) is not None],
        "hover": None if now.hover is None else [one for one in now.hover if one not in names],
        "labels": None if now.labels in names else now.labels,
        "contours": None if now.contours in names else _listed(now.contours),
        "table": without(now.table, names),
        "study_design": without_columns(now.study_design, gone),
        "panels": looks_after(now.panels, lambda color: None if color in names else color, filter_after),
    }
    return _changed(now, found)


def without_sets(before: Settings, now: Settings, dataset: Dataset) -> dict[str, Any]:
    """Return settings that named deleted gene sets, updated, except the color."""
    gone = before.own_gene_sets.keys() - now.own_gene_sets.keys() - dataset.gene_sets.keys()
    names = {f"set:{name}" for name in gone}
    plain = {name for name in gone if name not in dataset.obs_columns and not dataset.names_in(None).has_var(name)}
    hover = None if now.hover is None else [one for one in now.hover if one not in names | plain]
    looks = looks_after(now.panels, lambda color: None if color in names | plain else color, lambda rule: rule)
    return _changed(now, {"hover": hover, "table": without(now.table, names), "panels": looks})


def _changed(now: Settings, found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value != _listed(getattr(now, name))}


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _last_step(before: Settings, now: Settings, name: str) -> Step | None:
    """Return the one step that a log has grown by; None if it is unchanged or another log."""
    old, new = before.log_of(name), now.log_of(name)
    if old is None or new is None or len(new) != len(old) + 1 or new.keys[-2] != old.keys[-1]:
        return None
    return new[-1]


def _filter(rule: Rule, gone: set[str], columns: Mapping[str, Codes], steps: Mapping[str, Step | None]) -> Rule | None:
    """Return a filter without deleted labels; None if nothing of it remains."""
    inner = rule.get("not", rule)
    if "query" in inner:
        return None if gone and gone.intersection(_names(inner["query"])) else rule
    name = inner.get("obs")
    if name in gone:
        return None
    if name not in columns or "in" not in inner:
        return rule
    labels = _followed(inner["in"], steps[name], columns[name].categories)
    if labels == inner["in"]:
        return rule
    listed = {**inner, "in": labels}
    return None if not labels else {"not": listed} if "not" in rule else listed


def _followed(labels: Sequence[Any], step: Step | None, known: Sequence[str]) -> list[Any]:
    """Return the labels of a filter as they are after a step, without duplicates and deleted ones."""
    changed: dict[Any, Any] = {}
    if step is not None and "rename" in step:
        changed = {step["rename"]: step["to"]}
    elif step is not None and "merge" in step:
        changed = dict.fromkeys(step["merge"], step["into"])
    found = dict.fromkeys(changed.get(one, one) for one in labels)
    return [one for one in found if one is None or one in known]


def _names(query: str) -> set[str]:
    try:
        return {name.removeprefix("obs:") for name in parse(query).names.values()}
    except SelectionError:
        return set()
