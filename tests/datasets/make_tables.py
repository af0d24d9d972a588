"""One table of cells as every kind of frame and file, written by pandas, polars and pyarrow, and what it holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather

from cxg_widget.testing import Truth

N = 40
GENES = ["gene_CD3E", "gene_NKG7", "gene_LYZ"]


def make_frame(n: int = N) -> pd.DataFrame:
    """Return cells with two embeddings, columns of every kind and three genes; one cell has no place."""
    rng = np.random.default_rng(7)
    umap = rng.normal(size=(n, 2)).astype(np.float32)
    umap[3] = np.nan
    frame = pd.DataFrame(
        {
            "cell_type": pd.Categorical(
                rng.choice(["T cell", "B cell"], n), categories=["NK cell", "T cell", "B cell"], ordered=True
            ),
            "n_counts": rng.integers(0, 9000, n),
            "sample": pd.Series(rng.choice(["s2", "s1", "näs <b>"], n), dtype="str"),
            "score": rng.normal(size=n),
            "is_doublet": rng.random(n) < 0.5,
            "collected": pd.Series(pd.date_range("2024-01-30", periods=n, freq="36h")),
            "UMAP_1": umap[:, 0],
            "UMAP_2": umap[:, 1],
            **{f"PC{axis}": rng.normal(size=n) for axis in (1, 2, 3)},
            **{gene: np.where(rng.random(n) < 0.6, 0, rng.random(n) * 9) for gene in GENES},
        }
    )
    frame.loc[1, "cell_type"] = None
    return frame


def truth_of(frame: pd.DataFrame, genes: list[str], aliases: list[str]) -> Truth:
    """Return what a dataset of `make_frame` holds, by pandas alone."""
    obs = frame.drop(columns=genes)
    obs["collected"] = obs["collected"].astype(str).str.removesuffix(" 00:00:00").astype("str")
    embeddings = {"UMAP": frame[["UMAP_1", "UMAP_2"]].to_numpy(), "PC": frame[["PC1", "PC2", "PC3"]].to_numpy()}
    return Truth(obs=obs, embeddings=embeddings, X=frame[genes].to_numpy(), var_labels=genes, aliases=aliases)


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose rows have names."""
    return frame.set_index(pd.Index([f"cell {row}" for row in range(len(frame))], name="barcode", dtype="str"))


def _of_polars(frame):
    categories = pl.Enum(frame["cell_type"].cat.categories.tolist())
    return pl.from_pandas(frame).with_columns(pl.col("cell_type").cast(categories))


def to_polars(frame, path):
    return pl.concat([_of_polars(frame[:11]), _of_polars(frame[11:])], rechunk=False)


def to_dict(frame, path):
    return {name: frame[name].array if name == "cell_type" else frame[name].to_numpy() for name in frame}


def to_parquet(frame, path):
    frame.to_parquet(path / "cells.parquet", row_group_size=13)
    return path / "cells.parquet"


def to_parquet_by_polars(frame, path):
    _of_polars(frame).write_parquet(path / "by_polars.parquet", row_group_size=13)
    return path / "by_polars.parquet"


def to_feather(frame, path):
    frame.to_feather(path / "cells.feather")  # which pandas compresses
    return path / "cells.feather"


def to_arrow(frame, path):
    _of_polars(frame).write_ipc(path / "cells.arrow")  # which polars does not
    return path / "cells.arrow"


def to_table(frame, path):
    return pa.Table.from_pandas(frame)


MAKE = {
    "pandas": lambda frame, path: frame,
    "polars": to_polars,
    "pyarrow": to_table,
    "dict": to_dict,
    "parquet": to_parquet,
    "parquet by polars": to_parquet_by_polars,
    "feather": to_feather,
    "arrow": to_arrow,
}
NAMED = ("pandas", "pyarrow", "parquet", "feather")
"""What carries the index of pandas."""
