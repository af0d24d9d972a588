"""The present state of a widget, or its steps, as code that rebuilds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cxg_widget.code.call_steps import write_call
from cxg_widget.code.cells import cells, is_of_place, polygon
from cxg_widget.code.parts import everything, part
from cxg_widget.code.script import Script
from cxg_widget.code.statement import Expression, call, literal, quoted
from cxg_widget.code.writers import IN_CONSTRUCTOR, OF_COLORS, WRITERS, listed
from cxg_widget.color.limits import LIMITS
from cxg_widget.display.settings import Settings
from cxg_widget.rules.combining import combined_rule
from cxg_widget.rules.forms import Rule

if TYPE_CHECKING:
    from cxg_widget.code.records import MadeCall, Records
    from cxg_widget.wire.protocol import Mode

_TOGETHER = (*LIMITS, "center", "scale")
"""Settings that are only valid together, such as limits that cross the smallest value."""
_OBJECTS = {"anndata": "adata", "mudata": "mdata"}


@dataclass(frozen=True)
class Step:
    """The state after one step of undo.

    word : what differs from the step before
    selected : rule of the selection
    calls : calls that were made in this state
    """

    word: str
    settings: Settings
    selected: Rule
    calls: tuple[MadeCall, ...]


def state_as_code(records: Records, panel: str = "") -> str:
    """Return the shortest code that rebuilds the present state and its results; one line for an untouched widget.

    panel : name of the panel whose part is wanted; "" = everything
    """
    settings, selected, calls, last = part(records, panel) if panel else everything(records)
    script = Script(records, settings)
    _write_state(script, settings)
    _write_selection(script, selected)
    _write_calls(script, calls)
    if last:
        script.add(last)
    return _text(script, _constructor(script, settings))


def steps_as_code(records: Records, first: Step, steps: Iterable[Step]) -> str:
    """Return code that rebuilds the state at a step with its results, and then repeats each step after it."""
    script = Script(records, first.settings)
    made = _constructor(script, first.settings)
    _write_state(script, first.settings)
    _write_selection(script, first.selected)
    _write_calls(script, first.calls)
    before = first
    for number, step in enumerate(steps, 1):
        script.remark(f"Step {number}: {step.word}")
        script.before, script.now = before.settings, step.settings
        _write_changes(script, [name for name in WRITERS if name not in OF_COLORS or name == OF_COLORS[0]])
        _write_selection(script, step.selected)
        _write_calls(script, step.calls)
        before = step
    return _text(script, made)


def _write_calls(script: Script, calls: Iterable[MadeCall]) -> None:
    for one in calls:
        write_call(script, one)


def _text(script: Script, constructor: str) -> str:
    lines = [*script.guard(), *script.lines]
    if not lines and "\n" not in constructor and constructor.endswith(")") and "," not in constructor:
        return constructor
    return "\n".join([*script.head(), *script.functions(), constructor, *lines])


def _constructor(script: Script, now: Settings) -> str:
    """Return the call of `CxgWidget`, with the settings that need nothing but the data."""
    records, source = script.records, script.records.source
    names = [name for name in IN_CONSTRUCTOR if name not in OF_COLORS or not is_made_here(now)]
    given = {name: listed(getattr(now, name)) for name in names if _differs(now, records.first, name)}
    given |= {name: value for name, value in source.options.items() if name != "embedding" or name not in given}
    named = {name: literal(listed(value)) for name, value in given.items()}
    what = _OBJECTS.get(source.format, "table") if source.is_in_memory else quoted(source.path)
    one = Script(records, now)
    one.assign("w", call("CxgWidget", what, **named))
    return one.lines[0]


def is_made_here(now: Settings) -> bool:
    """Return whether the color is a set, gene set or annotation of the widget, which must be made first."""
    if not isinstance(now.color, str):
        return False
    name = now.color.removeprefix("set:").removeprefix("obs:")
    is_of_sets = now.color == "sets" or now.color.startswith("sets:")
    return name in now.own_gene_sets or now.log_of(name) is not None or (is_of_sets and bool(now.sets))


def _differs(now: Settings, before: Settings, name: str) -> bool:
    return bool(getattr(now, name) != getattr(before, name))


def _write_state(script: Script, now: Settings) -> None:
    """Write all settings that the constructor does not set."""
    first = script.records.first
    made = IN_CONSTRUCTOR if not is_made_here(now) else [one for one in IN_CONSTRUCTOR if one not in OF_COLORS]
    script.now, script.before = now, first.having({name: getattr(now, name) for name in made})
    _write_changes(script, list(WRITERS))


def _write_changes(script: Script, names: Sequence[str]) -> None:
    """Write what differs between the settings before and now."""
    for name in names:
        if name == OF_COLORS[0]:
            _write_colors(script)
        elif name not in OF_COLORS and _differs(script.now, script.before, name):
            _write(script, name)


def _write(script: Script, name: str) -> None:
    """Write one setting, and take what follows from it as written."""
    value = getattr(script.now, name)
    WRITERS[name](script, getattr(script.before, name), value)
    script.before, script.limits = script.records.foresee(script.before, {name: value}, script.limits)


def _write_colors(script: Script) -> None:
    """Write color, colormap and limits; in one change where they are only valid together."""
    changed = [name for name in OF_COLORS if _differs(script.now, script.before, name)]
    if len({*changed} & {*_TOGETHER, "color"}) > 1 and not {*changed}.isdisjoint(_TOGETHER):
        script.add("with w.hold_trait_notifications():")
        script.indent(lambda: [WRITERS[name](script, None, getattr(script.now, name)) for name in changed])
        values = {name: getattr(script.now, name) for name in changed}
        script.before, script.limits = script.records.foresee(script.before, values, script.limits)
    for name in OF_COLORS:
        if _differs(script.now, script.before, name):
            _write(script, name)


def _write_selection(script: Script, rule: Rule) -> None:
    """Write the selected cells, if they differ from those before."""
    before, script.selected = script.selected, rule
    if rule == before:
        return
    if rule == {"or": []}:
        script.add(call("w.clear_selection"))
        return
    known = next((name for name, one in script.sets.items() if one == rule), None)
    if known is None and "polygon" in rule and is_of_place(rule, script):
        script.add(call("w.select", polygon=polygon(rule, script)))
        return
    if known is None and before != {"or": []}:
        for mode, last in _last_parts(rule):
            if combined_rule(before, last, mode) == rule:
                script.add(call("w.select", cells(last, script), quoted(mode)))
                return
    parts = list(rule["or"]) if "or" in rule and known is None else []
    if len(parts) > 1 and "or" not in parts[0]:
        for at, one in enumerate(parts):
            mode_of: list[Expression] = [] if at == 0 else [quoted("add")]
            script.add(call("w.select", cells(one, script), *mode_of))
        return
    script.add(call("w.select", cells(rule, script)))


def _last_parts(rule: Rule) -> Iterator[tuple[Mode, Rule]]:
    """Yield the last part of a combined rule, and how it may have been combined."""
    if rule.get("or"):
        yield "add", rule["or"][-1]
    if rule.get("and"):
        yield "intersect", rule["and"][-1]
    if "minus" in rule:
        yield "subtract", rule["minus"][1]
        if rule["minus"][1].get("or"):
            yield "subtract", rule["minus"][1]["or"][-1]
