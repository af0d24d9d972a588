"""The dimensions that the arrays of a dataspace share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cxg_widget.datasets.tiledb_cf.group import Note
from cxg_widget.datasets.tiledb_cf.variables import plain
from cxg_widget.errors import InvalidStore


@dataclass(frozen=True)
class Dimension:
    """A dimension that counts.

    Attributes
    ----------
    low : the first value of its domain, 0 in most stores
    size : how many of its values are in use
    """

    name: str
    low: int
    size: int


class Dimensions:
    """All dimensions of a dataspace by name; those that count have a size.

    The domain of an unlimited dimension says nothing, so the size is that of what was written; of several arrays the
    least.

    Raises
    ------
    InvalidStore
        If dimensions of one name have different domains or types.
    """

    def __init__(self, uri: str, note: Note) -> None:
        self._uri = uri
        self._note = note
        self._known: dict[tuple[str, bool], tuple[str, Any]] = {}
        self._sizes: dict[str, list[int]] = {}
        self._lows: dict[str, int] = {}

    def add(self, path: str, schema: Any, extent: Sequence[tuple[Any, Any]] | None, fixed: frozenset[str]) -> None:
        """Take up the dimensions of one array; `fixed` names those that are used as far as their domains go."""
        for position in range(schema.ndim):
            dim = schema.domain.dim(position)
            # In a sparse array whole numbers may be coordinates, such as those of stations, and do not begin at 0.
            counts = is_index(dim) and (not schema.sparse or int(dim.domain[0]) == 0)
            self._agree(path, dim, counts=counts)
            if counts and extent is not None and not schema.sparse:
                name, low = plain(dim.name), int(dim.domain[0])
                last = dim.domain[1] if dim.name in fixed else extent[position][1]
                self._lows[name] = low
                self._sizes.setdefault(name, []).append(int(last) - low + 1)

    def sized(self) -> Mapping[str, Dimension]:
        """Return the dimensions that count, with their sizes."""
        found = {}
        for name, sizes in self._sizes.items():
            if min(sizes) != max(sizes):
                self._note(
                    f"dimension {name!r} has {max(sizes):,} positions in one array and {min(sizes):,} in another; "
                    f"the first {min(sizes):,} are shown."
                )
            found[name] = Dimension(name, self._lows[name], min(sizes))
        return found

    def _agree(self, path: str, dim: Any, *, counts: bool) -> None:
        domain = _domain(dim)
        key = plain(dim.name), counts
        where, known = self._known.setdefault(key, (path, domain))
        if known != domain:
            raise InvalidStore(
                f"{self._uri}: dimension {plain(dim.name)!r} has different domains in different arrays: "
                f"{_told(known)} in {where}, {_told(domain)} in {path}."
            )


def is_index(dim: Any) -> bool:
    """Say whether a dimension counts positions: it is of integers."""
    return bool(np.dtype(dim.dtype).kind in "iu")


def _domain(dim: Any) -> tuple[str, Any, Any]:
    """Return type and limits; unlimited dimensions are alike, wherever exactly their writers ended them."""
    dtype = np.dtype(dim.dtype)
    low, high = dim.domain
    if dtype.kind in "iu" and dtype.itemsize >= 4 and int(high) > np.iinfo(dtype).max // 2:
        return str(dtype), int(low), "unlimited"
    return str(dtype), low, high


def _told(domain: tuple[str, Any, Any]) -> str:
    return f"{domain[1]} to {domain[2]} ({domain[0]})"
