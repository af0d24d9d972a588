"""Reads a 10x matrix with its projections, clusters and tissue images as a `Dataset`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.anndata.dataset import check_options
from cxg_widget.datasets.anndata.matrices import StoredMatrix
from cxg_widget.datasets.anndata.memory_frame import MemoryFrame
from cxg_widget.datasets.anndata.obs_identity import digest_of
from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.datasets.base.matrix_block import DEFAULT_MEMORY_BYTES, size_of
from cxg_widget.datasets.base.sections import Sections
from cxg_widget.datasets.base.values import Column, Values, take_rows
from cxg_widget.datasets.tenx.by_cell import EXPRESSION, Matrix
from cxg_widget.datasets.tenx.files import find_files, opened
from cxg_widget.datasets.tenx.tables import (
    as_booleans,
    as_labels,
    as_whole,
    column_of,
    columns_of,
    numbers_of,
    read_table,
    samples_of,
)
from cxg_widget.datasets.tenx.tissue import find_sections, read_image
from cxg_widget.errors import DamagedStore

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.anndata.h5 import H5Store

TOTAL, DETECTED = "total_counts", "n_genes_by_counts"
"""scanpy's names for the counts of a cell and for the number of genes with counts."""
_QC = "qc"
_ENTRIES = 1 << 24
"""Entries per block when summing."""
_PLACES = ("pxl_col_in_fullres", "pxl_row_in_fullres")
_PATHS = ("molecule_h5", "cloupe_file", "spatial_folder", "molecule_info", "_outs")
_ON_ARRAY = ("array_row", "array_col")


