"""Filters in words, as js/src/words/rule_told.js writes them."""

from __future__ import annotations

from cxg_widget.rules.forms import Rule
from cxg_widget.text.names import in_a_line, label_of
from cxg_widget.text.numbers import short_number
from cxg_widget.wire.protocol import MISSING_LABEL

_MOST_VALUES = 2
_EMPTY = "(empty)"


def describe_rule(rule: Rule) -> str:
    """Say of which column or gene a filter is, and what it keeps; of a query, that it is one, and its text."""
    inner = rule.get("not", rule)
    if "query" in inner:
        return f"query {inner['query']}"
    if "set" in inner:
        return f"{'not in' if 'not' in rule else 'in'} {in_a_line(inner['set'])}"
    name = inner.get("obs", inner.get("var"))
    if "range" in inner:
        low, high = ("" if end is None else short_number(end) for end in inner["range"])
        return f"{name} up to {high}" if not low else f"{name} from {low}" if not high else f"{name} {low} to {high}"
    first = [MISSING_LABEL if one is None else in_a_line(label_of(one)) or _EMPTY for one in inner["in"][:_MOST_VALUES]]
    n_more = len(inner["in"]) - len(first)
    more = f" and {n_more} more" if n_more else ""
    return f"{name} {'not ' if 'not' in rule else ''}{', '.join(first)}{more}"
