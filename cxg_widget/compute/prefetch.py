"""Makes the next item in a thread while the caller works on the present one."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, Generic, TypeVar
from weakref import WeakSet

_Item = TypeVar("_Item")
_LOOK_S = 0.1
_AT_END_S = 2.0


class Prefetch(Generic[_Item]):
    """Goes through an iterable in a thread of its own, one item ahead.

    Whoever iterates may stop anywhere, also by Ctrl-C, which is heard at once: the thread ends after the item that it
    is making. The end of the program waits for that item, but no longer than two seconds: a library that is left in the
    middle of its work may abort the program.

    items : returns what is gone through
    check : is called before each item, and each tenth of a second while one is waited for; what it raises, ends it
    """

    def __init__(self, items: Callable[[], Iterable[_Item]], check: Callable[[], None] = lambda: None) -> None:
        self._items, self._check = items, check
        # Three items live at once: one in use, one that waits, one that is being made. A block of a matrix is 32 MiB
        # (decision 55), so a longer queue would cost memory and gain nothing.
        self._made: Queue[tuple[_Item] | BaseException | None] = Queue(maxsize=1)
        self._ended, self._thread = Event(), Thread(target=self._make, daemon=True, name="cxg-widget-ahead")

    def __iter__(self) -> Iterator[_Item]:
        _working.add(self)
        self._thread.start()
        try:
            while (made := self._next()) is not None:
                if isinstance(made, BaseException):
                    raise made
                yield made[0]
        # A `break` and Ctrl-C pass here too: whoever stops iterating closes this generator.
        finally:
            self._ended.set()

    def end(self) -> None:
        """End the thread after the item it is making."""
        self._ended.set()

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended, but no longer."""
        self._thread.join(seconds)

    def _next(self) -> tuple[_Item] | BaseException | None:
        while True:
            self._check()
            with suppress(Empty):
                return self._made.get(timeout=_LOOK_S)

    def _make(self) -> None:
        try:
            for item in self._items():
                self._put((item,))
                if self._ended.is_set():
                    return
            self._put(None)
        # Whatever ended the thread has to reach the reader, who would otherwise wait forever.
        except BaseException as error:
            self._put(error)

    def _put(self, made: tuple[_Item] | BaseException | None) -> None:
        # A put without a timeout would block forever once the reader has stopped.
        while not self._ended.is_set():
            with suppress(Full):
                self._made.put(made, timeout=_LOOK_S)
                return


_working: WeakSet[Prefetch[Any]] = WeakSet()


def _end_all() -> None:
    last, until = list(_working), time.monotonic() + _AT_END_S
    for one in last:
        one.end()
    for one in last:
        one.join(max(0.0, until - time.monotonic()))


atexit.register(_end_all)
