"""One Parquet file, mapped and metered: its schema and statistics, and its columns in pieces of bounded size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.errors import DamagedStore, InvalidStore
from cxg_widget.text.half_characters import load_json

VALUES_PER_BATCH = 1 << 20
"""Approximate number of values of a column in memory at a time."""
_SECRET = ("encrypt", "decrypt", "PARE")


@dataclass(frozen=True)
class Leaf:
    """Statistics of one leaf column in one row group, from the footer; None = not stated.

    Attributes
    ----------
    n_values : number of values, including nulls and empty lists
    n_null : number of nulls and empty lists
    low, high : bounds of the values
    """

    n_values: int
    n_null: int | None
    low: Any
    high: Any


class ParquetTable:
    """A Parquet file. Each read opens its own reader, so that several threads can read at once.

    Parameters
    ----------
    mapped : its bytes, mapped and not read
    meter : counts the bytes read
    name : name of the file, or of the member of an archive
    label : its name in messages
    """

    def __init__(self, mapped: pa.Buffer, meter: Meter, name: str, label: str) -> None:
        self.name, self.label = name, label
        self._bytes, self._meter = mapped, meter
        with self.reading():
            opened = pq.ParquetFile(self._file())
            self._footer: pq.FileMetaData = opened.metadata
            self.schema: pa.Schema = opened.schema_arrow
        self._positions = {self._footer.schema.column(i).path: i for i in range(self._footer.num_columns)}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._footer.num_rows)

    @property
    def n_groups(self) -> int:
        """Number of row groups."""
        return int(self._footer.num_row_groups)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The metadata of the footer as text."""
        found = self._footer.metadata or {}
        return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in found.items()}

    def json(self, key: str) -> Any:
        """Return one value of the metadata, None if it is absent or not JSON."""
        try:
            return load_json(self.keys[key])[0]
        except (KeyError, ValueError, RecursionError):
            return None

    def leaf_path(self, path: str) -> str | None:
        """Return the leaf column behind a column, which has "list.item" in it for a list; None if there is none."""
        return next((leaf for leaf in self._positions if leaf == path or leaf.startswith(f"{path}.")), None)

    def group_rows(self, group: int) -> int:
        """Return the rows of a row group."""
        return int(self._footer.row_group(group).num_rows)

    def leaf(self, path: str, group: int) -> Leaf:
        """Return the statistics of a leaf column in a row group."""
        with self.reading():
            column = self._footer.row_group(group).column(self._positions[self.leaf_path(path) or path])
            known = column.statistics
            low = high = n_null = None
            if known is not None and known.has_min_max:
                low, high = known.min, known.max
            if known is not None and known.has_null_count:
                n_null = int(known.null_count)
            return Leaf(int(column.num_values), n_null, low, high)

    def sizes(self) -> dict[str, int]:
        """Return the compressed bytes of each leaf column."""
        found = dict.fromkeys(self._positions, 0)
        with self.reading():
            for group in range(self.n_groups):
                row_group = self._footer.row_group(group)
                for path, position in self._positions.items():
                    found[path] += int(row_group.column(position).total_compressed_size)
        return found

    def n_null(self, path: str) -> int | None:
        """Return the number of nulls of a leaf column in all row groups; None if the footer does not state it."""
        counts = [self.leaf(path, group).n_null for group in range(self.n_groups)]
        return None if None in counts else sum(count for count in counts if count is not None)

    def batches(
        self, columns: Sequence[str], group: int, values_per_row: float = 1.0, *, coded: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns of one row group in pieces, in the order of its rows.

        values_per_row : mean number of values per row, which determines the rows per piece
        coded : whether text comes as dictionaries, as stored in the file
        """
        rows = max(1, int(VALUES_PER_BATCH / max(values_per_row, 1.0)))
        with self.reading():
            reader = self._reader(columns if coded else None)
            yield from reader.iter_batches(rows, row_groups=[group], columns=list(columns), use_threads=True)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read columns as a whole; for tables of one row per spectrum."""
        with self.reading():
            reader = self._reader()
            return reader.read(list(columns), use_threads=False)

    def _reader(self, coded: Sequence[str] | None = None) -> pq.ParquetFile:
        return pq.ParquetFile(
            self._file(), metadata=self._footer, page_checksum_verification=True, read_dictionary=coded
        )

    def _file(self) -> MeteredBytes:
        return MeteredBytes(self._bytes, self._meter)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Translate the exceptions of Arrow into one-sentence errors."""
        try:
            yield
        except (InvalidStore, DamagedStore):
            raise
        except (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError, ValueError) as error:
            reason = " ".join(str(error).split())
            if any(word in reason for word in _SECRET):
                raise InvalidStore(f"{self.label} is encrypted Parquet; decrypt it first.") from None
            raise DamagedStore(f"{self.label} cannot be read as Parquet: {reason[:300]}") from None

    def close(self) -> None:
        """Release the bytes."""
        self._bytes = pa.py_buffer(b"")


class MeteredBytes:
    """A memory map as a file for Arrow, which gets its bytes without a copy."""

    closed = False

    def __init__(self, mapped: pa.Buffer, meter: Meter) -> None:
        self._mapped, self._meter = mapped, meter
        self._at = 0

    def read(self, size: int = -1) -> pa.Buffer:
        """Return at most `size` bytes, by default all to the end."""
        found = self._mapped[self._at : None if size < 0 else self._at + size]
        self._at += found.size
        self._meter.add(found.size)
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset, and return it."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._mapped.size}[whence]
        return self._at

    def tell(self) -> int:
        """Return the offset of the next byte."""
        return self._at

    def close(self) -> None:
        """Release the bytes."""
        self._mapped, self.closed = self._mapped[:0], True
