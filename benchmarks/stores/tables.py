"""A Parquet file of cells with 50 genes as columns; read with pyarrow, polars and pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.cells import N_VAR, make_cells, request
from benchmarks.stores.contender import Ours

N_GENES = 50
_INDEX = "barcode"


def write_parquet(path: Path, n_obs: int) -> None:
    """Write the requested genes and others as float32, two axes and the obs columns, Zstd."""
    cells = make_cells(n_obs)
    places = [cells.var_labels.index(name) for name in request().genes]
    places += [at for at in range(N_VAR) if at not in places][: N_GENES - len(places)]
    table = cells.obs.assign(umap_1=cells.embeddings["umap"][:, 0], umap_2=cells.embeddings["umap"][:, 1])
    genes = {cells.var_labels[at]: cells.X[:, [at]].toarray().ravel() for at in places}
    table.assign(**genes).to_parquet(path, compression="zstd")


class OursWithGenes(Ours):
    """cxg-widget, with the list of columns that are genes."""

    def open(self) -> None:
        self._dataset = self._open(self._path, var="GENE")


class PyArrow:
    """pyarrow."""

    libraries: ClassVar[tuple[str, ...]] = ("pyarrow",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self) -> None:
        import pandas  # noqa: F401
        import pyarrow.parquet

        self._parquet = pyarrow.parquet

    def open(self) -> None:
        self._file = self._parquet.ParquetFile(self._path)

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._file.read([name])[name].to_numpy()
        return values

    def codes(self, column: str) -> NDArray[Any]:
        found = self._file.read([column])[column].combine_chunks()
        codes: NDArray[Any] = found.indices.to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._file.read([column, _INDEX]).to_pandas()


class Polars:
    """polars, lazily."""

    libraries: ClassVar[tuple[str, ...]] = ("polars",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self) -> None:
        import polars

        self._polars = polars

    def open(self) -> None:
        self._table = self._polars.scan_parquet(self._path)

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._column(name).to_numpy()
        return values

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._column(column).to_physical().to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._table.select([column, _INDEX]).collect().to_pandas().set_index(_INDEX)

    def _column(self, name: str) -> Any:
        return self._table.select(name).collect()[name]
