"""Columns of Arrow as NumPy arrays, packed strings and codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_time_text, smallest_codes, tidy_categories
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import Codes, as_plain
from cxg_widget.errors import DamagedStore

ArrowColumn: TypeAlias = "pa.Array | pa.ChunkedArray"


def is_text(type_: pa.DataType) -> bool:
    """Return whether a type is text, in any of Arrow's layouts."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def as_large_text(column: ArrowColumn) -> ArrowColumn:
    """Return text as large_string, from which every version of Arrow can take rows, and which it can encode."""
    try:
        return column.cast(pa.large_string())
    except pa.ArrowNotImplementedError:  # string views, which polars exports, before Arrow 18
        return pa.chunked_array([pa.array(column.to_pylist(), pa.large_string())])


def filled(column: ArrowColumn, value: Any) -> NDArray[Any]:
    """Return a new array, with `value` in place of nulls."""
    whole = pc.fill_null(column, pa.scalar(value, column.type)) if column.null_count else column
    return np.array(whole.to_numpy(zero_copy_only=False) if isinstance(whole, pa.Array) else whole.to_numpy())


def numbers(column: ArrowColumn, *, as_float: bool) -> NDArray[Any]:
    """Return numbers in their own dtype; with `as_float`, as floats with NaN in place of nulls."""
    if pa.types.is_decimal(column.type) or (as_float and pa.types.is_integer(column.type)):
        column = pc.cast(column, pa.float64(), safe=False)
    elif pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    return filled(column, np.nan if as_float else 0)


def seconds(column: ArrowColumn) -> NDArray[np.float64]:
    """Return durations in seconds, NaN = null."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
    return numbers(column.cast(pa.int64()), as_float=True) / per_second


def strings(column: ArrowColumn) -> PackedStrings | NDArray[Any]:
    """Return text as packed strings, or as objects if values are missing."""
    whole = as_large_text(column)
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], pa.large_string())
    if whole.null_count:
        return objects(whole.to_pylist())
    _, starts, text = whole.buffers()
    first = (
        np.frombuffer(starts, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1] if starts else np.zeros(1)
    )
    raw = np.frombuffer(text, dtype=np.uint8) if text is not None and text.size else np.empty(0, dtype=np.uint8)
    found = first.astype(np.int64)
    if len(found) and (found[0] < 0 or found[-1] > len(raw) or (np.diff(found) < 0).any()):
        raise DamagedStore("a column of strings has offsets outside of its text.")
    return PackedStrings(raw.copy(), found)


def time_texts(column: ArrowColumn) -> NDArray[Any]:
    """Return dates and times as text, None = null; formats each distinct value once."""
    codes = coded([column], len(column), limit=None, is_sorted=False)
    assert codes is not None
    return as_plain(codes)


def objects(values: list[Any]) -> NDArray[Any]:
    """Return a list as an array of objects."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def coded(
    pieces: Iterable[ArrowColumn], n: int, *, limit: int | None, is_sorted: bool, ordered: bool = False
) -> Codes | None:
    """Return the n values of a column as codes; None if it has more than `limit` distinct ones.

    limit : None = any number; words of a dictionary count even if no row has them
    is_sorted : whether to sort the categories; else they keep the order of the dictionaries
    """
    known: dict[Any, int] = {}
    codes, at = np.empty(n, dtype=np.int32), 0
    for piece in pieces:
        for chunk in piece.chunks if isinstance(piece, pa.ChunkedArray) else [piece]:
            codes[at : at + len(chunk)] = _codes_of(chunk, known)
            at += len(chunk)
            if limit is not None and len(known) > limit:
                return None
    labels = sorted(known) if is_sorted else list(known)
    target, categories = tidy_categories(labels)
    places = np.full(len(known) + 1, -1, dtype=np.int64)
    places[[known[label] for label in labels]] = target[:-1]
    return Codes(smallest_codes(places, len(categories))[codes], categories, ordered)


def _codes_of(chunk: pa.Array, known: dict[Any, int]) -> NDArray[np.int64]:
    """Return codes into `known`, to which new values are added."""
    if isinstance(chunk, pa.ExtensionArray):
        chunk = chunk.storage
    is_coded = pa.types.is_dictionary(chunk.type)
    if not is_coded:
        chunk = as_large_text(chunk) if pa.types.is_string_view(chunk.type) else chunk
        chunk = (chunk.combine_chunks() if isinstance(chunk, pa.ChunkedArray) else chunk).dictionary_encode()
    labels = chunk.dictionary.to_pylist()
    if pa.types.is_temporal(chunk.dictionary.type):
        labels = [None if label is None else as_time_text(label) for label in labels]
    places = [-1 if label is None else known.setdefault(label, len(known)) for label in labels]
    target = np.array([*places, -1], dtype=np.int64)
    return np.asarray(target[filled(chunk.indices.cast(pa.int64()), -1)])
