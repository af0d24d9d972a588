"""Opens the store once per worker process, and closes it when nobody needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from cxg_widget.datasets import Dataset, open_dataset
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.errors import ClosedDataset, InvalidOption


@dataclass(frozen=True)
class Source:
    """A store, as each worker opens it.

    uri : path or URI; a path must mean the same file on every worker
    format : as in `open_dataset`
    options : as in `open_dataset`; they may contain secrets, so they are in no repr, log or task name
    token : identifies the source; each has its own dataset in each worker process
    """

    uri: str
    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    token: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def of(cls, uri: str | os.PathLike[str], format: str | None = None, **options: Any) -> Source:
        """Return the source for the arguments of `open_dataset`."""
        path = os.fspath(uri)
        if "://" not in path:
            path = str(Path(os.path.expanduser(path)).absolute())
        sent = {name: value for name, value in options.items() if value is not None}
        for name, value in sent.items():
            if name in ("ctx", "config") and not isinstance(value, Mapping):
                if not hasattr(value, "dict"):
                    raise InvalidOption(
                        f"{name} is a {type(value).__name__}, which cannot be sent to Dask workers; "
                        "pass storage_options=, or ctx as a dict."
                    )
                sent[name] = value.dict()
        return cls(path, format, sent)


_open: dict[str, Dataset] = {}
_users: dict[str, set[str]] = {}
_reported: dict[str, Traffic] = {}
"""Traffic already reported, by the token of its source."""
_left: set[str] = set()
"""Users that have left; a task of theirs that starts late opens nothing."""
_lock = Lock()


def opened(source: Source, user: str) -> Dataset:
    """Return the dataset of this process, opened at first use; `user` needs it until it leaves."""
    with _lock:
        if user in _left:
            raise ClosedDataset(f"the widget of {source.uri} was closed before its task began.")
        _users.setdefault(source.token, set()).add(user)
        # Under the lock, so that the threads of a worker process open a store only once.
        dataset = _open.get(source.token)
        if dataset is None:
            dataset = _open[source.token] = open_dataset(source.uri, format=source.format, **source.options)
        return dataset


def unreported_traffic(token: str) -> Traffic:
    """Return the traffic of a source in this process since the last call, if it is counted."""
    with _lock:
        dataset = _open.get(token)
        now = None if dataset is None else dataset.traffic
        if now is None:
            return Traffic()
        before, _reported[token] = _reported.get(token, Traffic()), now
        return now.since(before)


def leave(token: str, user: str) -> None:
    """Close the dataset of this process if `user` was its last user; reads under way end first."""
    with _lock:
        _left.add(user)
        users = _users.get(token, set())
        users.discard(user)
        dataset = None if users else _open.pop(token, None)
        if not users:
            _users.pop(token, None)
            _reported.pop(token, None)
    if dataset is not None:
        dataset.close()
