"""Writes `written/circles_VERSION.zip` with spatialdata itself, and the radii that it finds there beside it.

Run by hand, in an environment of its own: ``python tests/datasets/write_spatialdata_circles.py``; needs spatialdata.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import anndata
import geopandas
import numpy as np
import pandas as pd
import spatialdata
from shapely import Point, Polygon
from spatialdata.models import Image2DModel, ShapesModel, TableModel
from spatialdata.transformations import Identity, Scale, Sequence, Translation

HERE = Path(__file__).parent / "written"
XY = ("x", "y")


def make() -> spatialdata.SpatialData:
    """Return circles of many sizes in two sections with units of their own, and squares, over an image."""
    rng = np.random.default_rng(3)
    microns = Sequence([Scale([0.5, 0.5], axes=XY), Translation([40.0, -7.0], axes=XY)])
    double = Scale([2.0, 2.0], axes=XY)
    waves = 190 + 40 * np.sin(np.add.outer(np.arange(200) / 9, np.arange(320) / 13))
    image = Image2DModel.parse(
        (waves * np.array([1, 0.8, 0.9])[:, None, None]).astype(np.uint8), dims=("c", "y", "x"),
        c_coords=["r", "g", "b"], transformations={"global": Identity(), "microns": microns},
    )  # fmt: skip
    grid = np.array([(20 + 40 * i, 20 + 40 * j) for j in range(5) for i in range(4)], float)
    fine = np.array([(95 + 10 * i, 8 + 8 * j) for j in range(10) for i in range(3)], float)
    radii = np.append(rng.uniform(2, 12, len(grid) - 1), 16.0)
    frames = {
        "cells": ([Point(*xy) for xy in grid], rng.permutation(len(grid)), {"radius": radii}),
        "other": ([Point(*xy) for xy in fine[:20]], np.arange(500, 520), {"radius": np.linspace(0.5, 3.5, 20)}),
        "squares": (
            [Polygon(xy + np.array([[0, 0], [2, 0], [2, 2], [0, 2]])) for xy in fine[20:]],
            range(900, 910),
            {},
        ),
    }
    shapes = {
        name: ShapesModel.parse(
            geopandas.GeoDataFrame({"geometry": geometry, **more}, index=list(ids)),
            transformations={"global": Identity(), "microns": microns} if name == "cells"
            else {"global": double, "microns": Sequence([double, microns])},
        )
        for name, (geometry, ids, more) in frames.items()
    }  # fmt: skip

    def table(*regions: str) -> anndata.AnnData:
        rows = [(region, key) for region in regions for key in shapes[region].index]
        obs = pd.DataFrame(rows, columns=["region", "instance"]).sample(frac=1, random_state=0)
        obs["region"], obs["kind"] = pd.Categorical(obs["region"]), pd.Categorical(rng.choice([*"abc"], len(obs)))
        obs.index = [f"row {i}" for i in range(len(obs))]
        found = anndata.AnnData(np.ones((len(obs), 1), np.float32), obs=obs, var=pd.DataFrame(index=["gene"]))
        return TableModel.parse(found, region=sorted(regions), region_key="region", instance_key="instance")

    tables = {"of_cells": table("cells"), "of_all": table("cells", "other", "squares")}
    return spatialdata.SpatialData(images={"tissue": image}, shapes=shapes, tables=tables)


def find(sdata: spatialdata.SpatialData) -> dict:
    """Return x, y and radius of circles by coordinate system and instance, and what rows describe."""
    found = {f"table|{name}": table.obs[["region", "instance"]].values.tolist() for name, table in sdata.tables.items()}
    for name in ("cells", "other"):
        for system in ("global", "microns"):
            one = spatialdata.transform(sdata[name], to_coordinate_system=system)
            values = np.column_stack([one.geometry.x, one.geometry.y, one["radius"]]).tolist()
            found[f"{name}|{system}"] = dict(zip(map(str, one.index), values, strict=True))
    return found


if __name__ == "__main__":
    version = ".".join(spatialdata.__version__.split(".")[:2])
    folder = Path(tempfile.mkdtemp())
    make().write(folder / "sample.zarr")
    found = find(spatialdata.read_zarr(folder / "sample.zarr"))
    (folder / "truth.json").write_text(json.dumps(found))
    print(shutil.make_archive(str(HERE / f"circles_{version}"), "zip", folder))
