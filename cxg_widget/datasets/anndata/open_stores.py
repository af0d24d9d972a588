"""Opens a store as nodes, on disk or remote; imports the libraries when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cxg_widget.datasets.anndata.node import Store
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.storage.detect import check_far
from cxg_widget.errors import InvalidOption

StorageOptions = Mapping[str, Any] | None


def open_hdf5(uri: str, storage_options: StorageOptions) -> Store:
    """Open an HDF5 file; errors as in `H5Store` and `FarH5Store`."""
    if _is_far(uri, storage_options):
        from cxg_widget.datasets.anndata.far.hdf5 import FarH5Store

        return FarH5Store(uri, storage_options)
    from cxg_widget.datasets.anndata.h5 import H5Store

    return H5Store(uri.removeprefix("file://"), uri)


def open_zarr(uri: str, storage_options: StorageOptions) -> Store:
    """Open a zarr folder or archive; errors as in `ZarrStore` and `FarZarrStore`."""
    if _is_far(uri, storage_options):
        from cxg_widget.datasets.anndata.far.zarr_store import FarZarrStore

        return FarZarrStore(uri, storage_options)
    from cxg_widget.datasets.anndata.zarr_store import ZarrStore

    return ZarrStore(uri.removeprefix("file://"), uri)


def _is_far(uri: str, storage_options: StorageOptions) -> bool:
    if is_remote(uri):
        check_far(uri)
        return True
    if storage_options is not None:
        raise InvalidOption(f"storage_options= is for remote stores; '{uri}' is a local path.")
    return False
