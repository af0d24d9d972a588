"""Detects the format of a store: tries each reader in turn, then TileDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cxg_widget.datasets.base.location import exists, is_remote, without_query
from cxg_widget.datasets.readers import COMMON_OPTIONS, Reader, registered
from cxg_widget.errors import (
    DatasetNotFound,
    InvalidOption,
    InvalidValue,
    MissingDependency,
    StorageDenied,
    UnknownFormat,
)
from cxg_widget.text.names import not_found
from cxg_widget.text.warned import warn_caller

FOREIGN = {
    "tiledb-array": "a single TileDB array, not a dataset; pass its parent group",
}
"""Recognized formats that open only if a reader is registered for them."""
_ANNDATA = ("obs", "var", "obsm", "X", "n_obs")
_MUDATA = ("obs", "var", "obsm", "mod", "n_obs")


def looks_like_anndata(source: Any) -> bool:
    """Return whether an object has the attributes of AnnData or MuData, without evaluating them."""
    return any(all(_has(source, name) for name in names) for names in (_ANNDATA, _MUDATA))


def detect(uri: str, options: Mapping[str, Any]) -> str:
    """Return the format word of the store at `uri` for which there is a reader."""
    found = _remote(uri, options) if is_remote(uri) or uri.startswith("mem://") else _local(uri, options)
    if found not in registered().readers:
        if found in registered().unusable:
            raise MissingDependency(registered().unusable[found])
        raise UnknownFormat(f"'{uri}' is {FOREIGN[found]}; this version opens {_formats()}.")
    return found


def check_format(format_: str) -> None:
    """Raise an error that names the formats, or the problem of the reader, if no usable reader has this word."""
    if format_ in registered().unusable:
        raise MissingDependency(registered().unusable[format_])
    if format_ in registered().readers:
        return
    if format_ not in FOREIGN:
        raise InvalidValue(not_found("format", format_, registered().readers, "this version"))
    raise UnknownFormat(f"{FOREIGN[format_]} cannot be opened; this version opens {_formats()}.")


def _formats() -> str:
    return "the formats " + ", ".join(registered().readers)


def _local(uri: str, options: Mapping[str, Any]) -> str:
    path = Path(uri.removeprefix("file://"))
    if not exists(str(path)):
        raise DatasetNotFound(f"'{uri}': no such file or directory.{_hint(path)}")
    for format_, reader in registered().readers.items():
        if _fits(format_, reader, path):
            return format_
    found = _tiledb(uri, options) if path.is_dir() else None
    if found is None:
        known = _listed([reader.what for reader in registered().readers.values()])
        unusable = "".join(f" Also, {sentence}" for sentence in registered().unusable.values())
        raise UnknownFormat(f"'{uri}' is not {known} (found: {_contents(path)}).{unusable}{_hint(path)}")
    return found


def _fits(format_: str, reader: Reader, path: Path) -> bool:
    try:
        return reader.fits(path)
    except Exception as error:  # a failing reader must not prevent the others from detecting the store
        warn_caller(f"the reader of {format_!r} failed to detect whether it can open '{path}': {error}")
        return False


def _remote(uri: str, options: Mapping[str, Any]) -> str:
    for format_, reader in registered().readers.items():
        if reader.is_named(without_query(uri)):
            return format_ if _takes(reader, options) else _by_options(options) or format_
    is_plain = uri.lower().startswith(("http://", "https://"))
    finders = [] if is_plain else [_tiledb]
    if find_spec("obstore") is not None and options.keys().isdisjoint(("ctx", "config")):
        # TileDB repeats a request to Google for 4 s if it has no credentials, even those for a public bucket.
        finders.insert(0 if uri.lower().startswith(("gs://", "gcs://")) else len(finders), _anndata)
    refused: dict[Callable[..., str | None], Exception] = {}
    for find in finders:
        try:
            found = find(uri, options)
        except (InvalidOption, DatasetNotFound, StorageDenied) as error:
            # The other may take these options and credentials; AnnData needs no list of names.
            refused[find] = error
        else:
            if found is not None:
                return found
    reason = refused.get(_anndata) or refused.get(_tiledb)
    if reason is not None and not (isinstance(reason, InvalidOption) and len(refused) < len(finders)):
        raise reason
    if is_plain:
        raise DatasetNotFound(
            f"'{uri}': this version opens nothing at this address; over https:// it opens AnnData, MuData and "
            "SpatialData, as .h5ad, .h5mu or zarr. Check the address; copy other stores to a local disk."
        )
    raise DatasetNotFound(f"'{uri}': the bucket holds no store of this name; check the path after the bucket.")


def _by_options(options: Mapping[str, Any]) -> str | None:
    """Return the only format that takes all of the options; None if none or several do."""
    found = [format_ for format_, reader in registered().readers.items() if _takes(reader, options)]
    return found[0] if len(found) == 1 else None


def _takes(reader: Reader, options: Iterable[str]) -> bool:
    return set(options) <= {*COMMON_OPTIONS, *reader.options}


def _tiledb(uri: str, options: Mapping[str, Any]) -> str | None:
    from cxg_widget.datasets.tiledb_access.detect import identify

    return identify(uri, options)


def _anndata(uri: str, options: Mapping[str, Any]) -> str | None:
    from cxg_widget.datasets.storage.detect import identify

    return identify(uri, options)


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}"


def _hint(path: Path) -> str:
    """Return a hint for opening a folder or pattern of Parquet files, or a file of R; "" for anything else."""
    if path.suffix.lower() == ".rds":
        as_h5ad = f"anndataR::write_h5ad(anndataR::as_AnnData(readRDS('{path.name}')), '{path.stem}.h5ad')"
        return f" Convert it in R: {as_h5ad}."
    # Only the first level: partitions are folders such as "donor=D1", and searching all folders could take long.
    within = path.iterdir() if path.is_dir() else ()
    if "*" not in path.name and not any(one.suffix == ".parquet" or "=" in one.name for one in within):
        return ""
    parts = path if "*" in path.name else path / "**" / "*.parquet"
    return f" Open the parts of a table as one: CxgWidget(duckdb.sql(\"from '{parts}'\"))."


def _contents(path: Path) -> str:
    if path.is_file():
        return "a file" if path.stat().st_size else "an empty file"
    names = sorted(child.name for child in path.iterdir())
    shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    return shown or "an empty folder"


def _has(source: Any, name: str) -> bool:
    return hasattr(type(source), name) or name in getattr(source, "__dict__", ())
