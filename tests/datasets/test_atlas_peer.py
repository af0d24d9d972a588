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
