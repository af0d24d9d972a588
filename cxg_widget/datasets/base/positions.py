"""Where names stand in a list: a few are searched for, many are looked up."""

from __future__ import annotations

from collections.abc import Sequence

from cxg_widget.datasets.base.packed import PackedStrings

_FEW = 32


class Positions:
    """The first position of each name in a list.

    Making a dictionary of 60,000 names takes longer than reading them, so the first 32 are found in their bytes.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._searched = 0
        self._positions: dict[str, int] | None = None

    def get(self, name: str) -> int | None:
        """Return the position of a name, None where it is not in the list."""
        if self._positions is None and isinstance(self._names, PackedStrings) and self._searched < _FEW:
            self._searched += 1
            return self._names.find(name)
        if self._positions is None:
            found: dict[str, int] = {}
            for position, label in enumerate(self._names):
                found.setdefault(label, position)
            self._positions = found
        return self._positions.get(name)
