"""Converting a million cells: time, rate and memory, against a plain copy that holds the matrix in memory.

``python -m benchmarks.stores.conversion CONTENDER SOURCE TARGET`` converts once and prints JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import HERE
from benchmarks.kernel import peak_mb
from benchmarks.stores import kinds
from benchmarks.stores.report import FLOOR

BYTES = 8
"""What a value of a sparse matrix takes, its place included."""
_FRAGMENT = 8_000_000
_LEVEL, _GZIP = 9, 4


def measure_all(source: Path, n_obs: int, repeats: int = 1) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Convert an .h5ad to a CXG and back: {title: {contender: {measure: values}}}."""
    folder = source.parent
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    ways = {".h5ad (CSR) to CXG": (source, "made.cxg"), "CXG to .h5ad": (folder / "ours.made.cxg", "made.h5ad")}
    for title, (origin, name) in ways.items():
        found[title] = {contender: {} for contender in CONTENDERS}
        for _ in range(repeats):
            for contender in CONTENDERS:
                target = folder / f"{'ours' if contender == 'cxg-widget' else 'floor'}.{name}"
                kinds.remove(target)
                result = _in_process(contender, origin, target)
                n_values = result.pop("values")
                result |= {"cells/s": n_obs / result["s"], "MB/s": n_values * BYTES / 1e6 / result["s"]}
                for measure, value in result.items():
                    found[title][contender].setdefault(measure, []).append(value)
    for path in folder.glob("*.made.*"):
        kinds.remove(path)
    return found


def _in_process(contender: str, source: Path, target: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.stores.conversion", contender, str(source), str(target)]
    done = subprocess.run(command, cwd=HERE.parent, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{contender} failed on {source}:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def ours(source: Path, target: Path) -> int:
    """Convert as the command line does."""
    from cxg_widget.convert import convert

    n_values = convert(source, target, progress=False).n_values
    assert n_values is not None
    return n_values


def plain(source: Path, target: Path) -> int:
    """Carry the matrix alone, in the same arrays and packed as well, by way of SciPy."""
    return _to_cxg(source, target) if source.suffix == ".h5ad" else _to_h5ad(source, target)


def _to_cxg(source: Path, target: Path) -> int:
    import h5py
    import scipy.sparse as sp
    import tiledb

    from cxg_widget.datasets.cxg import writer

    with h5py.File(source, "r", locking=False) as file:
        X = file["X"]
        shape = tuple(X.attrs["shape"])
        by_cell = sp.csr_array((X["data"][:], X["indices"][:], X["indptr"][:]), shape=shape)
    by_gene = by_cell.tocsc()
    tiledb.group_create(str(target))
    for name, matrix, axes, n in (("Xr", by_cell, ("obs", "var"), shape[0]), ("Xc", by_gene, ("var", "obs"), shape[1])):
        writer.create_matrix(target / name, n, *axes, _LEVEL)
        lines = np.repeat(np.arange(n, dtype=np.uint32), np.diff(matrix.indptr))
        for start in range(0, len(lines), _FRAGMENT):
            part = slice(start, start + _FRAGMENT)
            with tiledb.open(str(target / name), "w") as array:
                array[lines[part]] = {"": matrix.data[part], axes[1]: matrix.indices[part].astype(np.uint32)}
    return int(by_cell.nnz)


def _to_h5ad(source: Path, target: Path) -> int:
    import h5py
    import scipy.sparse as sp
    import tiledb

    with tiledb.open(str(source / "Xr")) as array:
        found = array.query(order="U")[:]
    shape = [int(found[name].max()) + 1 for name in ("obs", "var")]
    X = sp.csr_array((found[""], (found["obs"], found["var"])), shape=shape)
    X.sort_indices()
    with h5py.File(target, "w") as file:
        for name in ("data", "indices", "indptr"):
            values = getattr(X, name)
            file.create_dataset(f"X/{name}", data=values, chunks=(min(1 << 16, len(values)),), shuffle=True,
                                compression="gzip", compression_opts=_GZIP)  # fmt: skip
    return int(X.nnz)


CONTENDERS: dict[str, Callable[[Path, Path], int]] = {"cxg-widget": ours, FLOOR: plain}


def convert_once(contender: str, source: Path, target: Path) -> dict[str, Any]:
    """Return seconds, memory and size."""
    began = time.perf_counter()
    n_values = CONTENDERS[contender](source, target)
    taken, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    files = [target] if target.is_file() else [Path(at, name) for at, _, names in os.walk(target) for name in names]
    return {
        "s": taken,
        "processor s": used.ru_utime + used.ru_stime,
        "peak MB": peak_mb(),
        "written MB": sum(file.stat().st_size for file in files) / 1e6,
        "values": n_values,
    }


if __name__ == "__main__":
    print(json.dumps(convert_once(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
