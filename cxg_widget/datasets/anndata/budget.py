"""How much memory sorted matrices may take together; what was used longest ago gives way."""

from __future__ import annotations

from threading import RLock
from typing import Any

DEFAULT_MEMORY_BYTES = int(3.2 * 2**30)


class Budget:
    """Keep what was sorted, up to a number of bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = RLock()
        self._sizes: dict[Any, int] = {}
        self._kept: dict[Any, Any] = {}

    def reserve(self, owner: Any, size: int) -> bool:
        """Make room for `size` bytes; False where they would not fit even alone."""
        if size > self.limit:
            return False
        with self._lock:
            self.drop(owner)
            while self._sizes and sum(self._sizes.values()) + size > self.limit:
                self.drop(next(iter(self._sizes)))
            self._sizes[owner] = size
        return True

    def put(self, owner: Any, found: Any) -> None:
        """Keep what room was made for, unless others needed it meanwhile."""
        with self._lock:
            if owner in self._sizes:
                self._kept[owner] = found

    def get(self, owner: Any) -> Any | None:
        """Return what is kept for an owner."""
        with self._lock:
            if owner in self._kept:
                self._sizes[owner] = self._sizes.pop(owner)
            return self._kept.get(owner)

    def drop(self, owner: Any) -> None:
        """Let go of what is kept for an owner."""
        with self._lock:
            self._sizes.pop(owner, None)
            self._kept.pop(owner, None)

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._sizes.clear()
            self._kept.clear()
