"""Rules in words, as js/src/words/rule_words.js writes them."""
# Changes with js/src/words/rule_words.js: rules in words.

from __future__ import annotations

from cxg_widget.rules.form import Words
from cxg_widget.rules.forms import Rule, form_of, inner_of


def words_of(rule: Rule) -> Words:
    """Return the column or gene of a rule, "" of none, and what it keeps."""
    inner, is_negated = inner_of(rule)
    words = form_of(inner).words(inner, _describe_part)
    if not is_negated:
        return words
    return Words(words.subject, f"not ({words.kept})" if form_of(inner).holds_rules else f"not {words.kept}")


def describe_rule(rule: Rule) -> str:
    """Say of which column or gene a rule is, and what it keeps; of a query, that it is one, and its text."""
    return " ".join(filter(None, words_of(rule)))


def _describe_part(rule: Rule) -> str:
    """Describe a rule within another, in brackets where it has parts itself."""
    is_combined = form_of(rule).holds_rules and "not" not in rule
    return f"({describe_rule(rule)})" if is_combined else describe_rule(rule)
