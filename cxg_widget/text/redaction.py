"""Removes secrets from addresses in sentences: users and keys before a host, and queries."""

from __future__ import annotations

import re

_SCHEME = r"\b[a-zA-Z][a-zA-Z0-9+.-]*://"
_USER = re.compile(rf"({_SCHEME})[^/\s@'\"]+@")
_QUERY = re.compile(rf"({_SCHEME}[^\s?'\"]*\?)[^\s'\")]+")
_VALUE = re.compile(r"([?&](?:sig|signature|token|key|secret|password|x-amz-[\w-]+|awsaccesskeyid)=)[^&\s'\")]+", re.I)


def redacted(text: str) -> str:
    """Return a text without the secrets of its addresses.

    >>> redacted("s3://key:secret@host/a.cxg and https://host/a.zarr?sig=1")
    's3://***@host/a.cxg and https://host/a.zarr?***'
    """
    if "://" not in text and "=" not in text:
        return text
    return _VALUE.sub(r"\1***", _QUERY.sub(r"\1***", _USER.sub(r"\1***@", text)))
