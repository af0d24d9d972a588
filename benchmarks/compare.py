"""Two sets of cells compared by all genes, against the least reading and against scanpy.

``python -m benchmarks.compare`` writes `compare.md`. `--cells` and `--genes` are the size of the stores, which are made
once and kept in `raw/`; scanpy is measured where it is installed, here or in the environment of `--scanpy PYTHON`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RAW = HERE / "raw" / "compare"
SHARE = 0.07
STORES = {"CXG": "cells.cxg", "h5ad, CSR": "csr.h5ad", "h5ad, CSC": "csc.h5ad"}
CELLS, GENES, CALLS = 30_000, 3_000, 3
GROUPS = 30
BLOCK = 8_000_000
"""Entries that the floor reads at a time."""
_REPORT = """# Two sets of cells compared by all genes

{n_obs:,} cells by {n_var:,} genes, {share:.0%} of the values not zero; three in ten cells against the rest, or each of
30 groups of a column against the rest. The floor
reads the same entries by the library of the store, and adds them and their squares up by `numpy.bincount`; scanpy reads
the file into memory first, which counts. The best of some calls in a process of its own, which opens the store in each.

{table}
"""
_HEADS = ("clock, s", "processor, s", "memory, MiB")


def mask(n: int) -> Any:
    """Return which cells are in a: three in ten, anywhere."""
    return np.random.default_rng(3).random(n) < 0.3


def groups(n: int) -> Any:
    """Return the group of each cell, of 30 of many sizes, int8."""
    sizes = np.random.default_rng(4).gamma(1.0, 1.0, GROUPS) + 0.02
    return np.random.default_rng(5).choice(GROUPS, n, p=sizes / sizes.sum()).astype(np.int8)


def write(folder: Path, n_obs: int, n_var: int) -> None:
    """Write the same cells as CSR and CSC in .h5ad, not compressed, and as a CXG."""
    import h5py
    from scipy.sparse import csr_array

    from cxg_widget.convert import convert

    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    per_cell = rng.poisson(SHARE * n_var, n_obs).clip(1, n_var // 2)
    starts = np.concatenate([[0], np.cumsum(per_cell)])
    genes = np.concatenate([np.sort(rng.choice(n_var, n, replace=False, shuffle=False)) for n in per_cell])
    depth = np.repeat(rng.lognormal(0, 0.3, n_obs), per_cell).astype(np.float32)
    values = np.log1p((1 + rng.poisson(1.0, len(genes))) / depth).astype(np.float32)
    matrix = csr_array((values, genes.astype(np.int32), starts), shape=(n_obs, n_var))
    for layout in ("csr", "csc"):
        with h5py.File(folder / f"{layout}.h5ad", "w") as file:
            _write_h5ad(file, matrix.asformat(layout), layout)
    convert(folder / "csr.h5ad", folder / "cells.cxg", progress=False)


def _write_h5ad(file: Any, matrix: Any, layout: str) -> None:
    file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    x = file.create_group("X")
    x.attrs.update({"encoding-type": f"{layout}_matrix", "encoding-version": "0.1.0", "shape": matrix.shape})
    for name in ("data", "indices", "indptr"):
        x[name] = getattr(matrix, name)
    for table, n in zip(("obs", "var"), matrix.shape, strict=True):
        group = file.create_group(table)
        group.attrs.update(
            {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index", "column-order": []}
        )
        group["_index"] = np.array([f"{table} {at}" for at in range(n)], dtype=object)
        if table == "obs":
            group.attrs["column-order"] = ["type"]
            kind = group.create_group("type")
            kind.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": False})
            kind["codes"] = groups(n)
            kind["categories"] = np.array([f"type {at}" for at in range(GROUPS)], dtype=object)
    places = np.random.default_rng(2).standard_normal((matrix.shape[0], 2)).astype(np.float32)
    file.create_group("obsm")["X_umap"] = places


def floor_of_cxg(path: str) -> None:
    """Read the entries by row, and add up values and squares."""
    import tiledb

    with tiledb.open(f"{path}/Xr") as array:
        n_obs, step = array.shape[0], max(BLOCK // 400, 1)
        sums = 0
        for start in range(0, n_obs, step):
            found = array.query(order="U", attrs=["", "var"], dims=["obs"])[start : start + step]
            sums = sums + _sums(found["var"], found[""], 100_000)
    assert np.isfinite(sums).all()


def floor_of_h5ad(path: str) -> None:
    """Read the entries in blocks, and add up values and squares."""
    import h5py

    with h5py.File(path) as file:
        x = file["X"]
        n = x["data"].shape[0]
        for start in range(0, n, BLOCK):
            _sums(x["indices"][start : start + BLOCK], x["data"][start : start + BLOCK], int(x.attrs["shape"].max()))


def _sums(places: Any, values: Any, n: int) -> Any:
    return np.stack([np.bincount(places, weights, minlength=n) for weights in (values, values * values)])


def ours(method: str, normalize: str | None = None) -> Callable[[str], None]:
    """Return what compares a store that is opened for it."""

    def act(path: str) -> None:
        from cxg_widget.compare.matrix import Matrix
        from cxg_widget.compare.question import Question
        from cxg_widget.compare.two_sets import compare
        from cxg_widget.datasets import open_dataset

        with open_dataset(path) as dataset:
            a = mask(dataset.n_obs)
            compare(Matrix(dataset), a, ~a, Question(method, normalize=normalize)).frame()

    return act


def of_groups(method: str) -> Callable[[str], None]:
    """Return what compares each group of a store that is opened for it with the rest."""

    def act(path: str) -> None:
        from cxg_widget.compare.each_group import compare_groups
        from cxg_widget.compare.matrix import Matrix
        from cxg_widget.compare.question import Question
        from cxg_widget.datasets import open_dataset

        with open_dataset(path) as dataset:
            compare_groups(Matrix(dataset), "type", Question(method)).frame()

    return act


def by_scanpy(method: str) -> Callable[[str], None]:
    """Return what compares a file that scanpy reads for it."""

    def act(path: str) -> None:
        import scanpy

        data = scanpy.read_h5ad(path)
        data.obs["set"] = np.where(mask(data.n_obs), "a", "b")
        data.obs["set"] = data.obs["set"].astype("category")
        options = {"tie_correct": True} if method == "wilcoxon" else {}
        scanpy.tl.rank_genes_groups(data, "set", groups=["a"], method=method, **options)

    return act


ACTS: dict[str, Callable[[str], None]] = {
    "floor": lambda path: (floor_of_cxg if path.endswith(".cxg") else floor_of_h5ad)(path),
    "t-test": ours("t-test"),
    "wilcoxon": ours("wilcoxon"),
    "30 groups, t-test": of_groups("t-test"),
    "30 groups, wilcoxon": of_groups("wilcoxon"),
    "scanpy, t-test": by_scanpy("t-test"),
    "scanpy, wilcoxon": by_scanpy("wilcoxon"),
}


def act(what: str, path: str, calls: int) -> None:
    """Do something several times in this process, and print seconds of clock and processor, and MiB."""
    taken = []
    for _ in range(calls + 1):
        clock, processor = time.perf_counter(), time.process_time()
        ACTS[what](path)
        taken.append((time.perf_counter() - clock, time.process_time() - processor))
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    best = [min(one) for one in zip(*taken[1:], strict=True)]
    print(json.dumps([*best, int(peak.split()[1]) / 2**10]))


def measure(what: str, path: Path, calls: int, python: str = sys.executable) -> list[float]:
    """Return seconds of clock and processor, and MiB, of a process of its own."""
    script = f"from benchmarks.compare import act; act({what!r}, {str(path)!r}, {calls})"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True, cwd=HERE.parent)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(n_obs: int, n_var: int, measured: dict[tuple[str, str], list[float]]) -> str:
    """Return the measurements as Markdown."""
    lines = [f"| | | {' | '.join(_HEADS)} |", "| --- | --- | --: | --: | --: |"]
    lines += [f"| {store} | {what} | {a:.2f} | {b:.2f} | {c:,.0f} |" for (store, what), (a, b, c) in measured.items()]
    return _REPORT.format(n_obs=n_obs, n_var=n_var, share=SHARE, table="\n".join(lines))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--cells", type=int, default=CELLS, help="%(default)s")
    parser.add_argument("--genes", type=int, default=GENES, help="%(default)s")
    parser.add_argument("--calls", type=int, default=CALLS, help="of which the best counts; %(default)s")
    parser.add_argument("--scanpy", default=sys.executable, help="a Python that has scanpy")
    wanted = parser.parse_args(arguments)
    folder = RAW / f"{wanted.cells}-{wanted.genes}"
    if not (folder / "cells.cxg").exists():
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, wanted.cells, wanted.genes)
    has_scanpy = not subprocess.run([wanted.scanpy, "-c", "import scanpy"], capture_output=True, check=False).returncode
    measured = {}
    for store, file in STORES.items():
        for what in ACTS:
            if "scanpy" in what and (not has_scanpy or file != "csr.h5ad"):
                continue
            python = wanted.scanpy if "scanpy" in what else sys.executable
            calls = 1 if "scanpy" in what else wanted.calls  # it takes long
            measured[store, what] = measure(what, folder / file, calls, python)
            print(store, what, *(f"{one:.2f}" for one in measured[store, what]), flush=True)
    (HERE / "compare.md").write_text(report(wanted.cells, wanted.genes, measured))
    print(f"wrote {HERE / 'compare.md'}")


if __name__ == "__main__":
    main()
