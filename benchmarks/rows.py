"""Rows of the matrix out of each layout, against tiledb-py and h5py that read the same tiles and chunks.

``python -m benchmarks.rows`` writes `rows.md`: ms of processor time, the median of some calls, each of a
store opened anew, and the ratio. Opening it is counted for tiledb-py and h5py, a fraction of a millisecond. The
matrix has 60,000 x 1,000 cells, of which 8 % hold a value. What is compared with reads ranges of neighbouring rows, and
does nothing to what it read; of CSC it reads all, as it must, and SciPy cuts the rows.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg import writer

HERE = Path(__file__).parent
N_OBS, N_VAR, SHARE, CALLS = 60_000, 1_000, 0.08, 3
_TILE = (256, 2_048)
Rows = np.ndarray[Any, np.dtype[np.int64]]


def make(folder: Path) -> dict[str, Path]:
    """Write the matrix in each layout."""
    matrix = sp.random_array((N_OBS, N_VAR), density=SHARE, format="csr", dtype=np.float32, rng=0)
    found = {name: folder / name for name in ("Xr and Xc", "dense X", "CSR", "CSC", "dense h5ad")}
    _write_cxg(found["Xr and Xc"], matrix.tocoo(), is_dense=False)
    _write_cxg(found["dense X"], matrix, is_dense=True)
    for name, stored in (("CSR", matrix), ("CSC", matrix.tocsc()), ("dense h5ad", matrix.toarray())):
        _write_h5ad(found[name], stored)
    return found


def _write_cxg(path: Path, matrix: Any, *, is_dense: bool) -> None:
    writer.create_group(path, {"cxg_version": "0.3.0", "cxg_properties": {"title": path.name}})
    for name, n in (("obs", N_OBS), ("var", N_VAR)):
        domain = tiledb.Domain(tiledb.Dim("", domain=(0, n - 1), tile=1000, dtype=np.uint32))
        tiledb.Array.create(str(path / name), tiledb.ArraySchema(domain, [tiledb.Attr("name_0", dtype="U", var=True)]))
        with tiledb.open(str(path / name), "w") as array:
            array[:] = {"name_0": np.array([f"{name}{i}" for i in range(n)], dtype=object)}
            array.meta["cxg_schema"] = '{"index": "name_0"}'
    if is_dense:
        writer.create_dense_matrix(path / "X", (N_OBS, N_VAR), _TILE, 5)
        writer.write_dense(path / "X", slice(0, N_OBS), slice(0, N_VAR), matrix.toarray())
        return
    for name, dim, other in (("Xr", "obs", "var"), ("Xc", "var", "obs")):
        at, across = (matrix.row, matrix.col) if name == "Xr" else (matrix.col, matrix.row)
        writer.create_matrix(path / name, N_OBS if name == "Xr" else N_VAR, dim, other, 5)
        writer.write_cells(path / name, at.astype(np.uint32), other, across.astype(np.uint32), matrix.data)


def _write_h5ad(path: Path, matrix: Any) -> None:
    with h5py.File(path, "w") as file:
        for name, n in (("obs", N_OBS), ("var", N_VAR)):
            table = file.create_group(name)
            table.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
            table.attrs["column-order"] = np.zeros(0)
            names = table.create_dataset("_index", data=np.array([f"{name}{i}" for i in range(n)], dtype="S"))
            names.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
        if isinstance(matrix, np.ndarray):
            file.create_dataset("X", data=matrix, chunks=(500, 500), compression="gzip", compression_opts=1)
            return
        group = file.create_group("X")
        about = {"encoding-type": f"{matrix.format}_matrix", "encoding-version": "0.1.0", "shape": matrix.shape}
        group.attrs.update(about)
        for name in ("data", "indices"):
            group.create_dataset(name, data=getattr(matrix, name), chunks=(65_536,), compression="gzip")
        group.create_dataset("indptr", data=matrix.indptr)


def _by_tiledb(path: Path, rows: Rows) -> Any:
    name = "X" if (path / "X").exists() else "Xr"
    with tiledb.open(str(path / name)) as array:
        ranges = [slice(int(first), int(last)) for first, last in _runs(rows)]
        if name == "X":
            return array.query().multi_index[ranges, :]
        return array.query(order="U", attrs=["", "var"], dims=["obs"]).multi_index[ranges]


def _by_h5py(path: Path, rows: Rows) -> Any:
    with h5py.File(path) as file:
        X = file["X"]
        if isinstance(X, h5py.Dataset):
            chunk = X.chunks[0]
            bands = [(band * chunk, rows[rows // chunk == band]) for band in np.unique(rows // chunk).tolist()]
            return np.concatenate([X[begin : begin + chunk][some - begin] for begin, some in bands])
        starts = X["indptr"][:]
        if X.attrs["encoding-type"] == "csc_matrix":
            return sp.csc_matrix((X["data"][:], X["indices"][:], starts), shape=(N_OBS, N_VAR))[rows]
        spans = [(starts[first], starts[last + 1]) for first, last in _runs(rows)]
        return [np.concatenate([X[name][a:b] for a, b in spans]) for name in ("data", "indices")]


def _runs(rows: Rows) -> list[tuple[int, int]]:
    breaks = np.flatnonzero(np.diff(rows) > 1)
    firsts, lasts = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def timed(act: Callable[[], object]) -> float:
    """Return ms of processor time of one call."""
    began = time.process_time()
    act()
    return 1e3 * (time.process_time() - began)


def timed_here(path: Path, rows: Rows) -> float:
    """Return ms of processor time of reading rows out of a dataset that was just opened."""
    with open_dataset(path, format="cxg" if path.is_dir() else "h5ad") as dataset:
        return timed(lambda: [None for _ in dataset.rows_of(rows)])


def median(measured: Callable[[], float]) -> float:
    """Return the median of some calls; the first is left out."""
    taken = [measured() for _ in range(CALLS + 1)]
    return statistics.median(taken[1:])


def measure(stores: dict[str, Path]) -> list[str]:
    """Return the lines of the table."""
    scattered = np.sort(np.random.default_rng(0).choice(N_OBS, N_OBS // 100, replace=False))
    wanted = {
        "1 %, neighbours": np.arange(N_OBS // 3, N_OBS // 3 + N_OBS // 100),
        "1 %, scattered": scattered,
        "25 %, neighbours": np.arange(N_OBS // 4, N_OBS // 2),
    }
    lines = []
    for name, path in stores.items():
        plain = _by_tiledb if path.is_dir() else _by_h5py
        for which, rows in wanted.items():
            here = median(partial(timed_here, path, rows))
            other = median(partial(timed, partial(plain, path, rows)))
            lines.append(f"| {name} | {which} | {here:.1f} | {other:.1f} | {here / other:.2f} |")
    return lines


def main() -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(make(Path(folder)))
    table = ["| layout | rows | ms | tiledb-py, h5py | ratio |", "| --- | --- | --: | --: | --: |", *lines]
    text = "\n".join(["# Rows of the matrix", "", __doc__.partition("\n\n")[2].strip(), "", *table, ""])
    (HERE / "rows.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
