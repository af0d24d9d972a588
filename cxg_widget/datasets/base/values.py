"""Types of values: columns, codes of categories, vectors."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from sys import getsizeof
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.errors import SelectionError

_Value = TypeVar("_Value")
Kind = Literal["categorical", "boolean", "int", "float", "string"]
KIND_OF_TYPE: dict[str, Kind] = {"b": "boolean", "i": "int", "u": "int", "f": "float"}
"""Kind of a column by the `kind` of its NumPy dtype; text has none here."""


@dataclass(frozen=True)
class Column:
    """Metadata of an obs or var column, known before it is read.

    Attributes
    ----------
    name : as the store has it
    kind : "categorical", "string", "int", "float" or "boolean"
    n_categories : number of categories; None for other kinds, and if the store does not state it
    unit : of its numbers, as the store states it, such as "minute"; "" = none

    Examples
    --------
    >>> dataset.obs_columns["cell_type"].kind
    'categorical'
    """

    name: str
    kind: Kind
    n_categories: int | None = None
    unit: str = ""


@dataclass(frozen=True)
class Codes:
    """A column as codes of categories.

    Attributes
    ----------
    codes : signed int (n,); -1 = missing
    categories : the category values (str, int, float or bool), in the store's order
    ordered : True if the categories are ordered

    Examples
    --------
    >>> sex = dataset.codes("sex")
    >>> sex.categories, sex.codes.dtype
    (('female', 'male'), dtype('int8'))
    """

    codes: NDArray[np.signedinteger[Any]]
    categories: tuple[Any, ...]
    ordered: bool = False

    def take(self, rows: NDArray[Any] | slice) -> Codes:
        """Return the codes of some rows, in their order.

        Examples
        --------
        >>> len(dataset.codes("sex").take(np.array([0, 5])).codes)
        2
        """
        return self.holding(self.codes[rows])

    def holding(self, codes: NDArray[Any]) -> Codes:
        """Return other codes with the same categories."""
        return replace(self, codes=codes)

    @property
    def nbytes(self) -> int:
        """Approximate bytes held in memory."""
        return self.codes.nbytes + sum(getsizeof(label) + 8 for label in self.categories)


@dataclass(frozen=True)
class Vector:
    """The values of one gene (or other feature) over all obs.

    Attributes
    ----------
    values : float32 (k,); NaN = not measured
    rows : int64 (k,), uint32 after `held`, distinct, in any order; None if `values` covers all n_obs in row order
    fill : value of every row that `rows` does not list (0, or the column shift)

    Examples
    --------
    >>> gene = dataset.vector("CD3E")
    >>> gene.dense(dataset.n_obs).shape
    (1000,)
    """

    values: NDArray[np.float32]
    rows: NDArray[np.int64] | NDArray[np.uint32] | None = None
    fill: float = 0.0

    @classmethod
    def of(cls, values: NDArray[Any]) -> Vector:
        """Return values over all obs, as a sparse vector if that is smaller."""
        rows = np.flatnonzero(values)
        if 3 * rows.size > values.size:
            return cls(values.astype(np.float32, copy=False))
        return cls(values[rows].astype(np.float32, copy=False), rows.astype(np.int64))

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.values.nbytes + (0 if self.rows is None else self.rows.nbytes)

    def held(self, n_obs: int) -> Vector:
        """Return the same values in at most 4 bytes a row: sparse if less than half of them are listed, else dense."""
        if self.rows is None:
            return self
        if 2 * self.rows.size >= n_obs:
            return Vector(self.dense(n_obs))
        return replace(self, rows=self.rows.astype(np.uint32)) if n_obs <= 1 << 32 else self

    def value_at(self, row: int) -> float:
        """Return the value of one row.

        Examples
        --------
        >>> dataset.vector("CD3E").value_at(0) >= 0
        True
        """
        if self.rows is None:
            return float(self.values[row])
        at = np.flatnonzero(self.rows == row)
        return float(self.values[at[0]]) if at.size else self.fill

    def take(self, rows: NDArray[np.integer[Any]]) -> Vector:
        """Return the values of some rows, in their order, without making all of them dense.

        Examples
        --------
        >>> dataset.vector("CD3E").take(np.array([0, 5])).dense(2).shape
        (2,)
        """
        if self.rows is None:
            return Vector(self.values[rows])
        last = max(int(self.rows.max(initial=0)), int(rows.max(initial=0)))
        # Pages of zeros cost nothing until they are written.
        entry = np.zeros(last + 1, dtype=np.uint32)
        entry[self.rows] = np.arange(1, self.rows.size + 1, dtype=np.uint32)
        entries = entry[rows]
        found = np.flatnonzero(entries)
        return Vector(self.values[entries[found] - 1], found, self.fill)

    def block(self, start: int, stop: int) -> Vector:
        """Return the rows start <= row < stop, relative to `start`."""
        if self.rows is None:
            return Vector(self.values[start:stop])
        if _is_ascending(self.rows):
            first, last = np.searchsorted(self.rows, (start, stop))
            return Vector(self.values[first:last], self.rows[first:last] - start, self.fill)
        inside = np.flatnonzero((self.rows >= start) & (self.rows < stop))
        return Vector(self.values[inside], self.rows[inside] - start, self.fill)

    def dense(self, n_obs: int) -> NDArray[np.float32]:
        """Return float32 (n_obs,), a new array.

        Examples
        --------
        >>> dataset.vector("CD3E").dense(dataset.n_obs).dtype
        dtype('float32')
        """
        if self.rows is None:
            return np.array(self.values, dtype=np.float32)
        # Pages of zeros cost nothing until they are written.
        out = np.full(n_obs, self.fill, dtype=np.float32) if self.fill else np.zeros(n_obs, dtype=np.float32)
        out[self.rows] = self.values
        return out


def _is_ascending(rows: NDArray[np.integer[Any]]) -> bool:
    return bool((rows[1:] > rows[:-1]).all())


Values = NDArray[Any] | Codes | PackedStrings
"""A column, or some rows of it, as read."""


def take_rows(values: Values, rows: NDArray[np.int64] | slice | None) -> Values:
    """Return some rows of a column in their order, None = all."""
    if rows is None:
        return values
    if isinstance(values, Codes):
        return values.take(rows)
    return values.pick(rows) if isinstance(values, PackedStrings) else values[rows]


def as_plain(values: Values) -> NDArray[Any]:
    """Return the values (n,): labels instead of codes, None if missing."""
    if isinstance(values, PackedStrings):
        return values.objects()
    if not isinstance(values, Codes):
        return values
    labels = np.empty(len(values.categories) + 1, dtype=object)
    labels[:-1] = values.categories
    # Code -1 takes the last entry, which is None.
    return np.asarray(labels[values.codes])


def array_of(values: Values) -> NDArray[Any]:
    """Return the array of a column: its codes, or the values themselves."""
    return values.codes if isinstance(values, Codes) else as_plain(values)


def in_place_of(values: Values, array: NDArray[Any]) -> Codes | NDArray[Any]:
    """Return the array of other rows as a column with the categories of `values`."""
    return values.holding(array) if isinstance(values, Codes) else array


def as_codes(booleans: Values) -> Codes:
    """Return a boolean column as codes; one with missing values has codes already."""
    return booleans if isinstance(booleans, Codes) else Codes(np.asarray(booleans).astype(np.int8), (False, True))


def as_numbers(values: Values) -> NDArray[Any]:
    """Return a numeric column unchanged; booleans with missing values as float32 0, 1 and NaN."""
    if isinstance(values, Codes):
        return np.where(values.codes < 0, np.nan, values.codes).astype(np.float32)
    return np.asarray(values)


def is_constant(values: Values) -> bool:
    """Return whether all values are equal; missing ones equal each other."""
    if isinstance(values, PackedStrings):
        return values.are_same
    array = array_of(values)
    if not len(array):
        return True
    is_nan = array.dtype.kind == "f" and bool(np.isnan(array[0]))
    return bool(np.isnan(array).all() if is_nan else (array == array[0]).all())


def to_pandas(values: Values) -> Any:
    """Return a column for a DataFrame: the array, or a pandas Categorical."""
    import pandas as pd

    if isinstance(values, PackedStrings):
        return _strings_to_pandas(values)
    if not isinstance(values, Codes):
        # With an explicit dtype, since pandas cannot infer it from an empty array.
        return pd.Series(values, dtype="str").array if values.dtype == object else values
    return pd.Categorical.from_codes(values.codes, categories=pd.Index(list(values.categories)), ordered=values.ordered)


def _strings_to_pandas(strings: PackedStrings) -> Any:
    """Pass the buffers to pandas if it also stores strings in Arrow's layout: a million take 5 ms instead of 300."""
    import pandas as pd

    if getattr(pd.Series([], dtype="str").dtype, "storage", None) == "pyarrow":
        import pyarrow as pa

        with suppress(pa.ArrowInvalid):
            return pd.array(strings.arrow(), dtype="str")
    return to_pandas(strings.objects())


