"""Write js/src/wire/protocol.js and docs/protocol.md from cxg_widget/wire/protocol.py.

Usage: python tools/protocol_js.py [--check]
"""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cxg_widget.wire import protocol  # noqa: E402
from tools.generated import write  # noqa: E402

JS, DOCS = ROOT / "js" / "src" / "wire" / "protocol.js", ROOT / "docs" / "protocol.md"
SCALARS = {int: "number", float: "number", str: "string", bool: "boolean", Any: "any"}
TYPED_ARRAYS = {"uint8": "Uint8Array", "uint16": "Uint16Array", "uint32": "Uint32Array", "float32": "Float32Array"}
Kind = type[protocol.Message]


def js_type(hint: Any) -> str:
    """Return the JSDoc type of a field."""
    if get_origin(hint) is Literal:
        return " | ".join(json.dumps(one) for one in get_args(hint))
    if get_origin(hint) is list:
        return f"{js_type(get_args(hint)[0])}[]"
    if get_origin(hint) is dict:
        key, value = get_args(hint)
        return f"Record<{js_type(key)}, {js_type(value)}>"
    return SCALARS[hint]


def sentences(kind: Kind) -> list[str]:
    """Return the lines of a message's documentation."""
    return inspect.getdoc(kind).splitlines()  # type: ignore[union-attr]


def shape(array: protocol.Array) -> str:
    """Return a shape as text: (n, 2)."""
    return f"({', '.join(str(one) for one in array.shape)}{',' if len(array.shape) == 1 else ''})"


def typedef(kind: Kind) -> str:
    """Return the JSDoc type of one message."""
    lines = [*sentences(kind), f"@typedef {{object}} {kind.__name__}", f"@property {{{json.dumps(kind.kind)}}} kind"]
    hints = get_type_hints(kind)
    lines += [f"@property {{{js_type(hints[one.name])}}} {one.name}" for one in fields(kind)]
    if kind.arrays:
        inner = ", ".join(
            f"{name}{'?' * array.is_optional}: {' | '.join(TYPED_ARRAYS[one] for one in array.dtypes)}"
            for name, array in kind.arrays.items()
        )
        lines.append(f"@property {{{{{inner}}}}} arrays")
    return "/**\n" + "\n".join(f" * {line}".rstrip() for line in lines) + "\n */"


def array_table(kinds: tuple[Kind, ...]) -> str:
    """Return the arrays of each message as a JS object."""
    rows = []
    for kind in kinds:
        inner = {name: [array.dtypes, array.shape, *[True] * array.is_optional] for name, array in kind.arrays.items()}
        rows.append(f"  {kind.kind}: {json.dumps(inner)},")
    return "{\n" + "\n".join(rows) + "\n}"


def js() -> str:
    """Return the text of protocol.js."""
    both = protocol.REQUESTS + protocol.REPLIES
    unions = "\n".join(
        f"/** @typedef {{{' | '.join(kind.__name__ for kind in kinds)}}} {name} */"
        for name, kinds in (("Request", protocol.REQUESTS), ("Reply", protocol.REPLIES))
    )
    return f"""/** All messages of front-end and kernel. Written by tools/protocol_js.py from protocol.py. */

export const VERSION = {protocol.VERSION};
/** Missing number or category of 16 bits (of 8 bits: 255), coordinate that is not drawn. */
export const MISSING = {protocol.MISSING_U16};
/** Label of a missing category. */
export const MISSING_LABEL = {json.dumps(protocol.MISSING_LABEL)};
/** Labels of a missing category if sets color the cells: all sets, or one. */
export const [IN_NO_SET_LABEL, NOT_IN_SET_LABEL] = {json.dumps([protocol.IN_NO_SET_LABEL, protocol.NOT_IN_SET_LABEL])};
/** Label of filtered-out cells that are drawn. */
export const LEFT_OUT_LABEL = {json.dumps(protocol.LEFT_OUT_LABEL)};
/** Opacity, of 255, of pixels of an image of numbers that have only filtered-out cells. */
export const LEFT_OUT_ALPHA = {protocol.LEFT_OUT_ALPHA};
/** Sizes of cells are multiples of this fraction of the width of a spot. */
export const SPOT_PARTS = {protocol.SPOT_PARTS};
/** Number of points in a container of a sparse gene. */
export const CONTAINER = {protocol.CONTAINER};

/** @typedef {{{" | ".join(json.dumps(one) for one in get_args(protocol.Mode))}}} Mode */

{chr(10).join(typedef(kind) for kind in both)}

{unions}

/** @typedef {{[dtypes: string[], shape: (string | number)[], isOptional?: true]}} ArraySpec a shape names its sizes */

/** @type {{Record<string, Record<string, ArraySpec>>}} */
export const REPLY_ARRAYS = {array_table(protocol.REPLIES)};
"""


def section(kind: Kind) -> str:
    """Return the chapter of one message in Markdown."""
    first, *more = sentences(kind)
    lines = [f"### {kind.kind}", "", first, ""]
    if any(more):
        lines += ["```text", *[line for line in more if line.strip()], "```", ""]
    hints = get_type_hints(kind)
    rows = [f"| `{one.name}` | {js_type(hints[one.name]).replace('|', 'or')} |" for one in fields(kind)]
    if rows:
        lines += ["| field | type |", "| --- | --- |", *rows, ""]
    specs = kind.arrays.items()
    arrays = [
        f"| `{name}` | {' or '.join(one.dtypes)} {shape(one)}{', or absent' * one.is_optional} | {one.doc} |"
        for name, one in specs
    ]
    if arrays:
        lines += ["| buffer | dtype and shape | holds |", "| --- | --- | --- |", *arrays, ""]
    return "\n".join(lines)


def docs() -> str:
    """Return the text of protocol.md."""
    head = inspect.getdoc(protocol).split("\n`tools/", 1)[0].replace("``", "`")  # type: ignore[union-attr]
    parts = [f"# Messages, version {protocol.VERSION}", "", head, ""]
    parts += ["This page is written by `tools/protocol_js.py` from `cxg_widget/wire/protocol.py`.", ""]
    for title, kinds in (("Requests of the front-end", protocol.REQUESTS), ("Replies of the kernel", protocol.REPLIES)):
        parts += [f"## {title}", "", *(section(kind) for kind in kinds)]
    return "\n".join(parts).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Write both files, or with --check report which of them are stale."""
    return write({JS: js(), DOCS: docs()}, arguments, "make protocol")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
