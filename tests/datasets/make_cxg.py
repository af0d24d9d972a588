"""Write small CXGs of every version and layout with plain TileDB, together with the truth they hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tiledb

VERSIONS = ("0.0", "0.1", "0.2.0", "0.3.0")
LAYOUTS = ("columns", "sparse", "dense")
ODD_NAME = 'a/b "c".d é'
LABELS = ["T cell", "B cell", "nan", "NK/T, γδ", "unknown"]
MANY = [f"cluster {number}" for number in np.random.default_rng(7).permutation(1101)]


@dataclass
class Truth:
    """What a store must return, made by numpy and pandas alone."""

    X: np.ndarray
    obs: pd.DataFrame
    var_labels: list[str]
    aliases: list[str]
    embeddings: dict[str, np.ndarray]
    colors: dict[str, dict[str, str]] = field(default_factory=dict)
    title: str = "a title"


def make_truth(n_obs: int = 40, n_var: int = 9, seed: int = 0) -> Truth:
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, 2.0, (n_obs, n_var)).astype(np.float32)
    X[rng.random((n_obs, n_var)) < 0.6] = 0
    X[:, n_var // 2] = 0
    X[5, 1] = np.nan
    cell_type = rng.integers(-1, len(LABELS), n_obs)
    many = rng.integers(0, len(MANY), n_obs)
    kept = [label for label in LABELS if label != "nan"]
    score = rng.normal(size=n_obs).astype(np.float32)
    score[[2, 9]] = np.nan
    size = rng.choice(np.array([300, 20, 1], dtype=np.int32), n_obs)
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(
                [LABELS[code] if code >= 0 and LABELS[code] != "nan" else None for code in cell_type], categories=kept
            ),
            "many": pd.Categorical([MANY[code] for code in many], categories=MANY),
            "size": pd.Categorical(size.astype(np.int64), categories=[1, 20, 300]),
            "n_genes": rng.integers(0, 5000, n_obs).astype(np.int32),
            "barcode_hash": rng.integers(2**40, 2**50, n_obs).astype(np.int64),
            "score": score,
            "is_primary": np.ones(n_obs, dtype=bool),
            "is_doublet": rng.random(n_obs) < 0.3,
            "donor": [f"d{number % 3} ü" for number in range(n_obs)],
            ODD_NAME: rng.normal(size=n_obs),
        },
        index=pd.Index([f"cell {number}" for number in range(n_obs)], name="name_0"),
    )
    umap = rng.normal(size=(n_obs, 2)).astype(np.float32)
    umap[4] = np.nan, np.inf
    embeddings = {
        "pca": rng.normal(size=(n_obs, 50)),
        "spatial": rng.integers(0, 10_000, (n_obs, 2)),
        "umap": umap,
    }
    var_labels = [f"ENSG{number:04d}" for number in range(n_var)]
    colors = {"cell_type": {"T cell": "#1f77b4", "B cell": "#ff6347"}}
    return Truth(X, obs, var_labels, [f"GENE{number}" for number in range(n_var)], embeddings, colors)


def make_cxg(path: Path, truth: Truth, layout: str = "columns", version: str = "0.3.0", **options: Any) -> Path:
    """Write one store.

    Options: shift (n_var,) stored as X_col_shift; parts, names of what to write at the root; hints, a replacement for
    the hints of obs; shuffled, whether cells of a var are stored out of order; and the metadata `properties`,
    `corpora`, `colors`, `genesets` (written as they are; a str or bytes goes in unchanged).
    """
    parts = options.get("parts", ("obs", "var", "emb", "X"))
    tiledb.group_create(str(path))
    if "obs" in parts:
        columns, hints = obs_columns(truth, as_codes=version == "0.3.0", first=version == "0.0")
        write_annotations(path / "obs", columns, options.get("hints", hints), {"genesets": options.get("genesets")})
    if "var" in parts:
        write_annotations(
            path / "var",
            {"name_0": as_objects(truth.var_labels), "feature_name": as_objects(truth.aliases)},
            {"name_0": {"type": "string"}, "feature_name": {"type": "string"}, "index": "name_0"},
        )
    if "emb" in parts:
        tiledb.group_create(str(path / "emb"))
        for name, values in truth.embeddings.items():
            write_dense(path / "emb" / name, values)
    if "X" in parts:
        write_matrix(path, truth.X, layout, options.get("shift"), shuffled=options.get("shuffled", True))
    if version != "0.0":
        corpora = {"schema_version": "3.1.0", "title": truth.title, "default_embedding": "X_umap"}
        write_one(
            path / "cxg_group_metadata",
            {
                "cxg_version": options.get("named", version),
                "cxg_properties": options.get("properties", {"title": "small", "about": None}),
                "cxg_category_colors": options.get("colors", truth.colors),
                "corpora": options.get("corpora", corpora),
            },
        )
    return path


def obs_columns(truth: Truth, *, as_codes: bool, first: bool) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the stored obs columns and their hints: codes since 0.3.0, labels before, and in 0.0 as "string"."""
    columns: dict[str, np.ndarray] = {"name_0": as_objects(truth.obs.index)}
    hints: dict[str, Any] = {"name_0": {"type": "string"}, "index": "name_0"}
    for name in truth.obs.columns:
        series = truth.obs[name]
        if name in ("cell_type", "many"):
            listed = LABELS if name == "cell_type" else MANY
            labels = [*series.cat.categories, "nan"]
            labels = [labels[code] for code in series.cat.codes]  # pandas takes twenty times as long to unpack them
            columns[name] = as_objects(labels)
            if as_codes:
                places = {label: code for code, label in enumerate(listed)}
                codes = [places[label] for label in labels]
                missing = [code for code, label in enumerate(labels) if label == "nan"]
                columns[name] = np.array(codes, dtype=np.int8 if name == "cell_type" else np.int16)
                columns[name][missing[::2]] = -1
            hints[name] = {"type": "string" if first else "categorical", "categories": listed}
        elif name == "size":
            columns[name], hints[name] = series.to_numpy().astype(np.int32), {"type": "categorical"}
        elif series.dtype == bool:
            columns[name], hints[name] = series.to_numpy().astype(np.uint8), {"type": "boolean"}
        elif name == "donor":
            columns[name], hints[name] = as_objects(series), {"type": "string"}
        else:
            columns[name] = series.to_numpy()
            if not first:
                hints[name] = {"type": str(series.dtype)}
    return columns, hints


