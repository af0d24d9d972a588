"""Strings of a column packed in two buffers; only requested ones become Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_BYTES_APIECE = 400
"""With more bytes of text than this per requested string, copying takes longer than slicing."""


@dataclass(frozen=True, eq=False)
class PackedStrings(Sequence[str]):
    """A column of strings, 8 bytes and the text each, or some rows of it.

    Attributes
    ----------
    text : uint8 (n_bytes,), UTF-8 of all strings, concatenated; invalid UTF-8 is read as U+FFFD
    starts : int64 (n + 1,); string i is text[starts[i]:starts[i + 1]]
    rows : int64 (k,), indices of the strings, in order; None = all n
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1 if self.rows is None else len(self.rows)

    @overload
    def __getitem__(self, item: int) -> str: ...
    @overload
    def __getitem__(self, item: slice) -> PackedStrings: ...
    def __getitem__(self, item: int | slice) -> str | PackedStrings:
        """Return one string, or the strings of a slice."""
        if isinstance(item, slice):
            return self.pick(item)
        row = range(len(self))[item] if self.rows is None else self.rows[item]
        return self.text[self.starts[row] : self.starts[row + 1]].tobytes().decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self.objects().tolist())

    @property
    def are_same(self) -> bool:
        """Whether all strings are equal."""
        begin, end = self._bounds()
        lengths = end - begin
        if not len(lengths) or not lengths[0]:
            return not lengths.any()
        if (lengths != lengths[0]).any():
            return False
        first = self.text[begin[0] : end[0]]
        return all(bool((self.text[begin + at] == first[at]).all()) for at in range(len(first)))

    @property
    def nbytes(self) -> int:
        """Size of both buffers in bytes."""
        return self.text.nbytes + self.starts.nbytes

    def pick(self, rows: NDArray[np.int64] | slice) -> PackedStrings:
        """Return the strings of `rows` in their order, sharing the buffers."""
        wanted = np.arange(len(self))[rows] if isinstance(rows, slice) else rows
        return PackedStrings(self.text, self.starts, wanted if self.rows is None else self.rows[wanted])

    def objects(self) -> NDArray[np.object_]:
        """Return an object array of str."""
        begin, end = self._bounds()
        pairs = zip(begin.tolist(), end.tolist(), strict=True)
        if len(begin) * _BYTES_APIECE < self.text.size:
            view = self.text.data
            found = [bytes(view[i:j]).decode("utf-8", "replace") for i, j in pairs]
        elif (raw := self.text.tobytes()).isascii():
            whole = raw.decode("ascii")  # cutting str is faster than decoding each piece
            found = [whole[i:j] for i, j in pairs]
        else:
            found = [raw[i:j].decode("utf-8", "replace") for i, j in pairs]
        out = np.empty(len(found), dtype=object)
        out[:] = found
        return out

    def arrow(self) -> Any:
        """Return a pyarrow.LargeStringArray, sharing the buffers if these are all strings.

        Raises
        ------
        pyarrow.ArrowInvalid
            If a string is not UTF-8.
        """
        import pyarrow as pa

        whole = pa.LargeStringArray.from_buffers(
            len(self.starts) - 1, pa.py_buffer(self.starts), pa.py_buffer(self.text)
        )
        found = whole if self.rows is None else whole.take(pa.array(self.rows))
        found.validate(full=True)
        return found

    def find(self, wanted: str) -> int | None:
        """Return the first index of a string, None if it is absent; decodes no string."""
        key = np.frombuffer(wanted.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        begin, end = self._bounds()
        places = np.flatnonzero(end - begin == len(key))
        for at in range(len(key) - 1, -1, -1):  # from the end, where identifiers differ
            if not len(places):  # a text of a million letters took 5 s
                return None
            places = places[self.text[begin[places] + at] == key[at]]
        return int(places[0]) if len(places) else None

    def same_as(self, other: PackedStrings) -> bool:
        """Return whether two whole columns have the same strings."""
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.text, other.text)

    def _bounds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if self.rows is None:
            return self.starts[:-1], self.starts[1:]
        return self.starts[self.rows], self.starts[self.rows + 1]
