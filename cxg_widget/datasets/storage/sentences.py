"""The exceptions of remote storage, one sentence each, for all libraries."""

from __future__ import annotations

from cxg_widget.errors import DatasetNotFound, StorageDenied, StorageTimeout, StorageUnavailable

_OF_BUCKET = "key, secret, token, region and endpoint_url in storage_options="
_MORE_TIME = "give more time with connect_timeout and read_timeout in storage_options="


def too_late(uri: str, what: str, seconds: float) -> StorageTimeout:
    """Return the exception for storage that did not answer in time."""
    return StorageTimeout(
        f"{uri}: no answer to opening {what} within {seconds:.0f} s; the storage is slow, overloaded or silent. "
        f"Try again later, or {_MORE_TIME}."
    )


def slowed_down(uri: str, what: str, seconds: float) -> StorageTimeout:
    """Return the exception for storage that keeps asking to slow down."""
    return StorageTimeout(
        f"{uri}: reading {what} stopped: the storage is overloaded and answered 'slow down' for {seconds:.0f} s. "
        f"Try again later, or {_MORE_TIME}."
    )


def too_slow(uri: str, what: str, details: str) -> StorageTimeout:
    """Return the exception for a request whose response took too long."""
    return StorageTimeout(
        f"{uri}: reading {what} took too long ({details}); try again, "
        "or allow more time with read_timeout in storage_options=."
    )


def lost(uri: str, what: str) -> StorageUnavailable:
    """Return the exception for a connection that broke off."""
    return StorageUnavailable(f"{uri}: the connection was lost while reading {what}; try again.")


def unreachable(uri: str, why: str, details: str) -> StorageUnavailable:
    """Return the exception for storage that cannot be reached."""
    return StorageUnavailable(f"{uri}: the storage cannot be reached: {why} ({details}).")


def no_bucket(uri: str) -> DatasetNotFound:
    """Return the exception for a bucket that does not exist."""
    bucket = uri.partition("://")[2].partition("/")[0]
    return DatasetNotFound(f"'{uri}': no bucket {bucket!r}; check the name and the endpoint.")


def answered(uri: str, what: str, status: int, code: str | None) -> StorageDenied | StorageUnavailable | None:
    """Return the exception for an HTTP status; None if the status is neither a denial nor an error of the server.

    code : the server's reason, None if it names none

    Source: Amazon S3 API Reference, "Error Responses".
    """
    is_plain = uri.startswith(("http://", "https://"))
    options = "headers in storage_options=" if is_plain else _OF_BUCKET
    if 300 <= status < 500 and status not in (401, 403, 404, 416, 429):
        return StorageDenied(f"{uri}: the storage refused the request ({code or status}); check {options}.")
    if status in (401, 403):
        more = "" if is_plain else ", or pass anon=True"
        return StorageDenied(f"{uri}: access was denied ({code or status}); check {options}{more}.")
    if status == 429 or status >= 500:
        return StorageUnavailable(
            f"{uri}: the storage returned an error ({status} {code or 'no reason'}), {what} cannot be read; "
            "try again later."
        )
    return None
