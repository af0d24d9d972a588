"""The contract over MuData as the package mudata has written it, in files and in memory."""

from __future__ import annotations

import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from cxg_widget.testing import DatasetTests, Truth

WRITTEN = Path(__file__).parent / "written"
VARIANTS = ["0.3 csr.h5mu", "0.3 csr.zarr", "0.4 csr.h5mu", "0.4 csr.zarr", "0.4 csc.h5mu", "memory"]


def truth_of(stored):
    """What mudata says that it has written: tables, embeddings, and matrices over all cells by its own map."""
    columns = {}
    for name in (one.removeprefix("obs ") for one in stored if one.startswith("obs ")):
        values = stored[f"obs {name}"]
        missing = stored.get(f"missing {name}", np.zeros(len(values), dtype=bool))
        is_text = values.dtype.kind == "U"
        columns[name] = np.where(missing, None, values.astype(object)) if is_text else values
    obs = pd.DataFrame(columns, index=pd.Index(stored["obs_names"].tolist(), dtype="str"))
    obs["donor"] = pd.Categorical(obs["donor"])
    obs["rna:cell_type"] = pd.Categorical(obs["rna:cell_type"], ["T cell", "B cell", "NK cell"])
    kept = obs["rna:kept"].map({"True": True, "False": False})
    obs["rna:kept"] = kept.astype(bool) if kept.notna().all() else pd.Categorical(kept, [False, True])
    obs["rna:note"] = obs["rna:note"].astype("str").where(obs["rna:note"].notna())
    if not np.isnan(obs["rna:n_genes"]).any():
        obs["rna:n_genes"] = obs["rna:n_genes"].astype(np.int64)
    names = stored["var_names"].tolist()
    labels = [f"{modality}:{name}" for modality, name in zip(stored["modality"], names, strict=True)]
    aliases = [label if names.count(name) > 1 else name for label, name in zip(labels, names, strict=True)]
    embeddings = {name.removeprefix("emb "): stored[name] for name in stored if name.startswith("emb ")}
    return Truth(obs=obs, embeddings=embeddings, X=stored["X"].astype(np.float32), var_labels=labels, aliases=aliases)


def unpacked(folder, variant):
    """Return the path of a file that mudata wrote, and what it says it holds."""
    version, name = variant.split()
    with zipfile.ZipFile(WRITTEN / f"mudata_{version}.zip") as archive:
        archive.extractall(folder, [one for one in archive.namelist() if one.startswith(name.rpartition(".")[0])])
    stored = folder / f"{name.partition('.')[0]}.npz"
    return folder / name, dict(np.load(stored)) if stored.exists() else {}


def in_memory(stored):
    """Return an object with the attributes of MuData, made of what a file holds."""
    truth, parts, maps = truth_of(stored), {}, {}
    for modality in ("rna", "adt"):
        mine = [number for number, one in enumerate(stored["modality"]) if one == modality]
        has = np.flatnonzero(~np.isnan(truth.X[:, mine[0]]))[::-1]  # in another order than that of all
        maps[modality] = np.zeros(len(truth.obs), dtype=np.uint32)
        maps[modality][has] = np.arange(len(has)) + 1
        own = [name for name in truth.obs if name.startswith(f"{modality}:")]
        obs = truth.obs.iloc[has][own].rename(columns=lambda name: name.partition(":")[2])
        if modality == "rna":
            obs["n_genes"] = obs["n_genes"].astype(np.int64)
            obs["kept"] = obs["kept"].astype(bool)
        prefix = f"{modality}:"
        X = truth.X[np.ix_(has, mine)]
        parts[modality] = SimpleNamespace(
            obs=obs,
            var=pd.DataFrame(index=[truth.var_labels[number].partition(":")[2] for number in mine]),
            X=csr_matrix(X) if modality == "rna" else X,
            obsm={
                f"X_{name.removeprefix(prefix)}": values[has]
                for name, values in truth.embeddings.items()
                if name.startswith(prefix)
            },
            layers={}, raw=None, uns={}, n_obs=len(has), shape=X.shape,
        )  # fmt: skip
    joint, which = [name for name in truth.obs if ":" not in name], stored["modality"]
    return SimpleNamespace(
        obs=truth.obs[joint], var=pd.DataFrame({"weight": stored["weight"]}, index=stored["var_names"].tolist()),
        obsm={"X_mofa": truth.embeddings["mofa"], "rna": maps["rna"] > 0, "adt": maps["adt"] > 0}, mod=parts,
        obsmap=maps, varmap={name: np.cumsum(which == name) * (which == name) for name in parts},
        uns={}, axis=0, n_obs=len(truth.obs),
    )  # fmt: skip


@pytest.fixture(scope="module", params=VARIANTS)
def store(request, tmp_path_factory):
    is_object = request.param == "memory"
    path, stored = unpacked(tmp_path_factory.mktemp("mudata"), "0.4 csr.h5mu" if is_object else request.param)
    return (in_memory(stored) if is_object else path), truth_of(stored), stored


class TestMuData(DatasetTests):
    def test_layers_are_those_of_each_modality_with_its_vars(self, dataset, store):
        for name in (one for one in store[2] if one.startswith("layer ")):
            layer = name.removeprefix("layer ")
            if layer in dataset.layers:
                for position, label in enumerate(dataset.names_in(layer).var_labels):
                    np.testing.assert_array_equal(dataset.values(label, layer), store[2][name][:, position])
            assert layer in dataset.layers or not isinstance(store[0], Path)
        assert {"rna:X", "adt:X"} <= set(dataset.layers)

    def test_notes_count_the_cells_that_a_modality_lacks(self, dataset, truth):
        lacking = {
            modality: int(np.isnan(truth.X[:, truth.var_labels.index(label)]).sum())
            for modality, label in (("rna", "rna:CD3E"), ("adt", "adt:CD3"))
        }
        expected = [f"{name} lacks {n} of {len(truth.obs)} cells: its genes" for name, n in lacking.items() if n]
        assert len(dataset.notes) == len(expected)
        assert all(note.startswith(one) for note, one in zip(dataset.notes, expected, strict=True))
