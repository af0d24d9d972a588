"""What is made at first use and kept: what a slot was asked for last, and what is asked for in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

_Made = TypeVar("_Made")


class Memo:
    """Values by slot and key, for several threads.

    Attributes
    ----------
    is_closed : whether nothing is kept any more
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[str, dict[Hashable, Any]] = {}
        self._shared: frozenset[Hashable] = frozenset()
        self._making: dict[tuple[str, Hashable], threading.RLock] = {}
        self.is_closed = False

    def keep(self, slot: str, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what the slot holds for a key; two threads that miss the same key at once make it once."""
        with self._lock:
            making = self._making.setdefault((slot, key), threading.RLock())
        with making:
            held = self._made.get(slot, {})
            try:
                if key not in held:
                    held = {key: make()}
                    self.put(slot, key, held[key])
            finally:
                with self._lock:
                    self._making.pop((slot, key), None)
        made: _Made = held[key]
        return made

    def held(self, slot: str, key: Hashable) -> Any:
        """Return what the slot holds for a key, or None."""
        return self._made.get(slot, {}).get(key)

    def put(self, slot: str, key: Hashable, value: Any) -> None:
        """Let the slot hold a value that was made elsewhere."""
        with self._lock:
            if not self.is_closed:
                self._made[slot] = {**self._left(slot), key: value}

    def share(self, keys: Iterable[Hashable]) -> None:
        """Keep what slots hold for some keys, which are asked for in turn, beside what was asked for last."""
        with self._lock:
            self._shared = frozenset(keys)
            for slot, held in self._made.items():
                self._made[slot] = {**self._left(slot), **dict([*held.items()][-1:])}

    def _left(self, slot: str) -> dict[Hashable, Any]:
        return {key: one for key, one in self._made.get(slot, {}).items() if key in self._shared}

    def drop(self, slot: str) -> None:
        """Let go of what the slot holds."""
        self._made.pop(slot, None)

    def in_slot(self, slot: str) -> Any:
        """Return what the slot holds, whatever its key, or None."""
        return next(reversed(self._made.get(slot, {}).values()), None)

    def close(self) -> None:
        """Let go of everything, and keep nothing from now on."""
        self.is_closed = True
        self._made.clear()
