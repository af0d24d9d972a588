"""Comparisons, compositions, plots and saved pictures as code, with the options that they were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cxg_widget.code.cells import cells, is_plain_name
from cxg_widget.code.statement import Expression, call, flat, literal, quoted
from cxg_widget.rules.combining import fitting

if TYPE_CHECKING:
    from cxg_widget.code.records import Cells, MadeCall
    from cxg_widget.code.script import Script

_NAMES = {
    "compare": "compared", "study.composition": "shares", "study.expression": "expression",
    "study.differences": "differences", "study.compare": "compared", "aggregate": "image", "save": "",
}  # fmt: skip
"""Names of the values of methods; others have the name of the method."""
_BY_FILTER = (
    "composition", "dotplot", "heatmap", "violin", "bars", "study.composition", "study.expression",
    "study.differences", "study.compare",
)  # fmt: skip
"""Methods that count the cells that pass the filters, unless `within` says otherwise."""
_WITH_LAYER = ("dotplot", "heatmap", "violin")
_FIRST = {
    "composition": ("column",), "dotplot": ("genes", "by"), "heatmap": ("genes", "by"), "violin": ("gene", "by"),
    "bars": ("column", "by"), "save": ("path",), "study.composition": ("by",), "study.expression": ("genes", "by"),
    "study.differences": ("by",), "study.compare": ("by",), "aggregate": ("reduction",),
}  # fmt: skip
"""Options that are given by position."""
_FIELD = ("category", "a", "b")
"""Options of `study.compare` that choose a result of `differences`."""


def write_call(script: Script, made: MadeCall) -> None:
    """Write a call, or a comment if the widget now shows something else."""
    method, options = made.call.method, dict(made.call.options)
    field = [literal(options.pop(name)) for name in _FIELD if method == "study.compare"]
    reason = _why_not(script, made)
    if method in _WITH_LAYER and "layer" not in options and made.call.settings.layer != script.now.layer:
        options["layer"] = made.call.settings.layer
    try:
        first = [literal(_plain(options.pop(name))) for name in _FIRST.get(method, ()) if name in options]
        named = {name: literal(_plain(value)) for name, value in options.items()}
    except TypeError as error:
        first, named, reason = [], {}, f"its options cannot be written: {error}"
    given = {name: one for name, one in made.cells.items() if name not in ("within", "selected")}
    for name, one in given.items():
        if not _is_selection(script, one):
            first = [*first, _cells(script, one)] if name != "b" or "a" in given else first
        elif "b" in given:
            first = [*first, quoted("selection")]
    within = _within(script, made)
    function = f"w.{method}".replace("w.study.compare", "w.study.differences").replace("w.study.", "w.study().")
    whole = call(function, *first, **named, **({} if within is None else {"within": within}))
    if field:
        whole = call(f"{flat(whole)}.compare", *field)
    if reason:
        script.remark(f"{flat(whole)} is left out: {reason}")
    elif _NAMES.get(method, method):
        script.assign(script.name(_NAMES.get(method, method)), whole)
    else:
        script.add(whole)


def _why_not(script: Script, made: MadeCall) -> str:
    """Return why a call would give something else now; "" if it would not."""
    then, now, method = made.call.settings, script.now, made.call.method
    if method.startswith("study.") and then.study_design != now.study_design:
        return "another study was declared"
    if "selected" in made.cells and not _is_selection(script, made.cells["selected"]):
        return "other cells were selected"
    if any(getattr(then, name) != getattr(now, name) for name in _shown(made)):
        return "another color, layer or embedding was shown"
    if made.call.options.get("against") == "neighborhood" and then.place_key != now.place_key:
        return f"it was made in embedding {then.embedding!r}"
    if method == "save" and then.having({"view": now.view, "tool": now.tool}) != now:
        return "other things were shown"
    return ""


def _shown(made: MadeCall) -> tuple[str, ...]:
    """Return the settings that a result depends on, of those that the call takes from the widget."""
    if made.call.method == "quick_markers":
        return ("layer",)
    if made.call.method != "aggregate":
        return ()
    is_of_widget = "color" not in made.call.options or "reduction" not in made.call.options
    return ("layer", "embedding", "axes", *(("color", "statistic") if is_of_widget else ()))


def _plain(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, tuple) else value


def _is_selection(script: Script, one: Cells) -> bool:
    return bool(one.rule == script.selected)


def _cells(script: Script, one: Cells) -> Expression:
    """Return the cells of a call: by the name of the set that they were given by, if it still has these cells."""
    name = one.name
    if name in script.sets and script.sets[name] == one.rule:
        return quoted(name) if is_plain_name(name) else f"w.sets[{quoted(name)}]"
    return cells(one.rule, script)


def _within(script: Script, made: MadeCall) -> Expression | None:
    one = made.cells.get("within")
    by_filter = made.call.method in _BY_FILTER
    if one is None:
        return literal({"and": []}) if by_filter and script.now.filters else None
    if one.rule == fitting({"and": [*script.now.filter_rules]}) and script.now.filters:
        return None if by_filter else quoted("filter")
    return quoted("selection") if _is_selection(script, one) else _cells(script, one)
