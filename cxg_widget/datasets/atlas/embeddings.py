"""Embeddings of an atlas: columns of vectors, dense feature spaces, and coordinates that a caller supplies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.atlas.table_columns import embedding_width
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.errors import DamagedStore


@dataclass(frozen=True)
class VectorColumn:
    """A column of vectors in the obs table."""

    column: str
    n_axes: int

    def read(self, table: LanceTable, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.float32]:
        """Return two axes of the rows start <= row < stop, float32 (stop - start, 2), NaN where a cell has none."""
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
    """Return the columns of vectors by the name they are shown under, which is theirs without "X_"."""
    found = {field.name: width for field in schema if (width := embedding_width(field.type)) and "`" not in field.name}
    short = {name: name.removeprefix("X_") for name in found}
    taken = list(short.values())
    return {
        (short[name] if short[name] and taken.count(short[name]) == 1 else name): VectorColumn(name, width)
        for name, width in found.items()
    }


def choose_default(names: Mapping[str, int], supplied: Iterable[str], spaces: Iterable[str]) -> str | None:
    """Return the embedding to show first: what a caller supplied, the usual one, a map of few axes, the first."""
    for name in supplied:
        return name
    stored = [name for name in names if name not in set(spaces)] or list(names)
    few = [name for name in stored if names[name] <= 3]
    return default_embedding(stored) or next(iter(few + stored), None)


def _numbers(vectors: Any) -> NDArray[Any]:
    """Return the numbers of vectors behind each other; those of a missing vector are whatever is stored there."""
    items = vectors.values.slice(vectors.offset * vectors.type.list_size, len(vectors) * vectors.type.list_size)
    if pa.types.is_float16(items.type):
        items = items.cast(pa.float32())
    return np.asarray(items.fill_null(np.nan) if pa.types.is_floating(items.type) else items.fill_null(0))
