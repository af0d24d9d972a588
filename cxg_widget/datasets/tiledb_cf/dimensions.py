"""Dimensions that the arrays of a dataspace share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cxg_widget.datasets.tiledb_cf.group import Note
from cxg_widget.datasets.tiledb_cf.variables import plain
from cxg_widget.errors import InvalidStore


@dataclass(frozen=True)
class Dimension:
    """A dimension that counts positions.

    low : first value of its domain, 0 in most stores
    size : number of positions in use
    """

    name: str
    low: int
    size: int


def shared_dimensions(
    uri: str, opened: Iterable[tuple[str, Any, Sequence[tuple[Any, Any]], frozenset[str]]], note: Note
) -> Mapping[str, Dimension]:
    """Return the dimensions that count positions, by name.

    The domain of an unlimited dimension does not give its size. So the size is the extent of the written data; of
    several arrays, the smallest.

    opened : path, schema and extent of each array, and its dimensions that are filled to the end of their domains
    """
    known: dict[tuple[str, bool], tuple[str, Any]] = {}
    sizes: dict[str, list[int]] = {}
    lows: dict[str, int] = {}
    for path, schema, extent, fixed in opened:
        for position in range(schema.ndim):
            dim = schema.domain.dim(position)
            # In a sparse array, integers may be coordinates, such as station numbers; those do not start at 0.
            name, counts = plain(dim.name), is_index(dim) and (not schema.sparse or int(dim.domain[0]) == 0)
            own = _domain(dim)
            where, domain = known.setdefault((name, counts), (path, own))
            if domain != own:
                raise InvalidStore(
                    f"{uri}: dimension {name!r} has different domains in different arrays: "
                    f"{_describe_domain(domain)} in {where}, {_describe_domain(own)} in {path}."
                )
            if counts and not schema.sparse:
                lows[name] = int(dim.domain[0])
                last = dim.domain[1] if dim.name in fixed else extent[position][1]
                sizes.setdefault(name, []).append(int(last) - lows[name] + 1)
    for name, found in sizes.items():
        if min(found) != max(found):
            note(
                f"dimension {name!r} has {max(found):,} positions in one array and {min(found):,} in another; "
                f"the first {min(found):,} are shown."
            )
    return {name: Dimension(name, lows[name], min(found)) for name, found in sizes.items()}


def is_index(dim: Any) -> bool:
    """Return whether a dimension can count positions, that is, whether it is of integers."""
    return bool(np.dtype(dim.dtype).kind in "iu")


def _domain(dim: Any) -> tuple[str, Any, Any]:
    """Return type and limits; unlimited dimensions compare equal although writers end their domains differently."""
    dtype = np.dtype(dim.dtype)
    low, high = dim.domain
    if dtype.kind in "iu" and dtype.itemsize >= 4 and int(high) > np.iinfo(dtype).max // 2:
        return str(dtype), int(low), "unlimited"
    return str(dtype), low, high


def _describe_domain(domain: tuple[str, Any, Any]) -> str:
    return f"{domain[1]} to {domain[2]} ({domain[0]})"
