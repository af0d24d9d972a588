"""Compile all loops once, for the processes of `make test`: ``python -m tests.compiled``.

Each would else take 20 s for it, in threads of its widgets. Meanwhile numba sets Python's warnings aside, for all
threads, and a test may miss the warning that it waits for.
"""

from __future__ import annotations

from cxg_widget.compare.loops import warming as compare
from cxg_widget.counts import warming as counts
from cxg_widget.draw.aggregate import warming as images
from cxg_widget.table import order as table

if __name__ == "__main__":
    for loops in (counts, compare, images, table):
        loops.compile_loops()
    counts.compile_runs()
