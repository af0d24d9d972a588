"""Long work that several callers can wait for, and that continues when none does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Any

from cxg_widget.compute.jobs import in_background
from cxg_widget.errors import Overtaken

_LOOK_S = 0.05


class Pending:
    """One piece of work with a key; it continues even if nobody waits for it."""

    def __init__(self) -> None:
        # Reentrant: if the work has ended already, `add_done_callback` calls `_forget` at once, in this thread.
        self._lock = threading.RLock()
        self._begun: tuple[Hashable, Future[Any]] | None = None

    def result(self, key: Hashable, work: Callable[[], Any], is_overtaken: Callable[[], bool]) -> Any:
        """Start work, or join that of the same key, and wait for its result.

        Raises
        ------
        Overtaken
            If `is_overtaken()` returned True meanwhile.
        """
        with self._lock:
            if self._begun is None or self._begun[0] != key:
                self._begun = key, in_background(work)
            future = self._begun[1]
            future.add_done_callback(self._forget)  # the future would keep the result alive
        while not wait([future], _LOOK_S).done:
            if is_overtaken():
                raise Overtaken("a newer request took the place of this one.")
        return future.result()

    def drop(self) -> None:
        """Let no further caller join the current work; present callers go on waiting."""
        with self._lock:
            self._begun = None

    def _forget(self, done: Future[Any]) -> None:
        with self._lock:
            if self._begun is not None and self._begun[1] is done:
                self._begun = None
