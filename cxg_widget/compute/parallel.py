"""Runs calls that wait for remote storage in parallel, one thread each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")
_MOST = 32
_LOOK_S = 0.5


class Call(Thread, Generic[Result]):
    """One call in a thread that does not delay the end of the program; its `outcome` is a result or an error."""

    def __init__(self, call: Callable[[], Result]) -> None:
        # A pool of `concurrent.futures` would be joined at exit, and a request to a bucket cannot be aborted.
        super().__init__(daemon=True)
        self._call = call
        self.outcome: Result | Exception = TimeoutError("no answer in time")

    def run(self) -> None:
        """Make the call, in the thread."""
        try:
            self.outcome = self._call()
        except Exception as error:
            self.outcome = error


def run_parallel(calls: Sequence[Callable[[], Result]], seconds: float | None = None) -> list[Result | Exception]:
    """Run calls in parallel, and return what each returned or raised.

    A call that is not done after `seconds` in total (None = no limit) counts as `TimeoutError`; it continues in the
    background, since a request cannot be aborted. Ctrl-C does not wait for it either.
    """
    if seconds is None and len(calls) > _MOST:
        return [*run_parallel(calls[:_MOST]), *run_parallel(calls[_MOST:])]
    threads = [Call(call) for call in calls]
    for thread in threads:
        thread.start()
    end = math.inf if seconds is None else time.monotonic() + seconds
    for thread in threads:
        # In slices: Python handles an interrupt that comes just before a wait only after that wait.
        while thread.is_alive() and (left := end - time.monotonic()) > 0:
            thread.join(min(left, _LOOK_S))
    return [thread.outcome for thread in threads]


def read_ahead(read: Callable[[str], Result], names: Sequence[str]) -> Callable[[str], Result]:
    """Read all names in parallel, and return a function that returns or raises the outcome of each."""
    found = dict(zip(names, run_parallel([partial(read, name) for name in names]), strict=True))

    def result(name: str) -> Result:
        outcome = found[name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return result


def gather(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run calls in parallel, and return their results; raises the first error among them."""
    found: list[Result] = []
    for outcome in run_parallel(calls):
        if isinstance(outcome, Exception):
            raise outcome
        found.append(outcome)
    return found
