"""Reads a matrix from text: matrix.mtx, barcodes.tsv and features.tsv, compressed or not; entries are read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import RLock
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.memory_nodes import MemoryArray
from cxg_widget.datasets.anndata.node import Node
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.tenx.by_cell import Matrix, by_cell, features_table
from cxg_widget.datasets.tenx.files import BARCODES, FEATURES, MATRIX, find_one, mtx_prefixes, one_of, opened
from cxg_widget.errors import DamagedStore, InvalidStore

_LINES = 1 << 21
"""Entries per block when parsing."""
_ENTRY_BYTES = 8
_LARGEST = 2**31 - 1
_LEAST_LINE = len("1 1 1\n")
_MOST_PER_BYTE = 1032
"""Most bytes that one byte of gzip can decompress to."""
_COLUMNS = ("id", "name", "feature_type")


def read_mtx(
    folder: Path, key: str | None, uri: str, most_bytes: int, *, meter: Meter, progress: Callable[[float], None]
) -> Matrix:  # fmt: skip
    """Return the matrix of a folder; reads the names and only the header of matrix.mtx.

    key : prefix of the file names, if the folder has several matrices
    most_bytes : memory limit for the entries

    Raises
    ------
    InvalidStore
        If a file is missing, the files contradict each other, or the entries exceed `most_bytes`.
    DamagedStore
        If a file cannot be read, or a line of the features is too short.
    InvalidOption
        If there are several matrices and `key` does not name one of them.
    """
    import pandas as pd

    prefixes = mtx_prefixes(folder)
    prefix = one_of(prefixes, key, uri) if prefixes else ""
    path, of_cells, of_genes = (find_one(folder, prefix, names, uri) for names in (MATRIX, BARCODES, FEATURES))
    barcodes = [line.split("\t")[0] for line in _lines(of_cells, uri, meter)]
    rows = [line.split("\t") for line in _lines(of_genes, uri, meter)]
    width = min([len(_COLUMNS), *map(len, rows[:1])])
    short = next((number for number, row in enumerate(rows, 1) if len(row) < width), None)
    if short is not None:
        raise DamagedStore(f"{uri}: line {short:,} of {of_genes.name} has fewer than {width} columns; is it cut off?")
    columns = {column: [row[at] for row in rows] for at, column in enumerate(_COLUMNS[:width])}
    if not columns:
        raise InvalidStore(f"{uri}: {of_genes.name} must have an id and a name in each line, separated by a tab.")
    with opened(path, uri, meter) as file:
        is_whole, (n_var, n_obs, n_entries) = _header(file, path.name, uri)
    for what, n, declared in ((of_genes.name, len(rows), n_var), (of_cells.name, len(barcodes), n_obs)):
        if n != declared:
            raise InvalidStore(f"{uri}: {what} has {n:,} lines, but {path.name} says {declared:,}.")
    size = path.stat().st_size * (_MOST_PER_BYTE if path.suffix == ".gz" else 1)
    if n_entries * _LEAST_LINE > size + 1:  # the last line may have no end
        raise InvalidStore(f"{uri}: {path.name} declares {n_entries:,} entries, but the file is too small for them.")
    if _ENTRY_BYTES * n_entries > most_bytes:
        raise InvalidStore(
            f"{uri}: {path.name} has {n_entries:,} entries, which take {_ENTRY_BYTES * n_entries:,} bytes of memory, "
            f"more than memory_bytes={most_bytes:,}; open the .h5 of the same run, or pass more memory_bytes."
        )
    parts = Entries(path, uri, (n_obs, n_var, n_entries), is_whole, meter=meter, progress=progress)
    node = by_cell(parts, (n_obs, n_var), path.name, uri)
    return Matrix(node, pd.Index(barcodes, name="barcode"), features_table(columns), is_whole)


class Entries(Mapping[str, Node]):
    """Data, indices and indptr of matrix.mtx, which is parsed at the first request for one of them."""

    def __init__(
        self, path: Path, uri: str, shape: tuple[int, int, int], is_whole: bool, *, meter: Meter,
        progress: Callable[[float], None],
    ) -> None:  # fmt: skip
        self._path, self._uri, self._shape, self._is_whole = path, uri, shape, is_whole
        self._meter, self._progress = meter, progress
        self._lock = RLock()
        self._parts: dict[str, Node] | None = None

    def __getitem__(self, name: str) -> Node:
        with self._lock:
            if self._parts is None:
                try:
                    arrays = self._parse()
                finally:
                    self._progress(1.0)
                self._parts = {key: MemoryArray(one, f"{self._path.name}/{key}") for key, one in arrays.items()}
            return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("data", "indices", "indptr"))

    def __len__(self) -> int:
        return 3

    def _parse(self) -> dict[str, NDArray[Any]]:
        n_obs, n_var, n_entries = self._shape
        cells, genes = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
        values = np.empty(n_entries, np.int32 if self._is_whole else np.float32)
        seen = stop = 0
        for part in self._parsed():
            stop = seen + len(part)
            if stop > n_entries:
                break
            for into, name in ((genes, "gene"), (cells, "cell"), (values, "value")):
                into[seen:stop] = self._checked(part[name].to_numpy()) - (name != "value")
            seen = stop
            self._progress(seen / n_entries)
        if seen != n_entries:
            how = "is cut off" if stop <= n_entries else "has too many lines"
            raise DamagedStore(f"{self._uri}: {self._path.name} {how}: it declares {n_entries:,} entries.")
        for what, found, n in (("a barcode", cells, n_obs), ("a feature", genes, n_var)):
            if n_entries and not 0 <= found.min() <= found.max() < n:
                raise InvalidStore(f"{self._uri}: {self._path.name} names {what} that is not among the {n:,} listed.")
        if (np.diff(cells) < 0).any():
            order = np.argsort(cells, kind="stable")
            cells, genes, values = cells[order], genes[order], values[order]
        starts = np.zeros(n_obs + 1, np.int64)
        np.cumsum(np.bincount(cells, minlength=n_obs), out=starts[1:])
        return {"data": values, "indices": genes, "indptr": starts}

    def _checked(self, found: NDArray[Any]) -> NDArray[Any]:
        """Return `found`; raise `InvalidStore` if it has integers outside the range of int32."""
        if found.dtype.kind == "i" and len(found) and not -_LARGEST <= found.min() <= found.max() <= _LARGEST:
            raise InvalidStore(f"{self._uri}: {self._path.name} has a number above {_LARGEST:,}, which is too large.")
        return found

    def _parsed(self) -> Iterator[Any]:
        import pandas as pd

        with opened(self._path, self._uri, self._meter) as file:
            _header(file, self._path.name, self._uri)
            # With int32, pandas would wrap too large numbers around without an error.
            kinds = {"gene": np.int64, "cell": np.int64, "value": np.int64 if self._is_whole else np.float32}
            if self._shape[2]:
                yield from pd.read_csv(file, sep=r"\s+", names=list(kinds), dtype=kinds, chunksize=_LINES)


def _lines(path: Path, uri: str, meter: Meter) -> list[str]:
    with opened(path, uri, meter) as file:
        return [line.rstrip("\r") for line in file.read().decode("utf-8-sig").rstrip("\r\n").split("\n") if line]


def _header(file: IO[bytes], name: str, uri: str) -> tuple[bool, tuple[int, int, int]]:
    """Read the header; return whether values are integers, and the numbers of features, barcodes and entries."""
    first = file.readline().decode("ascii", "replace").lower().split()
    if first[:3] != ["%%matrixmarket", "matrix", "coordinate"] or first[3:] not in (
        ["integer", "general"], ["real", "general"],
    ):  # fmt: skip
        raise InvalidStore(f"{uri}: {name} is not a MatrixMarket coordinate file of integer or real numbers.")
    line = file.readline()
    while line.startswith(b"%"):
        line = file.readline()
    try:
        n_var, n_obs, n_entries = map(int, line.split())
    except ValueError:
        raise InvalidStore(f"{uri}: {name} has no line with its numbers of rows, columns and entries.") from None
    if min(n_var, n_obs, n_entries) < 0 or n_entries > n_var * n_obs:
        raise InvalidStore(f"{uri}: {name} declares {n_entries:,} entries in a matrix of {n_var:,} x {n_obs:,}.")
    return first[3] == "integer", (n_var, n_obs, n_entries)
