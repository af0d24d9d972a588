"""A synthetic section of tissue for the pages: spots in five layers, in the folder that Space Ranger writes."""

import json
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
from PIL import Image, ImageFilter
from scipy import sparse

GENES = ("SNAP25", "MBP", "PCP4", "CUX2", "AQP4", "GAPDH", "MALAT1", "HPCA")
LAYERS = 5
FULL_PX, PITCH_PX, IMAGE_PX = 8_000, 100, 900
_LEVELS = np.array(
    [
        [6, 1, 0, 1, 7, 8, 20, 5],
        [6, 1, 1, 9, 1, 8, 20, 4],
        [5, 2, 3, 3, 1, 8, 20, 3],
        [4, 4, 10, 0, 1, 8, 20, 2],
        [1, 14, 1, 0, 2, 8, 20, 1],
    ]
)
"""Mean counts, layers by genes."""


def write_section(folder, seed=0):
    """Write the folder and return its path: `CxgWidget(path, tissue=True)` opens it."""
    outs = Path(folder)
    (outs / "spatial").mkdir(parents=True)
    rng = np.random.default_rng(seed)
    rows, columns = np.divmod(np.arange(78 * 64), 64)
    x = (columns + 0.5 * (rows % 2) + 1) * PITCH_PX * 1.2
    y = (rows + 1) * PITCH_PX
    depth = depth_at(x, y)
    inside = depth >= 0
    x, y, depth, grid = x[inside], y[inside], depth[inside], (rows[inside], columns[inside])
    layers = np.clip((depth * LAYERS + rng.normal(0, 0.18, len(x))).astype(int), 0, LAYERS - 1)
    barcodes = [f"SYNTHETIC{i:07d}-1" for i in range(len(x))]
    _write_matrix(outs, rng.poisson(_LEVELS[layers] * rng.lognormal(0, 0.35, (len(x), 1))), barcodes)
    _write_clusters(outs, layers, barcodes)
    _write_places(outs, barcodes, grid, (x, y))
    _write_images(outs, rng)
    return outs


def depth_at(x, y):
    """Return how deep a place lies in the tissue, 0 at its upper edge to 1 at its lower one; -1 outside."""
    u, v = x / FULL_PX, y / FULL_PX
    top = 0.14 + 0.10 * np.sin(2.6 * u + 0.5) * u
    bottom = 0.90 - 0.16 * (u - 0.5) ** 2 + 0.03 * np.sin(9 * u)
    depth = (v - top) / (bottom - top)
    is_inside = (depth >= 0) & (depth < 1) & (u > 0.07 + 0.05 * np.sin(7 * v)) & (u < 0.93 + 0.04 * np.sin(5 * v + 1))
    return np.where(is_inside, depth, -1.0)


def _write_matrix(outs, counts, barcodes):
    matrix = sparse.csc_array(counts.T.astype(np.int32))
    with h5py.File(outs / "filtered_feature_bc_matrix.h5", "w") as file:
        group = file.create_group("matrix")
        group["barcodes"] = np.array(barcodes, "S")
        for name, dtype in {"data": np.int32, "indices": np.int64, "indptr": np.int64}.items():
            group.create_dataset(name, data=getattr(matrix, name).astype(dtype), compression="gzip")
        group["shape"] = np.array(matrix.shape, np.int32)
        features = group.create_group("features")
        features["_all_tag_keys"] = np.array(["genome"], "S")
        features["id"] = np.array([f"SYNG{i:011d}" for i in range(len(GENES))], "S")
        features["name"] = np.array(GENES, "S")
        features["feature_type"] = np.array(["Gene Expression"] * len(GENES), "S")
        features["genome"] = np.array(["synthetic"] * len(GENES), "S")


def _write_clusters(outs, layers, barcodes):
    folder = outs / "analysis" / "clustering" / "gene_expression_graphclust"
    folder.mkdir(parents=True)
    pd.DataFrame({"Cluster": layers + 1}, pd.Index(barcodes, name="Barcode")).to_csv(folder / "clusters.csv")


def _write_places(outs, barcodes, grid, xy):
    (rows, columns), (x, y) = grid, xy
    places = {
        "in_tissue": 1, "array_row": rows, "array_col": 2 * columns + rows % 2,
        "pxl_row_in_fullres": y.astype(int), "pxl_col_in_fullres": x.astype(int),
    }  # fmt: skip
    pd.DataFrame(places, pd.Index(barcodes, name="barcode")).to_csv(outs / "spatial" / "tissue_positions.csv")
    factors = {
        "tissue_hires_scalef": IMAGE_PX / FULL_PX,
        "tissue_lowres_scalef": IMAGE_PX / FULL_PX / 3,
        "spot_diameter_fullres": 65.0,
        "fiducial_diameter_fullres": 105.0,
    }
    (outs / "spatial" / "scalefactors_json.json").write_text(json.dumps(factors))


def _write_images(outs, rng):
    """Draw something pink and violet with nuclei, as a stained section looks."""
    y, x = np.mgrid[0:IMAGE_PX, 0:IMAGE_PX] * (FULL_PX / IMAGE_PX)
    depth = depth_at(x, y)
    noise = _smooth(rng, 6) + 0.7 * _smooth(rng, 2)
    stain = np.clip(0.35 + 0.35 * np.abs(np.sin(depth * LAYERS * np.pi / 2)) + 0.12 * noise, 0, 1)[..., None]
    tissue = (1 - stain) * np.array([243, 214, 228]) + stain * np.array([190, 130, 180])
    nuclei = (_smooth(rng, 1.4) > 1.75)[..., None]
    tissue = np.where(nuclei, np.array([96, 66, 140]), tissue)
    pixels = np.where(depth[..., None] >= 0, tissue, np.array([246, 244, 246])).clip(0, 255).astype(np.uint8)
    image = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(0.6))
    image.save(outs / "spatial" / "tissue_hires_image.png")
    image.resize((IMAGE_PX // 3, IMAGE_PX // 3)).save(outs / "spatial" / "tissue_lowres_image.png")


def _smooth(rng, sigma):
    """Return smooth noise of mean 0 and deviation 1."""
    from scipy.ndimage import gaussian_filter

    values = gaussian_filter(rng.normal(size=(IMAGE_PX, IMAGE_PX)), sigma)
    return values / values.std()
