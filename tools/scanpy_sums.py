"""Write the sums of counts by donor that scanpy makes: what `tests/unit/test_compare_donors.py` compares with.

In the environment that `tools/scanpy_tables.py` names, after it:

    /tmp/scanpy/bin/python tools/scanpy_sums.py

It writes `tests/golden/compare/sums.csv`: `scanpy.get.aggregate(func="sum")` of the counts of its small matrix by group
and donor, a row for each; donors are `donors()`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "tests" / "golden" / "compare"


def donors(n_obs: int = 240) -> np.ndarray:
    """Return the donor of each cell, int (240,): seven of them, the last with few cells."""
    return np.random.default_rng(8).choice(7, n_obs, p=[0.18, 0.17, 0.16, 0.16, 0.15, 0.14, 0.04])


def main() -> None:
    """Write the sums."""
    import anndata
    import pandas as pd
    import scanpy

    held = np.load(FOLDER / "matrix.npz")
    obs = pd.DataFrame({"group": held["groups"], "donor": donors()}, index=[f"cell {at}" for at in range(240)])
    data = anndata.AnnData(held["counts"].astype(np.float32), obs.astype("category"))
    found = scanpy.get.aggregate(data, by=["group", "donor"], func="sum")
    sums = np.asarray(found.layers["sum"].todense() if hasattr(found.layers["sum"], "todense") else found.layers["sum"])
    table = pd.DataFrame(sums.astype(int), columns=[f"gene {at}" for at in range(sums.shape[1])])
    table.insert(0, "donor", found.obs["donor"].to_numpy())
    table.insert(0, "group", found.obs["group"].to_numpy())
    table.to_csv(FOLDER / "sums.csv", index=False)
    print(f"wrote {FOLDER / 'sums.csv'}")


if __name__ == "__main__":
    main()
