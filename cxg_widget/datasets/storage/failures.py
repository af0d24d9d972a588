"""Translates a failure of obstore into an exception with one sentence for the user."""

from __future__ import annotations

import re

from cxg_widget.datasets.storage.sentences import answered, lost, no_bucket, too_slow, unreachable
from cxg_widget.errors import CxgWidgetError, DamagedStore, StorageDenied, StorageUnavailable, UnknownFormat
from cxg_widget.text.redaction import redacted

_SLOW_DOWN = (429, 503)
_NOT_SO_LONG = 416
_KEYS_OF_A_MACHINE = ("169.254.169.254", "metadata.google.internal", "169.254.170.2")
_LENGTH = ("Content-Length Header missing", "value for CONTENT_RANGE", "Content-Range header not present")
"""Parts of obstore's messages about servers that do not report the size of a file."""
_CONNECTION = (
    ("dns error", "its host name is unknown"),
    ("Connection refused", "no server answers"),
    ("NotValidForName", "its certificate is for another name"),
    ("Expired", "its certificate has expired"),
    ("InvalidCertificate", "its certificate is not trusted"),
    ("InvalidContentType", "a secure connection failed"),
    ("corrupt message", "a secure connection failed"),
)


def status_of(error: Exception) -> int:
    """Return the HTTP status of a server's response, 0 if there was no response."""
    found = re.search(r"status code: (\d+)", str(error))
    return int(found.group(1)) if found else 0


def is_slow_down(error: Exception) -> bool:
    """Return whether a server asked for fewer requests."""
    return status_of(error) in _SLOW_DOWN


def is_no_bucket(error: Exception) -> bool:
    """Return whether the bucket is missing."""
    return "NoSuchBucket" in str(error)


def without_secrets(error: Exception) -> OSError:
    """Return the cause of an exception with redacted text, since a traceback would show the address in it."""
    return OSError(redacted(_without_page(str(error))))


def failure(error: Exception, uri: str, what: str) -> CxgWidgetError:
    """Return the exception to raise for a failure of obstore while `what` of the store at `uri` was read."""
    text, status = str(error), status_of(error)
    if any(host in text for host in _KEYS_OF_A_MACHINE):
        keys = "token (a file of credentials)" if uri.lower().startswith("g") else "key and secret"
        return StorageDenied(
            f"{uri}: no credentials were found; pass {keys} in storage_options=, or anon=True if it is public."
        )
    if "redirect without LOCATION" in text:
        return StorageDenied(
            f"{uri}: the storage refused the request: the bucket is in another region; pass region in storage_options=."
        )
    if is_no_bucket(error):
        return no_bucket(uri)
    found = _of_server(uri, what, text, status) or answered(uri, what, status, _code(text))
    found = found or _of_connection(uri, what, text)
    return found or DamagedStore(f"{uri}: cannot read {what}: data are missing or damaged ({_first_line(text)}).")


def _of_server(uri: str, what: str, text: str, status: int) -> CxgWidgetError | None:
    if any(sign in text for sign in _LENGTH):
        return UnknownFormat(
            f"{uri}: the server does not report the size of its files, which reading parts of them needs; download it, "
            "and open the copy."
        )
    if "kind: Redirect" in text:
        return StorageUnavailable(
            f"{uri}: the address redirects in a loop, or from https:// to http://; open the final address."
        )
    if status == _NOT_SO_LONG:
        return DamagedStore(
            f"{uri}: cannot read {what}: a file is empty, or shorter than when it was opened; open it again."
        )
    return None


def _of_connection(uri: str, what: str, text: str) -> CxgWidgetError | None:
    if "kind: Timeout" in text:
        return too_slow(uri, what, _duration(text))
    if "kind: Connect" in text:
        why = next((sentence for sign, sentence in _CONNECTION if sign in text), "the connection failed")
        return unreachable(uri, why, _duration(text))
    if "kind: Interrupted" in text or "IncompleteBody" in text or "error sending request" in text:
        return lost(uri, what)
    return None


def _duration(text: str) -> str:
    found = re.search(r" in ([\d.]+)(\w+)(?:, after (\d+) retries)?", text)
    if found is None:
        return "no answer"
    tries = int(found.group(3) or 0) + 1
    return f"{float(found.group(1)):.1f} {found.group(2)}, {tries} {'try' if tries == 1 else 'tries'}"


def _code(text: str) -> str | None:
    found = re.search(r"<Code>([^<]{1,60})</Code>", text)
    return found.group(1) if found else None


def _without_page(text: str) -> str:
    """Return obstore's message without the page that the server sent in its response."""
    return re.sub(r"(Server returned non-2xx status code: \d+).*", r"\1", text, flags=re.DOTALL)


def _first_line(text: str) -> str:
    line = _without_page(text).strip().partition("\n")[0]
    return line if len(line) <= 300 else f"{line[:297]}..."
