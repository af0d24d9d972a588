"""A thread-safe LRU cache with a limit in bytes; the caller decides what to keep."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from threading import Lock
from typing import Any, TypeVar

_Loaded = TypeVar("_Loaded")


class ByteCache:
    """Keep values up to `limit_bytes` in all, the least recently used go first.

    A value larger than the limit is handed through and not kept; a limit of 0 keeps nothing.

    Attributes
    ----------
    used_bytes : held now; never more than `limit_bytes`
    """

    def __init__(self, limit_bytes: int, size_of: Callable[[Any], int]) -> None:
        self.limit_bytes = limit_bytes
        self._size_of = size_of
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.used_bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> Any | None:
        """Return the value under `key`, now the most recently used, or None."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: Any) -> None:
        """Keep `value` under `key`, and let go of older values until all fit."""
        size = self._size_of(value)
        with self._lock:
            # First, since the old value of this key must not push others out.
            self._drop(key)
            if self._make_room(size):
                self._kept[key] = (value, size)
                self.used_bytes += size

    def make_room(self, size: int) -> bool:
        """Evict values until `size` bytes fit, for a value about to be made; return False if they never can."""
        with self._lock:
            return self._make_room(size)

    def get_or_load(self, key: Hashable, load: Callable[[], _Loaded]) -> _Loaded:
        """Return the value under `key`; where there is none, keep and return what `load()` returns.

        `load` runs outside of the lock: two threads that miss at once both load, and neither waits for another key.
        """
        value: _Loaded | None = self.get(key)
        if value is None:
            value = load()
            self.put(key, value)
        return value

    def keep_only(self, keys: Collection[Hashable]) -> None:
        """Evict everything except these keys."""
        with self._lock:
            for key in [key for key in self._kept if key not in keys]:
                self._drop(key)

    def clear(self) -> None:
        """Evict everything."""
        with self._lock:
            self._kept.clear()
            self.used_bytes = 0

    def _make_room(self, size: int) -> bool:
        if size > self.limit_bytes:
            return False
        while self.used_bytes + size > self.limit_bytes:
            self._drop(next(iter(self._kept)))
        return True

    def _drop(self, key: Hashable) -> None:
        entry = self._kept.pop(key, None)
        if entry is not None:
            self.used_bytes -= entry[1]
