"""Lines for a terminal: aligned, with control characters escaped."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def show(lines: Iterable[str]) -> None:
    """Print lines; names from untrusted files cannot steer the terminal."""
    for line in lines:
        print(printable(line))


def show_json(value: Any) -> None:
    """Print one JSON document."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=True)
    print()


def printable(line: str) -> str:
    """Escape control characters and characters that a terminal cannot show."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)


def section(title: str, rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Yield a title and aligned rows below it; nothing if there are no rows."""
    if not rows:
        return
    yield f"  {title}"
    widths = [max(len(row[number]) for row in rows) for number in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, [*widths, 0], strict=True)]
        yield f"    {'  '.join(cells)}".rstrip()


def bytes_text(size: int) -> str:
    """Format a number of bytes, such as "1.4 MiB"."""
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"
