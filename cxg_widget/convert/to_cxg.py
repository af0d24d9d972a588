"""Writes a dataset as a CXG 0.3.0."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.copy_matrix import Axis, Carried, carry_matrix
from cxg_widget.convert.entries import Entries, Lines
from cxg_widget.convert.job import Job
from cxg_widget.convert.progress import within
from cxg_widget.convert.tables import ROWS_PER_SLAB, ObsTable, Summary, Table, Values, VarTable, free_name, texts_of
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.datasets.cxg import writer
from cxg_widget.datasets.cxg.table_columns import MISSING_TEXT
from cxg_widget.errors import InvalidStore

LEVEL, BEST_LEVEL = 9, 22
"""Zstd; 9 takes 1.76 bytes per value, 22 takes 1.53 in three and a half times the time."""

_TILE, _DIFFEXP_TILE = (4096, 16), (256, 2048)
_STRING_SHARE = 0.75
_H5AD = "To convert only obs, var and the embeddings, write an .h5ad."
_MASKED = {
    "boolean": "some values are missing, so its booleans became categories",
    "integer": "some values are missing, so its integers became floats",
    "string": "missing text became 'nan'",
}
_INT32 = np.iinfo(np.int32)
_UNNAMED = (None, "", "index", "_index")
_NUMBERS_AT_ONCE = 2**22
"""For all axes of an embedding; the AnnData reader caches as many, since a chunk has several axes."""


class CxgMatrixWriter:
    """`Xr` and `Xc`, or a dense `X`, of a new CXG.

    shape : (n_obs, n_var)
    diffexp : store a dense matrix in tiles by rows, for CELLxGENE's differential expression
    """

    sparse_axes: tuple[Axis, ...] = ("obs", "var")

    def __init__(self, path: Path, shape: tuple[int, int], level: int, *, diffexp: bool) -> None:
        self._path, self._shape, self._level = path, shape, level
        self._tile = _DIFFEXP_TILE if diffexp else _TILE
        self.dense_axis: Axis = "obs" if diffexp else "var"
        self.dense_step = self._tile[0] if diffexp else self._tile[1]

    def begin(self, *, dense: bool) -> None:
        """Create the arrays."""
        if dense:
            writer.create_dense_matrix(self._path / "X", self._shape, self._tile, self._level)
            return
        writer.create_matrix(self._path / "Xr", self._shape[0], "obs", "var", self._level)
        writer.create_matrix(self._path / "Xc", self._shape[1], "var", "obs", self._level)

    def write_entries(self, axis: Axis, start: int, stop: int, entries: Entries) -> None:  # noqa: ARG002 - each cell says where it is
        """Write lines as one fragment of `Xr` or `Xc`."""
        if len(entries):
            name, across = ("Xr", "var") if axis == "obs" else ("Xc", "obs")
            writer.write_cells(self._path / name, entries.lines, across, entries.positions, entries.values)

    def write_band(self, start: int, stop: int, values: NDArray[np.float32]) -> None:
        """Write whole tiles of `X`."""
        band, whole = slice(start, stop), slice(None)
        if self.dense_axis == "obs":
            writer.write_dense(self._path / "X", band, whole, np.ascontiguousarray(values))
        else:
            writer.write_dense(self._path / "X", whole, band, np.ascontiguousarray(values.T))

    def finish(self) -> None:
        """Do nothing: every fragment is complete."""

    def discard(self) -> None:
        """Delete the arrays."""
        for name in ("X", "Xr", "Xc"):
            shutil.rmtree(self._path / name, ignore_errors=True)


def write_cxg(job: Job) -> Carried:
    """Write a dataset."""
    dataset, layer, left_out = job.dataset, job.layer, job.left_out
    if not dataset.n_obs or not dataset.n_var:
        raise InvalidStore(f"{dataset.uri}: a CXG needs obs and var; this is {dataset!r}. {_H5AD}")
    path, level = job.place.partial, BEST_LEVEL if job.best else LEVEL
    job.progress("reading", 0.0)
    obs, var = ObsTable(dataset), VarTable(dataset)
    writer.create_group(path, _metadata(job, obs))
    sets = _gene_sets(dataset)
    write_table(path / "obs", obs, level, left_out, **({"genesets": sets} if sets else {}))
    write_table(path / "var", var, level, left_out)
    _write_embeddings(path, dataset, level, within(job.progress, "embeddings", 0.05, 0.1), left_out)
    matrix = CxgMatrixWriter(path, (dataset.n_obs, dataset.n_var), level, diffexp=job.explorer_diffexp)
    left_out += [f"layer {name!r}: a CXG holds one matrix" for name in job.layers if name != layer]
    left_out += [sentence for sentence in [job.rounding(layer)] if sentence is not None]
    if layer is not None:
        left_out.append(f"the main matrix: layer {layer!r} takes its place")
    try:
        return carry_matrix(Lines(dataset, layer), matrix, job.place.scratch, within(job.progress, "matrix", 0.1, 1.0))
    except InvalidStore as error:
        others = [name for name in job.layers if name != layer and "raw" not in (name, layer)]
        other = f"Pass layer={others[0]!r} (--layer) for the matrix of a CXG. " if others else ""
        raise InvalidStore(f"{error} {other}{_H5AD}") from error


def column_type(summary: Summary, n: int, left_out: list[str], path: str) -> writer.ColumnType:
    """Return the storage type of a column.

    Categories keep their order. If there are more than 75 % as many as rows, labels are stored instead, as the official
    writer does. Integers and floats take 32 bits if that loses nothing, else 64.
    """
    if summary.masked is not None:
        left_out.append(f"{path} column {summary.name!r}: {_MASKED[summary.masked]}")
    if summary.kind == "categorical":
        labels = category_labels(summary)
        if len(labels) > _STRING_SHARE * n:
            left_out.append(f"{path} column {summary.name!r}: {len(labels):,} categories on {n:,} rows became text")
            return writer.STRING
        if summary.ordered:
            left_out.append(f"{path} column {summary.name!r}: the mark of ordered categories; their order is kept")
        return writer.categorical(labels)
    if summary.kind in ("int", "float"):
        return _number_type(summary)
    return writer.BOOLEAN if summary.kind == "boolean" else writer.STRING


def _number_type(summary: Summary) -> writer.ColumnType:
    if summary.kind == "float":
        return writer.FLOAT if summary.single else writer.ColumnType("float64", {"type": "float64"})
    if _INT32.min <= summary.low and summary.high <= _INT32.max:
        return writer.INT
    name = "int64" if summary.high <= np.iinfo(np.int64).max else "uint64"
    return writer.ColumnType(name, {"type": name})


def category_labels(summary: Summary) -> list[Any]:
    """Return the list of categories to store: numbers and booleans as such, and "nan" if a value is missing."""
    found = list(summary.categories)
    plain = all(type(label) is int for label in found) or all(type(label) is bool for label in found)
    floats = all(type(label) in (int, float) and math.isfinite(label) for label in found)
    labels = found if plain or floats else [str(label) for label in found]
    return [*labels, MISSING_TEXT] if summary.missing and MISSING_TEXT not in labels else labels


def encode(values: Values, summary: Summary, type_: writer.ColumnType) -> NDArray[Any]:
    """Return values as stored in a column of that type."""
    if type_.dtype == "str":
        return texts_of(values)
    if isinstance(values, Codes):
        labels = category_labels(summary)
        missing = labels.index(MISSING_TEXT) if MISSING_TEXT in labels else 0
        return np.where(values.codes < 0, missing, values.codes).astype(type_.dtype)
    return values.astype(type_.dtype)  # of booleans with missing values, these are the codes


def write_table(path: Path, table: Table, level: int, left_out: list[str], **metadata: object) -> None:
    """Write `obs` or `var` of a CXG; `left_out` gets a sentence for each part that cannot be written."""
    columns = [one for one in table.columns if _can_be_named(one.name, path.name, left_out)]
    taken = [one.name for one in columns]
    index = table.index if table.index not in (*_UNNAMED, *taken) else free_name(taken)
    assert index is not None
    left_out += [
        f"{path.name} column {one.name!r}: its category {MISSING_TEXT!r} means missing in a CXG"
        for one in columns
        if MISSING_TEXT in one.categories
    ]
    types = {one.name: column_type(one, table.n, left_out, path.name) for one in columns}
    writer.create_table(path, table.n, {index: writer.STRING, **types}, index, level, **metadata)
    for start, stop in table.slabs():
        values = table.read(taken, start, stop)
        slab = {one.name: encode(values[one.name], one, types[one.name]) for one in columns}
        writer.write_rows(path, start, {index: table.labels(start, stop), **slab})
    left_out += table.left_out


def _can_be_named(name: str, path: str, left_out: list[str]) -> bool:
    if name and name != "index" and not name.startswith("__"):
        return True
    left_out.append(f"{path} column {name!r}: the format reserves this name")
    return False


def _write_embeddings(
    path: Path, dataset: Dataset, level: int, tell: Callable[[float], None], left_out: list[str]
) -> None:
    if not dataset.embeddings:
        left_out.append("the dataset has no embedding; CELLxGENE Explorer does not open a CXG without one")
    for number, (name, width) in enumerate(dataset.embeddings.items()):
        target = path / "emb" / name
        if "/" in name or name.startswith("__") or name in ("", ".", ".."):
            left_out.append(f"embedding {name!r}: an array cannot have this name")
            continue
        writer.create_embedding(target, dataset.n_obs, width, level)
        infinite, any_number = 0, False
        for start in range(0, dataset.n_obs, ROWS_PER_SLAB):
            slab = read_embedding(dataset, name, width, start, min(start + ROWS_PER_SLAB, dataset.n_obs))
            infinite += int(np.isinf(slab).sum())
            slab[np.isinf(slab)] = np.nan
            any_number |= bool(np.isfinite(slab).any())
            writer.write_rows(target, start, slab)
        if infinite:
            left_out.append(
                f"embedding {name!r}: {infinite:,} infinite coordinates became NaN, because a CXG must not hold them"
            )
        if not any_number:
            left_out.append(f"embedding {name!r}: it holds no numbers")
            shutil.rmtree(target)
        tell((number + 1) / len(dataset.embeddings))


def read_embedding(dataset: Dataset, name: str, width: int, start: int, stop: int) -> NDArray[np.float32]:
    """Return rows of all axes of an embedding, float32 (stop - start, width), two axes at a time."""
    out = np.empty((stop - start, width), dtype=np.float32)
    step = max(_NUMBERS_AT_ONCE // width, 1)
    for first in range(start, stop, step):
        last = min(first + step, stop)
        for axis in [*range(0, width - 1, 2), *([width - 2] if width % 2 else [])]:
            block = dataset.embedding_block(name, (axis, axis + 1), first, last)
            out[first - start : last - start, axis : axis + 2] = block
    return out


def _metadata(job: Job, obs: ObsTable) -> dict[str, object]:
    dataset, details, title = job.dataset, job.dataset.details, job.title
    corpora: dict[str, object] = {"title": title}
    if dataset.default_embedding is not None:
        corpora["default_embedding"] = f"X_{dataset.default_embedding.removeprefix('X_')}"
    if isinstance(details.get("schema_version"), str):
        corpora["schema_version"] = details["schema_version"]
    about = details.get("about")
    if isinstance(about, str) and not about.startswith(("http://", "https://")):
        job.left_out.append(f"about {about[:60]!r}: a CXG can hold only a link in this field")
        about = None
    found: dict[str, object] = {
        "cxg_version": "0.3.0",
        "cxg_properties": {"title": title, "about": about if isinstance(about, str) else None},
        "corpora": corpora,
    }
    colors = {one.name: table for one in obs.columns if (table := dataset.category_colors(one.name))}
    return {**found, "cxg_category_colors": colors} if colors else found


def _gene_sets(dataset: Dataset) -> dict[str, object]:
    return {
        name: {
            "geneset_name": name,
            "geneset_description": "",
            "genes": [{"gene_symbol": gene, "gene_description": ""} for gene in genes],
        }
        for name, genes in dataset.gene_sets.items()
    }
