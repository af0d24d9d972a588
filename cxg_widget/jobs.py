"""Work off the main thread, newest first to count: a job that has not begun gives way to a newer one of its slot."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
WORKERS = 6
"""Four may wait for what is read once, such as an index; a view and the pointer need none of it."""


class Jobs:
    """A few threads and, for each slot, the one job that still waits.

    A job that is already running is not stopped here; streams stop by themselves when a newer one begins.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="cxg-widget")
        self._waiting: dict[str, Future[None]] = {}
        self._lock = threading.Lock()

    def submit(self, slot: str, job: Callable[[], None]) -> Future[None]:
        """Run a job soon, in place of the one of the same slot that still waits."""
        with self._lock:
            waiting = self._waiting.get(slot)
            if waiting is not None:
                waiting.cancel()
            future = self._pool.submit(job)
            self._waiting[slot] = future
        return future

    def close(self) -> None:
        """Drop what waits and let the threads end."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def in_background(work: Callable[[], _T]) -> Future[_T]:
    """Begin work in a thread of its own, which goes on whoever still waits for it."""
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="cxg-widget-background", daemon=True).start()
    return future
