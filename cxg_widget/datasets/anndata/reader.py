"""Registers AnnData on disk as a format and detects it: any HDF5 file and any zarr store may be AnnData."""

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import begins_with, folder_holds, zip_holds

_HDF5 = b"\x89HDF\r\n\x1a\n"
_PLACES = (0, *(512 << doubled for doubled in range(16)))
"""Offsets of the signature: a block of another program may precede it, as in MuData."""
_ZARR_FILES = ("zarr.json", ".zgroup", ".zattrs")


H5AD = Reader(
    what="an AnnData .h5ad file",
    opens="cxg_widget.datasets.anndata.dataset:H5adDataset",
    looks_like=lambda path: begins_with(path, _HDF5, _PLACES),
    suffixes=(".h5ad", ".h5", ".hdf5"),
    order=90,
    options=("key", "memory_bytes", "storage_options"),
    libraries=("h5py",),
    install="cxg-widget[h5ad]",
)
ZARR = Reader(
    what="an AnnData zarr store",
    opens="cxg_widget.datasets.anndata.dataset:ZarrDataset",
    looks_like=lambda path: zip_holds(path, *_ZARR_FILES) or folder_holds(path, *_ZARR_FILES),
    suffixes=(".zarr", ".zarr.zip"),
    order=90,
    options=("key", "memory_bytes", "storage_options"),
    libraries=("zarr",),
    install="cxg-widget[zarr]",
)
