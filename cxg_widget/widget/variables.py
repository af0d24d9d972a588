"""Values of Python's variables in queries: `@limit` is replaced by what `limit` holds where the call was made."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cxg_widget.errors import SelectionError
from cxg_widget.rules.advice import QUERY_TOKEN
from cxg_widget.rules.grammar import LONGEST
from cxg_widget.text.names import shown

_PACKAGE = __name__.partition(".")[0]


def with_values(*given: Any) -> Any:
    """Return what a public method was given, texts with the values of the variables that they name by @.

    It looks among the variables of who called that method. A name that there is not stays, and is refused with the
    query. So a rule, which may travel, holds values alone.

    Raises
    ------
    SelectionError
        If a variable holds what no query can hold.
    """
    found = tuple(_filled(one, _known()) if isinstance(one, str) and "@" in one else one for one in given)
    return found[0] if len(found) == 1 else found


def _known() -> dict[str, Any]:
    """Return the variables of who called the package: a decorator may stand between it and the public method."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return {**frame.f_globals, **frame.f_locals}


def _filled(text: str, known: Mapping[str, Any]) -> str:
    parts, end = [], 0
    for token in QUERY_TOKEN.finditer(text):  # quoted texts and names in backticks are tokens of their own
        between = text[end : token.start()]
        is_variable = between.endswith("@") and (len(between) > 1 or end == 0)  # and not as in "a@b"
        if is_variable and token["word"] in known:
            if text[token.end() : token.end() + 1] in (".", "[", "("):
                raise SelectionError(f"query {shown(text)}: give {token['word']}... a name of its own, and write @name")
            parts += [between[:-1], _literal(token["word"], known[token["word"]])]
        else:
            parts += [between, token[0]]
        end = token.end()
    return "".join([*parts, text[end:]])


def _literal(name: str, value: Any) -> str:
    """Return a value as a query has it: a number, a text, or a list of these."""
    if isinstance(value, str | bool | int | float | np.generic):
        return _plain(name, value)
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise SelectionError(f"@{name} must hold a number, a text, or a list of these; found {shown(value)}")
    values = list(value)
    listed = f"[{', '.join(_plain(name, one) for one in values)}]" if len(values) < LONGEST else ""
    if not listed or len(listed) > LONGEST // 2:
        raise SelectionError(
            f"@{name} holds {len(values):,} values, too many for a query; give {{column: {name}}} instead."
        )
    return listed


def _plain(name: str, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | bool | int | float) or value != value:  # noqa: PLR0124 - NaN
        raise SelectionError(f"@{name} must hold numbers or texts; found {shown(value)}")
    return str(repr(value)).replace("inf", "1e999") if isinstance(value, float) else repr(value)
