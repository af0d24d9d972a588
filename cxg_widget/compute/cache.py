"""Thread-safe caches: least recently used within a limit of bytes, and the last value per slot."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from threading import Lock
from typing import Any, TypeVar

_Loaded = TypeVar("_Loaded")


class ByteCache:
    """A cache of up to `limit_bytes`, which evicts the least recently used values.

    A value larger than the limit is not cached; a limit of 0 caches nothing.

    used_bytes : current size; never more than `limit_bytes`
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
        """Return the value of `key` and mark it as the most recently used, or None."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: Any) -> None:
        """Cache `value` under `key`, and evict older values until all fit."""
        size = self._size_of(value)
        with self._lock:
            # First, since the old value of this key must not evict others.
            self._drop(key)
            if self._make_room(size):
                self._kept[key] = (value, size)
                self.used_bytes += size

    def make_room(self, size: int) -> bool:
        """Evict values until `size` bytes fit, for a value about to be made; return False if they never can."""
        with self._lock:
            return self._make_room(size)

    def get_or_load(self, key: Hashable, load: Callable[[], _Loaded]) -> _Loaded:
        """Return the value of `key`; if there is none, cache and return the result of `load()`.

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


_Made = TypeVar("_Made")


class Memo:
    """Values by slot and key, thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[str, dict[Hashable, Any]] = {}
        self._shared: frozenset[Hashable] = frozenset()
        self._wanted: frozenset[Hashable] = frozenset()
        self._let_go: dict[str, Callable[[Any], object]] = {}
        self._making: dict[tuple[str, Hashable], threading.RLock] = {}
        self.is_closed = False

    def keep(
        self, slot: str, key: Hashable, make: Callable[[], _Made], let_go: Callable[[_Made], object] | None = None
    ) -> _Made:
        """Return the value of a slot for a key, made once even if two threads miss it together.

        let_go : called with values that the slot drops, now or when something else is shown, and with a value made for
            a closed memo, or for a key that is no longer shown
        """
        with self._lock:
            if let_go is not None:
                self._let_go[slot] = let_go
            # One lock per slot and key, so that a slow read delays only those who want the same value. It is taken
            # without `_lock`, which `put` takes below.
            making = self._making.setdefault((slot, key), threading.RLock())
        with making:
            held = self._made.get(slot, {})
            try:
                if key not in held:
                    held = {key: make()}
                    for one in self.put(slot, key, held[key]):
                        self._let_go.get(slot, _nothing)(one)
            finally:
                with self._lock:
                    self._making.pop((slot, key), None)
        made: _Made = held[key]
        return made

    def held(self, slot: str, key: Hashable) -> Any:
        """Return the cached value of a slot for a key, or None."""
        return self._made.get(slot, {}).get(key)

    def put(self, slot: str, key: Hashable, value: Any) -> list[Any]:
        """Store a value made elsewhere; return the values that the slot drops."""
        with self._lock:
            if self.is_closed or (slot in self._let_go and not self.wants(key)):
                return [value]
            # A new dict instead of a change, because `keep`, `held` and `in_slot` read `_made` without the lock.
            before, now = self._made.get(slot, {}), {**self._left(slot), key: value}
            self._made[slot] = now
            return [one for name, one in before.items() if now.get(name) is not one]

    def share(self, keys: Iterable[Hashable], now: Iterable[Hashable] = ()) -> None:
        """Keep the values of some keys, which are used in turn, in addition to the last one of each slot.

        now : keys in use; a slot that has one of them, or a shared one, drops all others
        """
        with self._lock:
            self._shared = frozenset(keys)
            self._wanted = self._shared.union(now)
            gone = []
            for slot, held in self._made.items():
                left = {key: one for key, one in held.items() if self.wants(key)} or dict([*held.items()][-1:])
                self._made[slot] = left
                gone += [(self._let_go.get(slot, _nothing), one) for key, one in held.items() if key not in left]
        # Outside of the lock: releasing values may close readers or talk to a cluster.
        for let_go, one in gone:
            let_go(one)

    def wants(self, key: Hashable) -> bool:
        """Return whether a key is in use; any key is until some are set."""
        return not self._wanted or key in self._wanted

    def _left(self, slot: str) -> dict[Hashable, Any]:
        return {key: one for key, one in self._made.get(slot, {}).items() if key in self._shared}

    def drop(self, slot: str, key: Hashable = ...) -> None:
        """Drop the slot's values, or the one of a key."""
        with self._lock:
            held = {} if key is ... else {one: value for one, value in self._made.get(slot, {}).items() if one != key}
            self._made[slot] = held

    def in_slot(self, slot: str) -> Any:
        """Return the cached value of a slot for any key, or None."""
        return next(reversed(self._made.get(slot, {}).values()), None)

    def close(self) -> dict[str, dict[Hashable, Any]]:
        """Drop everything and cache nothing from now on; return the values of each slot, by key."""
        with self._lock:
            self.is_closed = True
            held, self._made = self._made, {}
        return held


def _nothing(value: Any) -> None:
    """Release a value without resources."""
