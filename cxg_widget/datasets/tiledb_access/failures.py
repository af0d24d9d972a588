"""Translates a failure of TileDB into an exception with one sentence for the user."""

from __future__ import annotations

import re

from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.storage.sentences import (
    answered,
    lost,
    no_bucket,
    slowed_down,
    too_late,
    too_slow,
    unreachable,
)
from cxg_widget.errors import Cancelled, CxgWidgetError, DamagedStore, OutOfMemory

__all__ = ["failure", "reason_of", "slowed_down", "too_late", "was_interrupted"]

_CURL_TIMEOUT = 28
_CURL_CUT = (18, 52, 55, 56, 92)
_CURL = {
    6: "its host name is unknown",
    7: "no server answers",
    35: "a secure connection failed",
    51: "its certificate is not trusted",
    60: "its certificate is not trusted",
}
_CANCELLED = "Query cancelled"
_NO_MEMORY = re.compile(r"bad_alloc|Cannot allocate memory|Error initializing thread pool")


def failure(error: Exception, uri: str, what: str) -> CxgWidgetError:
    """Return the exception to raise for a failure of TileDB while `what` of the store at `uri` was read.

    Source: libcurl's manual, "libcurl error codes"; Amazon S3 API Reference, "Error Responses".
    """
    text, found = str(error), None
    if is_remote(uri):
        curl, status = _number(r"curlCode: (\d+)", text), _number(r"HTTP Response Code: (\d+)", text)
        found = _of_connection(curl, uri, what, text) if curl else _of_answer(status, uri, what, text)
    reason = reason_of(error)
    if _NO_MEMORY.search(text):
        # TileDB also allocates the size that a damaged file declares, and then reports the same error.
        found = OutOfMemory(
            f"{uri}: reading {what} ran out of memory ({reason}), or its file is damaged and declares too large a size."
        )
    if was_interrupted(error):
        found = Cancelled(f"{uri}: reading {what} was interrupted; the data are unchanged, so ask again.")
    found = found or DamagedStore(f"{uri}: cannot read {what}: data files are missing or damaged ({reason}).")
    found.quoted = reason if f"({reason[:20]}" in str(found) else ""
    return found


def was_interrupted(error: Exception) -> bool:
    """Return whether TileDB cancelled a query because the process received an interrupt.

    TileDB cancels the queries of all threads then, not only those of the thread that Python interrupts.
    """
    return _CANCELLED in str(error)


def _of_connection(curl: int, uri: str, what: str, text: str) -> CxgWidgetError:
    if curl == _CURL_TIMEOUT:
        return too_slow(uri, what, _details(text))
    if curl in _CURL_CUT:
        return lost(uri, what)
    return unreachable(uri, _CURL.get(curl, _details(text)), _details(text))


def _of_answer(status: int, uri: str, what: str, text: str) -> CxgWidgetError | None:
    code = _match(r"\[Exception: ([^\]]+)\]", text)
    return no_bucket(uri) if code == "NoSuchBucket" else answered(uri, what, status, code)


def reason_of(error: Exception) -> str:
    """Return TileDB's message on one line; for a failed request, only the details that help a user."""
    text = _details(str(error))
    return text if len(text) <= 300 else f"{text[:297]}..."


def _details(text: str) -> str:
    return " ".join(text.split()).rpartition("; Details: ")[-1].rstrip(".")


def _number(pattern: str, text: str) -> int:
    return int(_match(pattern, text) or 0)


def _match(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found.group(1) if found else None
