"""Lone surrogates, which JSON and file names can contain but UTF-8 cannot: read as U+FFFD."""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")
# Escaped backslashes and whole pairs come first, so that neither is split.
_ESCAPES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def repaired(text: str) -> str:
    """Return a text with lone surrogates replaced by U+FFFD."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def load_json(text: str) -> tuple[Any, bool]:
    """Return the value of a JSON text, and whether lone surrogates were replaced; raises as `json.loads`."""
    whole = _ESCAPES.sub(lambda one: "\\ufffd" if one[1] else one[0], text) if "\\u" in text else text
    return json.loads(whole), whole != text


def note_of(what: str) -> str:
    """Return the note on replaced surrogates."""
    return f"{what} holds half characters, which are read as \ufffd."


def xml_text(text: str) -> str:
    """Return a text that XML can contain: without control characters, surrogates, U+FFFE and U+FFFF."""
    return _NO_XML.sub("\ufffd", text)
