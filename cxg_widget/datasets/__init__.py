"""Opens datasets with `open_dataset`; `base` defines the contract of a `Dataset`, and each format has a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from cxg_widget.datasets.base.dataset import Codes, Column, Dataset, Vector
from cxg_widget.datasets.base.location import check_bucket, exists, local_uri
from cxg_widget.datasets.detection import check_format, detect, looks_like_anndata
from cxg_widget.datasets.readers import Reader, check_names, option_names, read_with, registered
from cxg_widget.datasets.tables.given import exports_table, open_table
from cxg_widget.errors import ClosedDataset, DatasetNotFound, InvalidOption, InvalidValue, OtherFormat
from cxg_widget.text.names import shown

_IN_MEMORY = ("anndata", "mudata", "table")

__all__ = ["Codes", "Column", "Dataset", "Reader", "Vector", "is_in_memory", "is_table", "open_dataset", "option_names"]


def open_dataset(
    uri: str | os.PathLike[str] | Dataset | Any,
    *,
    format: str | None = None,
    isolated: bool = False,
    **options: Any,
) -> Dataset:
    """Open a store of annotated data; only its schema and metadata are read.

    Parameters
    ----------
    uri : path or URI, such as s3://bucket/name.cxg or https://host/name.h5ad; an AnnData or MuData object; or a table
        (a DataFrame of pandas or polars, an Arrow table, a dict of arrays). Objects are not copied. An open dataset is
        returned unchanged
    format : format of the store, such as "cxg"; None = detect it
    isolated : True = for untrusted stores: first read all text, and the start of all other data, in a separate process,
        since a damaged file can crash or block the process that reads it. Takes a second, plus the time to read the
        text
    **options : `cache_bytes` (memory for data that were read, see docs/large_n.md), and the options of a kind of store,
        see docs/stores.md:

        - AnnData: `key` (which of several, such as "tables/cells"; also as "path#tables/cells"), `memory_bytes` (for
          finding genes in a matrix stored by cell, 3.2 GiB)
        - MuData: `key` (one modality, such as "rna"; also as "path#rna"; None = all side by side), `memory_bytes`
        - SpatialData: `table`, `coordinate_system`, `channels`, `contrast_limits`
        - 10x: `key` (genome or sample, if there are several), `memory_bytes`
        - RaggedAtlas: `version`, `zarr_store`, `obs_table`, `feature_space`, `coordinates`
        - TileDB-CF: `observations` (names of dimensions), `isel` (dimension to position)
        - mzPeak: `observations` ("spectra" or "peaks"), `signal` ("data" or "peaks")
        - TileDB-SOMA: `measurement` (its name; default "RNA", or the first one), `memory_bytes` (for columns of tiles)
        - tables, also .parquet, .arrow, .feather and .csv: `embedding` (two columns, ("x", "y")), `embeddings`
          ({"umap": ("UMAP1", "UMAP2")}), `var` (columns to use as genes, or the prefix of their names)
        - remote stores: `storage_options` (a dict with the names of fsspec: key, secret, token, endpoint_url, region,
          anon, headers, connect_timeout, read_timeout, ...); except for AnnData also `ctx` (a tiledb.Ctx or a dict of
          TileDB's settings), or `config` (the same dict)

    Returns
    -------
    the open `Dataset`; close it with `.close()` or a `with` block

    Raises
    ------
    DatasetNotFound
        If the path does not exist.
    UnknownFormat
        If it is not a store that this version opens.
    MissingDependency
        If the library for this kind of store is not installed; the sentence gives the command to install it.
    InvalidStore, DamagedStore
        If the store contradicts itself, or its schemas cannot be read. With `isolated`, also if the separate process
        crashes, or is silent for 60 s.
    StorageError
        If remote storage denies access (also a PermissionError), is unreachable (ConnectionError) or times out
        (TimeoutError).
    InvalidOption, InvalidValue
        If an option or its value is not valid.
    ClosedDataset
        If it is a dataset that was closed.

    Examples
    --------
    >>> with open_dataset(demo()) as dataset:
    ...     dataset.obs(["cell_type", "n_counts"]).shape
    (1000, 2)
    """
    _check_options(options, isolated)
    if isinstance(uri, Dataset):
        if options or isolated or format is not None:
            raise InvalidOption("the dataset is already open; options apply only when you open a path.")
        if uri.closed:
            raise ClosedDataset(f"{uri.uri} was closed; open it again with open_dataset().")
        return uri
    if is_in_memory(uri):
        return _open_object(uri, format, options | ({"isolated": True} if isolated else {}))
    try:
        path = os.fspath(uri)
    except TypeError:
        raise InvalidOption(
            f"{type(uri).__name__} is not a path; pass a path, a URI, an AnnData, a MuData, a DataFrame, an Arrow "
            "table, a dict of arrays such as {'x': x, 'y': y}, or an open Dataset."
        ) from None
    if not isinstance(path, str):
        raise InvalidOption("the path is bytes; pass a str or a Path.")
    if "://" not in path:
        # Unlike Path.expanduser, os.path.expanduser leaves the ~ of an unknown user as it is.
        path = str(Path(os.path.expanduser(path)))
    elif path.startswith("file://"):
        path = local_uri(path)
    path, options = _split_key(path, options)
    if format is not None:
        check_format(format)
    if isolated:
        from cxg_widget.datasets.probe import probe_in_subprocess

        probe_in_subprocess(open_dataset, path, format, options)
    return _open(path, format, options)


def _open(path: str, format_: str | None, options: dict[str, Any]) -> Dataset:
    check_bucket(path)
    try:
        if format_ is None:
            try:
                return read_with(detect(path, options), path, options)
            except OtherFormat as error:  # the name of a remote store does not show its format
                return read_with(error.format, path, options)
        if "://" not in path and not exists(path):
            raise DatasetNotFound(f"'{path}': no such file or directory.")
        return read_with(format_, path, options)
    except UnicodeEncodeError:
        raise InvalidValue(
            f"{shown(path)} is not valid UTF-8, which this format needs in its path; rename it."
        ) from None


def is_in_memory(source: Any) -> bool:
    """Return whether a source is an object in memory (AnnData, MuData or a table), or a dataset of one."""
    if isinstance(source, Dataset):
        return source.format in _IN_MEMORY
    return looks_like_anndata(source) or exports_table(source)


def is_table(source: Any, format_: str | None = None) -> bool:
    """Return whether a source is a table that `open_dataset` opens with the option `embedding`; files by name."""
    if isinstance(source, Dataset) or looks_like_anndata(source):
        return False
    if not isinstance(source, str | os.PathLike):
        return exports_table(source)
    readers = registered().readers
    known = readers.values() if format_ is None else [readers[format_]] if format_ in readers else []
    path = os.fspath(source)
    return any("embedding" in one.options and (format_ or one.is_named(str(path))) for one in known)


def _open_object(source: Any, format_: str | None, options: dict[str, Any]) -> Dataset:
    what, opened, taking = _opener(source)
    if format_ is not None:
        raise InvalidOption(f"{what} in memory has no format; format= applies only when you open a path.")
    for name in options:
        if not any(_takes(one, name) for one in taking):
            raise InvalidOption(f"option {name!r} applies only when you open a path; this is {what} in memory.")
    return opened(source, **options)


def _opener(source: Any) -> tuple[str, Callable[..., Dataset], tuple[Callable[..., Dataset], ...]]:
    """Return a noun for an object, the function that opens it, and the callables whose parameters are its options."""
    if not looks_like_anndata(source):
        from cxg_widget.datasets.tables.dataset import TableDataset

        return "a table", open_table, (TableDataset,)
    if not hasattr(source, "mod"):
        from cxg_widget.datasets.anndata.memory import AnnDataInMemory

        return "an AnnData", AnnDataInMemory, (AnnDataInMemory,)
    from cxg_widget.datasets.mudata.opening import MuDataInMemory, open_object

    return "a MuData", open_object, (open_object, MuDataInMemory)


def _takes(opens: Callable[..., Dataset], option: str) -> bool:
    found = signature(opens).parameters.get(option)
    return found is not None and found.kind is Parameter.KEYWORD_ONLY


def _split_key(path: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Split "path#key", unless a file or folder has that whole name."""
    before, sign, key = path.rpartition("#")
    # A "#" is never part of the address of a page, but may be part of a key of S3.
    is_page = path.startswith(("http://", "https://"))
    if not sign or "key" in options or not (is_page or ("://" not in path and not exists(path) and exists(before))):
        return path, options
    return before, {**options, "key": key}


def _check_options(options: dict[str, Any], isolated: bool) -> None:
    check_names(options)
    if not isinstance(isolated, bool):
        raise InvalidOption(f"isolated is {shown(isolated)}; it must be True or False.")
    cache_bytes = options.get("cache_bytes", 0)
    if isinstance(cache_bytes, bool) or not isinstance(cache_bytes, int):
        raise InvalidOption(f"cache_bytes is {shown(cache_bytes)}; it must be a number of bytes, such as 2**28.")
    if cache_bytes < 0:
        raise InvalidValue(f"cache_bytes is {shown(cache_bytes)}; it must be 0 or more.")
