"""Writes a dataset as an AnnData .h5ad."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.copy_matrix import Axis, Carried, carry_matrix
from cxg_widget.convert.entries import Entries, Lines
from cxg_widget.convert.h5ad_file import H5adFile
from cxg_widget.convert.job import Job
from cxg_widget.convert.progress import within
from cxg_widget.convert.tables import ROWS_PER_SLAB, ObsTable, Summary, Table, VarTable, split
from cxg_widget.convert.to_cxg import read_embedding
from cxg_widget.datasets.base.contract import PLACEHOLDER
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.errors import InvalidStore

LEVEL, BEST_LEVEL = 4, 9
"""gzip, which every HDF5 reader supports."""

_NO_COLOR = "#d3d3d3"
_SPATIAL = ("spatial",)
"""Keys of obsm that have no "X_" by convention."""


class H5adMatrixWriter:
    """`X` or a layer of a new .h5ad: a csr_matrix, or an array by rows.

    path : in the file
    shape : (n_obs, n_var)
    """

    sparse_axes: tuple[Axis, ...] = ("obs",)
    dense_axis: Axis = "obs"
    dense_step = 64

    def __init__(self, file: H5adFile, path: str, shape: tuple[int, int]) -> None:
        self._file, self._path, self._shape = file, path, shape
        self._counts: NDArray[np.int64] | None = None

    def begin(self, *, dense: bool) -> None:
        """Create an empty matrix."""
        if dense:
            self._file.begin_array(self._path, self._shape, np.float32)
        else:
            self._file.begin_csr(self._path, self._shape)
            self._counts = np.zeros(self._shape[0], dtype=np.int64)

    def write_entries(self, axis: Axis, start: int, stop: int, entries: Entries) -> None:  # noqa: ARG002 - rows only
        """Add rows."""
        assert self._counts is not None
        self._counts[start:stop] = np.bincount(entries.lines - np.uint32(start), minlength=stop - start)
        self._file.append_csr(self._path, entries.positions.astype(np.int32), entries.values)

    def write_band(self, start: int, stop: int, values: NDArray[np.float32]) -> None:  # noqa: ARG002 - it has its rows
        """Write rows."""
        self._file.write(self._path, start, np.ascontiguousarray(values))

    def finish(self) -> None:
        """Write the starts of the rows of a csr_matrix."""
        if self._counts is not None:
            self._file.end_csr(self._path, self._counts)

    def discard(self) -> None:
        """Delete what was written."""
        self._file.remove(self._path)
        self._counts = None


def write_h5ad(job: Job) -> Carried | None:
    """Write a dataset, and return the result for the matrix; None without a matrix, which AnnData allows."""
    dataset, layer, left_out = job.dataset, job.layer, job.left_out
    job.progress("reading", 0.0)
    obs, var = ObsTable(dataset), VarTable(dataset)
    names = [layer, *_layers(job)]
    left_out += [sentence for sentence in map(job.rounding, names) if sentence is not None]
    with H5adFile(job.place.partial, BEST_LEVEL if job.best else LEVEL) as file:
        _write_table(file, obs, left_out)
        _write_table(file, var, left_out)
        _write_embeddings(file, dataset, within(job.progress, "embeddings", 0.05, 0.1), left_out)
        _write_uns(file, job, obs)
        wanted = [("X" if number == 0 else f"layers/{name}", name) for number, name in enumerate(names)]
        carried: Carried | None = None
        for number, (path, name) in enumerate(wanted):
            tell = within(job.progress, path, 0.1 + 0.9 * number / len(wanted), 0.1 + 0.9 * (number + 1) / len(wanted))
            matrix = H5adMatrixWriter(file, path, (dataset.n_obs, dataset.n_var))
            try:
                found = carry_matrix(Lines(dataset, name), matrix, job.place.scratch, tell)
            except InvalidStore as error:
                file.remove(path)
                left_out.append(f"{path}: {error}")
                continue
            carried = found if path == "X" else carried
    return carried


def _layers(job: Job) -> list[str]:
    """Return the layers to copy with the matrix; those with their own vars, such as raw, have no place."""
    of_x = job.dataset.names_in(None)
    names = [name for name in job.layers if job.dataset.names_in(name) is of_x]
    if job.layer is not None:
        job.left_out.append(f"the main matrix and all other layers: layer {job.layer!r} is X now")
        return []
    job.left_out.extend(f"{name}: it has its own vars" for name in job.layers if name not in names)
    return _storable(names, "layer", job.left_out)


def _write_table(file: H5adFile, table: Table, left_out: list[str]) -> None:
    names = _storable([one.name for one in table.columns], f"{table.path} column", left_out)
    columns = [one for one in table.columns if one.name in names]
    has_name = table.index and table.index not in names and not PLACEHOLDER.fullmatch(table.index)
    index = table.index if table.index and has_name else "_index"
    file.begin_table(table.path, index, names)
    file.begin_strings(f"{table.path}/{index}", table.n)
    for one in columns:
        _begin_column(file, f"{table.path}/{one.name}", table.n, one)
    for start, stop in table.slabs():
        file.write(f"{table.path}/{index}", start, table.labels(start, stop))
        found = table.read(names, start, stop)
        for one in columns:
            path, values = f"{table.path}/{one.name}", found[one.name]
            if one.masked is not None:
                for part, half in zip(("values", "mask"), split(values, one.masked), strict=True):
                    file.write(f"{path}/{part}", start, half)
                continue
            categorical = one.kind == "categorical" and not isinstance(values, Codes)
            file.write(f"{path}/codes" if categorical else path, start, values)
    left_out += table.left_out


def _begin_column(file: H5adFile, path: str, n: int, summary: Summary) -> None:
    if summary.masked is not None:
        file.begin_masked(path, n, summary.masked)
    elif summary.kind == "categorical":
        file.begin_categorical(path, n, summary.categories, ordered=summary.ordered)
    elif summary.kind == "string":
        file.begin_strings(path, n)
    else:
        file.begin_array(path, (n,), summary.dtype)


def _storable(names: Sequence[str], what: str, left_out: list[str]) -> list[str]:
    """Return the names that HDF5 accepts: "a/b" is in a group "a", which cannot be a column too."""
    kept: list[str] = []
    for name in names:
        parts = name.split("/")
        above = {"/".join(parts[:count]) for count in range(1, len(parts))}
        below = any(other.startswith(f"{name}/") for other in names)
        if all(part not in ("", ".") for part in parts) and "\0" not in name and not below and not above & set(names):
            kept.append(name)
        else:
            left_out.append(f"{what} {name!r}: HDF5 does not allow this name")
    return kept


def _write_embeddings(file: H5adFile, dataset: Dataset, tell: Callable[[float], None], left_out: list[str]) -> None:
    for name in _storable(list(dataset.embeddings), "embedding", left_out):
        width = dataset.embeddings[name]
        path = f"obsm/{_obsm_key(name)}"
        file.begin_array(path, (dataset.n_obs, width), np.float32)
        for start in range(0, dataset.n_obs, ROWS_PER_SLAB):
            stop = min(start + ROWS_PER_SLAB, dataset.n_obs)
            file.write(path, start, read_embedding(dataset, name, width, start, stop))
            tell(stop / dataset.n_obs)


def _obsm_key(name: str) -> str:
    return name if name.startswith("X_") or name in _SPATIAL else f"X_{name}"


def _write_uns(file: H5adFile, job: Job, obs: ObsTable) -> None:
    dataset, details, left_out = job.dataset, job.dataset.details, job.left_out
    file.write_value("uns/title", job.title)
    if dataset.default_embedding is not None:
        file.write_value("uns/default_embedding", _obsm_key(dataset.default_embedding))
    if isinstance(details.get("schema_version"), str):
        file.write_value("uns/schema_version", details["schema_version"])
    for one in obs.columns:
        colors = dataset.category_colors(one.name) if one.kind == "categorical" else {}
        if colors and "/" not in one.name:
            labels = [str(label) for label in one.categories]
            file.write_value(f"uns/{one.name}_colors", np.array([colors.get(label, _NO_COLOR) for label in labels]))
            without = [label for label in labels if label not in colors]
            if without:
                left_out.append(f"obs column {one.name!r}: {len(without):,} categories without a color became grey")
    sets = {name: np.array(genes, dtype=object) for name, genes in dataset.gene_sets.items()}
    names = _storable(list(sets), "gene set", left_out)
    if names:
        file.write_value("uns/genesets", {name: sets[name] for name in names})
