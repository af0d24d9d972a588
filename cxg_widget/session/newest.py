"""The newest question of a kind, which ends the answers to those before it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from cxg_widget.errors import Overtaken


class Newest:
    """Tells the answers to older questions that they are overtaken.

    Parameters
    ----------
    said : the sentence that they end with
    """

    def __init__(self, described: str) -> None:
        self._told = described
        self._numbers = count(1)
        self._number = 0

    def begin(self) -> Callable[[], None]:
        """End the answers before, and return what raises `Overtaken` as soon as this one is ended too."""
        self._number = number = next(self._numbers)

        def check() -> None:
            if number != self._number:
                raise Overtaken(self._told)

        return check

    def end(self) -> None:
        """End what is being answered."""
        self.begin()
