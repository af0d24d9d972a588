"""Calls that wait for storage far away: several at once, and no longer than one is ready to wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread
from typing import Any, Generic, TypeVar, cast

Result = TypeVar("Result")
_MOST = 32
_LOOK_S = 1.0
_PAUSE_S = 10.0


class _Call(Thread, Generic[Result]):
    """One call in a thread, which the end of the program does not wait for."""

    def __init__(self, call: Callable[[], Result]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self.result: Result | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._call()
        except Exception as error:
            self.error = error


def at_once(calls: Sequence[Callable[[], Result]], seconds: float | None = None) -> list[Result | Exception]:
    """Run calls side by side, and return what each returned or raised.

    A call that is not done after `seconds` in all (None = however long it takes) counts as `TimeoutError`; it goes on
    where nobody listens, because a request cannot be broken off. Ctrl-C does not wait for it either.
    """
    if seconds is None and len(calls) > _MOST:
        return [*at_once(calls[:_MOST]), *at_once(calls[_MOST:])]
    threads: list[_Call[Result]] = [_Call(call) for call in calls]
    for thread in threads:
        thread.start()
    end = None if seconds is None else time.monotonic() + seconds
    for thread in threads:
        thread.join(None if end is None else max(0.0, end - time.monotonic()))
    return [_outcome(thread) for thread in threads]


def unless_refused(call: Callable[[], Result], refusals: Callable[[], int], seconds: float) -> Result:
    """Return what a call returns, however long it takes, unless it is refused again and again.

    Parameters
    ----------
    refusals : says how often the storage has refused so far
    seconds : for how long it may do so, without a pause of 10 s

    Raises
    ------
    TimeoutError
        If it is refused for longer; the call goes on where nobody listens.
    """
    begin = last = time.monotonic()
    thread = _Call(call)
    thread.start()
    thread.join(_LOOK_S)
    n = refusals() if thread.is_alive() else 0
    while thread.is_alive():
        thread.join(_LOOK_S)
        now, before, n = time.monotonic(), n, refusals()
        if n == before:
            begin = now if now - last > _PAUSE_S else begin
        elif now - begin >= seconds:
            raise TimeoutError("refused again and again")
        else:
            last = now
    found = _outcome(thread)
    if isinstance(found, Exception):
        raise found
    return cast(Result, found)


def _outcome(thread: _Call[Any]) -> Any:
    if thread.is_alive():
        return TimeoutError("no answer in time")
    return thread.result if thread.error is None else thread.error


def read_ahead(read: Callable[[str], Result], names: Sequence[str]) -> Callable[[str], Result]:
    """Read by all names side by side, and return a function that returns or raises what came of each."""
    found = dict(zip(names, at_once([partial(read, name) for name in names]), strict=True))

    def told(name: str) -> Result:
        outcome = found[name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return told
