"""A RaggedAtlas of four datasets, bit-packed as homeobox writes them; read with pylance, zarr and homeobox.

homeobox leaves the genes to be searched for, until somebody calls `add_csc()`: both are measured.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.cells import N_VAR, make_cells
from benchmarks.stores.contender import scatter

N_DATASETS = 4
CHUNK, PER_SHARD = 40_960, 1_024
SPACE = "gene_expression"


def write_atlas(path: Path, n_obs: int, layout: str) -> None:
    """Write an atlas with one snapshot; layout "csc" adds the arrays by genes to those by cells."""
    import lance
    import zarr

    from tests.datasets import make_atlas as made

    cells = make_cells(n_obs)
    X = cells.X.tocsr()
    root = zarr.open_group(path / "zarr_store", mode="w", zarr_format=3)
    bounds = np.linspace(0, n_obs, N_DATASETS + 1).astype(int)
    parts, pointers = [], np.empty(n_obs, dtype=object)
    for number in range(N_DATASETS):
        part = made.Part(f"dataset{number}", np.arange(*bounds[number : number + 2]), list(range(N_VAR)))
        pointers[part.rows] = _write_group(root, f"{part.name}/genes", X[part.rows], layout)
        parts.append(part)
    tables = path / "lance_db"
    tables.mkdir()
    cells.obs["dataset_uid"] = np.repeat([part.name for part in parts], np.diff(bounds))
    table = made.obs_table(cells, pointers, layout, "new", {})
    written = lance.write_dataset(table, str(tables / "cells.lance"))
    made.write_registries(tables, cells, parts, {})
    made.write_records(tables, [{"cells": written.version}], "new", {"total": (n_obs,)})


def _write_group(root: Any, name: str, X: Any, layout: str) -> list[dict[str, Any]]:
    """Write the arrays of one dataset, and return the pointers of its cells."""
    from tests.datasets.make_atlas import write_array

    def write(part: str, values: NDArray[Any], codec: str, transform: str = "none") -> None:
        write_array(root, f"{name}/{part}", values, codec, transform, length=CHUNK, per_shard=PER_SHARD)

    write("csr/indices", X.indices.astype(np.uint32), "homeobox.bitpacking", "delta")
    write("csr/layers/counts", X.data.astype(np.uint32), "homeobox.bitpacking")
    if layout == "csc":
        by_gene = X.tocsc()
        write("csc/indices", by_gene.indices.astype(np.uint32), "zstd")
        write("csc/layers/counts", by_gene.data.astype(np.uint32), "zstd")
        write("csc/indptr", by_gene.indptr.astype(np.int64), "zstd")
    spans = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return [{"zarr_group": name, "start": at, "end": end, "zarr_row": row} for row, (at, end) in enumerate(spans)]


class Lance:
    """pylance and zarr: the obs table, and the arrays by genes; those by cells need a decoder."""

    libraries: ClassVar[tuple[str, ...]] = ("lance", "zarr")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bounds: list[int] = []

    def prepare(self) -> None:
        import lance
        import pandas  # noqa: F401
        import zarr

        self._lance, self._zarr = lance, zarr

    def open(self) -> None:
        tables = self._path / "lance_db"
        self._obs = self._lance.dataset(str(tables / "cells.lance"))
        genes = self._lance.dataset(str(tables / "gene_registry.lance")).to_table(columns=["uid"])["uid"].to_pylist()
        self._positions = {name: at for at, name in enumerate(genes)}
        self._root = self._zarr.open_group(self._path / "zarr_store", mode="r")

    def gene(self, name: str) -> NDArray[np.float32]:
        if not self._bounds:
            counts = [self._obs.count_rows(f"dataset_uid = 'dataset{number}'") for number in range(N_DATASETS)]
            self._bounds = [0, *itertools.accumulate(counts)]
        position, parts = self._positions[name], []
        for number in range(N_DATASETS):
            group = f"dataset{number}/genes/csc"
            start, stop = self._root[f"{group}/indptr"][position : position + 2]
            rows = self._root[f"{group}/indices"][start:stop] + self._bounds[number]
            parts.append((rows, self._root[f"{group}/layers/counts"][start:stop]))
        rows, values = (np.concatenate(one) for one in zip(*parts, strict=True))
        return scatter(self._bounds[-1], rows, values)

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._column(column).codes
        return codes

    def frame(self, column: str) -> Any:
        import pandas as pd

        index = self._obs.to_table(columns=["uid"])["uid"].to_numpy()
        return pd.DataFrame({column: self._column(column)}, index=index)

    def _column(self, column: str) -> Any:
        import pandas as pd

        values = self._obs.to_table(columns=[column])[column].combine_chunks()
        return pd.Categorical.from_codes(values.indices.to_numpy(), values.dictionary.to_pylist())


class LanceWithoutGenes(Lance):
    """The same of an atlas without arrays by genes, where zarr cannot read one."""

    gene: Any = None


class Homeobox:
    """homeobox's own queries, which request only what is needed."""

    libraries: ClassVar[tuple[str, ...]] = ("homeobox",)

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def prepare(self) -> None:
        import pandas  # noqa: F401
        from homeobox.atlas import RaggedAtlas

        self._class = RaggedAtlas

    def open(self) -> None:
        self._atlas = self._class.checkout_latest(self._path)

    def gene(self, name: str) -> NDArray[np.float32]:
        found = self._atlas.query().select(["uid"]).features([name], SPACE).to_anndata()
        values: NDArray[np.float32] = found.X.toarray().ravel().astype(np.float32)
        return values

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._read([column])[column].to_physical().to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._read(["uid", column]).to_pandas().set_index("uid")

    def _read(self, columns: list[str]) -> Any:
        return self._atlas.obs_table.search().select(columns).to_polars()
