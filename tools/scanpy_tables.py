"""Write the tables that scanpy makes of a small matrix: what `tests/unit/test_compare_scanpy.py` compares with.

scanpy 1.12 needs Python 3.12 and about 1 GB, so it is no dependency of the tests. In an environment of its own:

    python3.12 -m venv /tmp/scanpy
    /tmp/scanpy/bin/pip install 'scanpy==1.12.*'
    /tmp/scanpy/bin/python tools/scanpy_tables.py

It writes `tests/golden/compare/`: `matrix.npz` (counts and log1p of counts per 10,000, float32, and the group of each
cell), a table for each test and each pair of groups, and for each test of all groups, where some cells have none, one
with the rest of each and one with "b" as reference. `ranked.npz` holds how scanpy lays these out in `uns`.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "tests" / "golden" / "compare"
N_OBS, N_VAR = 240, 42
GROUPS = ("a", "b", "c")


def counts() -> np.ndarray:
    """Return counts float32 (240, 42) with genes that differ, that are 0 everywhere, and 0 in one group alone."""
    rng = np.random.default_rng(12)
    mean = rng.gamma(0.4, 3.0, N_VAR) * rng.choice([0.3, 1.0, 2.5], (len(GROUPS), N_VAR))
    mean[:, 7] = 0
    mean[0, 11] = 0
    depth = rng.lognormal(0, 0.4, N_OBS)
    return rng.poisson(mean[groups()] * depth[:, None]).astype(np.float32)


def groups() -> np.ndarray:
    """Return the group of each cell, int8 (240,): 60, 90 and 90 of them, mixed."""
    return np.random.default_rng(5).permutation(np.repeat([0, 1, 2], [60, 90, 90])).astype(np.int8)


def without_value() -> np.ndarray:
    """Return which cells have no group where all groups are compared, bool (240,)."""
    return np.arange(N_OBS) % 9 == 4


def ranked(found: dict) -> dict[str, np.ndarray]:
    """Return results of `rank_genes_groups` as arrays of texts and numbers, `layout` being their types as JSON."""
    arrays, layout = {}, {}
    for key, result in found.items():
        layout[key] = {"params": result["params"]}
        for name, part in result.items():
            if name in ("pts", "pts_rest"):
                layout[key][name] = {"columns": list(part.columns), "index": list(part.index)}
                arrays[f"{key}/{name}"] = part.to_numpy()
            elif name != "params":
                layout[key][name] = {"type": type(part).__name__, "dtype": part.dtype.descr}
                texts = [(field, "U16") for field, kind in part.dtype.descr if kind == "|O"]
                arrays[f"{key}/{name}"] = np.asarray(part).astype(texts or part.dtype)
    return {**arrays, "layout": np.array(json.dumps(layout))}


def main() -> None:
    """Write the matrix and the tables."""
    import anndata
    import scanpy

    FOLDER.mkdir(parents=True, exist_ok=True)
    data = anndata.AnnData(counts())
    data.var_names = [f"gene {at}" for at in range(N_VAR)]
    data.obs["group"] = np.array(GROUPS)[groups()]
    data.obs["group"] = data.obs["group"].astype("category")
    scanpy.pp.normalize_total(data, target_sum=1e4)
    scanpy.pp.log1p(data)
    np.savez_compressed(FOLDER / "matrix.npz", counts=counts().astype(np.uint16), log1p=data.X, groups=groups())
    for method, reference in product(("t-test", "wilcoxon"), ("rest", "b")):
        options = {"tie_correct": True} if method == "wilcoxon" else {}
        scanpy.tl.rank_genes_groups(data, "group", groups=["a"], reference=reference, method=method, **options)
        table = scanpy.get.rank_genes_groups_df(data, "a")
        table.to_csv(FOLDER / f"{method}-a-{reference}.csv", index=False)
    data.obs["group"] = data.obs["group"].where(~without_value())
    for method in ("t-test", "wilcoxon"):
        options = {"tie_correct": True} if method == "wilcoxon" else {}
        scanpy.tl.rank_genes_groups(data, "group", method=method, **options)
        scanpy.get.rank_genes_groups_df(data, None).to_csv(FOLDER / f"{method}-groups.csv", index=False)
        for reference in ("rest", "b"):
            key = f"{method}-{reference}"
            options |= {"reference": reference, "pts": True, "key_added": key}
            scanpy.tl.rank_genes_groups(data, "group", method=method, **options)
        frame = scanpy.get.rank_genes_groups_df(data, None, key=key)
        frame.to_csv(FOLDER / f"{method}-groups-b.csv", index=False)
    np.savez_compressed(
        FOLDER / "ranked.npz", **ranked({key: data.uns[key] for key in ("wilcoxon-rest", "wilcoxon-b")})
    )
    print(f"scanpy {scanpy.__version__}: wrote {FOLDER}")


if __name__ == "__main__":
    main()
