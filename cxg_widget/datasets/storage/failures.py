"""Translates a failure of obstore into an exception with one sentence for a person."""

from __future__ import annotations

import re

from cxg_widget.datasets.storage.sentences import answered, lost, no_bucket, too_slow, unreachable
from cxg_widget.errors import CxgWidgetError, DamagedStore, StorageDenied

_SLOW_DOWN = (429, 503)
_KEYS_OF_A_MACHINE = ("169.254.169.254", "metadata.google.internal", "169.254.170.2")
_CONNECTION = (
    ("dns error", "its host name is unknown"),
    ("Connection refused", "no server answers"),
    ("UnknownIssuer", "its certificate is not trusted"),
    ("invalid peer certificate", "its certificate is not trusted"),
    ("certificate", "its certificate is not trusted"),
    ("InvalidContentType", "a secure connection failed"),
    ("corrupt message", "a secure connection failed"),
)


def status_of(error: Exception) -> int:
    """Return the status of HTTP that a server answered with, 0 where it did not."""
    found = re.search(r"status code: (\d+)", str(error))
    return int(found.group(1)) if found else 0


def is_slow_down(error: Exception) -> bool:
    """Say whether a server asked to send fewer requests."""
    return status_of(error) in _SLOW_DOWN


def is_no_bucket(error: Exception) -> bool:
    """Say whether what is missing is the bucket."""
    return "NoSuchBucket" in str(error)


def failure(error: Exception, uri: str, what: str) -> CxgWidgetError:
    """Return the exception to raise for a failure of obstore while `what` of the store at `uri` was read."""
    text, status = str(error), status_of(error)
    if any(host in text for host in _KEYS_OF_A_MACHINE):
        return StorageDenied(
            f"{uri}: no credentials were found; pass key and secret in storage_options=, "
            "or anon=True where everybody may read it."
        )
    if "redirect without LOCATION" in text:
        return StorageDenied(
            f"{uri}: the storage refused the request: the bucket is in another region; pass region in storage_options=."
        )
    if is_no_bucket(error):
        return no_bucket(uri)
    found = answered(uri, what, status, _code(text)) or _of_connection(uri, what, text)
    return found or DamagedStore(f"{uri}: cannot read {what}: data are missing or damaged ({_first_line(text)}).")


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


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 300 else f"{line[:297]}..."
