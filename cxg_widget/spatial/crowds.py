"""Finds many points at one place, so that a search for near points visits them as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.morton import DEPTH
from cxg_widget.spatial.quadtree import Quadtree
from cxg_widget.spatial.regions import Runs

_LEAST = 4_096
_AT_ONCE = 1 << 20


def crowds_of(tree: Quadtree) -> Runs:
    """Return runs of places, `_LEAST` or more in each, whose points all have the very same coordinates."""
    nodes = tree.root()
    # Points at one place share their tile at every level: a node with fewer points holds no crowd.
    while len(nodes := nodes[nodes.sizes >= _LEAST]) and nodes.level < DEPTH:
        nodes, _ = tree.split(nodes)
    none = np.empty(0, dtype=np.int64)
    found = [_alike(tree.xy, start, stop) for start, stop in zip(nodes.starts, nodes.stops, strict=True)]
    starts, stops = (np.concatenate([none, *edges]) for edges in zip((none, none), *found, strict=True))
    return Runs(starts, stops, np.ones(starts.size, dtype=np.bool_))


def _alike(xy: NDArray[np.float32], start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the begin and end of long runs of equal points among start <= place < stop."""
    changes = [np.array([start])]
    for first in range(start, stop - 1, _AT_ONCE):
        last = min(first + _AT_ONCE, stop - 1)
        differ = (xy[first:last] != xy[first + 1 : last + 1]).any(axis=1)
        changes.append(first + 1 + np.flatnonzero(differ))
    edges = np.append(np.concatenate(changes), stop)
    is_long = np.diff(edges) >= _LEAST
    return edges[:-1][is_long], edges[1:][is_long]
