"""Compact columns that color points, in the order of a spatial index, for `canvas.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.draw.aggregate.task import over_lines
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import MISSING_U16

BLOCK = 1 << 18
"""Points that a thread reorders at once. NumPy widens rows to 8 bytes to take them: 2 MiB, not 80 for 10 M cells."""
_SPARSE_SHARE = 4


@dataclass(frozen=True)
class CategoryColumn:
    """Codes of k categories.

    codes : uint8 or uint16 (n,); missing = the dtype's maximum
    n_categories : k
    """

    codes: NDArray[np.uint8 | np.uint16]
    n_categories: int
    has_missing: bool

    @property
    def missing_code(self) -> int:
        """Code of a missing cell."""
        return int(np.iinfo(self.codes.dtype).max)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.codes.nbytes


@dataclass(frozen=True)
class NumberColumn:
    """Numbers of every cell.

    codes : uint16 (n,); 65535 = missing
    levels : numbers of the codes
    """

    codes: NDArray[np.uint16]
    levels: Levels
    has_missing: bool

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.codes.nbytes


@dataclass(frozen=True)
class SparseColumn:
    """Numbers that are mostly equal.

    places : uint32 (k,) ascending, the listed places
    xy : float32 (k, 2), their coordinates, so that those of other places need not be read
    codes : uint16 (k,); 65535 = missing
    levels : numbers of the codes
    fill : code of every unlisted place; not missing
    """

    places: NDArray[np.uint32]
    xy: NDArray[np.float32]
    codes: NDArray[np.uint16]
    fill: int
    levels: Levels
    has_missing: bool

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.places.nbytes + self.xy.nbytes + self.codes.nbytes


ViewColumn = CategoryColumn | NumberColumn | SparseColumn
Places = NDArray[np.integer[Any]] | slice


def shown_at(
    column: ViewColumn | None, visible: NDArray[np.bool_] | None
) -> Callable[[NDArray[Any]], NDArray[np.bool_]] | None:
    """Return the mask of visible categories, bool (k + 1,), missing last; None if all are visible."""
    if visible is None or not isinstance(column, CategoryColumn):
        return None
    codes, last = column.codes, column.n_categories
    return lambda places: np.asarray(visible[np.minimum(codes[places], last)])


def codes_at(column: NumberColumn | SparseColumn, places: Places) -> NDArray[np.uint16]:
    """Return the codes of some places; 65535 = missing."""
    if isinstance(column, NumberColumn):
        return column.codes[places]
    if isinstance(places, slice):
        codes = np.full(places.stop - places.start, column.fill, dtype=np.uint16)
        first, last = np.searchsorted(column.places, (places.start, places.stop))
        codes[column.places[first:last] - np.uint32(places.start)] = column.codes[first:last]
        return codes
    codes = np.full(places.size, column.fill, dtype=np.uint16)
    at = np.searchsorted(column.places, places)
    listed = at < np.searchsorted(column.places, places, side="right")
    codes[listed] = column.codes[at[listed]]
    return codes


def numbers_at(column: NumberColumn | SparseColumn, places: Places) -> NDArray[np.float64]:
    """Return the numbers of some places in their own units, by their codes; NaN = missing."""
    return column.levels.decode(codes_at(column, places))


def arrange(index: SpatialIndex, data: Codes | Numbers | None) -> ViewColumn | None:
    """Return a coloring in the order of an index; None (no coloring) stays None."""
    if data is None:
        return None
    if isinstance(data, Codes):
        return arrange_codes(index, data)
    return arrange_vector(index, data.vector, data.levels)


def arrange_codes(index: SpatialIndex, codes: Codes) -> CategoryColumn:
    """Return codes in order as uint8, or uint16 above 254 categories."""
    k = len(codes.categories)
    dtype: type[np.uint8 | np.uint16] = np.uint8 if k <= 254 else np.uint16
    out = np.empty(index.rows.size, dtype=dtype)
    # -1 becomes the maximum of an unsigned dtype.
    _reorder(index, out, lambda rows: np.take(codes.codes, rows).astype(dtype))
    return CategoryColumn(out, k, _holds(out, np.iinfo(dtype).max))


def arrange_vector(index: SpatialIndex, vector: Vector, levels: Levels) -> NumberColumn | SparseColumn:
    """Return numbers in order.

    Parameters
    ----------
    vector : as from `Dataset.vector`, or any dense numbers in row order
    levels : of the codes

    Returns
    -------
    a sparse column if less than a quarter of the places differ from the fill, else one of all places
    """
    n = index.rows.size
    out = np.empty(n, dtype=np.uint16)
    if vector.rows is None:
        _reorder(index, out, lambda rows: levels.encode(np.take(vector.values, rows)))
        return NumberColumn(out, levels, _holds(out, MISSING_U16))
    fill = int(levels.encode(np.array([vector.fill]))[0])
    # By row first, 2 bytes a cell for a moment: `index.places` would take 4 from now on, and its first use 80 ms.
    by_row = np.full(index.n_obs, fill, dtype=np.uint16)
    for block in _blocks(vector.rows.size):
        by_row[vector.rows[block]] = levels.encode(vector.values[block])
    _reorder(index, out, lambda rows: np.take(by_row, rows))
    if fill == MISSING_U16 or vector.rows.size * _SPARSE_SHARE >= n:
        return NumberColumn(out, levels, _holds(out, MISSING_U16))
    return _sparse(index, out, fill, levels)


def arrange_mask(index: SpatialIndex, mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return bool (n_obs,) in order as packed bits, uint8 (ceil(n / 8),), first place in the lowest bit."""
    n = index.rows.size
    bits = np.empty(-(-n // 8), dtype=np.uint8)

    def pack(block: slice) -> None:
        # A block has a multiple of eight places, so that no byte belongs to two blocks.
        packed = pack_mask(np.take(mask, index.rows[block]))
        bits[block.start // 8 : block.start // 8 + packed.size] = packed

    _each_block(n, pack)
    return bits


def _reorder(index: SpatialIndex, out: NDArray[Any], values_of: Callable[[NDArray[np.uint32]], NDArray[Any]]) -> None:
    """Fill `out` in the order of an index with the values of its rows."""

    def fill(block: slice) -> None:
        out[block] = values_of(index.rows[block])

    _each_block(out.size, fill)


def _each_block(n: int, act: Callable[[slice], None]) -> None:
    """Call `act` for blocks of the places, in threads; NumPy lets others run while it takes rows."""
    blocks = list(_blocks(n))

    def act_on(first: int, last: int) -> None:
        for block in blocks[first:last]:
            act(block)

    if len(blocks) > 1:
        over_lines(len(blocks), act_on)
    else:
        act_on(0, 1)


def _sparse(index: SpatialIndex, codes: NDArray[np.uint16], fill: int, levels: Levels) -> SparseColumn:
    found = [block.start + np.flatnonzero(codes[block] != fill) for block in _blocks(codes.size)]
    places = np.concatenate([np.zeros(0, np.int64), *found]).astype(np.uint32)
    listed = codes[places]
    # The coordinates are copied too: a gene of 5 % of 10 M cells takes 2.6 ms in two threads, by place 7 (decision 11).
    return SparseColumn(places, index.xy[places], listed, fill, levels, _holds(listed, MISSING_U16))


def _holds(codes: NDArray[Any], code: int) -> bool:
    return any(bool((codes[block] == code).any()) for block in _blocks(codes.size))


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))
