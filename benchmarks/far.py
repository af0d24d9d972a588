"""Remote AnnData compared with plain anndata: `python -m benchmarks.far` prints a table, by a slow link on loopback.

Also needs anndata, fsspec, aiohttp, dask and xarray. Each figure is of a separate process, without imports.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

N_OBS, N_VAR, PER_CELL = 100_000, 20_000, 600
STEPS = ("open", "first points", "first gene", "next gene")
GENES = ("GENE5", "GENE7777")
STORES = ("csc.zarr", "csc.h5ad", "csr.zarr", "csr.h5ad")


def write(folder: Path) -> None:
    """Write the four stores with anndata: 100,000 cells of 600 genes each, of 20,000."""
    import anndata as ad
    import numpy as np
    import pandas as pd
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    weights = rng.gamma(0.3, size=N_VAR) + 0.01
    counts = np.minimum((weights / weights.sum() * N_OBS * PER_CELL).astype(int) + 1, N_OBS)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices = np.concatenate([np.sort(rng.choice(N_OBS, n, replace=False)) for n in counts]).astype(np.int32)
    data = np.log1p(rng.poisson(1.5, indptr[-1]) + 1).astype(np.float32)
    by_gene = sp.csc_matrix((data, indices, indptr), shape=(N_OBS, N_VAR))
    obs = pd.DataFrame(
        {f"number{one}": rng.normal(size=N_OBS).astype(np.float32) for one in range(8)},
        index=[f"cell{number:07d}" for number in range(N_OBS)],
    )
    for number, n in enumerate((5, 12, 30, 200)):
        labels = [f"type {one}" for one in range(n)]
        obs[f"type{number}"] = pd.Categorical.from_codes(rng.integers(n, size=N_OBS), labels)
    var = pd.DataFrame(index=[f"GENE{number}" for number in range(N_VAR)])
    obsm = {"X_umap": rng.normal(size=(N_OBS, 2)).astype(np.float32)}
    obsm["X_pca"] = rng.normal(size=(N_OBS, 50)).astype(np.float32)
    for name, X in (("csc", by_gene), ("csr", by_gene.tocsr())):
        adata = ad.AnnData(X, obs, var, obsm=obsm)
        adata.write_h5ad(folder / f"{name}.h5ad", compression="gzip")
        adata.write_zarr(folder / f"{name}.zarr")


def ours(url: str) -> Iterator[Callable[[], Any]]:
    """Yield the steps with this package."""
    import cxg_widget.datasets.anndata.far.hdf5
    import cxg_widget.datasets.anndata.far.zarr_store  # noqa: F401 - imports that opening would wait for
    from cxg_widget.datasets import open_dataset

    found: list[Any] = []
    yield lambda: found.append(open_dataset(url))
    yield lambda: found[0].embedding("umap")
    for gene in GENES:
        yield lambda gene=gene: found[0].values(gene)


def lazy(url: str) -> Iterator[Callable[[], Any]]:
    """Yield the steps with anndata's `read_lazy`, which reads only the requested parts of a remote zarr."""
    import anndata as ad
    import zarr

    found: list[Any] = []

    def points() -> None:
        found[0].obsm["X_umap"].compute()

    yield lambda: found.append(ad.experimental.read_lazy(zarr.open_group(url, mode="r")))
    yield points
    for gene in GENES:
        yield lambda gene=gene: found[0][:, gene].X.compute()


def backed(url: str) -> Iterator[Callable[[], Any]]:
    """Yield the steps with anndata's `sparse_dataset`: neither `read_lazy` nor `backed="r"` reads a remote .h5ad."""
    import anndata as ad
    import fsspec
    import h5py

    found: list[Any] = []

    def open_() -> None:
        file = h5py.File(fsspec.open(url).open(), "r")
        found.extend([file, ad.io.read_elem(file["obs"]), ad.io.read_elem(file["var"])])

    def gene(name: str) -> None:
        ad.io.sparse_dataset(found[0]["X"])[:, [found[2].index.get_loc(name)]]

    yield open_
    yield lambda: ad.io.read_elem(found[0]["obsm/X_umap"])
    for name in GENES:
        yield lambda name=name: gene(name)


CONTENDERS = {"cxg-widget": ours, "anndata, lazy": lazy, "anndata, sparse_dataset": backed}


def measure(who: str, url: str) -> None:
    """Print the seconds of each step."""
    steps = CONTENDERS[who](url)
    next_step = next(steps)
    found = []
    for _ in STEPS:
        begin = time.perf_counter()
        next_step()
        found.append(round(time.perf_counter() - begin, 2))
        print(json.dumps(found), flush=True)
        next_step = next(steps, lambda: None)


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[int]:
    """Run a module that prints its port."""
    process = subprocess.Popen([sys.executable, "-m", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()


def run(folder: Path, limit_s: float) -> None:
    """Print a row for each store and contender."""
    print(f"| store | | {' | '.join(STEPS)} |\n| --- | --- |{' --: |' * len(STEPS)}")
    with started("tests.file_server", str(folder)) as server, started("benchmarks.slow_link", str(server)) as link:
        for store in STORES:
            for who in ("cxg-widget", "anndata, lazy" if store.endswith(".zarr") else "anndata, sparse_dataset"):
                child = [sys.executable, "-m", "benchmarks.far", "--who", who, f"http://127.0.0.1:{link}/{store}"]
                process = subprocess.Popen(child, stdout=subprocess.PIPE, text=True)
                try:
                    output, _ = process.communicate(timeout=limit_s)
                except subprocess.TimeoutExpired:
                    process.kill()
                    output, _ = process.communicate()
                found = json.loads(output.strip().rpartition("\n")[2] or "[]")
                cells = [f"{one:.2f}" for one in found] + [f"> {limit_s:.0f}"] * (len(STEPS) - len(found))
                print(f"| {store} | {who} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Run all measurements, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("at", nargs="?", help="folder of the stores, written where they are not there")
    parser.add_argument("--who", choices=CONTENDERS)
    parser.add_argument("--limit-s", type=float, default=300)
    options = parser.parse_args()
    if options.who:
        measure(options.who, options.at)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(options.at or made)
        if not (folder / STORES[-1]).exists():
            write(folder)
        run(folder, options.limit_s)


if __name__ == "__main__":
    main()
