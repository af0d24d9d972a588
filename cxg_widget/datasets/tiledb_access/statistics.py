"""Counts what TileDB has read, from the statistics of each context."""

from __future__ import annotations

import re
from threading import Lock
from weakref import WeakKeyDictionary

import tiledb

from cxg_widget.datasets.base.traffic import Traffic


class Statistics:
    """Traffic of one store, over one context after the other.

    ctx : the first of them; what it has read before does not count
    """

    def __init__(self, ctx: tiledb.Ctx) -> None:
        self._seen: WeakKeyDictionary[tiledb.Ctx, Traffic] = WeakKeyDictionary({ctx: read_so_far(ctx)})
        self._total = Traffic()
        self._lock = Lock()

    def look(self, ctx: tiledb.Ctx) -> Traffic:
        """Add what a context has read since the last look at it, and return all."""
        with self._lock:
            # Under the lock, or two threads would both add the same reads.
            now = read_so_far(ctx)
            self._total = self._total.with_(now.since(self._seen.get(ctx, Traffic())))
            self._seen[ctx] = now
            return self._total


def read_so_far(ctx: tiledb.Ctx) -> Traffic:
    """Return the traffic of a context; after hundreds of reads that takes milliseconds.

    Far away TileDB reads ahead: several small reads, all of them counted, may be one request.
    """
    found = dict(re.findall(r'"Context\.VFS\.(read_byte_num|read_ops_num)": (\d+)', ctx.get_stats(print_out=False)))
    return Traffic(int(found.get("read_byte_num", 0)), int(found.get("read_ops_num", 0)))
