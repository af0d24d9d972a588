"""Validate in a process of its own, since TileDB may end the process that reads damaged text."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from cxg_widget.datasets.cxg.validation.validate import Report, validate
from cxg_widget.errors import CxgWidgetError, DamagedStore

_MOST_ENDINGS = 20
"""After that many parts that end the process, a store is not looked at any further."""


def validate_apart(path: str, *, quick: bool = False, options: Mapping[str, Any] | None = None) -> Report:
    """Check a CXG as `validate` does, but survive what ends the process that reads it.

    What was being read when the process ended counts as damaged, and the check begins anew without it.

    Parameters
    ----------
    path, quick : as for `validate`
    options : of `validate` by name, values that can be pickled

    Raises
    ------
    DatasetNotFound, StorageError
        As `validate`.
    DamagedStore
        If more than 20 parts end the process, or one that nobody can name.
    """
    fatal: dict[str, str] = {}
    while len(fatal) <= _MOST_ENDINGS:
        outcome, reading, ending = _attempt(path, quick, dict(options or {}), fatal)
        if isinstance(outcome, CxgWidgetError):
            raise outcome
        if outcome is not None:
            return outcome
        if reading is None or reading in fatal:
            raise DamagedStore(f"{path}: reading it ended the process ({ending}).")
        fatal[reading] = f"{path}: reading it ended the process ({ending}), as text with damaged offsets does."
    raise DamagedStore(f"{path}: reading any of {_MOST_ENDINGS} parts ended the process.")


def _attempt(
    path: str, quick: bool, options: dict[str, Any], fatal: Mapping[str, str]
) -> tuple[Report | CxgWidgetError | None, str | None, str]:
    """Return what came out, None if nothing did; what was read last; how the process ended."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_check, args=(theirs, path, quick, options, dict(fatal)), daemon=True)
    child.start()
    theirs.close()
    outcome, reading = None, None
    try:
        with suppress(EOFError):
            while outcome is None:
                message = ours.recv()
                if isinstance(message, str):
                    reading = message
                else:
                    outcome = message
    finally:
        ours.close()
        if outcome is None:
            child.join(1)
        child.terminate()
        child.join()
    return outcome, reading, _name(child.exitcode)


def _check(connection: Connection, path: str, quick: bool, options: dict[str, Any], fatal: dict[str, str]) -> None:
    """Say what is read next, then what came of it all."""
    try:
        connection.send(validate(path, quick=quick, tell=connection.send, fatal=fatal, **options))
    except CxgWidgetError as error:
        connection.send(error)
    except (KeyboardInterrupt, BrokenPipeError):
        return


def _name(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"exit status {exitcode}"
    try:
        return signal.Signals(-exitcode).name
    except ValueError:
        return f"signal {-exitcode}"
