"""Writes `written/spatialdata_turned.zip` with spatialdata itself, and what it finds there beside it.

Run by hand, in an environment of its own: ``python tests/datasets/write_spatialdata_turned.py``; needs spatialdata.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import anndata
import dask.array as da
import geopandas
import numpy as np
import pandas as pd
import spatialdata
from shapely import MultiPolygon, Point, Polygon
from spatialdata.models import Image2DModel, Image3DModel, Labels2DModel, Labels3DModel, ShapesModel, TableModel
from spatialdata.transformations import (
    Affine,
    Identity,
    MapAxis,
    Scale,
    Sequence,
    Translation,
    get_transformation,
    set_transformation,
)

HERE = Path(__file__).parent / "written"
XY = ("x", "y")
HEIGHT, WIDTH, N = 96, 120, 20


def affine(*lines: list[float]) -> Affine:
    """Return an affine transformation over x and y."""
    return Affine([*lines, [0, 0, 1]], input_axes=XY, output_axes=XY)


COS, SIN = 1.3 * np.cos(np.pi / 6), 1.3 * np.sin(np.pi / 6)
SYSTEMS = {
    "global": Identity(),
    "turned": affine([COS, -SIN, 100], [SIN, COS, -20]),
    "mirrored": affine([-1.5, 0, 400], [0, 1.5, 7]),
    "sheared": affine([1, 0.4, 0], [0, 2, 4]),
    "stretched": Sequence([Scale([0.5, 2.0], axes=XY), Translation([3.0, -8.0], axes=XY)]),
    "swapped": Sequence([MapAxis({"x": "y", "y": "x"}), Scale([2.0, 2.0], axes=XY)]),
}
TILT = Affine(
    [[2, 0, 0.5, 10], [0, 2, 0.25, 20], [0, 0, 3, 0], [0, 0, 0, 1]], input_axes=(*XY, "z"), output_axes=(*XY, "z")
)


def make() -> spatialdata.SpatialData:
    """Return images that are turned in most systems, with labels on their bright px; solids; shapes of two kinds."""
    mask = np.zeros((HEIGHT, WIDTH), np.int32)
    for i in range(N):
        line, column = 6 + i // 5 * 22, 6 + i % 5 * 22
        mask[line : line + 6 + i % 3, column : column + 5 + i % 4] = i + 1
    ramp = np.empty((3, HEIGHT, WIDTH), np.uint8)
    ramp[0], ramp[1], ramp[2] = 2 * np.arange(WIDTH), 2 * np.arange(HEIGHT)[:, None], 99
    lines, columns = np.mgrid[:HEIGHT, :WIDTH]
    panel = np.stack([(one + 1) * (columns + lines) / 10 for one in range(5)]).astype(np.float32)
    panel[4, :40] = np.nan
    solids = np.zeros((4, 24, 30), np.int16)
    for i in range(6):
        solids[i % 3 : i % 3 + 2, 4 * i % 20 : 4 * i % 20 + 3, 4 * i : 4 * i + 2] = i + 1
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0], [4, 0], [4, 3], [0, 5]])
    places = rng.uniform(0, 80, (6, 2))
    several = [
        MultiPolygon([Polygon(xy + corners), Polygon(xy + 9 + corners, [xy + 10 + corners / 4])]) if i % 2
        else Polygon(xy + corners)
        for i, xy in enumerate(places)
    ]  # fmt: skip
    parts = geopandas.GeoDataFrame({"geometry": several}, index=[str(10**18 + 7 * i) for i in range(6)])
    dots = geopandas.GeoDataFrame(
        {"geometry": [Point(*xy) for xy in rng.uniform(0, 80, (6, 2))], "radius": [3.0, 3, 3, 3, 3, 9]},
        index=[f"dot {i}" for i in range(6)],
    )
    dims = ("c", "y", "x")
    found = spatialdata.SpatialData(
        images={
            "bright": Image2DModel.parse((mask > 0)[None].astype(np.uint8) * 255, dims=dims, c_coords=["DAPI"]),
            "panel": Image2DModel.parse(
                da.from_array(panel, chunks=(1, 48, 60)), dims=dims, c_coords=["RNA", "GFP", "BFP", "DAPI", "gap"]
            ),
            "ramp": Image2DModel.parse(ramp, dims=dims, c_coords=["r", "g", "b"], scale_factors=[2, 2]),
            "scan": Image2DModel.parse(ramp.astype(np.uint16) * 16, dims=dims, c_coords=["r", "g", "b"]),
            "stack": Image3DModel.parse(
                np.arange(4, dtype=np.uint8)[None, :, None, None] * np.full((1, 4, 24, 30), 50, np.uint8),
                dims=("c", "z", "y", "x"), transformations={"global": Identity(), "tilted": TILT},
            ),
        },
        labels={
            "masks": Labels2DModel.parse(mask, dims=("y", "x")),
            "solids": Labels3DModel.parse(
                solids, dims=("z", "y", "x"), transformations={"global": Identity(), "tilted": TILT}
            ),
        },
        shapes={
            "parts": ShapesModel.parse(parts, transformations={"global": Identity(), "own": SYSTEMS["sheared"]}),
            "dots": ShapesModel.parse(dots, transformations={"global": SYSTEMS["stretched"]}),
        },
        tables={
            "of_masks": table(["masks"] * (N - 1), [*range(N, 2, -1), 99]),
            "of_solids": table(["solids"] * 6, list(range(1, 7))),
            "of_both": table(
                ["dots", "parts"] * 6, [one for pair in zip(dots.index, parts.index[::-1], strict=True) for one in pair]
            ),
            "of_none": table(None, list(range(4))),
        },
    )  # fmt: skip
    for name in ("bright", "panel", "ramp", "scan", "masks"):
        set_transformation(found[name], SYSTEMS, set_all=True)
    return found


def table(regions: list[str] | None, keys: list) -> anndata.AnnData:
    """Return a table that describes regions, or none."""
    n = len(keys)
    obs = pd.DataFrame({"instance": keys, "score": np.arange(n) / n}, index=[f"cell {i}" for i in range(n)])
    found = anndata.AnnData(np.ones((n, 2), np.float32), obs=obs, var=pd.DataFrame(index=["a", "b"]))
    if regions is None:
        found.obsm["spatial"] = np.arange(2.0 * n).reshape(n, 2)
        return TableModel.parse(found)
    found.obs["region"] = pd.Categorical(regions)
    return TableModel.parse(found, region=sorted(set(regions)), region_key="region", instance_key="instance")


def find(sdata: spatialdata.SpatialData) -> tuple[dict, dict]:
    """Return centroids, extents and matrices by element and coordinate system, and an image on another grid."""
    found: dict = {"centroids": {}, "extents": {}, "matrices": {}, "tables": {}}
    for name in ("masks", "solids", "parts", "dots"):
        for system in get_transformation(sdata[name], get_all=True):
            centroids = spatialdata.get_centroids(sdata[name], coordinate_system=system).compute()
            places = {str(key): [row["x"], row["y"]] for key, row in centroids.iterrows()}
            found["centroids"][f"{name}|{system}"] = places
    for name, one in sdata.tables.items():
        columns = [column for column in ("region", "instance") if column in one.obs]
        found["tables"][name] = {column: one.obs[column].astype(object).tolist() for column in columns}
    rasters = {}
    for system, one in get_transformation(sdata["ramp"], get_all=True).items():
        extent = spatialdata.get_extent(sdata["ramp"], coordinate_system=system)
        x0, x1, y0, y1 = (float(edge) for axis in XY for edge in extent[axis])
        found["extents"][system] = [x0, x1, y0, y1]
        found["matrices"][system] = one.to_affine_matrix(XY, XY).tolist()
        made = spatialdata.rasterize(
            sdata["ramp"], axes=XY, min_coordinate=[x0, y0], max_coordinate=[x1, y1], target_coordinate_system=system,
            target_unit_to_pixels=1.0,
        )  # fmt: skip
        rasters[system] = np.asarray(made)
    return found, rasters


if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    make().write(folder / "sample.zarr")
    found, rasters = find(spatialdata.read_zarr(folder / "sample.zarr"))
    (folder / "truth.json").write_text(json.dumps(found))
    np.savez_compressed(folder / "rasters.npz", **rasters)
    print(shutil.make_archive(str(HERE / "spatialdata_turned"), "zip", folder))
