"""Write the numbers behind scanpy's dot plots of a small matrix: what `tests/unit/test_plots.py` compares with.

scanpy 1.12 needs Python 3.12 and about 1 GB, so it is no dependency of the tests. In an environment of its own:

    python3.12 -m venv /tmp/scanpy
    /tmp/scanpy/bin/pip install 'scanpy==1.12.*'
    /tmp/scanpy/bin/python tools/scanpy_plots.py

It writes `tests/golden/plots/`: `cells.npz` (values, float32, and the codes of two columns, of which -1 is missing) and
tables of colors and sizes for one column, for two, and for each way to scale.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "tests" / "golden" / "plots"
N_OBS = 300
GENES = tuple(f"gene {at}" for at in range(7))
GROUPS, DONORS = ("c", "a", "d", "b"), ("D2", "D1")
PLOTS = {
    "group": (["group"], None), "pairs": (["group", "donor"], None), "by-var": (["group"], "var"),
    "by-group": (["group"], "group"),
}  # fmt: skip


def main() -> None:
    """Write cells and tables."""
    import anndata
    import pandas as pd
    import scanpy

    rng = np.random.default_rng(7)
    group, donor = rng.integers(-1, len(GROUPS), N_OBS), rng.integers(0, len(DONORS), N_OBS)
    donor[group == 1] = 0  # a pair without cells
    values = rng.poisson(rng.gamma(0.5, 2.0, (len(GROUPS) + 1, len(GENES)))[group]).astype(np.float32)
    values[:, 5], values[group == 2, 3] = 0, 0
    values = np.log1p(values)
    FOLDER.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(FOLDER / "cells.npz", values=values, group=group.astype(np.int8), donor=donor.astype(np.int8))
    data = anndata.AnnData(values)
    data.var_names = list(GENES)
    data.obs["group"] = pd.Categorical.from_codes(group, list(GROUPS))
    data.obs["donor"] = pd.Categorical.from_codes(donor, list(DONORS))
    for name, (by, scale) in PLOTS.items():
        # scanpy makes a text of what is missing, so that such cells would be a group of pairs
        cells = data[group >= 0].copy()
        plot = scanpy.pl.dotplot(cells, list(GENES), by, standard_scale=scale, return_fig=True)
        plot.dot_color_df.to_csv(FOLDER / f"{name}.color.csv")
        plot.dot_size_df.to_csv(FOLDER / f"{name}.size.csv")
    print(f"wrote {FOLDER}")


if __name__ == "__main__":
    main()
