"""Runs jobs in threads, one slot per kind (a newer job replaces a waiting one), and delayed work."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import sys
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from time import monotonic
from typing import Any, TypeVar

_T = TypeVar("_T")
WORKERS = 6
"""Four may wait for something read once, such as an index; two remain for a view and hover."""
IDLE_S = 5.0
"""Seconds after which idle threads end, so that a widget that nobody closed holds none."""
_NICE = 10
"""Niceness of background threads: a tenth of the processor when others want it."""


class Threads:
    """Threads that start with a job, and end after some idle time."""

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
        """Run a job; it is cancelled after `close`, and when the process ends."""
        future: Future[None] = Future()
        with self._lock:
            if self._is_closed:
                future.cancel()
                return future
            self._pool = self._pool or ThreadPoolExecutor(self.n, thread_name_prefix=self._name)
            try:
                future = self._pool.submit(job)
            except RuntimeError:  # the process is ending, so nobody waits for it
                future.cancel()
                return future
            self._n_jobs += 1
        # Not under the lock: for a finished job the callback runs here, in this thread, and takes the lock.
        future.add_done_callback(self._ended)
        return future

    def close(self) -> None:
        """Drop waiting jobs and let the threads end."""
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
        # After images of 10 million cells the C library keeps 45 MB, a sixth of what the kernel takes. This takes 1 ms.
        _return_free_memory()


def _return_free_memory() -> None:
    """Return memory that the C library keeps for later use to the system, where it can: glibc."""
    import ctypes

    # Windows has no CDLL(None), and other C libraries have no such function.
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


class Jobs:
    """A few threads and, for each slot, the one job that is waiting.

    A running job is not stopped here; streams stop by themselves when a newer one starts.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._pool, self._queue = Threads(workers, "cxg-widget"), Threads(1, "cxg-widget-queue")
        self._waiting: dict[Hashable, Future[None]] = {}
        self._lock = threading.Lock()

    def submit(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job soon, replacing the waiting one of the same slot; it is cancelled after `close`."""
        with self._lock:
            self.drop(slot)
            # Locks are always taken in this order: Jobs, then Threads.
            future = self._waiting[slot] = self._pool.submit(job)
        return future

    def drop(self, slot: Hashable) -> None:
        """Cancel the last job of a slot if it has not started."""
        waiting = self._waiting.get(slot)
        if waiting is not None:
            waiting.cancel()

    def queue(self, slot: Hashable, job: Callable[[], None]) -> Future[None]:
        """Run a job after all queued before it; none is replaced, and they do not use the threads of the others."""
        with self._lock:
            future = self._waiting[slot] = self._queue.submit(job)
        return future

    def is_busy(self, slot: Hashable) -> bool:
        """Return whether the last job of a slot is unfinished."""
        last = self._waiting.get(slot)
        return last is not None and not last.done()

    def finish(self, slot: Hashable) -> None:
        """Wait for the last job of a slot."""
        last = self._waiting.get(slot)
        if last is not None:
            wait_for(last)

    def close(self) -> None:
        """Drop waiting jobs and let the threads end."""
        for pool in (self._pool, self._queue):
            pool.close()

    @property
    def threads(self) -> list[threading.Thread]:
        """The current threads."""
        return [*self._pool.alive, *self._queue.alive]


def wait_for(future: Future[Any]) -> None:
    """Wait until a job has ended or was cancelled, which `concurrent.futures.wait` can miss."""
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    ended.wait()


def in_background(work: Callable[[], _T], *, gives_way: bool = False) -> Future[_T]:
    """Start work in its own thread, which continues even if nobody waits for it.

    gives_way : run it and its threads at low priority, so that gestures are answered first
    """
    future: Future[_T] = Future()

    def run() -> None:
        if gives_way and sys.platform.startswith("linux"):  # elsewhere threads have no priority of their own
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


_LOG = logging.getLogger("cxg_widget")
_LAST_S = 10.0
"""Longest wait at the end of the process for unfinished work, such as writing a state."""


class AtRest:
    """Calls functions later; a newer call of a key replaces the waiting one.

    The thread is a daemon that runs little but Python: `end` does the remaining work at the end of the process.
    """

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[float, float, Callable[[], object]]] = {}
        self._condition = threading.Condition(threading.RLock())  # a finalizer may reenter in the same thread
        self._thread: threading.Thread | None = None
        self._wakes = 0.0
        self._has_ended = False

    def call(self, key: Hashable, wait_s: float, function: Callable[[], object], *, most_s: float = 60.0) -> None:
        """Call a function `wait_s` seconds after the last call of its key, and at most `most_s` after the first."""
        if self._has_ended:
            _call(function)
            return
        with self._condition:
            # The latest time stays that of the first call: a steady stream of calls cannot delay the work forever.
            last = self._due[key][1] if key in self._due else monotonic() + most_s
            due = min(monotonic() + wait_s, last)
            self._due[key] = due, last, function
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="cxg-widget-at-rest", daemon=True)
                self._thread.start()
            elif due < self._wakes:  # each move of the pointer delays something, which alone wakes nobody
                self._condition.notify()

    def drop(self, key: Hashable) -> bool:
        """Drop the call of a key; return whether there was one."""
        with self._condition:
            was_due = self._due.pop(key, None) is not None
            if was_due and not self._due:
                self._condition.notify()
            return was_due

    def finish(self) -> None:
        """Run all waiting calls now, in this thread."""
        while (function := self._take(None)) is not None:
            _call(function)

    def end(self) -> None:
        """Run all waiting calls now, and from here on run calls at once."""
        with self._condition:
            self._has_ended = True
            thread = self._thread
            self._condition.notify()
        # Python stops daemons anywhere: one that held the lock would block finalizers of widgets forever.
        if thread is not None:
            thread.join(_LAST_S)
        self.finish()

    def finish_if(self, is_meant: Callable[[Hashable], bool]) -> None:
        """Run the waiting calls of some keys now."""
        with self._condition:
            functions = [self._due.pop(key)[2] for key in list(self._due) if is_meant(key)]
        for function in functions:
            _call(function)

    def _take(self, until: float | None) -> Callable[[], object] | None:
        """Remove and return the function that is due first, by a time or at all; None if there is none."""
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
                del function  # its objects may be waiting for their release
                continue
            with self._condition:
                if self._has_ended or not self._due:
                    # Under the lock, so that `call` either wakes this thread or sees that it must start another.
                    self._thread = None
                    return
                self._wakes = min(due for due, _, _ in self._due.values())
                self._condition.wait(max(0.0, self._wakes - monotonic()))
                self._wakes = 0.0


def _call(function: Callable[[], object]) -> None:
    try:
        function()
    except Exception:
        _LOG.exception("delayed work failed; this is a bug of cxg-widget")


AT_REST = AtRest()
atexit.register(AT_REST.end)
