"""The query language: names, comparisons, and, or, not, in, arithmetic and a few methods. It cannot run code.

Python's `ast` parses the text, as in pandas, and everything else is refused: a filter may come from an untrusted
source, and pandas' queries can call methods.
"""
# Changes with cxg_widget/rules/methods.py: methods and signs of queries.

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cxg_widget.errors import SelectionError
from cxg_widget.rules.methods import METHODS, call_of, fault_of
from cxg_widget.text.names import shown

LONGEST = 10_000
"""Longest query, in characters."""
DEEPEST = 50
"""Greatest depth of brackets and operators."""
_TAKES = (
    "a query takes names (in `backticks` unless they are plain words), numbers, 'texts', comparisons, and, or, not, "
)
_TAKES += f"in [...], + - * / // %, and {', '.join(f'.{name}()' for name in METHODS if 'null' not in name)}"
_TOKEN = re.compile(
    r"""`(?P<quoted>[^`\n]+)` | '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*"
    | (?P<word>[^\W\d]\w*) | (?P<logic>&&?|\|\|?)""",
    re.VERBOSE,
)
_NODES = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Invert, ast.USub, ast.UAdd, ast.Compare, ast.Eq, ast.NotEq,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Mod, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call,
)  # fmt: skip


@dataclass(frozen=True)
class Query:
    """A parsed query.

    tree : contains only the nodes listed above
    names : of columns and genes, by their placeholders in the tree
    """

    text: str
    tree: ast.expr
    names: dict[str, str]


def parse(text: str) -> Query:
    """Parse a query; looks up no names."""
    if not isinstance(text, str) or not text.strip():
        raise SelectionError(f"a query must be a text such as \"size > 500 and kind == 'a'\"; found {shown(text)}")
    if len(text) > LONGEST:
        raise SelectionError(f"a query may have {LONGEST:,} characters; found {len(text):,}")
    plain, quoted = _plain(text)
    if _depth(plain) > DEEPEST:
        raise SelectionError(
            f"a query may have {DEEPEST} brackets and operators within each other; found more: {shown(text)}"
        )
    try:
        tree = ast.parse(re.sub(r"\s", " ", plain).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise SelectionError(f"query {shown(text)}: {reason}; {_TAKES}") from None
    found = sorted((one for one in _checked(tree, text) if isinstance(one, ast.Name)), key=_place)
    names = {node.id: quoted.get(node.id, node.id) for node in found}
    if not names:
        raise SelectionError(f"query {shown(text)} names no column; {_TAKES}")
    return Query(text, tree, names)


_SIGNS = re.compile(
    r"[=!<>]=|(?:^|\s)(?:[<>=&|]|not?|in|@\w+)(?=\s|$)|[\w`)'\"]\s*[<>]\s*[-\w.`(@'\"]|(?<!\w)@\w|\bin\s*[\[(]"
    rf"|\b(?:{'|'.join(re.escape(name) for name in METHODS)})\("
)


def is_like_a_query(text: str) -> bool:
    """Return whether a text looks like a query, possibly a wrong one, and not like a name or a label."""
    if _SIGNS.search(text):
        return True
    try:
        tree = parse(text).tree
    except SelectionError:
        return False
    return isinstance(tree, ast.BoolOp) or (isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not | ast.Invert))


def _plain(text: str) -> tuple[str, dict[str, str]]:
    """Replace backticked names by Python identifiers; return the query and the name of each identifier."""
    parts: list[str] = []
    quoted: dict[str, str] = {}
    end = 0
    for token in _TOKEN.finditer(text):
        parts.append(text[end : token.start()])
        end = token.end()
        if token["quoted"]:
            word = f"_quoted_{len(quoted)}_"
            quoted[word] = token["quoted"]
            parts.append(f" {word} ")
        elif token["logic"]:
            parts.append(" and " if token["logic"][0] == "&" else " or ")
        elif token["word"] and token["word"].startswith("_quoted_"):
            raise SelectionError(f"query {shown(text)}: write `{token['word']}` in backticks")
        else:
            parts.append(token[0])
    return "".join([*parts, text[end:]]), quoted


def _depth(text: str) -> int:
    """Return the approximate nesting depth of a text without parsing it: brackets, and operators before one value."""
    deepest = depth = before = 0
    for token in re.finditer(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|\bnot\b|[\w.]+|[()\[\]{}]|[-+~]", text):
        sign = token[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        before = before + 1 if sign in ("not", "-", "+", "~") else 0
        deepest = max(deepest, depth + before)
    return deepest


def _checked(tree: ast.expr, text: str) -> Iterator[ast.AST]:
    """Yield the nodes of a tree without names of methods; raises at the first that is not in the language."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        _check(node, depth, text)
        yield node
        within = _called(node) if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
        waiting += [(child, depth + 1) for child in within]


def _check(node: ast.AST, depth: int, text: str) -> None:
    if depth > 2 * DEEPEST:
        raise SelectionError(f"query {shown(text)} is nested too deeply")
    if not isinstance(node, _NODES):
        raise SelectionError(f"query {shown(text)}: {_spelt(node)} is not supported in a query; {_TAKES}")
    if isinstance(node, ast.Constant) and not isinstance(node.value, str | bool | int | float):
        raise SelectionError(f"query {shown(text)}: {shown(node.value)} is not a value; {_TAKES}")
    if isinstance(node, ast.List | ast.Tuple) and not all(map(_is_value, node.elts)):
        raise SelectionError(f"query {shown(text)}: a list may hold only numbers and 'texts'")
    if isinstance(node, ast.Call) and (fault := fault_of(node)) is not None:
        raise SelectionError(f"query {shown(text)}: {fault or f'{_spelt(node)} is not supported in a query; {_TAKES}'}")


def _called(node: ast.Call) -> list[ast.expr]:
    call = call_of(node)
    return [call.of, *call.args]


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_value(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant)


def _spelt(node: ast.AST) -> str:
    if isinstance(node, ast.operator | ast.unaryop | ast.cmpop):
        return f"the sign of {type(node).__name__.lower()}"
    try:
        return shown(ast.unparse(node))
    except (RecursionError, ValueError):
        return type(node).__name__.lower()
