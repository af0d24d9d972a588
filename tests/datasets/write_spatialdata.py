"""Writes `written/spatialdata_VERSION.zip` with spatialdata itself, and what it finds there beside it.

Run by hand, in an environment of its own: ``python tests/datasets/write_spatialdata.py``; needs spatialdata alone.
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
from scipy import sparse
from shapely import Point, Polygon
from spatialdata._io.format import SpatialDataContainerFormatV01
from spatialdata.models import Image2DModel, Labels2DModel, PointsModel, ShapesModel, TableModel
from spatialdata.transformations import Affine, Identity, MapAxis, Scale, Sequence, Translation

HERE = Path(__file__).parent / "written"
N = 24


def make() -> spatialdata.SpatialData:
    """Return two sections: circles over an image of three channels, polygons and labels over one of four."""
    rng = np.random.default_rng(0)
    turned = Affine([[0, -1, 100], [1, 0, 5], [0, 0, 1]], input_axes=("x", "y"), output_axes=("x", "y"))
    whole = Sequence([Scale([2.0, 2.0], axes=("x", "y")), Translation([10.0, 20.0], axes=("x", "y"))])
    rgb = np.zeros((3, 90, 120), np.uint8)
    rgb[0], rgb[1], rgb[2] = np.arange(120), np.arange(90)[:, None], 128
    image = Image2DModel.parse(
        rgb, dims=("c", "y", "x"), c_coords=["r", "g", "b"], scale_factors=[2, 2],
        transformations={"global": Identity(), "microns": whole},
    )  # fmt: skip
    dark = (rng.random((4, 64, 64)) * 900).astype(np.uint16)
    fluorescence = Image2DModel.parse(
        dark, dims=("c", "y", "x"), c_coords=["DAPI", "CD3", "CD8", "ECad"], scale_factors=[2],
        transformations={"global": Translation([200.0, 0.0], axes=("x", "y")), "turned": turned},
    )  # fmt: skip
    spots = geopandas.GeoDataFrame(
        {"geometry": [Point(*xy) for xy in rng.uniform(0, 90, (N, 2))], "radius": np.full(N, 4.0)},
        index=[f"spot {i}" for i in range(N)],
    )
    corners = np.array([[0, 0], [4, 0], [4, 3], [0, 5]])
    places = rng.uniform(0, 60, (N, 2))
    cells = geopandas.GeoDataFrame(
        {"geometry": [Polygon(xy + corners) for xy in places]}, index=np.arange(100, 100 + N)
    )
    mask = np.zeros((64, 64), np.int32)
    for i, (x, y) in enumerate(rng.permutation([(x, y) for x in range(6) for y in range(6)])[:N]):
        mask[y * 10 : y * 10 + 3 + i % 5, x * 10 : x * 10 + 4] = i + 1
    shapes_spots = ShapesModel.parse(spots, transformations={"global": Identity(), "microns": whole})
    shapes_cells = ShapesModel.parse(
        cells, transformations={"global": Translation([200.0, 0.0], axes=("x", "y")), "turned": turned}
    )
    labels = Labels2DModel.parse(
        mask,
        dims=("y", "x"),
        transformations={"global": Scale([3.0, 3.0], axes=("x", "y")), "flipped": MapAxis({"x": "y", "y": "x"})},
    )
    points = PointsModel.parse(pd.DataFrame(rng.uniform(0, 60, (40, 2)), columns=["x", "y"]))

    def table(regions, keys):
        n = len(keys)
        obs = pd.DataFrame({"region": pd.Categorical(regions), "instance": keys, "score": rng.random(n)})
        obs.index = [f"cell {i}" for i in range(n)]
        values = sparse.csr_matrix(rng.poisson(1.0, (n, 5)).astype(np.float32))
        found = anndata.AnnData(values, obs=obs, var=pd.DataFrame(index=[f"gene {i}" for i in range(5)]))
        return TableModel.parse(found, region=sorted(set(regions)), region_key="region", instance_key="instance")

    tables = {
        "of_spots": table(["spots"] * (N + 1), [*spots.index[::-1], "spot that is lost"]),
        "of_cells": table(["cells"] * N, list(cells.index)),
        "of_masks": table(["masks"] * N, list(range(1, N + 1))),
    }
    return spatialdata.SpatialData(
        images={"tissue": image, "stain": fluorescence}, labels={"masks": labels},
        shapes={"spots": shapes_spots, "cells": shapes_cells}, points={"transcripts": points}, tables=tables,
    )  # fmt: skip


def find(sdata: spatialdata.SpatialData) -> dict:
    """Return centroids of regions by coordinate system and instance, and the tables, as spatialdata has them."""
    found = {
        f"table|{name}": {
            "obs": {key: one.astype(object).tolist() for key, one in table.obs.items()},
            "index": table.obs_names.tolist(), "X": table.X.toarray().tolist(), "var": table.var_names.tolist(),
        }
        for name, table in sdata.tables.items()
    }  # fmt: skip
    for region in ("spots", "cells", "masks"):
        for system in spatialdata.transformations.get_transformation(sdata[region], get_all=True):
            centroids = spatialdata.get_centroids(sdata[region], coordinate_system=system).compute()
            found[f"{region}|{system}"] = {str(key): [row["x"], row["y"]] for key, row in centroids.iterrows()}
    return found


if __name__ == "__main__":
    version = ".".join(spatialdata.__version__.split(".")[:2])
    # Zarr 3 as this version writes it, and zarr 2 as all did before 0.5, which is still the form of most files.
    for form, options in (("", {}), ("_zarr2", {"sdata_formats": SpatialDataContainerFormatV01()})):
        folder = Path(tempfile.mkdtemp())
        make().write(folder / "sample.zarr", **options)
        found = find(spatialdata.read_zarr(folder / "sample.zarr"))
        (folder / "truth.json").write_text(json.dumps(found))
        print(shutil.make_archive(str(HERE / f"spatialdata_{version}{form}"), "zip", folder))
