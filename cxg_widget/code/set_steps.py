"""Changes of sets of cells as code: added, replaced, renamed, recolored and deleted sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.code.cells import cells
from cxg_widget.code.statement import Expression, call, literal, quoted
from cxg_widget.display.by_sets import set_colors
from cxg_widget.rules.combining import combined_rule, complement_of
from cxg_widget.rules.forms import Rule

if TYPE_CHECKING:
    from cxg_widget.code.script import Script
    from cxg_widget.wire.protocol import Mode

_ALGEBRA: Mapping[Mode, str] = {"add": "|", "intersect": "&", "subtract": "-"}


def write_sets(script: Script, before: Sequence[Any], now: Sequence[Any]) -> None:
    """Write how sets become other sets: step by step where that gives exactly these, else all at once."""
    script.sets = {one["name"]: one["rule"] for one in before}
    wanted = {one["name"]: one for one in now}
    known = {one["name"]: one for one in before}
    n_lines = len(script.lines)
    for old, new in _renamed(known, wanted):
        script.add(call("w.sets.rename", quoted(old), quoted(new)))
        known = _after_rename(known, old, new)
    for name in [one for one in known if one not in wanted]:
        script.add(f"del w.sets[{quoted(name)}]")
        above = known.pop(name).get("within")
        known = {key: _placed(one, above) if one.get("within") == name else one for key, one in known.items()}
    script.sets = {name: one["rule"] for name, one in known.items()}
    for name, one in wanted.items():
        if name not in known:
            known[name] = _add(script, known, one)
        elif known[name]["rule"] != one["rule"]:
            has_inner = any(other.get("within") == name for other in known.values()) or "within" in one
            script.assign(f"w.sets[{quoted(name)}]", _rule(script, one["rule"]))
            known[name] = {**known[name], "rule": None if has_inner else one["rule"]}
        script.sets[name] = one["rule"]
    # After all were added, so that each gets the color that it got when it was made.
    for name, one in wanted.items():
        if known[name].get("color") != one.get("color") and "color" in one:
            script.add(call("w.sets.recolor", quoted(name), quoted(one["color"])))
            known[name] = {**known[name], "color": one["color"]}
    if list(known.values()) != list(wanted.values()):
        del script.lines[n_lines:]
        script.assign("w.sets", literal([_plain(one) for one in now]))
    script.sets = {one["name"]: one["rule"] for one in now}


def _add(script: Script, known: Mapping[str, Any], one: Any) -> Any:
    """Write a new set, and return it as the widget then has it."""
    name, rule, within = one["name"], one["rule"], one.get("within")
    made = {"name": name, "rule": rule, "color": set_colors([*known.values(), {"name": name}])[name]}
    if within is None:
        what = _rule(script, rule)
        is_short = isinstance(what, str) and what.startswith(("w.sets[", "~w.sets[")) and what[-1] == "]"
        if is_short:
            script.assign(f"w.sets[{quoted(name)}]", what)
        else:
            script.add(call("w.sets.add", quoted(name), what))
        return made
    above = known.get(within)
    inner = None if above is None else _within(above["rule"], rule)
    if inner is None:
        return {**made, "rule": None}
    script.add(call("w.sets.add", quoted(name), cells(inner, script), within=quoted(within)))
    return {**made, "within": within}


def _within(above: Rule, rule: Rule) -> Rule | None:
    """Return the rule that has a given rule within a set; None if there is none."""
    if "rows" in rule:  # a mask, of which the parent keeps all
        return rule
    listed = list(above["and"]) if "and" in above else [above]
    if "rows" in above or "and" not in rule or list(rule["and"][: len(listed)]) != listed:
        return None
    rest = rule["and"][len(listed) :]
    if not rest:
        return None
    inner: Rule = rest[0] if len(rest) == 1 else {"and": rest}
    return inner if combined_rule(above, inner, "intersect") == rule else None


def _rule(script: Script, rule: Rule) -> Expression:
    """Return the cells of a set: by other sets where they give the same rule."""
    by_rule = {name: one for name, one in script.sets.items() if "rows" not in one}
    if rule in by_rule.values():
        return cells(rule, script)
    for name, one in by_rule.items():
        if complement_of(one) == rule:
            return f"~w.sets[{quoted(name)}]"
    for name, one in by_rule.items():
        for other, second in by_rule.items():
            for mode, sign in _ALGEBRA.items():
                if name != other and combined_rule(one, second, mode) == rule:
                    return f"w.sets[{quoted(name)}] {sign} w.sets[{quoted(other)}]"
    return cells(rule, script)


def _renamed(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return sets that only have another name, in the same place."""
    if len(known) != len(wanted):
        return []
    pairs = zip(known.items(), wanted.items(), strict=True)
    return [
        (old, new) for (old, one), (new, other) in pairs
        if old != new and new not in known and one["rule"] == other["rule"]
    ]  # fmt: skip


def _after_rename(known: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    named = [{**one, "name": new} if name == old else one for name, one in known.items()]
    return {one["name"]: _placed(one, new) if one.get("within") == old else one for one in named}


def _placed(one: Any, within: str | None) -> Any:
    rest = {key: value for key, value in one.items() if key != "within"}
    return rest if within is None else {**rest, "within": within}


def _plain(one: Any) -> Any:
    return {**one, "rule": dict(one["rule"])}
