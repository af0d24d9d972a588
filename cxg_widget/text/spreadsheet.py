"""Makes text in CSV files harmless for spreadsheets: a formula gets an apostrophe before it."""

from __future__ import annotations

import re
from typing import Any

# Spreadsheets ignore blanks and marks before a sign, and accept full-width signs.
_FORMULA = re.compile("'*(?:[\\s\x00-\x1f\ufeff\u200b]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")


def harmless(value: Any) -> Any:
    """Return a value that no spreadsheet takes for a formula; numbers and single characters are unchanged."""
    if not isinstance(value, str) or not _FORMULA.match(value) or len(value) == 1 or _is_number(value):
        return value
    return f"'{value}"


def restored(value: Any) -> Any:
    """Undo `harmless`."""
    is_changed = isinstance(value, str) and value.startswith("'") and harmless(value[1:]) == value
    return value[1:] if is_changed else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text[0] not in "\t\r\n"
