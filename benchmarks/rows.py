"""Reading rows of the matrix from each layout, compared with tiledb-py and h5py reading the same tiles and chunks.

``python -m benchmarks.rows`` writes `rows.md`: ms of processor time, the median of five calls, and the ratio. "First"
reads from a store that was just opened. For tiledb-py and h5py this includes opening, a fraction of a millisecond. For
cxg-widget it includes what each opening learns once: where the parts of the matrix are, and that `Xr` has as many
values as `Xc`. "Then" reads the same rows again. The matrix has 60,000 cells by 1,000 genes, and 8 % of its entries
have a value. tiledb-py and h5py read ranges of neighboring rows, and do not check or convert the result. From CSC, h5py
has to read everything, and SciPy then selects the rows.
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
from tests.datasets.make_bare import bare_cxg, bare_h5ad

HERE = Path(__file__).parent
N_OBS, N_VAR, SHARE, CALLS = 60_000, 1_000, 0.08, 5
Rows = np.ndarray[Any, np.dtype[np.int64]]


def make(folder: Path) -> dict[str, Path]:
    """Write the matrix in each layout."""
    matrix = sp.random_array((N_OBS, N_VAR), density=SHARE, format="csr", dtype=np.float32, rng=0)
    found = {name: folder / name for name in ("Xr and Xc", "dense X", "CSR", "CSC", "dense h5ad")}
    bare_cxg(found["Xr and Xc"], matrix, 5)
    bare_cxg(found["dense X"], matrix.toarray(), 5)
    for name, stored in (("CSR", matrix), ("CSC", matrix.tocsc())):
        bare_h5ad(found[name], stored, chunks=(65_536,), compression="gzip")
    bare_h5ad(found["dense h5ad"], matrix.toarray(), chunks=(500, 500), compression="gzip", compression_opts=1)
    return found


def _tiledb(path: Path) -> Any:
    return tiledb.open(str(path / ("X" if (path / "X").exists() else "Xr")))


def _by_tiledb(array: Any, rows: Rows) -> Any:
    ranges = [slice(int(first), int(last)) for first, last in _runs(rows)]
    if not array.schema.sparse:
        return array.query().multi_index[ranges, :]
    return array.query(order="U", attrs=["", "var"], dims=["obs"]).multi_index[ranges]


def _by_h5py(file: Any, rows: Rows) -> Any:
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
    """Return the ms of processor time of one call."""
    began = time.process_time()
    act()
    return 1e3 * (time.process_time() - began)


def timed_here(path: Path, rows: Rows) -> tuple[float, float]:
    """Return the ms of reading rows of a dataset that was just opened, and of reading them again."""
    with open_dataset(path, format="cxg" if path.is_dir() else "h5ad") as dataset:
        first, then = (timed(lambda: [None for _ in dataset.rows_of(rows)]) for _ in range(2))
    return first, then


def timed_there(path: Path, rows: Rows) -> tuple[float, float]:
    """Return the ms of opening a matrix by the library of the store and reading rows, and of reading them again."""
    opens, read = (_tiledb, _by_tiledb) if path.is_dir() else (h5py.File, _by_h5py)
    began = time.process_time()
    with opens(path) as store:
        read(store, rows)
        first = 1e3 * (time.process_time() - began)
        return first, timed(lambda: read(store, rows))


def medians(measured: Callable[[], tuple[float, float]]) -> list[float]:
    """Return the medians of some calls; the first is left out."""
    taken = [measured() for _ in range(CALLS + 1)][1:]
    return [statistics.median(one) for one in zip(*taken, strict=True)]


def measure(stores: dict[str, Path]) -> list[str]:
    """Return the lines of the table."""
    scattered = np.sort(np.random.default_rng(0).choice(N_OBS, N_OBS // 100, replace=False))
    wanted = {
        "1 %, contiguous": np.arange(N_OBS // 3, N_OBS // 3 + N_OBS // 100),
        "1 %, scattered": scattered,
        "25 %, contiguous": np.arange(N_OBS // 4, N_OBS // 2),
    }
    lines = []
    for name, path in stores.items():
        for which, rows in wanted.items():
            here, there = (medians(partial(take, path, rows)) for take in (timed_here, timed_there))
            both = (f"{a:.1f} | {b:.1f} | {a / b:.2f}" for a, b in zip(here, there, strict=True))
            lines.append(f"| {name} | {which} | {' | '.join(both)} |")
    return lines


def main() -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(make(Path(folder)))
    heads = ("ms", "tiledb-py, h5py", "ratio")
    titles = " | ".join(f"{turn}, {head}" for turn in ("first", "then") for head in heads)
    table = [f"| layout | rows | {titles} |", f"| --- | --- |{' --: |' * 6}", *lines]
    text = "\n".join(["# Rows of the matrix", "", __doc__.partition("\n\n")[2].strip(), "", *table, ""])
    (HERE / "rows.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
