"""What one process keeps of many damaged stores that it opened, read and closed."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from cxg_widget.datasets import Dataset
from tests.fuzz.campaign import mutants
from tests.fuzz.child import Child, rss_mib

_TOLD = 10
ALLOWED_MIB = 30.0
"""What RSS may differ by from the second tenth of the cycles to the last, beside what goes up and down by itself."""


class _Silent:
    def send(self, _: object) -> None:
        pass


def grow(intact: Path, kinds: Sequence[str], seed: int, cycles: int) -> int:
    """Run cycles, print what the process holds ten times; exit status 1 where it grew.

    A cycle damages a store, opens, reads, draws and closes it. Seeds that are known to end the process must not be
    among them.
    """
    seen = list(_measures(intact, kinds, seed, cycles, print))
    first, last = seen[1], seen[-1]
    has_grown = last[0] - first[0] > ALLOWED_MIB or any(last[at] > first[at] for at in (1, 2, 3))
    print("it grew" if has_grown else "nothing grew")
    return int(has_grown)


def _measures(
    intact: Path, kinds: Sequence[str], seed: int, cycles: int, tell: Callable[[str], object]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield RSS in MiB, threads, open files and datasets alive, ten times."""
    child, pipe = Child(intact), _Silent()
    steps = islice(mutants(seed, kinds), cycles)
    for number, (kind, one) in enumerate(steps, 1):
        child.run(kind, one, pipe)
        if number % max(1, cycles // _TOLD) == 0:
            gc.collect()
            alive = sum(isinstance(one, Dataset) and not one.closed for one in gc.get_objects())
            found = rss_mib(), len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), alive
            tell(f"{number:,} cycles: {found[0]:,.0f} MiB, {found[1]} threads, {found[2]} files, {alive} datasets open")
            yield found
