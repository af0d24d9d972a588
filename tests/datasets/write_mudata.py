"""Writes small MuData files by the package mudata, and beside them what it says they hold.

    python tests/datasets/write_mudata.py tests/datasets/written

Run once with each version that is read (0.3 and 0.4); tests read what it has written everywhere, without mudata.
"""

import sys
import warnings
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import anndata as ad
import mudata as mu
import numpy as np
import pandas as pd
from scipy import sparse

N = 48
"""Cells in all: the rna lacks the last 8, the proteins the first 12, and have theirs in another order."""


def modalities():
    rng = np.random.default_rng(7)
    names = np.array([f"cell{number:02}" for number in range(N)])
    counts = rng.poisson(0.8, (N - 8, 14)).astype(np.float32)
    rna = ad.AnnData(sparse.csr_matrix(np.log1p(counts)), obs=pd.DataFrame(index=names[: N - 8]))
    rna.var_names = [f"GENE{number}" for number in range(12)] + ["CD3E", "CD4"]
    rna.var["gene_ids"] = [f"ENSG{number:05}" for number in range(14)]
    rna.var["highly_variable"] = np.arange(14) % 3 == 0
    rna.layers["counts"] = sparse.csc_matrix(counts)
    rna.raw = rna.copy()
    rna = rna[:, [*range(2, 14)]].copy()
    rna.obs["n_genes"] = (counts > 0).sum(axis=1)
    rna.obs["fraction"] = rng.random(N - 8)
    rna.obs["kept"] = np.arange(N - 8) % 2 == 0
    rna.obs["note"] = pd.Series([f"note {number}" for number in range(N - 8)], index=rna.obs_names)
    types = rng.choice(["B cell", "T cell", "NK cell"], N - 8)
    rna.obs["cell_type"] = pd.Categorical(types, ["T cell", "B cell", "NK cell"])
    rna.uns["cell_type_colors"] = ["#ff0000", "#00ff00", "#0000ff"]
    rna.obsm["X_umap"] = rng.normal(size=(N - 8, 2))
    rna.obsm["X_pca"] = rng.normal(size=(N - 8, 5))
    order = np.concatenate([np.arange(N - 1, N // 2, -1), np.arange(12, N // 2 + 1)])
    adt = ad.AnnData(rng.normal(3, 2, (len(order), 5)).astype(np.float32), obs=pd.DataFrame(index=names[order]))
    adt.var_names = ["CD3", "CD4", "CD8", "CD19", "IgG"]
    adt.var["gene_ids"] = [f"AB{number}" for number in range(5)]
    adt.layers["counts"] = rng.integers(0, 900, (len(order), 5)).astype(np.float32)
    adt.obs["total"] = rng.random(len(order)).astype(np.float32)
    adt.obsm["X_umap"] = rng.normal(size=(len(order), 3))
    return rna, adt


def joint(container):
    rna, adt = modalities()
    if container == "csc":  # all cells in all modalities, in one order; stored by gene
        rna, adt = rna[12:].copy(), adt[rna.obs_names[12:]].copy()
        rna.X, adt.X = sparse.csc_matrix(rna.X), sparse.csc_matrix(adt.X)
    both = mu.MuData({"rna": rna, "adt": adt})
    both.obs["donor"] = pd.Categorical([f"D{number % 3}" for number in range(both.n_obs)])
    both.obs["order"] = np.arange(both.n_obs) * 3
    both.obsm["X_mofa"] = np.random.default_rng(3).normal(size=(both.n_obs, 4))
    both.var["weight"] = np.arange(both.n_var, dtype=np.float64)
    return both


def over_all(both, modality, values):
    """Return rows of a modality as those of all cells, by mudata's own map."""
    place = np.asarray(both.obsmap[modality]).reshape(-1).astype(int) - 1
    found = np.full((both.n_obs, *values.shape[1:]), np.nan)
    found[place >= 0] = values[place[place >= 0]]
    return found


def dense(values):
    return np.asarray(values.todense() if sparse.issparse(values) else values)


def truth_of(both):
    found = {
        "obs_names": np.array(both.obs_names.tolist()),
        "var_names": np.array(both.var_names.tolist()),
        "modality": np.repeat(list(both.mod), [part.n_vars for part in both.mod.values()]),
        "weight": both.var["weight"].to_numpy(),
        "obs donor": np.array(both.obs["donor"].astype(str).tolist()),
        "obs order": both.obs["order"].to_numpy(),
        "emb mofa": both.obsm["X_mofa"],
        "X": np.hstack([over_all(both, name, dense(part.X)) for name, part in both.mod.items()]),
    }
    for name, part in both.mod.items():
        for layer, values in part.layers.items():
            if layer is not None:
                found[f"layer {name}:{layer}"] = over_all(both, name, dense(values))
        for key in part.obsm:
            found[f"emb {name}:{key.removeprefix('X_')}"] = over_all(both, name, np.asarray(part.obsm[key]))
    found["raw"] = over_all(both, "rna", dense(both.mod["rna"].raw.X))
    found["raw_names"] = np.array(both.mod["rna"].raw.var_names.tolist())
    pulled = mu.MuData({name: part.copy() for name, part in both.mod.items()})
    pulled.pull_obs(prefix_unique=True)
    pulled = pulled.obs.loc[both.obs_names]
    for column in pulled.columns:
        values = pulled[column]
        is_number = getattr(values.dtype, "kind", "O") in "iuf"
        texts = [None if pd.isna(value) else str(value) for value in values.tolist()]
        if is_number and isinstance(values.dtype, np.dtype):
            found[f"obs {column}"] = values.to_numpy()
        elif is_number:
            found[f"obs {column}"] = values.to_numpy(dtype=float, na_value=np.nan)
        else:
            found[f"obs {column}"] = np.array(["" if one is None else one for one in texts])
            found[f"missing {column}"] = np.array([one is None for one in texts])
    return found


def write(target):
    major = ".".join(mu.__version__.split(".")[:2])
    if hasattr(ad.settings, "allow_write_nullable_strings"):
        ad.settings.allow_write_nullable_strings = True
    with TemporaryDirectory() as place:
        folder = Path(place)
        for container in ("csr", "csc") if major != "0.3" else ("csr",):
            both = joint(container)
            both.write(folder / f"{container}.h5mu", compression="gzip")
            if container == "csr":
                both.write_zarr(folder / f"{container}.zarr")
            np.savez_compressed(folder / f"{container}.npz", **truth_of(both))
        if major != "0.3":
            rna, _ = modalities()
            halves = mu.MuData({"early": ad.AnnData(obs=rna.obs[:20], var=rna.var), "late": rna[20:].copy()}, axis=1)
            halves.write(folder / "axis1.h5mu", compression="gzip")
        with zipfile.ZipFile(target / f"mudata_{major}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write(Path(sys.argv[1]))
