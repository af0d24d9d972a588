"""Registers MuData on disk as two formats and detects them, before the readers of AnnData."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import begins_with, zarr_attributes
from cxg_widget.errors import DamagedStore, InvalidStore

_HDF5 = b"\x89HDF\r\n\x1a\n"
_WRITTEN_BY_MUDATA = b"MuData (format-version="


def _is_h5mu(path: Path) -> bool:
    """Say whether a file is HDF5 with a root that declares MuData or has modalities."""
    if begins_with(path, _WRITTEN_BY_MUDATA):
        return True
    if not begins_with(path, _HDF5):
        return False
    # Without h5py, or with an old one, leave the file to the AnnData reader, whose error names the package to install.
    with suppress(ImportError, DamagedStore, InvalidStore):
        from cxg_widget.datasets.anndata.h5 import H5Store
        from cxg_widget.datasets.anndata.parts import is_mudata

        with closing(H5Store(str(path), str(path))) as store:
            return is_mudata(store.root)
    return False


def _is_mudata_zarr(path: Path) -> bool:
    return any(str(one.get("encoding-type", "")).lower() == "mudata" for one in zarr_attributes(path))


H5MU = Reader(
    what="a MuData .h5mu file",
    opens="cxg_widget.datasets.mudata.opening:open_h5mu",
    looks_like=_is_h5mu,
    suffixes=(".h5mu",),
    order=80,
    options=("key", "memory_bytes", "storage_options"),
    libraries=("h5py",),
    install="cxg-widget[h5ad]",
)
ZARR = Reader(
    what="a MuData zarr store",
    opens="cxg_widget.datasets.mudata.opening:open_zarr",
    looks_like=_is_mudata_zarr,
    order=80,
    options=("key", "memory_bytes", "storage_options"),
    libraries=("zarr",),
    install="cxg-widget[zarr]",
)
