"""Atlases are what the package homeobox answers about them; run where it is installed (Python 3.12 or newer).

homeobox runs in a process of its own: its codec and that of the writer here go by the same name.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.atlas.bitpacking import unpack
from tests.datasets.make_atlas import make_atlas, make_truth

pytestmark = pytest.mark.skipif(
    find_spec("homeobox") is None, reason="homeobox is compared where it is installed: pip install homeobox"
)

ASK = """
import sys, pandas as pd, numpy as np
from homeobox.atlas import RaggedAtlas
path, out, *genes = sys.argv[1:]
atlas = RaggedAtlas.checkout_latest(path)
columns = ["uid", "dataset_uid", "n_genes", "score", "is_doublet", "donor", "cell_type", "X_umap"]
atlas.obs_table.search().select(columns).to_polars().to_pandas().to_pickle(out + ".obs")
answers = {}
for gene in genes:
    found = atlas.query().select(["uid"]).features([gene], "gene_expression").to_anndata()
    answers[gene] = pd.Series(found.X.toarray().ravel(), index=found.obs.index)
pd.DataFrame(answers).to_pickle(out + ".X")
"""


@pytest.fixture(scope="module", params=["csr", "bitpacked", "csc", "mixed"])
def answers(request, tmp_path_factory):
    truth = make_truth()
    folder = tmp_path_factory.mktemp("atlas")
    path = make_atlas(folder / "atlas", truth, request.param)
    command = [sys.executable, "-c", ASK, str(path), str(folder / "answer"), *truth.var_labels]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return path, pd.read_pickle(folder / "answer.obs"), pd.read_pickle(folder / "answer.X")


@pytest.fixture(scope="module")
def dataset(answers):
    with open_dataset(answers[0]) as dataset:
        yield dataset


def test_every_gene_is_what_homeobox_finds_and_missing_where_it_fills_0(dataset, answers):
    theirs = answers[2]
    assert theirs.columns.tolist() == list(dataset.var_labels)
    rows = dataset.obs([]).index.get_indexer(theirs.index)
    assert (rows >= 0).all()
    assert len(rows) == dataset.obs()["dataset_uid"].ne("none").sum()
    for name in theirs.columns:
        ours = dataset.values(name)
        np.testing.assert_array_equal(np.nan_to_num(ours[rows]), theirs[name].to_numpy())
        assert np.isnan(np.delete(ours, rows)).all()
        assert (theirs[name].to_numpy()[np.isnan(ours[rows])] == 0).all()


def test_obs_is_what_homeobox_reads(dataset, answers):
    theirs = answers[1].set_index("uid")
    ours = dataset.obs().loc[theirs.index]
    assert len(ours) == dataset.n_obs == len(theirs)
    for name in ("dataset_uid", "n_genes", "score", "is_doublet", "donor", "cell_type"):
        assert ours[name].isna().tolist() == theirs[name].isna().tolist()
        assert ours[name].dropna().tolist() == theirs[name].dropna().tolist()


def test_the_vector_column_is_the_embedding(dataset, answers):
    theirs = answers[1].set_index("uid")["X_umap"]
    rows = dataset.obs([]).index.get_indexer(theirs.index)
    for row, vector in zip(rows, theirs, strict=True):
        expected = [np.nan, np.nan] if vector is None else vector
        np.testing.assert_array_equal(dataset.embedding("umap")[row], np.asarray(expected, np.float32))


WRITE = """
import sys
import anndata, numpy as np, pandas as pd, polars as pl, scipy.sparse as sp
import homeobox as hox
from lancedb.pydantic import Vector

path, given = sys.argv[1:]
given = np.load(given, allow_pickle=False)

class Gene(hox.FeatureBaseSchema):
    gene_symbol: str = hox.StableUIDField.declare(default=...)

class Cell(hox.HoxBaseSchema):
    donor: str | None
    depth: float
    is_doublet: bool
    X_umap: Vector(2)
    gene_expression: hox.SparseZarrPointer | None = hox.PointerField.declare(feature_space="gene_expression")

atlas = hox.create_or_open_atlas(
    atlas_path=path, obs_schemas={"cells": Cell}, dataset_table_name="datasets", dataset_schema=hox.DatasetSchema,
    registry_schemas={"gene_expression": Gene},
)
for name in ("one", "two"):
    genes = given[name + ".genes"].tolist()
    var = pd.DataFrame({"gene_symbol": genes}, index=genes)
    Gene.compute_stable_uids(var)
    atlas.register_features("gene_expression", pl.from_pandas(var))
    donor = [one or None for one in given[name + ".donor"].tolist()]
    obs = pd.DataFrame({
        "donor": donor, "depth": given[name + ".depth"], "is_doublet": given[name + ".is_doublet"],
        "X_umap": list(given[name + ".xy"]),
    }, index=[f"{name}{i}" for i in range(len(donor))])
    adata = anndata.AnnData(sp.csr_matrix(given[name + ".X"]), obs, var)
    record = hox.DatasetSchema(zarr_group=name, feature_space="gene_expression", n_rows=adata.n_obs)
    hox.add_from_anndata(
        atlas, adata, field_name="gene_expression", zarr_layer="counts", dataset_record=record,
        chunk_shape=(256,), shard_shape=(1024,),
    )
