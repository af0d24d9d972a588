"""Writes runs of Cell Ranger and Space Ranger as 10x documents them, with h5py, SciPy, pandas and Pillow."""

from __future__ import annotations

import gzip
import json

import h5py
import numpy as np
import pandas as pd
from PIL import Image
from scipy import io, sparse

from cxg_widget.testing import Truth

N_OBS, N_GENES, N_ANTIBODIES = 60, 14, 3
LAYOUTS = ("outs h5", "outs mtx", "outs mtx plain", "h5", "h5 before 3", "mtx", "mtx before 3")


def make_counts(seed=0):
    """Return whole counts, cells by features, with an empty cell and an empty gene."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.2, (N_OBS, N_GENES + N_ANTIBODIES)) * (rng.random((N_OBS, N_GENES + N_ANTIBODIES)) < 0.5)
    counts[7], counts[:, 4] = 0, 0
    return counts.astype(np.int32)


def make_names(*, has_antibodies=True, has_twins=False):
    """Return barcodes, and the table of features; with twins two genes share a name, as in real references."""
    rng = np.random.default_rng(1)
    barcodes = [f"{''.join(rng.choice(list('ACGT'), 16))}-1" for _ in range(N_OBS)]
    genes = [(f"ENSG{i:011d}", f"GENE{8 if has_twins and i == 9 else i}", "Gene Expression") for i in range(N_GENES)]
    antibodies = [(f"CD{i}_TotalB", f"CD{i}_protein", "Antibody Capture") for i in range(N_ANTIBODIES)]
    rows = genes + (antibodies if has_antibodies else [])
    return barcodes, pd.DataFrame(rows, columns=["id", "name", "feature_type"])


def write_h5(path, counts, barcodes, features, *, version=3):
    """Write the HDF5 file: features by barcodes, compressed by barcode."""
    columns = sparse.csc_array(counts.T)
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix" if version == 3 else "GRCh38")
        group["barcodes"] = np.array(barcodes, "S18")
        parts = {"data": np.int32, "indices": np.int64, "indptr": np.int64}
        for name, dtype in parts.items():
            values = getattr(columns, name).astype(dtype)
            chunked = {"chunks": (min(80_000, len(values) // 4 + 1),), "compression": "gzip"} if len(values) else {}
            group.create_dataset(name, data=values, **chunked)
        group["shape"] = np.array(columns.shape, np.int32)
        if version == 3:
            found = group.create_group("features")
            found["_all_tag_keys"] = np.array(["genome"], "S6")
            for name in features:
                found[name] = features[name].to_numpy().astype("S")
            found["genome"] = np.array(["GRCh38"] * len(features), "S6")
        else:
            group["genes"], group["gene_names"] = features["id"].to_numpy("S"), features["name"].to_numpy("S")
    return path


def write_mtx(folder, counts, barcodes, features, *, version=3, is_plain=False):
    """Write the folder of three texts, as SciPy writes matrices."""
    folder.mkdir(parents=True)
    io.mmwrite(folder / "matrix.mtx", sparse.csc_array(counts.T), field="integer", comment="metadata_json: {}")
    (folder / "barcodes.tsv").write_text("".join(f"{one}\n" for one in barcodes))
    named = features if version == 3 else features[["id", "name"]]
    name = "features.tsv" if version == 3 else "genes.tsv"
    named.to_csv(folder / name, sep="\t", header=False, index=False)
    for path in list(folder.iterdir()) if version == 3 and not is_plain else []:
        with gzip.open(f"{path}.gz", "wb") as file:
            file.write(path.read_bytes())
        path.unlink()
    return folder


def write_analysis(outs, barcodes, seed=2):
    """Write projections and clusters of all barcodes but one; return the tables."""
    rng = np.random.default_rng(seed)
    kept = pd.Index(barcodes[1:], name="Barcode")
    tables = {}
    for method, initial, n in (("umap", "UMAP", 2), ("tsne", "TSNE", 2), ("pca", "PC", 5)):
        columns = [f"{initial}-{i + 1}" for i in range(n)]
        tables[method] = pd.DataFrame(rng.normal(size=(len(kept), n)), index=kept, columns=columns)
        folder = outs / "analysis" / method / f"gene_expression_{n if method != 'pca' else 10}_components"
        folder.mkdir(parents=True)
        tables[method].to_csv(folder / "projection.csv")
    for name, k in (("graphclust", 12), ("kmeans_2_clusters", 2)):
        tables[name] = pd.DataFrame({"Cluster": rng.integers(1, k + 1, len(kept))}, index=kept)
        folder = outs / "analysis" / "clustering" / f"gene_expression_{name}"
        folder.mkdir(parents=True)
        tables[name].to_csv(folder / "clusters.csv")
    return tables


def write_tissue(outs, barcodes, *, name="tissue_positions.csv"):
    """Write places on the tissue, in another order than the matrix, and its images; return the table of places."""
    rng = np.random.default_rng(3)
    columns = ["in_tissue", "array_row", "array_col", "pxl_row_in_fullres", "pxl_col_in_fullres"]
    n = len(barcodes)
    rows = [np.arange(n) % 3 > 0, *(rng.integers(0, most, n) for most in (78, 128, 900, 1200))]
    found = pd.DataFrame(np.column_stack(rows).astype(int), pd.Index(barcodes, name="barcode"), columns)
    folder = outs / "spatial"
    folder.mkdir(parents=True)
    if name.endswith(".parquet"):
        found[::-1].reset_index().to_parquet(folder / name)
    else:
        found[::-1].to_csv(folder / name, header=not name.endswith("_list.csv"))
    for resolution, size in (("hires", (400, 300)), ("lowres", (120, 90))):
        pixels = rng.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"tissue_{resolution}_image.png")
    factors = {"tissue_hires_scalef": 1 / 3, "tissue_lowres_scalef": 0.1, "spot_diameter_fullres": 20.0}
    (folder / "scalefactors_json.json").write_text(json.dumps(factors))
    return found


def truth_of(counts, barcodes, features, tables=None):
    """Return what a run holds, by pandas and NumPy."""
    types = features.get("feature_type", pd.Series(["Gene Expression"] * len(features)))
    expression = counts[:, (types == "Gene Expression").to_numpy()]
    index = pd.Index(barcodes, name="barcode")
    obs = {}
    for name in ("graphclust", "kmeans_2_clusters") if tables else ():
        clusters = tables[name]["Cluster"].reindex(barcodes)
        labels = [str(one) for one in sorted(tables[name]["Cluster"].unique())]
        texts = [None if np.isnan(one) else str(int(one)) for one in clusters]
        obs[name] = pd.Categorical(texts, categories=labels)
    obs["total_counts"] = expression.sum(axis=1)
    obs["n_genes_by_counts"] = (expression > 0).sum(axis=1)
    obs = pd.DataFrame(obs, index=index)
    if tables:
        embeddings = {name: tables[name].reindex(barcodes).to_numpy() for name in ("umap", "tsne", "pca")}
    else:
        embeddings = {"qc": np.log1p(obs[["total_counts", "n_genes_by_counts"]].to_numpy(float))}
    return Truth(
        obs=obs, embeddings=embeddings, X=counts.astype(np.float32), var_labels=features["id"].tolist(),
        aliases=features["name"].tolist(),
    )  # fmt: skip


def make_tenx(folder, layout):
    """Write one layout; return its path and what it holds."""
    is_old = layout.endswith("before 3")
    barcodes, features = make_names(has_antibodies=not is_old)
    counts = make_counts()[:, : len(features)]
    options = {"version": 2 if is_old else 3}
    if not layout.startswith("outs"):
        named = features[["id", "name"]] if is_old else features
        if layout.startswith("h5"):
            path = write_h5(folder / "filtered_feature_bc_matrix.h5", counts, barcodes, features, **options)
        else:
            path = write_mtx(folder / "filtered_feature_bc_matrix", counts, barcodes, features, **options)
        return path, truth_of(counts, barcodes, named)
    outs = folder / "sample" / "outs"
    outs.mkdir(parents=True)
    if layout == "outs h5":
        write_h5(outs / "filtered_feature_bc_matrix.h5", counts, barcodes, features)
    else:
        is_plain = layout.endswith("plain")
        write_mtx(outs / "filtered_feature_bc_matrix", counts, barcodes, features, is_plain=is_plain)
    return outs, truth_of(counts, barcodes, features, write_analysis(outs, barcodes))
