"""Named rules: sets as a widget's state holds them, and rules that refer to sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any

from cxg_widget.color.palettes import check_color
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.rules.forms import Rule, check_rule, form_of, within
from cxg_widget.rules.packed_rows import PackedRows, as_json
from cxg_widget.text.names import BROKEN, join_missing, not_found, shown

MOST_SETS = 1_000
_LONGEST = 200


class RuleOfSet(dict[str, Any]):
    """The checked, immutable rule of a set."""

    @cached_property
    def digest(self) -> str:
        """Short digest of the rule."""
        return _digest_of(self)


class RowsOfSet(PackedRows):
    """The rows of a set without another rule, as one bit a cell until its JSON is requested."""

    @cached_property
    def digest(self) -> str:
        """Short digest of the rule."""
        return _digest_of(self)


def check_name(name: Any) -> str:
    """Return the name of a set; raises `InvalidValue` if it is invalid."""
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST or BROKEN.search(name):
        raise InvalidValue(f"the name of a set is a text of at most {_LONGEST} letters; found {shown(name)}")
    return name


def check_sets(value: Any) -> list[Rule]:
    """Return named rules, normalized: {"name", "rule"}, and "within" for a set inside another.

    value : such a list from a state, an object with `rules`, a mapping of names to rules, or None
    """
    value = getattr(value, "rules", value)
    if isinstance(value, Mapping):
        value = [{"name": name, "rule": getattr(rule, "rule", rule)} for name, rule in value.items()]
    if value is None:
        return []
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise InvalidValue(f"sets must be a list of {{name, rule}}; found {shown(value)}")
    sets = [_check_set(one) for one in value]
    above = {one["name"]: one.get("within") for one in sets}
    if len(above) < len(sets) or len(sets) > MOST_SETS:
        found = f"found {len(sets):,} with {len(above):,} names"
        raise InvalidValue(f"at most {MOST_SETS:,} sets with distinct names are allowed; {found}")
    for name in above:
        _check_above(name, above)
    return sets


def _check_set(one: Any) -> Rule:
    keys = {"name", "rule"}
    if not isinstance(one, Mapping) or not keys <= set(one) <= keys | {"within", "color"}:
        raise InvalidValue(
            f"a set is {{name, rule}}, with optional within (its parent set) and color; found {shown(one)}"
        )
    color = {"color": check_color(one["color"])} if "color" in one else {}
    return {**one, "name": check_name(one["name"]), "rule": rule_of_set(one["rule"]), **color}


def rule_of_set(rule: Any) -> RuleOfSet | RowsOfSet:
    """Return a rule as that of a set; raises as `check_rule`, and if it refers to a set."""
    if isinstance(rule, RuleOfSet | RowsOfSet):
        return rule
    plain = check_rule(rule)
    if any("set" in inner for inner, _ in within(plain)):
        raise InvalidValue("the rule of a set refers to a set; write out the rule of that set instead.")
    return RowsOfSet.of(plain) if "rows" in plain else RuleOfSet(plain)


def _check_above(name: str, above: Mapping[str, Any]) -> None:
    passed, upper = {name}, above[name]
    while upper is not None:
        if not isinstance(upper, str) or upper not in above:
            raise UnknownName(not_found("set", upper, above, "this widget"))
        if upper in passed:
            raise InvalidValue(f"the set {shown(name)} is within itself.")
        passed.add(upper)
        upper = above[upper]


def digest_of(rule: Rule) -> str:
    """Return a short digest of the rule of a set."""
    return rule.digest if isinstance(rule, RuleOfSet | RowsOfSet) else _digest_of(rule)


def _digest_of(rule: Rule) -> str:
    return sha256(json.dumps(rule, sort_keys=True, default=as_json).encode()).hexdigest()[:32]


def by_digest(sets: Iterable[Rule]) -> dict[str, Rule]:
    """Return the rules of sets by their digests."""
    return {digest_of(one["rule"]): one["rule"] for one in sets}


def filter_by(name: str, sets: Iterable[Rule], kept: Any) -> Rule:
    """Return the filter that keeps the cells of a set, or with kept=False all others.

    It has the name and digest of the set, not its rows, since the front-end gets all filters.
    """
    known = {one["name"]: one["rule"] for one in sets}
    if name not in known:
        raise UnknownName(not_found("set", name, known, "this widget"))
    if not isinstance(kept, bool):
        raise InvalidValue(f"the filter of a set is True (its members) or False (all others); found {shown(kept)}")
    rule = {"set": name, "of": digest_of(known[name])}
    return rule if kept else {"not": rule}


def check_named(filters: Iterable[Rule], sets: Iterable[Rule]) -> None:
    """Check that the sets of filters exist and have not changed."""
    digests = {one["name"]: digest_of(one["rule"]) for one in sets}
    for rule in filters:
        inner = rule.get("not", rule)
        if "set" in inner and inner["set"] not in digests:
            raise UnknownName(not_found("set", inner["set"], digests, "this widget"))
        if "set" in inner and inner.get("of") != digests[inner["set"]]:
            name = shown(f"set:{inner['set']}")
            raise InvalidValue(f"the set of filter {name} has changed since; renew it: w.filters[{name}] = True")


def followed(filters: Iterable[Rule], sets: Iterable[Rule], before: Iterable[Rule]) -> list[Rule]:
    """Return filters after a change of sets, with their new names and digests, and without deleted sets.

    before : the previous sets; only a set with a new name can be one of those renamed
    """
    digests, known = {one["name"]: digest_of(one["rule"]) for one in sets}, {one["name"] for one in before}
    names = {digest: name for name, digest in digests.items() if name not in known}
    found: list[Rule] = []
    for rule in filters:
        inner = rule.get("not", rule)
        if "set" in inner:
            name = inner["set"] if inner["set"] in digests else names.get(inner.get("of"))
            if name is None:
                continue
            inner = {"set": name, "of": digests[name]}
            found.append({"not": inner} if "not" in rule else inner)
        else:
            found.append(rule)
    return found


def check_known(names: Iterable[str], sets: Iterable[Rule]) -> None:
    """Raise `UnknownName` if a set does not exist."""
    known = [one["name"] for one in sets]
    if unknown := [name for name in names if name not in known]:
        first, *others = unknown
        raise UnknownName(join_missing([not_found("set", first, known, "this widget"), *map(shown, others)]))


def names_after(names: Iterable[str], before: Iterable[Rule], now: Iterable[Rule]) -> list[str]:
    """Return names of sets after a change, with their new names, and without deleted sets."""
    digests = {one["name"]: digest_of(one["rule"]) for one in before}
    left = {one["name"]: digest_of(one["rule"]) for one in now}
    renamed = {digest: name for name, digest in left.items() if name not in digests}
    found = [name if name in left else renamed.get(digests.get(name, "")) for name in names]
    return [name for name in found if name is not None]


def expanded(rule: Rule, sets: Mapping[str, Rule]) -> Rule:
    """Return a rule with names of sets replaced by their rules, for use elsewhere."""
    plain = check_rule(rule)
    unknown = {one["set"]: None for one, _ in within(plain) if "set" in one and one["set"] not in sets}
    if unknown:
        first, *others = unknown
        raise UnknownName(join_missing([not_found("set", first, sets, "this widget"), *map(shown, others)]))
    expanded_rule: Rule = _expanded(plain, sets)
    return expanded_rule


def _expanded(rule: Any, sets: Mapping[str, Rule]) -> Any:
    if "set" in rule:
        return sets[rule["set"]]
    if not form_of(rule).holds_rules:
        return rule
    ((word, value),) = rule.items()
    return {word: [_expanded(one, sets) for one in value] if isinstance(value, list) else _expanded(value, sets)}
