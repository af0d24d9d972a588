"""Reads embeddings of an atlas from columns of vectors and from the caller's coordinates, and picks the default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.atlas.table_columns import embedding_width
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidValue

DEFAULT_NAME = "coordinates"
_WHAT = "an array (n_obs, 2), a mapping or DataFrame of uid to x, y, or a dict of names to any of these"
Table = NDArray[np.float64]


class Coordinates:
    """One supplied embedding.

    given : numbers (n_obs, k >= 2) in row order, or numbers of some cells by uid
    """

    def __init__(self, name: str, given: Any, n_obs: int) -> None:
        self.name = name
        self.uids, self.values = _table(given)
        if self.values.ndim != 2 or self.values.shape[1] < 2:
            shape = " x ".join(map(str, self.values.shape)) or "one number"
            raise InvalidValue(f"coordinates {name!r} are {shape}; they must be {_WHAT}.")
        if self.uids is None and len(self.values) != n_obs:
            raise InvalidValue(f"coordinates {name!r} have {len(self.values):,} rows; this snapshot has {n_obs:,} obs.")

    @property
    def n_axes(self) -> int:
        """Number of axes."""
        return int(self.values.shape[1])

    def rows_of(self, uids: Sequence[str]) -> NDArray[np.int64]:
        """Return the row in `values` of each cell, int64 (n,); -1 = none. Raises `InvalidValue` if no cell has one."""
        assert self.uids is not None
        place = {uid: row for row, uid in enumerate(self.uids)}
        found = np.fromiter((place.get(uid, -1) for uid in uids), dtype=np.int64, count=len(uids))
        if len(found) and (found < 0).all():
            raise InvalidValue(
                f"coordinates {self.name!r} belong to other cells: none of their {len(self.uids):,} uids "
                f"(such as {self.uids[0] if self.uids else 'none'!r}) is in this snapshot."
            )
        return found

    def digest(self) -> str:
        """Return a digest of these coordinates."""
        found = blake2b(repr((self.name, self.values.shape)).encode(), digest_size=16)
        found.update(np.ascontiguousarray(self.values).tobytes())
        if self.uids is not None:
            found.update("\0".join(self.uids).encode("utf-8", "surrogatepass"))
        return found.hexdigest()


def supplied(given: Any, n_obs: int) -> dict[str, Coordinates]:
    """Return the coordinates that a caller passed, by name."""
    if given is None:
        return {}
    if isinstance(given, Mapping) and not _is_by_uid(given):
        wrong = [name for name in given if not isinstance(name, str) or not name]
        if wrong:
            raise InvalidOption(f"coordinates have the name {wrong[0]!r}; names must be strings.")
        return {name: Coordinates(name, values, n_obs) for name, values in given.items()}
    return {DEFAULT_NAME: Coordinates(DEFAULT_NAME, given, n_obs)}


def _is_by_uid(given: Mapping[Any, Any]) -> bool:
    """Say whether a mapping goes from uid to numbers, not from name to embedding."""
    first: Any = next(iter(given.values()), None)
    if isinstance(first, Mapping) or hasattr(first, "columns"):
        return False
    try:
        return np.ndim(first) == 1 and np.asarray(first).dtype.kind in "iuf"
    except ValueError:
        return False


def _table(given: Any) -> tuple[list[str] | None, Table]:
    """Return the uids (None = row order) and the numbers."""
    try:
        if isinstance(given, Mapping):
            return [str(uid) for uid in given], np.array(list(given.values()), dtype=np.float64)
        if hasattr(given, "columns") and hasattr(given, "index"):
            return _frame(given)
        values = np.asarray(given)
        if values.dtype.kind not in "iuf":
            raise TypeError
        return None, values.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidOption(f"coordinates of type {type(given).__name__} are not numbers; pass {_WHAT}.") from None


def _frame(frame: Any) -> tuple[list[str] | None, Table]:
    """Read a DataFrame: the column uid, else the index, names the cells; an index of integers means row order."""
    if "uid" in frame.columns:
        return [str(uid) for uid in frame["uid"]], frame.drop(columns="uid").to_numpy(dtype=np.float64)
    values = frame.to_numpy(dtype=np.float64)
    return (None if frame.index.dtype.kind in "iu" else [str(uid) for uid in frame.index]), values


@dataclass(frozen=True)
class VectorColumn:
    """A column of vectors in the obs table."""

    column: str
    n_axes: int

    def read(self, table: LanceTable, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.float32]:
        """Return two axes of the rows start <= row < stop, float32 (stop - start, 2); NaN for null vectors."""
        out = np.full((stop - start, 2), np.nan, dtype=np.float32)
        row = 0
        for batch in table.batches([self.column], row_bytes=8 * self.n_axes, rows=(start, stop)):
            vectors = batch.column(0)
            whole = _numbers(vectors)
            if whole.size != len(vectors) * self.n_axes or row + len(vectors) > len(out):
                raise DamagedStore(
                    f"table {table.name!r}: vectors in {self.column!r} are not of {self.n_axes} numbers."
                )
            block = whole.reshape(len(vectors), self.n_axes)[:, axes].astype(np.float32)
            block[vectors.is_null().to_numpy(zero_copy_only=False)] = np.nan
            out[row : row + len(block)] = block
            row += len(block)
        return out


def vector_columns(schema: pa.Schema) -> dict[str, VectorColumn]:
    """Return the columns of vectors by display name: without "X_" if that is unique, else as in the table."""
    found = {field.name: width for field in schema if (width := embedding_width(field.type)) and "`" not in field.name}
    short = {name: name.removeprefix("X_") for name in found}
    taken = list(short.values())
    return {
        (short[name] if short[name] and taken.count(short[name]) == 1 else name): VectorColumn(name, width)
        for name, width in found.items()
    }


def choose_default(names: Mapping[str, int], supplied: Iterable[str], spaces: Iterable[str]) -> str | None:
    """Return the embedding to show first.

    In this order: the first that the caller supplied, the usual default, the first of at most 3 axes, the first.
    Feature spaces count only if there is no other embedding.
    """
    for name in supplied:
        return name
    stored = [name for name in names if name not in set(spaces)] or list(names)
    few = [name for name in stored if names[name] <= 3]
    return default_embedding(stored) or next(iter(few + stored), None)


def _numbers(vectors: Any) -> NDArray[Any]:
    """Return the concatenated numbers of vectors; those of a null vector are undefined."""
    items = vectors.values.slice(vectors.offset * vectors.type.list_size, len(vectors) * vectors.type.list_size)
    if pa.types.is_float16(items.type):
        items = items.cast(pa.float32())
    return np.asarray(items.fill_null(np.nan) if pa.types.is_floating(items.type) else items.fill_null(0))
