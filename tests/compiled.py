"""Compile all loops once, for the processes of `make test`: ``python -m tests.compiled``.

Each would else take 20 s for it, in threads of its widgets. Meanwhile numba sets Python's warnings aside, for all
threads, and a test may miss the warning that it waits for.
"""

from __future__ import annotations

from cxg_widget.counts.warming import compile_runs
from cxg_widget.draw.aggregate.warming import compile_loops
from cxg_widget.session.session import Session

if __name__ == "__main__":
    Session.prepare_columns()
    compile_loops()
    compile_runs()
