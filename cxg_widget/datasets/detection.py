"""Say which store is at a path: one table, one line per store, asked from top to bottom; opening is elsewhere."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cxg_widget.errors import DatasetNotFound, UnknownFormat

_HDF5 = b"\x89HDF\r\n\x1a\n"
_DOUBLED = 16
_ZARR_FILES = ("zarr.json", ".zgroup", ".zattrs")


@dataclass(frozen=True)
class Store:
    """One kind of store: its `format=` word, what a person calls it, its suffixes, and how to know it on disk."""

    format: str
    what: str
    suffixes: tuple[str, ...] = ()
    looks_like: Callable[[Path], bool] = lambda _: False


def _hdf5(path: Path) -> bool:
    """Say whether a file is HDF5; what others need may stand before it, 512, 1024, ... bytes, as in MuData."""
    return path.is_file() and _has(path, _HDF5, 0, *(512 << doubled for doubled in range(_DOUBLED)))


def _zip_with(*members: str) -> Callable[[Path], bool]:
    def looks_like(path: Path) -> bool:
        if not path.is_file() or not _has(path, b"PK\x03\x04"):
            return False
        try:
            with zipfile.ZipFile(path) as archive:
                names = set(archive.namelist())
        except (zipfile.BadZipFile, OSError):
            return False
        return not names.isdisjoint(members)

    return looks_like


def _mzpeak(path: Path) -> bool:
    """Say whether a file is an mzPeak; one of that name counts also where its directory of members is cut off."""
    begins = path.is_file() and _has(path, b"PK\x03\x04")
    return begins and (path.suffix.lower() == ".mzpeak" or _zip_with("mzpeak_index.json", "spectra_data.parquet")(path))


def _folder_with(*members: str) -> Callable[[Path], bool]:
    return lambda path: any((path / member).exists() for member in members)


STORES = (
    Store("mzpeak", "an mzPeak file", (".mzpeak",), _mzpeak),
    Store("zarr", "an AnnData zarr store in a zip archive", (".zarr.zip",), _zip_with(*_ZARR_FILES)),
    Store("h5ad", "an AnnData .h5ad file", (".h5ad", ".h5mu", ".h5", ".hdf5"), _hdf5),
    Store("atlas", "a RaggedAtlas", (), _folder_with("lance_db", "_feature_layouts.lance")),
    Store("mzpeak", "an unpacked mzPeak folder", (), _folder_with("mzpeak_index.json")),
    Store("zarr", "an AnnData zarr store", (".zarr",), _folder_with(*_ZARR_FILES)),
    Store("cxg", "a CXG", (".cxg",)),
    Store("soma", "a TileDB-SOMA experiment"),
    Store("tiledb-cf", "a TileDB-CF dataspace"),
    Store("tiledb-array", "a single TileDB array, not a dataset; pass its parent group"),
)

FORMATS = tuple(dict.fromkeys(store.format for store in STORES))


def is_remote(uri: str) -> bool:
    """Say whether a URI lies outside of the local file system."""
    return "://" in uri and not uri.startswith("file://")


def exists(path: str) -> bool:
    """Say whether there is something at a local path.

    Raises
    ------
    DatasetNotFound
        If there can be nothing, because of what the path is, or it cannot be asked.
    """
    try:
        return Path(path).exists()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DatasetNotFound(f"'{path[:200]}': nothing can be opened there: {why}.") from error


def detect(uri: str, options: Mapping[str, Any]) -> Store:
    """Return which store is at `uri`.

    Raises
    ------
    DatasetNotFound
        If there is nothing.
    UnknownFormat
        If it is none of those; the sentence says what is there.
    """
    return _remote(uri, options) if is_remote(uri) else _local(uri, options)


def by_format(format_: str) -> Store:
    """Return the first store of that `format=` word."""
    return next(store for store in STORES if store.format == format_)


def _local(uri: str, options: Mapping[str, Any]) -> Store:
    path = Path(uri.removeprefix("file://"))
    if not exists(str(path)):
        raise DatasetNotFound(f"'{uri}': no such file or directory.")
    for store in STORES:
        if store.looks_like(path):
            return store
    found = _tiledb(uri, options) if path.is_dir() else None
    if found is None:
        raise UnknownFormat(
            f"'{uri}' is not a CXG, AnnData, RaggedAtlas, TileDB-CF or mzPeak store (found: {_contents(path)})."
        )
    return found


def _remote(uri: str, options: Mapping[str, Any]) -> Store:
    lowered = uri.rstrip("/").lower()
    for store in STORES:
        if lowered.endswith(store.suffixes) and store.format != "cxg":
            return store
    found = _tiledb(uri, options)
    if found is None:
        raise DatasetNotFound(f"'{uri}': there is no store of that name; check the path behind the bucket.")
    return found


def _tiledb(uri: str, options: Mapping[str, Any]) -> Store | None:
    from cxg_widget.datasets.tiledb_access.detect import identify

    format_ = identify(uri, options)
    return None if format_ is None else by_format(format_)


def _contents(path: Path) -> str:
    if path.is_file():
        return "a file" if path.stat().st_size else "an empty file"
    names = sorted(child.name for child in path.iterdir())
    shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    return shown or "an empty folder"


def _has(path: Path, signature: bytes, *places: int) -> bool:
    """Say whether a file has a signature at its beginning or, where places are named, at one of them."""
    try:
        with path.open("rb") as file:
            return any(file.seek(at) == at and file.read(len(signature)) == signature for at in places or (0,))
    except OSError:
        return False
