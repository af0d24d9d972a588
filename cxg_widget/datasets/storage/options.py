"""Translates fsspec's `storage_options` to those of obstore."""
# Changes with cxg_widget/datasets/tiledb_access/storage_options.py: names of storage options.

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser, Error
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import not_found

# As for TileDB (decision 12), except for bodies: a body has no time limit while bytes keep arriving.
_CONNECT_S, _READ_S, _TRIES, _AT_ONCE = 5.0, 10.0, 3, 32
_SLACK_S = 5.0
_AWS_FILES = (("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), ("AWS_CONFIG_FILE", "~/.aws/config"))


@dataclass
class Access:
    """Connection settings of a remote store.

    Attributes
    ----------
    config : settings of obstore's store, such as access_key_id
    client : settings of its client, such as headers
    connect_s, read_s : time limits in seconds for a connection, and for the next bytes of a response
    tries : maximum number of attempts per request
    at_once : maximum number of parallel requests
    """

    config: dict[str, Any] = field(default_factory=dict)
    client: dict[str, Any] = field(default_factory=dict)
    connect_s: float = _CONNECT_S
    read_s: float = _READ_S
    tries: int = _TRIES
    at_once: int = _AT_ONCE

    @property
    def patience_s(self) -> float:
        """Time limit for storage that asks to slow down or does not answer; as for TileDB."""
        return max(1, self.tries) * (self.connect_s + self.read_s) + _SLACK_S

    def arguments(self) -> dict[str, Any]:
        """Return the keywords of obstore's `from_url`."""
        client = {
            "connect_timeout": timedelta(seconds=self.connect_s),
            "read_timeout": timedelta(seconds=self.read_s),
            "timeout": timedelta(days=1),
        }
        pauses = {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2}
        retries = {
            "max_retries": max(1, self.tries) - 1,
            "retry_timeout": timedelta(seconds=self.patience_s),
            "backoff": pauses,
        }
        return {**self.config, "client_options": {**client, **self.client}, "retry_config": retries}


def translate(storage_options: Mapping[str, Any] | None, uri: str) -> Access:
    """Return the connection settings for `uri` from options of s3fs, gcsfs or fsspec's http, according to its scheme.

    Options with the value None are ignored. Keys for S3 that are not given come from the environment or ~/.aws.

    Raises
    ------
    InvalidOption
        If a name is unknown or a value has the wrong type. The message never repeats the value, which may be secret.

    Source: the documentation of s3fs, `S3FileSystem`; of gcsfs, `GCSFileSystem`; of fsspec, `HTTPFileSystem`.
    """
    if not isinstance(storage_options, Mapping | None):
        raise InvalidOption(f"storage_options is {type(storage_options).__name__}; it must be a dict.")
    scheme = uri.partition("://")[0].lower()
    known = _KNOWN[scheme]
    access = Access()
    if scheme == "http":
        access.client["allow_http"] = True
    for name, value in flat(storage_options or {}):
        if value is None:
            continue
        if name not in known:
            raise InvalidOption(not_found("storage option", name, known, f"{scheme}:// storage"))
        try:
            known[name](access, value)
        except InvalidOption:
            raise
        except (TypeError, ValueError, AttributeError, OSError):
            raise InvalidOption(
                f"storage option {name!r} is of type {type(value).__name__}; "
                "a timeout is a number of seconds, endpoint_url a URL, and headers a dict."
            ) from None
    if scheme in ("s3", "s3a"):
        _complete(access)
        _place_bucket(access.config, uri)
    elif scheme in ("gs", "gcs"):
        _take_emulator(access)
    else:
        _take_user(access.client, uri)
    return access


def flat(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values, including those in the dicts that s3fs passes to botocore."""
    for name, value in options.items():
        if name in ("client_kwargs", "config_kwargs", "s3", "retries") and isinstance(value, Mapping):
            yield from flat(value)
        else:
            yield str(name), value


def _complete(access: Access) -> None:
    """Fill in missing keys, region and endpoint from AWS's files; obstore itself reads the environment."""
    config = access.config
    profile = os.environ.get("AWS_PROFILE", "default")
    found: dict[str, str] = {}
    for variable, usual in _AWS_FILES:
        parser = ConfigParser(interpolation=None)
        try:
            parser.read(Path(os.environ.get(variable, usual)).expanduser(), encoding="utf-8")
        except (OSError, Error, UnicodeDecodeError, RuntimeError):
            continue
        for section in (profile, f"profile {profile}"):
            found |= dict(parser[section]) if parser.has_section(section) else {}
    given = {"access_key_id", "skip_signature"} & config.keys() or "AWS_ACCESS_KEY_ID" in os.environ
    if not given and {"aws_access_key_id", "aws_secret_access_key"} <= found.keys():
        config["access_key_id"], config["secret_access_key"] = (
            found["aws_access_key_id"],
            found["aws_secret_access_key"],
        )
        if "aws_session_token" in found:
            config["session_token"] = found["aws_session_token"]
    if "region" not in config and not {"AWS_REGION", "AWS_DEFAULT_REGION"} & os.environ.keys() and "region" in found:
        config["region"] = found["region"]
    named = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or found.get("endpoint_url")
    if named and "endpoint" not in config:
        _endpoint("endpoint")(access, named)


def _place_bucket(config: dict[str, Any], uri: str) -> None:
    """Prefix the host of an endpoint with the bucket for virtual-hosted style, which obstore does not do."""
    if config.get("virtual_hosted_style_request") and "endpoint" in config:
        scheme, _, host = config["endpoint"].partition("://")
        config["endpoint"] = f"{scheme}://{uri.partition('://')[2].partition('/')[0]}.{host}"


def _take_emulator(access: Access) -> None:
    """Use the address of an emulator of Google's storage, unless an endpoint is given."""
    host = os.environ.get("STORAGE_EMULATOR_HOST")
    if host and "base_url" not in access.config:
        _endpoint("base_url")(access, host if "://" in host else f"http://{host}")
        if not access.config.keys() & {"service_account_key", "application_credentials"}:
            access.config["skip_signature"] = True


def _take_user(client: dict[str, Any], uri: str) -> None:
    """Send the user name and password in an address as a browser does; a given header takes precedence."""
    user, mark, _ = uri.partition("://")[2].partition("/")[0].rpartition("@")
    if mark:
        headers = client.setdefault("default_headers", {})
        if "authorization" not in map(str.lower, headers):
            headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"


Take = Callable[[Access, Any], None]


def _text(name: str) -> Take:
    return lambda access, value: access.config.update({name: str(value)})


def _flag(name: str) -> Take:
    return lambda access, value: access.config.update({name: bool(value)})


def _endpoint(name: str) -> Take:
    def take(access: Access, url: Any) -> None:
        scheme, found, host = url.rpartition("://")
        scheme = scheme if found else "http" if access.client.get("allow_http") else "https"
        access.config[name] = f"{scheme}://{host.rstrip('/')}"
        if scheme == "http":
            access.client["allow_http"] = True

    return take


def _use_ssl(access: Access, ssl: Any) -> None:
    if not ssl:
        access.client["allow_http"] = True
        if "endpoint" in access.config:
            access.config["endpoint"] = access.config["endpoint"].replace("https://", "http://")


def _verify(access: Access, verify: Any) -> None:
    if isinstance(verify, bool):
        access.client["allow_invalid_certificates"] = not verify
    else:
        try:
            access.client["root_certificate"] = Path(verify).read_bytes()
        except OSError as error:
            why = error.strerror or "no such file"
            raise InvalidOption(
                f"storage option 'verify' is a file of certificates that cannot be read: {why}."
            ) from None


def _headers(access: Access, headers: Any) -> None:
    access.client["default_headers"] = {str(name): str(value) for name, value in headers.items()}


def _token_of_google(access: Access, token: Any) -> None:
    if token == "google_default":
        return  # obstore finds these by itself
    if token == "anon":
        access.config["skip_signature"] = True
        return
    is_file = not isinstance(token, Mapping) and os.path.isfile(token)
    try:
        text = Path(token).read_text(encoding="utf-8") if is_file else token
        found = dict(token) if isinstance(token, Mapping) else dict(json.loads(text))
    except (ValueError, OSError):
        found = {}
    if not found or (found.get("type") == "authorized_user" and not is_file):
        raise InvalidOption(
            "storage option 'token' must be 'anon', 'google_default', a file of credentials, or the JSON of a service "
            "account; it is none of these."
        )
    if str(found.get("gcs_base_url")).startswith("http://"):
        access.client["allow_http"] = True
    if found.get("type") == "authorized_user":
        access.config["application_credentials"] = str(token)
    else:
        access.config["service_account_key"] = json.dumps(found)


def _seconds(name: str) -> Take:
    return lambda access, value: setattr(access, name, float(value))


def _count(name: str) -> Take:
    return lambda access, value: setattr(access, name, max(1, int(value)))


_CLIENT: dict[str, Take] = {
    "headers": _headers,
    "verify": _verify,
    "connect_timeout": _seconds("connect_s"),
    "read_timeout": _seconds("read_s"),
    "max_attempts": _count("tries"),
    "max_pool_connections": _count("at_once"),
}
_S3: dict[str, Take] = {
    **_CLIENT,
    "key": _text("access_key_id"),
    "secret": _text("secret_access_key"),
    "token": _text("session_token"),
    "anon": _flag("skip_signature"),
    "endpoint_url": _endpoint("endpoint"),
    "region": _text("region"),
    "use_ssl": _use_ssl,
    "requester_pays": _flag("request_payer"),
    "addressing_style": lambda access, style: access.config.update(virtual_hosted_style_request=style != "path"),
}
_S3 |= {
    "username": _S3["key"],
    "password": _S3["secret"],
    "aws_access_key_id": _S3["key"],
    "aws_secret_access_key": _S3["secret"],
    "aws_session_token": _S3["token"],
    "region_name": _S3["region"],
}
_GCS: dict[str, Take] = {
    **_CLIENT,
    "project": lambda _access, _name: None,  # the project that pays; finding a bucket does not need it
    "token": _token_of_google,
    "anon": _flag("skip_signature"),
    "endpoint_url": _endpoint("base_url"),
}
_KNOWN = {"s3": _S3, "s3a": _S3, "gs": _GCS, "gcs": _GCS, "http": _CLIENT, "https": _CLIENT}
SCHEMES = tuple(_KNOWN)
