"""Statements of Python from values, as `ruff format` lays them out; a text is always a literal, so it runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cxg_widget.rules.packed_rows import PackedRows

WIDTH = 88
"""Columns of a line, the default of ruff and black."""
_INDENT = 4
_SKIP = "  # fmt: skip"
_PAIRS_PER_LINE = 6


@dataclass(frozen=True)
class Group:
    """An expression in brackets: a call, list, tuple or dict.

    before : all up to the opening bracket, which it ends with
    is_call : whether the items may share a line of their own, as arguments do
    """

    before: str
    items: tuple[Expression, ...]
    after: str
    is_call: bool = False


Expression = str | Group


def quoted(text: str) -> str:
    """Return a text as a literal with the quotes that ruff prefers."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    escaped = {quote: f"\\{quote}", "\\": "\\\\"}
    return quote + "".join(escaped.get(one) or (one if one.isprintable() else repr(one)[1:-1]) for one in text) + quote


def literal(value: object) -> Expression:
    """Return a value of a state as an expression; raises `TypeError` for other values."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | float):
        return repr(value).replace("e+", "e")
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        items = dict(value) if isinstance(value, PackedRows) else value
        return Group("{", tuple(prefixed(f"{quoted(str(key))}: ", literal(one)) for key, one in items.items()), "}")
    if isinstance(value, list):
        return Group("[", tuple(map(literal, value)), "]")
    if isinstance(value, tuple):
        items_of = tuple(map(literal, value))
        return Group("(", items_of, ")") if len(value) != 1 else Group("[", items_of, "]")
    raise TypeError(f"{type(value).__name__} has no literal")


def prefixed(prefix: str, one: Expression) -> Expression:
    """Return an expression after a name, key or target."""
    return prefix + one if isinstance(one, str) else replace(one, before=prefix + one.before)


def call(function: str, *args: Expression, **named: Expression) -> Group:
    """Return a call of a function."""
    items = (*args, *(prefixed(f"{name}=", one) for name, one in named.items()))
    return Group(f"{function}(", items, ")", is_call=True)


def statement(one: Expression, indent: int = 0) -> str:
    """Return the lines of a statement."""
    unsure: list[str] = []
    lines = _lines(one, indent, "", unsure)
    n_wide = sum(not _fits(line, unsure) for line in lines)
    return "\n".join(lines) + (_SKIP if n_wide or unsure else "")


def comment(text: str) -> str:
    """Return a text as a comment of one line."""
    plain = "".join(one if one.isprintable() else " " for one in text)
    return f"# {' '.join(plain.split())}"


def corners(target: str, polygon: Sequence[Sequence[float]]) -> str:
    """Return the assignment of a polygon to a name, with several corners in a line."""
    pairs = [f"({x!r}, {y!r})" for x, y in polygon]
    whole = f"{target} = [{', '.join(pairs)}]"
    if len(whole) <= WIDTH:
        return whole
    rows = [", ".join(pairs[at : at + _PAIRS_PER_LINE]) for at in range(0, len(pairs), _PAIRS_PER_LINE)]
    return "\n".join([f"{target} = [", *(f"{' ' * _INDENT}{row}," for row in rows), f"]{_SKIP}"])


def flat(one: Expression) -> str:
    """Return an expression in one line."""
    return one if isinstance(one, str) else one.before + ", ".join(map(flat, one.items)) + one.after


def _lines(one: Expression, indent: int, tail: str, unsure: list[str]) -> list[str]:
    pad, inner = " " * indent, " " * (indent + _INDENT)
    whole = f"{pad}{flat(one)}{tail}"
    if isinstance(one, str) or not one.items or _fits(whole, unsure):
        return [whole]
    arguments = inner + ", ".join(map(flat, one.items))
    if one.is_call and _fits(arguments, unsure):
        return [pad + one.before, arguments, pad + one.after + tail]
    comma = "," if len(one.items) > 1 else ""
    each = [line for item in one.items for line in _lines(item, indent + _INDENT, comma, unsure)]
    return [pad + one.before, *each, pad + one.after + tail]


def _fits(line: str, unsure: list[str]) -> bool:
    """Return whether a text fits into a line; it is added to `unsure` if letters of no or double width decide that."""
    n_strange = sum(not one.isascii() for one in line)
    if len(line) - n_strange <= WIDTH < len(line) + n_strange:
        unsure.append(line)
    return len(line) <= WIDTH
