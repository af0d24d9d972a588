"""Values that several holders share, such as the widgets of many users over one dataset."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar
from weakref import WeakValueDictionary

_Made = TypeVar("_Made")


class SharedValues:
    """Returns the same object for the same key while anyone holds it; it keeps nothing alive itself."""

    def __init__(self) -> None:
        self._held: WeakValueDictionary[Hashable, object] = WeakValueDictionary()
        self._making: dict[Hashable, threading.RLock] = {}
        self._lock = threading.Lock()

    def get_or_make(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return the value for a key, made once even if two threads miss it together."""
        with self._lock:
            making = self._making.setdefault(key, threading.RLock())
        with making:
            try:
                found = self._held.get(key)
                if found is None:
                    found = self._held[key] = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return found  # type: ignore[return-value] # a key has values of one type
