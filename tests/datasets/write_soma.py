"""Writes the experiments in written/soma.zip, by tiledbsoma, and what they hold in written/soma_truth.npz.

    python3.12 -m venv v && v/bin/pip install tiledbsoma 'anndata<0.13'
    v/bin/python tests/datasets/write_soma.py

whole.soma is what `tiledbsoma.io.from_anndata` makes. gaps.soma has gaps among its joinids, names of the
CELLxGENE Census, a column of every type, a dense X and a dense embedding; strings.soma is indexed by names.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import tiledbsoma
import tiledbsoma.io

HERE = Path(__file__).parent / "written"
N_OBS, N_VAR = 60, 9
TYPES = ["T cell", "B cell", "é <b>"]


def values(rng: np.random.Generator, n_obs: int, n_var: int) -> np.ndarray:
    found = np.where(rng.random((n_obs, n_var)) < 0.3, rng.integers(1, 40, (n_obs, n_var)), 0).astype(np.float32)
    found[:, n_var // 2] = 0
    return found


def whole(path: Path, truth: dict[str, np.ndarray]) -> None:
    rng = np.random.default_rng(1)
    missing = np.arange(N_OBS) % 7 == 3
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical.from_codes(rng.integers(0, 3, N_OBS), categories=TYPES),
            "stage": pd.Categorical.from_codes(
                2 * rng.integers(0, 2, N_OBS), categories=["early", "middle", "late"], ordered=True
            ),
            "donor": pd.Categorical.from_codes(
                np.where(missing, -1, rng.integers(0, 2, N_OBS)), categories=["d2", "d1"]
            ),
            "is_doublet": rng.random(N_OBS) < 0.3,
            "n_genes": rng.integers(0, 5000, N_OBS),
            "score": rng.normal(size=N_OBS),
            "batch": pd.Categorical.from_codes(rng.integers(0, 2, N_OBS), categories=[10, 2]),
            "note": [f"cell no {row}" for row in range(N_OBS)],
        },
        index=pd.Index([f"cell_{row:02}" for row in range(N_OBS)], name="barcode"),
    )
    var = pd.DataFrame(
        {"feature_name": [f"GENE{row}" for row in range(N_VAR)]}, index=[f"ENSG{row:03}" for row in range(N_VAR)]
    )
    x = values(rng, N_OBS, N_VAR)
    adata = anndata.AnnData(sp.csr_matrix(x), obs=obs, var=var)
    adata.obsm["X_umap"] = rng.normal(size=(N_OBS, 2)).astype(np.float32)
    adata.obsm["X_pca"] = rng.normal(size=(N_OBS, 6))
    adata.layers["counts"] = sp.csr_matrix(x * 2)
    adata.uns["cell_type_colors"] = np.array(["#ff0000", "#00ff00", "#0000ff"], dtype=object)
    adata.raw = adata
    tiledbsoma.io.from_anndata(str(path), adata, measurement_name="RNA")
    truth |= {"whole/X": x, "whole/umap": adata.obsm["X_umap"], "whole/pca": adata.obsm["X_pca"]}
    with tiledbsoma.open(str(path)) as made:
        again = tiledbsoma.io.to_anndata(made, measurement_name="RNA")
    np.testing.assert_array_equal(again.X.toarray(), x)
    store_frame("whole", obs, truth)


def store_frame(name: str, frame: pd.DataFrame, truth: dict[str, np.ndarray]) -> None:
    """Keep a DataFrame as arrays, without pickles."""
    about = {"index": frame.index.name, "columns": {}}
    truth[f"{name}/obs/index"] = np.array(frame.index.tolist())
    for column in frame:
        series = frame[column]
        if isinstance(series.dtype, pd.CategoricalDtype):
            truth[f"{name}/obs/{column}"] = series.cat.codes.to_numpy()
            about["columns"][column] = {
                "categories": series.cat.categories.tolist(),
                "ordered": bool(series.cat.ordered),
            }
        else:
            plain = series.tolist() if series.dtype == object or series.dtype.kind not in "biuf" else series.to_numpy()
            truth[f"{name}/obs/{column}"] = np.array(plain)
            about["columns"][column] = {}
    truth[f"{name}/obs"] = np.array(json.dumps(about))


def categories(codes: np.ndarray, labels: pa.Array, *, ordered: bool = False) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, type=pa.int8()), labels, ordered=ordered)


def write_in_pieces(path: Path, table: pa.Table) -> None:
    """Write the second half first. Categories that are not written in a session of their own are lost by 2.3.0."""
    labels = {name: table[name].chunk(0).dictionary for name in ("cell_type", "level", "yes")}
    labels["cell_type"] = labels["cell_type"].cast(pa.large_string())
    with tiledbsoma.open(str(path), "w") as frame:
        frame.extend_enumeration_values(labels)
    with tiledbsoma.open(str(path), "w") as frame:
        frame.write(table.slice(N_OBS // 2))
        frame.write(table.slice(0, N_OBS // 2))


def gaps(path: Path, truth: dict[str, np.ndarray]) -> None:
    """Rows 3, 5, 8, ... of joinids, written in two pieces of which the second lies before the first."""
    rng = np.random.default_rng(2)
    obs_ids = np.sort(rng.choice(200, N_OBS, replace=False)).astype(np.int64) + 3
    var_ids = np.array([1, 2, 4, 7, 8, 9, 11, 12, 20], dtype=np.int64)
    numbers = {f"int{bits}": rng.integers(0, 100, N_OBS).astype(f"int{bits}") for bits in (8, 16, 32, 64)}
    arrow = {name: pa.array(one) for name, one in numbers.items()}
    floats = {"float32": rng.normal(size=N_OBS).astype(np.float32), "float64": rng.normal(size=N_OBS)}
    days = np.datetime64("2020-02-28") + np.arange(N_OBS)
    texts = np.array([f"id {row} é" for row in range(N_OBS)])
    codes = rng.integers(0, 3, N_OBS)
    missing = np.arange(N_OBS) % 9 == 4
    table = pa.table(
        {
            "soma_joinid": obs_ids,
            "observation_joinid": pa.array([f"={row:03}" for row in range(N_OBS)], type=pa.large_string()),
            **arrow,
            **{name: pa.array(one) for name, one in floats.items()},
            "text": pa.array(texts.tolist(), type=pa.string()),
            "with_null": pa.array(np.where(missing, None, texts).tolist(), type=pa.large_string()),
            "flag": pa.array((codes == 1).tolist(), type=pa.bool_()),
            **{f"time_{unit}": pa.array(days.astype(f"M8[{unit}]")) for unit in ("s", "ms", "us", "ns")},
            "raw_bytes": pa.array([b"\x00\x01"] * N_OBS, type=pa.large_binary()),
            "cell_type": categories(codes, pa.array(TYPES)),
            "level": categories(codes, pa.array([3, 1, 2], type=pa.int64()), ordered=True),
            "yes": categories(codes % 2, pa.array([False, True])),
        }
    )
    x = values(rng, N_OBS, len(var_ids))
    umap = rng.normal(size=(N_OBS, 2)).astype(np.float32)
    dense = rng.normal(size=(N_OBS, 3)).astype(np.float32)
    with tiledbsoma.Experiment.create(str(path)) as made:
        made.add_new_dataframe("obs", schema=table.schema, domain=[(0, 299)])
        rna = made.add_new_collection("ms").add_new_collection("census", tiledbsoma.Measurement)
        var = pa.table(
            {
                "soma_joinid": var_ids,
                "feature_id": pa.array([f"ENSG{row:03}" for row in range(N_VAR)], type=pa.large_string()),
                "feature_name": pa.array([f"GENE{row}" for row in range(N_VAR)], type=pa.large_string()),
                **{f"uint{bits}": pa.array(np.arange(N_VAR).astype(f"uint{bits}")) for bits in (8, 16, 32, 64)},
                "uint32_null": pa.array([None, *range(1, N_VAR)], type=pa.uint32()),
                "bool_null": pa.array([None, *(row % 2 == 0 for row in range(1, N_VAR))]),
                "float_null": pa.array([None, *range(1, N_VAR)], type=pa.float32()),
            }
        )
        rna.add_new_dataframe("var", schema=var.schema, domain=[(0, 29)]).write(var)
        layers = rna.add_new_collection("X", tiledbsoma.Collection)
        row, column = np.nonzero(x)
        coo = pa.table({"soma_dim_0": obs_ids[row], "soma_dim_1": var_ids[column], "soma_data": x[row, column]})
        layers.add_new_sparse_ndarray("raw", type=pa.float32(), shape=(300, 30)).write(coo)
        filled = np.zeros((300, 30), dtype=np.float32)
        filled[np.ix_(obs_ids, var_ids)] = x + 0.5
        layers.add_new_dense_ndarray("normalized", type=pa.float32(), shape=(300, 30)).write(
            (slice(0, 299), slice(0, 29)), pa.Tensor.from_numpy(filled)
        )
        obsm = rna.add_new_collection("obsm", tiledbsoma.Collection)
        listed = np.repeat(obs_ids[1:], 2), np.tile([0, 1], N_OBS - 1)
        coo = pa.table({"soma_dim_0": listed[0], "soma_dim_1": listed[1], "soma_data": umap[1:].ravel()})
        obsm.add_new_sparse_ndarray("X_umap", type=pa.float32(), shape=(300, 2)).write(coo)
        filled = np.full((300, 3), 7, dtype=np.float32)
        filled[obs_ids] = dense
        obsm.add_new_dense_ndarray("scvi", type=pa.float32(), shape=(300, 3)).write(
            (slice(0, 299), slice(0, 2)), pa.Tensor.from_numpy(filled)
        )
        made.add_new_collection("spatial")
    write_in_pieces(path / "obs", table)
    umap[0] = np.nan
    read = {name: np.array(one) for name, one in numbers.items()} | floats
    plain = pd.DataFrame(
        {
            "soma_joinid": obs_ids, **read, "text": texts, "with_null": np.where(missing, None, texts),
            "flag": codes == 1,
            **{f"time_{unit}": days.astype(str) for unit in ("s", "ms", "us", "ns")},
            "cell_type": pd.Categorical.from_codes(codes, TYPES),
            "level": pd.Categorical.from_codes(codes, [3, 1, 2], ordered=True),
            "yes": pd.Categorical.from_codes(codes % 2, [False, True]),
        },
        index=pd.Index([f"={row:03}" for row in range(N_OBS)], name="observation_joinid"),
    )  # fmt: skip
    store_frame("gaps", plain.drop(columns="with_null"), truth)
    truth |= {"gaps/X": x, "gaps/umap": umap, "gaps/scvi": dense, "gaps/with_null": missing}
    truth["gaps/var"] = var_ids


def strings(path: Path, truth: dict[str, np.ndarray]) -> None:
    """An obs whose rows lie by name, not by joinid."""
    rng = np.random.default_rng(3)
    names = np.array([f"{name:02x}" for name in rng.permutation(N_OBS)])
    table = pa.table(
        {
            "soma_joinid": np.arange(N_OBS),
            "barcode": pa.array(names.tolist(), type=pa.large_string()),
            "n": pa.array(np.arange(N_OBS) * 3),
            "text": pa.array([f"é{row}" for row in range(N_OBS)], type=pa.large_string()),
        }
    )
    x = values(rng, N_OBS, 2)
    with tiledbsoma.Experiment.create(str(path)) as made:
        frame = made.add_new_dataframe("obs", schema=table.schema, index_column_names=["barcode"], domain=[None])
        frame.write(table)
        rna = made.add_new_collection("ms").add_new_collection("RNA", tiledbsoma.Measurement)
        var = pa.table({"soma_joinid": np.arange(2), "var_id": pa.array(["a", "b"], type=pa.large_string())})
        rna.add_new_dataframe("var", schema=var.schema, domain=[(0, 1)]).write(var)
        row, column = np.nonzero(x)
        coo = pa.table({"soma_dim_0": row, "soma_dim_1": column, "soma_data": x[row, column]})
        layers = rna.add_new_collection("X", tiledbsoma.Collection)
        layers.add_new_sparse_ndarray("data", type=pa.float32(), shape=(N_OBS, 2)).write(coo)
    truth |= {"strings/X": x, "strings/names": names}


def collection(path: Path) -> None:
    """A collection that is no experiment, with one in it, as the Census has it."""
    with tiledbsoma.Collection.create(str(path)) as made:
        data = made.add_new_collection("census_data", tiledbsoma.Collection)
        data.add_new_collection("homo_sapiens", tiledbsoma.Experiment)
        made.add_new_collection("census_info", tiledbsoma.Collection)


def write(folder: Path) -> None:
    """Write the experiments into a folder, and what they hold into its truth.npz."""
    truth: dict[str, np.ndarray] = {}
    if not anndata.__version__.startswith("0.13"):  # of which 2.3.0 cannot take the layers
        whole(folder / "whole.soma", truth)
    gaps(folder / "gaps.soma", truth)
    strings(folder / "strings.soma", truth)
    collection(folder / "census.soma")
    np.savez_compressed(folder / "truth.npz", **truth)


def main() -> None:
    """Write into the folder that is named, or keep what is written beside the tests."""
    if sys.argv[1:]:
        write(Path(sys.argv[1]))
        return
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        write(Path(scratch))
        shutil.move(Path(scratch) / "truth.npz", HERE / "soma_truth.npz")
        with zipfile.ZipFile(HERE / "soma.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for one in sorted(Path(scratch).rglob("*")):
                packed.write(one, one.relative_to(scratch))


if __name__ == "__main__":
    main()
