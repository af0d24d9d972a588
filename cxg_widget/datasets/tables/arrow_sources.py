"""Sources of Arrow columns: memory, an Arrow file, or a Parquet file that is read in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.tables.arrow_values import as_large_text
from cxg_widget.datasets.tables.parquet_table import MeteredBytes, ParquetTable
from cxg_widget.errors import DamagedStore, InvalidStore

_STREAM = b"\xff\xff\xff\xff"
_FEATHER_1 = b"FEA1"
_FEW = 1_000


class ArrowSource(ABC):
    """Columns of Arrow by position.

    Attributes
    ----------
    schema : schema of all columns
    n : number of rows
    kind : type of the source, for messages
    in_memory : whether the columns are in memory, so that nothing has to be decoded
    """

    schema: pa.Schema
    n: int
    kind: str
    in_memory = False

    @abstractmethod
    def pieces(self, position: int, start: int, stop: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield the rows start <= row < stop of a column, in pieces."""

    def coded_pieces(self, position: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield a column of text, as dictionaries if it is stored as such; by default unchanged."""
        yield from self.pieces(position, 0, self.n)

    @abstractmethod
    def take(self, positions: Sequence[int], rows: NDArray[np.int64]) -> list[pa.ChunkedArray]:
        """Return rows of columns, in the given order."""

    @abstractmethod
    def n_null(self, position: int) -> int | None:
        """Return the number of missing values of a column; None if counting them means reading all of it."""

    def sizes(self) -> dict[str, int]:
        """Return bytes on disk by column; by default empty."""
        return {}

    def details(self) -> dict[str, Any]:
        """Return further details for `inspect`; by default none."""
        return {}

    def close(self) -> None:  # noqa: B027 - most need nothing
        """Release the bytes; by default does nothing."""


class TableSource(ArrowSource):
    """A pyarrow.Table, in memory or mapped."""

    in_memory = True

    def __init__(self, table: pa.Table, kind: str) -> None:
        self._table, self.schema, self.n, self.kind = table, table.schema, table.num_rows, kind

    def pieces(self, position: int, start: int, stop: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield the chunks of a column, without a copy."""
        yield from self._table.column(position).slice(start, stop - start).chunks

    def take(self, positions: Sequence[int], rows: NDArray[np.int64]) -> list[pa.ChunkedArray]:
        """Return rows of columns, in the given order."""
        return [_take(self._table.column(position), rows) for position in positions]

    def n_null(self, position: int) -> int | None:
        """Return the number of missing values of a column."""
        return int(self._table.column(position).null_count)

    def close(self) -> None:
        """Release the table."""
        self._table = self.schema.empty_table()


class CompressedArrowFile(ArrowSource):
    """An Arrow file with compressed batches; reads one column at a time."""

    kind = "Arrow file, compressed"

    def __init__(self, mapped: pa.Buffer, meter: Meter, schema: pa.Schema) -> None:
        self._mapped, self._meter, self.schema = mapped, meter, schema
        narrowest = min(range(len(schema)), key=lambda position: _width(schema.field(position).type), default=None)
        self.n = 0 if narrowest is None else len(self._column(narrowest))

    def pieces(self, position: int, start: int, stop: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield the rows of a column."""
        yield from self._column(position).slice(start, stop - start).chunks

    def take(self, positions: Sequence[int], rows: NDArray[np.int64]) -> list[pa.ChunkedArray]:
        """Return rows of columns, in the given order."""
        return [_take(self._column(position), rows) for position in positions]

    def n_null(self, position: int) -> int | None:
        """Return 0 if the column cannot have nulls, else None: only the batches state their number."""
        return None if self.schema.field(position).nullable else 0

    def close(self) -> None:
        """Release the bytes."""
        self._mapped = pa.py_buffer(b"")

    def _column(self, position: int) -> pa.ChunkedArray:
        options = pa.ipc.IpcReadOptions(included_fields=[position])
        return pa.ipc.open_file(MeteredBytes(self._mapped, self._meter), options=options).read_all().column(0)


class ParquetSource(ArrowSource):
    """A Parquet file; reads only the requested columns of the requested row groups, in pieces."""

    kind = "Parquet file"

    def __init__(self, mapped: pa.Buffer, meter: Meter, path: Path, uri: str) -> None:
        self._file = ParquetTable(mapped, meter, path.name, uri)
        self.schema, self.n = self._file.schema, self._file.n_rows
        sizes = [self._file.group_rows(group) for group in range(self._file.n_groups)]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)

    def pieces(self, position: int, start: int, stop: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield the rows of a column, batch by batch."""
        for group in range(self._file.n_groups):
            at, end = int(self._starts[group]), int(self._starts[group + 1])
            if start < end and at < stop:
                yield from self._batches(position, group, at, start, stop)

    def coded_pieces(self, position: int) -> Iterator[pa.Array | pa.ChunkedArray]:
        """Yield a column of text as dictionaries, which avoids decoding every string."""
        name = self.schema.field(position).name
        for group in range(self._file.n_groups):
            for batch in self._file.batches([name], group, coded=True):
                yield batch.column(0)

    def take(self, positions: Sequence[int], rows: NDArray[np.int64]) -> list[pa.ChunkedArray]:
        """Return rows of columns, in the given order; skips row groups without any of these rows."""
        order = np.argsort(rows, kind="stable")
        wanted, fields = rows[order], [self.schema.field(position) for position in positions]
        names = list(dict.fromkeys(field.name for field in fields))
        # If several columns share a name, reading it returns all of them.
        read = [position for name in names for position in self.schema.get_all_field_indices(name)]
        found: list[pa.RecordBatch] = []
        for group in range(self._file.n_groups):
            at, end = int(self._starts[group]), int(self._starts[group + 1])
            first, last = np.searchsorted(wanted, (at, end))
            # Pieces of several columns have fewer rows, so that they take as much memory as those of one.
            for batch in self._file.batches(names, group, len(names)) if first < last else ():
                next_ = int(np.searchsorted(wanted, at + batch.num_rows))
                found.append(batch.take(pa.array(wanted[first:next_] - at)))
                first, at = next_, at + batch.num_rows
        back = np.empty(len(rows), dtype=np.int64)
        back[order] = np.arange(len(rows))
        places = [read.index(position) for position in positions]
        pieces = [
            pa.chunked_array([batch.column(place) for batch in found], type=field.type)
            for place, field in zip(places, fields, strict=True)
        ]
        return [piece.take(pa.array(back)) for piece in pieces]

    def n_null(self, position: int) -> int | None:
        """Return the number of missing values in the statistics of the footer; None if it has none."""
        field = self.schema.field(position)
        return self._file.n_null(field.name) if field.nullable else 0

    def sizes(self) -> dict[str, int]:
        """Return the compressed bytes of each column."""
        return self._file.sizes()

    def details(self) -> dict[str, Any]:
        """Return the number of row groups."""
        return {"row_groups": self._file.n_groups}

    def close(self) -> None:
        """Release the bytes."""
        self._file.close()

    def _batches(self, position: int, group: int, at: int, start: int, stop: int) -> Iterator[pa.Array]:
        """Yield the rows from start to stop of a column in a row group, which starts at row `at`."""
        for batch in self._file.batches([self.schema.field(position).name], group):
            first, last = max(start - at, 0), min(stop - at, batch.num_rows)
            if first < last:
                yield batch.column(0).slice(first, last - first)
            at += batch.num_rows
            if at >= stop:
                return


def open_parquet(path: Path, meter: Meter, uri: str) -> ArrowSource:
    """Open a Parquet file; reads only its footer."""
    return ParquetSource(_map(path, uri), meter, path, uri)


def open_arrow(path: Path, meter: Meter, uri: str) -> ArrowSource:
    """Open an Arrow file (Feather 2) or stream; maps data that are not compressed instead of reading them."""
    mapped = _map(path, uri)
    begin = mapped[: len(_STREAM)].to_pybytes()
    if begin == _FEATHER_1:
        raise InvalidStore(
            f"{uri} is Feather of version 1; rewrite it: "
            "pyarrow.feather.write_feather(pyarrow.feather.read_table(path), path)."
        )
    try:
        if begin == _STREAM:
            return TableSource(pa.ipc.open_stream(MeteredBytes(mapped, meter)).read_all(), "Arrow stream")
        file = pa.ipc.open_file(MeteredBytes(mapped, meter))
        if file.num_record_batches and _is_compressed(file.get_batch(0), mapped):
            return CompressedArrowFile(mapped, meter, file.schema)
        return TableSource(file.read_all(), "Arrow file")
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DamagedStore(f"{uri} cannot be read as Arrow: {' '.join(str(error).split())[:300]}") from None


def _take(column: pa.ChunkedArray, rows: NDArray[np.int64]) -> pa.ChunkedArray:
    if pa.types.is_run_end_encoded(column.type):  # Arrow cannot `take` from these
        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], column.type.value_type)
    if not pa.types.is_string_view(column.type):
        return column.take(pa.array(rows))
    # Arrow cannot `take` from string views, which polars exports.
    if len(rows) > _FEW:
        return as_large_text(column).take(pa.array(rows))
    return pa.chunked_array([pa.array([column[row].as_py() for row in rows.tolist()], pa.large_string())])


def _map(path: Path, uri: str) -> pa.Buffer:
    try:
        return pa.memory_map(str(path)).read_buffer() if path.stat().st_size else pa.py_buffer(b"")
    except (OSError, pa.ArrowException) as error:
        raise DamagedStore(f"{uri} cannot be opened: {error}") from None


def _is_compressed(batch: pa.RecordBatch, mapped: pa.Buffer) -> bool:
    """Return whether no buffer of a batch lies within the mapped file."""
    ends = mapped.address, mapped.address + mapped.size
    buffers = [buffer for column in batch.columns for buffer in column.buffers() if buffer is not None and buffer.size]
    return bool(buffers) and not any(ends[0] <= buffer.address < ends[1] for buffer in buffers)


def _width(type_: pa.DataType) -> int:
    try:
        return int(type_.bit_width)
    except ValueError:
        return 1 << 30
