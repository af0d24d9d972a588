"""Reads objects below one remote address, whole or by range; the only module that imports obstore."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import BoundedSemaphore
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import quote

import obstore
from obstore.store import GCSStore, HTTPStore, S3Store

from cxg_widget.compute.parallel import gather, run_parallel
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.location import without_user
from cxg_widget.datasets.storage.failures import failure, is_no_bucket, is_slow_down, without_secrets
from cxg_widget.datasets.storage.options import SCHEMES, Access, translate
from cxg_widget.datasets.storage.sentences import no_bucket, slowed_down
from cxg_widget.errors import DamagedStore, InvalidOption, StorageDenied, UnknownFormat

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 4.0
_Found = TypeVar("_Found")


class Part(NamedTuple):
    """Bytes start <= position < stop of an object; all bytes without both, the last -start bytes if start < 0.

    tag : ETag of the object when it was opened, "" for any
    """

    key: str
    start: int | None = None
    stop: int | None = None
    tag: str = ""


class Beginning(NamedTuple):
    """The first bytes of an object, its size, its ETag ("" if the server sends none), and its time of writing."""

    content: bytes
    size: int
    tag: str
    written: str

    @property
    def stamp(self) -> str:
        """Text that changes with the object."""
        return f"{self.tag} {self.written}"


class Names(NamedTuple):
    """Names of the folders and of the objects directly below a key."""

    folders: list[str]
    objects: list[str]


class Objects:
    """Objects below an address, which several threads may read.

    Parameters
    ----------
    uri : https://, http://, s3:// or gs://; "" as a key means the object at this address itself
    storage_options : see `translate`

    Attributes
    ----------
    lists : whether the names below a key can be listed, which plain HTTP cannot do

    Raises
    ------
    UnknownFormat
        If the scheme of `uri` is not supported.
    InvalidOption
        If `storage_options` are not valid.
    """

    def __init__(self, uri: str, storage_options: Mapping[str, Any] | None = None) -> None:
        self.uri, self.meter = uri, Meter()
        scheme = uri.partition("://")[0].lower()
        if scheme not in SCHEMES:
            known = ", ".join(f"{one}://" for one in ("https", "http", "s3", "gs"))
            raise UnknownFormat(f"'{uri}': remote AnnData is read from {known}; download it, or convert it to CXG.")
        access = translate(storage_options, uri)
        self.lists = scheme not in ("http", "https")
        self._store = _open(uri, scheme, access)
        self._patience_s = access.patience_s
        self._slots = BoundedSemaphore(access.at_once)

    def get(self, part: Part, what: str) -> bytes | None:
        """Return a part of an object; None if there is no such object.

        what : name of the data, for messages

        Raises
        ------
        StorageError
            If the storage refuses, cannot be reached, asks to slow down for too long or does not answer in time.
        DamagedStore
            If the object is shorter than the part.
        """
        return self._ask(partial(self._get, part), what)

    def get_all(self, parts: Sequence[Part], what: str) -> list[bytes | None]:
        """Return parts, requested in parallel; errors as `get`."""
        # Even one request runs in its own thread: it cannot be canceled, and Ctrl-C would wait for it.
        return gather([partial(self.get, part, what) for part in parts])

    def begin_all(self, keys: Sequence[str], n_bytes: Mapping[str, int], what: str) -> list[Beginning | None]:
        """Return the beginnings of several objects, requested in parallel; an object that is not in `n_bytes` is whole.

        A denied object counts as missing, since S3 denies missing objects to users who may not list names. Raises
        `StorageDenied` if an object is denied and none is found. Other errors as `get`.
        """
        calls = [partial(self._ask, partial(self._begin, key, n_bytes.get(key)), what) for key in keys]
        found: list[Beginning | None] = []
        denied: list[StorageDenied] = []
        for outcome in run_parallel(calls):
            if isinstance(outcome, StorageDenied):
                denied.append(outcome)
            elif isinstance(outcome, Exception):
                raise outcome
            found.append(outcome if isinstance(outcome, Beginning) else None)
        if denied and not any(found):
            raise denied[0]
        return found

    def begin(self, key: str, n_bytes: int, what: str) -> Beginning | None:
        """Return the first `n_bytes` of an object, with its size, tag and time of writing; None if there is none."""
        return gather([partial(self._ask, partial(self._begin, key, n_bytes), what)])[0]

    def size(self, key: str, what: str) -> int | None:
        """Return the size of an object in bytes; None if there is none."""
        found = self._ask(lambda: obstore.head(self._store, key), what)
        self.meter.add(0)
        return None if found is None else int(found["size"])

    def names(self, key: str, what: str) -> Names:
        """Return the names directly below a key; requires `lists`."""
        found = self._ask(lambda: obstore.list_with_delimiter(self._store, key or None), what)
        if found is None:
            return Names([], [])
        folders = [one.rstrip("/").rpartition("/")[2] for one in found["common_prefixes"]]
        return Names(folders, [one["path"].rpartition("/")[2] for one in found["objects"]])

    def sizes(self, key: str, what: str) -> dict[str, int]:
        """Return the sizes in bytes of all objects below a key; requires `lists`. A request returns 1,000 names."""
        found = self._ask(lambda: obstore.list(self._store, key or None).collect(), what)
        return {one["path"]: int(one["size"]) for one in found or ()}

    def _get(self, part: Part) -> bytes:
        options: dict[str, Any] = {"if_match": part.tag} if part.tag else {}
        if part.start is not None:
            of_end = {"suffix": -part.start} if part.start < 0 else {"offset": part.start}
            options["range"] = of_end if part.stop is None else (part.start, part.stop)
        found = obstore.get(self._store, part.key, options=cast(Any, options)).bytes()
        self.meter.add(len(found))
        return found.to_bytes()

    def _begin(self, key: str, n_bytes: int | None) -> Beginning:
        found = obstore.get(self._store, key, options=None if n_bytes is None else {"range": (0, n_bytes)})
        content = found.bytes().to_bytes()
        self.meter.add(len(content))
        meta = found.meta
        tag = meta["e_tag"] or ""
        # By the rules of HTTP, a weak tag never matches.
        return Beginning(content, int(meta["size"]), "" if tag.startswith("W/") else tag, str(meta["last_modified"]))

    def _ask(self, call: Callable[[], _Found], what: str) -> _Found | None:
        """Return the result of a call, retried while storage asks to slow down; None if there is no such object."""
        end, pause = time.monotonic() + self._patience_s, _FIRST_PAUSE_S
        while True:
            try:
                with self._slots:
                    return call()
            except FileNotFoundError as error:
                if is_no_bucket(error):
                    raise no_bucket(self.uri) from without_secrets(error)
                return None
            except obstore.exceptions.PreconditionError as error:
                raise DamagedStore(
                    f"{self.uri}: the file was changed after it was opened; open it again."
                ) from without_secrets(error)
            except obstore.exceptions.NotSupportedError as error:
                raise UnknownFormat(
                    f"{self.uri}: the server sends only whole files, but reading {what} needs ranges; "
                    "download it, and open the copy."
                ) from without_secrets(error)
            except (obstore.exceptions.BaseError, ValueError) as error:
                if not is_slow_down(error):
                    raise failure(error, self.uri, what) from without_secrets(error)
                left = end - time.monotonic()
                if left <= 0:
                    raise slowed_down(self.uri, what, self._patience_s) from without_secrets(error)
                time.sleep(min(pause, left))
                pause = min(2 * pause, _LONGEST_PAUSE_S)


def _open(uri: str, scheme: str, access: Access) -> Any:
    arguments = access.arguments()
    try:
        if scheme in ("http", "https"):
            return HTTPStore.from_url(quote(without_user(uri), safe="%/:=&?~+!$,;'@()*[]"), **arguments)
        bucket, _, prefix = uri.partition("://")[2].strip("/").partition("/")
        kind = GCSStore if scheme in ("gs", "gcs") else S3Store
        return kind(bucket, prefix=prefix or None, **arguments)
    except (obstore.exceptions.BaseError, ValueError, TypeError):  # their messages may repeat a key
        raise InvalidOption(f"'{uri}' and storage_options= do not fit together; check both.") from None
