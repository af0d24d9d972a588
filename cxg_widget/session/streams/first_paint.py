"""How a front-end gets its first picture: the first of many points before it asks, the others once those are drawn."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

_MANY_POINTS = 1 << 18
"""Above that the other chunks of points would hold up the first ones: the page takes in one thing after the other."""
_FIRST_POINTS_S = 0.25
"""So long they wait for the first to be drawn; a page in a hidden tab draws none."""


def are_many(n_points: int) -> bool:
    """Say whether the first of so many points go ahead of the others."""
    return n_points > _MANY_POINTS


class FirstPaint:
    """Whether the first points have been drawn."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    def begin(self) -> None:
        """Take note that the first points are drawn, or that nobody waits any more."""
        self._begun.set()

    def ask(self) -> None:
        """Take note that a front-end has requested everything, and has drawn nothing of it."""
        self._begun.clear()

    def hold(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Hold back all but the first chunk of many points, until those are drawn or long enough."""
        for frame in frames:
            message = frame.message
            if isinstance(message, p.Points) and message.start > 0 and are_many(message.n_points):
                self._begun.wait(_FIRST_POINTS_S)
                self._begun.set()
            yield frame
