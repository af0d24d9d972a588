"""What one process keeps of many damaged stores that it opened, read and closed."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from cxg_widget.datasets import Dataset
from tests.allocated import allocated_mib
from tests.fuzz.campaign import known, mutants
from tests.fuzz.child import Child, rss_mib

FINDINGS = Path(__file__).with_name("findings.json")
_TOLD = 10
ALLOWED_MIB = 30.0
"""What RSS may differ by from the second tenth of the cycles to the least of the last three: it goes up and down."""
LEAKED_KIB = 20.0
"""What malloc may have given out for good for each cycle: TileDB's bindings never free 0.55 KiB of each query."""
WARMING_MIB = 4.0
"""What comes with what is used for the first time after the second tenth."""
MORE_THREADS = 5
"""Those of pools, which end when nothing has been asked of them for a while."""


class _Silent:
    def send(self, _: object) -> None:
        pass


def grow(intact: Path, kinds: Sequence[str], seed: int, cycles: int) -> int:
    """Run cycles, print what the process holds ten times; exit status 1 where it grew.

    A cycle damages a store, opens, reads, draws and closes it. Seeds that are known to end the process are left out.
    """
    os.environ["RUST_BACKTRACE"] = "0"  # Lance would load the symbols of its library at its first panic, 36 MiB
    seen = list(_measures(intact, kinds, seed, cycles, print))
    first, last = seen[1], tuple(map(min, *seen[-3:]))
    leaked = LEAKED_KIB * (cycles - cycles // 5) / 1024
    allowed = (ALLOWED_MIB, leaked + WARMING_MIB, MORE_THREADS, 0, 0)
    has_grown = any(after - before > most for before, after, most in zip(first, last, allowed, strict=True))
    print("it grew" if has_grown else "nothing grew")
    return int(has_grown)


def _measures(
    intact: Path, kinds: Sequence[str], seed: int, cycles: int, tell: Callable[[str], object]
) -> Iterator[tuple[float, float, int, int, int]]:
    """Yield RSS and what malloc has given out in MiB, threads, open files and datasets alive, ten times."""
    child, pipe = Child(intact), _Silent()
    below = {(one["store"], one["seed"]) for one in known(FINDINGS) if one.get("isolated")}
    steps = islice((one for one in mutants(seed, kinds) if one not in below), cycles)
    for number, (kind, one) in enumerate(steps, 1):
        child.run(kind, one, pipe)
        if number % max(1, cycles // _TOLD) == 0:
            gc.collect()
            alive = sum(isinstance(one, Dataset) and not one.closed for one in gc.get_objects())
            tasks, files = len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
            found = rss_mib(), allocated_mib(), tasks, files, alive
            memory = f"{found[0]:,.0f} MiB, {found[1]:,.1f} given out"
            tell(f"{number:,} cycles: {memory}, {tasks} threads, {files} files, {alive} datasets open")
            yield found