class TenXDataset(WithMatrices):
    """A 10x matrix: an .h5 file, a folder with matrix.mtx, or the `outs/` of Cell Ranger or Space Ranger.

    Parameters
    ----------
    uri : a path
    cache_bytes : memory for cached reads
    key : which of several matrices: the genome (before Cell Ranger 3), the sample of `multi`, the bins of Visium HD, or
        the prefix of file names in a folder
    memory_bytes : memory limit for the entries sorted by gene, and for the entries of matrix.mtx (3.2 GiB)

    Raises
    ------
    InvalidStore
        If it is not a 10x matrix, or its parts contradict each other.
    DamagedStore
        If its structure cannot be read.
    InvalidOption
        If there are several matrices and `key` does not name one of them.
    """

    format: ClassVar[str] = "10x"

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        key: str | None = None,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
    ) -> None:
        super().__init__(f"{uri}#{key}" if key else uri, cache_bytes=cache_bytes)
        check_options(key, memory_bytes)
        path = Path(uri.removeprefix("file://"))
        self._files, left = find_files(path, key, self.uri)
        self._budget = ByteCache(memory_bytes, size_of)
        self._store: H5Store | None = None
        self._meter = Meter()
        names = [one for one in (path.name, *path.absolute().parts[-2::-1]) if one not in ("outs", "count")]
        self.title = f"{names[0]} {key.strip('_')}" if key else names[0]
        try:
            self._open(self._open_matrix(left, memory_bytes))
        except BaseException:
            self._release()
            raise

    def _open_matrix(self, key: str | None, memory_bytes: int) -> Matrix:
        if self._files.matrix.is_dir():
            from cxg_widget.datasets.tenx.mtx_matrix import read_mtx

            return read_mtx(
                self._files.matrix, key, self.uri, memory_bytes, meter=self._meter, progress=self._tell_progress
            )
        from cxg_widget.datasets.anndata.h5 import H5Store
        from cxg_widget.datasets.tenx.h5_matrix import read_h5

        self._store = H5Store(str(self._files.matrix), self.uri)
        return read_h5(self._store, key)

    def _open(self, found: Matrix) -> None:
        self._barcodes, self._node, self._is_whole = found.barcodes, found.node, found.is_whole
        self._var = MemoryFrame(found.features, "var", self._note)
        self.n_obs, self.n_var = len(found.barcodes), self._var.n
        self.var_columns, self.var_index = self._var.columns, self._var.index
        types = found.features.get("feature_type")
        is_expression = np.ones(self.n_var, bool) if types is None else (types == EXPRESSION).to_numpy()
        self._counted = is_expression if is_expression.any() else np.ones(self.n_var, bool)
        shape = (self.n_obs, self.n_var)
        self._matrix = StoredMatrix(
            found.node, "the matrix", shape, budget=self._budget, note=self._note, progress=self._tell_progress
        )
        self._layers, self._raw = {}, None
        self._name_layers()
        self.obs_index = "barcode"
        self._readers = self._find_columns()
        self.embeddings = self._find_embeddings()
        self._choose_embedding("spatial" if self._files.images else None)
        if "graphclust" in self.obs_columns:
            self.default_color = "obs:graphclust"
        self.sections()

    # --- obs ----------------------------------------------------------------------------------------------------------

    def _find_columns(self) -> dict[str, Callable[[], Values]]:
        """Describe the obs columns in `obs_columns` and return the function that reads each one."""
        columns: dict[str, Column] = {}
        readers: dict[str, Callable[[], Values]] = {}

        def add(name: str, kind: Any, read: Callable[[], Values]) -> None:
            columns[name], readers[name] = Column(name, kind), read

        if (types := self._files.cell_types) is not None:
            for name in self._columns(types)[:2]:
                add(name, "categorical", partial(self._labels, types, name))
        for name, path in self._files.clusters.items():
            add(name, "categorical", partial(self._labels, path, "Cluster"))
        if (samples := self._files.aggregation) is not None:
            for name in self._sample_columns(samples):
                add(name, "categorical", partial(self._sample_labels, samples, name))
        add(TOTAL, "int" if self._is_whole else "float", lambda: self._qc()[0])
        add(DETECTED, "int", lambda: self._qc()[1])
        if (places := self._files.positions) is not None:
            add("in_tissue", "boolean", lambda: as_booleans(self._numbers(places, "in_tissue")))
            for name in _ON_ARRAY:
                add(name, "int", lambda name=name: as_whole(self._numbers(places, name)))  # type: ignore[misc]
        self.obs_columns = columns
        return readers

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        if name == self.obs_index:
            return as_strings((self._barcodes if rows is None else self._barcodes[rows]).tolist())
        whole = self._read_once(f"obs column {name}", self._readers[name])
        return whole if rows is None else take_rows(whole, rows)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._read_obs(name, np.arange(start, stop))

    def _columns(self, path: Path) -> list[str]:
        """Return the columns of a table next to the matrix; none, with a note, if it cannot be read."""
        try:
            return columns_of(path, self.uri, self._meter)
        except DamagedStore as error:
            self._note(str(error))
            return []

    def _sample_columns(self, path: Path) -> list[str]:
        """Return the columns of aggregation.csv, except paths; the first one names the samples."""
        try:
            with opened(path, self.uri, self._meter) as file:
                first = file.readline(1 << 16).decode("utf-8-sig", "replace")
        except DamagedStore as error:
            self._note(str(error))
            return []
        names = [name.strip() for name in first.split(",")]
        return [name for name in names if name and not name.endswith(_PATHS)]

    def _sample_labels(self, path: Path, column: str) -> Values:
        table = self._read_once(str(path), lambda: samples_of(path, self.uri, self._barcodes, self._meter))
        return as_labels(column_of(table, column, path, self.uri))

    def _table(self, path: Path) -> pd.DataFrame:
        found: pd.DataFrame = self._read_once(
            str(path), lambda: read_table(path, self.uri, self._barcodes, self._meter, self._note)
        )
        return found

    def _labels(self, path: Path, column: str) -> Values:
        return as_labels(column_of(self._table(path), column, path, self.uri))

    def _numbers(self, path: Path, column: str) -> NDArray[np.float64]:
        return numbers_of(column_of(self._table(path), column, path, self.uri), path, self.uri)

    def _qc(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the counts of each cell and its number of genes with counts.

        Features of other types, such as antibodies, do not count if there are genes.
        """
        found: tuple[NDArray[Any], NDArray[np.int64]] = self._read_once("qc", self._count)
        return found

    def _count(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        totals, detected = np.zeros(self.n_obs), np.zeros(self.n_obs, np.int64)
        data = self._node.get("data")
        n_entries = max(getattr(data, "size", 0), 1)
        step = max(self.n_obs * _ENTRIES // n_entries, 1)
        try:
            for start in range(0, self.n_obs, step):
                stop = min(start + step, self.n_obs)
                block = self._matrix.lines("obs", start, stop)
                kept = self._counted[block.positions]
                rows = np.repeat(np.arange(stop - start), np.diff(block.starts))[kept]
                values = block.values[kept]
                totals[start:stop] = np.bincount(rows, values, stop - start)
                detected[start:stop] = np.bincount(rows[values > 0], minlength=stop - start)
                self._tell_progress(stop / self.n_obs)
        except BaseException:
            self._tell_progress(1.0)
            raise
        return (totals.astype(np.int64) if self._is_whole else totals), detected

    # --- embeddings ---------------------------------------------------------------------------------------------------

    def _find_embeddings(self) -> dict[str, int]:
        found = {name: len(self._columns(path)) for name, path in self._files.projections.items()}
        for name in [name for name, width in found.items() if width < 2]:
            self._unusable[name] = f"{self._files.projections[name].name} of {name} has fewer than two coordinates."
            self._note(self._unusable[name])
            del found[name]
        if self._files.positions is not None:
            found["spatial"] = 2
        if not found:
            self._note(f"there is no projection, so cells are placed by {TOTAL} and {DETECTED}.")
            found[_QC] = 2
        return found

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        if name == _QC:
            both = np.log1p(np.column_stack(self._qc()).astype(np.float64))
            return both[:, list(axes)]
        if name == "spatial" and (places := self._files.positions) is not None:
            return np.column_stack([self._numbers(places, _PLACES[axis]) for axis in axes])
        path = self._files.projections[name]
        return numbers_of(self._table(path).iloc[:, list(axes)], path, self.uri)

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        if name != _QC or axes[0] == axes[1]:
            return None
        both = f"log1p({TOTAL})", f"log1p({DETECTED})"
        return both[axes[0]], both[axes[1]]

    # --- the tissue ---------------------------------------------------------------------------------------------------

    def _read_sections(self) -> Sections:
        return find_sections(self._files, self.title, self._note)

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        resolution = name.rpartition("/")[2]
        path = self._files.images[resolution]
        found: NDArray[Any] = self._cached(("image", resolution), lambda: read_image(path, self.uri, self._meter))
        return found[lines, columns]

    # --- the store ----------------------------------------------------------------------------------------------------

    def _read_identity(self) -> str:
        return f"{self._files.state()}#{self.uri}"

    def _read_obs_identity(self) -> str | None:
        return f"{os.path.abspath(self._files.matrix)}#{self.n_obs}#{digest_of(self._barcodes)}"

    def _read_details(self) -> dict[str, Any]:
        beside = {**self._files.projections, **self._files.clusters}
        found: dict[str, Any] = {"matrix": self._files.matrix.name, "layout": "by barcode"}
        return found | {name: os.path.relpath(path, self._files.matrix.parent) for name, path in beside.items()}

    def _read_traffic(self) -> Traffic:
        beside = self._meter.so_far
        return beside if self._store is None else beside.with_(self._store.traffic)

    def _release(self) -> None:
        self._budget.clear()
        if self._store is not None:
            self._store.close()
