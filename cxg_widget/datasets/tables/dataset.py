"""Tables as a `Dataset`: pairs of columns are embeddings, others are obs, and some may serve as vars."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.obs_identity import are_numbers, digest_of
from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES, Table
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.embedding_names import is_map
from cxg_widget.datasets.base.lifetime import Lifetime, Meter, Traffic
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.obs_columns import too_many_labels
from cxg_widget.datasets.base.values import Codes, Column, Values, as_numbers
from cxg_widget.datasets.tables.columns import TableColumns
from cxg_widget.datasets.tables.roles import Roles
from cxg_widget.errors import InvalidStore
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.text.nouns import Noun

Opens = Callable[[Lifetime], TableColumns]


class TableDataset(Dataset):
    """Base of tables in memory and in files.

    Parameters
    ----------
    uri : description or location of the table
    opens : function that opens the table
    embedding : embedding to show first: two columns as its axes, or its name
    embeddings : columns that are the axes of each embedding, by its name
    var : columns that serve as vars: their names, or the prefix of their names

    Raises
    ------
    UnknownName, InvalidValue, InvalidOption
        If an option does not name columns of numbers.
    """

    format: ClassVar[str] = "table"
    obs_noun: Noun = Noun("row", "rows")
    _no_embedding: ClassVar[str] = "it has no two columns of numbers to be axes"
    _in_blocks: ClassVar[bool] = False

    def __init__(
        self, uri: str, opens: Opens, *, cache_bytes: int = DEFAULT_CACHE_BYTES, embedding: Any = None,
        embeddings: Any = None, var: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(uri, cache_bytes=cache_bytes)
        self._table = opens(self._lifetime)
        try:
            self._roles = roles = Roles(self._table, embedding, embeddings, var)
            for sentence in roles.notes:
                self._note(sentence)
            self.n_obs, self.n_var = self._table.n, len(roles.vars)
            self.obs_index, self.obs_columns = self._table.index, roles.obs_columns
            self.embeddings = {name: len(axes) for name, axes in roles.axes.items()}
            self.default_embedding = roles.default
            if roles.vars:
                self.var_index = "column"
                if roles.prefix:
                    self.var_columns = {"feature_name": Column("feature_name", "string")}
        except BaseException:
            self._release()
            raise

    def _read_frame(self, rows: NDArray[np.int64], columns: Any) -> Any:
        return self._table.rows_of_all(rows, self._roles.checked(columns))

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index, None = no name; var has none."""
        return self._table.index_name if table == "obs" else None

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._table.read(name, rows)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._table.read(name, (start, stop))

    def _read_codes(self, name: str) -> Codes | None:
        found = self._table.codes(name)
        if found is None:
            raise too_many_labels(name)
        return found

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        return self._columns_of([self._roles.axes[name][axis] for axis in axes], start, stop)

    def _columns_of(self, columns: Sequence[str], start: int, stop: int) -> NDArray[np.float32]:
        xy = np.empty((stop - start, 2), dtype=np.float32)
        # A number beyond float32 becomes infinite, so its cell has no position.
        with np.errstate(over="ignore"):
            for axis, column in enumerate(columns):
                xy[:, axis] = as_numbers(self._table.read(column, (start, stop)))
        return xy

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        """Return the names of the columns if the two axes need not share a unit."""
        columns = self._roles.axes[name]
        is_own = name in self._roles.of_own_units and axes[0] != axes[1]
        return (columns[axes[0]], columns[axes[1]]) if is_own else None

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        columns = self._roles.axes[name]
        return None if is_map(name) else (columns[axes[0]], columns[axes[1]])

    def _find_pair(self, name: str | Sequence[str]) -> str | tuple[str, ...] | None:
        return self._roles.find_pair(name)

    def _read_var(self, name: str) -> Values:
        cut = len(self._roles.prefix) if name == "feature_name" else 0
        return as_strings(label[cut:] for label in self._roles.vars)

    def _read_vector(self, position: int, layer: str | None) -> Vector:  # noqa: ARG002 - there are no layers
        return self._vector(position, 0, self.n_obs)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:  # noqa: ARG002
        return self._vector(position, start, stop)

    def _vector(self, position: int, start: int, stop: int) -> Vector:
        rows = None if (start, stop) == (0, self.n_obs) else (start, stop)
        with np.errstate(over="ignore"):
            return Vector.of(as_numbers(self._table.read(self._roles.vars[position], rows)).astype(np.float32))

    def _read_grain(self, layer: str | None) -> Grain:
        if not self._table.in_memory:
            return super()._read_grain(layer)
        # Reads single rows and columns, since nothing has to be decoded.
        return Grain((self.n_obs, self.n_var), self.n_obs * self.n_var, 4, 1, 1, cuts=True, is_dense=True)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        if not self._table.in_memory:
            return super()._read_rows(rows, layer)
        return DenseBlock(np.ascontiguousarray(self._lines(range(self.n_var), rows).T))

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        if not self._table.in_memory or rows is None:
            return super()._read_columns(positions, rows, layer)
        return DenseBlock(self._lines(positions.tolist(), rows))

    def _lines(self, positions: Sequence[int], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return rows of vars, float32 (n_vars, n_rows)."""
        is_slice = len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1
        some = (int(rows[0]), int(rows[-1]) + 1) if is_slice else rows
        lines = np.empty((len(positions), len(rows)), dtype=np.float32)
        with np.errstate(over="ignore"):
            for line, position in enumerate(positions):
                lines[line] = as_numbers(self._table.read(self._roles.vars[position], some))
        return lines

    def _read_details(self) -> dict[str, Any]:
        axes = {name: ", ".join(columns[:4]) for name, columns in self._roles.axes.items()}
        return {**self._table.details(), "axes": axes}

    def _read_sizes(self) -> dict[str, int]:
        return self._table.sizes()

    def _release(self) -> None:
        self._table.close()


class TableInMemory(TableDataset):
    """A DataFrame, an Arrow table or a dict of arrays.

    Parameters
    ----------
    what : type of the table, for messages
    opens : function that opens the table
    **options : those of `TableDataset`
    """

    def __init__(self, what: str, opens: Opens, **options: Any) -> None:
        super().__init__(f"{what} in memory", opens, **options)
        self.title = what

    def _read_traffic(self) -> Traffic:
        return Traffic()

    def _read_obs_identity(self) -> str | None:
        """Return a key made of the row names, and also of two columns of numbers if the names are row numbers."""
        names = () if self.obs_index is None else self.obs_names().tolist()
        if not are_numbers(names):
            return f"table#{self.n_obs}#{digest_of(names)}"
        pair = self._roles.of_identity
        if not self.n_obs or pair is None:
            return None
        return f"table#{self.n_obs}#{digest_of(names, [self._columns_of(pair, 0, self.n_obs)])}"

    def _read_content_identity(self) -> str | None:
        """Return a digest of the columns, the row names and two columns of numbers, whatever their roles."""
        pair = self._roles.of_identity
        if pair is None:
            return None
        columns = [(one.name, one.kind) for one in self._table.columns.values()]
        digest = sha256(repr([columns, self._read_obs_identity()]).encode(errors="surrogatepass"))
        digest.update(fingerprint(self._columns_of(pair, 0, self.n_obs)).encode())
        return digest.hexdigest()


class TableFile(TableDataset):
    """Base of tables in files; a subclass opens one.

    Parameters
    ----------
    uri : path of the file
    **options : those of `TableDataset`
    """

    def __init__(self, uri: str, **options: Any) -> None:
        if is_remote(uri):
            how = "csv" if self.format == "csv" else "feather" if self.format == "arrow" else "parquet"
            raise InvalidStore(
                f"'{uri}': a table can be opened only from a local disk; copy the file here, or let pandas read it: "
                f"CxgWidget(pandas.read_{how}('{uri}'))."
            )
        self._path, self._meter = Path(uri.removeprefix("file://")), Meter()
        super().__init__(uri, self._opens, **options)

    def _opens(self, life: Lifetime) -> TableColumns:
        raise NotImplementedError

    def _read_traffic(self) -> Traffic:
        return self._meter.so_far

    def _state(self) -> str:
        found = os.stat(self._path)
        return f"{os.path.realpath(self._path)}#{found.st_size},{found.st_mtime_ns}"

    def _read_identity(self) -> str:
        # An embedding of the same name may have other columns next time.
        options = sha256(repr((self._roles.axes, self._roles.vars)).encode(errors="surrogatepass"))
        return f"{self._state()}#{options.hexdigest()}"

    def _read_obs_identity(self) -> str:
        return self._state()


class ParquetDataset(TableFile):
    """A Parquet file; reads columns on demand, in pieces."""

    format: ClassVar[str] = "parquet"

    def _opens(self, life: Lifetime) -> TableColumns:
        from cxg_widget.datasets.tables.arrow_columns import ArrowColumns
        from cxg_widget.datasets.tables.arrow_sources import open_parquet

        return ArrowColumns(open_parquet(self._path, self._meter, self.uri), life)


class ArrowDataset(TableFile):
    """An Arrow file (Feather 2) or stream, mapped."""

    format: ClassVar[str] = "arrow"

    def _opens(self, life: Lifetime) -> TableColumns:
        from cxg_widget.datasets.tables.arrow_columns import ArrowColumns
        from cxg_widget.datasets.tables.arrow_sources import open_arrow

        return ArrowColumns(open_arrow(self._path, self._meter, self.uri), life)


class CsvDataset(TableFile):
    """A text file whose first line names the columns; read as a whole."""

    format: ClassVar[str] = "csv"

    def _opens(self, life: Lifetime) -> TableColumns:
        from cxg_widget.datasets.tables.csv_file import read_csv
        from cxg_widget.datasets.tables.frame_columns import FrameColumns

        return FrameColumns(read_csv(self._path, self._meter, self.uri), "text file", life)


__all__ = ["ArrowDataset", "CsvDataset", "ParquetDataset", "TableDataset", "TableInMemory"]
