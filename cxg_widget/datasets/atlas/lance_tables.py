"""Opens the Lance tables of an atlas, each at the version that a snapshot pins; shortens Lance's errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore

_BATCH_BYTES = 16 * 2**20
_PLAIN = re.compile(r"[^/\\\0]+")
_PLACE = re.compile(r",? ?/?[^ ]*?/rust/[^ ]+\.rs:\d+:\d+")


class LanceTable:
    """One version of a Lance table.

    folder : the `lance_db` folder
    name : name of the table, without its suffix
    version : version of the table; None = the newest
    uri : name of the atlas in errors
    """

    def __init__(self, folder: Path, name: str, version: int | None, uri: str) -> None:
        self.name, self.uri = name, uri
        path = folder / f"{name}.lance"
        if not _PLAIN.fullmatch(name) or name.startswith(".") or path.is_symlink() or not path.is_dir():
            raise InvalidStore(f"{uri}: no table {name!r} in lance_db/.")
        with self._reading("opened"):
            self._dataset = lance.dataset(str(path.absolute()), version=version)
            self.version = int(self._dataset.version)
            self.schema: pa.Schema = self._dataset.schema
            self.n_rows = int(self._dataset.count_rows())
            self._check_files(path)

    def read(self, columns: Mapping[str, str] | Sequence[str], rows: Any = None, where: str | None = None) -> pa.Table:
        """Return columns of some rows.

        columns : names, or new name to the expression that makes it
        rows : integer positions (k,), in any order; (start, stop); or None for all
        where : a condition in SQL; only without `rows`
        """
        with self._reading(f"read ({', '.join(columns)})"):
            wanted = dict(columns) if isinstance(columns, Mapping) else list(columns)
            if isinstance(rows, tuple):
                return self._dataset.to_table(columns=wanted, offset=rows[0], limit=rows[1] - rows[0])
            if rows is not None:
                # A list of integers: pylance 4 takes no elements of an Arrow array.
                return self._dataset.take(np.asarray(rows, np.int64).tolist(), columns=wanted)
            return self._dataset.to_table(columns=wanted, filter=where)

    def batches(
        self, columns: Mapping[str, str] | Sequence[str], row_bytes: int, rows: tuple[int, int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Return columns of a range of rows in their order, about 16 MiB at a time."""
        with self._reading(f"read ({', '.join(columns)})"):
            scanner = self._dataset.scanner(
                columns=dict(columns) if isinstance(columns, Mapping) else list(columns),
                offset=rows[0] if rows else None,
                limit=rows[1] - rows[0] if rows else None,
                batch_size=max(1024, min(_BATCH_BYTES // max(row_bytes, 1), 1 << 20)),
                batch_readahead=2,
            )
            yield from scanner.to_batches()

    def count(self, where: str) -> int:
        """Count the rows that meet a condition in SQL."""
        with self._reading("counted"):
            return int(self._dataset.count_rows(filter=where))

    @property
    def traffic(self) -> Traffic:
        """Reads of this table since it was opened, as counted by Lance."""
        found = self._dataset.io_stats_snapshot()
        return Traffic(int(found.read_bytes), int(found.read_iops))

    def files(self) -> dict[str, int]:
        """Return the sizes in bytes of the data files of this version by name; every write makes new names."""
        with self._reading("listed"):
            files = [one for fragment in self._dataset.get_fragments() for one in fragment.data_files()]
        return {one.path: int(one.file_size_bytes or 0) for one in files}

    def _check_files(self, path: Path) -> None:
        """Raise `InvalidStore` for data files outside the table's folder."""
        data = path / "data"
        for fragment in self._dataset.get_fragments():
            for one in fragment.data_files():
                file = data / one.path
                inside = _PLAIN.fullmatch(one.path) and one.path not in (".", "..") and not file.is_symlink()
                if not inside or getattr(one, "base_id", None) is not None:
                    raise InvalidStore(
                        f"{self.uri}: table {self.name!r} refers to a file outside its folder, {one.path!r}."
                    )
        if data.is_symlink():
            raise InvalidStore(f"{self.uri}: the data folder of table {self.name!r} is a symbolic link.")

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        try:
            yield
        except CxgWidgetError:
            raise
        # A panic of the Rust library raises PanicException, which is not an Exception.
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise DamagedStore(f"{self.uri}: table {self.name!r} cannot be {what}: {_sentence(error)}") from error


def table_names(folder: Path) -> list[str]:
    """Return the tables in a `lance_db` folder, sorted."""
    return sorted(one.removesuffix(".lance") for one in os.listdir(folder) if one.endswith(".lance"))


def quoted(text: str) -> str:
    """Return a string as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def _sentence(error: BaseException) -> str:
    """Return an error message of Lance without its source location, at most 300 characters."""
    text = _PLACE.sub("", " ".join(str(error).split()))
    return text[:300].rstrip(" .,") + "."
