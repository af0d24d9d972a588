"""Translates a failure of TileDB into an exception with one sentence for a person."""

from __future__ import annotations

import re

from cxg_widget.datasets.base.location import is_remote
from cxg_widget.errors import (
    CxgWidgetError,
    DamagedStore,
    DatasetNotFound,
    OutOfMemory,
    StorageDenied,
    StorageTimeout,
    StorageUnavailable,
)

_CURL_TIMEOUT = 28
_CURL_CUT = (18, 52, 55, 56, 92)
_CURL = {
    6: "its host name is unknown",
    7: "no server answers",
    35: "a secure connection failed",
    51: "its certificate is not trusted",
    60: "its certificate is not trusted",
}
_NO_MEMORY = re.compile(r"bad_alloc|Cannot allocate memory|Error initializing thread pool")
_OPTIONS = "key, secret, token, region and endpoint_url in storage_options="


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
        # TileDB allocates what a damaged file declares, too, and says the same of it.
        found = OutOfMemory(
            f"{uri}: reading {what} ran out of memory ({reason}), or its file is damaged and declares too large a size."
        )
    found = found or DamagedStore(f"{uri}: cannot read {what}: data files are missing or damaged ({reason}).")
    found.quoted = reason if f"({reason[:20]}" in str(found) else ""
    return found


def too_late(uri: str, what: str, seconds: float) -> StorageTimeout:
    """Return the exception for storage that had no answer in time: TileDB itself would ask for minutes."""
    return StorageTimeout(
        f"{uri}: no answer to opening {what} within {seconds:.0f} s; the storage is slow, overloaded or silent. "
        "Try again later, or give more time with connect_timeout and read_timeout in storage_options=."
    )


def slowed_down(uri: str, what: str, seconds: float) -> StorageTimeout:
    """Return the exception for storage that asks to slow down again and again: TileDB would go on for 150 s."""
    return StorageTimeout(
        f"{uri}: reading {what} stopped: the storage is overloaded and answered 'slow down' for {seconds:.0f} s. "
        "Try again later, or give more time with connect_timeout and read_timeout in storage_options=."
    )


def _of_connection(curl: int, uri: str, what: str, text: str) -> CxgWidgetError:
    if curl == _CURL_TIMEOUT:
        return StorageTimeout(
            f"{uri}: reading {what} took too long ({_details(text)}); try again, "
            "or allow more time with read_timeout in storage_options=."
        )
    if curl in _CURL_CUT:
        return StorageUnavailable(f"{uri}: the connection was lost while reading {what}; try again.")
    why = _CURL.get(curl, _details(text))
    return StorageUnavailable(f"{uri}: the storage cannot be reached: {why} ({_details(text)}).")


def _of_answer(status: int, uri: str, what: str, text: str) -> CxgWidgetError | None:
    code = _match(r"\[Exception: ([^\]]+)\]", text)
    if code == "NoSuchBucket":
        return DatasetNotFound(f"'{uri}': no bucket {_bucket(uri)!r}; check the name and the endpoint.")
    if status in (301, 307, 400):
        return StorageDenied(f"{uri}: the storage refused the request ({code or status}); check {_OPTIONS}.")
    if status in (401, 403):
        return StorageDenied(f"{uri}: access was denied ({code or status}); check {_OPTIONS}, or pass anon=True.")
    if status == 429 or status >= 500:
        return StorageUnavailable(
            f"{uri}: the storage returned an error ({status} {code or 'no reason'}), {what} cannot be read; "
            "try again later."
        )
    return None


def reason_of(error: Exception) -> str:
    """Return TileDB's message on one line; of a failed request, only the details that a person can use."""
    text = _details(str(error))
    return text if len(text) <= 300 else f"{text[:297]}..."


def _details(text: str) -> str:
    return " ".join(text.split()).rpartition("; Details: ")[-1].rstrip(".")


def _bucket(uri: str) -> str:
    return uri.partition("://")[2].partition("/")[0]


def _number(pattern: str, text: str) -> int:
    return int(_match(pattern, text) or 0)


def _match(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found.group(1) if found else None
