"""``make fuzz``: a campaign of so many seconds; prints counts and findings, exit status 1 where there is a finding."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fuzz.campaign import ALL_KINDS, Runner, Tally, campaign, mutants, write_intact
from tests.fuzz.growth import grow

_MEMORY = "/dev/shm"
"""Where mutants are made, if it is there: many small files are written and removed."""


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long, 60 where not given")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; the time where not given")
    parser.add_argument("--kinds", nargs="+", choices=ALL_KINDS, default=ALL_KINDS, metavar="KIND")
    parser.add_argument("--one", action="store_true", help="only the first seed of each kind, and all of its outcome")
    parser.add_argument(
        "--growth", type=int, metavar="N", help="instead, see what N cycles of one process leave behind"
    )
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    print(f"seed {seed}, {options.seconds:g} s, {', '.join(options.kinds)}", flush=True)
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="cxg-fuzz-", dir=memory) as folder:
        if options.growth:
            return grow(write_intact(Path(folder), options.kinds), options.kinds, seed, options.growth)
        runner = Runner(write_intact(Path(folder), options.kinds))
        try:
            if options.one:
                for kind in options.kinds:
                    print(kind, runner.run(kind, seed))
                return 0
            end = time.monotonic() + options.seconds
            tally = campaign(runner, mutants(seed, options.kinds), until=end, tell=_tell)
        finally:
            runner.close()
    return show(tally)


def _tell(finding: dict[str, Any]) -> None:
    """Print a finding as the list of known ones keeps it."""
    print(json.dumps(finding), flush=True)


def show(tally: Tally) -> int:
    """Print the counts."""
    print(tally.table())
    print(f"{tally.total.total():,} mutants, {len(tally.findings)} findings")
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
