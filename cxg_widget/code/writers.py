"""One function per setting that writes its change as code; the order is that of first need."""
# Changes with cxg_widget/display/settings.py: the settings.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cxg_widget.code.annotation_steps import write_annotations
from cxg_widget.code.set_steps import write_sets
from cxg_widget.code.statement import call, flat, literal, quoted
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.filters import filter_of, key_of
from cxg_widget.rules.forms import form_of, inner_of

if TYPE_CHECKING:
    from cxg_widget.code.script import Script

Writer = Callable[["Script", Any, Any], None]
"""Takes the script, and the value before and now, which differ."""


def _assign(name: str) -> Writer:
    return lambda script, _, now: script.assign(f"w.{name}", literal(listed(now)))


def listed(value: Any) -> Any:
    """Return a value of a setting as users write it."""
    return list(value) if isinstance(value, tuple) else value


def write_statistic(script: Script, _: Any, now: Any) -> None:
    """Write a statistic of images, also a reduction of datashader with one column."""
    if isinstance(now, str):
        script.assign("w.statistic", literal(now))
        return
    column = getattr(now, "column", None)
    name = f"datashader.reductions.{type(now).__name__}"
    script.add("import datashader.reductions")
    script.assign("w.statistic", call(name, *([] if column is None else [literal(column)])))


def write_gene_sets(script: Script, before: Any, now: Any) -> None:
    """Write gene sets, each that is new or changed."""
    old, new = ({one["name"]: list(one["genes"]) for one in value} for value in (before, now))
    if list({**old, **new}) != list(new):
        script.assign("w.genes.sets", literal(new))
        return
    for name, genes in new.items():
        if old.get(name) != genes:
            script.assign(f"w.genes.sets[{quoted(name)}]", literal(genes))


def write_pins(script: Script, before: Any, now: Any) -> None:
    """Write pinned genes."""
    if now[: len(before)] == before:
        script.add(call("w.genes.pin", *(literal(one) for one in now[len(before) :])))
    else:
        script.assign("w.pinned_genes", literal(list(now)))


def write_filters(script: Script, before: Any, now: Any) -> None:
    """Write filters that are new, changed or removed."""
    old, new = ({key_of(one): one for one in value} for value in (before, now))
    if not new:
        script.add(call("w.filters.clear"))
        return
    left = {key: one for key, one in old.items() if key in new}
    if list({**left, **new}) != list(new):
        script.assign("w.filters", literal(list(now)))
        return
    for key in old:
        if key not in new:
            script.add(call("w.filter", "None") if "query" in old[key] else f"del w.filters[{quoted(key)}]")
    for key, rule in new.items():
        if old.get(key) != rule:
            _write_filter(script, key, rule)


def _write_filter(script: Script, key: str, rule: Any) -> None:
    layer = script.now.layer
    if "query" in rule:
        if rule.get("layer") == layer and "@" not in rule["query"]:
            script.add(call("w.filter", quoted(rule["query"])))
        else:
            script.assign("w.filters", f"[*w.filters.rules, {flat(literal(rule))}]")
        return
    inner, is_negated = inner_of(rule)
    kept: Any = rule
    if not (is_negated and "set" not in inner):
        part = form_of(inner).as_filter
        assert part is not None
        kept = part.kept(inner, is_negated, script.dataset)
        kept = kept[0] if isinstance(kept, list) and len(kept) == 1 else kept
        sets = [{"name": name, "rule": one} for name, one in script.sets.items()]
        try:
            is_same = filter_of(key, kept, script.dataset, layer, sets) == rule
        except CxgWidgetError:  # an annotation that was deleted since
            is_same = "var" not in inner
        kept = kept if is_same else rule
    script.assign(f"w.filters[{quoted(key)}]", literal(kept))


def write_panels(script: Script, before: Any, now: Any) -> None:
    """Write panels: a split, panels that were added, or all of them."""
    if not now:
        script.add(call("w.panels.clear"))
        return
    first = before or ({"id": 1},)
    added = now[len(first) :]
    last = max(one["id"] for one in first)
    if now[: len(first)] == first and [one["id"] for one in added] == [last + 1 + at for at in range(len(added))]:
        for look in added:
            script.add(call("w.panel", **{name: _look(name, one) for name, one in look.items() if name != "id"}))
        return
    column = _split_by(script, now)
    if not before and column is not None:
        script.add(call("w.split", quoted(column)))
        return
    script.assign("w.panels", literal(list(now)))


def _look(name: str, value: Any) -> Any:
    is_listed = name == "within" and "obs" in value and "in" in value
    return literal({value["obs"]: value["in"]} if is_listed else listed(value))


def _split_by(script: Script, panels: Any) -> str | None:
    """Return the column whose categories the panels show, one each."""
    parts = [one["within"] for one in panels if set(one) == {"id", "within"} and "in" in one["within"]]
    ids, columns = [one["id"] for one in panels], {one["obs"] for one in parts}
    if len(parts) < len(panels) or len(columns) != 1 or ids != list(range(1, len(ids) + 1)):
        return None
    column = str(*columns)
    try:
        categories = script.dataset.codes(column).categories
    except CxgWidgetError:
        return None
    return column if [one["in"] for one in parts] == [[one] for one in categories] else None


def write_study(script: Script, before: Any, now: Any) -> None:
    """Write the design of a study, and which samples are left out."""
    if now is None:
        script.assign("w.study_design", "None")
        return
    design = {name: value for name, value in now.items() if name != "excluded" and value}
    left_out = list(before["excluded"]) if before is not None else []
    if before is None or {**before, "excluded": now["excluded"]} != now:
        script.add(call("w.study", **{name: literal(listed(value)) for name, value in design.items()}))
        is_same = before is not None and all(before[name] == now[name] for name in ("sample", "condition"))
        left_out = left_out if is_same else []
    for one in (one for one in left_out if one not in now["excluded"]):
        script.add(call("w.study().include", quoted(one)))
    for one in (one for one in now["excluded"] if one not in left_out):
        script.add(call("w.study().exclude", quoted(one)))


_NOW = ("embedding", "axes", "layer")
"""Settings that the meaning of later statements depends on."""
_OF_COLORS = (
    "color", "cmap", "palette", "vmin", "vmax", "limits", "center", "scale", "zero", "blend",
)  # fmt: skip
_PLAIN = (
    "density", "filtered", "point_size", "opacity", "tool", "view", "height", "panel_width", "open_panels",
    "wheel_zoom", "tissue", "tissue_opacity", "aggregator", "render", "max_points", "legend", "background",
)  # fmt: skip
_OF_NAMES = ("hover", "labels", "contours", "difference", "table")
"""Settings that may name sets and annotations."""
IN_CONSTRUCTOR = (*_NOW, *_OF_COLORS, *_PLAIN)
"""Settings that the call of `CxgWidget` sets; the colors only where they need nothing that is made later."""
OF_COLORS = _OF_COLORS
WRITERS: dict[str, Writer] = {
    **{name: _assign(name) for name in _NOW},
    "sets": write_sets,
    "annotations": write_annotations,
    "gene_sets": write_gene_sets,
    "statistic": write_statistic,
    **{name: _assign(name) for name in (*_OF_COLORS, *_PLAIN)},
    "filters": write_filters,
    "hidden": _assign("hidden"),
    "pinned_genes": write_pins,
    **{name: _assign(name) for name in _OF_NAMES},
    "study_design": write_study,
    "panels": write_panels,
    "views": _assign("views"),
}
"""The writer of each setting, in the order in which they are written."""
