"""Functions on one column, independent of a store: codes and categories, strings, row positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue
from cxg_widget.text.half_characters import repaired

ROWS_PER_BLOCK = 1 << 22
"""Rows read at a time from a whole column: 16 MiB of float32, a multiple of the tiles of CXGs."""

Signed = NDArray[np.signedinteger[Any]]


def row_blocks(n: int) -> list[tuple[int, int]]:
    """Split the rows 0..n into blocks (start, stop) of `ROWS_PER_BLOCK`, the last one shorter; at least one."""
    return [(start, min(start + ROWS_PER_BLOCK, n)) for start in range(0, max(n, 1), ROWS_PER_BLOCK)]


def check_block(start: int, stop: int, n_obs: int) -> None:
    """Raise `InvalidValue` if the rows start <= row < stop do not exist."""
    if not 0 <= start <= stop <= n_obs:
        raise InvalidValue(f"rows {start} to {stop} are not a block of this dataset, which has {n_obs:,} obs.")


def tidy_categories(labels: Sequence[Any], missing: str | None = None) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Drop missing and duplicate labels from a list of categories, and return the new code of each stored code.

    None, NaN and the text `missing` are missing. Labels of several types become strings, to fit in one list.

    Returns
    -------
    target : int64 (len(labels) + 1,); `target[code]` is the code in `categories`, -1 if missing. The last entry is -1,
        so that a stored -1 is kept.
    categories : the remaining labels, in their order
    """
    target = np.full(len(labels) + 1, -1, dtype=np.int64)
    kept: dict[Any, int] = {}
    whole = (repaired(label) if isinstance(label, str) else label for label in _of_one_type(labels, missing))
    for code, label in enumerate(whole):
        if not _is_missing(label, missing):
            target[code] = kept.setdefault(label, len(kept))
    return target, tuple(kept)


def _is_missing(label: Any, missing: str | None) -> bool:
    if isinstance(label, str):
        return label == missing
    return label is None or (isinstance(label, float) and math.isnan(label))


def _of_one_type(labels: Sequence[Any], missing: str | None) -> Sequence[Any]:
    types = {type(label) for label in labels if not _is_missing(label, missing)}
    if types <= {str} or types <= {int, float} or types <= {bool}:
        return labels
    return [None if _is_missing(label, missing) else str(label) for label in labels]


