"""Rules in words, as js/src/words/rule_words.js writes them."""

from __future__ import annotations

from cxg_widget.rules.form import Words
from cxg_widget.rules.forms import Rule, form_of, inner_of


def words_of(rule: Rule) -> Words:
    """Return the column or gene of a rule, "" of none, and what it keeps."""
    inner, is_negated = inner_of(rule)
    return form_of(inner).words(inner, is_negated)


def describe_rule(rule: Rule) -> str:
    """Say of which column or gene a filter is, and what it keeps; of a query, that it is one, and its text."""
    return " ".join(filter(None, words_of(rule)))
