"""Write small AnnData stores as each version of anndata wrote them, with plain h5py and zarr."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp
import zarr

from tests.datasets.make_cxg import Truth, make_truth

WRITERS = ("0.5", "0.7", "0.8", "0.13")
LAYOUTS = ("csr", "csc", "dense")
ARRAY = {"encoding-type": "array", "encoding-version": "0.2.0"}
CONTAINERS = ("h5ad", "zarr2", "zarr3", "zip")
SUFFIXES = {"h5ad": ".h5ad", "zarr2": ".zarr", "zarr3": ".zarr", "zip": ".zarr.zip"}


_FOLDER = TemporaryDirectory(prefix="made", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"))
_ORIGINALS: dict[bytes, Path] = {}


class H5Writer:
    """Writes groups and arrays to an HDF5 file."""

    def __init__(self, path: Path) -> None:
        self.file = h5py.File(path, "w")

    def group(self, path: str, attrs: Mapping[str, Any]) -> None:
        self._describe(self.file.require_group(path or "/"), attrs)

    def array(self, path: str, values: Any, attrs: Mapping[str, Any] | None = None, **options: Any) -> None:
        values = np.asarray(values)
        if values.dtype == object:
            options["dtype"] = h5py.string_dtype()
        found = self.file.create_dataset(path, data=values, **options)
        self._describe(found, attrs or {})

    def close(self) -> None:
        self.file.close()

    def _describe(self, found: Any, attrs: Mapping[str, Any]) -> None:
        for name, value in attrs.items():
            if name == "categories":
                found.attrs[name] = self.file[f"{found.parent.name}/{value}"].ref
            elif isinstance(value, list):
                found.attrs[name] = np.array(value, dtype=h5py.string_dtype()) if value else np.empty(0)
            else:
                found.attrs[name] = value


class ZarrWriter:
    """Writes groups and arrays to a zarr folder."""

    def __init__(self, path: Path, zarr_format: int) -> None:
        self.root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
        self._shards = zarr_format == 3

    def group(self, path: str, attrs: Mapping[str, Any]) -> None:
        group = self.root.require_group(path) if path else self.root
        group.update_attributes(dict(attrs))  # at once: `attrs.update` writes the file for each

    def array(self, path: str, values: Any, attrs: Mapping[str, Any] | None = None, **options: Any) -> None:
        values = np.asarray(values)
        is_text = values.dtype == object
        chunks = options.get("chunks") or tuple(max(length, 1) for length in values.shape)
        if self._shards and options.get("chunks") and values.ndim:
            options["shards"] = tuple(2 * length for length in chunks)
        options["chunks"] = chunks
        dtype = str if is_text else values.dtype
        made = self.root.create_array(path, shape=values.shape, dtype=dtype, attributes=dict(attrs or {}), **options)
        if values.size:
            made[...] = values.astype(str) if is_text else values

    def close(self) -> None:
        zarr.consolidate_metadata(self.root.store)


Writer = H5Writer | ZarrWriter


def make_anndata(
    folder: Path,
    truth: Truth | None = None,
    *,
    writer: str = "0.8",
    layout: str = "csr",
    container: str = "h5ad",
    name: str = "small",
    **options: Any,
) -> Path:
    """Write one store into a folder and return where; a copy, where this process has written the same before.

    Options: those of `write_part`.
    """
    path = folder / f"{name}{SUFFIXES[container]}"
    what = pickle.dumps((truth, writer, layout, container, options))
    if what not in _ORIGINALS:
        _ORIGINALS[what] = Path(_FOLDER.name) / f"{len(_ORIGINALS)}{SUFFIXES[container]}"
        target = _ORIGINALS[what].with_suffix("") if container == "zip" else _ORIGINALS[what]
        out = open_writer(target, container)
        write_part(out, "", truth or make_truth(), writer, layout, **options)
        out.close()
        if container == "zip":
            shutil.make_archive(str(target), "zip", target)
            shutil.rmtree(target)
    original = _ORIGINALS[what]
    if original.is_file():
        return Path(shutil.copyfile(original, path))
    shutil.rmtree(path, ignore_errors=True)
    return Path(shutil.copytree(original, path))


def open_writer(path: Path, container: str) -> Writer:
    return H5Writer(path) if container == "h5ad" else ZarrWriter(path, 2 if container == "zarr2" else 3)


def write_part(out: Writer, at: str, truth: Truth, writer: str, layout: str, **options: Any) -> None:
    """Write one AnnData below a path.

    Options: layers, name to (array, layout); raw, (array, layout, labels); X = None leaves it out; chunks of arrays
    with rows; obsm, name to array or DataFrame, in place of the truth's embeddings.
    """
    prefix = f"{at}/" if at else ""
    chunks = options.get("chunks")
    if writer not in ("0.5", "0.7"):
        out.group(at, {"encoding-type": "anndata", "encoding-version": "0.1.0"})
    out.group(f"{prefix}uns", {})
    for part, frame in (("obs", truth.obs), ("var", var_frame(truth))):
        write_frame(out, f"{prefix}{part}", frame, writer, uns=f"{prefix}uns", chunks=chunks)
    obsm = options.get(
        "obsm", {("spatial" if name == "spatial" else f"X_{name}"): xy for name, xy in truth.embeddings.items()}
    )
    write_obsm(out, f"{prefix}obsm", obsm, writer, chunks)
    if "X" not in options:
        write_matrix(out, f"{prefix}X", truth.X, layout, writer, chunks=chunks)
    for name, (values, kind) in options.get("layers", {}).items():
        write_matrix(out, f"{prefix}layers/{name}", values, kind, writer, chunks=chunks)
    if "raw" in options:
        values, kind, labels = options["raw"]
        join = "raw." if writer == "0.5" else "raw/"
        if writer != "0.5":
            out.group(f"{prefix}raw", {"encoding-type": "raw", "encoding-version": "0.1.0"})
        write_matrix(out, f"{prefix}{join}X", values, kind, writer, chunks=chunks)
        write_frame(out, f"{prefix}{join}var", pd.DataFrame(index=pd.Index(labels)), writer, uns=f"{prefix}uns")
    for column, colors in truth.colors.items():
        labels = truth.obs[column].cat.categories
        write_text(out, f"{prefix}uns/{column}_colors", [colors.get(label, "none") for label in labels], "0.8")


def truth_of(writer: str) -> Truth:
    """Return the truth as a version names it: before 0.7 every index is called "index"."""
    truth = make_truth()
    obs = truth.obs.rename_axis("index") if writer == "0.5" else truth.obs
    return replace(truth, obs=obs, title="")


def var_frame(truth: Truth) -> pd.DataFrame:
    return pd.DataFrame({"feature_name": truth.aliases}, index=pd.Index(truth.var_labels, name="_index"))


def write_frame(
    out: Writer, path: str, frame: pd.DataFrame, writer: str, *, uns: str = "", chunks: int | None = None
) -> None:
    if writer == "0.5":
        write_records(out, path, frame, uns)
        return
    index = frame.index.name or "_index"
    columns = list(frame.columns)
    version = "0.1.0" if writer == "0.7" else "0.2.0"
    about = {"_index": index, "column-order": columns, "encoding-type": "dataframe", "encoding-version": version}
    out.group(path, about)
    write_text(out, f"{path}/{index}", list(frame.index), writer, chunks=chunks)
    for name in columns:
        write_column(out, path, name, frame[name], writer, chunks=chunks)


def write_column(
    out: Writer, path: str, name: str, series: pd.Series, writer: str, *, chunks: int | None = None
) -> None:
    where, options = f"{path}/{name}", {"chunks": (min(chunks, len(series)),)} if chunks else {}
    plain_array = {} if writer == "0.7" else ARRAY
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, labels, ordered = series.cat.codes.to_numpy(), series.cat.categories, bool(series.cat.ordered)
        if writer == "0.7":
            write_text(out, f"{path}/__categories/{name}", labels, writer, attrs={"ordered": ordered})
            out.array(where, codes, {"categories": f"__categories/{name}"}, **options)
            return
        out.group(where, {"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": ordered})
        out.array(f"{where}/codes", codes, ARRAY, **options)
        write_text(out, f"{where}/categories", labels, "0.8")
    elif series.dtype.name in ("boolean", "Int64", "UInt8"):
        kind = "boolean" if series.dtype.name == "boolean" else "integer"
        out.group(where, {"encoding-type": f"nullable-{kind}", "encoding-version": "0.1.0"})
        plain = bool if kind == "boolean" else series.dtype.numpy_dtype
        out.array(
            f"{where}/values", series.to_numpy(plain, na_value=plain(0) if plain is bool else 0), ARRAY, **options
        )
        out.array(f"{where}/mask", series.isna().to_numpy(), ARRAY, **options)
    elif series.dtype.kind in "biuf" and series.dtype != object:
        out.array(where, series.to_numpy(), plain_array, **options)
    else:
        write_text(out, where, list(series), writer, chunks=chunks)


def write_text(
    out: Writer,
    path: str,
    labels: Any,
    writer: str,
    *,
    chunks: int | None = None,
    attrs: Mapping[str, Any] | None = None,
) -> None:
    """Write strings as a version does; labels that are no strings go in as they are."""
    values = np.asarray(labels)
    options = {"chunks": (min(chunks, len(values)),)} if chunks else {}
    if values.dtype.kind in "biuf":
        out.array(path, values, attrs, **options)
        return
    missing = np.array([isinstance(label, float | None) for label in labels], dtype=bool)
    texts = np.empty(len(values), dtype=object)
    texts[:] = ["" if is_missing else str(label) for label, is_missing in zip(labels, missing, strict=True)]
    if writer != "0.13":
        about = {} if writer == "0.7" else {"encoding-type": "string-array", "encoding-version": "0.2.0"}
        out.array(path, texts, {**about, **(attrs or {})}, **options)
        return
    out.group(path, {"encoding-type": "nullable-string-array", "encoding-version": "0.1.0", "na-value": "NaN"})
    out.array(f"{path}/values", texts, **options)
    out.array(f"{path}/mask", missing, **options)


def write_records(out: Writer, path: str, frame: pd.DataFrame, uns: str) -> None:
    """Write a table as versions before 0.7 did: one array of records, categories in uns."""
    columns: dict[str, np.ndarray] = {"index": np.array([str(label).encode() for label in frame.index])}
    for name in frame.columns:
        series = frame[name]
        if isinstance(series.dtype, pd.CategoricalDtype):
            columns[name] = series.cat.codes.to_numpy()
            labels = series.cat.categories.to_numpy()
            stored = labels if labels.dtype.kind in "iu" else np.array([str(label).encode() for label in labels])
            out.array(f"{uns}/{name}_categories", stored)
        elif series.dtype.kind in "biuf" and series.dtype != object:
            columns[name] = series.to_numpy()
        else:
            columns[name] = np.array([str(label).encode() for label in series])
    out.array(path, records(columns))


def records(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    first = next(iter(columns.values()))
    dtype = np.dtype([(name, values.dtype, values.shape[1:]) for name, values in columns.items()])
    out = np.empty(len(first), dtype=dtype)
    for name, values in columns.items():
        out[name] = values
    return out


def write_obsm(out: Writer, path: str, obsm: Mapping[str, Any], writer: str, chunks: int | None) -> None:
    if writer == "0.5":
        out.array(path, records(obsm))
        return
    out.group(path, {})
    for name, values in obsm.items():
        if isinstance(values, pd.DataFrame):
            write_frame(out, f"{path}/{name}", values, writer)
        elif sp.issparse(values):
            write_matrix(out, f"{path}/{name}", values, "csr", writer)
        else:
            options = {"chunks": (min(chunks, len(values)), *values.shape[1:])} if chunks else {}
            out.array(f"{path}/{name}", values, ARRAY, **options)


def write_matrix(out: Writer, path: str, values: Any, layout: str, writer: str, *, chunks: int | None = None) -> None:
    """Write a matrix; a sparse one is written as it is, so that it may be out of order or name a cell twice."""
    if layout == "dense":
        options = {"chunks": (min(chunks, values.shape[0]), min(chunks, values.shape[1]))} if chunks else {}
        out.array(path, values, **options)
        return
    made = values if sp.issparse(values) else (sp.csr_array if layout == "csr" else sp.csc_array)(values)
    if writer == "0.5":
        about: dict[str, Any] = {"h5sparse_format": layout, "h5sparse_shape": np.array(made.shape)}
    else:
        about = {"encoding-type": f"{layout}_matrix", "encoding-version": "0.1.0"}
        about["shape"] = list(made.shape) if isinstance(out, ZarrWriter) else np.array(made.shape)
    out.group(path, about)
    about_arrays = {} if writer in ("0.5", "0.7") else ARRAY
    for name in ("data", "indices", "indptr"):
        part = getattr(made, name)
        out.array(f"{path}/{name}", part, about_arrays, chunks=(min(chunks, max(len(part), 1)),) if chunks else None)
