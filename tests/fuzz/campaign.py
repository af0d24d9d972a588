"""Run mutants in children, count their outcomes, and keep those that must not be."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.child import MESSAGES, STATES, serve
from tests.fuzz.declared import DECLARED
from tests.fuzz.outcome import FINDINGS, OUTCOMES, Outcome
from tests.fuzz.stores import KINDS

ALL_KINDS = (*KINDS, MESSAGES, STATES, *DECLARED)
SILENCE_S = 20.0
"""A part of a small store for which a child works longer is a hang; others may keep it waiting meanwhile."""
_PATIENCE = 6
"""So many times as long by the clock is a hang whatever was worked: a child may also wait for ever."""
_START_S = 180.0
"""So long a child may take for its imports, and for reading an intact store the first time."""


@dataclass
class Tally:
    """Counts of outcomes by kind of store, and the seeds of findings."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    findings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, seed: int, outcome: Outcome) -> dict[str, Any] | None:
        """Count one outcome; return it as it is kept where it is a finding."""
        self.counts[kind][outcome.kind] += 1
        if outcome.kind not in FINDINGS:
            return None
        seen = asdict(outcome)
        self.findings.append({"store": kind, "seed": seed, "outcome": seen.pop("kind"), **seen})
        return self.findings[-1]

    @property
    def total(self) -> Counter[str]:
        """Counts over all kinds."""
        return sum(self.counts.values(), Counter())

    def table(self) -> str:
        """Return the counts as a table in Markdown."""
        head = ["store", *OUTCOMES]
        rows = [[kind, *(str(self.counts[kind][one]) for one in OUTCOMES)] for kind in self.counts]
        rows.append(["all", *(str(self.total[one]) for one in OUTCOMES)])
        lines = [head, ["---", *["--:"] * len(OUTCOMES)], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


class Runner:
    """One child at a time, begun anew where it died or hung."""

    def __init__(self, intact: Path, *, silence_s: float = SILENCE_S) -> None:
        self._intact, self._silence_s = intact, silence_s
        self._child: Any = None
        self._pipe: Any = None

    def run(self, kind: str, seed: int) -> Outcome:
        """Return the outcome of one mutant; a crash and a hang are outcomes."""
        if self._child is None:
            self._start()
        reading, patience = "before it was read", _START_S
        try:
            self._pipe.send((kind, seed))
            while self._speaks(patience):
                message = self._pipe.recv()
                if isinstance(message, Outcome):
                    return message
                reading, patience = message, self._silence_s
        except (EOFError, ConnectionError):
            self._child.join()
            return self._ended("crash", f"{_name(self._child.exitcode)}, {reading}", reading)
        return self._ended("hang", f"nothing for {patience:.0f} s, {reading}", reading)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._pipe.close()
            self._child.kill()
            self._child.join()
            self._child = None

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")  # whose process imports once what all children need
        context.set_forkserver_preload(["tests.fuzz.child"])
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=serve, args=(theirs, str(self._intact)), daemon=True)
        self._child.start()
        theirs.close()

    def _speaks(self, silence_s: float) -> bool:
        begun, worked_before = time.monotonic(), _worked_s(self._child.pid)
        while not self._pipe.poll(min(1.0, silence_s)):
            silent = time.monotonic() - begun
            worked = _worked_s(self._child.pid) - worked_before
            if silent >= _PATIENCE * silence_s or min(silent, worked) >= silence_s:
                return False
        return True

    def _ended(self, kind: str, what: str, reading: str) -> Outcome:
        self.close()
        mutation, _, where = reading.partition(" of ")
        return Outcome(kind, what, mutation, where.partition("; ")[0])


def write_intact(folder: Path, kinds: Iterable[str] = KINDS) -> Path:
    """Write the intact stores, each in a folder of its own, where they are not yet; sizes and names take all."""
    for name in KINDS if set(DECLARED) & set(kinds) else kinds:
        if name in KINDS and not (folder / name).exists():
            (folder / name).mkdir(parents=True)
            KINDS[name].write(folder / name)
    return folder


def campaign(
    runner: Runner,
    mutants: Iterable[tuple[str, int]],
    *,
    until: float | None = None,
    tell: Callable[[dict[str, Any]], object] = lambda _: None,
) -> Tally:
    """Run mutants (kind, seed) in turn, as long as there are some and it is not later than `until` (monotonic, s).

    tell : called with each finding; Ctrl-C ends the campaign as `until` does
    """
    tally = Tally()
    with suppress(KeyboardInterrupt):
        for kind, seed in mutants:
            if until is not None and time.monotonic() > until:
                break
            finding = tally.add(kind, seed, runner.run(kind, seed))
            if finding is not None:
                tell(finding)
    return tally


def mutants(seed: int, kinds: Iterable[str] = ALL_KINDS) -> Iterator[tuple[str, int]]:
    """Return mutants without end: each kind in turn, each with the next seed."""
    names = tuple(kinds)
    while True:
        for name in names:
            yield name, seed
        seed += 1


def known(path: Path) -> list[dict[str, Any]]:
    """Return the findings of earlier campaigns."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _worked_s(pid: int) -> float:
    """Return the processor time that a process has used, s."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _name(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"exit status {exitcode}"
    return signal.Signals(-exitcode).name