hox.add_csc(atlas, "two", "gene_expression")
atlas.optimize()
atlas.snapshot()
"""


def given_to_homeobox(seed: int = 0) -> dict[str, np.ndarray]:
    """Two datasets that share some genes; counts up to 2**32 - 1, and genes that nobody has."""
    rng = np.random.default_rng(seed)
    given = {}
    for name, n_obs, genes in (("one", 300, range(20)), ("two", 130, range(27, 12, -1))):
        shape = n_obs, len(genes)
        counts = rng.geometric(0.01, shape) * (rng.random(shape) < 0.3)
        counts[:, 4] = 0
        counts[7, 2] = 2**32 - 1
        given |= {
            f"{name}.X": counts.astype(np.uint32), f"{name}.genes": np.array([f"G{i}" for i in genes]),
            f"{name}.donor": rng.choice(["d1", "dü 2", ""], n_obs), f"{name}.depth": rng.normal(size=n_obs),
            f"{name}.is_doublet": rng.random(n_obs) < 0.2, f"{name}.xy": rng.normal(size=(n_obs, 2)).astype(np.float32),
        }  # fmt: skip
    return given


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """An atlas that homeobox wrote, as a dataset, and what it was given, a row per cell in the order of the dataset."""
    folder, given = tmp_path_factory.mktemp("homeobox"), given_to_homeobox()
    np.savez(folder / "given.npz", **given)
    command = [sys.executable, "-c", WRITE, str(folder / "atlas"), str(folder / "given.npz")]
    subprocess.run(command, check=True, capture_output=True, text=True)
    with open_dataset(folder / "atlas") as dataset:
        yield dataset, given


def stacked(given: dict[str, np.ndarray], name: str) -> np.ndarray:
    return np.concatenate([given[f"one.{name}"], given[f"two.{name}"]])


def test_every_gene_of_an_atlas_by_homeobox_is_what_it_was_given(written):
    dataset, given = written
    expected = pd.concat([pd.DataFrame(given[f"{name}.X"], columns=given[f"{name}.genes"]) for name in ("one", "two")])
    assert set(dataset.var_aliases) == set(expected.columns)
    assert dataset.details  # which genes are in which dataset
    for gene in expected:
        np.testing.assert_array_equal(dataset.values(gene), expected[gene].to_numpy(np.float32))


def test_obs_of_an_atlas_by_homeobox_is_what_it_was_given(written):
    dataset, given = written
    obs = dataset.obs()
    np.testing.assert_array_equal(obs["depth"], stacked(given, "depth"))
    np.testing.assert_array_equal(obs["is_doublet"], stacked(given, "is_doublet"))
    assert [one if isinstance(one, str) else "" for one in obs["donor"]] == stacked(given, "donor").tolist()
    np.testing.assert_array_equal(dataset.embedding("umap"), stacked(given, "xy"))


PACK = """
import sys, numpy as np
from homeobox._rust import bitpack_encode
values = dict(np.load(sys.argv[1]))
np.savez(sys.argv[2], **{
    f"{name}-{transform}": np.asarray(bitpack_encode(one.tobytes(), transform, one.dtype.itemsize))
    for name, one in values.items() for transform in ("none", "delta", "delta_zigzag")
})
"""


def test_what_the_codec_of_homeobox_packed_comes_out(tmp_path):
    rng = np.random.default_rng(0)
    given = {"empty": np.array([], np.uint32), "highest": np.full(129, 2**32 - 1, np.uint32)}
    for width in range(33):
        n = int(rng.integers(1, 700))
        given[f"width {width}"] = rng.integers(0, 2**width, n, dtype=np.uint64).astype(np.uint32)
        given[f"sorted {width}"] = np.sort(given[f"width {width}"])
        given[f"long {width}"] = rng.integers(0, 2 ** min(63, 2 * width), n, dtype=np.uint64)
    np.savez(tmp_path / "given.npz", **given)
    command = [sys.executable, "-c", PACK, str(tmp_path / "given.npz"), str(tmp_path / "packed.npz")]
    subprocess.run(command, check=True, capture_output=True, text=True)
    with np.load(tmp_path / "packed.npz") as packed:
        assert len(packed.files) == 3 * len(given)
        for name in packed.files:
            values = given[name.rsplit("-", 1)[0]]
            found = unpack(packed[name], len(values), values.dtype.itemsize)
            np.testing.assert_array_equal(found, values, strict=True)
