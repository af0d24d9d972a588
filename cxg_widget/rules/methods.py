"""Methods that queries may call, with the names they have in pandas, implemented without it.

A query may be untrusted, so patterns are a subset of regular expressions that always match in linear time: without
groups and repetition counts, and with at most one `.*` per alternative (decision 76).
"""
# Changes with cxg_widget/rules/expression.py and cxg_widget/rules/grammar.py: methods and signs of queries.

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cxg_widget.text.names import shown

MISSING_TESTS = {"isna": True, "isnull": True, "notna": False, "notnull": False}
"""Tests for missing values, as functions and as methods, and their result for a missing value."""
_BOOLEANS = (True, False)


class _Signature(NamedTuple):
    """Number and kind of arguments of a method, and its keywords with their allowed values."""

    n: int
    takes: str
    keywords: Mapping[str, tuple[Any, ...]]


_TEXT = "a 'text'"
METHODS = {
    **{name: _Signature(0, "nothing", {}) for name in MISSING_TESTS},
    "isin": _Signature(1, "a list of values", {}),
    "between": _Signature(2, "two values", {"inclusive": ("both", "neither", "left", "right")}),
    "str.contains": _Signature(1, _TEXT, {"case": _BOOLEANS, "regex": _BOOLEANS, "na": _BOOLEANS}),
    "str.startswith": _Signature(1, _TEXT, {"na": _BOOLEANS}),
    "str.endswith": _Signature(1, _TEXT, {"na": _BOOLEANS}),
}
_SIMPLE = re.compile(
    r"\.\*|\.(?![*+?])|\[\^?[^\[\]\\^&|~-]+(?:-[^\[\]\\^&|~-]+)*\]|\\[^\w\s]|[\^$|]|[^\\.\[\](){}*+?|^$]"
)
"""Tokens of a pattern: any character, one of several, escaped characters, both ends, a bar, and letters."""


class Call(NamedTuple):
    """A call in a query: method, object, arguments and keywords."""

    name: str
    of: ast.expr
    args: list[ast.expr]
    keywords: dict[str, Any]


def call_of(node: ast.Call) -> Call:
    """Return the call of a node; `isna(name)` is the method of that name."""
    keywords = {one.arg or "**": getattr(one.value, "value", None) for one in node.keywords}
    if isinstance(node.func, ast.Name) and node.func.id in MISSING_TESTS and len(node.args) == 1:
        return Call(node.func.id, node.args[0], [], keywords)
    if not isinstance(node.func, ast.Attribute):
        return Call("", node.func, node.args, keywords)
    of, name = node.func.value, node.func.attr
    if isinstance(of, ast.Attribute):
        return Call(f"{of.attr}.{name}", of.value, node.args, keywords)
    return Call(name, of, node.args, keywords)


def fault_of(node: ast.Call) -> str | None:
    """Return the error of a call, for any column: "" for an unknown method, None if it is valid."""
    call = call_of(node)
    signature = METHODS.get(call.name)
    if signature is None:
        return ""
    if len(call.args) != signature.n or (call.name == "isin" and not isinstance(call.args[0], ast.List | ast.Tuple)):
        return f".{call.name}() takes {signature.takes}"
    for word, value in call.keywords.items():
        if repr(value) not in map(repr, signature.keywords.get(word, ())):
            return f".{call.name}() takes no {word}={value!r}"
    return _fault_of_text(call, signature) if call.name.startswith("str.") else None


def _fault_of_text(call: Call, signature: _Signature) -> str | None:
    text = getattr(call.args[0], "value", None)
    if not isinstance(text, str):
        return f".{call.name}() takes {signature.takes}"
    return _fault_of_pattern(text) if call.name == "str.contains" and call.keywords.get("regex", True) else None


def _fault_of_pattern(text: str) -> str | None:
    end = 0
    while found := _SIMPLE.match(text, end):
        end = found.end()
    rest = text[end:]
    if rest == "" and all(one.count(".*") <= 1 for one in text.split("|")):
        try:
            re.compile(text)
        except re.error as error:  # such as [z-a]
            return f"the pattern {shown(text)} cannot be read: {error.msg}"
        return None
    what = rest[:1] or "a second .*"
    return (
        f"the pattern {shown(text)} has {what} as a sign of regular expressions, and may have . [ab] ^ $ | and one "
        f".* alone; regex=False looks for the text itself, and select(query=..., engine='pandas') takes any pattern"
    )


def matcher(call: Call) -> Callable[[str], bool]:
    """Return a function that tells of a text whether a method of `.str` is true."""
    text = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    assert isinstance(text, str)
    if call.name == "str.startswith":
        return lambda one: one.startswith(text)
    if call.name == "str.endswith":
        return lambda one: one.endswith(text)
    pattern = text if call.keywords.get("regex", True) else re.escape(text)
    compiled = re.compile(pattern, 0 if call.keywords.get("case", True) else re.IGNORECASE)
    return lambda one: compiled.search(one) is not None
