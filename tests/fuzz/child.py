"""The process that damages and reads: one for many mutants, since it may die, hang or grow."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from tests.fuzz.declared import DECLARED
from tests.fuzz.messages import Messages
from tests.fuzz.mutations import mutate
from tests.fuzz.outcome import Outcome, judge
from tests.fuzz.readout import Readout, read
from tests.fuzz.states import try_state
from tests.fuzz.stores import KINDS
from tests.memory import small

MESSAGES, STATES = "messages", "states"
_PAGE = 4096
_ROOM = 3 * 2**30
"""Addresses beyond those of a process that has read an intact store; threads and libraries take some of them."""


def seed_of(kind: str, seed: int) -> np.random.Generator:
    """Return the random numbers of one mutant."""
    return np.random.default_rng([seed, *kind.encode()])


def mutant(intact: Path, kind: str, seed: int, folder: Path) -> tuple[Path, str, str]:
    """Make the mutant of a seed in a folder; return where, the name of the mutation and what it changed."""
    rng = seed_of(kind, seed)
    if kind not in DECLARED:
        store = _copy(intact, kind, folder)
        return store, *mutate(store, rng)
    store = _copy(intact, stored_as(kind, seed), folder)
    return store, *mutate(store, rng, {kind: DECLARED[kind]})


def stored_as(kind: str, seed: int) -> str:
    """Return the kind of store that a mutant is of: declared sizes and names are changed in each kind in turn."""
    return list(KINDS)[seed % len(KINDS)] if kind in DECLARED else kind


def _copy(intact: Path, kind: str, folder: Path) -> Path:
    source, store = intact / kind / KINDS[kind].name, folder / KINDS[kind].name
    (shutil.copytree if source.is_dir() else shutil.copy2)(source, store)
    return store


class Child:
    """Damages copies of intact stores and reads them.

    Parameters
    ----------
    intact : a folder with a folder for each kind of store; mutants are made beside these
    """

    def __init__(self, intact: Path) -> None:
        self._intact = intact
        self._known: dict[str, Readout] = {}
        self._messages: Messages | None = None

    def run(self, kind: str, seed: int, tell: Connection) -> Outcome:
        """Make one mutant and read it; say before what is being read."""
        if kind == MESSAGES:
            self._messages = self._messages or Messages()
            return self._messages.send(seed_of(kind, seed))
        if kind == STATES:
            return try_state(small(300), seed_of(kind, seed))
        stored = stored_as(kind, seed)
        intact = self._read_intact(stored)
        with tempfile.TemporaryDirectory(dir=self._intact) as folder:
            store, mutation, where = mutant(self._intact, kind, seed, Path(folder))
            tell.send(f"{mutation} of {where}")
            found = read(store, KINDS[stored].options, lambda part: tell.send(f"{mutation} of {where}; {part}"))
        return judge(intact, found, mutation, where)

    def _read_intact(self, kind: str) -> Readout:
        if kind not in self._known:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            one = KINDS[kind]
            with tempfile.TemporaryDirectory(dir=self._intact) as folder:
                self._known[kind] = read(_copy(self._intact, kind, Path(folder)), one.options)
            if self._known[kind].foreign:
                raise RuntimeError(f"the intact {kind} cannot be read: {self._known[kind].foreign}")
            limit_memory()
        return self._known[kind]


def limit_memory() -> None:
    """Let this process take no more than some memory beyond what it has."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (used + _ROOM, resource.RLIM_INFINITY))


def rss_mib() -> float:
    """Return what memory this process has in use, MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


def serve(connection: Connection, intact: str) -> None:
    """Answer each (kind, seed) with its outcome."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    os.dup2(sys.stderr.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = Child(Path(intact))
    try:
        while True:
            kind, seed = connection.recv()
            connection.send(child.run(kind, seed, connection))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
