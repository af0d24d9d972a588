"""The experiments that tiledbsoma wrote (write_soma.py), and what it was given to write."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from cxg_widget.testing import Truth

WRITTEN = Path(__file__).parent / "written"


def unpack(folder: Path) -> Path:
    """Unpack the experiments into a folder: whole.soma, gaps.soma, strings.soma and the collection census.soma."""
    with zipfile.ZipFile(WRITTEN / "soma.zip") as packed:
        packed.extractall(folder)
    return folder


@cache
def arrays(file: Path = WRITTEN / "soma_truth.npz") -> dict[str, np.ndarray]:
    with np.load(file) as stored:
        return dict(stored)


def frame(name: str) -> pd.DataFrame:
    """Return obs as it was given to tiledbsoma."""
    about = json.loads(str(arrays()[f"{name}/obs"]))
    found = {}
    for column, one in about["columns"].items():
        values = arrays()[f"{name}/obs/{column}"]
        if "categories" in one:
            found[column] = pd.Categorical.from_codes(values, one["categories"], ordered=one["ordered"])
        else:
            found[column] = pd.array(values.astype(object), dtype="str") if values.dtype.kind == "U" else values
    labels = pd.array(arrays()[f"{name}/obs/index"].astype(object), dtype="str")
    return pd.DataFrame(found, index=pd.Index(labels, name=about["index"]))


def truth_of(name: str) -> Truth:
    obs, found = frame(name), arrays()
    if name == "whole":
        obs["soma_joinid"] = np.arange(len(obs))
        embeddings = {"pca": found["whole/pca"], "umap": found["whole/umap"]}
    else:
        obs["soma_joinid"] = obs.pop("soma_joinid")
        text = obs["text"].astype(object).where(~found["gaps/with_null"], None)
        place = list(obs.columns).index("text") + 1
        obs.insert(place, "with_null", pd.array(text.tolist(), dtype="str"))
        embeddings = {"umap": found["gaps/umap"], "scvi": found["gaps/scvi"]}
    labels = [f"ENSG{row:03}" for row in range(9)]
    x = found[f"{name}/X"]
    return Truth(obs=obs, embeddings=embeddings, X=x, var_labels=labels, aliases=[f"GENE{row}" for row in range(9)])
