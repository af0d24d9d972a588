"""Write tests/datasets/written/far.zip with anndata 0.12 or newer: python tests/datasets/write_far.py

One AnnData of 300 cells and 120 genes: .h5ad and zarr 3 (sharded) by gene, zarr 2 by cell; and what it holds.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import scipy.sparse as sp

N_OBS, N_VAR = 300, 120


def write(folder: Path) -> None:
    rng = np.random.default_rng(7)
    entries = rng.integers(1, 6, (N_OBS, N_VAR)) * (rng.random((N_OBS, N_VAR)) < 0.1)
    obs = pd.DataFrame(
        {"cell_type": pd.Categorical(rng.choice(["B cell", "NK cell", "T cell"], N_OBS)), "n": entries.sum(axis=1)},
        index=[f"cell{number}" for number in range(N_OBS)],
    )
    var = pd.DataFrame(index=[f"GENE{number}" for number in range(N_VAR)])
    xy = rng.integers(-100, 100, (N_OBS, 2)).astype(np.float32)
    by_gene = ad.AnnData(sp.csc_matrix(entries.astype(np.float32)), obs, var, obsm={"X_umap": xy})
    by_cell = by_gene.copy()
    by_cell.X = by_gene.X.tocsr()
    by_gene.write_h5ad(folder / "csc.h5ad", compression="gzip")
    ad.settings.zarr_write_format, ad.settings.auto_shard_zarr_v3 = 3, True
    by_gene.write_zarr(folder / "csc.v3.zarr")
    ad.settings.auto_shard_zarr_v3, ad.settings.zarr_write_format = False, 2
    by_cell.write_zarr(folder / "csr.v2.zarr")
    np.savez_compressed(
        folder / "truth.npz", X=entries.astype(np.uint8), umap=xy, cell_type=obs["cell_type"].to_numpy(str), n=obs["n"]
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as made:
        write(Path(made))
        shutil.make_archive(str(Path(__file__).parent / "written" / "far"), "zip", made)
