"""The stores of the benchmarks: how each is written, what is read from it, and by whom."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.data import RAW
from benchmarks.stores import anndata_files, atlas, cells, cf, mudata, mzpeak, soma, spatialdata, tables, tenx
from benchmarks.stores.contender import Contender, Ours

FOLDER = RAW / "stores"
Contenders = Mapping[str, type[Contender]]


@dataclass(frozen=True)
class Kind:
    """One kind of store.

    Attributes
    ----------
    name : of the file
    title : of the table
    write : makes one, given a path and a number of obs
    floor : the format's library, doing the least that gives the same
    peers : the store's own libraries, if there are others
    note : what to know of the peers
    ours : cxg-widget, with the options that such a store needs
    """

    name: str
    title: str
    write: Callable[[Path, int], None]
    request: Callable[[], cells.Request]
    floor: tuple[str, type[Contender]]
    peers: Contenders = field(default_factory=dict)
    note: str = ""
    ours: type[Contender] = Ours

    @property
    def contenders(self) -> dict[str, type[Contender]]:
        """Return all of them by name, ours first."""
        return {"cxg-widget": self.ours, **dict([self.floor]), **self.peers}

    def path(self, size: str) -> Path:
        return FOLDER / size / self.name


_H5PY, _ZARR, _TILEDB = ("h5py", anndata_files.H5py), ("zarr-python", anndata_files.Zarr), ("tiledb-py", cf.TileDB)
_BACKED, _LAZY = {"anndata, backed": anndata_files.Backed}, {"anndata, lazy": anndata_files.Lazy}
_HOMEOBOX = {"homeobox": atlas.Homeobox}
_NO_CF = "tiledb-cf is left out: 0.9.1, the newest, does not support tiledb 0.33 or newer; tiledb-py is the only peer."

KINDS = (
    Kind("csc.h5ad", "AnnData .h5ad, CSC, gzip", partial(anndata_files.write_h5ad, layout="csc"),
         cells.request, _H5PY, _BACKED),
    Kind("csr.h5ad", "AnnData .h5ad, CSR, gzip", partial(anndata_files.write_h5ad, layout="csr"),
         cells.request, _H5PY, _BACKED),
    Kind("csc.zarr", "AnnData zarr 3, CSC, sharded", partial(anndata_files.write_zarr, layout="csc"),
         cells.request, _ZARR, _LAZY),
    Kind("atlas_csc", "RaggedAtlas with genes (after `add_csc`)", partial(atlas.write_atlas, layout="csc"),
         cells.request, ("pylance, zarr", atlas.Lance), _HOMEOBOX),
    Kind("atlas_csr", "RaggedAtlas, by cells only, bit-packed", partial(atlas.write_atlas, layout="csr"),
         cells.request, ("pylance", atlas.LanceWithoutGenes), _HOMEOBOX,
         "zarr-python has no decoder for bit-packed arrays, so a gene has no floor."),
    Kind("grid.tiledb", "TileDB-CF, a grid of 10 times", cf.write_cf, cf.request, _TILEDB, note=_NO_CF),
    Kind("run.mzpeak", "mzPeak, 50 points a spectrum, point layout", mzpeak.write_mzpeak, mzpeak.request,
         ("pyarrow", mzpeak.PyArrow)),
    Kind("cells.h5mu", "MuData .h5mu, two modalities, CSC, gzip", mudata.write_h5mu, cells.request,
         ("h5py", mudata.H5pyOfModalities), {"mudata, backed": mudata.MuData}),
    Kind("cells.soma", "TileDB-SOMA, tiles of 2,048 x 2,048", soma.write_soma, cells.request,
         ("tiledb-py", soma.TileDB), {"tiledbsoma": soma.TileDBSOMA}),
    Kind("cells.spatialdata", "SpatialData, a table, zarr 3, CSC, sharded", spatialdata.write_spatialdata,
         cells.request, ("zarr-python", spatialdata.ZarrOfTable), {"spatialdata": spatialdata.SpatialData}),
    Kind("outs", "10x, .h5 by barcode and clusters as CSV", tenx.write_outs, tenx.request,
         ("h5py, pandas", tenx.H5py), {"scanpy": tenx.Scanpy}),
    Kind("cells.parquet", "Parquet, 50 genes as columns, Zstd", tables.write_parquet, cells.request,
         ("pyarrow", tables.PyArrow), {"polars": tables.Polars}, ours=tables.OursWithGenes),
)  # fmt: skip

BY_NAME = {kind.name: kind for kind in KINDS}


def ensure(kind: Kind, size: str, n_obs: int) -> Path:
    """Write the store where there is none yet."""
    path = kind.path(size)
    if not path.exists():
        print(f"writing {path.name}: {n_obs:,} obs", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial_path = path.with_name(f"partial.{path.name}")
        remove(partial_path)
        kind.write(partial_path, n_obs)
        partial_path.rename(path)
    return path


def remove(path: Path) -> None:
    """Remove a file or a folder, where there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
