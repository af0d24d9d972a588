"""Reads TileDB-SOMA experiments as a `Dataset`; the other modules here are its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import numpy as np
import tiledb
from numpy.typing import NDArray

from cxg_widget.color.css_colors import to_hex
from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.parallel import gather
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES, Table
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import (
    DEFAULT_MEMORY_BYTES,
    MatrixBlock,
    check_memory_bytes,
    size_of,
)
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Values, as_plain
from cxg_widget.datasets.soma.dense import Dense
from cxg_widget.datasets.soma.embeddings import DATA, find_embeddings
from cxg_widget.datasets.soma.experiment import Experiment, find_experiment
from cxg_widget.datasets.soma.joinids import JOINID, Ordered, read_joinids
from cxg_widget.datasets.soma.matrix import DIMS, SomaMatrix
from cxg_widget.datasets.soma.sparse import Sparse
from cxg_widget.datasets.soma.table import SomaTable
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.listing import absolute, lists_in_one, name_of
from cxg_widget.errors import CxgWidgetError, InvalidOption, InvalidStore
from cxg_widget.text.names import shown

_QC = "qc"
"""Name of the embedding made of two obs columns, if obsm has none."""
_COUNTS = (
    ("raw_sum", "nnz"),
    ("n_counts", "n_genes"),
    ("total_counts", "n_genes_by_counts"),
    ("nCount_RNA", "nFeature_RNA"),
)
"""Numbers of counts and of genes per cell, as named by the Census, scanpy and Seurat; drawn as log1p."""


class SomaDataset(Dataset):
    """An experiment written by tiledbsoma: obs, and one of its measurements.

    Parameters
    ----------
    uri : a directory, or a URI that TileDB reads, such as s3://bucket/experiment
    measurement : name of the measurement whose var, X and obsm are read; None = "RNA", or the first one
    cache_bytes : size of the cache for data that were read
    memory_bytes : memory for cached columns of tiles, sorted by gene (3.2 GiB); if a column of tiles needs more, each
        gene reads its tiles again
    ctx, config : a TileDB context to read with, or settings for one, such as {"vfs.s3.region": "us-west-2"}
    storage_options : the same settings with the names of fsspec, such as {"anon": True, "region": "us-west-2"}

    Raises
    ------
    InvalidStore
        If the store is not an experiment, or lacks a required part.
    UnknownName
        If there is no such measurement.
    DamagedStore
        If schemas or metadata cannot be read. Missing data raise an error only when they are read.
    StorageError
        If the storage refuses, fails or does not answer in time.
    """

    format: ClassVar[str] = "soma"
    _holds_text: ClassVar[bool] = True
    _no_embedding: ClassVar[str] = "no usable embedding in obsm"

    def __init__(
        self,
        uri: str,
        *,
        measurement: str | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        ctx: tiledb.Ctx | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | tiledb.Config | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        _check_options(measurement, memory_bytes)
        self._budget = ByteCache(memory_bytes, size_of)
        self._arrays = Arrays(absolute(uri), uri, make_context(uri, ctx, config, storage_options))
        self.is_remote = self._arrays.is_remote
        try:
            self._open(measurement)
        except BaseException:
            self._arrays.close()
            raise

    def _open(self, measurement: str | None) -> None:
        parts = self._parts = find_experiment(self._arrays, measurement, self._note)
        self._arrays.open_ahead([parts.obs, parts.var, *parts.obsm.values()])
        obs, var = self._read_tables(parts)
        self._obs = SomaTable(self._arrays, parts.obs, "obs", obs, self._note)
        self._var = SomaTable(self._arrays, parts.var, "var", var, self._note)
        self.title = name_of(self.uri)
        self.n_obs, self.n_var = self._obs.n, self._var.n
        self.obs_columns, self.obs_index = self._obs.columns, self._obs.index
        self.var_columns, self.var_index = self._var.columns, self._var.index
        self.layers = tuple(parts.layers)[1:]
        self._matrices: dict[str, SomaMatrix] = {}
        # In a remote store, the schema of X takes a request, which waits for the first gene.
        self.major_axis = "obs" if self.is_remote or not parts.layers else self._matrix_of(None).axis
        self._embeddings, self._unusable = find_embeddings(self._arrays, parts.obsm)
        for problem in self._unusable.values():
            self._note(problem)
        self.embeddings = {name: one.width for name, one in self._embeddings.items()}
        if not self.embeddings:
            self._draw_columns()
        self.default_embedding = default_embedding(self.embeddings) or next(iter(self.embeddings), None)

    def _read_tables(self, parts: Experiment) -> tuple[Ordered, Ordered]:
        """Return the joinids of obs and var; in a remote store, with what the first reads need in the same requests."""
        arrays, tables = self._arrays, (parts.obs, parts.var)
        obs, var = (partial(read_joinids, arrays, path) for path in tables)
        if not self.is_remote:
            return obs(), var()
        # Of tables their metadata and places of tiles, of embeddings places alone. What fails here fails again when it
        # is read, which then says why.
        ahead: list[Callable[[], Any]] = [partial(arrays.metadata, path) for path in tables]
        ahead += [partial(arrays.array, path, JOINID) for path in tables]
        ahead += [partial(arrays.array, path, DATA, *DIMS) for path in parts.obsm.values()]
        found: list[Any] = gather([obs, var, *(partial(_without_error, read) for read in ahead)])
        return found[0], found[1]

    def _draw_columns(self) -> None:
        """Use two obs columns as the axes if there is no embedding, as in the CELLxGENE Census."""
        numbers = [name for name, one in self.obs_columns.items() if one.kind in ("int", "float") and name != JOINID]
        counts = next((pair for pair in _COUNTS if set(pair) <= set(numbers)), None)
        listed = ", ".join(numbers[:6]) or "none"
        sentence = f"measurement {self._parts.measurement!r} has no usable embedding in obsm"
        if len(numbers) > 1:
            self._columns = counts or (numbers[0], numbers[1])
            self.embeddings = {_QC: 2}
            sentence += f", so the axes are {self._columns[0]} and {self._columns[1]}"
        self._note(f"{sentence}; two obs columns of numbers ({listed}) or genes can be the axes: embedding=(x, y).")

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index before it was written by tiledbsoma."""
        return (self._obs if table == "obs" else self._var).index_name

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._obs.read(name, rows)

    def _read_obs_alone(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._obs.read(name, rows, alone=True)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._obs.read_block(name, start, stop)

    def _packs(self, name: str) -> bool:
        return self._obs.is_text(name)

    def _read_var(self, name: str) -> Values:
        return self._var.read(name)

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name == _QC and name not in self._embeddings:
            read = [np.asarray(self._obs.read_block(self._columns[axis], start, stop)) for axis in axes]
            values = np.column_stack(read).astype(np.float64)
            return np.log1p(values) if self._columns in _COUNTS else values
        return self._embeddings[name].read(self._arrays, self._obs.joinids, axes, start, stop)

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        if name != _QC or name in self._embeddings or axes[0] == axes[1]:
            return None
        form = "log1p({})" if self._columns in _COUNTS else "{}"
        return form.format(self._columns[axes[0]]), form.format(self._columns[axes[1]])

    def _prepare_vectors(self) -> None:
        if self.is_remote and self._parts.layers:
            with self._reading():
                self._matrix_of(None).prepare()

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        return self._matrix_of(layer).vectors(positions)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        return self._matrix_of(layer).vectors_of_rows(positions, start, stop)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:
        return next(self._read_vectors_block([position], layer, start, stop))

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        return self._matrix_of(layer).lines(self.major_axis, start, stop)

    def _read_grain(self, layer: str | None) -> Grain:
        return self._matrix_of(layer).grain()

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        return self._matrix_of(layer).block(rows, None)

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        return self._matrix_of(layer).columns(positions, rows)

    def _matrix_of(self, layer: str | None) -> SomaMatrix:
        """Return a layer, None = the main one."""
        if not self._parts.layers:
            raise InvalidStore(f"{self.uri}: measurement {self._parts.measurement!r} has no X.")
        name = layer or next(iter(self._parts.layers))
        if name not in self._matrices:
            path = self._parts.layers[name]
            self._arrays.open_ahead([path])  # its schema alone would take three requests, once more for each use
            kind = Sparse if self._arrays.schema(path).sparse else Dense
            joinids = self._obs.joinids, self._var.joinids
            note, progress = self._note, self._tell_progress
            self._matrices[name] = kind(self._arrays, path, joinids, self._budget, note=note, progress=progress)
        return self._matrices[name]

    def _category_colors(self, column: str) -> Mapping[str, str]:
        """Return scanpy's colors in `uns`, which tiledbsoma writes as a dataframe of strings."""
        if self._parts.uns is None:
            return {}
        path = f"{self._parts.uns}/{column}_colors"
        if self.is_remote or self._arrays.kind(path) != "array":
            return {}
        try:
            table = SomaTable(self._arrays, path, "var", read_joinids(self._arrays, path), lambda _: None)
            texts = next((name for name, one in table.columns.items() if one.kind == "string"), None)
            colors = [] if texts is None else as_plain(table.read(texts)).tolist()
        except CxgWidgetError as error:
            self._note(f"the colors of {column!r} cannot be read: {error}")
            return {}
        labels = self.codes(column).categories
        pairs = zip(labels, map(to_hex, colors), strict=False)
        return {str(label): color for label, color in pairs if color is not None}

    def _read_details(self) -> dict[str, Any]:
        names = list(self._parts.layers)
        found: dict[str, Any] = {
            "version": self._parts.version,
            "measurement": self._parts.measurement,
            "measurements": list(self._parts.measurements),
        }
        if names:
            found["X"] = {"layer": names[0]} | self._matrix_of(None).describe()
        if self.layers:
            found["layers"] = {name: self._matrix_of(name).describe() for name in self.layers}
        return found

    def _read_sizes(self) -> dict[str, int]:
        parts = self._parts
        paths = [parts.obs, parts.var, *parts.layers.values(), *parts.obsm.values()]
        return dict(zip(paths, self._arrays.sizes(paths), strict=True))

    def _read_identity(self) -> str:
        if self.is_remote and not lists_in_one(self.uri):
            return super()._read_identity()
        parts = self._parts
        paths = [parts.obs, parts.var, *parts.layers.values(), *parts.obsm.values()]
        return f"{self._arrays.state(paths)}#{parts.measurement}"

    @property
    def reads_ahead(self) -> bool:
        """Whether one request may serve several reads of TileDB."""
        return self._arrays.reads_ahead

    def _read_traffic(self) -> Traffic:
        return self._arrays.traffic()

    def _release(self) -> None:
        self._budget.clear()
        self._arrays.close()


def _without_error(read: Callable[[], Any]) -> None:
    with suppress(CxgWidgetError):
        read()


def _check_options(measurement: Any, memory_bytes: Any) -> None:
    if measurement is not None and not isinstance(measurement, str):
        raise InvalidOption(f'measurement is {shown(measurement)}; it must be a name, such as "RNA".')
    check_memory_bytes(memory_bytes)
