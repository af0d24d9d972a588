"""Strings of a whole column in two buffers, of which only the wanted ones become Python objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class PackedStrings:
    """A column of n strings, 8 bytes and its text each.

    Attributes
    ----------
    text : uint8 (n_bytes,), UTF-8 of all strings behind each other
    starts : int64 (n + 1,); string i is text[starts[i]:starts[i + 1]]
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.object_]:
        """Return the strings of `rows` in their order (None = all) as an object array of str."""
        first = self.starts[:-1] if rows is None else self.starts[rows]
        last = self.starts[1:] if rows is None else self.starts[rows + 1]
        raw = self.text.tobytes()
        found = [raw[i:j].decode("utf-8", "replace") for i, j in zip(first.tolist(), last.tolist(), strict=True)]
        out = np.empty(len(found), dtype=object)
        out[:] = found
        return out