def as_rows(rows: ArrayLike | None, n_obs: int) -> NDArray[np.int64] | None:
    """Return row positions as int64 (k,), in the given order; None means all rows.

    Parameters
    ----------
    rows : bool (n_obs,), a mask; or integers (k,), each 0 <= row < n_obs; or None

    Raises
    ------
    SelectionError
        If a mask has another length, a position is out of range, or `rows` is neither.
    """
    if rows is None:
        return None
    try:
        given = np.asarray(rows)
    except ValueError:
        raise SelectionError(
            "rows must be one list of positions or one mask; found lists of several lengths."
        ) from None
    if given.ndim != 1:
        raise SelectionError(f"rows have {given.ndim} dimensions; they must be one list of positions or one mask.")
    if given.dtype == bool:
        if len(given) != n_obs:
            raise SelectionError(f"the mask has {len(given):,} entries; this dataset has {n_obs:,} obs.")
        return np.flatnonzero(given).astype(np.int64)
    if not len(given):
        return np.empty(0, dtype=np.int64)
    if given.dtype.kind not in "iu":
        raise SelectionError(f"rows are of type {given.dtype}; they must be integer positions or a boolean mask.")
    low, high = int(given.min()), int(given.max())
    if low < 0 or high >= n_obs:
        raise SelectionError(f"row {low if low < 0 else high} is out of range; rows go from 0 to {n_obs - 1:,}.")
    return given.astype(np.int64)


def freeze(value: _Value) -> _Value:
    """Make the arrays of a shared value read-only, and return it."""
    arrays = {Codes: ("codes",), Vector: ("values", "rows"), PackedStrings: ("text", "starts")}
    owned = [value] if isinstance(value, np.ndarray) else [getattr(value, name) for name in arrays[type(value)]]
    for array in owned:
        if array is not None:
            # Readers in several threads get the same arrays.
            array.flags.writeable = False
    return value
