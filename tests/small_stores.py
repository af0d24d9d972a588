"""Small stores of many kinds under the names that the docs use, for the code in the docs."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from cxg_widget.convert import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg.demo import write_demo
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cf import make_cf
from tests.datasets.make_tenx import make_tenx

WRITTEN = Path(__file__).parent / "datasets" / "written"
N_CELLS = 2_000


def _cxg(folder: Path) -> None:
    write_demo(folder / "demo.cxg", N_CELLS)


def _h5ad(folder: Path) -> None:
    convert(folder / "demo.cxg", folder / "cells.h5ad")


def _section(folder: Path) -> None:
    """Write a section as scanpy's reader of Visium leaves it: places, an image and its scale."""
    import h5py

    shutil.copy(folder / "cells.h5ad", folder / "section.h5ad")
    with h5py.File(folder / "section.h5ad", "a") as file:
        places = file["obsm"].create_dataset("spatial", data=np.indices((50, 40)).reshape(2, -1).T * 100.0)
        places.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        section = file["uns"].create_group("spatial/library")
        section.create_dataset("images/hires", data=np.full((500, 400, 3), 200, np.uint8))
        section.create_dataset("scalefactors/tissue_hires_scalef", data=0.1)
        section.create_dataset("scalefactors/spot_diameter_fullres", data=55.0)


def _zarr(folder: Path) -> None:
    make_anndata(folder, container="zarr3", name="cells")


def _atlas(folder: Path) -> None:
    from tests.datasets.make_atlas import make_atlas, make_truth

    make_atlas(folder / "my_atlas", make_truth())


def _mzpeak(folder: Path) -> None:
    from tests.datasets.make_mzpeak import make_mzpeak, make_run

    make_mzpeak(folder / "run.mzpeak", make_run())


def _frame(folder: Path) -> pd.DataFrame:
    with open_dataset(folder / "demo.cxg") as dataset:
        frame = dataset.obs(["condition", "donor", "n_counts"]).reset_index(drop=True)
        frame[["umap_1", "umap_2"]] = dataset.embedding("umap")
        frame["gene_CD3E"] = dataset.values("CD3E")
    return frame


def _unpack(archive: str, member: str, name: str) -> Callable[[Path], None]:
    def unpack(folder: Path) -> None:
        with zipfile.ZipFile(WRITTEN / archive) as packed:
            packed.extractall(folder, [one for one in packed.namelist() if one.startswith(member)])
        (folder / member).rename(folder / name)

    return unpack


NEEDS = {"cells.h5ad": "demo.cxg", "section.h5ad": "cells.h5ad", "cells.parquet": "demo.cxg", "cells.csv": "demo.cxg"}
"""What a store is made of."""
MAKERS: dict[str, Callable[[Path], object]] = {
    "demo.cxg": _cxg,
    "cells.h5ad": _h5ad,
    "section.h5ad": _section,
    "cells.zarr": _zarr,
    "cells.parquet": lambda folder: _frame(folder).to_parquet(folder / "cells.parquet"),
    "cells.csv": lambda folder: _frame(folder).to_csv(folder / "cells.csv", index=False),
    "run.points": lambda folder: pd.DataFrame(
        np.random.default_rng(0).normal(size=(50, 3)), columns=["x", "y", "weight"]
    ).to_csv(folder / "run.points", index=False),
    "my_atlas": _atlas,
    "ocean.tiledb": lambda folder: make_cf(folder / "ocean.tiledb", "xarray"),
    "run.mzpeak": _mzpeak,
    "sample": lambda folder: make_tenx(folder, "outs h5"),
    "cite.h5mu": _unpack("mudata_0.4.zip", "csr.h5mu", "cite.h5mu"),
    "atlas.soma": _unpack("soma.zip", "whole.soma", "atlas.soma"),
    "visium.sdata.zarr": _unpack("spatialdata_0.8.zip", "sample.zarr", "visium.sdata.zarr"),
}


def put(folder: Path, name: str) -> Path:
    """Write a store into a folder, where it is not there yet, and return its path."""
    if name in NEEDS:
        put(folder, NEEDS[name])
    if not (folder / name).exists():
        MAKERS[name](folder)
    return folder / name
