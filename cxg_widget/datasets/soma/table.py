"""The obs and var dataframes of SOMA: columns, their kinds, and values by row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.base.column_values import as_strings, as_time_text, smallest_codes, tidy_categories
from cxg_widget.datasets.base.matrix_block import spans
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import KIND_OF_TYPE, Codes, Column, Values, take_rows
from cxg_widget.datasets.soma.joinids import JOINID, Ordered
from cxg_widget.datasets.tiledb_access.arrays import Arrays, Buffers, read_buffers
from cxg_widget.errors import DamagedText, InvalidStore

INDEXES = {
    "obs": ("obs_id", "barcode", "barcodes", "cell_id", "observation_joinid", "index"),
    "var": ("var_id", "feature_id", "gene_id", "gene_ids", "feature_name", "gene_name", "index"),
}
"""Names of index columns, by preference: tiledbsoma writes the first, the CELLxGENE Census the others."""
_ORIGINAL_NAME = "soma_dataframe_original_index_name"
_NEAR_ROWS = 4096
_NULL = np.empty(0, dtype=np.uint8)


class SomaTable:
    """One dataframe, with its rows in the order of their joinids.

    Attributes
    ----------
    joinids, n : joinids of its rows, and their number
    columns : in the store's order, without the index column
    index : name of the column with the row names; the joinids if there is none
    """

    def __init__(self, arrays: Arrays, path: str, table: str, joinids: Ordered, note: Callable[[str], None]) -> None:
        self._arrays, self._path = arrays, path
        schema = arrays.schema(path)
        if not schema.sparse:
            raise InvalidStore(f"{arrays.uri}: {path} is not a SOMA dataframe.")
        self.joinids, self._order = joinids
        self.n = self.joinids.n
        self._dims = [schema.domain.dim(place) for place in range(schema.ndim)]
        self._by_joinid = len(self._dims) == 1 and self._dims[0].name == JOINID
        attrs = [schema.attr(place) for place in range(schema.nattr)]
        self._dtypes = {one.name: one.dtype for one in (*self._dims, *attrs)}
        self._nullable = {one.name for one in attrs if one.isnullable}
        self._enums = {one.name: one.enum_label for one in attrs if one.enum_label is not None}
        self._labels: dict[str, tuple[NDArray[np.int64], tuple[Any, ...], bool]] = {}
        self._any_null: dict[str, bool] = {}
        found: dict[str, Column] = {}
        for one in (*self._dims, *attrs):
            if one.name != JOINID and (column := self._column(one, note)) is not None:
                found[one.name] = column
        found[JOINID] = Column(JOINID, "int")
        names = [name for name in INDEXES[table] if name in found and found[name].kind == "string"]
        self.index = next(iter(names), JOINID)
        self._all = found
        self.columns: Mapping[str, Column] = {name: one for name, one in found.items() if name != self.index}

    @property
    def index_name(self) -> str | None:
        """Name of the index before tiledbsoma wrote it."""
        with suppress(ValueError, TypeError):
            stored = json.loads(self._arrays.metadata_value(self._path, _ORIGINAL_NAME))
            if stored is None or isinstance(stored, str):
                return stored
        return self.index

    def is_text(self, name: str) -> bool:
        """Return whether a column is text other than dates; it is read as packed strings if none is missing."""
        return name in self._dtypes and self._all[name].kind == "string" and self._dtypes[name].kind != "M"

    def read(self, name: str, rows: NDArray[np.int64] | None = None, *, alone: bool = False) -> Values:
        """Read one column in the order of `rows` (None = all).

        A missing number or boolean anywhere in the column changes its dtype; with `alone`, only one in these rows does.
        """
        if name == JOINID:
            joinids = self.joinids.of(np.arange(self.n) if rows is None else rows)
            return as_strings(joinids.tolist()) if self.index == JOINID else joinids
        if rows is None or not self._by_joinid:
            found = self._with_others(name, partial(self._sorted, name), alone=alone)
            return take_rows(self._meant(name, found, alone=alone), rows)
        wanted, back = np.unique(rows, return_inverse=True)
        runs = list(spans(wanted, _NEAR_ROWS))
        # Where each run begins among the rows that are read.
        begins = np.cumsum([0, *(stop - start for _, _, start, stop in runs)])
        places = [wanted[a:b] - start + begin for (a, b, start, _), begin in zip(runs, begins, strict=False)]
        found = self._with_others(name, partial(self._buffers, name, [run[2:] for run in runs]), alone=alone)
        values = self._meant(name, found, alone=alone)
        return take_rows(values, np.concatenate([*places, np.empty(0, np.int64)]).astype(np.int64)[back])

    def read_block(self, name: str, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop of a column; errors as in `read`."""
        if name == JOINID or not self._by_joinid:
            return self.read(name, np.arange(start, stop))
        runs = [(start, stop)] if start < stop else []
        return self._meant(name, self._with_others(name, partial(self._buffers, name, runs)))

    def _column(self, stored: Any, note: Callable[[str], None]) -> Column | None:
        name, dtype = stored.name, stored.dtype
        if name in self._enums:
            # In a remote store, each list of categories takes a request, so they are counted with the first read.
            n = None if self._arrays.is_remote else len(self._categories(name)[1])
            return Column(name, "categorical", n)
        kind = "string" if dtype.kind in "UM" else KIND_OF_TYPE.get(dtype.kind)
        if kind is None or (getattr(stored, "isvar", False) and dtype.kind != "U"):
            is_text_dim = stored in self._dims and dtype.kind == "S"
            if not is_text_dim:
                note(f"{self._path} column {name!r} is left out: its type {dtype} is not supported.")
                return None
            kind = "string"
        return Column(name, kind, 2 if kind == "boolean" else None)

    def _with_others(self, name: str, read: Callable[[], Buffers], *, alone: bool = False) -> Buffers:
        """Read a column; in a remote store, at the same time its categories, or whether it has nulls, for `_meant`."""
        others: list[Callable[[], Any]] = []
        if self._arrays.is_remote and name in self._enums and name not in self._labels:
            others.append(partial(self._categories, name))
        elif self._arrays.is_remote and self._counts_nulls(name) and not alone and name not in self._any_null:
            others.append(partial(self._has_null, name))
        found: Buffers = gather([read, *others])[0] if others else read()
        return found

    def _counts_nulls(self, name: str) -> bool:
        """Return whether a null anywhere in a column changes its dtype."""
        return name in self._nullable and name not in self._enums and self._dtypes[name].kind in "biu"

    def _sorted(self, name: str) -> Buffers:
        """Read a whole column, sorted by joinid."""
        found = self._buffers(name, None)
        if self._order is None:
            return found
        valid = found.valid[self._order] if len(found.valid) else found.valid
        starts = found.starts() if len(found.offsets) else None
        if starts is None:
            itemsize = self._dtypes[name].itemsize
            return Buffers(found.data.reshape(-1, itemsize)[self._order].reshape(-1), found.offsets, valid)
        pieces = PackedStrings(found.data, starts, self._order).objects()
        lengths = np.diff(starts)[self._order]
        text = np.frombuffer("".join(pieces.tolist()).encode(), dtype=np.uint8)
        return Buffers(text, (np.cumsum(lengths) - lengths).astype(np.uint64), valid)

    def _buffers(self, name: str, runs: list[tuple[int, int]] | None) -> Buffers:
        """Read a column for runs of rows (start, stop); None = all rows."""
        if runs == [] or self.n == 0:
            return Buffers(_NULL, np.empty(0, dtype=np.uint64), _NULL)
        array = self._arrays.array(self._path, name)
        joinids = [self.joinids.span(*run) for run in runs or ()]
        ranges: list[Any] = [joinids] if runs is not None else [[] for _ in self._dims]
        is_dim = any(dim.name == name for dim in self._dims)
        names, dims = ([], [name]) if is_dim else ([name], [])
        # An ordered read takes twice as long, but without order the cells of several fragments come mixed.
        what = f"{self._path} column {name!r}"
        return self._arrays.read(array, what, lambda: read_buffers(array, names, ranges, dims=dims))[name]

    def _meant(self, name: str, found: Buffers, *, alone: bool = False) -> Values:
        dtype, missing = self._dtypes[name], found.missing
        if name in self._enums:
            return self._codes(name, found.numbers(dtype), missing)
        if self.is_text(name):
            return self._texts(name, found, missing)
        values = found.numbers(dtype)
        if dtype.kind == "M":
            return _dates(values, missing)
        return self._numbers(name, values, missing, alone=alone)

    def _numbers(
        self, name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None, *, alone: bool
    ) -> NDArray[Any] | Codes:
        if values.dtype.kind == "f":
            return values if missing is None else np.where(missing, np.nan, values).astype(values.dtype)
        if not self._counts_nulls(name) or not (missing is not None if alone else self._has_null(name)):
            return values.view(np.bool_) if self._all[name].kind == "boolean" else values
        gone = np.zeros(len(values), dtype=np.bool_) if missing is None else missing
        if self._all[name].kind == "boolean":
            return Codes(np.where(gone, -1, values != 0).astype(np.int8), (False, True))
        return np.where(gone, np.nan, values)

    def _texts(self, name: str, found: Buffers, missing: NDArray[np.bool_] | None) -> Values:
        starts = found.starts()
        if starts is None:
            raise DamagedText(
                f"{self._arrays.uri}: cannot read {self._path} column {name!r}: the offsets of its strings are damaged."
            )
        texts = PackedStrings(found.data, starts)
        if missing is None:
            return texts
        objects = texts.objects()
        objects[missing] = None
        return objects

    def _codes(self, name: str, stored: NDArray[Any], missing: NDArray[np.bool_] | None) -> Codes:
        target, categories, ordered = self._categories(name)
        codes = stored.astype(np.int64)
        if missing is not None:
            codes[missing] = -1
        if len(codes):
            low, high = int(codes.min()), int(codes.max())
            if low < -1 or high >= len(target) - 1:
                raise InvalidStore(
                    f"{self._arrays.uri}: {self._path}.{name} holds code {low if low < -1 else high} "
                    f"but only {len(target) - 1} categories are declared."
                )
        return Codes(smallest_codes(target[codes], len(categories)), categories, ordered)

    def _categories(self, name: str) -> tuple[NDArray[np.int64], tuple[Any, ...], bool]:
        if name not in self._labels:
            labels, ordered = self._arrays.categories(self._path, self._enums[name])
            plain = as_strings(list(labels)).tolist() if labels.dtype.kind in "OUS" else labels.tolist()
            self._labels[name] = (*tidy_categories(plain), ordered)
        return self._labels[name]

    def _has_null(self, name: str) -> bool:
        """Return whether a column has nulls, which tiledbsoma allows in any column; TileDB counts them per tile."""
        if name not in self._any_null:
            if self._by_joinid and self.n:
                array = self._arrays.array(self._path)
                # Only the existing rows: before core 2.30, the whole domain is out of bounds.
                low, high = self.joinids.span(0, self.n)

                def count() -> int:
                    return int(array.query(attrs=[name]).agg({name: ["null_count"]})[low : high + 1])

                found = self._arrays.read(array, f"{self._path} column {name!r}", count) > 0
            else:
                found = self._buffers(name, None).missing is not None
            self._any_null[name] = found
        return self._any_null[name]


def _dates(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.object_]:
    """Return dates and times as text, in the format of the other stores; None = missing."""
    import pandas as pd

    known, back = np.unique(values, return_inverse=True)
    texts = [None if np.isnat(one) else as_time_text(pd.Timestamp(one)) for one in known]
    out = np.array([*texts, None], dtype=object)[back.reshape(-1)]
    if missing is not None:
        out[missing] = None
    return out
