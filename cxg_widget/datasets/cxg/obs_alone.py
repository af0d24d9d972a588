"""Writes and reads a CXG with only obs, for saved annotations: a table of labels, not a dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.datasets.cxg import writer
from cxg_widget.datasets.cxg.table_columns import MISSING_TEXT, CxgColumns
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.listing import absolute
from cxg_widget.errors import DamagedStore, InvalidStore

if TYPE_CHECKING:
    import pandas as pd

_LEVEL = 9
_ROWS_PER_SLAB = 1 << 19
_OTHER_PARTS = ("var", "X", "Xr", "Xc")


def write_obs_alone(path: Path, table: pd.DataFrame, index: str, title: str, **metadata: Mapping[str, Any]) -> None:
    """Write a new CXG that has only obs.

    table : categorical columns of text, indexed by cell name; at least one row
    index : name of the column for the cell names
    metadata : metadata of the array, written as JSON
    """
    labels = {str(name): _labels_of(table[name]) for name in table.columns}
    types = {name: writer.categorical(found) for name, found in labels.items()}
    writer.create_group(path, {"cxg_version": "0.3.0", "cxg_properties": {"title": title}})
    writer.create_table(path / "obs", len(table), {index: writer.STRING, **types}, index, _LEVEL, **metadata)
    names = as_strings(table.index.tolist())
    for start in range(0, len(table), _ROWS_PER_SLAB):
        rows = slice(start, start + _ROWS_PER_SLAB)
        slab = {name: _stored(table[name], found, rows, types[name].dtype) for name, found in labels.items()}
        writer.write_rows(path / "obs", start, {index: names[rows], **slab})


def read_obs_alone(path: Path, key: str) -> tuple[pd.DataFrame, Any] | None:
    """Return a table from `write_obs_alone` and its metadata under a key; None if the store is anything else."""
    import pandas as pd

    arrays = Arrays(absolute(str(path)), str(path), make_context(str(path)))
    try:
        if arrays.kind("obs") != "array" or any(arrays.kind(name) is not None for name in _OTHER_PARTS):
            return None
        metadata = _parsed(path, key, arrays.metadata_value("obs", key))
        if metadata is None:
            return None
        obs = CxgColumns(arrays, "obs", lambda _: None)
        if (arrays.n_written("obs") or 0) < obs.n:
            raise DamagedStore(f"{path}: obs declares {obs.n:,} rows, but some were never written.")
        columns = {name: _categorical(obs.read(name)) for name in obs.columns}
        names = pd.RangeIndex(obs.n) if obs.index is None else pd.Index(as_plain(obs.read(obs.index)), name=obs.index)
        return pd.DataFrame(columns, index=names), metadata
    finally:
        arrays.close()


def _parsed(path: Path, key: str, stored: Any) -> Any:
    try:
        return None if stored is None else json.loads(stored)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidStore(f"{path}: {key} of obs is not valid JSON ({error}).") from error


def _labels_of(column: pd.Series) -> Sequence[str]:
    found = [str(label) for label in column.cat.categories]
    return [*found, MISSING_TEXT] if column.isna().any() else found


def _stored(column: pd.Series, labels: Sequence[str], rows: slice, dtype: str) -> NDArray[Any]:
    codes = column.cat.codes.to_numpy()[rows]
    return np.where(codes < 0, len(labels) - 1, codes).astype(dtype)


def _categorical(values: Any) -> pd.Categorical:
    import pandas as pd

    if isinstance(values, Codes):
        return pd.Categorical.from_codes(values.codes, categories=pd.Index(values.categories, dtype=object))
    return pd.Categorical([None if value == MISSING_TEXT else value for value in as_plain(values).tolist()])