def as_objects(values: Any) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = [value if isinstance(value, bytes) else str(value) for value in values]
    return out


def write_annotations(
    path: Path, columns: Mapping[str, np.ndarray], hints: Any, meta: Mapping[str, Any] | None = None
) -> None:
    n = len(next(iter(columns.values())))
    domain = tiledb.Domain(tiledb.Dim("", domain=(0, n - 1), tile=min(n, 1000), dtype=np.uint32))
    attrs = [attr_of(name, values) for name, values in columns.items()]
    tiledb.Array.create(str(path), tiledb.ArraySchema(domain, attrs))
    with tiledb.open(str(path), "w") as array:
        array[:] = dict(columns)
    write_meta(path, {"cxg_schema": hints, **(meta or {})})


def attr_of(name: str, values: np.ndarray) -> tiledb.Attr:
    filters = tiledb.FilterList([tiledb.ZstdFilter()])
    if values.dtype == object:
        return tiledb.Attr(name, dtype="S" if isinstance(values[0], bytes) else "U", var=True, filters=filters)
    return tiledb.Attr(name, dtype=values.dtype, filters=filters)


def write_meta(path: Path, meta: Mapping[str, Any]) -> None:
    """Write metadata; what is neither None, str, bytes nor a number is written as JSON."""
    with tiledb.open(str(path), "w") as array:
        for key, value in meta.items():
            if value is not None:
                array.meta[key] = value if isinstance(value, str | bytes | int | float) else json.dumps(value)


def write_one(path: Path, meta: Mapping[str, Any]) -> None:
    """Write the array of one element that holds metadata, as CXG does for the group and for uns."""
    tiledb.from_numpy(str(path), np.zeros((1,)))
    write_meta(path, meta)


def write_dense(path: Path, values: np.ndarray, tile: int = 1000) -> None:
    names = ["obs", "var"][: values.ndim]
    dims = [
        tiledb.Dim(name, domain=(0, length - 1), tile=min(length, tile), dtype=np.uint32)
        for name, length in zip(names, values.shape, strict=True)
    ]
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims), [tiledb.Attr("", dtype=values.dtype)]))
    with tiledb.open(str(path), "w") as array:
        array[:] = values


def write_matrix(
    path: Path, X: np.ndarray, layout: str, shift: np.ndarray | None = None, *, shuffled: bool = True
) -> None:
    """Write X; with a shift, `X - shift` is written, and its zeros are left out."""
    stored = X if shift is None else (X - shift).astype(np.float32)
    if shift is not None:
        write_dense(path / "X_col_shift", np.asarray(shift, dtype=np.float32))
    if layout == "dense":
        write_dense(path / "X", stored, tile=16)
        return
    obs, var = np.nonzero(stored)
    if shuffled:
        order = np.random.default_rng(1).permutation(len(obs))
        obs, var = obs[order], var[order]
    cells = stored[obs, var]
    if layout == "sparse":
        create_sparse(path / "X", {"obs": X.shape[0], "var": X.shape[1]}, {"": np.float32})
        write_cells(path / "X", (obs, var), {"": cells})
        return
    for name, dim, other, lengths in (("Xr", obs, var, X.shape), ("Xc", var, obs, X.shape[::-1])):
        along, across = ("obs", "var") if name == "Xr" else ("var", "obs")
        create_sparse(path / name, {along: lengths[0]}, {"": np.float32, across: np.uint32})
        write_cells(path / name, (dim,), {"": cells, across: other.astype(np.uint32)})


def create_sparse(path: Path, dims: Mapping[str, int], attrs: Mapping[str, Any]) -> None:
    domain = tiledb.Domain(
        *(tiledb.Dim(name, domain=(0, n - 1), tile=min(n, 256), dtype=np.uint32) for name, n in dims.items())
    )
    described = [tiledb.Attr(name, dtype=dtype) for name, dtype in attrs.items()]
    tiledb.Array.create(
        str(path), tiledb.ArraySchema(domain, described, sparse=True, allows_duplicates=True, capacity=64)
    )


def write_cells(path: Path, coords: tuple[np.ndarray, ...], values: Mapping[str, np.ndarray]) -> None:
    with tiledb.open(str(path), "w") as array:
        array[tuple(dim.astype(np.uint32) for dim in coords)] = dict(values)
