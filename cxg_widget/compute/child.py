"""Runs work in a child process, for libraries that damaged files can crash or block."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from threading import Timer
from typing import IO, Any

from cxg_widget.errors import CxgWidgetError

Tell = Callable[[str], object]
"""Called with the name of the next read, to locate a crash."""

_START = "import sys; sys.path[:] = {path!r}; from cxg_widget.compute.child import answer; answer()"


@dataclass(frozen=True)
class Attempt:
    """Outcome of work in a child process.

    outcome : result of the work, or an error of this package; None if the process ended before
    reading : last read that the work reported; None if it reported none
    ending : how the process ended, for a sentence; "" with an outcome
    """

    outcome: Any
    reading: str | None
    ending: str


def attempt(work: Callable[..., Any], *arguments: Any, silence_s: float | None = None) -> Attempt:
    """Call work(tell, *arguments) in a child process, and wait for its result.

    `multiprocessing` is not used, since it runs the main script again in the new process.

    Parameters
    ----------
    work : a function of a module; its arguments and result must be picklable
    silence_s : end the process if it is silent for so long after its start; None = wait

    Raises
    ------
    Exception
        Errors of `pickle`, if an argument cannot be sent.
    """
    sent = pickle.dumps((work, arguments))
    # Absolute, because "" in the path means the working folder of this process.
    code = _START.format(path=[os.path.abspath(one) for one in sys.path])
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        outcome, reading, was_silent = _follow(child, sent, child.stdin, child.stdout, silence_s)
        if outcome is not None:
            return Attempt(outcome[0], reading or None, "")
        status = child.wait()
        return Attempt(None, reading or None, f"no answer for {silence_s:g} s" if was_silent else _name(status))
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def answer() -> None:
    """In the child: run the work that the parent sends, and answer on the former standard output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a library is not an answer
    work, arguments = pickle.load(sys.stdin.buffer)

    def send(message: Any) -> None:
        pickle.dump(message, out)
        out.flush()

    try:
        send("")  # from now on silence counts
        try:
            found = work(send, *arguments)
        except CxgWidgetError as error:
            found = error
        send((found,))
    except (KeyboardInterrupt, BrokenPipeError):
        return
    os._exit(0)  # a library in a bad state may never finish its cleanup


def _follow(
    child: subprocess.Popen[bytes], sent: bytes, into: IO[bytes], out: IO[bytes], silence_s: float | None
) -> tuple[tuple[Any] | None, str | None, bool]:
    """Send the work; return its outcome in a tuple or None, the last reported read, and whether it fell silent."""
    reading: str | None = None
    silences: list[bool] = []

    def end() -> None:
        silences.append(True)
        child.kill()

    try:
        into.write(sent)
        into.flush()
        while True:
            timer = Timer(silence_s, end) if silence_s is not None and reading is not None else None
            if timer is not None:
                timer.start()
            try:
                message = pickle.load(out)  # from our own child process
            finally:
                if timer is not None:
                    timer.cancel()
            if not isinstance(message, str):
                return message, reading, False
            reading = message
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        return None, reading, bool(silences)


def _name(exitcode: int) -> str:
    if exitcode >= 0:
        return f"exit status {exitcode}"
    try:
        return signal.Signals(-exitcode).name
    except ValueError:
        return f"signal {-exitcode}"
