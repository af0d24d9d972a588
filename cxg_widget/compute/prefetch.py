"""Makes the next item in a thread while the caller works on the current one."""

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
    """Iterates in a thread of its own, one item ahead.

    The consumer may stop anywhere, also by Ctrl-C, which takes effect at once: the thread ends after its current item.
    The end of the program waits for that item, but at most two seconds: a library that is interrupted in the middle of
    its work may abort the program.

    items : returns the iterable
    check : called before each item, and every tenth of a second while waiting; an exception from it ends the iteration
    """

    def __init__(self, items: Callable[[], Iterable[_Item]], check: Callable[[], None] = lambda: None) -> None:
        self._items, self._check = items, check
        # Three items exist at once: in use, waiting, and being made. A block of a matrix is 32 MiB (decision 55), so a
        # longer queue would cost memory and gain nothing.
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
        # `break` and Ctrl-C come here too: stopping the iteration closes this generator.
        finally:
            self._ended.set()

    def end(self) -> None:
        """End the thread after its current item."""
        self._ended.set()

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended, up to a limit."""
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
        # Any error of the thread must reach the consumer, who would otherwise wait forever.
        except BaseException as error:
            self._put(error)

    def _put(self, made: tuple[_Item] | BaseException | None) -> None:
        # A put without a timeout would block forever once the consumer has stopped.
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
