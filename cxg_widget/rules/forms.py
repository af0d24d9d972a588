"""The forms a rule has as JSON, and what each may hold, whatever the dataset."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cxg_widget.errors import InvalidValue
from cxg_widget.rules.grammar import parse
from cxg_widget.rules.packed_rows import as_json
from cxg_widget.spatial.polygon import as_polygon
from cxg_widget.text.names import shown

Rule = Mapping[str, Any]
DEEPEST = 32
"""Rules within each other."""
MOST = 1_000
"""Rules in one."""
MOST_ROWS = 2**48
"""More than a matrix of any store has."""
_FORMS = (
    "a rule is one of {obs, in}, {obs, range}, {var, layer, range}, {query}, {polygon, embedding, axes}, {set}, "
    "{rows, n_obs, identity}, {and: [...]}, {or: [...]}, {not: rule}, {minus: [rule, rule]}"
)
_KEYS = {
    "and": set(), "or": set(), "not": set(), "minus": set(), "query": {"layer"}, "set": {"of"},
    "obs": {"in", "range"}, "var": {"layer", "range"}, "polygon": {"embedding", "axes"}, "rows": {"n_obs", "identity"},
}  # fmt: skip
"""The keys that tell which form a rule has."""


def check_rule(rule: Any) -> Rule:
    """Check the form of a rule, whatever the dataset, and return it as plain JSON.

    Raises
    ------
    InvalidValue
        If it is none of the forms, or too large.
    SelectionError
        If a query in it cannot be parsed.
    """
    try:
        plain = json.loads(json.dumps(rule, allow_nan=False, default=as_json))
    except (TypeError, ValueError, RecursionError):
        raise InvalidValue(f"a rule must be JSON; found {shown(rule)}") from None
    for number, (one, depth) in enumerate(within(plain)):
        if number >= MOST or depth > DEEPEST:
            raise InvalidValue(f"a rule may hold {MOST:,} rules, {DEEPEST} deep; found more")
        _CHECKS[form_of(one)](one)
    found: Rule = plain
    return found


def is_form(word: Any) -> bool:
    """Say whether a rule may have a word as its form, which a column is hardly called by."""
    return word in _KEYS


def within(rule: Any, depth: int = 0) -> Iterator[tuple[Any, int]]:
    """Yield a rule and all rules within it, each with its depth."""
    waiting = [(rule, depth)]
    while waiting:
        one, depth = waiting.pop()
        yield one, depth
        waiting += [(inner, depth + 1) for inner in _parts(one)]


def _parts(rule: Any) -> list[Any]:
    if not isinstance(rule, Mapping):
        return []
    if "not" in rule:
        return [rule["not"]]
    listed: Any = next((rule[word] for word in ("and", "or", "minus") if word in rule), [])
    return listed if isinstance(listed, list) else [listed]


def form_of(rule: Any) -> str:
    """Return which form a rule has, the key that says so."""
    forms = [form for form in _KEYS if isinstance(rule, Mapping) and form in rule]
    if len(forms) != 1 or set(rule) - {forms[0]} - _KEYS[forms[0]]:
        raise InvalidValue(f"{_FORMS}; found {shown(rule)}")
    return forms[0]


def _wrong(rule: Any) -> InvalidValue:
    return InvalidValue(f"{_FORMS}; found {shown(rule)}")


# What each form may hold.


def _check_list(rule: Rule) -> None:
    listed = rule.get("and", rule.get("or", rule.get("minus")))
    if not isinstance(listed, list) or ("minus" in rule and len(listed) != 2):
        raise _wrong(rule)


def _check_obs(rule: Rule) -> None:
    is_name = isinstance(rule["obs"], str)
    if not is_name or ("in" in rule) == ("range" in rule) or not isinstance(rule.get("in", []), list):
        raise _wrong(rule)
    if not all(one is None or isinstance(one, str | bool | int | float) for one in rule.get("in", [])):
        raise InvalidValue(f"{{obs, in}} lists values, null for missing ones; found {shown(rule['in'])}")
    if "range" in rule:
        _check_range(rule["range"])


def _check_var(rule: Rule) -> None:
    if not isinstance(rule["var"], str) or not isinstance(rule.get("layer"), str | None) or "range" not in rule:
        raise _wrong(rule)
    _check_range(rule["range"])


def _check_range(ends: Any) -> None:
    is_pair = isinstance(ends, list) and len(ends) == 2
    if not is_pair or not all(one is None or _is_number(one) for one in ends) or ends == [None, None]:
        raise InvalidValue(f"a range is [lowest, highest], both included, null for no end; found {shown(ends)}")
    if None not in ends and ends[0] > ends[1]:
        raise InvalidValue(f"a range goes from the lowest to the highest; found {shown(ends)}")


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (abs(value) < 2**64 if isinstance(value, int) else math.isfinite(value))


def _check_query(rule: Rule) -> None:
    parse(rule["query"])
    if not isinstance(rule.get("layer"), str | None):
        raise _wrong(rule)


def _check_polygon(rule: Rule) -> None:
    if not _is_embedding(rule.get("embedding")) or not _are_axes(rule.get("axes", [0, 1])):
        raise _wrong(rule)
    as_polygon(rule["polygon"])


def _is_embedding(name: Any) -> bool:
    """Say whether it is the name of an embedding, or two columns, and perhaps the layer of genes."""
    is_pair = isinstance(name, list) and len(name) in (2, 3) and all(isinstance(one, str) for one in name)
    return is_pair or isinstance(name, str)


def _are_axes(axes: Any) -> bool:
    return isinstance(axes, list) and len(axes) == 2 and all(type(one) is int and one >= 0 for one in axes)


def _check_set(rule: Rule) -> None:
    if not isinstance(rule["set"], str) or not isinstance(rule.get("of"), str | None):
        raise _wrong(rule)


def _check_rows(rule: Rule) -> None:
    n_obs = rule.get("n_obs")
    packed = rule["rows"]
    if not isinstance(packed, str) or type(n_obs) is not int or not isinstance(rule.get("identity"), str):
        raise _wrong(rule)
    if not 0 <= n_obs < MOST_ROWS:
        raise InvalidValue(f"n_obs of packed rows must be from 0 to {MOST_ROWS - 1:,}; found {shown(n_obs)}")
    n_bytes = -(-n_obs // 8)
    n_padding = -n_bytes % 3  # which alone tells 126 bytes from 125
    if len(packed) != 4 * (-(-n_bytes // 3)) or len(packed) - len(packed.rstrip("=")) != n_padding:
        raise InvalidValue(
            f"packed rows are base64 of one bit per row: {n_obs:,} rows take {n_bytes:,} bytes, or "
            f"{4 * (-(-n_bytes // 3)):,} letters that end with {n_padding} '='; found {len(packed):,} letters"
        )


_CHECKS: dict[str, Callable[[Rule], None]] = {
    "and": _check_list, "or": _check_list, "minus": _check_list, "not": lambda _: None, "obs": _check_obs,
    "var": _check_var, "query": _check_query, "polygon": _check_polygon, "set": _check_set, "rows": _check_rows,
}  # fmt: skip
