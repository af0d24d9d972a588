"""Compile the loops and the tests once, for the processes of `make test`: ``python -m tests.compiled``.

Each would else take 20 s for the loops, in threads of its widgets. Meanwhile numba sets Python's warnings aside, for
all threads, and a test may miss the warning that it waits for. A clone has no bytecode of its tests either: collecting
them takes 12 s then, and 4 s once it is written.
"""

from __future__ import annotations

import subprocess
import sys

from cxg_widget.counts.warming import compile_runs
from cxg_widget.draw.aggregate.warming import compile_loops
from cxg_widget.session.session import Session

if __name__ == "__main__":
    collecting = subprocess.Popen([sys.executable, "-m", "pytest", "--collect-only", "-q"], stdout=subprocess.DEVNULL)
    Session.prepare_columns()
    compile_loops()
    compile_runs()
    sys.exit(collecting.wait())
