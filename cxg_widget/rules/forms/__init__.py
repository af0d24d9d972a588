"""Registry of the forms of a rule, the check of a rule without a dataset, and rules in words."""
# Changes with js/src/words/rule_words.js: rules in words.

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cxg_widget.errors import InvalidValue
from cxg_widget.rules.form import Form, Rule, Words
from cxg_widget.rules.forms.cells import MOST_ROWS, POLYGON, QUERY, ROWS
from cxg_widget.rules.forms.column_forms import RANGE_OF_OBS, RANGE_OF_VAR, VALUES
from cxg_widget.rules.forms.combined import AND, MINUS, NOT, OR, SET
from cxg_widget.rules.packed_rows import as_json
from cxg_widget.text.names import shown

__all__ = [
    "FORMS", "MOST_ROWS", "Rule", "check_rule", "describe_rule", "form_of", "inner_of", "is_form", "within", "words_of",
]  # fmt: skip

FORMS: tuple[Form, ...] = (VALUES, RANGE_OF_OBS, RANGE_OF_VAR, QUERY, POLYGON, SET, ROWS, AND, OR, NOT, MINUS)
"""All forms of a rule; everything else the package knows about rules comes from these."""
DEEPEST = 32
"""Greatest nesting depth."""
MOST = 1_000
"""Most rules within one."""
_NAMES = {form.needs[0] for form in FORMS}


def check_rule(rule: Any) -> Rule:
    """Check the form of a rule, without a dataset, and return it as plain JSON."""
    try:
        plain = json.loads(json.dumps(rule, allow_nan=False, default=as_json))
    except (TypeError, ValueError, RecursionError):
        raise InvalidValue(f"a rule must be JSON; found {shown(rule)}") from None
    for number, (one, depth) in enumerate(within(plain)):
        if number >= MOST or depth > DEEPEST:
            raise InvalidValue(f"a rule may hold {MOST:,} rules, {DEEPEST} deep; found more")
        form_of(one).check(one)
    found: Rule = plain
    return found


def is_form(word: Any) -> bool:
    """Return whether a word identifies a form of a rule."""
    return word in _NAMES


def within(rule: Any, depth: int = 0) -> Iterator[tuple[Any, int]]:
    """Yield a rule and all nested rules with their depths; a rule is yielded before its parts are read."""
    waiting = [(rule, depth)]
    while waiting:
        one, depth = waiting.pop()
        yield one, depth
        waiting += [(inner, depth + 1) for inner in _parts(one)]


def form_of(rule: Any) -> Form:
    """Return the form of a rule; raises `InvalidValue` if it has none."""
    form = _find_form(rule)
    if form is None:
        spelled = ", ".join(one.spelling for one in FORMS)
        raise InvalidValue(f"a rule is one of {spelled}; found {shown(rule)}")
    return form


def inner_of(rule: Rule) -> tuple[Rule, bool]:
    """Return the rule inside a negation, and True; or the rule itself, and False."""
    return (rule["not"], True) if "not" in rule else (rule, False)


def _find_form(rule: Any) -> Form | None:
    if not isinstance(rule, Mapping):
        return None
    keys = set(rule)
    return next((form for form in FORMS if keys.issuperset(form.needs) and keys <= {*form.needs, *form.takes}), None)


def _parts(rule: Any) -> list[Any]:
    """Return the rules directly inside a rule, which may be unchecked."""
    form = _find_form(rule)
    value = rule[form.needs[0]] if form is not None and form.holds_rules else []
    return value if isinstance(value, list) else [value]


def words_of(rule: Rule) -> Words:
    """Return the column or gene of a rule, or "", and what it keeps."""
    inner, is_negated = inner_of(rule)
    words = form_of(inner).words(inner, _describe_part)
    if not is_negated:
        return words
    return Words(words.subject, f"not ({words.kept})" if form_of(inner).holds_rules else f"not {words.kept}")


def describe_rule(rule: Rule) -> str:
    """Describe a rule: its column or gene and what it keeps, or the text of a query."""
    return " ".join(filter(None, words_of(rule)))


def _describe_part(rule: Rule) -> str:
    """Describe a nested rule, in brackets if it has parts."""
    is_combined = form_of(rule).holds_rules and "not" not in rule
    return f"({describe_rule(rule)})" if is_combined else describe_rule(rule)
