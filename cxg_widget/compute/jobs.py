"""Runs jobs in threads, one slot a kind: a newer job replaces the one of its slot that still waits."""

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

from cxg_widget.compute.at_rest import AT_REST

_T = TypeVar("_T")
WORKERS = 6
"""Four may wait for something read once, such as an index; two remain for a view and the pointer."""
IDLE_S = 5.0
"""Idle threads end after this time, so that a widget at rest, which nobody may have closed, holds none."""
_NICE = 10
"""Niceness of threads that give way: a tenth of the processor when others want it."""


class Threads:
    """Some threads that begin with a job, and end when there has been none for a while.

    Attributes
    ----------
    n : how many there are at most
    """

    def __init__(self, n: int, name: str) -> None:
        self.n = n
        self._name = name
        self._pool: ThreadPoolExecutor | None = None
        self._n_jobs = 0
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def alive(self) -> list[threading.Thread]:
        """The threads that are alive."""
        pool = self._pool
        return [] if pool is None else list(pool._threads)

    def submit(self, job: Callable[[], None]) -> Future[None]:
        """Run a job; it is cancelled after `close`, and where the process is ending."""
        future: Future[None] = Future()
        with self._lock:
            if self._is_closed:
                future.cancel()
                return future
            self._pool = self._pool or ThreadPoolExecutor(self.n, thread_name_prefix=self._name)
            try:
                future = self._pool.submit(job)
            except RuntimeError:  # the process is ending: nobody waits for it any more
                future.cancel()
                return future
            self._n_jobs += 1
        # Not under the lock: for a job that has ended, the callback runs here, in this thread, and takes the lock.
        future.add_done_callback(self._ended)
        return future

    def close(self) -> None:
        """Drop what waits and let the threads end."""
        with self._lock:
            self._is_closed = True
            pool = self._pool
        AT_REST.drop(self)
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _ended(self, _: Future[None]) -> None:
        with self._lock:
            self._n_jobs -= 1
            is_idle = self._n_jobs == 0 and not self._is_closed
        if is_idle:
            AT_REST.call(self, IDLE_S, self._rest)

    def _rest(self) -> None:
        with self._lock:
            if self._n_jobs or self._is_closed or self._pool is None:
                return
            # Python cannot end single threads of a pool, so the next job gets a new pool.
            pool, self._pool = self._pool, None
        pool.shutdown(wait=False)


class Jobs:
    """A few threads and, for each slot, the one job that still waits.

    A job that is already running is not stopped here; streams stop by themselves when a newer one begins.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._pool, self._queue = Threads(workers, "cxg-widget"), Threads(1, "cxg-widget-queue")
        self._waiting: dict[Hashable, Future[None]] = {}
        self._lock = threading.Lock()

    def submit(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job soon, in place of the one of the same slot that still waits; it is cancelled after `close`."""
        with self._lock:
            self.drop(slot)
            # Locks are taken in one order: that of Jobs, then that of Threads.
            future = self._waiting[slot] = self._pool.submit(job)
        return future

    def drop(self, slot: Hashable) -> None:
        """Cancel the last job of a slot if it has not begun."""
        waiting = self._waiting.get(slot)
        if waiting is not None:
            waiting.cancel()

    def queue(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job after all that were queued before it; none gives way, and the threads of the others stay free."""
        with self._lock:
            future = self._waiting[slot] = self._queue.submit(job)
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
            pool.close()

    @property
    def threads(self) -> list[threading.Thread]:
        """The threads that there are now."""
        return [*self._pool.alive, *self._queue.alive]


def wait_for(future: Future[Any]) -> None:
    """Wait until a job has ended or was cancelled, which `concurrent.futures.wait` can miss."""
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


def on_this_loop(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that any thread may call; it runs in this event loop, or directly if there is none."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return function
    return partial(loop.call_soon_threadsafe, function, context=copy_context())
