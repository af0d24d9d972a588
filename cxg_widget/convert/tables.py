"""The obs and var tables of a dataset in slabs of rows, with a summary of each column before it is written."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import KIND_OF_TYPE
from cxg_widget.datasets.base.values import Values as Read
from cxg_widget.errors import DamagedStore, InvalidStore, InvalidValue

if TYPE_CHECKING:
    import pandas as pd

ROWS_PER_SLAB = 1 << 19
"""Rows of obs or of an embedding in memory at a time; a multiple of the tiles of large stores."""

Values = NDArray[Any] | Codes
Masked = Literal["boolean", "integer", "string"]
_EXACT = 2**53


@dataclass
class Summary:
    """Summary of all rows of a column as read, which may differ from what the store promises.

    name, kind : of the column; kinds as in `Column`
    promised : kind by the store
    dtype : that fits all numbers
    categories, ordered : of a categorical one, as in the source
    missing : whether a category or a text is missing
    low, high : of integers, lowest and highest
    single : whether float32 holds each number exactly
    whole : whether each number that is not missing is an integer that float64 holds exactly
    """

    name: str
    promised: str = ""
    kind: str = "boolean"
    dtype: Any = np.bool_
    categories: tuple[Any, ...] = ()
    ordered: bool = False
    missing: bool = False
    low: int = 0
    high: int = 0
    single: bool = True
    whole: bool = True

    @property
    def masked(self) -> Masked | None:
        """Noun for the values, if some are missing that are no category; None for other columns."""
        if self.promised == "boolean" and self.kind == "categorical":
            return "boolean"
        if self.promised == "int" and self.kind == "float" and self.whole:
            return "integer"
        return "string" if self.kind == "string" and self.missing else None

    def look_at(self, values: Values) -> None:
        """Include more rows; each kind can be stored as those after it."""
        kind = "categorical" if isinstance(values, Codes) else KIND_OF_TYPE.get(values.dtype.kind, "string")
        self.kind = max(self.kind, kind, key=("boolean", "int", "float", "string", "categorical").index)
        if isinstance(values, Codes):
            self.categories, self.ordered = values.categories, values.ordered
            self.missing |= bool((values.codes < 0).any())
            return
        self.dtype = values.dtype if self.dtype == np.bool_ else np.result_type(self.dtype, values.dtype)
        if kind == "int" and values.size:
            self.low, self.high = min(self.low, int(values.min())), max(self.high, int(values.max()))
        if kind in ("int", "float"):
            with np.errstate(over="ignore"):
                self.single &= bool(np.array_equal(values.astype(np.float32), values, equal_nan=kind == "float"))
        if kind == "float" and self.promised == "int":
            numbers = values[~np.isnan(values)]
            self.whole &= bool(((np.abs(numbers) < _EXACT) & (numbers == np.rint(numbers))).all())
        if kind == "string":
            self.missing |= any(value is None for value in values.tolist())


class ObsTable:
    """The obs of a dataset, or some columns of it; unreadable ones are left out with a note."""

    def __init__(self, dataset: Dataset, names: Iterable[str] | None = None) -> None:
        self._dataset = dataset
        self.path, self.n = "obs", dataset.n_obs
        self.index = dataset.obs_index
        self.left_out: list[str] = []
        self.columns = [
            one for one in map(self._summary, dataset.obs_columns if names is None else names) if one is not None
        ]

    def slabs(self) -> Iterator[tuple[int, int]]:
        """Yield start and stop of the rows to read together."""
        for start in range(0, self.n, ROWS_PER_SLAB):
            yield start, min(start + ROWS_PER_SLAB, self.n)

    def labels(self, start: int, stop: int) -> NDArray[np.object_]:
        """Return the index of rows as str, positions if it cannot be read."""
        if self.index is not None:
            try:
                return texts_of(_values(self._dataset.values_block(self.index, start, stop)))
            except (InvalidStore, DamagedStore) as error:
                self._tell(f"obs index {self.index!r}: rows are named by their positions, because of: {error}")
        return np.array([str(row) for row in range(start, stop)], dtype=object)

    def read(self, names: Sequence[str], start: int, stop: int) -> dict[str, Values]:
        """Return rows of columns."""
        return {name: _values(self._dataset.values_block(name, start, stop)) for name in names}

    def _summary(self, name: str) -> Summary | None:
        found = Summary(name, self._dataset.obs_columns[name].kind)
        try:
            for start, stop in self.slabs():
                found.look_at(self.read([name], start, stop)[name])
        except (InvalidStore, DamagedStore, InvalidValue) as error:
            self._tell(f"obs column {name!r} cannot be read: {error}")
            return None
        return found

    def _tell(self, sentence: str) -> None:
        if sentence not in self.left_out:
            self.left_out.append(sentence)


class VarTable:
    """The var of a dataset, read whole; unreadable columns are left out with a note."""

    def __init__(self, dataset: Dataset) -> None:
        self.path, self.n = "var", dataset.n_var
        self.index = dataset.var_index
        before = set(dataset.notes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._frame = dataset.var()
        self.left_out = [note for note in dataset.notes if note not in before]
        self.columns = []
        for name in self._frame.columns:
            summary = Summary(name, dataset.var_columns[name].kind)
            summary.look_at(_of_series(self._frame[name]))
            self.columns.append(summary)

    def slabs(self) -> Iterator[tuple[int, int]]:
        """Yield start and stop of the rows to write together."""
        yield 0, self.n

    def labels(self, start: int, stop: int) -> NDArray[np.object_]:
        """Return the index of rows as str."""
        return texts_of(_of_series(self._frame.index[start:stop].to_series()))

    def read(self, names: Sequence[str], start: int, stop: int) -> dict[str, Values]:
        """Return rows of columns."""
        return {name: _of_series(self._frame[name].iloc[start:stop]) for name in names}


Table = ObsTable | VarTable


def texts_of(values: Values) -> NDArray[np.object_]:
    """Return values as str, a missing one as "nan"."""
    if isinstance(values, Codes):
        labels = np.array([*(clean(str(label)) for label in values.categories), "nan"], dtype=object)
        return np.asarray(labels[values.codes])
    out = np.empty(len(values), dtype=object)
    out[:] = ["nan" if value is None else clean(str(value)) for value in values.tolist()]
    return out


def split(values: Values, masked: Masked) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return values and the mask of missing ones, which are replaced by False, 0 or ""."""
    if isinstance(values, Codes):
        return values.codes == 1, values.codes < 0
    if masked == "string":
        missing = np.array([value is None for value in values.tolist()], dtype=np.bool_)
        return np.where(missing, "", values), missing
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)
    return (np.where(missing, 0, values).astype(np.int64) if masked == "integer" else values), missing


def clean(text: str) -> str:
    """Return storable text: lone surrogates become U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def free_name(taken: Sequence[str]) -> str:
    """Return the first of name_0, name_1, ... that is free."""
    number = 0
    while f"name_{number}" in taken:
        number += 1
    return f"name_{number}"


def _values(read: Read) -> Values:
    if isinstance(read, PackedStrings):
        read = read.objects()
    if isinstance(read, Codes) or read.dtype.kind in "biuf":
        return read
    out = np.empty(len(read), dtype=object)
    out[:] = [clean(value) if isinstance(value, str) else _text(value) for value in read.tolist()]
    return out


def _of_series(series: pd.Series) -> Values:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes)
        return Codes(codes, tuple(series.cat.categories.tolist()), bool(series.cat.ordered))
    return _values(series.to_numpy() if isinstance(series.dtype, np.dtype) else series.to_numpy(dtype=object))


def _text(value: Any) -> str | None:
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else clean(str(value))
