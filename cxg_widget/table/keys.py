"""Sort keys: values of a column as unsigned integers in the same order, so that one sort serves all dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.compiled import frozen
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import Codes, as_plain
from cxg_widget.table.sort_loops import put_float_keys, put_words

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.color_target import Target

Unsigned = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class Keys:
    """Sort keys of cells.

    first : uint16, uint32 or uint64 (n,)
    last : highest key of a value; cells without a value have higher ones
    next : returns further keys for rows with equal keys; None if equal keys mean equal values
    """

    first: Unsigned
    last: int
    next: Callable[[NDArray[np.int64]], Keys] | None = None


def keys_of(target: Target | None, dataset: Dataset, layer: str | None) -> Keys:
    """Return the keys of a column, gene or gene set for all rows; None = the obs index."""
    from cxg_widget.display.color_target import read

    if target is None:
        return _of_index(dataset)
    if target.source == "obs":
        kind = dataset.obs_columns[target.name].kind
        if kind in ("int", "float"):
            return of_numbers(dataset.numbers(target.name))
        if kind != "string":
            return of_codes(dataset.codes(target.name))
        dataset.hold([target.name], index=False)
        return of_text(dataset.values_block(target.name, 0, dataset.n_obs))
    values = read(target, dataset, layer)
    return of_codes(values) if isinstance(values, Codes) else of_numbers(values.dense(dataset.n_obs))


def _of_index(dataset: Dataset) -> Keys:
    if dataset.obs_index is None:
        return Keys(np.arange(dataset.n_obs, dtype=np.uint64), dataset.n_obs)
    dataset.hold([])
    values = dataset.values_block(dataset.obs_index, 0, dataset.n_obs)
    is_number = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"
    return of_numbers(np.asarray(values)) if is_number else of_text(values)


def of_codes(codes: Codes) -> Keys:
    """Return the keys of categories, in their order."""
    dtype: Any = np.uint16 if len(codes.categories) < np.iinfo(np.uint16).max else np.uint32
    return Keys(codes.codes.astype(dtype), int(np.iinfo(dtype).max) - 1)  # -1 becomes the highest key


def of_numbers(values: NDArray[Any]) -> Keys:
    """Return the keys of numbers or booleans (n,); NaN counts as no value, infinity does not."""
    if values.dtype.kind == "f":
        return _of_floats(values.astype(np.float32) if values.dtype.itemsize < 4 else values)
    if not values.size or values.dtype.kind == "b":
        return Keys(values.astype(np.uint16), int(np.iinfo(np.uint16).max))
    low, high = int(values.min()), int(values.max())
    # Differences of signed integers are right modulo 2**n.
    above = np.subtract(values.astype(np.uint64), np.uint64(low % 2**64)) if high - low >= 2**32 else None
    if above is None:
        dtype: Any = np.uint16 if high - low < 2**16 else np.uint32
        above = np.subtract(values.astype(dtype), dtype(low % (1 << 8 * dtype().itemsize)))
    return Keys(above, int(np.iinfo(above.dtype).max))


def _of_floats(values: NDArray[np.floating[Any]]) -> Keys:
    dtype: Any = np.uint32 if values.dtype.itemsize == 4 else np.uint64
    bits = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")).view(dtype)
    out = np.empty(values.size, dtype=dtype)
    sign, infinite = np.array([-0.0, np.inf], dtype=values.dtype.newbyteorder("=")).view(dtype)
    put_float_keys(frozen(bits), sign, infinite, out)
    return Keys(out, int(np.iinfo(dtype).max) - 1)


def of_text(values: Any) -> Keys:
    """Return the keys of strings by code point, eight bytes of UTF-8 at a time; None counts as no value."""
    is_missing: NDArray[np.bool_] | None = None
    if not isinstance(values, PackedStrings):
        plain = as_plain(values).tolist()
        is_missing = np.array([one is None or one != one for one in plain], dtype=np.bool_)  # noqa: PLR0124 - NaN
        values = _packed(["" if gone else str(one) for one, gone in zip(plain, is_missing.tolist(), strict=True)])
    rows = values.rows
    begin = values.starts[:-1] if rows is None else values.starts[rows]
    end = values.starts[1:] if rows is None else values.starts[rows + 1]
    longest = int((end - begin).max(initial=0))
    return _Text(values.text, begin, end, longest, is_missing).keys(None, 0)


def _packed(strings: list[str]) -> PackedStrings:
    encoded = [one.encode("utf-8", "surrogatepass") for one in strings]
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=starts[1:])
    return PackedStrings(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)


@dataclass(frozen=True)
class _Text:
    """Concatenated strings, in words of eight bytes."""

    text: NDArray[np.uint8]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    longest: int
    is_missing: NDArray[np.bool_] | None

    def keys(self, rows: NDArray[np.int64] | None, depth: int) -> Keys:
        """Return the keys of some rows by their words at a depth, and after the last word by their lengths."""
        begin, end = (self.begin, self.end) if rows is None else (self.begin[rows], self.end[rows])
        top = int(np.iinfo(np.uint64).max)
        if 8 * depth >= self.longest:  # "a" and "a\0" have the same words
            return Keys((end - begin).astype(np.uint64), top)
        out = np.empty(begin.size, dtype=np.uint64)
        put_words(frozen(self.text), frozen(begin), frozen(end), depth, out)
        # UTF-8 never contains the byte 0xFF, so no string has this word.
        if self.is_missing is not None:
            out[self.is_missing if rows is None else self.is_missing[rows]] = top

        def after(same: NDArray[np.int64]) -> Keys:
            return self.keys(same if rows is None else rows[same], depth + 1)

        return Keys(out, top - 1, after)
