"""SpatialData: a table of cells in zarr 3, CSC, sharded; read with zarr and spatialdata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.stores.anndata_files import CHUNK, Backed, Zarr
from benchmarks.stores.cells import make_cells

TABLE = "tables/table"


def write_spatialdata(path: Path, n_obs: int) -> None:
    """Write the table alone, as `SpatialData(tables=...)` does: images are read where they are shown."""
    from tests.datasets.make_anndata import ZarrWriter, write_part

    out = ZarrWriter(path, 3)
    out.group("", {"spatialdata_attrs": {"version": "0.2", "spatialdata_software_version": "0.8.0"}})
    out.group("tables", {})
    write_part(out, TABLE, make_cells(n_obs), "0.8", "csc", chunks=CHUNK)
    out.group(TABLE, {"spatialdata-encoding-type": "ngff:regions_table", "version": "0.2"})
    out.close()


class ZarrOfTable(Zarr):
    """zarr-python."""

    def _open_root(self) -> Any:
        return self._zarr.open_group(self._path, mode="r")[TABLE]


class SpatialData(Backed):
    """spatialdata, which reads the table as a whole."""

    libraries = ("spatialdata",)

    def prepare(self) -> None:
        import spatialdata

        self._spatialdata = spatialdata

    def open(self) -> None:
        self._adata = self._spatialdata.read_zarr(self._path).tables["table"]