def factorize(values: NDArray[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return codes (n,) and the sorted distinct values as Python scalars; the code of NaN and None is -1."""
    if values.dtype == object:
        labels = values.tolist()
        # `np.unique` sorts all objects by comparisons in Python; a set leaves only the few distinct ones to sort.
        distinct = sorted(set(labels) - {None})
        position = {None: -1} | {value: code for code, value in enumerate(distinct)}
        return np.fromiter(map(position.__getitem__, labels), dtype=np.int64, count=len(labels)), distinct
    if values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        # Counting takes an entry for each number between the ends, so these must be close together.
        if high - low < values.size:
            return _factorize_dense(values, low, high)
    known, inverse = np.unique(values, return_inverse=True, equal_nan=True)
    codes = inverse.reshape(-1).astype(np.int64)
    if known.dtype.kind == "f" and len(known) and np.isnan(known[-1]):
        codes[codes == len(known) - 1] = -1
        known = known[:-1]
    return codes, known.tolist()


def _factorize_dense(values: NDArray[Any], low: int, high: int) -> tuple[NDArray[np.int64], list[Any]]:
    """Factorize integers that are close together by counting them, without sorting."""
    # Unsigned ones are shifted in their own dtype, since uint64 does not fit into int64; others might overflow it.
    shifted = values - values.dtype.type(low) if values.dtype.kind == "u" else values.astype(np.int64) - low
    offsets = shifted.astype(np.int64)
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[offsets] = True
    return (np.cumsum(seen) - 1)[offsets], [low + offset for offset in np.flatnonzero(seen).tolist()]


def smallest_codes(codes: NDArray[Any], n_categories: int) -> Signed:
    """Return `codes` in the smallest signed integer type that holds all of them."""
    for dtype in (np.int8, np.int16, np.int32):
        if n_categories <= np.iinfo(dtype).max:
            return np.asarray(codes, dtype=dtype)
    return np.asarray(codes, dtype=np.int64)


def as_strings(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return an object array (n,) of str; bytes are read as UTF-8, lone surrogates as U+FFFD, missing values as ""."""
    # Most labels are ASCII, which has no surrogates to replace.
    texts = [value if type(value) is str and value.isascii() else _as_string(value) for value in values]
    out = np.empty(len(texts), dtype=object)
    out[:] = texts
    return out


def _as_string(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return "" if value is None else repaired(str(value))


def as_time_text(value: Any) -> str:
    """Return a date, a time or a timestamp as text that sorts in the same order; midnight is left out.

    >>> from datetime import date, datetime
    >>> as_time_text(datetime(2024, 1, 31)), as_time_text(datetime(2024, 1, 31, 9, 30)), as_time_text(date(2024, 1, 31))
    ('2024-01-31', '2024-01-31 09:30:00', '2024-01-31')
    """
    text = value.isoformat(sep=" ") if hasattr(value, "hour") and hasattr(value, "year") else str(value)
    return text.removesuffix(" 00:00:00")


def as_scalar(value: Any) -> Any:
    """Return a value of an array as a Python scalar; None if it is missing or NaN."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and math.isnan(plain) else plain


@dataclass(frozen=True)
class CategoryLookup:
    """Maps values to categories.

    Attributes
    ----------
    position : {value: index in `target`}
    target : signed int (k + 1,); code of each value, -1 if it means missing; the last entry is -1
    categories : the remaining ones, in their order
    """

    position: dict[Any, int]
    target: NDArray[np.signedinteger[Any]]
    categories: tuple[Any, ...]

    @classmethod
    def of(
        cls, values: Iterable[Any], declared: Sequence[Any] | None = None, missing: str | None = None
    ) -> CategoryLookup:
        """Order distinct values: declared ones first, in their order, then the others, sorted; `missing` means none."""
        listed = [str(label) for label in declared or () if label is not None]
        labels = list(dict.fromkeys([*listed, *sorted(values)]))
        target, categories = tidy_categories(labels, missing)
        position = {label: place for place, label in enumerate(labels)}
        return cls(position, smallest_codes(target, len(categories)), categories)

    @classmethod
    def gathered(
        cls,
        blocks: Iterable[NDArray[Any]],
        declared: Sequence[Any] | None = None,
        limit: float = np.inf,
        missing: str | None = None,
    ) -> CategoryLookup | None:
        """Scan all blocks of a column; return None as soon as there are more than `limit` distinct values."""
        seen: set[Any] = set()
        for block in blocks:
            seen.update(factorize(block)[1])
            if len(seen) > limit:
                return None
        return cls.of(seen, declared, missing)

    def encode(self, values: NDArray[Any]) -> Codes:
        """Return values (n,), all seen before, as codes; NaN is missing."""
        return self._encode(*factorize(values))

    @staticmethod
    def encode_whole(
        values: NDArray[Any],
        declared: Sequence[Any] | None = None,
        limit: float = np.inf,
        missing: str | None = None,
    ) -> Codes | None:
        """Return a whole column as codes in one pass; None if it has more than `limit` distinct values."""
        codes, distinct = factorize(values)
        return (
            None if len(distinct) > limit else CategoryLookup.of(distinct, declared, missing)._encode(codes, distinct)
        )

    def _encode(self, codes: NDArray[np.int64], distinct: Sequence[Any]) -> Codes:
        # Code -1, a missing value, takes the last entry, which is the -1 at the end of `target`.
        places = np.full(len(distinct) + 1, len(self.target) - 1, dtype=np.int64)
        places[:-1] = [self.position[value] for value in distinct]
        return Codes(self.target[places][codes], self.categories)
