"""Combines two rules, for gestures and for the algebra of sets."""
# Changes with cxg_widget/selection/selection.py: modes of a selection.

from __future__ import annotations

from typing import TYPE_CHECKING

from cxg_widget.rules.forms import DEEPEST, MOST, Rule, within

if TYPE_CHECKING:
    from cxg_widget.wire.protocol import Mode

NOTHING: Rule = {"or": []}
"""The rule that matches no cell."""


def combined_rule(old: Rule | None, new: Rule | None, mode: Mode) -> Rule | None:
    """Return the rule of the cells of `selection.combine`; None if one has no rule, or the result is too large.

    Lists are extended where possible, so that many gestures of one kind do not nest deeply.
    """
    if mode == "replace":
        return fitting(new)
    if old is None or new is None:
        return None
    if old == NOTHING:
        return new if mode == "add" else NOTHING
    if mode == "add":
        rule = {"or": [*_listed(old, "or"), *_listed(new, "or")]}
    elif mode == "intersect":
        rule = {"and": [*_listed(old, "and"), *_listed(new, "and")]}
    elif "minus" in old:
        first, second = old["minus"]
        rule = {"minus": [first, {"or": [*_listed(second, "or"), *_listed(new, "or")]}]}
    else:
        rule = {"minus": [old, new]}
    return fitting(rule)


def complement_of(rule: Rule | None) -> Rule | None:
    """Return the rule of all other cells; None if there is none, or it is too large."""
    if rule is None:
        return None
    return rule["not"] if "not" in rule else fitting({"not": rule})


def fitting(rule: Rule | None) -> Rule | None:
    """Return a rule, or None if it is too large."""
    if rule is None:
        return None
    sizes = [depth for _, depth in within(rule)]
    return rule if len(sizes) <= MOST and max(sizes) <= DEEPEST else None


def _listed(rule: Rule, form: str) -> list[Rule]:
    return list(rule[form]) if form in rule else [rule]
