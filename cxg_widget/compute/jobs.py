"""Work off the main thread, newest first to count: a job that has not begun gives way to a newer one of its slot."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

_T = TypeVar("_T")
WORKERS = 6
"""Four may wait for what is read once, such as an index; a view and the pointer need none of it."""
_NICE = 10
"""Of threads that give way: a tenth of the processor where others want it."""


class Jobs:
    """A few threads and, for each slot, the one job that still waits.

    A job that is already running is not stopped here; streams stop by themselves when a newer one begins.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="cxg-widget")
        self._queue = ThreadPoolExecutor(1, thread_name_prefix="cxg-widget-queue")
        self._waiting: dict[Hashable, Future[None]] = {}
        self._lock = threading.Lock()

    def submit(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job soon, in place of the one of the same slot that still waits; it is cancelled after `close`."""
        with self._lock:
            self.drop(slot)
            future = self._waiting[slot] = _submitted(self._pool, job)
        return future

    def drop(self, slot: Hashable) -> None:
        """Cancel the last job of a slot if it has not begun."""
        waiting = self._waiting.get(slot)
        if waiting is not None:
            waiting.cancel()

    def queue(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job after all that were queued before it; none gives way, and the threads of the others stay free."""
        with self._lock:
            future = self._waiting[slot] = _submitted(self._queue, job)
        return future

    def is_busy(self, slot: Hashable) -> bool:
        """Say whether the last job of a slot has not ended."""
        last = self._waiting.get(slot)
        return last is not None and not last.done()

    def finish(self, slot: Hashable) -> None:
        """Wait for the last job of a slot."""
        last = self._waiting.get(slot)
        if last is not None:
            wait_for(last)

    def close(self) -> None:
        """Drop what waits and let the threads end."""
        for pool in (self._pool, self._queue):
            pool.shutdown(wait=False, cancel_futures=True)


def _submitted(pool: ThreadPoolExecutor, job: Callable[[], None]) -> Future[None]:
    try:
        return pool.submit(job)
    except RuntimeError:  # closed, or the process is ending: nobody waits for it any more
        future: Future[None] = Future()
        future.cancel()
        return future


def wait_for(future: Future[Any]) -> None:
    """Wait until a job has ended or was cancelled, of which `concurrent.futures.wait` is not always told."""
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    ended.wait()


def in_background(work: Callable[[], _T], *, gives_way: bool = False) -> Future[_T]:
    """Begin work in a thread of its own, which goes on whoever still waits for it.

    gives_way : it and the threads that it starts have the processor after all others, so that these answer gestures
    """
    future: Future[_T] = Future()

    def run() -> None:
        if gives_way and sys.platform.startswith("linux"):  # elsewhere a thread has no number of its own
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="cxg-widget-background", daemon=True).start()
    return future


def from_here(function: Callable[[], object]) -> Callable[[], object]:
    """Return what calls a function, from any thread, in the event loop that runs here; directly if there is none."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return function
    return partial(loop.call_soon_threadsafe, function, context=copy_context())
