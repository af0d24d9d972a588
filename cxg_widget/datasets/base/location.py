"""Tells whether a store is on this machine, whether it exists, and what it is called."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from cxg_widget.errors import DatasetNotFound, InvalidOption

_WITH_BUCKETS = ("s3", "s3a", "gs", "gcs")
_SIGNS = re.compile(
    r"(x-(amz|goog|oss)-[\w-]*|sig|signature|token|access_token|expires|policy|key-pair-id|\w*accesskeyid|googleaccessid"
    r"|s[eiprtv]|spr|sk[a-z]+)=",
    re.IGNORECASE,
)
"""Parts of a query by which S3, Google, CloudFront and Azure sign an address."""


def is_remote(uri: str) -> bool:
    """Say whether a URI leads out of this machine."""
    return "://" in uri and not uri.startswith(("file://", "mem://"))


def check_bucket(uri: str) -> None:
    """Raise an error for an address in S3 or Google's storage without a bucket, or with a secret before it."""
    scheme, mark, rest = uri.partition("://")
    if not mark or scheme.lower() not in _WITH_BUCKETS:
        return
    bucket = rest.partition("/")[0]
    if not bucket:
        raise DatasetNotFound(f"'{uri}' names no bucket; write {scheme}://bucket/name.h5ad.")
    if "@" in bucket:
        raise InvalidOption(f"'{uri}' has a key before its bucket; pass key and secret in storage_options= instead.")


def local_uri(uri: str) -> str:
    """Return a file:// address as a path after "file://": a path as it is, or as `Path.as_uri` quotes it.

    >>> local_uri("file://localhost/nowhere/a%20b.h5ad")
    'file:///nowhere/a b.h5ad'
    """
    path = uri.removeprefix("file://").removeprefix("localhost/")
    path = path if path.startswith("/") or not uri.startswith("file://localhost/") else f"/{path}"
    return uri if exists(uri.removeprefix("file://")) else f"file://{unquote(path)}"


def without_query(uri: str) -> str:
    """Return an address without what may be secret in it: a query, or a fragment of a page."""
    return uri.partition("?")[0]


def without_user(uri: str) -> str:
    """Return an address without the name and the password before its host."""
    scheme, mark, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def without_signature(uri: str) -> str:
    """Return an address without user and signature, which change while what is there stays the same.

    >>> without_signature("https://me:pass@host/a.h5ad?X-Amz-Signature=1")
    'https://host/a.h5ad?'
    """
    pairs = [one for one in uri.partition("?")[2].split("&") if one and not _SIGNS.match(one)]
    digest = sha256("&".join(pairs).encode()).hexdigest()[:16] if pairs else ""
    return f"{without_user(without_query(uri))}{'?' if '?' in uri else ''}{digest}"


def name_of(uri: str) -> str:
    """Return the last part of a path or an address, as a person would write it."""
    return unquote(without_query(uri).rstrip("/").rpartition("/")[2]) if is_remote(uri) else Path(uri).name


def exists(path: str) -> bool:
    """Say whether there is something at a local path.

    Raises
    ------
    DatasetNotFound
        If nothing can be at such a path, or the system cannot look there.
    """
    try:
        return Path(path).exists()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DatasetNotFound(f"'{path[:200]}': cannot open it: {why}.") from error
