"""Speeds up the first picture: the first of many points are sent early, the others after those are drawn."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

_MANY_POINTS = 1 << 18
"""Above this number, the other chunks of points would delay the first ones: the page processes messages one by one."""
_FIRST_POINTS_S = 0.25
"""Longest wait for the first points to be drawn; a page in a hidden tab never draws."""


def are_many(n_points: int) -> bool:
    """Return whether there are so many points that the first ones are sent ahead."""
    return n_points > _MANY_POINTS


class FirstPaint:
    """Whether the first points have been drawn."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    def begin(self) -> None:
        """Record that the first points are drawn, or that nobody waits for them."""
        self._begun.set()

    def ask(self) -> None:
        """Record that a front-end has requested everything, and has drawn nothing yet."""
        self._begun.clear()

    def hold(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Hold back all but the first chunk of many points, until those are drawn or a timeout."""
        for frame in frames:
            message = frame.message
            if isinstance(message, p.Points) and message.start > 0 and are_many(message.n_points):
                self._begun.wait(_FIRST_POINTS_S)
                self._begun.set()
            yield frame
