"""Translates fsspec's `storage_options` into TileDB's configuration."""
# Changes with cxg_widget/datasets/storage/options.py: names of storage options.

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cxg_widget.datasets.storage.options import flat
from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import not_found

Config = dict[str, str]


def translate(storage_options: Mapping[str, Any], uri: str) -> Config:
    """Return TileDB's configuration for options of s3fs, gcsfs or adlfs, according to the scheme of `uri`.

    TileDB's own names, such as "vfs.s3.region", pass unchanged. Options with the value None are ignored.

    Raises
    ------
    InvalidOption
        If a name is unknown or a value has the wrong type. The message never repeats the value, which may be secret.

    Source: the documentation of s3fs, `S3FileSystem`; of gcsfs, `GCSFileSystem`; of adlfs, `AzureBlobFileSystem`.
    """
    if not isinstance(storage_options, Mapping):
        raise InvalidOption(f"storage_options is {type(storage_options).__name__}; it must be a dict.")
    scheme = uri.partition("://")[0].lower() if "://" in uri else "file"
    known = _KNOWN.get(scheme, {})
    found: Config = {}
    for name, value in flat(storage_options):
        if value is None:
            continue
        if name.startswith(("vfs.", "sm.")):
            found[name] = str(value)
        elif name in known:
            found.update(_translated(known[name], name, value))
        else:
            raise InvalidOption(not_found("storage option", name, known, f"TileDB's {scheme}:// storage"))
    return found


def _translated(translated: str | Callable[[Any], Config], name: str, value: Any) -> Config:
    if isinstance(translated, str):
        return {translated: as_text(value)}
    try:
        return translated(value)
    except (TypeError, ValueError, AttributeError):
        raise InvalidOption(
            f"storage option {name!r} is of type {type(value).__name__}; "
            "a timeout is a number of seconds, and endpoint_url a URL."
        ) from None


def as_text(value: Any) -> str:
    """Return a value as text for TileDB's configuration."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _endpoint(prefix: str) -> Callable[[Any], Config]:
    def translated(url: Any) -> Config:
        scheme, found, host = url.rpartition("://")
        config = {f"{prefix}.endpoint_override": host.rstrip("/")} | ({f"{prefix}.scheme": scheme} if found else {})
        # Bucket names in host names need a matching DNS, which only Amazon's endpoints are sure to have.
        virtual = host.split("/")[0].split(":")[0].endswith("amazonaws.com")
        return config | {f"{prefix}.use_virtual_addressing": as_text(virtual)}

    return translated


def _milliseconds(name: str) -> Callable[[Any], Config]:
    return lambda seconds: {name: str(round(float(seconds) * 1000))}


_S3: dict[str, str | Callable[[Any], Config]] = {
    "key": "vfs.s3.aws_access_key_id",
    "secret": "vfs.s3.aws_secret_access_key",
    "token": "vfs.s3.aws_session_token",
    "anon": lambda anon: {"vfs.s3.no_sign_request": as_text(bool(anon))},
    "endpoint_url": _endpoint("vfs.s3"),
    "region": "vfs.s3.region",
    "use_ssl": lambda ssl: {"vfs.s3.scheme": "https" if ssl else "http"},
    "verify": lambda verify: (
        {"vfs.s3.verify_ssl": as_text(verify)} if isinstance(verify, bool) else {"vfs.s3.ca_file": str(verify)}
    ),
    "requester_pays": lambda pays: {"vfs.s3.requester_pays": as_text(bool(pays))},
    "connect_timeout": _milliseconds("vfs.s3.connect_timeout_ms"),
    "read_timeout": _milliseconds("vfs.s3.request_timeout_ms"),
    "max_attempts": "vfs.s3.connect_max_tries",
    "max_pool_connections": "vfs.s3.max_parallel_ops",
    "addressing_style": lambda style: {"vfs.s3.use_virtual_addressing": as_text(style != "path")},
}
_S3 |= {
    "username": _S3["key"],
    "password": _S3["secret"],
    "aws_access_key_id": _S3["key"],
    "aws_secret_access_key": _S3["secret"],
    "aws_session_token": _S3["token"],
    "region_name": _S3["region"],
}
_GCS: dict[str, str | Callable[[Any], Config]] = {
    "project": "vfs.gcs.project_id",
    "endpoint_url": "vfs.gcs.endpoint",
    "token": "vfs.gcs.service_account_key",
}
_AZURE: dict[str, str | Callable[[Any], Config]] = {
    "account_name": "vfs.azure.storage_account_name",
    "account_key": "vfs.azure.storage_account_key",
    "sas_token": "vfs.azure.storage_account_sas_token",
}
_KNOWN = {"s3": _S3, "s3a": _S3, "gs": _GCS, "gcs": _GCS, "azure": _AZURE, "az": _AZURE}
