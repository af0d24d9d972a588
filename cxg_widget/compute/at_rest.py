"""Runs work after a quiet period: one thread serves all of it, and ends when nothing is due."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Hashable
from time import monotonic

_LOG = logging.getLogger("cxg_widget")
_LAST_S = 10.0
"""So long the end of the process waits for what is being done, such as the writing of a state."""


class AtRest:
    """Calls functions later; a newer call of a key takes the place of the one that still waits.

    The thread is a daemon that runs little but Python: `end` at the end of the process does what is still due.
    """

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[float, float, Callable[[], object]]] = {}
        self._condition = threading.Condition(threading.RLock())  # a finalizer may come back in the same thread
        self._thread: threading.Thread | None = None
        self._wakes = 0.0
        self._has_ended = False

    def call(self, key: Hashable, wait_s: float, function: Callable[[], object], *, most_s: float = 60.0) -> None:
        """Call a function `wait_s` seconds after the last call of its key, and at most `most_s` after the first."""
        if self._has_ended:
            _call(function)
            return
        with self._condition:
            # The latest time stays that of the first call: a steady stream of calls cannot put the work off forever.
            last = self._due[key][1] if key in self._due else monotonic() + most_s
            due = min(monotonic() + wait_s, last)
            self._due[key] = due, last, function
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="cxg-widget-at-rest", daemon=True)
                self._thread.start()
            elif due < self._wakes:  # each move of a pointer puts something off: that alone wakes nobody
                self._condition.notify()

    def drop(self, key: Hashable) -> bool:
        """Forget the call of a key; say whether there was one."""
        with self._condition:
            was_due = self._due.pop(key, None) is not None
            if was_due and not self._due:
                self._condition.notify()
            return was_due

    def finish(self) -> None:
        """Do now, in this thread, what is due at any time."""
        while (function := self._take(None)) is not None:
            _call(function)

    def end(self) -> None:
        """Do now what is due, and from here on at once what is asked for."""
        with self._condition:
            self._has_ended = True
            thread = self._thread
            self._condition.notify()
        # Python stops daemons wherever they are: one that held the lock would hold up finalizers of widgets for ever.
        if thread is not None:
            thread.join(_LAST_S)
        self.finish()

    def finish_if(self, is_meant: Callable[[Hashable], bool]) -> None:
        """Do now what is due of some keys."""
        with self._condition:
            functions = [self._due.pop(key)[2] for key in list(self._due) if is_meant(key)]
        for function in functions:
            _call(function)

    def _take(self, until: float | None) -> Callable[[], object] | None:
        """Return the function that is due first, at a time or ever, and forget it; None where there is none."""
        with self._condition:
            key = min(self._due, key=lambda one: self._due[one][0], default=None)
            if key is None or (until is not None and self._due[key][0] > until):
                return None
            return self._due.pop(key)[2]

    def _run(self) -> None:
        while True:
            function = self._take(monotonic())
            # Called without the lock, since the function may itself call or drop a key.
            if function is not None:
                _call(function)
                del function  # what it holds may be waiting for its end
                continue
            with self._condition:
                if self._has_ended or not self._due:
                    # Under the lock, so that `call` either wakes this thread or sees that it has to start another.
                    self._thread = None
                    return
                self._wakes = min(due for due, _, _ in self._due.values())
                self._condition.wait(max(0.0, self._wakes - monotonic()))
                self._wakes = 0.0


def _call(function: Callable[[], object]) -> None:
    try:
        function()
    except Exception:
        _LOG.exception("work at rest failed, which is a fault of cxg-widget")


AT_REST = AtRest()
atexit.register(AT_REST.end)
