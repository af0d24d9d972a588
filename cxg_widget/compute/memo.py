"""What is made at first use and kept: one value a slot, until it is asked for by another key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
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
        self._made: dict[str, tuple[Hashable, Any]] = {}
        self._making: dict[tuple[str, Hashable], threading.RLock] = {}
        self.is_closed = False

    def keep(self, slot: str, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what the slot holds for a key; two threads that miss the same key at once make it once."""
        with self._lock:
            making = self._making.setdefault((slot, key), threading.RLock())
        with making:
            held = self._made.get(slot)
            try:
                if held is None or held[0] != key:
                    held = (key, make())
                    self.put(slot, *held)
            finally:
                with self._lock:
                    self._making.pop((slot, key), None)
        made: _Made = held[1]
        return made

    def held(self, slot: str, key: Hashable) -> Any:
        """Return what the slot holds for a key, or None."""
        held = self._made.get(slot)
        return held[1] if held is not None and held[0] == key else None

    def put(self, slot: str, key: Hashable, value: Any) -> None:
        """Let the slot hold a value that was made elsewhere."""
        if not self.is_closed:
            self._made[slot] = (key, value)

    def drop(self, slot: str) -> None:
        """Let go of what the slot holds."""
        self._made.pop(slot, None)

    def in_slot(self, slot: str) -> Any:
        """Return what the slot holds, whatever its key, or None."""
        held = self._made.get(slot)
        return None if held is None else held[1]

    def close(self) -> None:
        """Let go of everything, and keep nothing from now on."""
        self.is_closed = True
        self._made.clear()
