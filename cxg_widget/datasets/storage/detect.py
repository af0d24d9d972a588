"""Detects the format at a remote address, using only obstore."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from cxg_widget.datasets.base.location import name_of
from cxg_widget.errors import MissingDependency, UnknownFormat

_LIBRARY, _INSTALL = "obstore", "cxg-widget[remote]"
_ZARR = ("zarr.json", ".zgroup", ".zmetadata")
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SIGNATURE_BYTES = 4096


def check_far(uri: str) -> None:
    """Check that AnnData can be read at a remote address.

    Raises
    ------
    MissingDependency
        If the library is not installed.
    UnknownFormat
        If it is an archive, which would have to be downloaded whole.
    """
    if find_spec(_LIBRARY) is None:
        raise MissingDependency(
            f"'{uri}': reading AnnData from remote storage needs {_LIBRARY}: pip install '{_INSTALL}'"
        )
    if name_of(uri).endswith(".zip"):
        raise UnknownFormat(
            f"'{uri}' is an archive, which opens from a local disk only; download it, or unpack it in the storage."
        )


def identify(uri: str, options: Mapping[str, Any]) -> str | None:
    """Return "h5ad" or "zarr" for an address without a known suffix, by its content; None if it is neither.

    Raises
    ------
    StorageError
        If the storage refuses, or does not answer.
    """
    from cxg_widget.datasets.storage.objects import Objects
    from cxg_widget.datasets.storage.options import SCHEMES

    if uri.partition("://")[0].lower() not in SCHEMES:
        return None
    objects = Objects(uri, options.get("storage_options"))
    is_bucket = not uri.partition("://")[2].strip("/").partition("/")[2]  # a list of names, not an object
    keys = _ZARR if is_bucket else ("", *_ZARR)
    found = dict(zip(keys, objects.begin_all(keys, {"": _SIGNATURE_BYTES}, "the store"), strict=True))
    itself = found.pop("", None)
    if itself is not None and _HDF5 in itself.content:  # a file may have a block before it, as in MuData
        return "h5ad"
    return "zarr" if any(found.values()) else None
