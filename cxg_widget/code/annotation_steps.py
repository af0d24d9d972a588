"""Steps of annotations as code."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.annotations.log import Step
from cxg_widget.code.cells import cells
from cxg_widget.code.statement import Expression, call, flat, literal, quoted

if TYPE_CHECKING:
    from cxg_widget.code.script import Script


def write_annotations(script: Script, before: Sequence[Any], now: Sequence[Any]) -> None:
    """Write new steps of annotations, and annotations that are new or deleted."""
    old, new = ({one["name"]: one["log"] for one in value} for value in (before, now))
    for name in old:
        if name not in new or not _extends(old[name], new[name]):
            script.add(f"del w.annotations[{quoted(name)}]")
    for name, log in new.items():
        known = old.get(name)
        is_longer = known is not None and _extends(known, log)
        steps = log[len(known) :] if is_longer and known is not None else log
        if not is_longer:
            steps = _write_new(script, name, steps)
        for step in steps:
            script.add(_step(script, f"w.annotations[{quoted(name)}]", step))


def _extends(log: Sequence[Step], longer: Sequence[Step]) -> bool:
    return list(longer[: len(log)]) == list(log)


def _write_new(script: Script, name: str, log: Sequence[Step]) -> Sequence[Step]:
    """Write a new annotation, and return its steps that are left."""
    first = log[0] if log else {}
    if "codes" in first:  # labels from a file
        rule = flat(literal({"name": name, "log": [dict(first)]}))
        script.assign("w.annotations", f"[*w.annotations.rules, {rule}]")
        return log[1:]
    of = {"of": quoted(first["of"])} if "of" in first else {}
    script.add(call("w.annotations.new", quoted(name), **of))
    return log[1:] if of else log


def _step(script: Script, target: str, step: Step) -> Expression:
    if "assign" in step:
        return call(f"{target}.assign", literal(step["assign"]), cells(step["rule"], script))
    if "rename" in step:
        return call(f"{target}.rename", quoted(step["rename"]), quoted(step["to"]))
    if "merge" in step:
        return call(f"{target}.merge", literal(list(step["merge"])), into=quoted(step["into"]))
    return call(f"{target}.delete", quoted(step["delete"]))
