"""Rooms whose code holds traps say why it is as it is: at least one comment line to 40 lines of code."""

import ast
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PYTHON = {
    "compute": "threads, locks, a child process",
    "spatial": "rounding that must not decide",
    "wire": "what both languages read",
    "counts": "compiled loops",
    "compare": "compiled loops, digits that are lost",
    "draw": "compiled loops, pixels",
    "cells": "locks, workers that may be lost",
    "files": "half-written files",
    "datasets/base": "reads in several threads, damaged files",
    "datasets/tiledb_access": "a C interface, storage far away",
}
"""Rooms of the package with compiled loops, threads, locks, wire or drawing, and what is to be said there."""
JAVASCRIPT = {"draw": "drawing on two kinds of hardware", "wire": "messages"}
LINES_PER_COMMENT = 40
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_MARK = re.compile(r"#\s*(noqa|type:|fmt:|ruff:|pragma)")
"""What tools read is no comment."""
_SPACING = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}


def python_lines(path):
    """Return how many lines of a file hold comments, and how many hold code; docstrings are neither."""
    comments, code = set(), set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                comments |= set() if _MARK.match(token.string) else {token.start[0]}
            elif token.type not in _SPACING:
                code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            code.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(comments), len(code)


def javascript_lines(path):
    """Return how many lines of a file hold `//` or `/* */`, and how many hold code; JSDoc is neither."""
    comments = code = 0
    block = None
    for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
        if block is None and line.startswith("/*"):
            block = "doc" if line.startswith("/**") else "comment"
        if block is not None:
            comments += block == "comment"
            block = None if "*/" in line else block
        elif line.startswith("//"):
            comments += 1
        elif line:
            code += 1
            comments += " // " in line
    return comments, code


def lines_of(folder, suffix, count):
    counted = [count(path) for path in sorted(folder.rglob(f"*{suffix}"))]
    assert counted, folder
    return tuple(map(sum, zip(*counted, strict=True)))


@pytest.mark.parametrize("room", PYTHON)
def test_a_room_with_traps_has_a_comment_line_to_40_lines_of_code(room):
    comments, code = lines_of(ROOT / "cxg_widget" / room, ".py", python_lines)
    assert comments * LINES_PER_COMMENT >= code, f"{room}: {comments} comment lines to {code} lines of code"


@pytest.mark.parametrize("room", JAVASCRIPT)
def test_a_room_of_the_page_with_traps_has_a_comment_line_to_40_lines_of_code(room):
    comments, code = lines_of(ROOT / "js" / "src" / room, ".js", javascript_lines)
    assert comments * LINES_PER_COMMENT >= code, f"{room}: {comments} comment lines to {code} lines of code"


def test_docstrings_marks_of_tools_and_jsdoc_are_no_comments(tmp_path):
    python, javascript = tmp_path / "a.py", tmp_path / "a.js"
    python.write_text(
        '"""Said.\n\nMore."""\n\n# Why.\nx = 1  # noqa: E501\ny = "# no"  # why\n\n\ndef f():\n    """Do."""\n'
    )
    javascript.write_text("/** Said.\n * More. */\n// Why.\nconst x = 1; // why\n/* Why,\nand why. */\nconst y = 2;\n")
    assert python_lines(python) == (2, 3)
    assert javascript_lines(javascript) == (4, 2)
